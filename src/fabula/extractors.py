"""What draws frames, facts and entities from talk: rules that need nothing, and a language model.

The rules claim little: one frame an exchange, the names and the dates in it. They know no meaning.
"""

from __future__ import annotations

import calendar
import logging
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from fabula import when
from fabula.abc import LLM, Extraction
from fabula.aside import aside
from fabula.checking import within
from fabula.conventions import Conventions
from fabula.errors import ProviderBadReply
from fabula.names import USERS, entity_id, is_name
from fabula.prompts import EXTRACTION_SCHEMA, extraction_messages
from fabula.remember import searchable
from fabula.replies import extraction, naming, parsed, united
from fabula.talk import SENTENCE, event_of, exchanges, said, sentences, span, stages, told, told_in
from fabula.text import derived_id, fold, stop
from fabula.types import DOCUMENT, ROLES, VAGUE, Entity, Event, Frame, Interval, Passage
from fabula.when.chinese_name_words import SURNAMES

_log = logging.getLogger(__name__)

Named: TypeAlias = Callable[[str], Iterable[tuple[str, str]]]
"""A rule of a domain for the names of its things (drugs, ticker symbols, part numbers): a text in; each name as it is
said there, and its type, out."""
SUMMARY: Final = 160
"""Characters of each message that a rule-made summary keeps, at most."""
EVENTS: Final = 8
"""How many dated events a stage of an exchange may have."""
_WORD: Final = r"(?:(?:[A-Z]\.){2,}(?!\w)|St\.(?= [A-Z])|[A-Z][\w'’&.-]*[\w])"
_NAME: Final = re.compile(rf"(?<![\w'’]){_WORD}(?: (?:(?:of|de|van|von|the) )?{_WORD})*")
_AND: Final = re.compile(r", (?:and )?| and | & ")
_LAST: Final = re.compile(r"(\w+)[.,]? \Z")
_NEXT: Final = re.compile(r"(?:['’]s)? (\w+)")
_HAN_CALLED: Final = re.compile(f"[小老阿][{SURNAMES}周高林何许方钟余]")
_HAN_AND: Final = re.compile("[和跟与同](?=..)")
"""What the tagger takes for the beginning of a name, where it stands before one."""
_TITLE: Final = re.compile(r"《([^》\n]{1,40})》")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
OPENERS: Final = frozenset(
    ("hi", "hey", "hello", "dear", "oh", "wow", "yes", "no", "thanks", "thank", "well", "sure", "great", "okay", "ok",
     "yeah", "congrats", "good", "nice", "cool", "awesome", "sorry", "bye", "haha", "absolutely", "definitely")
)  # fmt: skip
"""Words that open a sentence with a capital letter and name nobody."""
WITH: Final = frozenset(
    ("with", "told", "tell", "tells", "asked", "ask", "asks", "met", "meet", "thank", "thanks", "hi", "hey", "hello",
     "dear", "mr", "mrs", "ms", "dr", "prof", "invited", "invite", "helped", "help", "married", "saw", "by", "both")
)  # fmt: skip
"""Words after which a name is a person's."""
ACTS: Final = frozenset(
    ("said", "says", "told", "tells", "asked", "asks", "agreed", "agrees", "decided", "decides", "wants", "wanted",
     "thinks", "thought", "suggested", "suggests", "offered", "offers", "promised", "voted", "proposed", "proposes",
     "objected", "objects", "chose", "picked", "booked", "joined", "came", "called", "wrote", "refused", "insisted",
     "signed", "approved", "disagreed", "disagrees")
)  # fmt: skip
"""Words before which a name is a person's."""
TITLES: Final = frozenset(
    ("mr", "mrs", "ms", "mx", "dr", "prof", "st", "mt", "rev", "hon", "gen", "col", "capt", "lt", "sgt", "sen", "rep",
     "gov", "pres", "jr", "sr", "inc", "ltd", "co", "corp")
)  # fmt: skip
"""What stands before or after a name, abbreviated, and is none by itself."""
_SOMETIME: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""A moment to read times from where it matters only where they stand."""
_UNNAMED: Final = ROLES | USERS | {"助手"}
"""Speakers who have no name, only a part in the talk."""
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
        """Return a frame for each exchange in `window` and the entities named; `context` tells who else speaks.

        Of documents only the entities are returned: rules cannot tell what happened in them.
        """
        return await aside((passage.text for passage in window), self._extracted, window, context)

    def _extracted(self, window: Sequence[Passage], context: Sequence[Passage]) -> Extraction:
        frames: list[Frame] = []
        entities: dict[str, Entity] = {}
        speakers = dict.fromkeys(p.speaker for p in (*context, *window) if fold(p.speaker) not in ROLES)
        for exchange in exchanges(window):
            named = [*_by_rules(exchange, self._rules), *_entities(exchange)]
            for entity in named:
                first = entities.setdefault(entity.id, entity)
                sources = tuple(dict.fromkeys(first.sources + entity.sources))
                entities[entity.id] = replace(first, sources=sources)
            places = [entity.text for entity in named if entity.type == "Location"]
            if talk := [passage for passage in exchange if passage.role != DOCUMENT]:  # a row of a table is no event
                frames.append(_frame(talk, list(_people(talk, named, speakers)), places, self._conventions))
        return Extraction(frames=tuple(frames), entities=tuple(entities.values()))


def _frame(exchange: Sequence[Passage], people: Sequence[str], places: Sequence[str], ways: Conventions) -> Frame:
    parts = stages(exchange)
    events = [(part, event) for part in told_in(parts) for event in _events(part, ways)]
    dated = next((event.time for _, event in events if event.time is not None), None)
    if len(parts) > 1:
        events = [(part, replace(event, time=event.time or span(part))) for part, event in events]
    summary = " / ".join(_short(p) if fold(p.speaker) in _UNNAMED else f"{p.speaker}: {_short(p)}" for p in exchange)
    sources = tuple(p.id for p in exchange)
    everybody = (*(p.speaker for p in exchange), *people)
    return Frame(
        scope=exchange[0].scope,
        id=derived_id("frame", *sources),
        text=summary,
        session=exchange[0].session,
        events=tuple(
            replace(
                event,
                participants=tuple(dict.fromkeys((*event.participants, *everybody))),
                location=places[0] if places else "",
            )
            for _, event in events
        ),
        valid=dated or span(exchange),
        sources=sources,
        meta={"extractor": RuleExtractor.name},
    )


def _events(stage: Sequence[Passage], conventions: Conventions) -> list[Event]:
    """What happened: each sentence that says when; where none does, the one that tells most."""
    dated = (
        Event(participants=(p.speaker,), action=sentence.strip(), time=time)
        for p, sentence in told(stage)
        if (time := _date(p, sentence, conventions)) is not None
    )
    return list(islice(dated, EVENTS)) or [replace(event_of(stage), time=None)]


def _short(passage: Passage) -> str:
    kept = ""
    for sentence in sentences(passage):
        if kept and len(kept) + len(sentence) > SUMMARY:
            break
        kept = f"{kept} {sentence}".strip()
    return kept if len(kept) <= SUMMARY else kept[: SUMMARY - 1] + "…"


def _date(passage: Passage, sentence: str, conventions: Conventions) -> Interval | None:
    """The first time a sentence says; "now" and "recently" tell no more than when it was said."""
    found = [] if passage.time is None or not said(passage) else when.find(sentence, passage.time, conventions)
    return next((i for one in found if (i := one.interval) is not None and i.precision not in VAGUE), None)


def _entities(exchange: Sequence[Passage]) -> Iterator[Entity]:
    for passage in exchange:
        if fold(passage.speaker) not in ROLES:
            yield _entity(passage, passage.speaker, "Person")
        text = said(passage)
        for name, kind in (*_english(text), *_chinese(text)):
            yield _entity(passage, name, kind)


def _by_rules(passages: Iterable[Passage], rules: Sequence[Named], extractor: str = "rules") -> Iterator[Entity]:
    """What the rules of a domain find; what they call nothing, or a pronoun, is nothing."""
    for passage in passages:
        text = said(passage) if rules else ""
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
    return ((one.name, "") for one in _capitalised(text) if one.sure)


class _Capitalised(NamedTuple):
    """What may be a name: where it stands, and whether it is one for sure, not only the start of a sentence."""

    name: str
    start: int
    end: int
    sure: bool


def _capitalised(text: str) -> Iterator[_Capitalised]:
    parts = list(SENTENCE.finditer(text))
    starts = {part.start() + len(part[0]) - len(part[0].lstrip()) for part in parts}
    found = [match for part in parts for match in _NAME.finditer(text, *part.span())]
    counts = Counter(match[0] for match in found)
    times = _times(text) if found else []
    for match in found:
        words = match[0].removesuffix("'s").removesuffix("’s").split(" ")
        first, start = match.start() in starts, match.start()
        if first and (stop(fold(words[0])) or fold(words[0]) in OPENERS):
            start += len(words[0]) + 1
            first, words = False, words[1:]
        while words and (fold(words[0]) in _NEVER or _within(times, start, start + len(words[0]))):
            start += len(words[0]) + 1
            first, words = False, words[1:]
        end = start + len(" ".join(words))
        while words and (fold(words[-1]) in _NEVER or _within(times, end - len(words[-1]), end)):
            end -= len(words[-1]) + 1
            words = words[:-1]
        name = " ".join(words)
        if name and name != "REDACTED" and fold(name) not in _ALONE:
            known = not (stop(fold(name)) or fold(name) in OPENERS)
            sure = len(words) > 1 or (known and not (first and counts[match[0]] < 2))
            if sure or known:
                yield _Capitalised(name, start, end, sure)


def _people(exchange: Sequence[Passage], named: Sequence[Entity], speakers: Iterable[str]) -> Iterator[str]:
    """Who is named: whoever speaks elsewhere, whom a rule or the tagger takes for a person, and who acts."""
    text = "\n".join(map(said, exchange))
    known = {entity.text for entity in named if entity.type == "Person"}
    yield from (name for name in speakers if name in known or naming((name,))(fold(text)))
    yield from (entity.text for entity in named if entity.text in known)
    yield from _HAN_CALLED.findall(text)
    listed: list[_Capitalised] = []
    for one in (*_capitalised(text), None):
        if listed and (one is None or not _AND.fullmatch(text, listed[-1].end, one.start)):
            if _act(text, listed):
                yield from (each.name for each in listed if fold(each.name) not in WITH)
            listed = []
        if one is not None:
            listed.append(one)


def _act(text: str, listed: Sequence[_Capitalised]) -> bool:
    """Whether names said in a row are those of people, by the word before or after: something is done, or with them."""
    before, after = _LAST.search(text, max(0, listed[0].start - 20), listed[0].start), _NEXT.match(text, listed[-1].end)
    return bool(before and fold(before[1]) in WITH) or bool(after and fold(after[1]) in ACTS)


def _times(text: str) -> list[tuple[int, int]]:
    """Where a text says a time, in order."""
    return [(found.start, found.end) for found in when.find(text, _SOMETIME)]


def _within(times: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_right(times, start, key=itemgetter(0)) - 1
    return at >= 0 and end <= times[at][1]


_NEVER: Final = frozenset(("i", "i'm", "i've", "i'll", "i'd", *map(str.lower, calendar.day_name)))
"""No part of a name, at its beginning or end."""
_ALONE: Final = frozenset(("ok", *map(str.lower, calendar.month_name))) | TITLES
"""No name by itself."""


def _chinese(text: str) -> Iterator[tuple[str, str]]:
    for match in _TITLE.finditer(text):
        yield match[1], "Concept"
    if not _HAN.search(text):
        return
    times, end = _times(text), 0
    for word, tag in _tagger().tag(text):
        start = max(text.find(word, end), end)
        end = start + len(word)
        if tag in _TAGS and len(word) > 1 and _HAN.match(word) and not _within(times, start, end):
            yield (_HAN_AND.sub("", word, 1) if tag == "nr" and _HAN_AND.match(word) else word), _TAGS[tag]


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

    @property
    def sees(self) -> bool:
        """Whether the model takes pictures."""
        return bool(getattr(self._llm, "sees", False))

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
        messages, labels = extraction_messages(window, context, shown=self.sees)
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
