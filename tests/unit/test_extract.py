"""The rules that draw frames and entities from talk without a model: they claim little, and only what was said."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.abc import NEVER, Extraction, Pending
from fabula.extract import windows
from fabula.extractors import SUMMARY, RuleExtractor, exchanges
from fabula.render import CLOSE, OPEN
from fabula.talk import BRIEF, sentences, span, stages
from fabula.types import Event, Image, Interval, Passage

WEDNESDAY = datetime(2024, 5, 15, 12, tzinfo=UTC)


def said(number: int, text: str, speaker: str = "Ann", **more: Any) -> Passage:
    given: dict[str, Any] = {"valid": Interval.at(WEDNESDAY), **more}
    return Passage(scope="u", id=str(number), text=text, speaker=speaker, **given)


def talk(*lines: str) -> list[Passage]:
    """Passages of lines like `Ann: hello`."""
    return [said(n, text.strip(), speaker) for n, line in enumerate(lines) for speaker, text in [line.split(":", 1)]]


async def drawn(*passages: Passage) -> Extraction:
    return await RuleExtractor().extract(passages)


async def names(text: str) -> dict[str, str]:
    """The entities of one text beside its speaker, with their types."""
    found = await drawn(said(0, text, "user"))
    return {entity.text: entity.type for entity in found.entities}


class TestExchanges:
    @pytest.mark.parametrize(
        ("lines", "groups"),
        [
            ([], []),
            (["A: 1"], ["0"]),
            (["A: 1", "B: 2"], ["01"]),
            (["A: 1", "A: 2", "B: 3", "A: 4", "B: 5"], ["012", "34"]),
            (["A: 1", "B: 2", "B: 3", "A: 4"], ["012", "3"]),
            (["A: 1", "B: 2", "C: 3"], ["01", "2"]),
            (["A: 1", "A: 2"], ["01"]),
            (["A: 1", "A: ", "B: 3"], ["02"]),
            (["A: ", "B:  "], []),
        ],
    )
    def test_are_one_sides_words_up_to_the_answer(self, lines: list[str], groups: list[str]):
        assert ["".join(p.id for p in group) for group in exchanges(talk(*lines))] == groups

    @given(st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from(["", " ", "x", "y?"])), max_size=12))
    def test_cover_all_that_is_not_blank_once_and_in_order(self, lines: list[tuple[str, str]]):
        passages = [said(n, text, who) for n, (who, text) in enumerate(lines)]
        covered = [p.id for group in exchanges(passages) for p in group]
        assert covered == [p.id for p in passages if p.text.strip()]


class TestSentences:
    @pytest.mark.parametrize(
        "parts",
        [
            ["I met Mr. Brown yesterday.", "It was fun."],
            ["Last Friday I had dinner with Dr. Elizabeth Green."],
            ["Prof. Lee of the U.S. Navy called me at 5 p.m. today.", "I was out."],
            ["I came at 5 p.m.", "Then we left...", "then slept."],
            ["I live in the U.S.", "We moved there."],
            ["Samuel L. Jackson read I. M. Pei and J.K. Rowling.", "So did I.", "We liked it."],
            ["He works at Acme Inc. now.", "She left Foo Ltd.", "Bob too."],
            ["No. 5 came on Jan. 6.", "I said no.", "We left."],
            ["It cost 3.5 dollars at example.org.", "OK?", "Yes!"],
            ["Mr."],
            ["我见了Dr. Wang。", "他跑了3.5公里！", "好.", "真的？"],
        ],
    )
    def test_end_where_a_full_stop_ends_them(self, parts: list[str]):
        assert sentences(said(0, " ".join(parts))) == parts

    async def test_no_date_is_a_participant(self):
        found = await drawn(*talk("小明: 上周三我去医院做了体检。", "Ann: Last Friday called for tea."))
        assert {who for frame in found.frames for event in frame.events for who in event.participants} == {
            "小明",
            "Ann",
        }


class TestFrames:
    async def test_one_an_exchange_with_its_sources(self):
        found = await drawn(*talk("Ann: I moved to Porto.", "Bob: How is it?", "Ann: Fine.", "Bob: Good."))
        assert [(f.sources, f.text) for f in found.frames] == [
            (("0", "1"), "Ann: I moved to Porto. / Bob: How is it?"),
            (("2", "3"), "Ann: Fine. / Bob: Good."),
        ]
        assert {(f.scope, f.session, f.meta["extractor"]) for f in found.frames} == {("u", "default", "rules")}

    @pytest.mark.parametrize(
        ("lines", "summary"),
        [
            (["user: I live in Porto.", "assistant: How is it?"], "I live in Porto. / How is it?"),
            (["User: I live in Porto.", "Ann: How is it?"], "I live in Porto. / Ann: How is it?"),
            (["用户: 我住在成都。", "助手: 怎么样？"], "我住在成都。 / 怎么样？"),
            (["user: 我住在成都。", "小明: 怎么样？"], "我住在成都。 / 小明: 怎么样？"),
        ],
    )
    async def test_who_has_no_name_is_not_named(self, lines: list[str], summary: str):
        (frame,) = (await drawn(*talk(*lines))).frames
        assert frame.text == summary

    async def test_a_document_is_no_frame(self):
        row = said(1, "Porto | Maria Silva", "document", role="document")
        assert (await drawn(row)).frames == ()
        found = await drawn(said(0, "I know Maria Silva.", "user"), row)
        assert [(frame.text, frame.sources) for frame in found.frames] == [("I know Maria Silva.", ("0",))]
        (maria,) = (one for one in found.entities if one.text == "Maria Silva")
        assert maria.sources == ("0", "1")

    async def test_the_action_is_what_was_told_not_asked(self):
        found = await drawn(*talk("Ann: Have you heard of the very long question that I ask?", "Bob: I won."))
        (event,) = found.frames[0].events
        assert event.action == "I won."
        assert event.participants == ("Bob", "Ann")

    async def test_a_question_alone_is_what_happened(self):
        found = await drawn(*talk("Ann: where are you?"))
        assert found.frames[0].events[0].action == "where are you?"

    async def test_a_date_that_is_named_is_when_it_happened(self):
        found = await drawn(*talk("Ann: I was ill yesterday."))
        assert found.frames[0].valid is not None
        assert found.frames[0].valid.start == datetime(2024, 5, 14, tzinfo=UTC)
        assert found.frames[0].events[0].time == found.frames[0].valid

    async def test_without_one_it_is_when_it_was_said(self):
        later = WEDNESDAY + timedelta(minutes=5)
        found = await drawn(said(0, "tea"), said(1, "more tea", valid=Interval.at(later)))
        assert found.frames[0].valid == Interval(start=WEDNESDAY, end=later)
        assert found.frames[0].events[0].time is None
        assert (await drawn(said(0, "tea", valid=None))).frames[0].valid is None

    async def test_a_summary_is_short(self):
        found = await drawn(said(0, "x" * 1000), said(1, "One. " * 100, "Bob"))
        first, second = found.frames[0].text.split(" / ")
        assert first == "Ann: " + "x" * (SUMMARY - 1) + "…"
        assert len(second.removeprefix("Bob: ")) <= SUMMARY
        assert second.endswith("One.")

    async def test_the_same_talk_makes_the_same_records(self):
        passages = talk("Ann: I met Maria Silva in Porto.", "Bob: 我在杭州见了王建国。")
        assert await drawn(*passages) == await drawn(*passages)

    async def test_nothing_was_said(self):
        assert await drawn() == await drawn(said(0, " ")) == Extraction()

    async def test_a_picture_says_something(self):
        found = await drawn(said(0, "", images=(Image(caption="Ann before the Eiffel Tower"),)))
        assert "Eiffel Tower" in found.frames[0].text
        assert "Eiffel Tower" in {entity.text for entity in found.entities}

    async def test_a_picture_that_nothing_is_said_of_was_sent(self):
        found = await drawn(said(0, "", images=(Image(name="IMG_20240501.jpg"),)), said(1, "Nice!", "Bob"))
        (frame,) = found.frames
        assert frame.text == "Ann: [image: IMG_20240501.jpg] / Bob: Nice!"
        assert frame.valid == Interval.at(WEDNESDAY)
        (alone,) = (await drawn(said(0, "", images=(Image(name="IMG_1.jpg"), Image(name="b.png"))))).frames
        assert [event.action for event in alone.events] == ["[image: IMG_1.jpg] [image: b.png]"]
        assert {entity.text for entity in found.entities} == {"Ann", "Bob"}

    async def test_what_was_recalled_is_not_said_again(self):
        found = await drawn(said(0, f"I like tea. {OPEN}\nAnn met Boris Godunov in Paris\n{CLOSE}"))
        assert "Godunov" not in repr(found)
        assert "Paris" not in repr(found)

    @given(st.lists(st.text(max_size=60), max_size=4))
    @settings(deadline=None, max_examples=50)
    async def test_any_text_will_do(self, texts: list[str]):
        found = await drawn(*(said(n, text) for n, text in enumerate(texts)))
        ids = {str(n) for n in range(len(texts))}
        assert all(record.sources and set(record.sources) <= ids for record in (*found.frames, *found.entities))
        assert all(record.text.strip() for record in (*found.frames, *found.entities))


def spoken(*lines: str, every: float = 1) -> list[Passage]:
    """Passages of lines like `Ann: hello`, so many minutes apart; `Ann +9: hello` comes nine minutes after the last."""
    found: list[Passage] = []
    moment = WEDNESDAY - timedelta(minutes=every)
    for number, line in enumerate(lines):
        who, text = line.split(":", 1)
        speaker, _, pause = who.partition(" +")
        moment += timedelta(minutes=float(pause or every))
        found.append(said(number, text.strip(), speaker, valid=Interval.at(moment)))
    return found


def clock(event: Event) -> str:
    """When an event was, to the minute."""
    assert event.time is not None
    assert event.time.start is not None
    assert event.time.end is not None
    start, end = (moment.strftime("%H:%M") for moment in (event.time.start, event.time.end))
    return start if start == end else f"{start}-{end}"


class TestStages:
    @pytest.mark.parametrize(
        ("minutes", "parts"),
        [
            ([], [[]]),
            ([0], [[0]]),
            ([0, 5], [[0, 5]]),
            ([0, 6], [[0], [6]]),
            ([0, 1, 2, 9, 10], [[0, 1, 2], [9, 10]]),
            ([0, 2, 4, 6, 8], [[0], [2], [4, 6, 8]]),  # of equal pauses the first
            ([0, 3, 4, 8, 9], [[0, 3, 4], [8, 9]]),
            ([9, 8, 0, 1], [[9, 8], [0, 1]]),
            ([0, None, 9, None, 10], [[0, None], [9, None, 10]]),
            ([None, None], [[None, None]]),
        ],
    )
    def test_part_at_the_longest_pauses(self, minutes: list[int | None], parts: list[list[int | None]]):
        times = [None if m is None else Interval.at(WEDNESDAY + timedelta(minutes=m)) for m in minutes]
        talk_ = [said(n, "x", valid=time) for n, time in enumerate(times)]
        assert [[minutes[int(p.id)] for p in part] for part in stages(talk_)] == parts

    @given(st.lists(st.none() | st.integers(0, 40), max_size=12))
    @settings(deadline=None)
    def test_none_is_long_and_none_is_lost(self, minutes: list[int | None]):
        times = [None if m is None else Interval.at(WEDNESDAY + timedelta(minutes=m)) for m in minutes]
        parts = stages([said(n, "x", valid=time) for n, time in enumerate(times)])
        assert [p.id for part in parts for p in part] == [str(n) for n in range(len(minutes))]
        spans = [span(part) for part in parts]
        assert all(s is None or (s.start and s.end and s.end - s.start <= BRIEF) for s in spans)

    @pytest.mark.parametrize(
        ("lines", "events"),
        [
            (
                ["Ann: I have started the big update.", "Ann: It asks for a key.", "Ann +12: Now it copies files.",
                 "Ann +9: It is done.", "Bob: Great!"],
                [("12:00-12:01", "I have started the big update."), ("12:13", "Now it copies files."),
                 ("12:22-12:23", "It is done.")],
            ),
            (
                ["小明: 我开始更新系统了。", "小明: 它要密钥。", "小明 +12: 它在复制文件。", "小明 +9: 终于更新好了。",
                 "阿强: 好"],
                [("12:00-12:01", "我开始更新系统了。"), ("12:13", "它在复制文件。"),
                 ("12:22-12:23", "终于更新好了。")],
            ),
            (["Ann: Which train?", "Bob +7: The express, as ever."],
             [("12:07", "The express, as ever.")]),
            (["小明: 坐哪趟车？", "阿强 +7: 那趟高铁。"], [("12:07", "那趟高铁。")]),
            (["Ann: Which train?", "Bob +7: Which day?"], [("12:00", "Which train?"), ("12:07", "Which day?")]),
        ],
    )  # fmt: skip
    async def test_what_goes_on_for_long_is_one_frame_of_sub_events(
        self, lines: list[str], events: list[tuple[str, str]]
    ):
        (frame,) = (await drawn(*spoken(*lines))).frames
        assert [(clock(event), event.action) for event in frame.events] == events
        assert frame.sources == tuple(map(str, range(len(lines))))
        assert frame.valid is not None
        assert frame.valid.start == WEDNESDAY
        speakers = {line.split(":")[0].split(" +")[0] for line in lines}
        assert all(speakers <= set(event.participants) for event in frame.events)

    @pytest.mark.parametrize("lines", [["Ann: I left.", "Bob: When?"], ["小明: 我走了。", "阿强: 什么时候？"]])
    async def test_what_does_not_is_one_event(self, lines: list[str]):
        (frame,) = (await drawn(*spoken(*lines, every=5))).frames
        assert [event.time for event in frame.events] == [None]

    async def test_a_date_that_is_told_is_a_sub_events_own_time(self):
        (frame,) = (await drawn(*spoken("Ann: I packed.", "Ann +9: I was ill yesterday.", "Bob +9: Oh no!"))).frames
        assert [clock(event) for event in frame.events] == ["12:00", "00:00", "12:18"]
        assert frame.valid == frame.events[1].time

    @pytest.mark.parametrize(
        ("lines", "people"),
        [
            (["Ann: Do we move the launch?", "Bob: Maria agreed, and Tom, Lee and Sue voted for June."],
             {"Ann", "Bob", "Maria", "Tom", "Lee", "Sue"}),
            (["Ann: We decided with Maria Silva to go to Porto and Lisbon.", "Bob: Fine."],
             {"Ann", "Bob", "Maria Silva"}),
            (["Ann: Everyone decided to wait. Dr. Wu objected.", "Bob: Then Carla wrote to Google."],
             {"Ann", "Bob", "Wu", "Carla"}),
            (["小明: 我们商量好了，由王建国负责，小李订票。", "阿强: 我和小红都同意，陈晓芳没来。"],
             {"小明", "阿强", "王建国", "小李", "小红", "陈晓芳"}),
            (["user: 老周决定周六去杭州。", "assistant: 好的"], {"user", "assistant", "老周"}),
        ],
    )  # fmt: skip
    async def test_everybody_who_speaks_or_is_named_takes_part(self, lines: list[str], people: set[str]):
        (frame,) = (await drawn(*spoken(*lines, every=0.5))).frames
        assert [set(event.participants) for event in frame.events] == [people]

    async def test_who_speaks_elsewhere_is_known_by_name(self):
        before = said(9, "Hello.", "Lisbon")
        passages = talk("Ann: I like Lisbon.", "Bob: So do I.", "Porto: And me?", "Ann: Porto too.")
        found = await RuleExtractor().extract(passages, [before])
        assert [set(frame.events[0].participants) for frame in found.frames] == [
            {"Ann", "Bob", "Lisbon"}, {"Ann", "Porto"},
        ]  # fmt: skip


class TestEntities:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("we met Maria Silva in Porto", {"Maria Silva": "", "Porto": ""}),
            ("Lunch was good. Then we slept.", {}),
            ("Google called, and I like Google", {"Google": ""}),
            ("I met Ann's brother at O'Hare", {"Ann": "", "O'Hare": ""}),
            ("we went on Monday in December, I think", {}),
            ("the Bank of England", {"Bank of England": ""}),
            ("my key is [REDACTED] now", {}),
            ("they read 《三体》 there", {"三体": "Concept"}),
            ("王建国去了杭州", {"王建国": "Person", "杭州": "Location"}),
            ("明天下雨", {}),
            ("Last Friday I was ill. Next Tuesday we meet.", {}),
            ("we met Last Friday, and In May I'm off", {}),
            ("Monday Anna came, and on Friday Anna left", {"Anna": ""}),
            ("I saw Mr. Brown, Dr. Green and Prof. Lee", {"Brown": "", "Green": "", "Lee": ""}),
            ("we flew from St. Petersburg to the U.S. Then we slept", {"St. Petersburg": "", "U.S.": ""}),
            ("I live in the U.S. We moved there", {"U.S.": ""}),
            ("the U.S. Navy", {"U.S. Navy": ""}),
            ("with April Jones", {"April Jones": ""}),
            ("上周三我去医院做了体检。", {}),
            ("王建国周六去了杭州", {"王建国": "Person", "杭州": "Location"}),
            ("nothing here", {}),
            ("", {}),
        ],
    )
    async def test_names(self, text: str, found: dict[str, str]):
        assert await names(text) == found

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("we met. Hi Bob, how are you?", {"Bob"}),
            ("I watched. The BBC said so", {"BBC"}),
            ("I was ill. In May it got better", set[str]()),
        ],
    )
    async def test_a_word_that_only_starts_the_sentence_is_no_part_of_a_name(self, text: str, found: set[str]):
        assert set(await names(text)) == found

    async def test_who_speaks_is_a_person_unless_a_role(self):
        found = await drawn(*talk("Ann: hm", "assistant: hm", "小明: 嗯", "User: hm"))
        assert {e.text: e.type for e in found.entities} == {"Ann": "Person", "小明": "Person"}

    async def test_one_however_often_and_however_written(self):
        found = await drawn(*talk("Ann: we love Porto", "Bob: is Porto far", "Ann: not for PORTO fans"))
        (porto,) = [entity for entity in found.entities if entity.text.lower() == "porto"]
        assert porto.text == "Porto"
        assert set(porto.sources) == {"0", "1", "2"}
        assert [entity.text for entity in found.entities if entity.type == "Person"] == ["Ann", "Bob"]

    async def test_each_source_is_named_once(self):
        found = await drawn(*talk("user: we like Porto, and Porto likes us"))
        assert [entity.sources for entity in found.entities] == [("0",)]

    async def test_persons_and_places_enter_the_event(self):
        found = await drawn(*talk("小明: 我和王建国去了杭州。"))
        (event,) = found.frames[0].events
        assert event.participants == ("小明", "王建国")
        assert event.location == "杭州"


class TestWindows:
    @staticmethod
    def piece(number: int, session: str, due: datetime | None = None) -> Pending:
        return Pending(task="extract", id=str(number), number=number, session=session, due=due)

    def test_are_full_and_of_one_session(self):
        work = [self.piece(n, "a") for n in range(5)] + [self.piece(n, "b") for n in range(5, 7)]
        found = list(windows(work, 2))
        assert [[p.id for p in window.work] for window in found] == [["0", "1"], ["2", "3"], ["4"], ["5", "6"]]
        assert [piece for window in found for piece in window.work] == work

    def test_wait_for_the_whole_session_to_be_quiet(self):
        """Also the first of two that are not extracted when they are full."""
        first, second = windows([self.piece(n, "a", WEDNESDAY + n * timedelta(minutes=1)) for n in range(4)], 2)
        assert first.due == second.due == WEDNESDAY + timedelta(minutes=3)
        assert not first.ready(None, WEDNESDAY + timedelta(minutes=2))
        assert first.ready(2, WEDNESDAY)
        assert not first.ready(3, WEDNESDAY)
        assert first.ready(None, WEDNESDAY + timedelta(minutes=3))

    def test_keep_apart_what_is_asked_for_and_what_may_wait_for_ever(self):
        dues = [None, None, WEDNESDAY, NEVER, NEVER]
        found = list(windows([self.piece(n, "a", due) for n, due in enumerate(dues)], 8))
        assert [(len(window.work), window.due) for window in found] == [(2, None), (1, WEDNESDAY), (2, NEVER)]
        assert [window.ready(8, WEDNESDAY) for window in found] == [True, True, False]
