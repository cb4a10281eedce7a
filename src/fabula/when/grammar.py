"""From a text to times by reduction: words become tokens, rules fold neighbouring tokens into one; knows no language.

A rule is a pattern of token names (`"weekday ,? day"`) and what it makes of the tokens. Rules are tried in the order
of their table, each until it fits nowhere any more. Tokens whose name is a `Grammar.said` are what was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from fabula.conventions import Conventions
from fabula.when.series import Fixed, Then
from fabula.when.spans import LENGTHS, Span, Unit, step, whole

BREAK: Final = "break"
"""The name of a token that no rule may reach across."""
LONGEST_RUN: Final = 200
"""How many tokens are read together: more without a break between them are no talk."""
_NEAR: Final = 120
"""How many characters beside a match its rule may look at."""


class Token(NamedTuple):
    """A stretch of text with a name for the rules and a value for what they build."""

    name: str
    value: Any
    start: int
    end: int


class Amount(NamedTuple):
    """A length of time as it was said: counts of units, largest first, and what vague words allow for (±)."""

    parts: tuple[tuple[float, Unit], ...]
    longest: tuple[tuple[float, Unit], ...] = ()
    """The upper end of a length that was said as two, as in two to three days; empty where it is one."""
    vague: bool = False

    @property
    def seconds(self) -> tuple[float, float]:
        """The shortest and the longest, in seconds: a month 30 days, a year 365."""
        low, high = (
            sum(count * LENGTHS[unit].total_seconds() for count, unit in one) for one in (self.parts, self.longest)
        )
        return low, high if self.longest else low

    @property
    def unit(self) -> Unit:
        """The finest unit that was named."""
        return self.parts[-1][1]


@dataclass(frozen=True, slots=True)
class Every:
    """Something that comes again: its period as an ISO 8601 duration, and when it comes, where that was said."""

    period: str
    time: Any = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The moment a text was said at: `now` on the wall clock of `zone`."""

    now: datetime
    zone: tzinfo
    conventions: Conventions
    ahead: bool | None = None
    """Whether the sentence speaks of the future; None where nothing in it says so."""
    told: list[Span] = field(default_factory=list[Span])
    """The times that the text has told so far, the latest last; to be read when a time is resolved, not before."""

    def whole(self, unit: Unit, offset: int = 0, count: int = 1) -> Fixed:
        """Return the calendar unit `offset` units from the present one, or `count` of them on end."""
        return Fixed(whole(self.now, unit, offset, count))

    def day(self, offset: int) -> Fixed:
        """Return the day `offset` days from today."""
        return self.whole("day", offset)

    def then(self, unit: Unit, offset: int = 0) -> Then:
        """Return the calendar unit `offset` units from the one of the time told last: the next day, that month."""
        return Then(self.told, unit, lambda span: whole(span.start, unit, offset))

    def moment(self, amount: Sequence[tuple[float, Unit]], sign: int) -> datetime:
        """Return the moment that lies `amount` from now: hours pass by the clock of the world, days by the calendar."""
        moment = self.now
        for count, unit in amount:
            if unit in ("hour", "minute", "second"):
                world = moment.replace(tzinfo=self.zone).astimezone(UTC) + sign * count * LENGTHS[unit]
                moment = world.astimezone(self.zone).replace(tzinfo=None)
            else:
                moment = step(moment, sign * count, unit)
        return moment


class Got:
    """The tokens that a pattern matched."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        self.tokens = tokens
        self.text = text

    def __getitem__(self, name: str) -> Any:
        """The value of the first token of that name; None where it is missing."""
        return next((token.value for token in self.tokens if token.name == name), None)

    def __contains__(self, name: str) -> bool:
        return any(token.name == name for token in self.tokens)

    def all(self, *names: str) -> list[Any]:
        """Return the values of all tokens of these names, in order."""
        return [token.value for token in self.tokens if token.name in names]

    def before(self) -> str:
        """Return the text that stands before the match."""
        return self.text[max(0, self.tokens[0].start - _NEAR) : self.tokens[0].start]

    def after(self) -> str:
        """Return the text that stands after the match."""
        return self.text[self.tokens[-1].end : self.tokens[-1].end + _NEAR]

    def said(self, name: str) -> str:
        """Return the text of the first token of that name; empty where it is missing."""
        return next((self.text[token.start : token.end] for token in self.tokens if token.name == name), "")


Build = Callable[[Anchor, Got], Any]
"""Makes the value of the token that a rule folds others into; None where the rule does not apply after all.

A ValueError or OverflowError says that there is no such time, as the 30th of February: nothing is found there.
"""
Rule = tuple[str, str, Build]
"""Name of the new token, pattern, build."""
_NAME: Final = re.compile(r"[a-z_]+")
_SHORT, _KEPT = 12, 20_000
"""Of lines of so many tokens at most, and of so many lines, it is kept which rule fits first."""


class Grammar:
    """A lexer and the rules for its tokens."""

    def __init__(
        self,
        lex: Callable[[str], list[Token]],
        rules: Sequence[Rule],
        said: Sequence[str],
        no_time: Callable[[str, Token], bool] = lambda text, token: False,
    ) -> None:
        """`no_time` says of what was found whether what stands around it makes it something else."""
        self.lex, self.table, self.said, self.no_time = lex, rules, frozenset(said), no_time
        self._begins: dict[str, int] = {}

    @cached_property
    def _signs(self) -> dict[str, str]:
        """One character a name, so that patterns of names are patterns of text."""
        spoken = (n for name, pattern, _ in self.table for n in (name, *_NAME.findall(pattern)))
        return {name: chr(0xE000 + at) for at, name in enumerate(sorted({BREAK, *self.said, *spoken}))}

    @cached_property
    def _rules(self) -> list[tuple[str, tuple[re.Pattern[str], frozenset[str]], Build]]:
        # Compiled at the first reading: an import should not pay for it.
        return [(name, self._compiled(pattern), build) for name, pattern, build in self.table]

    def _compiled(self, pattern: str) -> tuple[re.Pattern[str], frozenset[str]]:
        """The pattern over signs, and the signs without which it cannot match."""
        parts = () if "|" in re.sub(r"\([^()]*\)", "", pattern) else pattern.split()
        needed = (part for part in parts if _NAME.fullmatch(part))
        spelled = _NAME.sub(lambda name: self._signs[name[0]], pattern)
        return re.compile(spelled.replace(" ", "")), frozenset(self._signs[name] for name in needed)

    def read(self, text: str, anchor: Anchor) -> Iterator[Token]:
        """Yield the tokens of `text` that say a time, in order."""
        tokens = self.lex(text)
        breaks = [at for at, token in enumerate(tokens) if token.name == BREAK]
        for first, last in pairwise([-1, *breaks, len(tokens)]):
            # Both breaks stay: a rule may ask whether something stands at the text's very edge.
            for begin in range(first + 1, last, LONGEST_RUN):
                run = tokens[max(begin - 1, 0) : min(begin + LONGEST_RUN, last) + 1]
                said = (token for token in self._reduced(run, text, anchor) if token.name in self.said)
                yield from (token for token in said if not self.no_time(text, token))

    def _begin(self, line: str) -> int:
        """The place of the first rule that fits a line; kept for short ones: most say nothing, and come again."""
        begin = self._begins.get(line)
        if begin is None:
            seen = set(line)
            fitting = (
                at
                for at, (_, (pattern, needed), _) in enumerate(self._rules)
                if needed <= seen and pattern.search(line)
            )
            begin = next(fitting, len(self._rules))
            if len(line) <= _SHORT and len(self._begins) < _KEPT:
                self._begins[line] = begin
        return begin

    def _reduced(self, tokens: list[Token], text: str, anchor: Anchor) -> list[Token]:
        line = "".join(self._signs.get(token.name, self._signs[BREAK]) for token in tokens)
        begin = self._begin(line)
        if begin == len(self._rules):
            return tokens
        seen = set(line)
        for name, (pattern, needed), build in self._rules[begin:]:
            if not needed <= seen:
                continue
            at = 0
            while match := pattern.search(line, at):
                first, last = match.span()
                if first == last:
                    break
                try:
                    value, made = build(anchor, Got(tokens[first:last], text)), name
                except (ValueError, OverflowError):
                    value, made = BREAK, BREAK
                if value is None:
                    at = first + 1
                    continue
                tokens[first:last] = [Token(made, value, tokens[first].start, tokens[last - 1].end)]
                line = line[:first] + self._signs[made] + line[last:]
                seen.add(self._signs[made])
                at = first + (last - first == 1)
        return tokens


def exactly(moment: datetime) -> Span:
    """Return an instant as a span."""
    return Span(moment, moment, "instant")


def around(moment: datetime, slack: timedelta) -> Span:
    """Return the stretch of `slack` on both sides of `moment`."""
    return Span(moment - slack, moment + slack, "fuzzy")
