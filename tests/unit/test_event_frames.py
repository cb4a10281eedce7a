"""The class of event frames as it is printed where SEEM is described: it runs, filled in by what is drawn here."""

import asyncio
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fabula import Frame, Interval, LLMExtractor, Passage
from fabula.testing import ScriptedLLM

PRINTED = """
class EpisodicEventFrame:
    def __init__(self, passage):
        self.provenance = passage.source # 溯源指针
        self.summary = self._generate_summary(passage)
        self.semantic_roles = {
            'participants': self._extract_entities('WHO'),
            'action': self._extract_verbs(),
            'time': self._parse_time_expressions(),
            'location': self._extract_locations(),
            'causality': self._identify_causal_links(),
            'manner': self._detect_behavior_modifiers()
        }
"""

SAID = [
    (
        "Last Friday Ann and Bob met in Porto, because the ferry was late; they went on foot.",
        {
            "participants": ["Ann", "Bob"], "action": "met", "time": "last Friday", "location": "Porto",
            "causality": "the ferry was late", "manner": "on foot",
        },
        "2024-05-31",
    ),
    (
        "上周五小芳和老李在杭州碰面，因为渡船晚点了，他们是走路去的。",
        {
            "participants": ["小芳", "老李"], "action": "碰面", "time": "上周五", "location": "杭州",
            "causality": "渡船晚点了", "manner": "走路去的",
        },
        "2024-05-31",
    ),
]  # fmt: skip


def drawn(passage: Passage, roles: dict[str, Any]) -> Frame:
    reply = json.dumps({"frames": [{"sources": ["1"], "summary": passage.text, "events": [roles]}]})
    (frame,) = asyncio.run(LLMExtractor(ScriptedLLM([reply])).extract([passage])).frames
    return frame


@pytest.mark.parametrize(("text", "roles", "day"), SAID, ids=["en", "zh"])
def test_the_printed_class_is_filled_in_by_a_frame(text: str, roles: dict[str, Any], day: str) -> None:
    passage = Passage(
        scope="u", id="p1", text=text, speaker="Ann", valid=Interval.at(datetime(2024, 6, 3, 9, tzinfo=UTC))
    )
    frame = drawn(passage, roles)
    (event,) = frame.events
    names: dict[str, Any] = {}
    exec(PRINTED, names)

    class Filled(names["EpisodicEventFrame"]):
        def _generate_summary(self, _: Any) -> str:
            return frame.text

        def _extract_entities(self, role: str) -> tuple[str, ...]:
            assert role == "WHO"
            return event.participants

        def _extract_verbs(self) -> str:
            return event.action

        def _parse_time_expressions(self) -> Interval | None:
            return event.time

        def _extract_locations(self) -> str:
            return event.location

        def _identify_causal_links(self) -> str:
            return event.causality

        def _detect_behavior_modifiers(self) -> str:
            return event.manner

    filled = Filled(SimpleNamespace(source=frame.sources))
    assert (filled.provenance, filled.summary) == (("p1",), text)
    assert filled.semantic_roles == asdict(event) | {"time": event.time}
    assert list(filled.semantic_roles) == list(asdict(event))
    assert event.time is not None
    assert event.time.start is not None
    assert event.time.start.date().isoformat() == day
    told = {**filled.semantic_roles, "participants": [*event.participants], "time": roles["time"]}
    assert told == roles


def test_it_is_the_class_that_is_printed(shared: Path) -> None:
    """There on one line, so that its comment would swallow the rest; here as it was meant."""
    (page,) = shared.glob("seeds/001_*.txt")
    assert "".join(PRINTED.split()) in "".join(page.read_text("utf-8").split())
