"""From the data of a reply to insights: each item looked at alone, with the records it cites by number.

Knows no prompt but the numbers it gave, and nothing of what is known already.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, cast

from fabula.errors import ProviderBadReply
from fabula.inferences import category_of, protected
from fabula.replies.enclosed import Json, bad
from fabula.replies.values import MOST, TEXT, importance_of, line_of, listed, text_of
from fabula.text import derived_id, fold
from fabula.types import Insight, Record

_log = logging.getLogger(__name__)

_WORDS: Final = re.compile(r"\W+")
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,9}(?!\w|\.\d)")


class Drawn(NamedTuple):
    """What a reply tells, and how many of its items were left out."""

    insights: tuple[Insight, ...] = ()
    refused: int = 0


def insight_id(text: str) -> str:
    """Return the id of all insights that say the same: letter case, spaces and punctuation aside."""
    return derived_id("insight", _WORDS.sub(" ", fold(text)).strip())


def insights(reply: Json, shown: Sequence[Record]) -> Drawn:
    """Return the insights of a reply about the records that were `shown`, numbered from 1.

    Refused, and counted, are items of another category than those of `inferences`, those that name what is never
    inferred, and those that cite nothing that was shown. Sources are the records and what these were made from. Those
    that say the same are one. Raises `ProviderBadReply` (`malformed`) where nothing is what was asked for.
    """
    items = _items(reply)
    made: dict[str, Insight] = {}
    refused = max(len(items) - MOST, 0)
    odd = 0
    for item in items[:MOST]:
        try:
            one = _insight(item, shown)
        except ProviderBadReply as error:
            odd += 1
            _log.debug("left out: %s", error)
            continue
        if one is None:
            refused += 1
        else:
            made[one.id] = _both(made[one.id], one) if one.id in made else one
    if odd and not made and not refused:
        raise bad("holds no insight that makes sense")
    if refused:
        _log.warning("%d insights were refused: of a category or about a trait that is never inferred", refused)
    return Drawn(tuple(made.values()), refused + odd)


def _items(reply: Json) -> list[Any]:
    if isinstance(reply, list):
        return reply
    inner = reply.get("insights", ...)
    if isinstance(inner, list):
        return cast(list[Any], inner)
    if "category" in reply:
        return [reply]
    raise bad("holds nothing that was asked for")


def _insight(item: Any, shown: Sequence[Record]) -> Insight | None:
    """An item as an insight; `None` where it is one that is refused."""
    given = cast(dict[str, Any], item) if isinstance(item, dict) else {}
    text = text_of(given.get("text")) or text_of(given.get("content"))
    if not fold(text) or len(text) > TEXT:
        raise bad("has an insight without a text, or with too long a one")
    category = category_of(line_of(given.get("category")))
    if not category or protected(text):
        return None
    numbers = {n for value in listed(given.get("sources")) for n in _NUMBER.findall(line_of(value))}
    cited = [record for number, record in enumerate(shown, 1) if str(number) in numbers]
    if not cited:
        raise bad("cites nothing that was shown")
    return Insight(
        scope=cited[0].scope,
        id=insight_id(text),
        text=text,
        category=category,
        importance=importance_of(given.get("importance")),
        sources=tuple(dict.fromkeys(source for record in cited for source in (record.id, *record.sources))),
        meta={"extractor": "llm"},
    )


def _both(first: Insight, second: Insight) -> Insight:
    return replace(first, sources=tuple(dict.fromkeys((*first.sources, *second.sources))))
