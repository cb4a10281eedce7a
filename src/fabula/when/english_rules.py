"""The rules for English days and what they are joined into, as tables: what stands together, and what it makes.

They know the names of tokens; what is made of them is in the modules that build it.
"""

from __future__ import annotations

from typing import Final

from fabula.when import english_amounts as amounts
from fabula.when import english_bare as bare
from fabula.when import english_clock as clocks
from fabula.when import english_days as days
from fabula.when import english_joins as joins
from fabula.when import english_lengths as lengths
from fabula.when import english_relatives as relatives
from fabula.when import named
from fabula.when.grammar import Rule

_N: Final = "(number|spoken|ordinal)"
_YEAR: Final = "(four|year)"
_FREE: Final = "(?!(counted|unit|percent|once))"
_TO: Final = "(to|dash|until|through)"
_WEEKDAY: Final = "(weekday|wday)"
_HOLIDAY: Final = "(holiday|wholiday)"
_DAY: Final = "(day|weekday|wday|wholiday)"
_OUTER: Final = "(?!(of|in) (month|wmonth|span|the unit|unit|four|season|rel|the rel))"
_ANY: Final = "(day|span|moment|limit|month|weekday|wday|season|now|wholiday|daypart)"
_POINT: Final = "(day|span|clock|moment|month|limit|weekday|wday|season|wholiday)"
_STARTS: Final = "(from|starting|since|hence)"

PROMOTED: Final[list[Rule]] = [
    ("month", "(?<=(in|of|during|since|until|between|from|section|edge)) wmonth", bare.small_month),
    ("month", "(?<=rel) wmonth", bare.march_after_next),
    ("month", "wmonth (?=(the ordinal|ordinal))", bare.march_first),
    ("month", "wmonth (?= (slash|dash)? number (slash|dash|comma)? four)", bare.small_month),
    ("month", "wmonth (?=(slash|dash) number)", bare.small_month),
    ("month", "(?<=(number|ordinal)) wmonth (?= comma? four)", bare.small_month),
    ("month", "(?<=(on|by|from|since|until) (number|ordinal)) wmonth", bare.small_month),
    ("month", "(?<=(number|ordinal|four) (dash|slash)) wmonth", bare.small_month),
    ("month", "(?<=(weekday|wday|comma)) wmonth (?=number)", bare.small_month),
    ("month", f"(?<=month{_TO}) wmonth", bare.small_month),
    ("month", "wmonth (?=number)", bare.glued_month),
    ("month", "^ wmonth (?= number? stop? $)", bare.small_month),
]
DATES: Final[list[Rule]] = [
    ("moment", "world", lengths.world),
    ("day", "slashed", days.slashed),
    ("day", "number (dash|slash) month (dash|slash) (four|number)", days.date),
    ("day", "four (dash|slash) month (dash|slash) number", days.date),
    ("day", "(four|number) slash number slash month", days.date),
    ("range", f"(from|between)? the? {_N} {_TO} the? {_N} of? month (comma|of|in)? {_YEAR}?", joins.days_of_month),
    ("range", f"between the? {_N} and the? {_N} of? month (comma|of|in)? {_YEAR}?", joins.days_of_month),
    ("range", f"from? pair of? month (comma|of|in)? {_YEAR}?", joins.days_of_month),
    (
        "range",
        f"from? month the? {_N} {_TO} the? {_N} {_FREE} (?!(month|ampm|of|dash|slash)) comma? {_YEAR}?",
        joins.days_of_month,
    ),
    (
        "range",
        f"between month the? {_N} and the? {_N} {_FREE} (?!(month|ampm|of)) comma? {_YEAR}?",
        joins.days_of_month,
    ),
    ("range", f"from? month pair {_FREE} comma? {_YEAR}?", joins.days_of_month),
    ("md", "the? ordinal dash? month", days.md),
    ("md", f"month (dash|slash)? the? ordinal {_FREE}", days.md),
    ("md", f"month (dash|slash)? number {_FREE} (?!(dash|to) number)", days.md),
    ("md", f"month spoken {_FREE}", days.md),
    ("md", f"the? {_N} unit? of the? month", bare.day_of_month_name),
    ("md", "the? (number|ordinal) dash? month", days.md),
    ("moment", f"{_WEEKDAY}? comma? md clock {_YEAR}", bare.unix_date),
    ("day", f"md (comma|of|in|dash|slash)? {_YEAR}", days.md_year),
    ("day", "md of? number (?=(stop|comma|$))", days.md_year),
    ("day", f"{_YEAR} comma? md", days.md_year),
    ("span", f"month (comma|of|in|slash|dash)? {_YEAR}", days.month_year),
    ("span", f"{_YEAR} (comma|slash|dash)? month", days.month_year),
    ("day", f"day (comma|open)? {_WEEKDAY} close?", days.day_weekday),
    ("day", f"md (comma|open)? {_WEEKDAY} close?", days.weekday_md),
    ("day", f"{_WEEKDAY} comma? the? day", days.weekday_day),
    ("day", f"(?<!rel) {_WEEKDAY} comma? the? md", days.weekday_md),
    ("day", f"(?<!rel) {_WEEKDAY} comma? the? ordinal (?!(counted|unit))", days.weekday_number),
    ("day", f"(?<!rel) {_WEEKDAY} number {_FREE} (?!(break|dash|to|ampm))", days.weekday_number),
    ("day", f"(?<!rel) {_WEEKDAY} pair {_FREE}", days.weekday_pair),
    ("range", f"(from|between)? pair {_TO} (pair|day) (comma? four)?", joins.pairs_through),
    ("range", "between pair and (pair|day) (comma? four)?", joins.pairs_through),
    ("day", f"rel {_WEEKDAY}? pair {_FREE}", relatives.rel_pair),
    ("day", f"(?<=(on|by|from|until|since|before|after|starting|latest|to|for|offset)) pair {_FREE} (?!of)", days.pair),
    ("day", f"pair {_FREE} (?!of)", bare.due_pair),
    ("day", "pair (?= (at|from|between|before|after|until|by|on|comma)? clock)", days.pair),
    ("day", "(?<=day (comma|or|and)) pair", days.pair),
    ("day", "^ (on|from)? pair stop? $", days.whole_pair),
    ("day", "(?<=open) pair (?=close)", days.pair),
]
_BEFORE_YEAR: Final = (
    "in|since|until|before|after|from|of|during|through|between|section|edge|starting|latest|earliest|season"
)
_ON_DAY: Final = "(?<=(offset|weekday|wday|tonight|part|meal|day|md))"
YEARS: Final[list[Rule]] = [
    ("span", "spoken? hundreds (?!of)", days.hundreds),
    ("span", "the? rel? fiscal unit? of? the? (four|number)?", relatives.fiscal),
    ("span", "the? unit of? the? four", days.year),
    ("range", f"(from|between)? four {_TO} four {_FREE}", joins.through),
    ("span", f"(?<=({_BEFORE_YEAR})) four {_FREE}", days.year),
    ("span", f"(?<=(in|of|section|edge)(the|dash)) four {_FREE}", days.year),
    ("clock", f"{_ON_DAY} comma? around four {_FREE}", bare.around_four),
    ("clock", "(?<=(at|around)) four (oclock|unit) (?!(of|break|ago|hence))", clocks.four_hours),
    ("span", f"(?<=by) four {_FREE}", days.by_year),
    ("clock", f"(?<=around) four {_FREE}", bare.at_around),
    ("span", f"(?<=around) four {_FREE}", bare.around_year),
    ("span", "(?<=all) four (?=(stop|comma|plain|close|and|or|$))", bare.all_year),
    ("span", f"(?<=span (and|or|comma|to|dash)) four {_FREE}", days.year),
    ("span", "^ four stop? $", days.year),
    ("span", "four (?=(onward|backward))", days.year),
    ("span", f"(?<=ago to) four {_FREE}", days.year),
    ("span", "year", lambda at, got: got["year"]),
    ("span", "(?<=(the|section|in|edge|of|since|rel|dash)) decade", days.decade_word),
]
TOLD: Final[list[Rule]] = [
    ("day", "told_day", lambda at, got: at.then("day", got["told_day"])),
    ("daypart", "told_part", relatives.told_part),
    ("span", "told_unit", relatives.told_unit),
]
_TWICE: Final = "(unit|weekend|month|season|holiday|wholiday|weekday)"
_LAST: Final = (
    "(?!(unit|weekend|month|wmonth|season|holiday|wholiday|weekday|wday|amount|several|number|spoken|count|part|md|day"
    "|quarter|half|fiscal|workweek))"
)
"""Before last week, `last` is no part of `the one before last`."""
RELATIVES: Final[list[Rule]] = [
    *TOLD,
    ("day", "(weekday|offset) unit (?=(stop|comma|at|plain|$|close|and|or|for|in))", relatives.weeks_on),
    ("day", "offset (?!offset)", lambda at, got: at.day(got["offset"])),
    ("range", "the? rel amount (?!(of|in) (the|month|span))", relatives.rel_amount),
    ("range", "the? rel several" + _OUTER, relatives.rel_several),
    ("day", "several (ago|hence)", relatives.several_days_away),
    ("span", "several (ago|hence)", relatives.several_away),
    ("day", "in several time?", relatives.several_days_away),
    ("span", "in several time?", relatives.several_away),
    ("range", "the? (number|spoken|few) rel unit", bare.count_rel_unit),
    ("beforelast", f"(?<={_TWICE}) before rel {_LAST}", bare.before_last),
    ("afternext", f"(?<={_TWICE}) after the? rel {_LAST}", bare.after_next),
    ("span", "the? unit (afternext|beforelast)", relatives.beyond_next),
    ("span", "the? (weekend|month|season) (afternext|beforelast)", relatives.beyond_next),
    ("day", f"the? {_HOLIDAY} (afternext|beforelast)", relatives.beyond_next),
    ("day", "the? weekday (afternext|beforelast)", relatives.beyond_next),
    ("span", "the? rel unit (?= (of|in|comma) (month|season))", bare.rel_year),
    ("span", "the? rel unit (?!amount)" + _OUTER, relatives.rel_unit),
    ("span", "the? rel workweek", relatives.workweek),
    ("span", "the? rel weekend" + _OUTER, relatives.rel_weekend),
    ("span", "the? rel (month|season) (?!number)", relatives.rel_named),
    ("span", f"{_HOLIDAY} {_YEAR} weekend", relatives.weekend_around),
    ("span", f"the? weekend (of|around) {_HOLIDAY} four?", relatives.weekend_around),
    ("span", f"{_HOLIDAY} weekend four?", relatives.weekend_around),
    ("day", f"{_HOLIDAY} (comma|of|in)? {_YEAR}", relatives.in_year),
    ("day", f"the? rel {_HOLIDAY}", relatives.rel_named),
    ("day", "the? rel the? md", relatives.rel_md),
    ("day", f"the? rel {_WEEKDAY}" + _OUTER, relatives.rel_weekday),
    ("span", "the? unit number (comma|of|in)? (span|four)?", days.week_number),
    ("span", "the? ordinal unit (?!(of|in))", days.century),
]
NTH: Final[list[Rule]] = [
    ("span", "the? (ordinal|nth|rel) (half|quarter|unit) (of|in|comma)? (span|four)", bare.year_part),
    ("span", "the? (ordinal|nth|rel) half of the? (month|span)", bare.half_of_month),
    ("span", "the? ordinal (half|quarter|unit) (of|in) the unit", bare.half_or_quarter_of_the),
    ("span", "the? ordinal (quarter|unit) (?!(of|in))", bare.year_part),
    ("span", "qn (of|in|comma)? (span|four)?", bare.year_part),
    ("range", "the? (ordinal|rel|nth) amount (of|in) the? (span|month|four|unit|season|day)", relatives.first_units),
    ("range", "the? (ordinal|nth|rel) unit of the? (span|month|four|season|day)", relatives.some_units),
    ("day", "the? (ordinal|nth|rel) unit (of|in) (the|rel)? (span|month|four|season|unit)", bare.nth_day),
    (
        "span",
        "the? (ordinal|nth|rel) (unit|weekend) (of|in) (the|rel)? (span|month|four|season|day|unit)",
        relatives.nth,
    ),
    ("day", f"the? (ordinal|nth|rel) {_WEEKDAY} (of|in) (the|rel)? (span|month|four|season|unit)", relatives.nth),
    ("day", f"the? (ordinal|nth) (unit|weekday|weekend) (after|before) (day|md|{_HOLIDAY})", relatives.nth_beyond),
    (
        "range",
        "the? (ordinal|rel) several (of|in) (the|rel)? (span|month|four|season|unit)",
        relatives.several_within,
    ),
    ("day", f"several (before|after) the? (day|md|{_HOLIDAY})", relatives.several_beyond),
    ("day", f"the weekday (after|before) (day|md|span|{_HOLIDAY})", relatives.nth_beyond),
    ("span", f"the weekend (after|before) (day|md|span|{_HOLIDAY})", relatives.nth_beyond),
    ("day", "the? (number|ordinal) unit? of the? (span|unit)", bare.of_month),
    ("day", "the? ordinal span", bare.of_month),
    ("day", "md (comma|of|in)? span", relatives.in_span),
    ("day", f"{_HOLIDAY} (comma|of|in)? span", relatives.in_span),
    ("span", "(month|season) (comma|of|in)? span", relatives.in_span),
    (
        "span",
        f"(a|spoken|few|another) ({_WEEKDAY}|weekend) part? (of|in|during)? the? (span|month|season)",
        bare.some_of,
    ),
    ("day", f"{_WEEKDAY} (of|in|comma|on)? the? span", relatives.in_span),
    ("day", f"span (on|comma|dash)? {_WEEKDAY}", relatives.in_span),
    ("day", "day", lambda at, got: got["day"]),
    ("day", "md", days.md_alone),
    ("span", "weekof the? (day|pair|ordinal|span|holiday)", relatives.week_of),
    ("span", "the? unit (of|starting) the? (day|pair|ordinal|holiday)", relatives.week_of),
]
AWAY: Final[list[Rule]] = [
    ("ago", "(?<=amount) section", bare.earlier),
    ("hence", "(?<=amount) section", bare.later),
    ("onward", "(or|and) (section|after) (?=(stop|comma|plain|on|close|$))", bare.or_later),
    ("backward", "(or|and) (section|before) (?=(stop|comma|plain|on|close|$))", bare.or_earlier),
    ("now", "hence (?=(until|to|through))", lambda at, got: 0),
    ("range", f"for amount comma? {_STARTS} the? (day|now|weekday|wday|holiday)", lengths.lasting),
    ("range", "amount starting the? (day|now|weekday|wday|holiday)", lengths.lasting),
    ("range", "from (day|holiday) for amount", lengths.lasting),
    ("range", "^ (day|holiday) for amount stop? $", lengths.lasting),
    ("hours", "for? amount (from|starting) (clock|number|spoken) (?!(unit|month|of))", lengths.hours_lasting),
    ("hours", "from? clock for amount", lengths.hours_lasting),
    ("hours", "(from|starting) (number|spoken) for amount", lengths.hours_lasting),
    ("day", f"{_HOLIDAY} in amount time?", relatives.in_years),
    ("day", f"{_HOLIDAY} amount (ago|hence)", relatives.in_years),
    ("span", "month in amount", relatives.in_years),
    ("span", "around? amount (ago|hence) (?!day)", lengths.away_long),
    ("moment", "around? amount (ago|hence)", lengths.away_short),
    ("day", "amount (ago|hence) day", bare.ago_today),
    ("day", "around? amount (ago|hence)", lengths.away),
    ("day", "day span", relatives.in_span),
    ("span", "(month|season) (comma|in)? span", relatives.in_span),
    ("span", "span (in|comma)? (month|season)", relatives.in_span),
    ("day", f"amount (before|after|from|since|on) the? (day|{_WEEKDAY}|{_HOLIDAY})", lengths.counted_from),
    ("day", f"amount (day|{_WEEKDAY}) (?!(clock|at|from))", bare.weeks_from),
    ("moment", "amount (before|after|from) (clock|moment)", lengths.counted_from),
    ("day", f"the unit (before|after) (day|{_HOLIDAY})", lengths.next_to),
    ("span", "the unit (before|after) span", lengths.next_to),
    ("day", "the unit (before|after) (?=(stop|comma|close|$))", relatives.told_beside),
    ("daypart", "the part (before|after) (?=(stop|comma|close|$))", relatives.told_part_beside),
    ("moment", "in around? amount time?", lengths.away_short),
    ("span", "in around? amount time?", lengths.away_long),
    ("day", "in around? amount time?", lengths.away),
    ("day", "amount time (?=(stop|comma|$))", lengths.away),
    ("range", "within around? amount", lengths.within),
    ("day", "holiday", lambda at, got: joins.time_of(at, got.tokens[0])),
    ("range", "fuzzy", lengths.fuzzy),
    ("range", "unit ago", bare.units_ago),
    (
        "day",
        "on the? (ordinal|number) (?!(break|counted|unit|percent)) (?!(dash|to) (the|number|ordinal))",
        bare.ordinal_after,
    ),
    ("span", "thistime (span|day)", lengths.this_time),
]
PARTS: Final[list[Rule]] = [
    ("limit", "short (on|of)? (day|weekday)", joins.limit),
    ("limit", "the? short", joins.limit),
    ("limit", "edge around? the? (span|day|month|four|season|weekday|wholiday|part)", joins.limit),
    ("limit", "edge the? unit", joins.limit),
    ("range", "rest (the? unit|span|day)", joins.rest),
    ("span", "section dash? (the|of|in)? (span|month|season|four)", joins.section),
    ("span", "section (the|rel)? unit", bare.section_unit),
    ("day", "section in? day (?!(at|clock|part|comma))", joins.section),
    ("daypart", "tonight", joins.daypart),
    ("daypart", "rel part", joins.daypart),
    ("daypart", f"{_DAY} comma? (in the|at|in)? section? in? (part|meal)", joins.daypart),
    ("daypart", f"{_DAY} ampm", joins.daypart),
    ("span", "day comma? section (?=(stop|comma|$))", joins.section),
    ("daypart", f"the? part (of|on) the? {_DAY}", joins.daypart),
    ("daypart", "the? part of the ordinal", joins.daypart),
    ("daypart", "daypart (of|on|in)? span", bare.daypart_in_span),
    ("clock", "clock (in|at)? the? part", clocks.in_part),
    ("clock", "(in|at)? the? section? part (at|around|comma)? clock", clocks.in_part),
    ("hours", "hours (in|at)? the? part", clocks.hours_in_part),
    ("hours", "(in|at)? the? part comma? hours", clocks.hours_in_part),
    ("range", f"clock comma? onward on? {_DAY}", bare.onward_on),
    ("clock", "around clock", joins.around),
    ("clock", "clock around (?=(stop|comma|$))", joins.around),
    ("moment", "daypart comma? (at|by|dash)? clock", joins.clock_in_part),
    ("moment", "clock (on|comma|in)? daypart", joins.clock_in_part),
    ("range", "daypart comma? hours", joins.hours_in_part),
    ("range", "hours (on|comma)? daypart", joins.hours_in_part),
    ("range", "daypart (before|after|by|until|since|latest|earliest) around? clock", joins.open_on),
    ("range", f"{_DAY} (before|after|by|until|since|latest|earliest|from) around? clock", joins.open_on),
    (
        "range",
        f"(before|after|until|since|latest|earliest|by) around? clock (on|comma)? ({_DAY}|daypart)",
        bare.open_on_day,
    ),
    ("range", f"{_DAY} (comma|at|on|from|between)? hours", joins.hours_on),
    ("range", f"hours (on|comma|of|in)? the? {_DAY} (?!{_TO})", joins.hours_on),
    ("range", f"{_DAY} comma? (from|between|at)? pair {_FREE}", joins.pair_on),
    (
        "range",
        f"{_DAY} comma? (from|between) (number|spoken) (to|and|dash|until) (number|spoken) {_FREE}",
        joins.pair_on,
    ),
    ("range", f"(from|between)? pair (on|comma)? {_DAY}", joins.pair_on),
    ("range", f"(from|between) (number|spoken) (to|and|dash|until) (number|spoken) (on|comma)? {_DAY}", joins.pair_on),
    ("moment", f"{_DAY} (comma|at|on|around|for|dash|of|close)* clock (?!{_TO}clock)", joins.clock_on),
    ("moment", f"clock (on|comma|of|in)? the? {_DAY}", joins.clock_on),
    ("every", "every (at|from|comma)? around? clock", amounts.every_at),
    ("every", "clock on? every", amounts.every_at),
    ("every", "every (in the|at|in)? part", amounts.every_part),
    ("range", "(from|between)? clock (to|until|and) moment", joins.through),
    ("moment", "section daypart", bare.section_of_part),
    ("moment", "daypart", joins.part_of_day),
    ("day", "around day", joins.around),
    ("day", "(?<=around the) ordinal (?!(break|counted|unit))", bare.ordinal_around),
    ("span", "around (span|month)", joins.around),
]
RANGES: Final[list[Rule]] = [
    ("range", f"between the? {_ANY} (and|to|dash) the? {_ANY}", joins.through),
    ("range", f"between {_ANY} (and|to|dash) clock", joins.through),
    ("range", f"between clock (and|to|dash) {_ANY}", joins.through),
    ("range", f"from? {_ANY} (to|dash|until|through|slash) {_ANY}", joins.through),
    ("range", f"from the? {_ANY} {_TO} the? {_ANY}", joins.through),
    ("range", f"from? (moment|now) {_TO} clock", joins.through),
    ("range", "between the? ordinal and the? ordinal (?!(break|counted|unit))", joins.through),
    ("range", f"from? the? ordinal {_TO} the? ordinal (?!(break|counted|unit))", joins.through),
    ("moment", "now (?!(to|until|number))", lengths.now),
]
OPEN: Final[list[Rule]] = [
    ("range", "hours", lambda at, got: clocks.spread(at, got["hours"])),
    ("range", "(day|span|clock|moment|month|limit) comma? onward (?!plain)", joins.onward),
    ("range", "(day|span|clock|moment|month|limit) comma? backward (?!plain)", joins.until),
    (
        "range",
        f"(earliest|since|starting) (on|at|in|from)? around? the? {_POINT}",
        joins.onward,
    ),
    ("range", "(since|starting|after|before|until|by|latest) the? ordinal (?!(break|counted|unit))", bare.open_ordinal),
    ("range", f"after around? the? {_POINT}", joins.onward),
    (
        "range",
        f"(before|latest|by|until|through) around? the? ({_POINT}|meal|part)",
        joins.until,
    ),
    ("range", "from around? the? (day|span|clock|moment|month|limit|weekday|wday) (?!to)", joins.start_or_on),
    ("range", "after meal", joins.after_meal),
    ("range", "since (meal|part|the? weekend)", joins.onward),
    ("portion", "school (?!break)", lambda at, got: joins.time_of(at, got.tokens[0])),
    ("span", "limit", joins.limit_alone),
]
_PREP: Final = "in|on|at|during|by|since|for|around|until|before|after|through"
_NAMED: Final = "(day|span|moment|range|every)"
"""Beside what `all day` is that one's."""
WEAK: Final[list[Rule]] = [
    ("amount", "several", amounts.several_weekends),
    ("break", "amount", bare.some_day),
    ("portion", "(at|during|around) (meal|part)", bare.weak_part),
    ("portion", "in the? (section in? the?)? part (?!(of|break))", bare.weak_part),
    ("portion", "section in? the? part", bare.weak_part),
    ("portion", "^ (the|in)? (part|meal) stop? $", bare.weak_part),
    ("day", "^ the (number|ordinal) stop? $", bare.ordinal_after),
    (
        "day",
        "(?<=(on|by|since|until|from|before|after)) wday (?!(break|counted))",
        bare.whole_text,
    ),
    ("day", "(?<=(day|weekday|wday) (or|and|comma)) wday (?!(break|counted))", bare.whole_text),
    ("day", "^ wday stop? $", bare.whole_text),
    ("day", "weekday", bare.weekday_alone),
    ("day", f"(?<=({_PREP})) the? wholiday", bare.whole_text),
    ("day", "^ the? wholiday stop? $", bare.whole_text),
    ("span", "^ (in|during)? the? (month|season) stop? $", bare.whole_text),
    ("span", "month (?!number)", bare.month_alone),
    ("span", f"(?<=({_PREP}))(the)? season (?!break)", bare.whole_text),
    ("span", "(the|all) season (?=(stop|comma|plain|$))", bare.whole_season),
    ("span", "the? weekend (?!(break|of))", lambda at, got: named.weekend(at.conventions)),
    ("amount", "for all unit", bare.for_all),
    (
        "span",
        f"(?<!{_NAMED}) (?<!{_NAMED} comma) all unit (?!(of|break|(on|in|comma|during)? the? {_NAMED}))",
        lengths.all_of,
    ),
    ("span", "(?<=(in|for|during)) the unit (?=(stop|comma|$|plain))", bare.the_unit),
]
