"""What several decide: whether a text tells of such, and who takes part besides whom a model names; knows no source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from fabula.names import is_person
from fabula.replies.values import MANY, line_of, listed, names_of
from fabula.text import fold
from fabula.types import Event

_DECIDED: Final = re.compile(
    r"\b(?:decid(?:ed?|es)|agree[ds]?|settled on|vot(?:ed?|es)|chose)\b"
    r"|决定|商定|商量好|约定|约好|说好|一致|同意|表决|投票|敲定|拍板",
    re.IGNORECASE,
)
"""Words for a decision."""
_JOINTLY: Final = re.compile(
    r"\b(?:we|they|both|all|together|agree[ds]?|vot(?:ed?|es)|settled)\b"
    r"|我们|他们|她们|咱们|大家|一起|商|约|说好|一致|同意|表决|投票",
    re.IGNORECASE,
)
"""Words for one that several make."""


def people(entities: Iterable[Any]) -> Iterator[tuple[str, ...]]:
    """The names of each person among the entities of a reply."""
    for item in entities:
        if isinstance(item, dict):
            given = cast(dict[str, Any], item)
            names = names_of([given.get("name"), *listed(given.get("aliases"))])
            if names and is_person(line_of(given.get("type"))):
                yield names


def joint(text: str, event: Event) -> bool:
    """Whether a text tells of a decision of several; that one person decided something is that person's alone."""
    return bool(_DECIDED.search(text)) and (len(event.participants) != 1 or bool(_JOINTLY.search(text)))


def joined_by(event: Event, named: Iterable[Sequence[str]]) -> Event:
    """The event, taken part in by all these too; each goes by several names, and is there under any of them."""
    participants = list(event.participants)
    here = set(map(fold, participants))
    for names in named:
        if here.isdisjoint(map(fold, names)):
            participants.append(names[0])
            here.add(fold(names[0]))
    return replace(event, participants=tuple(participants[:MANY]))
