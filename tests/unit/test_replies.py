"""What a model answers, made into records: whatever it is wrapped in, item by item, and never a half of it.

The numbers in names are those of field reports of memories that went wrong.
"""

import json
import logging
import math
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fabula.abc import Extraction
from fabula.conventions import Conventions
from fabula.errors import ProviderBadReply
from fabula.render import CLOSE, OPEN
from fabula.replies import extraction, naming, parsed, united
from fabula.replies.values import (
    EVENTS,
    MANY,
    MOST,
    NAME,
    PRONOUNS,
    TEXT,
    importance_of,
    lasting,
    sentence,
    text_of,
    time_of,
)  # fmt: skip
from fabula.text import derived_id, fold
from fabula.types import Emotion, Event, Fact, Image, Interval, Note, Passage

WEDNESDAY = datetime(2023, 5, 24, 10, tzinfo=UTC)
SHANGHAI = timezone(timedelta(hours=8))


def said(label: str, text: str, speaker: str = "user", **more: Any) -> Passage:
    given: dict[str, Any] = {"valid": Interval.at(WEDNESDAY), "scope": "u", **more}
    return Passage(id=f"p{label}", text=text, speaker=speaker, **given)


TALK = {
    "1": said("1", "I went to Lyon with Ivo last week", "Nora"),
    "2": said("2", "How was it?", "Ivo"),
    "3": said("3", "I adore sonnets", "assistant", role="assistant"),
}


def drawn(reply: Any, passages: dict[str, Passage] = TALK) -> Extraction:
    return extraction(parsed(reply if isinstance(reply, str) else json.dumps(reply)), passages)


def fact(**fields: Any) -> Fact:
    """The one fact of a reply that holds nothing else."""
    found = drawn({"facts": [{"text": "x", "sources": ["1"], **fields}]})
    assert found.rejected == 0
    (made,) = found.facts
    return made


def interval(start: str | None, end: str | None, precision: Any) -> Interval:
    ends = [None if one is None else datetime.fromisoformat(one).replace(tzinfo=UTC) for one in (start, end)]
    return Interval(start=ends[0], end=ends[1], precision=precision)


FACTS = '{"facts": ["Ivo rents flat 7"]}'


class TestParsed:
    @pytest.mark.parametrize(
        "text",
        [
            FACTS,
            f"\ufeff \n{FACTS}\n",
            f"```json\n{FACTS}\n```\nDone.",
            f"```\n{FACTS}```",
            f"``` {FACTS} ```",
            f"Here you are:\n```JSON\n{FACTS}\n```\nSee [1].",
            f"```json\n{FACTS}",
            f"````json\n{FACTS}\n````",
        ],
    )
    def test_b001_a_fence_is_taken_off(self, text: str):
        assert parsed(text) == {"facts": ["Ivo rents flat 7"]}

    @pytest.mark.parametrize(
        "text",
        [
            f"Sure: {FACTS} See note [1] and {{draft}}.",
            f"As in note [1] and [2, 3], {{draft}}: {FACTS}",
            f"I used the format {{name: type}}. {FACTS}",
            f"A smiley :[ and a set {{a, b}} and {FACTS} :]",
            f"好的，结果如下：{FACTS}（见[1]）",
            f"[see below] {FACTS} [end]",
        ],
    )
    def test_b002_prose_around_it_is_left_out(self, text: str):
        assert parsed(text) == {"facts": ["Ivo rents flat 7"]}

    @pytest.mark.parametrize(
        "text",
        [
            '<think>maybe {"facts":["Ivo has a cat, a parrot and a horse"]}? no</think>' + FACTS,
            '<THINKING>\n{"facts": [</THINKING>\n' + FACTS,
            'maybe {"facts":["Ivo has a cat, a parrot and a horse"]}? no</think>' + FACTS,
            FACTS + '<think>or rather {"facts":["Ivo has a cat, a parrot and a horse"]}?</think>',
            FACTS + '<think>or rather {"facts":["Ivo has a cat',
            '<think>```json\n{"facts": ["a draft that is much longer than it"]}\n```</think>' + FACTS,
            f"<think>a</think><reasoning>[1]</reasoning>```json\n{FACTS}```",
        ],
    )
    def test_b005_thoughts_are_no_answer(self, text: str):
        assert parsed(text) == {"facts": ["Ivo rents flat 7"]}

    @pytest.mark.parametrize("text", ['{"a": "<think> and </think>"}', '```\n{"a": "<think> and </think>"}\n```'])
    def test_b005_a_tag_that_is_spoken_of_hides_nothing(self, text: str):
        assert parsed(text) == {"a": "<think> and </think>"}

    @pytest.mark.parametrize("text", ["<think>{}", "<think>still at it", f"<think>{FACTS}"])
    def test_b005_a_thought_alone_is_none(self, text: str):
        with pytest.raises(ProviderBadReply) as caught:
            parsed(text)
        assert caught.value.reason == "malformed"

    @pytest.mark.parametrize(
        "text",
        [
            '{"facts":["Nora moved to Porto","Ivo bou',
            '{"facts":["Nora moved to Porto","Ivo bought a boat"',
            '{"facts":["Nora moved to Porto","Ivo bought a boat"]',
            '{"facts":[{"text": "Nora moved to Porto"},{"text": "Ivo bought a boat"}',
            '{"facts":[{"text": "Nora moved to Porto"},',
            '{"facts":["Nora moved to [1], {2}',
            '{"facts":["Nora moved to Porto","see 1]}',
            '```json\n{"facts":["Nora moved to Porto",\n```',
            '{"text": "Nora moved to Porto"}\n{"text": "Ivo bou',
            "{'facts': ['Nora moved to Porto', 'Ivo bou",
            "[" * 5000,
        ],
    )
    def test_b009_what_breaks_off_is_never_taken(self, text: str):
        with pytest.raises(ProviderBadReply) as caught:
            parsed(text)
        assert caught.value.reason == "truncated"
        assert "Porto" not in str(caught.value)

    @pytest.mark.parametrize(
        "text",
        [
            "{'facts': ['Ivo rents flat 7']}",
            '{"facts": ["Ivo rents flat 7",],}',
            '{facts: ["Ivo rents flat 7"]}',
            '{"facts": [“Ivo rents flat 7”]}',
            '{"facts": ["Ivo rents flat 7"] // one\n}',
            '{"facts": ["Ivo rents flat 7"}',
            'So: {"facts": ["Ivo rents flat 7",]} See [1].',
        ],
    )
    def test_a_small_fault_is_repaired(self, text: str):
        assert parsed(text) == {"facts": ["Ivo rents flat 7"]}

    def test_brackets_inside_a_text_end_nothing(self):
        assert parsed('{"facts": ["a } b ] \\" }",]} or {"x"}') == {"facts": ['a } b ] " }']}

    def test_the_package_for_repairs_is_not_loaded_without_need(self):
        code = (
            'import sys; from fabula.replies import parsed; parsed(\'x [1] {"a": "2\\n"} y\'); '
            "print('json_repair' in sys.modules); parsed('{\"a\": 2,}'); print('json_repair' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
        assert (done.stdout.split(), done.stderr) == (["False", "True"], "")

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("[]", []),
            ("{}", {}),
            ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
            ('{"a": NaN, "b": -Infinity}', {"a": None, "b": None}),
            ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
            ('```json\n{"a": 1}\n```\n```json\n{"b": 2}\n```', [{"a": 1}, {"b": 2}]),
            ('{"a": 1} or {"b": 22}', {"b": 22}),
        ],
    )
    def test_values(self, text: str, value: Any):
        assert parsed(text) == value

    @pytest.mark.parametrize(
        "text", ["", " ", "I found nothing.", "{draft}", "7", '"text"', "null", "[see below]", "}{", "``````", "没有。"]
    )
    def test_no_json_is_malformed(self, text: str):
        with pytest.raises(ProviderBadReply) as caught:
            parsed(text)
        assert caught.value.reason == "malformed"

    @pytest.mark.parametrize(
        "text",
        [
            "<think>" * 20_000,
            "{" * 100_000,
            '[{"a":' * 30_000,
            "[{" * 50_000 + "}]" * 50_000,
            "[ " * 50_000 + "}" * 50_000,
            '["' * 50_000,
            "[" * 3000 + "," + "]" * 3000,
            '{"facts": [' + '"a said "b" to me", ' * 5000 + "]}",
        ],
        ids=lambda text: text[:6],
    )
    def test_no_text_takes_long(self, text: str):
        started = time.process_time()
        with pytest.raises(ProviderBadReply):
            drawn(text)
        assert time.process_time() - started < 5


class TestReplies:
    @pytest.mark.parametrize(
        "reply",
        [
            [{"subject": "Ivo", "predicate": "owns", "object": "kayak"}],
            {"subject": "Ivo", "predicate": "owns", "object": "kayak"},
            {"facts": {"subject": "Ivo", "predicate": "owns", "object": "kayak"}},
            {"result": {"facts": [{"subject": "Ivo", "predicate": "owns", "object": "kayak"}], "frames": None}},
            [{"facts": [{"subject": "Ivo", "predicate": "owns", "object": "kayak"}]}, {"facts": []}],
        ],
    )
    def test_b010_another_shape_that_says_the_same(self, reply: Any):
        found = drawn(reply)
        (made,) = found.facts
        assert (made.subject, made.predicate, made.object, made.text) == ("Ivo", "owns", "kayak", "Ivo owns kayak")
        assert found == Extraction(facts=found.facts)

    def test_b010_a_list_of_items_of_all_kinds(self):
        found = drawn([
            {"summary": "Nora went to Lyon"}, {"content": "Nora has been to Lyon"},
            {"name": "Lyon", "type": "Location"}, {"key": "home", "value": "Porto", "subject": "Nora"},
            "Ivo rents flat 7",
        ])  # fmt: skip
        assert [frame.text for frame in found.frames] == ["Nora went to Lyon"]
        assert [made.text for made in found.facts] == ["Nora has been to Lyon", "Ivo rents flat 7"]
        assert [entity.text for entity in found.entities] == ["Lyon"]
        assert [note.value for note in found.notes] == ["Porto"]

    def test_b011_one_odd_item_is_left_out_and_counted(self, caplog: pytest.LogCaptureFixture):
        caplog.set_level(logging.DEBUG, "fabula.replies")
        found = drawn('{"facts":["A likes plum",{"content":null},{"content":"B likes fig"},7]}')
        assert [made.text for made in found.facts] == ["A likes plum", "B likes fig"]
        assert found.rejected == 2
        assert sum("left out" in line for line in caplog.messages) == 2

    @pytest.mark.parametrize(
        ("kind", "odd"),
        [
            (kind, odd)
            for kind in ("frames", "facts", "entities", "profile")
            for odd in (None, 7, True, [], {}, "", " ", "\u200b", {"sources": ["1"]}, [["Nora"]], {"text": ["x"]})
        ],
    )
    def test_b011_whatever_is_odd_about_it(self, kind: str, odd: Any):
        found = drawn({kind: [odd], "frames" if kind != "frames" else "facts": ["Nora went to Lyon"]})
        assert found.rejected == 1
        assert len(found.frames) + len(found.facts) == 1

    def test_b011_an_event_is_left_out_of_its_frame(self):
        events = [None, {"action": "went to Lyon"}, {"time": "2023"}, "came back"]
        found = drawn({"frames": [{"summary": "x", "events": events}]})
        assert [event.action for event in found.frames[0].events] == ["went to Lyon", "came back"]
        assert found.rejected == 2

    @pytest.mark.parametrize("reply", [{"facts": []}, {"facts": None}, {"facts": {}}, [], {"facts": [], "foo": 1}])
    def test_b007_nothing_found_is_said_in_so_many_words(self, reply: Any):
        assert drawn(reply) == Extraction()

    @pytest.mark.parametrize(
        "reply",
        [{}, {"foo": 1}, [1, 2], [{"foo": 1}], {"error": "I cannot do that"}, {"text": "I cannot do that"},
         {"a": ["b"]}, {"name": "record", "arguments": "{}"}, {"a": {"b": {"facts": []}}}],
    )  # fmt: skip
    def test_b007_anything_else_is_malformed(self, reply: Any):
        with pytest.raises(ProviderBadReply) as caught:
            drawn(reply)
        assert caught.value.reason == "malformed"

    def test_not_a_number_is_none(self):
        assert importance_of(math.nan) == 0.5
        assert text_of(math.nan) == text_of(math.inf) == ""

    @pytest.mark.parametrize("value", ["none", 7, True])
    def test_b007_a_remark_instead_of_a_list_is_no_item(self, value: Any):
        assert drawn({"facts": value}) == Extraction(rejected=1)

    def test_b012_what_is_missing_has_a_default(self):
        found = drawn(
            {"frames": [{"summary": "Nora went to Lyon"}], "facts": [{"text": "x"}], "entities": [{"name": "Lyon"}]}
        )
        (frame,), (made,), (entity,) = found.frames, found.facts, found.entities
        assert (frame.events, frame.importance, frame.emotion) == ((), 0.5, None)
        assert (made.subject, made.importance, made.valid) == ("", 0.5, None)
        assert (entity.type, entity.aliases) == ("", ())
        assert found.rejected == 0

    def test_b077_half_a_character(self):
        found = drawn(
            r'{"facts":["ok \ud83d", "\ud83c\udf78", {"text": "\ud83c", "subject": "\udf78", "predicate": "is"}]}'
        )
        assert [made.text for made in found.facts] == ["ok \ufffd", "🍸", "\ufffd"]
        assert found.facts[2].subject == "\ufffd"

    def test_b005_no_stored_text_holds_a_thought(self):
        found = drawn({
            "frames": [{
                "summary": "<think>hm</think>Nora left", "events": [{"action": "<THINK>left", "location": "<think>"}],
            }],
            "facts": ["<think>a</think>b", "<think>only</think>"],
            "profile": [{"key": "home</think>", "value": "<think>?</think>Porto"}],
            "entities": [{"name": "<think>no</think>Nora", "aliases": ["<think>N</think>"]}],
        })  # fmt: skip
        assert "think" not in repr(found).lower()
        assert (found.frames[0].text, found.facts[0].text, found.notes[0].value) == ("Nora left", "b", "Porto")
        assert (found.entities[0].text, found.entities[0].aliases, found.rejected) == ("Nora", (), 1)

    def test_b020_what_was_recalled_is_no_news(self):
        found = drawn({"facts": [f"{OPEN}\n- Nora likes tea\n{CLOSE}", f"Ivo rows {OPEN}\nx\n{CLOSE}"]})
        assert [made.text for made in found.facts] == ["Ivo rows"]
        assert found.rejected == 1

    def test_the_same_reply_makes_the_same_records(self):
        reply = {"frames": ["a"], "facts": ["b"], "profile": [{"key": "c", "value": "d"}], "entities": ["Nora"]}
        assert drawn(reply) == drawn(reply)
        assert {r.scope for r in (*drawn(reply).frames, *drawn(reply).facts, *drawn(reply).notes)} == {"u"}


class TestSources:
    @pytest.mark.parametrize(
        ("cited", "ids"),
        [
            (["1"], ["p1"]),
            (["2", "1", "2"], ["p1", "p2"]),
            ([1, 2.0], ["p1", "p2"]),
            ("[1]", ["p1"]),
            (["[1], [2]"], ["p1", "p2"]),
            ("1、3", ["p1", "p3"]),
            (2, ["p2"]),
            (["12", "2", None, 7.5], ["p2"]),
            ([], ["p1", "p2", "p3"]),
            (None, ["p1", "p2", "p3"]),
            ("", ["p1", "p2", "p3"]),
        ],
    )
    def test_b013_only_what_was_shown_is_cited(self, cited: Any, ids: list[str]):
        assert list(fact(sources=cited).sources) == ids

    @pytest.mark.parametrize("cited", [["12"], ["0"], "p1", [True], {"1": "1"}, [["1"]]])
    def test_b013_an_item_that_cites_nothing_shown_is_left_out(self, cited: Any):
        item = {"text": "x", "summary": "x", "key": "x", "value": "x", "sources": cited}
        found = drawn({"facts": [item, "y"], "frames": [item], "profile": [item]})
        assert [made.text for made in found.facts] == ["y"]
        assert (found.frames, found.notes, found.rejected) == ((), (), 3)

    def test_refs_may_be_labels(self):
        passages = {"D1:3": TALK["1"], "a, b": TALK["2"]}
        found = drawn({"facts": [{"text": "x", "sources": ["D1:3"]}, {"text": "y", "sources": ["a, b"]}]}, passages)
        assert [made.sources for made in found.facts] == [("p1",), ("p2",)]

    def test_without_passages_nothing_can_be_cited(self):
        assert drawn({"facts": ["x"], "entities": ["Nora"]}, {}) == Extraction(rejected=2)


class TestFacts:
    @pytest.mark.parametrize(
        ("triple", "text"),
        [
            (("Ivo", "owns", "a kayak"), "Ivo owns a kayak"),
            (("Ivo", "lives_in", "Porto"), "Ivo lives in Porto"),
            (("Ivo", "retired", ""), "Ivo retired"),
            (("小明", "喜欢", "绿茶"), "小明喜欢绿茶"),
            (("user", "喜欢", "绿茶"), "用户喜欢绿茶"),
            (("Assistant", "推荐", "绿茶"), "助手推荐绿茶"),
            (("Ivo", "喜欢", "龙井绿茶"), "Ivo喜欢龙井绿茶"),
            (("小明", "works at", "Google"), "小明 works at Google"),
            (("user", "likes", "tea"), "user likes tea"),
        ],
    )
    def test_b017_a_text_is_made_in_the_language_of_its_triple(self, triple: tuple[str, str, str], text: str):
        subject, predicate, thing = triple
        assert fact(text=None, subject=subject, predicate=predicate, object=thing).text == text

    def test_b017_a_text_that_is_given_stays(self):
        made = fact(text="用户每周三在杭州学潜水", subject="用户", predicate="学", object="潜水")
        assert (made.text, made.subject, made.predicate, made.object) == (
            "用户每周三在杭州学潜水",
            "用户",
            "学",
            "潜水",
        )

    @pytest.mark.parametrize(
        "half",
        [
            {"subject": "Ivo"},
            {"predicate": "owns", "object": "kayak"},
            {"subject": " ", "predicate": "x"},
            {"subject": ["Ivo"]},
        ],
    )
    def test_half_a_triple_is_none(self, half: dict[str, Any]):
        made = fact(text="Ivo has a kayak", **half)
        assert (made.subject, made.predicate, made.object, made.text) == ("", "", "", "Ivo has a kayak")

    @pytest.mark.parametrize(
        ("sources", "meta"),
        [(["3"], {"speaker": "assistant"}), (["1"], {"speaker": "Nora"}), (["1", "3"], {}), (None, {})],
    )
    def test_b018_says_who_said_it(self, sources: Any, meta: dict[str, str]):
        assert fact(sources=sources).meta == meta

    @pytest.mark.parametrize(
        ("speaker", "ids"), [("assistant", ("p3",)), ("NORA", ("p1",)), ("Eve", ("p1", "p2", "p3"))]
    )
    def test_b018_a_speaker_that_the_model_names(self, speaker: str, ids: tuple[str, ...]):
        assert fact(sources=None, speaker=speaker).sources == ids
        assert fact(sources=["2"], speaker=speaker).sources == ("p2",)

    @pytest.mark.parametrize(
        ("subject", "sources", "kept"),
        [
            ("Nora", ["1"], True),
            ("Nora", ["2"], True),  # hearsay, which says who told it
            ("Nora", ["3"], False),
            ("Nora", ["1", "3"], True),
            ("user", ["3"], False),
            ("用户", ["3"], False),
            ("user", ["2"], True),  # whoever speaks, where nobody is shown as "user"
            ("assistant", ["3"], True),
            ("Rome", ["3"], True),
        ],
    )
    def test_b018_what_an_assistant_says_is_no_fact_about_who_speaks(
        self, subject: str, sources: list[str], kept: bool
    ):
        item = {"subject": subject, "predicate": "adores", "object": "sonnets", "sources": sources}
        found = drawn({"facts": [item, "x"]})
        assert (len(found.facts), found.rejected) == ((2, 0) if kept else (1, 1))

    @pytest.mark.parametrize("who", ["user", "用户"])
    def test_b018_nor_what_a_third_person_says_one_about_the_user(self, who: str):
        passages = {"1": said("1", "hm"), "2": said("2", "You love tea", "Ivo")}
        item = {"subject": who, "predicate": "loves", "object": "tea", "key": "drink", "value": "tea"}
        for sources, count in ((["2"], 0), (["1", "2"], 1), (["1"], 1)):
            given_ = {**item, "sources": sources}
            found = drawn({"facts": [given_], "profile": [given_]}, passages)
            assert (len(found.facts), len(found.notes), found.rejected) == (count, count, 2 - 2 * count)

    @pytest.mark.parametrize(
        ("value", "confidence"),
        [(0.9, 0.9), (1, 1.0), (7, 1.0), (-1, 0.0), ("0.5", 0.5), (None, None), ("sure", None), (True, None),
         (math.nan, None), ([1], None)],
    )  # fmt: skip
    def test_confidence_is_bounded_and_never_made_up(self, value: Any, confidence: float | None):
        assert fact(confidence=value).meta.get("confidence") == confidence

    def test_told_twice_it_is_as_sure_as_the_surer(self):
        found = drawn({"facts": [{"text": "x", "sources": ["1"], "confidence": c} for c in (0.5, 0.9, None)]})
        assert [dict(made.meta) for made in found.facts] == [{"speaker": "Nora", "confidence": 0.9}]

    def test_b018_what_an_assistant_says_is_no_fact_about_whom_it_talks_to(self):
        """Of itself and of others it may be one; and so it is once somebody else says so too."""
        adores = {"predicate": "adores", "object": "sonnets", "sources": ["3"]}
        items = [{**adores, "subject": who} for who in ("Nora", "IVO", "user", "用户")]
        assert drawn({"facts": items}) == Extraction(rejected=4)
        assert drawn({"facts": items}).misplaced == 4
        others = [{**adores, "subject": who, "text": f"{who} adores"} for who in ("assistant", "Emma", None)]
        assert [made.meta for made in drawn({"facts": others}).facts] == [{"speaker": "assistant"}] * 3
        (made,) = drawn({"facts": [items[0], {**items[0], "sources": ["1"]}]}).facts
        assert made.sources == ("p3", "p1")

    def test_one_thing_said_twice_is_one(self):
        found = drawn({
            "facts": [
                {"subject": "Ivo", "predicate": "owns", "object": "Kayak", "sources": ["2"], "importance": 8},
                {"subject": "IVO", "predicate": "Owns", "object": "kayak", "sources": ["3"]},
                {"text": "Ivo rows"}, "IVO ROWS",
            ],
        })  # fmt: skip
        assert [(made.text, made.sources, made.importance) for made in found.facts] == [
            ("Ivo owns Kayak", ("p2", "p3"), 0.8),
            ("Ivo rows", ("p1", "p2", "p3"), 0.5),
        ]
        assert found.facts[0].meta == {"worded_by": ["p2"]}

    def test_the_id_of_a_fact_is_left_to_whoever_knows_who_is_meant(self):
        assert fact(subject="Ivo", predicate="Owns", object="KAYAK", text="whatever").id == ""

    @pytest.mark.parametrize(
        ("value", "importance"),
        [(1, 0.1), (10, 1.0), (0, 0.1), (-3, 0.1), (11, 1.0), (10**400, 1.0), (7.5, 0.75), ("8", 0.8), ("8/10", 0.8),
         (None, 0.5), ("high", 0.5), (True, 0.5), ([9], 0.5), (1e308 * 10, 0.5)],
    )  # fmt: skip
    def test_importance_is_bounded(self, value: Any, importance: float):
        assert fact(importance=value).importance == pytest.approx(importance)


class TestTimes:
    @pytest.mark.parametrize(
        ("text", "start", "end", "precision"),
        [
            ("2023", "2023-01-01", "2024-01-01", "year"),
            ("2023-05", "2023-05-01", "2023-06-01", "month"),
            ("2023-05-20", "2023-05-20", "2023-05-21", "day"),
            ("2023-05-20T10:00", "2023-05-20T10:00", "2023-05-20T10:01", "minute"),
            ("2023-05-20T10:00:30Z", "2023-05-20T10:00:30", "2023-05-20T10:00:31", "second"),
            ("2023-05-20T10:00+08:00", "2023-05-20T02:00", "2023-05-20T02:01", "minute"),
            ("2023-W20", "2023-05-15", "2023-05-22", "week"),
            ("2023-05-15/2023-05-21", "2023-05-15", "2023-05-22", "range"),
            ("2023-04 / 2023-05", "2023-04-01", "2023-06-01", "range"),
            ("2023/2023-05", "2023-01-01", "2023-06-01", "range"),
            ("2023-05-20T10:00/2023-05-20T12:00", "2023-05-20T10:00", "2023-05-20T12:01", "range"),
            ("2023-05/2023-05", "2023-05-01", "2023-06-01", "month"),
            ("2023-05/..", "2023-05-01", None, "range"),
            ("2023-05/", "2023-05-01", None, "range"),
            ("../2023-05", None, "2023-06-01", "range"),
            ("last week", "2023-05-15", "2023-05-22", "week"),
            ("上周", "2023-05-15", "2023-05-22", "week"),
            ("2023年5月20日", "2023-05-20", "2023-05-21", "day"),
            ("5/6/2023", "2023-05-06", "2023-05-07", "day"),
        ],
    )
    def test_b080_are_read_from_when_it_was_said(self, text: str, start: str | None, end: str | None, precision: str):
        assert time_of(text, WEDNESDAY, Conventions()) == interval(start, end, precision)

    @pytest.mark.parametrize(
        "text",
        [None, "", "unknown", "不详", "2023-02-30", "2023-05-21/2023-05-15", "2019/2018", "2023-02-30/2023-03-05", "..",
         "/", "../..", "every Monday", True, [2023], {"start": "2023"}, "\ud83d"],
    )  # fmt: skip
    def test_what_cannot_be_read_is_no_time(self, text: Any):
        assert time_of(text, WEDNESDAY, Conventions()) is None

    def test_a_number_is_a_year(self):
        assert time_of(2021, WEDNESDAY, Conventions()) == interval("2021-01-01", "2022-01-01", "year")

    def test_conventions_hold(self):
        assert time_of("5/6/2023", WEDNESDAY, Conventions(month_first=False)) == interval(
            "2023-06-05", "2023-06-06", "day"
        )
        found = extraction(
            {"facts": [{"text": "x", "valid_from": "5/6/2023"}]}, TALK, conventions=Conventions(month_first=False)
        )
        assert found.facts[0].valid == interval("2023-06-05", None, "day")

    def test_are_in_the_zone_of_what_was_said(self):
        found = time_of("2023-05-20", WEDNESDAY.astimezone(SHANGHAI), Conventions())
        assert found is not None
        assert found.start is not None
        assert found.start == datetime(2023, 5, 19, 16, tzinfo=UTC)
        assert found.start.utcoffset() == timedelta(hours=8)

    def test_words_need_a_day_to_count_from_and_figures_none(self):
        assert time_of("last week", None, Conventions()) is None
        assert time_of("2023-05", None, Conventions()) == interval("2023-05-01", "2023-06-01", "month")

    def test_b080_words_count_from_the_first_source(self):
        later = said("9", "x", valid=Interval.at(datetime(2024, 1, 10, tzinfo=UTC)))
        found = drawn(
            {"facts": [{"text": "x", "valid_from": "yesterday", "sources": ["9", "1"]}]}, {**TALK, "9": later}
        )
        assert found.facts[0].valid == interval("2023-05-23", None, "day")

    @pytest.mark.parametrize(
        ("since", "until", "valid"),
        [
            (None, None, None),
            ("2019", None, ("2019-01-01", None, "year")),
            (None, "2019-05", (None, "2019-06-01", "month")),
            ("2019", "2019-05-02", ("2019-01-01", "2019-05-03", "year")),
            ("2019-05-02", "2019", ("2019-05-02", "2020-01-01", "day")),
            ("2019", "2018", ("2019-01-01", None, "year")),
            ("2019", "2017", ("2019-01-01", None, "year")),
            ("2019", "2019", ("2019-01-01", "2020-01-01", "year")),
            ("2019-05-02T10:00:00.0Z", "2019-05-02T10:00:00.0Z", ("2019-05-02T10:00", "2019-05-02T10:00", "instant")),
            ("some day", "2018", (None, "2019-01-01", "year")),
            ("2018", "some day", ("2018-01-01", None, "year")),
            ("some day", "some day", None),
            ("../2018", None, None),
        ],
    )
    def test_since_and_until(self, since: Any, until: Any, valid: tuple[Any, ...] | None):
        assert fact(valid_from=since, valid_to=until).valid == (interval(*valid) if valid else None)

    def test_an_end_without_a_beginning_is_no_beginning(self):
        assert lasting(None, interval("2023-01-01", None, "range")) is None

    @pytest.mark.parametrize(
        "text", ["0000-00-00", "0001-01-01", "9999-12-31", "2023-13-01", "2023-05-00", "1/2023-05-01"]
    )
    def test_a_date_that_cannot_be_is_none(self, text: str):
        assert fact(valid_from=text, valid_to=text).valid is None

    @pytest.mark.parametrize(("words", "says"), [("last week", "I moved last week"), ("上周", "我上周搬了家")])
    def test_words_count_from_the_source_that_says_them(self, words: str, says: str):
        later = said("9", says, valid=Interval.at(datetime(2024, 1, 10, tzinfo=UTC)))
        event = {"action": "moved", "time": words}
        reply = {
            "facts": [{"text": "x", "valid_from": words, "sources": ["1", "9"]}],
            "frames": [{"summary": "x", "sources": ["1", "9"], "events": [event, {**event, "sources": ["2"]}]}],
        }
        found = drawn(reply, {"1": said("1", "Really?"), "2": TALK["2"], "9": later})
        (made,), (frame,) = found.facts, found.frames
        assert made.valid == interval("2024-01-01", None, "week")
        assert [event.time for event in frame.events] == [
            interval("2024-01-01", "2024-01-08", "week"), interval("2023-05-15", "2023-05-22", "week"),
        ]  # fmt: skip

    def test_a_frame_happened_when_its_first_dated_event_did(self):
        events = [{"action": "a"}, {"action": "b", "time": "2021"}, {"action": "c", "time": "2019"}]
        (frame,) = drawn({"frames": [{"summary": "x", "events": events}]}).frames
        assert frame.valid == interval("2021-01-01", "2022-01-01", "year")
        assert [event.time and event.time.precision for event in frame.events] == [None, "year", "year"]

    def test_without_one_when_it_was_said(self):
        later = WEDNESDAY + timedelta(minutes=5)
        passages = {"1": TALK["1"], "2": said("2", "x", valid=Interval.at(later)), "3": said("3", "x", valid=None)}
        reply = {
            "frames": [
                {"summary": "x", "events": [{"action": "a", "time": "some day"}]},
                {"summary": "y", "sources": "3"},
            ]
        }
        assert [frame.valid for frame in drawn(reply, passages).frames] == [Interval(start=WEDNESDAY, end=later), None]


class TestFrames:
    def test_hold_what_was_given(self):
        event = {
            "participants": ["Nora", "nora", "she", "", {"name": "Ivo"}], "action": "went", "time": "2023-05-20",
            "location": "Lyon", "causality": "a fair", "manner": "by train",
        }  # fmt: skip
        item = {"summary": "Nora  went", "events": [event], "sources": ["2", "1"], "importance": 8}
        (frame,) = drawn({"frames": [{**item, "emotion": {"label": "glad", "valence": 0.5, "arousal": 0.25}}]}).frames
        assert frame.id == derived_id("frame", "p1", "p2", "nora went")
        assert (frame.text, frame.session, frame.importance) == ("Nora  went", "default", 0.8)
        assert frame.emotion == Emotion(label="glad", valence=0.5, arousal=0.25)
        assert frame.events == (
            Event(
                participants=("nora", "Ivo"), action="went", time=interval("2023-05-20", "2023-05-21", "day"),
                location="Lyon", causality="a fair", manner="by train",
            ),
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("value", "emotion"),
        [
            (None, None),
            ({}, None),
            ({"label": None, "valence": None}, None),
            ([], None),
            ("glad", Emotion(label="glad", valence=0, arousal=0)),
            ({"valence": 7, "arousal": -1}, Emotion(valence=1, arousal=0)),
            ({"label": "sad", "valence": "-3", "arousal": "high"}, Emotion(label="sad", valence=-1, arousal=0)),
        ],
    )
    def test_emotions_are_bounded(self, value: Any, emotion: Emotion | None):
        assert drawn({"frames": [{"summary": "x", "emotion": value}]}).frames[0].emotion == emotion
        assert drawn({"facts": [{"text": "x", "emotion": value}]}).facts[0].emotion == emotion


def minutes_apart(*minutes: int, texts: tuple[str, ...] = ()) -> dict[str, Passage]:
    """Messages of two speakers in turn, so many minutes after ten, by their labels."""
    moments = [WEDNESDAY + timedelta(minutes=minute) for minute in minutes]
    return {
        str(n): said(str(n), text, ("Nora", "Ivo")[n % 2], valid=Interval.at(moment))
        for n, (moment, text) in enumerate(zip(moments, texts or ["x"] * len(moments), strict=True))
    }


LONG = minutes_apart(0, 1, 20, texts=("We tried to start the boat.", "The engine is cold.", "Now it runs!"))
LONG_HAN = minutes_apart(0, 1, 20, texts=("我们试着发动船。", "发动机太凉了。", "现在它转起来了！"))


class TestSubEvents:
    """What goes on for more than five minutes has an event for each stage, with its own time."""

    def at(self, minute: int, until: int | None = None) -> Interval:
        first, last = (WEDNESDAY + timedelta(minutes=m) for m in (minute, minute if until is None else until))
        return Interval(start=first, end=last)

    def test_an_event_of_no_told_time_was_when_its_messages_were_sent(self):
        events = [
            {"action": "tried", "sources": ["0", "1"]}, {"action": "ran", "sources": "2"},
            {"action": "rested", "sources": ["2"], "time": "2023-05-23"}, {"action": "sang"},
        ]  # fmt: skip
        (frame,) = drawn({"frames": [{"summary": "x", "sources": ["0", "1", "2"], "events": events}]}, LONG).frames
        day = interval("2023-05-23", "2023-05-24", "day")
        assert [event.time for event in frame.events] == [self.at(0, 1), self.at(20), day, None]
        assert frame.valid == day

    @pytest.mark.parametrize(
        ("passages", "actions"),
        [
            (LONG, ["We tried to start the boat.", "Now it runs!"]),
            (LONG_HAN, ["发动机太凉了。", "现在它转起来了！"]),
        ],
    )
    @pytest.mark.parametrize("events", [[], [{"action": "started it", "time": "2023-05-24"}]])
    def test_one_event_is_followed_by_those_of_its_stages(
        self, passages: dict[str, Passage], actions: list[str], events: list[Any]
    ):
        (frame,) = drawn({"frames": [{"summary": "x", "sources": ["0", "1", "2"], "events": events}]}, passages).frames
        told = frame.events[len(events) :]
        assert len(told) == 2
        assert [event.time for event in told] == [self.at(0, 1), self.at(20)]
        assert told[1].action == actions[1]
        assert told[0].action in {passages["0"].text, passages["1"].text}
        assert [set(event.participants) for event in told] == [{"Nora", "Ivo"}, {"Nora"}]
        assert frame.valid == (frame.events[0].time if events else self.at(0, 20))

    @pytest.mark.parametrize("minutes", [(0, 1, 5), (0,)])
    def test_what_is_brief_stays_as_it_was_told(self, minutes: tuple[int, ...]):
        passages = minutes_apart(*minutes)
        (frame,) = drawn(
            {"frames": [{"summary": "x", "events": [{"action": "ran", "sources": ["0"]}]}]}, passages
        ).frames
        assert [(event.action, event.time) for event in frame.events] == [("ran", None)]

    def test_what_an_event_cites_the_frame_cites(self):
        events = [{"action": "ran", "sources": ["2"]}, {"action": "flew", "sources": ["77"]}]
        found = drawn({"frames": [{"summary": "x", "sources": ["0"], "events": events}]}, LONG)
        assert found.frames[0].sources == ("p0", "p2")
        assert (found.frames[0].events[0].action, found.rejected) == ("ran", 1)


class TestDecisions:
    PEOPLE = ({"name": "Maria Silva", "type": "Person", "aliases": ["Maria"]}, {"name": "王建国", "type": "Person"},
              {"name": "Porto", "type": "Location"}, {"name": "Tom", "type": "Person"})  # fmt: skip

    def participants(self, *texts: str, **event: Any) -> list[str]:
        passages = minutes_apart(*range(len(texts)), texts=texts)
        passages["8"] = said("8", "Shall I book?", "assistant", role="assistant")
        item = {"summary": "x", "events": [event, {"action": "sang", "participants": ["Tom"]}]}
        found = drawn({"frames": [item], "entities": list(self.PEOPLE)}, passages)
        assert found.frames[0].events[1].participants == ("Tom",), "only the decision gains any"
        return list(found.frames[0].events[0].participants)

    @pytest.mark.parametrize(
        ("texts", "action", "people"),
        [
            (("Maria wants Porto.", "OK then."), "they decided on Porto", ["Nora", "Maria Silva", "Ivo"]),
            (("Maria wants Porto.", "OK then."), "decided to adopt a cat", ["Nora"]),
            (("王建国也来。", "好。"), "决定养猫", ["Nora"]),
            (("王建国也来。", "好。"), "商量好去杭州", ["Nora", "王建国", "Ivo"]),
            (("Maria wants Porto.", "OK then."), "went to Porto", ["Nora"]),
        ],
    )
    def test_keep_everybody_who_speaks_or_is_named(self, texts: tuple[str, ...], action: str, people: list[str]):
        assert self.participants(*texts, action=action, participants=["Nora"]) == people

    def test_nobody_twice(self):
        assert self.participants(
            "Maria wants it.", "Fine.", action="agreed", participants=["maria", "IVO", "Nora"]
        ) == ["maria", "IVO", "Nora"]  # fmt: skip

    def test_the_summary_may_tell_of_it(self):
        found = drawn({"frames": [{"summary": "They decided to go.", "events": [{"action": "a"}, {"action": "b"}]}]})
        assert [event.participants for event in found.frames[0].events] == [("Nora", "Ivo")] * 2

    @pytest.mark.parametrize(("summary", "user"), [("They agreed.", "user"), ("他们同意了。", "用户")])
    def test_the_user_goes_by_one_name(self, summary: str, user: str):
        passages = {"1": said("1", "OK"), "2": said("2", "好", "Ivo")}
        for given_ in ([], ["user"], ["用户"]):
            item = {"summary": summary, "events": [{"action": "a", "participants": given_}]}
            (frame,) = drawn({"frames": [item]}, passages).frames
            assert frame.events[0].participants == ((*(given_ or [user]), "Ivo") if given_ else (user, "Ivo"))


class TestEntities:
    @pytest.mark.parametrize(
        ("name", "aliases", "ids"),
        [
            ("Nora", [], ["p1"]),
            ("LYON", [], ["p1"]),
            ("Ly", [], None),
            ("Jonas Ek", ["Ivo"], ["p1", "p2"]),
            ("assistant", [], ["p3"]),
            ("Nobody", ["no one"], None),
        ],
    )
    def test_have_the_passages_that_name_them(self, name: str, aliases: list[str], ids: list[str] | None):
        found = drawn({"entities": [{"name": name, "aliases": aliases}], "facts": ["x"]})
        assert [list(entity.sources) for entity in found.entities] == ([] if ids is None else [ids])
        assert found.rejected == (ids is None)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("小明", "我和小明去了杭州"),
            ("Google", "我在Google工作"),
            ("C++", "C++ is hard"),
            ("철수", "철수가 왔다"),
            ("小明", "VIP小明ok"),
            ("O'Neil", "O’Neil’s"),
        ],
    )
    def test_are_found_in_every_script(self, name: str, text: str):
        assert drawn({"entities": [name]}, {"1": said("1", text)}).entities[0].sources == ("p1",)

    def test_are_found_in_pictures_and_not_in_what_was_recalled(self):
        passages = {
            "1": said("1", f"{OPEN}\nNora\n{CLOSE}"),
            "2": said("2", "look", images=(Image(caption="Nora at the sea"),)),
        }
        assert drawn({"entities": ["Nora"]}, passages).entities[0].sources == ("p2",)

    def test_or_those_of_what_names_them(self):
        found = drawn({
            "facts": [{"subject": "Nora's sister", "predicate": "is", "object": "ill", "sources": ["2"], "text": "x"}],
            "frames": [{"summary": "x", "events": [{"action": "saw the Rhône"}], "sources": ["3"]}],
            "entities": ["Nora's sister", "Rhône"],
        })  # fmt: skip
        assert [entity.sources for entity in found.entities] == [("p2",), ("p3",)]
        pet = {"subject": "Nora", "key": "pet", "value": "a cat called Tom", "sources": ["1"]}
        assert drawn({"profile": [pet], "entities": ["Tom"]}).entities[0].sources == ("p1",)

    def test_names_are_cleaned(self):
        item = {
            "name": " Nora \n Berg",
            "type": "Person",
            "aliases": ["NORA BERG", "Nora", "nora", "she", "我", None, 7, " "],
        }
        (entity,) = drawn({"entities": [item]}).entities
        assert (entity.text, entity.type, entity.aliases) == ("Nora Berg", "Person", ("nora", "7"))
        assert entity.id == derived_id("entity", "nora berg")

    @pytest.mark.parametrize("name", ["she", "I", "我", "[REDACTED]", "他们"])
    def test_a_pronoun_and_a_secret_are_no_names(self, name: str):
        passages = {"1": said("1", "she and I, 我 saw 他们 with [REDACTED]")}
        assert drawn({"entities": [name]}, passages) == Extraction(rejected=1)

    def test_pronouns_are_folded(self):
        assert all(fold(word) == word for word in PRONOUNS)

    def test_one_named_twice_is_one(self):
        items = [{"name": "Nora", "aliases": ["N."]}, {"name": "NORA", "type": "Person", "aliases": ["n.", "Ivo"]}]
        (entity,) = drawn({"entities": items}).entities
        assert (entity.text, entity.type, entity.aliases) == ("Nora", "Person", ("N.", "Ivo"))
        assert entity.sources == ("p1", "p2")

    @pytest.mark.parametrize(
        ("told", "kept"),
        [
            ("Person", "Person"),
            ("place", "place"),
            ("人物", "人物"),
            ("Oncology patient", ""),
            ("x" * 5000, ""),
            (7, ""),
        ],
    )
    def test_a_type_is_one_of_those_that_are_asked_for(self, told: Any, kept: str):
        """Any other would say what a message told, and outlive it."""
        assert [one.type for one in drawn({"entities": [{"name": "Nora", "type": told}]}).entities] == [kept]

    def test_no_names_are_found_nowhere(self):
        assert not naming([])("anything")
        assert not naming(["", " "])(" ")

    @pytest.mark.parametrize(
        ("name", "text", "there"),
        [("ann", "anna met ann.", True), ("ann", "anna, joann", False), ("小明", "和小明去", True),
         ("ann", "和ann去", True),
         ("c++", "in c++ and c", True), ("c", "in c++", True), ("민수", "민수가", True), ("3g", "13g 3g2", False)],
    )  # fmt: skip
    def test_a_name_is_a_word_of_its_own(self, name: str, text: str, there: bool):
        assert naming(["nobody", name])(text) is there


class TestProfile:
    @pytest.mark.parametrize(
        ("item", "key", "text"),
        [
            ({"subject": "Nora", "key": "Home", "value": "Porto"}, "nora/home", "Nora Home: Porto"),
            ({"subject": "user", "key": "home", "value": "Porto"}, "home", "home: Porto"),
            ({"key": "home", "value": "Porto"}, "home", "home: Porto"),
            ({"subject": "用户", "key": "职业", "value": "教师"}, "职业", "职业：教师"),
            ({"subject": "小明", "key": "职业", "value": "教师"}, "小明/职业", "小明职业：教师"),
            ({"key": "children", "value": 2}, "children", "children: 2"),
            ({"key": "teas", "value": ["green", "black"]}, "teas", "teas: green, black"),
        ],
    )
    def test_b017_is_kept_by_person_and_key(self, item: dict[str, Any], key: str, text: str):
        (note,) = drawn({"profile": [item]}).notes
        assert (note.namespace, note.key, note.text) == ("profile", key, text)
        assert note.meta["subject"] == item.get("subject", "")
        assert note.id == derived_id("note", "profile", key)

    def test_several_values_of_one_key_are_all_kept(self):
        items = [{"subject": "Nora", "key": key, "value": v, "sources": [n]} for key, v, n in
                 (("pet", "Rex", "1"), ("Pet", "Tom", "3"), ("pet", "Rex", "1"))]  # fmt: skip
        (note,) = drawn({"profile": [items[0], {**items[1], "subject": "nora", "sources": ["1"]}, items[2]]}).notes
        assert (note.value, note.text, note.sources) == (["Rex", "Tom"], "Nora pet: Rex, Tom", ("p1",))
        assert note.meta["speaker"] == "Nora"

    def test_b018_what_an_assistant_says_is_nobodys_profile_but_its_own(self):
        items = [
            {"subject": who, "key": "adores", "value": "sonnets", "sources": ["3"]} for who in ("Nora", "user", None)
        ]
        assert drawn({"profile": items}) == Extraction(rejected=3)
        (note,) = drawn({"profile": [{**items[0], "subject": "assistant"}]}).notes
        assert (note.key, note.meta["speaker"]) == ("assistant/adores", "assistant")

    @pytest.mark.parametrize(
        "item", [{"key": "home"}, {"value": "Porto"}, {"key": "home", "value": []}, {"key": "x", "value": {}}]
    )
    def test_needs_a_key_and_a_value(self, item: dict[str, Any]):
        assert drawn({"profile": [item]}) == Extraction(rejected=1)


class TestSize:
    """A reply is as long as somebody could make it; what is kept of it is not."""

    def test_no_more_than_that_of_each_kind(self, caplog: pytest.LogCaptureFixture):
        with caplog.at_level(logging.WARNING):
            found = drawn({
                "frames": [f"frame {n}" for n in range(MOST + 1)],
                "facts": [f"fact {n}" for n in range(MOST + 2)],
                "entities": [{"name": "Nora", "aliases": [f"n{n}"]} for n in range(MOST + 3)],
                "profile": [{"key": f"k{n}", "value": "v", "sources": ["1"]} for n in range(MOST + 4)],
            })  # fmt: skip
        assert [len(made) for made in (found.frames, found.facts, found.notes)] == [MOST] * 3
        assert found.facts[-1].text == f"fact {MOST - 1}", "the first are taken"
        assert len(found.entities[0].aliases) == MANY
        assert found.rejected == 10
        assert [record.getMessage() for record in caplog.records] == [
            "10 items were left out: one reply may not tell that many"
        ]

    def test_nor_of_what_an_item_lists(self):
        names = [f"N{n}" for n in range(MANY + 1)]
        events = [{"action": "agreed", "participants": names}, *({"action": f"a{n}"} for n in range(EVENTS))]
        pets = [{"key": "pet", "value": [f"{name} {n}" for name in names], "sources": ["1"]} for n in (1, 2)]
        found = drawn({"frames": [{"summary": "x", "events": events}], "profile": pets})
        assert (len(found.frames[0].events), found.rejected) == (EVENTS, 1)
        assert found.frames[0].events[0].participants == tuple(names[:MANY]), "whoever speaks is no more either"
        (note,) = found.notes
        assert len(note.value) == MANY

    @pytest.mark.parametrize(
        ("kind", "field", "most"),
        [
            ("frames", "summary", TEXT),
            ("facts", "text", TEXT), ("facts", "content", TEXT), ("facts", "subject", NAME), ("facts", "object", NAME),
            ("facts", "predicate", NAME),
            ("entities", "name", NAME),
            ("profile", "key", NAME), ("profile", "value", NAME), ("profile", "subject", NAME),
        ],
    )  # fmt: skip
    def test_what_is_too_long_is_nothing(self, kind: str, field: str, most: int):
        item = {
            "frames": {"summary": "x"}, "entities": {"name": "Nora", "type": "Person"},
            "facts": {"subject": "Ivo's dog", "predicate": "is", "object": "old"},
            "profile": {"subject": "Nora", "key": "pet", "value": "Rex", "sources": ["1"]},
        }[kind]  # fmt: skip
        for length, rejected in ((most, 0), (most + 1, 1), (1_000_000, 1)):
            text = "Nora " + "x" * (length - 5)
            found = drawn({kind: [item | {field: text}]}, TALK | {"4": said("4", text[:most])})
            made = (*found.frames, *found.facts, *found.entities, *found.notes)
            assert (len(made), found.rejected) == (1 - rejected, rejected), length

    @pytest.mark.parametrize("field", ["action", "location", "causality", "manner"])
    def test_an_event_alone_is_left_out_of_its_frame(self, field: str):
        events = [{"action": "slept"}, {"action": "ran", field: "x" * (TEXT + 1)}]
        found = drawn({"frames": [{"summary": "x", "events": events}]})
        assert ([event.action for event in found.frames[0].events], found.rejected) == (["slept"], 1)

    def test_what_goes_with_an_item_is_left_out_alone(self):
        long = "May 2023 " + "x" * NAME
        event = {"action": "ran", "participants": [long, "Nora"], "time": long}
        (frame,) = drawn({"frames": [{"summary": "x", "events": [event], "emotion": {"label": long}}]}).frames
        assert (frame.events[0].participants, frame.events[0].time) == (("Nora",), None)
        assert frame.emotion is None
        assert drawn({"entities": [{"name": "Nora", "aliases": [long]}]}).entities[0].aliases == ()

    def test_a_thought_does_not_count(self):
        assert fact(text=f"<think>{'x' * TEXT}</think>Nora sings").text == "Nora sings"


def test_two_findings_are_united():
    one = drawn(
        {"facts": [{"text": "x", "sources": ["1"]}, 7], "profile": [{"key": "pet", "value": "Rex", "sources": ["1"]}]}
    )
    other = drawn(
        {"facts": [{"text": "X", "sources": ["2"]}, 7], "profile": [{"key": "pet", "value": "Tom", "sources": ["2"]}]}
    )
    both = united(one, other)
    told = [("x", ("p1", "p2"), {"worded_by": ["p1"]})]
    assert [(made.text, made.sources, dict(made.meta)) for made in both.facts] == told
    assert both.rejected == 2
    (note,) = both.notes
    assert (note.value, note.sources, note.meta["worded_by"]) == ("Tom", ("p1", "p2"), ["p2"])
    assert "speaker" not in note.meta


@pytest.mark.parametrize(
    ("triple", "text"),
    [
        (("", "", ""), ""),
        (("a", "", ""), "a"),
        (("user", "WORKS_AT", "IBM"), "user works at IBM"),
        (("Ann", "works_at", "IBM"), "Ann works at IBM"),
        (("Ann", "is CEO of", "IBM"), "Ann is CEO of IBM"),
        (("user", "住在", "杭州"), "用户住在杭州"),
        (("user", "WORKS_AT", "百度"), "user works at 百度"),
    ],
)
def test_a_sentence(triple: tuple[str, str, str], text: str):
    assert sentence(*triple) == text


# --- whatever it is ---------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["1", "2", "99", "[1]", "Nora", "小明", "she", "", " ", "2023-05", "2023-02-30", "a/b", "2023/2024", "last week",
     "\ud83d", "<think>", "</think>", "[REDACTED]", OPEN, "```json", "0001-01-01", "9999-12-31/..", "1e999"]
) | st.text(max_size=20)  # fmt: skip
NAMES = st.sampled_from(
    ["frames", "facts", "entities", "profile", "summary", "events", "participants", "action", "time", "location",
     "sources", "importance", "emotion", "label", "valence", "arousal", "subject", "predicate", "object", "text",
     "content", "valid_from", "valid_to", "speaker", "name", "type", "aliases", "key", "value"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | WORDS, inner, max_size=6),
    max_leaves=30,
)
PIECES = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", '"', "'", ",", ":", "\\", "//", "\n", "```", "```json", "<think>", "</think>", '"facts"',
         '"text":', '{"facts":', FACTS, "null", "1", "NaN", "words", "“", "/*"]
    ),
    max_size=30,
).map("".join)  # fmt: skip
LISTS = ("frames", "facts", "entities", "profile")
REPLIES = (
    st.text(max_size=200)
    | PIECES
    | JSON.map(json.dumps)
    | st.fixed_dictionaries({}, optional=dict.fromkeys(LISTS, JSON)).map(json.dumps)
    | st.tuples(PIECES, JSON.map(lambda value: json.dumps(value, ensure_ascii=False)), PIECES).map("".join)
)


def triple(fact: Fact) -> tuple[str, ...]:
    return tuple(map(fold, (fact.subject, fact.predicate, fact.object)))


@given(REPLIES)
@example('{"facts": ["x"]}')
@example('{"facts": ["x", "y", "X"]}')
@example('{"profile": [{"key": "a", "value": ["b"]}, {"key": "A", "value": "c"}]}')
def test_any_text_is_an_extraction_or_a_bad_reply(text: str):
    try:
        found = drawn(text)
    except ProviderBadReply:
        return
    made = (*found.frames, *found.facts, *found.entities, *found.notes)
    kept = (*found.frames, *found.entities, *found.notes)
    assert len({record.id for record in kept}) == len(kept)
    triples = [tuple(map(fold, (one.subject, one.predicate, one.object))) for one in found.facts]
    said = {triple if all(triple) else fold(one.text) for triple, one in zip(triples, found.facts, strict=True)}
    assert len(said) == len(found.facts)
    for record in made:
        assert record.text.strip()
        assert record.sources
        assert {"p1", "p2", "p3"}.issuperset(record.sources)
        assert 0 < record.importance <= 1
        assert "<think>" not in repr(record).lower()
        repr(record).encode()
    assert all(isinstance(note, Note) and note.key for note in found.notes)
    assert found.rejected >= 0
