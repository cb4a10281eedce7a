"""Whether an English sentence speaks of what is past or what is to come, by the words around a time; knows no times.

Patterns see a line break where the time stands.
"""

from __future__ import annotations

import re
from typing import Final

from fabula.when.patterns import Pattern, said

_FUTURE: Final = (
    r"\b(?:will|shall|gonna|won't|going to|plan(?:s|ning)? (?:to|on|for)|next(?! to)|upcoming|looking forward|let's"
    r"|remind|schedule|meet me|see you|due|hop(?:e|ing) to|want to|need to|have to|has to|like to|fancy|deadline"
    r"|expir(?:es?|y|ing)|renew(?:s|al)|can (?:you|we)|could (?:you|we)|should we|tomorrow|appointment"
    r"|are (?:you|we) (?:free|available))\b|'ll\b|(?:'m|'re|\b(?:am|is|are)) [\w-]+ing\b"
    r"|'s (?:coming|arriving|leaving|due)\b"
    r"|(?:'s|\bis|\bare)(?: on| in| at| the)*[ -]?\n|\b(?:pushed|postponed|rescheduled|scheduled|set) (?:back )?"
    r"(?:to|for)\b|\bmoved (?:back )?(?:to|for)(?: the)? ?\n|\boff to\b"
    r"|(?:'ve|\bhave|\bhas) (?:rented|booked|hired|reserved|arranged)\b"
)
"""Words that say a sentence is about the future; the time itself stands as a line's end between what is around it."""
_CLAUSE: Final = (
    r"[,;:()–—]|\b(?:and|but|so|or|because|although|though|while|when|if|that|which|who|where|said|says|say|told|tells"
    r"|asked|thinks?|thought|heard|hears?|knows?|knew)\b"
)
"""What a clause begins or ends with, as a pattern; behind a verb of saying stands what was said."""
_PRESENT: Final = (
    r"\b(?:is|are|am|can(?:not)?|do|does|might|must|wants?|needs?|hopes?|expects?|starts?|opens?|reopens?|closes?"
    r"|leaves?|begins?|ends?|arrives?|departs?|comes?|returns?|resumes?|finish(?:es)?|go(?:es)?|fly|flies|moves?"
    r"|(?:have|has|'ve got) (?:an?|the|my|our|his|her|their|no|some|another|two|three|guests|plans|tickets))\b"
    r"|\b(?:can|do|does)n't\b|'m\b|'re\b|\b(?:he|she|it|that|there|what|who|where)'s\b"
    r"|'s (?:on|off|up|at|in|out|away|back|over|here|open|closed|free|[\w-]+ing)\b"
    r"|^\s*(?:please )?(?:call|ring|text|email|meet|pick|bring|book|order|buy|send|remember|join|tell|ask|take)\b"
    r"|\?\s*$"
)
"""Words of the present, which speak of the coming Monday where nothing in the sentence is of the past."""
_PAST: Final = (
    r"\b(?:was|were|had|did|been|ago|since|yesterday|went|came|saw|got|met|left|took|made|said|told|gave|bought|found"
    r"|lost|broke|fell|felt|heard|ran|sat|slept|spent|thought|wrote|ate|began|brought|caught|drove|flew|forgot|grew"
    r"|kept|knew|led|paid|rang|sold|sent|sang|stood|swam|taught|threw|woke|won|wore|became|built|chose|drank|hid|rode"
    r"|rose|shook|spoke|stole|understood|quit|held|died)\b|(?:was|were|did|had)n't\b|'d\b"
    r"|(?<!is )(?<!are )(?<!am )(?<!re )(?<!m )(?<!s )(?<!be )\b(?!(?:need|bed|shed|hundred|indeed|speed|seed|feed"
    r"|red|wed|bored|tired)\b)\w{2,}ed\b"
)
"""Words of the past, irregular or with their ending."""
_TENSES: Final = tuple(
    (Pattern(pattern.replace("'", "['’]"), re.IGNORECASE), ahead)
    for pattern, ahead in ((_FUTURE, True), (_PAST, False), (_PRESENT, True))
)
"""A word of the future beats one of the past, and both one of the present."""
_CLAUSES: Final = Pattern(_CLAUSE, re.IGNORECASE)


def ahead(before: str, after: str) -> bool | None:
    """Whether a sentence speaks of the future, by what stands before and after a time in it; None is not known.

    The clause of the time has the word; where it says nothing of tense, the whole sentence has.
    """
    clause = said(_TENSES, f"{_CLAUSES.split(before)[-1]}\n{_CLAUSES.split(after, maxsplit=1)[0]}")
    return said(_TENSES, f"{before}\n{after}") if clause is None else clause
