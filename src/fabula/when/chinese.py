"""Time expressions in Chinese: the table of rules; knows nothing of English.

What a rule makes of its tokens stands in `chinese_dates`, `chinese_festivals`, `chinese_clock` and `chinese_lengths`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fabula.when import chinese_clock as clock
from fabula.when import chinese_counted as counted
from fabula.when import chinese_dates as dates
from fabula.when import chinese_festivals as festivals
from fabula.when import chinese_lengths as lengths
from fabula.when import chinese_ranges as ranges
from fabula.when import chinese_then as then
from fabula.when import chinese_told as told
from fabula.when.chinese_lexer import lex
from fabula.when.chinese_names import no_time
from fabula.when.chinese_tense import ahead
from fabula.when.grammar import Amount, Anchor, Build, Got, Grammar, Rule
from fabula.when.series import Time
from fabula.when.spans import Unit

__all__ = ["GRAMMAR", "ahead"]

_COUNT: Final = "(number|count)"
_PART: Final = "(of_day|short_part|night_word|that_part)"
_WHICH: Final = "(rel|same)"
_LONG: Final = "(year|month|span)"
_NTH: Final = f"(di{_COUNT}|shou|final{_COUNT}?)"
_FESTIVAL: Final = "(holiday|weak_holiday)"
_NAMES: Final = ("day", "span", "year", "month", "moment", "clock", "part", "range", "season_time", "weekend_time",
                 "decade", "century")  # fmt: skip
_TIME: Final = f"({'|'.join(_NAMES)})"
_LUNAR: Final = "(lunar_month|leap?number(yue))"
_IN_LUNAR: Final = "(lunar(year)?|year(lunar))"
_THINGS: Final = "(number|count|some|digits) ge (weekday|weekend|season|break_of|holiday)"
_NO_TIME: Final = "(no_day|no_hour)"
_NO_UNIT: Final = "(?!unit|nian|yue|ri|hao|ge|duo|ban|dian|shi|fen|ke|jidu|workday|niandai|shiji)"


def _by_unit(pattern: str, build: Build) -> list[Rule]:
    """Rules for what lies an amount away: named by whether that is a moment, a day or more."""
    kinds: dict[str, tuple[Unit, ...]] = {
        "moment": ("hour", "minute", "second"),
        "day": ("day",),
        "span": ("week", "month", "quarter", "half", "year"),
    }

    def rule(units: tuple[Unit, ...]) -> Build:
        def built(at: Anchor, got: Got) -> Any:
            said: Amount = got["amount"]
            return build(at, got) if said.unit in units else None

        return built

    return [(name, pattern, rule(units)) for name, units in kinds.items()]


def _as_named(pattern: str, build: Build, without: Sequence[str]) -> list[Rule]:
    """The rule for each kind of time, whose name stays: `{}` in the pattern stands for it."""
    return [(name, pattern.format(name), build) for name in _NAMES if name not in without]


def _part(at: Anchor, got: Got) -> Time:
    return clock.part(got.all("of_day", "short_part")[0], at)


def _part_on(at: Anchor, got: Got) -> Time:
    return clock.on(got.tokens[0].value, clock.part(got.all("of_day", "short_part", "that_part", "its_part")[0], at))


def _night(at: Anchor, got: Got) -> Time:
    offset, key = got["night_word"]
    return clock.on(at.day(offset), clock.part(key, at))


def _that_part(at: Anchor, got: Got) -> Time:
    return clock.on(then.that_or_this_day(at), clock.part(got["that_part"], at))


def _clock_on(at: Anchor, got: Got) -> Time:
    time = got["clock"] if "clock" in got else clock.o_clock(at, got)
    return clock.on(got.tokens[0].value, time)


_CLOCKS: Final[list[Rule]] = [
    ("break", "bc (number|four|digits|some) nian? (number(yue))? (number(ri|hao))?", lengths.nothing),
    ("hour", f"(?<!di){_COUNT} (dian|shi)", clock.hour),
    ("clock", f"minus {_COUNT} (fen|ke) hour", clock.minus),
    ("clock", f"hour minus {_COUNT} (fen|ke)", clock.minus),
    ("no_hour", f"{_COUNT} (dian|shi) ((number|digits) fen?)?", clock.no_hour),
    ("no_hour", f"hour ((number|digits) fen|(number|digits){_NO_UNIT})", clock.no_hour),
    ("clock", "hour (zhong|ta)? ban", clock.minutes),
    ("clock", f"hour {_COUNT} ke", clock.minutes),
    ("clock", f"hour {_COUNT} ge zi", clock.minutes),
    ("clock", f"hour ta {_COUNT}", clock.minutes),
    ("clock", "hour (number|digits) fen? (number|digits) unit", clock.minutes),
    ("clock", "hour (number|digits) fen", clock.minutes),
    ("clock", f"hour (number|digits){_NO_UNIT}(?!to)", clock.bare_minutes),
    ("clock", "hour (zhong|sharp)", clock.o_clock),
    ("range", f"{_PART} de? (digits|some) (dian|shi)", clock.two_hours_in_part),
    ("range", f"{_PART}? ({_COUNT}|clock|hour) to {_PART}? (clock|hour)", clock.stretch),
    ("range", f"({_PART} de?)? pair (dian|shi)", clock.stretch),
    ("clock", f"{_PART} (de|comma|on)? (clock|hour) (zhong|sharp|duo|about)?", clock.in_part),
    ("range", "(digits|some) (dian|shi)", clock.two_hours),
    ("clock", "hour (zhong|sharp|duo|about)", clock.about),
    ("clock", "hour(?=before|after|qian|hou|since)", clock.o_clock),
]
_YEARS: Final[list[Rule]] = [
    ("year", "era (number(nian)|digits(nian)|first_year)", dates.era_year),
    ("year", "(?<!di)ad? (four|digits|number) nian", dates.full_year),
    ("year", "(digits|number) nian(?=(number|digits)(yue|jidu)|pair(hao|yue)|lunar_month|leap|holiday|weak_holiday"
             "|season|half_of|shou|di)", dates.dated_year),
    ("year", "year_word", dates.relative_year),
    ("year", f"{_WHICH} number? nian", dates.relative_year),
    ("range", "both", dates.both),
    ("century", "number shiji", dates.numbered_century),
    ("century", "rel ge? shiji", dates.relative_century),
    ("decade", "century de? number niandai", dates.tens),
    ("decade", "(number|four|digits) niandai", dates.tens),
    ("range", "some niandai", then.decades),
    ("decade", "some_years nian", then.some_years),
]  # fmt: skip
_COUNTED: Final[list[Rule]] = [
    ("range", f"(?<!di){_THINGS} (qian|before|hou|after)", counted.away),
    ("range", f"(?<!(year|yue|jidu|nian|holiday|weak_holiday|ri|hao|day_word))(near|qian|coming|hou|rel) {_THINGS}",
     counted.several),
    ("every", f"(mei|skip) {_THINGS}", counted.every),
]  # fmt: skip
_DAYS: Final[list[Rule]] = [
    ("no_day", "(?<!di)number yue (number|score|digits) (ri|hao)", dates.no_day),
    ("no_day", f"{_WHICH} ge? yue de? number hao", dates.no_day),
    ("lunar_date", "(chu(number|digits)|score)(?!hao|ri|yue|ge|unit|nian)", festivals.chu),
    ("day", f"lunar? year? lunar? {_LUNAR} lunar_date", festivals.lunar_date),
    ("day", "(new_year|nian) lunar_date", festivals.new_year_day),
    ("day", f"lunar? year? lunar? lunar_month number (ri|hao)?{_NO_UNIT}", festivals.lunar_date),
    ("day", f"{_IN_LUNAR} leap? number yue (number|score) (ri|hao)?{_NO_UNIT}", festivals.lunar_date),
    ("day", f"year? leap number yue (number|score) (ri|hao)?{_NO_UNIT}", festivals.lunar_date),
    ("month", f"{_IN_LUNAR} leap? number yue", festivals.lunar_date),
    ("month", "lunar? year? lunar? lunar_month", festivals.lunar_date),
    ("month", "year? leap number yue", festivals.lunar_date),
    ("day", "lunar_date", festivals.of_lunar_month),
    ("day", "(?<!di)number yue (number|score|digits) (ri|hao)", dates.dated),
    ("range", "number yue pair (ri|hao)", dates.two_days),
    ("range", "digits yue", then.neighbours),
    ("day", "pair (ri|hao)", dates.slashed_day),
    ("range", "pair (ri|hao)", dates.two_days),
    ("day", f"(?<!di)number yue number{_NO_UNIT}", festivals.undated),
    (
        "month",
        "(?<!di)(?<!near)(?<!coming)(?<!final)(?<!(?<!nian)(?<!yue)(?<!unit)(qian|hou))number yue",
        dates.numbered_month,
    ),
    ("range", "(?<!number)pair yue", ranges.two_months),
    ("day", f"pair(?={_PART}|clock|hour)", dates.dated),
    ("day", "slashed", dates.slashed),
    ("day", "(?<!di)(number|score) ri(?!within|qian|hou)", dates.of_month),
    ("day", "(?<!di)(number|score) hao", dates.numbered),
    ("season_time", "(?<!qian)di? (number|shou) jidu", dates.quarter),
    ("season_time", "quarter jidu", dates.quarter),
    ("season_time", "(?<=year)quarter", dates.quarter),
    ("season_time", "season", festivals.named_season),
    ("season_time", "(?<=year)short_season", festivals.named_season),
    ("season_time", "break_of", festivals.school_break),
]
_RELATIVE: Final[list[Rule]] = [
    ("day", f"{_WHICH} ge? weekday", dates.relative_weekday),
    ("weekend_time", f"{_WHICH} ge? weekend", dates.relative_weekend),
    ("span", f"{_WHICH} number? ge? (unit|yue|jidu)", dates.relative),
    ("day", "span de? weekday", dates.two_of_week),
    ("day", "day comma? open? weekday close?", dates.kept),
    ("day", "weekday comma? day", dates.last),
    ("day", "(?<!di)(?<!(number|count)(ge))weekday", dates.bare_weekday),
    ("weekend_time", "(?<!(number|count)(ge))weekend", dates.bare_weekend),
    ("day", "year de? day_word", then.away_year),
    ("range", f"year? de? {_FESTIVAL} holidays", festivals.days_off),
    ("range", "year? de? (number|digits) holidays", festivals.days_off),
    ("day", "year? de? guonian holidays?", festivals.new_year),
    ("range", f"year? de? ({_FESTIVAL}|number|digits) during", festivals.long_holiday),
    ("day", f"year de? {_FESTIVAL}", festivals.year_festival),
    ("day", f"year (number|digits){_NO_UNIT}", festivals.numeric_festival),
    ("day", f"day comma? {_FESTIVAL}", dates.kept),
    ("day", "lunar? holiday", festivals.festival),
    ("day", "lunar weak_holiday", festivals.festival),
    ("day", "weak_holiday", festivals.weak_festival),
    ("day", "^(number|digits|pair)$", festivals.numeric_festival),
    ("day", "(number|digits)(?=during|that_day|eve)", festivals.numeric_festival),
]
_PARTS_OF_LONGER: Final[list[Rule]] = [
    ("month", "year de? month", dates.in_year),
    ("day", f"{_LONG} de? day", dates.in_year),
    ("season_time", "year de? season_time", dates.in_year),
    ("season_time", "rel ge? season_time", then.season),
    ("span", f"{_LONG}? de? half_of", dates.half),
    ("range", f"{_LONG} de? (qian|hou|final) {_THINGS}", counted.first_ones),
    ("day", f"{_LONG} de? {_NTH} ge? weekday", dates.ordinal),
    ("weekend_time", f"{_LONG} de? {_NTH} ge? weekend", dates.ordinal),
    ("span", f"{_LONG} de? (qian|hou|final) {_COUNT} ge? (unit|yue|jidu)", dates.first_ones),
    ("span", "qian number jidu", dates.first_ones),
    ("range", f"day (qian|before|hou|after) di? {_THINGS}", counted.beside),
    ("day", f"{_LONG} de? {_NTH} ge? unit", dates.ordinal_day),
    ("span", f"{_LONG} de? {_NTH} ge? (unit|yue|jidu)", dates.ordinal),
    ("span", "year nian (section|chu)", dates.sectioned),
    ("span", "then_year nian (section|chu)", then.part_of_year),
    ("span", "(month|span) yue (section|third|chu)", dates.sectioned),
    ("span", "(year|month|span|season_time|decade|century) (section|third|chu)", dates.sectioned),
    ("span", "(nian|yue) (section|chu)", dates.bare_section),
    ("span", "third", dates.bare_section),
]
_AMOUNTS: Final[list[Rule]] = [
    ("amount", "pair duo? ge? (unit|nian|workday)", lengths.paired),
    ("amount", "(?<!di)(number|four|count|some|digits) duo? ge? duo? ban? (unit|nian|ke|workday|jidu) (duo|ban)?",
     lengths.amount),
    ("amount", "(?<!di)(number|count|some|digits) duo? ge duo? ban? yue", lengths.amount),
    ("amount", "(count|some) duo? yue", lengths.amount),
    ("amount", "(?<=(near|qian|hou|coming|final))number yue", lengths.amount),
    ("amount", "(?<!hour)ban ge? duo? (unit|nian|yue)", lengths.amount),
    ("amount", f"{_COUNT} fen ban zhong?", lengths.amount),
    ("amount", "(number|count|four) ri", lengths.many_days),
    ("amount", f"{_COUNT} ri(?=within|qian|hou)", lengths.amount),
    ("amount", "amount (number|digits|count) fen(?!unit)", lengths.joined),
    ("amount", "amount (you|duo)? amount", lengths.joined),
    ("amount", f"amount {_COUNT} short_part", lengths.and_nights),
    ("amount", "(number|count|four) to amount", lengths.between),
    ("amount", "amount to amount", lengths.between),
    ("amount", "amount about", lengths.roughly),
    ("amount", "amount at_least amount at_most", lengths.bounded),
    ("amount", "amount (at_least|at_most)", lengths.bounded),
]  # fmt: skip
_AWAY: Final[list[Rule]] = [
    ("day", "day (qian|hou|before|after) amount", lengths.off),
    ("day", f"day (hou|after) de? (di {_COUNT} unit|then_day)", lengths.off),
    ("day", "amount (qian|before|hou|after) de? day_word", lengths.same_day),
    *_by_unit("amount (qian|before)", lengths.ago),
    *_by_unit("amount (hou|after)", lengths.ahead),
    *_by_unit("pass amount", lengths.passing),
    ("day", "day vague", lengths.vague_before),
    ("range", "amount since", lengths.since_amount),
    ("day", "qian amount", then.day_before),
    ("range", "(near|qian|hou|coming|rel|before|after) de? amount within?", lengths.recently),
    ("range", "amount within", lengths.in_coming),
    ("year", "year within", dates.kept),
    ("range", "vague", lengths.vague),
    ("range", "near", lengths.just_near),
    ("span", "(year|span|month) de? (this_time|now)", then.this_time),
    ("moment", "now", lengths.now),
    ("day", f"(day|range) de? (di {_COUNT} unit|then_day)", counted.day_of_holiday),
    ("day", f"di {_COUNT} unit", counted.nth_day),
    ("span", f"di {_COUNT} ge? unit", counted.week),
    ("day", "(number|digits)", festivals.bare_numeric),
    ("day", "(month|span) de? day_word", then.same_day),
    ("day", "day_word", dates.relative_day),
    ("moment", "day de? this_time", then.this_time),
    ("every", "then_day", lengths.every_other),
    ("day", "day then_day", then.day_of_it),
    ("day", "then_day(?=de?(of_day|short_part|clock|hour|range)|$)", then.day_with_more),
    ("day", "then_day", then.day),
    ("month", "then_year de? month", then.in_year),
    ("day", "then_year de? day", then.in_year),
    ("season_time", "then_year de? season_time", then.in_year),
    ("span", "then_year", then.year),
]
_PARTS_OF_DAY: Final[list[Rule]] = [
    ("part", "day (de|comma)? (of_day|short_part|that_part|its_part)", _part_on),
    ("part", "(?<=mei)short_part", _part),
    ("part", "of_day", _part),
    ("part", "night_word", _night),
    ("part", "that_part", _that_part),
    ("part", "its_part", lambda at, got: clock.on(at.then("day"), clock.part(got["its_part"], at))),
    ("moment", "(day|weekend_time) (de|comma|on)? (clock|hour)", _clock_on),
    ("clock", "hour", clock.alone),
    ("range", "(day|year|month|span) de? range", dates.stretch_in),
]
_RANGES: Final[list[Rule]] = [
    ("break", f"({_TIME} (de|to)?)? {_NO_TIME} (de|to)? {_TIME}", lengths.nothing),
    ("break", f"{_TIME} (de|to)? {_NO_TIME}", lengths.nothing),
    *_as_named("{} about", dates.around, ("century",)),
    ("day", "day eve", then.eve),
    *_as_named("{} (during|that_day)", dates.kept, ("moment", "clock")),
    ("range", "(four|digits|number) nian? to year", ranges.years),
    ("range", "number to month", ranges.months),
    ("range", "day to pair", ranges.to_date),
    ("range", "pair to pair", ranges.dates_in_figures),
    ("range", "number to day", ranges.day_range),
    ("range", "(year|month|span) de? range", dates.stretch_in),
    ("range", f"from? {_TIME} since? to {_TIME} stop?", ranges.through),
    ("range", f"from? {_TIME} with {_TIME} between", ranges.through),
    ("moment", "clock", told.on_told_day),
    ("range", "range", told.on_told_day),
    ("range", f"until? {_TIME} (before|qian|stop|up_to)", ranges.until),
    ("range", f"until {_TIME}", ranges.until),
    ("range", f"from? {_TIME} (since|on_from)", ranges.beginning),
    ("range", f"ever_since {_TIME} since?", ranges.beginning),
    ("range", f"{_TIME} (after|hou)", ranges.after),
]
_EVERY: Final[list[Rule]] = [
    ("every", "(mei|skip) ge? (unit|nian|yue|jidu|ri)", lengths.every),
    ("every", "(mei|skip) ge? amount", lengths.every),
    ("every", "mei ge? workday", lengths.every_workday),
    ("every", f"(every|mei) de? ge? {_TIME}", lengths.every_time),
]

GRAMMAR: Final = Grammar(
    lex,
    [
        *_CLOCKS,
        *_YEARS,
        *_COUNTED,
        *_DAYS,
        *_RELATIVE,
        *_PARTS_OF_LONGER,
        *_AMOUNTS,
        *_AWAY,
        *_PARTS_OF_DAY,
        *_RANGES,
        *_EVERY,
    ],
    (*_NAMES, "amount", "every"),
    no_time,
)
