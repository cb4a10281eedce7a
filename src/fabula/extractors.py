"""What draws frames, facts and entities from talk: rules that need nothing, and a language model.

The rules claim little: one frame an exchange, the names and the dates in it. They know no meaning.
"""

from __future__ import annotations

import calendar
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Any, Final, TypeAlias

from fabula import when
from fabula.abc import LLM, Extraction
from fabula.checking import within
from fabula.conventions import Conventions
from fabula.errors import ProviderBadReply
from fabula.names import entity_id, is_name
from fabula.prompts import EXTRACTION_SCHEMA, extraction_messages
from fabula.remember import searchable
from fabula.render import without_memories
from fabula.replies import extraction, parsed, united
from fabula.text import derived_id, fold, stop
from fabula.types import ROLES, Entity, Event, Frame, Interval, Passage

_log = logging.getLogger(__name__)

Named: TypeAlias = Callable[[str], Iterable[tuple[str, str]]]
"""A rule of a domain for the names of its things (drugs, ticker symbols, part numbers): a text in; each name as it is
said there, and its type, out."""
SUMMARY: Final = 160
"""Characters of each message that a rule-made summary keeps, at most."""
EVENTS: Final = 8
"""How many events an exchange may have."""
PAUSE: Final = timedelta(minutes=30)
"""Silence after which what the same speaker says belongs to another exchange."""
LATE: Final = timedelta(days=1)
"""Silence after which an answer is none."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_NAME: Final = re.compile(r"(?<![\w'’])[A-Z][\w'’&.-]*[\w](?: (?:(?:of|de|van|von|the) )?[A-Z][\w'’&.-]*[\w])*")
_TITLE: Final = re.compile(r"《([^》\n]{1,40})》")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
OPENERS: Final = frozenset(
    ("hi", "hey", "hello", "dear", "oh", "wow", "yes", "no", "thanks", "thank", "well", "sure", "great", "okay", "ok",
     "yeah", "congrats", "good", "nice", "cool", "awesome", "sorry", "bye", "haha", "absolutely", "definitely")
)  # fmt: skip
"""Words that open a sentence with a capital letter and name nobody."""
_TAGS: Final = {"nr": "Person", "ns": "Location", "nt": "Organization", "nz": "Concept"}


# --- the rules --------------------------------------------------------------------------------------------------


class RuleExtractor:
    """Makes one frame of each exchange, with the names and dates said in it; needs no model and no network."""

    name = "rules"

    def __init__(
        self, conventions: Conventions = Conventions(), *, entities: Sequence[Named] = ()  # noqa: B008 - frozen
    ) -> None:  # fmt: skip
        """`conventions` is how the people count whose dates are read.

        `entities` are rules for what else is named: each is given a message and returns names with their types.

            tickers = re.compile(r"\\$([A-Z]{1,5})\\b")
            RuleExtractor(entities=[lambda text: ((name, "Ticker") for name in tickers.findall(text))])
        """
        self._conventions = conventions
        self._rules = tuple(entities)

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return a frame for each exchange in `window` and the entities named; `context` is not needed."""
        del context
        frames: list[Frame] = []
        entities: dict[str, Entity] = {}
        for exchange in exchanges(window):
            named = [*_by_rules(exchange, self._rules), *_entities(exchange)]
            for entity in named:
                first = entities.setdefault(entity.id, entity)
                sources = tuple(dict.fromkeys(first.sources + entity.sources))
                entities[entity.id] = replace(first, sources=sources)
            frames.append(_frame(exchange, named, self._conventions))
        return Extraction(frames=tuple(frames), entities=tuple(entities.values()))


def exchanges(window: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Split a window into exchanges: what one side says up to the other side's answer, both included.

    Going on after `PAUSE`, or answering after `LATE`, begins another one.
    """
    current: list[Passage] = []
    for passage in window:
        if not searchable(passage):
            continue
        answered = len({p.speaker for p in current}) > 1 and passage.speaker != current[-1].speaker
        if answered or (current and _apart(current[-1], passage)):
            yield current
            current = []
        current.append(passage)
    if current:
        yield current


def _apart(one: Passage, other: Passage) -> bool:
    if one.time is None or other.time is None:
        return False
    return abs(other.time - one.time) > (PAUSE if one.speaker == other.speaker else LATE)


def _frame(exchange: Sequence[Passage], named: Sequence[Entity], conventions: Conventions) -> Frame:
    moments = [p.time for p in exchange if p.time is not None]
    said = Interval(start=min(moments), end=max(moments)) if moments else None
    events = _events(exchange, named, conventions)
    summary = " / ".join(f"{p.speaker}: {_short(p)}" for p in exchange)
    sources = tuple(p.id for p in exchange)
    return Frame(
        scope=exchange[0].scope,
        id=derived_id("frame", *sources),
        text=summary,
        session=exchange[0].session,
        events=events,
        valid=events[0].time or said,
        sources=sources,
        meta={"extractor": RuleExtractor.name},
    )


def _events(exchange: Sequence[Passage], named: Sequence[Entity], conventions: Conventions) -> tuple[Event, ...]:
    """What happened: each sentence that says when; where none does, the one that tells most."""
    sentences = [(p, sentence) for p in exchange for sentence in _sentences(p)]
    told = [(p, s) for p, s in sentences if not s.rstrip().endswith(("?", "？"))] or sentences
    dated = [(p, s, time) for p, s in told if (time := _date(p, s, conventions)) is not None]
    most = max(told, key=lambda pair: len(set(fold(pair[1]).split())) + len(pair[1]) / 20)
    people = [entity.text for entity in named if entity.type == "Person"]
    places = [entity.text for entity in named if entity.type == "Location"]
    return tuple(
        Event(
            participants=tuple(dict.fromkeys([p.speaker, *(one.speaker for one in exchange), *people])),
            action=sentence.strip(),
            time=time,
            location=places[0] if places else "",
        )
        for p, sentence, time in dated[:EVENTS] or [(*most, None)]
    )


def _said(passage: Passage) -> str:
    captions = " ".join(image.caption for image in passage.images)
    return f"{without_memories(passage.text)} {captions}".strip()


def _sentences(passage: Passage) -> list[str]:
    return [s.strip() for s in _SENTENCE.findall(_said(passage)) if s.strip()] or [_said(passage)]


def _short(passage: Passage) -> str:
    kept = ""
    for sentence in _sentences(passage):
        if kept and len(kept) + len(sentence) > SUMMARY:
            break
        kept = f"{kept} {sentence}".strip()
    return kept if len(kept) <= SUMMARY else kept[: SUMMARY - 1] + "…"


def _date(passage: Passage, sentence: str, conventions: Conventions) -> Interval | None:
    """The first time a sentence says; "now" tells no more than when it was said."""
    found = [] if passage.time is None else when.find(sentence, passage.time, conventions)
    return next((i for one in found if (i := one.interval) is not None and i.precision != "instant"), None)


def _entities(exchange: Sequence[Passage]) -> Iterator[Entity]:
    for passage in exchange:
        if fold(passage.speaker) not in ROLES:
            yield _entity(passage, passage.speaker, "Person")
        text = _said(passage)
        for name, kind in (*_english(text), *_chinese(text)):
            yield _entity(passage, name, kind)


def _by_rules(passages: Iterable[Passage], rules: Sequence[Named], extractor: str = "rules") -> Iterator[Entity]:
    """What the rules of a domain find; what they call nothing, or a pronoun, is nothing."""
    for passage in passages:
        text = _said(passage) if rules else ""
        for name, kind in (found for rule in rules for found in rule(text)):
            if is_name(name):
                yield _entity(passage, name.strip(), kind, extractor)


def _entity(passage: Passage, name: str, kind: str, extractor: str = "rules") -> Entity:
    return Entity(
        scope=passage.scope, id=entity_id(name), text=name, type=kind, sources=(passage.id,),
        meta={"extractor": extractor},
    )  # fmt: skip


def _english(text: str) -> Iterator[tuple[str, str]]:
    """Capitalised words that are not capitalised for starting a sentence, or are so twice."""
    starts = {match.start() + len(match[0]) - len(match[0].lstrip()) for match in _SENTENCE.finditer(text)}
    found = list(_NAME.finditer(text))
    counts = Counter(match[0] for match in found)
    for match in found:
        words = match[0].removesuffix("'s").removesuffix("’s").split(" ")
        first = match.start() in starts
        if first and (stop(fold(words[0])) or fold(words[0]) in OPENERS):
            first, words = False, words[1:]
        name = " ".join(words)
        if not name or name == "REDACTED" or _is_calendar(name):
            continue
        if len(words) > 1 or not (stop(fold(name)) or fold(name) in OPENERS or (first and counts[match[0]] < 2)):
            yield name, ""


def _is_calendar(name: str) -> bool:
    return fold(name) in _CALENDAR


_CALENDAR: Final = frozenset(
    ("i", "i'm", "i've", "i'll", "i'd", "ok", *map(str.lower, (*calendar.day_name, *calendar.month_name)))
)


def _chinese(text: str) -> Iterator[tuple[str, str]]:
    for match in _TITLE.finditer(text):
        yield match[1], "Concept"
    if not _HAN.search(text):
        return
    for word, tag in _tagger().tag(text):
        if tag in _TAGS and len(word) > 1 and _HAN.match(word):
            yield word, _TAGS[tag]


@cache
def _tagger() -> Any:
    import rjieba  # pyright: ignore[reportMissingTypeStubs]

    return rjieba


# --- a language model -------------------------------------------------------------------------------------------

MOST_TOKENS: Final = 32_768
"""How long a reply may become, in the model's tokens, when it was cut off."""
_USUAL: Final = 0.1
_OTHERWISE: Final = 0.4
"""The temperature when a reply was no use: asked the same way, a model says much the same again."""


class LLMExtractor:
    """Asks a language model for the frames, facts, entities and profile of a window, in one call."""

    name = "llm"

    def __init__(
        self, llm: LLM, *, conventions: Conventions = Conventions(),  # noqa: B008 - frozen
        attempts: int = 3, max_tokens: int = 4096, entities: Sequence[Named] = (),
    ) -> None:  # fmt: skip
        """`attempts` is how often a window is asked for while replies are empty or malformed, the first included.

        `max_tokens` is how long a reply may be. One that was cut off is asked for again with twice of it; then the
        window is halved.

        `entities` are rules for names that the model is not to miss, as `RuleExtractor` takes them; of what both find
        the rule knows the type.
        """
        within("attempts", attempts, 1)
        within("max_tokens", max_tokens, 1, MOST_TOKENS)
        self._llm = llm
        self._conventions = conventions
        self._attempts = attempts
        self._max_tokens = max_tokens
        self._rules = tuple(entities)

    async def extract(self, window: Sequence[Passage], context: Sequence[Passage] = ()) -> Extraction:
        """Return what the model finds in `window`; raises a `ProviderError`, also where no reply was of use."""
        heard = [passage for passage in window if searchable(passage)]
        if not heard:
            return Extraction()
        drawn = await self._drawn(heard, context)
        return united(Extraction(entities=tuple(_by_rules(heard, self._rules, self.name))), drawn)

    async def _drawn(self, window: Sequence[Passage], context: Sequence[Passage]) -> Extraction:
        try:
            return await self._asked(window, context)
        except ProviderBadReply as error:
            if error.reason != "truncated" or len(window) == 1:
                raise
        half = len(window) // 2
        _log.debug("the reply to %d messages is too long: asking for %d of them", len(window), half)
        first = await self._drawn(window[:half], context)
        second = await self._drawn(window[half:], [*context, *window[:half]])
        return united(first, second)

    async def _asked(self, window: Sequence[Passage], context: Sequence[Passage]) -> Extraction:
        messages, labels = extraction_messages(window, context)
        cut_off: ProviderBadReply | None = None
        room, temperature = self._max_tokens, _USUAL
        calls = 0
        while True:
            calls += 1
            try:
                reply = await self._llm.chat(
                    messages, temperature=temperature, max_tokens=room, schema=EXTRACTION_SCHEMA
                )
                return self._read(reply.text, labels)
            except ProviderBadReply as error:
                _log.debug("call %d for %d messages: %s", calls, len(window), error)
                match error.reason:
                    case "truncated" if room < MOST_TOKENS and (cut_off is None or len(window) == 1):
                        room, cut_off = min(2 * room, MOST_TOKENS), error
                    case "refused" if cut_off is not None:  # the host does not take that many tokens
                        raise cut_off from error
                    case "empty" | "malformed" if calls < self._attempts:
                        temperature = _OTHERWISE
                    case _:
                        raise

    def _read(self, text: str, labels: Mapping[str, Passage]) -> Extraction:
        found = extraction(parsed(text), labels, conventions=self._conventions)
        if found.rejected > found.misplaced and not (found.frames or found.facts or found.notes):
            raise ProviderBadReply("no item of the model's reply makes sense", reason="malformed")
        return found
