"""The records fabula keeps and the messages they come from; no behaviour beyond validation.

Six records share one base: `Passage`, `Frame`, `Fact`, `Entity`, `Insight`, `Note`. All are frozen. Two time
axes stay apart in every record: `valid` (when it happened or holds) and `recorded` (when fabula believed it).
All datetimes are aware; a naive one is taken as UTC.
"""

from __future__ import annotations

import reprlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, get_args

from fabula.checking import aware, pictured
from fabula.errors import InvalidInput
from fabula.filenames import in_words

Kind = Literal["passage", "frame", "fact", "entity", "insight", "note"]
Status = Literal["live", "superseded", "archived"]
Precision = Literal[
    "instant", "second", "minute", "hour", "part", "day", "weekend", "week",
    "month", "quarter", "season", "half", "year", "decade", "century", "range", "fuzzy",
]  # fmt: skip
VAGUE: Final[tuple[Precision, ...]] = ("instant", "fuzzy")
"""The precisions of times that say nothing of when."""
SORT: Final = "sort"
"""The key of `meta` under which who writes a record of their own says what sort of memory it is (`Plan.sort`)."""
TAGGED: Final = "metadata"
"""The key of `meta` under which they keep further values of their own, to be asked for by (`Plan.metadata`)."""

Link = Literal["subject", "object", "names", "synonym", "causes", "fused"]
"""How records are tied: a fact to its subject and its object, a frame to whom it names, an entity to one that may be
the same, a frame to what it brought about, and one that was fused to those it was made of, itself as it began first."""
KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES = frozenset({"user", "assistant", "system", "tool", "developer", "document"})
"""Names of roles: as a speaker they name nobody."""
MACHINES = ROLES - {"user"}
"""The roles of those who are nobody: what they say is nobody's word, or feeling."""
INTERNAL: Final = "fabula:"
"""How the namespaces of notes and the keys of `meta` begin that are no caller's."""
CREATED: Final = "fabula:created"
"""The key of `meta` under which a record that a caller revised keeps when it was first written."""
DOCUMENT: Final = "document"
"""The role, and the speaker, of the passages of a file."""
NOTHING: Mapping[Any, Any] = MappingProxyType({})
"""The empty, immutable `meta`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """A half-open stretch of time, `start <= t < end`, and the precision it was given in.

    `None` at either end leaves that end open.
    """

    start: datetime | None = None
    end: datetime | None = None
    precision: Precision = "instant"

    def __post_init__(self) -> None:
        start = None if self.start is None else aware(self.start)
        end = None if self.end is None else aware(self.end)
        if start is not None and end is not None and start.timestamp() > end.timestamp():  # not by the wall clock
            raise InvalidInput(f"an interval cannot end before it starts: {start.isoformat()} > {end.isoformat()}")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)

    @classmethod
    def at(cls, moment: datetime) -> Interval:
        """Return the instant `moment` as an interval of no length."""
        return cls(start=moment, end=moment)


@dataclass(frozen=True, kw_only=True, slots=True)
class Emotion:
    """How something felt: `valence` −1…1 (bad to good), `arousal` 0…1 (calm to excited)."""

    valence: float
    arousal: float
    label: str = ""
    estimated: bool = False
    """Whether nobody told it: it was read off the words' embedding. An estimate is made on reading, never stored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Image:
    """A picture that came with a message. Its caption and name are searched; models that see are shown the picture.

    `data` is the picture itself (PNG, JPEG, GIF or WebP), on its way in and where it is shown to a model: it is kept
    with its message, and a record that is read names only its `media` type.
    """

    caption: str = ""
    url: str = ""
    name: str = ""
    data: bytes = field(default=b"", repr=False)
    media: str = ""
    """The media type of the picture that is kept; empty where none is. It is read off `data`."""

    def __post_init__(self) -> None:
        values: tuple[Any, ...] = (self.caption, self.url, self.name, self.media)
        for value in values:
            if not isinstance(value, str):
                raise InvalidInput(f"an image's caption, url and name are texts, not {reprlib.repr(value)}")
        data: Any = self.data
        if not isinstance(data, bytes):
            raise InvalidInput(f"an image's data are bytes, not {type(data).__name__}")
        if data:
            object.__setattr__(self, "media", pictured(data))
            if not (self.caption or self.name):  # so that it can be found
                object.__setattr__(self, "name", f"picture.{self.media.removeprefix('image/')}")

    @property
    def words(self) -> str:
        """The caption, or else a name that has words in it; empty for `IMG_1.jpg`, which tells nothing of a picture."""
        return self.caption if self.caption.strip() else self.name if in_words(self.name) else ""

    @property
    def address(self) -> str:
        """Where a model's host finds the picture: in a data URL, or on the web; empty where neither is known."""
        if self.data:
            return f"data:{self.media};base64,{b64encode(self.data).decode()}"
        return self.url if self.url.startswith(("https://", "http://")) else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One event of a frame, by the roles of 5W1H; what was not said is empty."""

    participants: tuple[str, ...] = ()
    action: str = ""
    time: Interval | None = None
    location: str = ""
    causality: str = ""
    manner: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What every record carries."""

    kind: ClassVar[Kind]

    scope: str
    """Whose memory: the user id."""
    id: str
    text: str
    """What is read, embedded and searched."""
    status: Status = "live"
    importance: float = 0.5
    emotion: Emotion | None = None
    valid: Interval | None = None
    """When it happened or holds."""
    recorded: Interval | None = None
    """When fabula believed it; open-ended while it still does. Set by the store."""
    sources: tuple[str, ...] = ()
    """The ids of the records it was made from."""
    links: Mapping[Link, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    """The ids of the records it is tied to, by how."""
    meta: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    @property
    def begun(self) -> datetime | None:
        """When it happened or began to hold, or if that is open when it ended; `None` where neither is known."""
        return self.valid and (self.valid.start or self.valid.end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage(Record):
    """What was said or read, verbatim except for masked secrets; never edited."""

    kind: ClassVar[Kind] = "passage"

    ref: str | None = None
    """The caller's own message id."""
    session: str = "default"
    seq: int = -1
    """The place in the session, counted from 0. Set by the store."""
    speaker: str = "user"
    role: str = "user"
    images: tuple[Image, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether there is nothing in it to be found by: no word, and no picture with a caption or name."""
        return not (self.text.strip() or any((image.caption or image.name).strip() for image in self.images))

    @property
    def wordless(self) -> bool:
        """Whether it means nothing to who does not see its pictures: no text, and no words in captions and names."""
        return not (self.text.strip() or any(image.words for image in self.images))

    @property
    def time(self) -> datetime | None:
        """When it was said, in the speaker's zone."""
        return self.valid.start if self.valid else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame(Record):
    """What happened: an episodic event frame. `text` is its summary."""

    kind: ClassVar[Kind] = "frame"

    session: str = "default"
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact(Record):
    """What holds: subject, predicate, object. Without a triple it is a general memory in words."""

    kind: ClassVar[Kind] = "fact"

    subject: str = ""
    predicate: str = ""
    object: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity(Record):
    """Who or what is spoken of. `text` is its name as first said."""

    kind: ClassVar[Kind] = "entity"

    type: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Insight(Record):
    """What it means: drawn from many records by `reflect`."""

    kind: ClassVar[Kind] = "insight"

    category: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Note(Record):
    """A value kept under (namespace, key): profile, preferences, settings."""

    kind: ClassVar[Kind] = "note"

    namespace: str = ""
    key: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said or read, on its way in.

    `time` is when it was said (aware; naive is UTC; ISO text is parsed; default: now). `id` is the caller's own:
    the same id twice in a scope is one message. `content` may be blank: it is kept, but makes no memory.
    """

    content: str
    _: KW_ONLY
    speaker: str | None = None
    """Default: the role."""
    role: str = "user"
    time: datetime | str | None = None
    id: str | None = None
    session: str = "default"
    images: tuple[Image, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    extract: bool = True
    """Whether frames, facts and entities are drawn from it; without, it is found by its own words only."""

    def __post_init__(self) -> None:
        # The annotations bind typed callers only; these values also arrive from JSON files.
        for name, (kinds, meant) in _MESSAGE_TYPES.items():
            value = getattr(self, name)
            if not isinstance(value, kinds):
                raise InvalidInput(f"a message's {name} is {meant}, not {reprlib.repr(value)}")
        if self.time is not None:
            object.__setattr__(self, "time", aware(self.time))
        object.__setattr__(self, "images", tuple(self.images))
        images: tuple[Any, ...] = self.images
        odd = next((image for image in images if not isinstance(image, Image)), None)
        if odd is not None or None in images:
            raise InvalidInput(f"a message's images are Image objects, not {reprlib.repr(odd)}")


_MESSAGE_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "content": ((str,), "text"), "speaker": ((str, type(None)), "text or None"), "role": ((str,), "text"),
    "session": ((str,), "text"), "images": ((tuple, list), "a list of images"), "meta": ((Mapping,), "a mapping"),
    "extract": ((bool,), "True or False"),
}  # fmt: skip
