"""The English words of time, as tables for the lexer and the rules; no logic.

It does not know holidays (`holiday_words`) and lists only words: figures are read by `figures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

ONES: Final[Mapping[str, int]] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
}  # fmt: skip
TEENS: Final[Mapping[str, int]] = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS: Final[Mapping[str, int]] = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
BIG: Final = {"hundred": 100, "thousand": 1000}
SCALES: Final[Mapping[str, int]] = BIG | {
    "k": 10**3, "m": 10**6, "mn": 10**6, "million": 10**6, "millions": 10**6, "b": 10**9, "bn": 10**9, "billion": 10**9,
    "billions": 10**9, "trillion": 10**12,
}  # fmt: skip
"""What multiplies the number before it where a unit of time follows."""
ORDINALS: Final[Mapping[str, int]] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip

WORDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "month": {name.lower(): n for n, name in enumerate(MONTH_NAMES, 1)} | {
        "jan": 1, "feb": 2, "febr": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sept": 9, "sep": 9, "oct": 10,
        "nov": 11, "dec": 12,
    },
    "weekday": {name.lower(): n for n, name in enumerate(WEEKDAY_NAMES)} | {
        "tues": 1, "tue": 1, "wednes": 2, "thurs": 3, "thur": 3, "thu": 3, "fri": 4,
    },
    "wday": {"mon": 0, "wed": 2, "weds": 2, "sat": 5, "sun": 6},
    "weekdays": {name.lower() + "s": n for n, name in enumerate(WEEKDAY_NAMES)},
    "season": {"spring": 3, "springtime": 3, "summer": 6, "summertime": 6, "autumn": 9, "fall": 9, "winter": 12,
               "wintertime": 12},
    "seasons": {"springs": 3, "summers": 6, "autumns": 9, "falls": 9, "winters": 12},
    "unit": {
        "second": "second", "seconds": "second", "sec": "second", "secs": "second",
        "minute": "minute", "minutes": "minute", "min": "minute", "mins": "minute",
        "hour": "hour", "hours": "hour", "hr": "hour", "hrs": "hour",
        "day": "day", "days": "day", "week": "week", "weeks": "week", "wk": "week", "wks": "week",
        "fortnight": "fortnight", "fortnights": "fortnight",
        "month": "month", "months": "month", "mth": "month", "mths": "month",
        "quarters": "quarter", "qtr": "quarter", "qtrs": "quarter", "trimester": "quarter",
        "semester": "half", "semesters": "half",
        "year": "year", "years": "year", "yr": "year", "yrs": "year",
        "decade": "decade", "decades": "decade", "century": "century", "centuries": "century",
    },
    "workweek": {"workweek": 5, "working week": 5, "work week": 5, "business week": 5},
    "part": {
        "morning": "morning", "forenoon": "morning", "morn": "morning", "afternoon": "afternoon", "arvo": "afternoon",
        "evening": "evening", "eve": "evening", "night": "night", "nite": "night", "dawn": "dawn", "daybreak": "dawn",
        "sunrise": "dawn", "dusk": "dusk", "twilight": "dusk", "sunset": "dusk", "nightfall": "dusk",
        "night-time": "night_time", "nighttime": "night_time", "daytime": "daytime", "day-time": "daytime",
        "small hours": "small_hours", "wee hours": "small_hours",
    },
    "parts": {"mornings": "morning", "afternoons": "afternoon", "evenings": "evening", "nights": "night"},
    "meal": {
        "breakfast": "breakfast", "breakfast time": "breakfast", "breakfasttime": "breakfast",
        "lunch": "lunch", "lunchtime": "lunch", "lunch time": "lunch", "lunch hour": "lunch",
        "dinner": "dinner", "dinnertime": "dinner", "dinner time": "dinner", "supper": "dinner", "suppertime": "dinner",
        "teatime": "dinner", "tea time": "dinner",
    },
    "school": {"after school": "after_school"},
    "offset": {
        "today": 0, "todays": 0, "yesterday": -1, "tomorrow": 1, "tomorrows": 1, "tmrw": 1, "tmr": 1, "tmw": 1,
        "tomorow": 1, "tommorow": 1, "tommorrow": 1, "2moro": 1, "ytd": -1,
        "the day before yesterday": -2, "day before yesterday": -2,
        "the day after tomorrow": 2, "day after tomorrow": 2, "overmorrow": 2, "current date": 0, "otd": 0,
        "this day": 0,
    },
    "tonight": {
        "tonight": (0, "night"), "tonite": (0, "night"), "this night": (0, "night"), "2nite": (0, "night"),
        "last night": (-1, "night"), "last nite": (-1, "night"), "yesternight": (-1, "night"),
        "last evening": (-1, "evening"), "night before last": (-2, "night"), "the night before last": (-2, "night"),
        "overnight": (0, "night"), "late tonight": (0, "late_tonight"), "late tonite": (0, "late_tonight"),
        "later tonight": (0, "late_tonight"),
    },
    "told_day": {
        f"{which} day": offset for which, offset in {
            "that": 0, "that same": 0, "that very": 0, "the same": 0, "the very same": 0, "the next": 1,
            "the following": 1, "the very next": 1, "the previous": -1, "the preceding": -1,
        }.items()
    },
    "told_part": {
        f"{which} {part}": (offset, part) for which, offset in {
            "that": 0, "that same": 0, "that very": 0, "the same": 0, "the next": 1, "the following": 1,
            "the very next": 1, "the previous": -1, "the preceding": -1,
        }.items() for part in ("morning", "afternoon", "evening", "night")
    },
    "told_unit": {
        f"{which} {unit}": (unit, offset) for which, offset in {
            "that": 0, "that same": 0, "that very": 0, "the very same": 0, "the following": 1,
        }.items() for unit in ("week", "month", "year")
    },
    "rel": {
        "last": "last", "this last": "last", "past": "past", "previous": "past", "prior": "past", "preceding": "past",
        "this past": "past", "most recent": "past", "prev": "past",
        "this": "this", "current": "this", "present": "this", "same": "this", "this very": "this",
        "next": "next", "this next": "next", "following": "following", "subsequent": "following",
        "coming": "coming", "upcoming": "coming", "this coming": "coming", "this upcoming": "coming",
        "forthcoming": "coming", "the coming": "coming",
    },
    "few": {
        "a few": 3, "few": 3, "several": 3, "some": 3, "a couple of": 2, "couple of": 2, "a couple": 2, "couple": 2,
        "a pair of": 2, "pair of": 2, "a handful of": 4, "a number of": 3, "many": 6, "a dozen": 12,
    },
    "now": {
        "now": 0, "right now": 0, "just now": 0, "at the moment": 0, "at this moment": 0, "at present": 0,
        "at the minute": 0, "at this point": 0, "for now": 0, "at this very moment": 0, "this instant": 0,
        "currently": 0, "presently": 0, "as we speak": 0, "asap": 0, "till date": None, "to date": None,
    },
    "ampm": {
        "am": "a", "a.m.": "a", "a.m": "a", "a m": "a", "pm": "p", "p.m.": "p", "p.m": "p", "p m": "p",
        "in the am": "a", "in the pm": "p", "o'clock am": "a", "o'clock pm": "p",
    },
    "freq": {
        "hourly": "PT1H", "daily": "P1D", "everyday": "P1D", "nightly": "P1D", "day after day": "", "weekly": "P1W",
        "biweekly": "P2W", "bi-weekly": "P2W", "fortnightly": "P2W", "monthly": "P1M", "bimonthly": "P2M",
        "bi-monthly": "P2M", "quarterly": "P3M", "semiannually": "P6M", "semi-annually": "P6M", "semiannual": "P6M",
        "semi-annual": "P6M", "biannually": "P6M", "biannual": "P6M", "half-yearly": "P6M", "yearly": "P1Y",
        "annually": "P1Y", "annual": "P1Y", "biennial": "P2Y", "biennially": "P2Y", "year after year": "P1Y",
        "week after week": "P1W", "day in day out": "P1D", "week in week out": "P1W", "year in year out": "P1Y",
        "year-round": "", "every single day": "P1D", "day by day": "",
    },
    "weekends": {"weekends": 0, "wkends": 0, "week-ends": 0},
    "weekend": {"weekend": 0, "week end": 0, "week-end": 0, "wkend": 0, "wknd": 0, "wkd": 0},
    "business": {"weekday": 0, "workday": 0, "working day": 0, "business day": 0, "weekdays": 0, "workdays": 0,
                 "business days": 0, "working days": 0, "school day": 0},
    "section": {
        "early": "early", "mid": "mid", "middle": "mid", "late": "late", "earlier": "before_now", "later": "after_now",
        "early in": "early", "late in": "late", "earlier in": "before_now", "later in": "after_now",
        "first thing": "early",
    },
    "edge": {
        "beginning of": "early", "start of": "early", "the beginning of": "early", "the start of": "early",
        "middle of": "mid", "the middle of": "mid", "end of": "late", "the end of": "late", "ends of": "late",
        "close of": "late", "the close of": "late", "the tail end of": "late", "tail end of": "late",
        "turn of": "early", "the turn of": "early", "onset of": "early",
    },
    "short": {
        "eod": ("day", "late"), "eow": ("week", "late"), "eom": ("month", "late"), "eoq": ("quarter", "late"),
        "eoy": ("year", "late"), "bom": ("month", "early"),
        "end of day": ("day", "late"), "close of business": ("day", "late"),
        "close of play": ("day", "late"), "end of play": ("day", "late"), "end of week": ("week", "late"),
        "end of month": ("month", "late"), "end of year": ("year", "late"), "year end": ("year", "late"),
        "year-end": ("year", "late"), "month-end": ("month", "late"), "end of quarter": ("quarter", "late"),
        "beginning of month": ("month", "early"), "start of month": ("month", "early"),
        "beginning of year": ("year", "early"), "start of year": ("year", "early"), "midweek": ("week", "mid"),
        "mid-week": ("week", "mid"),
    },
    "rest": {"rest of": 0, "the rest of": 0, "remainder of": 0, "the remainder of": 0},
    "fuzzy": {
        "recently": "recently", "lately": "recently", "of late": "recently", "these days": "recently",
        "nowadays": "recently", "as of late": "recently", "in recent days": "past_days", "the other day": "other_day",
        "just the other day": "other_day", "the other night": "other_day", "the other week": "other_week",
        "the other month": "other_month",
        "a while ago": "while_ago", "a while back": "while_ago", "a little while ago": "moment_ago",
        "some time ago": "while_ago", "a short while ago": "moment_ago", "a moment ago": "moment_ago",
        "moments ago": "moment_ago", "a long time ago": "long_ago", "long ago": "long_ago", "ages ago": "long_ago",
        "dozens of years ago": "decade_ago", "hundreds of years ago": "century_ago",
        "soon": "soon", "any day now": "soon", "shortly": "shortly",
        "in the near future": "soon", "before long": "soon", "in a bit": "shortly", "in a moment": "shortly",
        "in a while": "shortly", "in recent weeks": "weeks", "in recent months": "months", "in recent years": "years",
        "in the coming days": "coming_days", "in the coming weeks": "coming_weeks", "in days to come": "coming_days",
        "in the coming months": "coming_months", "in the coming years": "coming_years",
        "over the years": "years", "in the past few days": "past_days",
    },
    "decade": {
        "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
        "nineties": 90, "noughties": 100, "naughties": 100, "aughts": 100,
    },
    "fiscal": {"fiscal": "year", "fiscal year": "year", "fy": "year", "school year": "school", "sy": "school",
               "academic year": "school", "financial year": "year", "calendar year": "calendar", "cy": "calendar"},
    "nth": {
        "second last": -2, "2nd last": -2, "second to last": -2, "penultimate": -2, "third last": -3,
        "3rd last": -3, "third to last": -3, "final": -1, "very last": -1, "next to last": -2,
    },
    "ish": {"ish": 0, "-ish": 0},
    "zone": {
        "utc": 0, "gmt": 0, "bst": 60, "cet": 60, "cest": 120, "mez": 60, "eet": 120,
        "eest": 180, "msk": 180, "ist": 330, "sgt": 480, "hkt": 480, "awst": 480, "beijing time": 480,
        "china standard time": 480, "singapore time": 480, "hong kong time": 480, "jst": 540, "kst": 540,
        "tokyo time": 540, "acst": 570, "aest": 600, "aedt": 660, "nzst": 720, "nzdt": 780,
        "hst": -600, "akst": -540, "akdt": -480, "pst": -480, "pdt": -420, "pt": -480, "pacific": -480,
        "pacific time": -480, "pacific timezone": -480, "mst": -420, "mdt": -360, "mt": -420, "mountain": -420,
        "mountain time": -420, "mountain timezone": -420, "cst": -360, "cdt": -300, "ct": -360, "central": -360,
        "central time": -360, "est": -300, "edt": -240, "et": -300, "eastern": -300, "eastern time": -300,
        "adt": -180, "brt": -180, "london time": 0, "paris time": 60, "berlin time": 60,
    },
}  # fmt: skip
"""Token name -> words -> value. Zones in minutes east of Greenwich, in winter where they have two clocks a year."""

NAMES: Final[Mapping[str, str]] = {
    "the": "the", "a": "a|an", "per": "per", "of": "of", "in": "in|inside", "on": "on|upon", "at": "at", "to": "to",
    "from": "from", "for": "for", "by": "by", "and": "and", "or": "or", "between": "between", "within": "within",
    "since": "since|ever since|as of|effective",
    "before": "before|prior to|ahead of|earlier than|sooner than|any time before|anytime before|sometime before"
    "|sometimes before",
    "after": "after|later than|greater than|newer than|more recent than|any time after|anytime after|sometime after",
    "until": "until|till|til|'til|up to|up until", "through": "through|thru",
    "during": "during|throughout|all through|right through|over|across|in the course of|for the duration of",
    "around": "around|about|approximately|approx|circa|ca|ca.|roughly|nearly|almost|close to|around about|at around"
    "|at about|at approximately|some time around|sometime around|or so",
    "starting": "starting|beginning|commencing|starting from|starting on|starting in|starting at|beginning on"
    "|beginning in|beginning from|commencing on|start from|starts from|starting with",
    "latest": "no later than|not later than|by no later than|at the latest by|as late as|on or before",
    "earliest": "no earlier than|not earlier than|not before|as early as|on or after|any time from|anytime from",
    "onward": "onward|onwards|and onward|and onwards|and greater|or greater|or newer|and beyond|and up",
    "backward": "or sooner", "ago": "ago|back|before now|in the past",
    "hence": "hence|from now|from now on|down the road",
    "time": "time|of time", "each": "every|each|each and every|every single", "other": "other|alternate",
    "another": "another|one more", "once": "once|twice|thrice|times",
    "more": "more|additional|extra|whole|full|straight|consecutive|solid|further",
    "all": "all|all of|the whole|whole of|the whole of|the entire|entire|whole",
    "oclock": "o'clock|oclock|o clock|hundred hours|sharp|on the dot",
    "noon": "noon|noonish|midday|mid-day|12 noon|twelve noon|noontime",
    "midnight": "midnight|mid night|mid-night|12 midnight", "half": "half", "quarter": "quarter", "past": "past",
    "til": "til|shy of", "oh": "oh|o|zero|ou", "ad": "a.d.|a.d|ad|ce|c.e.|anno domini",
    "thistime": "this time|about this time|around this time|the same time|same time", "weekof": "the week of|w/c|w/b",
    "hundreds": "hundreds", "percent": "percent|per cent|pct",
}  # fmt: skip
"""Token name -> words without a value."""

BARE_UNITS: Final[Mapping[str, str]] = {
    "h": "hour", "m": "minute", "s": "second", "d": "day", "w": "week", "y": "year", "mo": "month", "mos": "month",
    "H": "hour", "Y": "year",
}  # fmt: skip
"""Units only where they are glued to a figure: 3h."""

PLAIN: Final = frozenset({
    "i", "we", "you", "he", "she", "it", "they", "who", "that", "this", "these", "those", "there", "here", "is", "was",
    "were", "are", "be", "been", "am", "will", "would", "shall", "should", "can", "could", "may", "might", "must", "do",
    "does", "did", "has", "have", "had", "not", "but", "so", "because", "if", "when", "while", "where", "which", "with",
    "without", "then", "than", "as", "just", "also", "too", "both", "my", "your", "his", "her", "its", "our", "their",
    "me", "us", "him", "them", "what", "why", "how", "please", "thanks", "thank", "sharp", "exactly", "only",
    "everyone", "everybody", "nobody", "someone", "somebody", "all", "bc", "unless", "although", "though", "since",
    "once", "already", "still", "even", "again", "like", "i'm", "we're", "you're", "he's", "she's", "it's", "they're",
    "i'll", "we'll", "you'll", "he'll", "she'll", "it'll", "they'll", "i've", "we've", "you've", "they've", "i'd",
    "we'd", "you'd", "he'd", "she'd", "they'd", "let's", "that's", "there's", "isn't", "wasn't", "aren't", "weren't",
    "don't", "doesn't", "didn't", "won't", "wouldn't", "can't", "couldn't", "shouldn't", "haven't", "hasn't", "hadn't",
})  # fmt: skip
"""Words that no number counts: behind one, they show that it stands alone."""

COUNTED: Final = frozenset({
    "people", "person", "persons", "men", "women", "man", "woman", "users", "members", "times", "time", "miles", "mile",
    "km", "kms", "kilometers", "kilometres", "kilometer", "kilometre", "meters", "metres", "meter", "metre", "feet",
    "foot", "steps", "pounds", "pound", "dollars", "dollar", "euros", "euro", "yuan", "usd", "gbp", "eur", "bucks",
    "cents", "cent", "cases", "case", "words", "word", "pages", "page", "pieces", "piece", "copies", "copy", "calories",
    "points", "point", "grams", "gram", "kg", "kilos", "kilo", "degrees", "degree", "cups", "cup", "books", "book",
    "friends", "others", "guests", "guest", "students", "student", "children", "kids", "rooms", "room", "seats", "seat",
    "items", "item", "votes", "vote", "shares", "employees", "customers", "patients", "visitors", "tickets", "bottles",
    "boxes", "cars", "houses", "units", "players", "goals", "lbs", "mb", "gb", "tb", "mhz", "ghz", "rpm", "mph",
    "calls", "emails", "messages", "photos", "songs", "square", "inches", "inch", "litres", "liters", "ml", "percent",
    "different", "new", "more", "additional", "other", "of", "floors", "stars", "characters", "lines", "cookies",
    "eggs", "apples", "participants", "subscribers", "followers", "likes", "views", "reps", "sets", "laps", "dogs",
    "cats",
})  # fmt: skip
"""What a number counts, so that it is no day and no year."""

NOTHING: Final = (
    "second hand", "minute maid", "minute hand", "hour hand", "last minute changes", "at the last minute", "day spa",
    "day care", "day trip", "day job", "day dream", "day off", "days off", "day one", "day and age", "good morning",
    "good afternoon", "good evening", "good night", "one night stand", "sunday school", "sunday roast", "sunday best",
    "man friday", "girl friday", "ruby tuesday", "freaky friday", "bloody sunday", "blue monday", "high noon",
    "night stand", "night club", "night life", "night owl", "night shift", "night market", "night markets",
    "night gown", "night light", "night sky", "morning glory", "morning glories", "morning sickness", "morning person",
    "morning coffee", "evening primrose", "evening dress", "evening gown", "dawn of", "of the month club", "march on",
    "march around", "sat nav", "sat in", "sat next", "sun bed", "sun tan", "sun hat", "sun cream", "sun loungers",
    "wed in", "was wed", "to wed", "spring roll", "spring rolls", "spring onion", "spring onions", "quarter mile",
    "quarter pounder", "november rain", "june bug", "april showers", "adam and eve", "eve online", "up to date",
    "out of date", "call it a day", "called it a day", "calling it a day", "calls it a day", "call it a night",
    "called it a night", "one of these days", "tgi fridays", "tgi friday", "super tuesday", "father christmas",
    "daily driver", "daily grind", "daily bread", "yesterday's news", "annual leave", "now and then",
    "every now and then", "once in a while",
)  # fmt: skip
"""Things whose names hold a word of time and are no time."""

NAMED: Final = (
    "name|surname|nickname|middle name|cat|kitten|dog|puppy|parrot|horse|pony|mare|goat|cow|hamster|rabbit|tortoise"
    "|budgie|hen|pet|sister|brother|daughter|son|niece|nephew|cousin|aunt|uncle|mother|mum|mom|girl|boy|woman"
    "|guy|friend|character|hero|heroine|villain|film|movie|song|album|single|track|band|group|duo"
    "|novel|book|comic|poem|painting|series|sitcom|boat|yacht|perfume|brand|magazine"
    "|newspaper|paper|tabloid|label|pub|bar|restaurant|cafe|café|shop|nightclub|word|preacher|actress|actor|singer"
    "|rapper|teacher|butler|jazz standard|classic"
)
"""What bears a name, as a pattern."""
SMALL: Final = frozenset({
    "morning", "afternoon", "evening", "night", "noon", "midnight", "midday", "weekend", "dawn", "twilight", "sunset",
    "daily", "weekly", "monthly", "quarterly", "nightly", "annual",
    "spring", "summer", "autumn", "fall", "winter",
})  # fmt: skip
"""Words of time that are written small but in names; not those that names of people often follow, as yesterday."""
UNWONTED: Final = frozenset({
    "seconds", "minutes", "hour", "hours", "days", "weeks", "months", "years", "decades", "later", "sunrise", "dawn",
    "before", "after", "until", "since",
})  # fmt: skip
"""Words of time that nobody writes large inside a sentence, but in a title."""
SCENES: Final = frozenset({
    "morning", "afternoon", "evening", "night", "midnight", "dawn", "dusk", "twilight", "sunset",
    "sunrise",
})  # fmt: skip
"""Words of time that begin a title where a place follows: Midnight in Paris."""
NAMESAKES: Final = "jan|dec|jun"
"""Months, shortened, that are first names too, as a pattern."""
NAMESAKES_IN_FULL: Final = "april|may|june|august"
"""Months whose names are first names too, as a pattern."""
TALKING: Final = (
    r"(?:hear(?:s|d|ing)?|(?:came|come|comes)) from|(?:talk|spoke|speak|listen|wrote|write|said|lied|married|engaged"
    r"|introduced|apologi[sz]ed?)(?:s|ed|ing|en)? to"
)
"""What is done with a person, and the word before the name, as a pattern."""
GIVING: Final = (
    rf"{TALKING}|(?:got|gets?|received?|borrow(?:s|ed)?|bought|stole|took|takes?|learn(?:s|ed|t)?|letter|message"
    r"|texts?|e-?mail|call|note|card|postcard|gift|present|news|word|advice|hug|kiss|flowers|reply|invitation)\b[^.,;]{0,30}"
    r" from|(?:g[ai]ve[sn]?|giving|lent|lends?|sent|sends?|shows?|showed|told|hand(?:s|ed)?|sold|pass(?:ed)?)\b"
    r"[^.,;]{0,30} to"
)
"""What comes from a person or goes to one, as a pattern."""
FAMILY: Final = "sisters?|brothers?|family|girls|boys|twins|household|house|siblings|mansion|residence"
"""What a family's name stands before, as a pattern: the March sisters."""
HOLIDAY_THINGS: Final = (
    "cakes?|trees?|cards?|presents?|gifts?|carols?|puddings?|crackers?|jumpers?|sweaters?|costumes?|eggs?|bunny|bunnies"
    "|decorations?|lights|stockings?|cookies|biscuits?|cand(?:y|ies)|chocolates?|pumpkins?|songs?|films?|movies?"
    "|wreaths?|ornaments?|baubles?|wrapping|paper|bonus|spirit|cheer|lamb|lil(?:y|ies)|bonnets?|masks?|sweets|jokes?"
    "|resolutions?|elf|elves|cactus|turkey|recipes?|markets?|shoppers|ham|island|rose|roses|pyjamas|pajamas|socks|album"
)
"""Things that are named after a holiday, as a pattern."""
BOOKS: Final = (
    "genesis|exodus|leviticus|numbers|deuteronomy|joshua|judges|ruth|samuel|kings|chronicles|ezra|nehemiah|esther|job"
    "|psalms?|proverbs|ecclesiastes|song of songs|song of solomon|isaiah|jeremiah|lamentations|ezekiel|daniel|hosea"
    "|joel|amos|obadiah|jonah|micah|nahum|habakkuk|zephaniah|haggai|zechariah|malachi|matthew|mark|luke|john|acts"
    "|romans|corinthians|galatians|ephesians|philippians|colossians|thessalonians|timothy|titus|philemon|hebrews|james"
    "|peter|jude|revelation|surah?|quran|qur'an"
)
"""Books whose verses are written like clock times, as a pattern: John 3:16."""
SCORES: Final = (
    "ratio|win|victory|defeat|loss|lead|draw|split|format|display|screen|monitor|odds|mixture|mix|solution|pace|mile"
    "|long|per (?:km|mile|kilometre|kilometer)|a (?:km|mile|kilometre|kilometer)|marathon"
)
"""What follows a score, a ratio or a pace, as a pattern."""
MEASURES: Final = (
    "ages?|aged|numbers?|numbered|counts?|counting|counted|scales?|scores?|scored|ratings?|rated?|rates?|ranks?|ranked"
    "|levels?|grades?|sizes?|prices?|odds|ratio|pages?|chapters?|verses?|questions?|exercises?|steps?|volumes?"
    "|episodes?|digits?|percent|dollars|euros|pounds|temperature|dose|choose|chose|chosen|pick|picks|picked|guess|guessed"
    "|rais(?:e|es|ed|ing)|increas(?:e|es|ed|ing)|reduc(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|lower(?:s|ed)?|multiply"
    "|rang(?:e|es|ed|ing)|var(?:y|ies|ied)|kids|children|bus|buses|train|route|floors?|lanes?|gates?|platforms?"
    "|difference|sum|marks?|child|toddlers?|pupils?|split|divided?|table"
)
"""Words that say of two numbers behind them that they are no hours, as a pattern."""
CHANGES: Final = (
    "go|goes|going|went|gone|rise|rises|rose|risen|fall|falls|fell|fallen|drop|drops|dropped|grow|grows|grew|grown|jump"
    "|jumps|jumped|climb|climbs|climbed|improves?|improved|chang(?:e|es|ed)|moved?|cut|cuts|shrinks?|shrank|expand(?:s|ed)?"
    "|switch(?:es|ed)?|up|down|have|has|had|takes?|took|need|needs|needed|costs?|eat|eats|ate|drinks?|drank|get|gets|got"
    "|buy|buys|bought|won|lost|is|are|was|were|be|add|adds|added|with|of"
)
"""Words that say the same right before them; what is, or what one has, between two and four is not said to be hours."""
HOURLY: Final = (
    "open|opens|opening|closed|works?|worked|working|shifts?|meet|meets|met|meetings?|free|busy|available|home|office"
    "|class|classes|lessons?|hours|nap|naps|sleep|slept|appointment|lunch|desk|on duty|surgery|party|game|match|concert"
    "|lecture|exam|interview|training|practice|course|session|event|sale|call|show"
)
"""Words that say of two numbers behind them that they are hours, as a pattern."""
MEASURED: Final = (
    "cost|costs|paid|pay|pays|weigh|weighs|weighed|earn|earns|earned|spent|spend|spends|has|have|had|sold|got|of|at|with"
    "|to|for|lost|won|need|needs|needed|raised|saved|burned|burnt|ate|eat|make|makes|made|owe|owes|owed"
    "|walked|ran|swam|by|total|totals|totalled|reached|hit|read|wrote"
)
"""Words before `about 1850` where it is no year, as a pattern."""
FOUNDED: Final = (
    "born|built|founded|painted|written|published|married|died|began|begins?|started?|opened|invented|discovered|lived"
    "|moved|graduated|met|dates?|dated|dating|starting|back to"
)
"""Words before `around 1900` where it is a year, as a pattern."""
DUE: Final = (
    r"due|exp|expir(?:e|es|ed|y|ing|ation|ations)|deadlines?|cut-?off|renew(?:s|al|ed)?|payable|best before|use by"
    r"|sell by|rsvp|matur(?:es?|ity)|closing|submission"
)
"""What has a last day, as a pattern."""
BEHIND_LENGTH: Final = (
    "ago|later|earlier|before|after|afterwards?|past|from|for|late|early|longer|more|each|every|per|apart|away|and|but"
    "|then|than|the|this|that|while|when|until|till|since|because|with|without|during|your|our|his|her|their|its|you"
    "|they|she|only|too|just|now|not|can|will|was|were|are|has|had|have|may|would|could|should|into|out|off|back|left"
    "|please|alone|here|there|total|today|tomorrow|thinking|talking|waiting|looking|walking|driving|trying|old|long"
    "|about|over|under|short|shy|slow|fast|either|again|max|tops|maximum|minimum|passed|passes|went|goes|sometimes"
)
"""Words behind `a minute` where it is a length and no adjective, as a pattern."""

FUZZY: Final[Mapping[str, tuple[float, float]]] = {
    "recently": (-30, 0), "past_days": (-7, 0), "weeks": (-30, 0), "months": (-180, 0), "years": (-1826, 0),
    "other_day": (-7, -1), "other_week": (-21, -7), "other_month": (-90, -30), "while_ago": (-180, -7),
    "moment_ago": (-0.125, 0), "long_ago": (-3650, -365), "day_ago": (-7, -2), "week_ago": (-35, -14),
    "month_ago": (-180, -60), "year_ago": (-3650, -730), "decade_ago": (-36525, -7305),
    "century_ago": (-365_250, -73_050), "soon": (0, 14), "shortly": (0, 0.125),
    "coming_days": (0, 7), "coming_weeks": (0, 30), "coming_months": (0, 180), "coming_years": (0, 1826),
}  # fmt: skip
"""What vague words cover, in days from now: first, last."""

AROUND: Final[Mapping[str, float]] = {
    "second": 60, "minute": 15 * 60, "hour": 30 * 60, "part": 3600, "day": 86_400, "weekend": 86_400,
    "week": 3 * 86_400, "month": 15 * 86_400,
}  # fmt: skip
"""How many seconds on either side `around` allows, by the precision of what it stands with."""

SAME_TIME: Final[Mapping[str, float]] = {"day": 0.125, "week": 1, "month": 3, "quarter": 7, "year": 15}
"""How many days on either side `this time next year` allows, by what is named."""

LOOKING_BACK: Final = r"n't\b|\bnever\b|\bfirst\b|\bonly\b"
"""Before `in two weeks`, these make it the two weeks until now."""
