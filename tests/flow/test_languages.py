"""Questions in one language over memories in the other: talk, frames and facts of each, asked for in both."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

from fabula import AsyncMemory, Message, Plan, Settings
from fabula.abc import Extraction
from fabula.providers.bundled import bundled
from fabula.testing import FakeExtractor, HashEmbedder
from fabula.types import Fact, Frame, Passage

Language = Literal["en", "zh"]


class Told(NamedTuple):
    """One thing in one language: what was said and answered, the fact and the summary drawn from it, the question."""

    said: str
    answer: str
    fact: tuple[str, str, str]
    summary: str
    question: str


EN = [
    Told("My sister Lin started working at the aquarium as a diver last spring.", "That suits her!",
         ("Lin", "works at", "the aquarium"), "Lin began working as a diver at the aquarium.",
         "What does my sister do for a living?"),
    Told("I can't eat peanuts, my throat swells up at once.", "Good to know.",
         ("user", "is allergic to", "peanuts"), "The user told that peanuts make the throat swell.",
         "Which food is dangerous for me?"),
    Told("We adopted a grey cat from the shelter and named him Pixel.", "Cute name.",
         ("user", "adopted", "a cat named Pixel"), "The family adopted a grey cat named Pixel from the shelter.",
         "Which pet did we take in?"),
    Told("The deployment failed because Kubernetes ran out of memory on node three.", "Again?",
         ("the deployment", "failed because of", "Kubernetes memory"),
         "A deployment failed when Kubernetes ran out of memory.", "Why did the release of the software go wrong?"),
    Told("Grandpa had his hip replaced on Tuesday and is walking already.", "What a relief.",
         ("Grandpa", "had", "a hip operation"), "Grandpa got a new hip and walks again.",
         "What surgery did my grandfather undergo?"),
    Told("I cycle to the office every day, parking costs too much.", "And it is healthy.",
         ("user", "commutes by", "bicycle"), "The user goes to work by bicycle because parking is dear.",
         "How do I get to work?"),
    Told("My landlord raised the rent to two thousand a month.", "Ouch.",
         ("rent", "is", "2000 a month"), "The landlord raised the rent to 2000 a month.",
         "How much do I pay for my apartment?"),
    Told("Tom and I split up after the holidays, it was mutual.", "Sorry to hear that.",
         ("user", "separated from", "Tom"), "The user and Tom ended their relationship.",
         "Why am I single now?"),
    Told("I finally finished reading The Three-Body Problem, the ending blew my mind.", "No spoilers!",
         ("user", "read", "The Three-Body Problem"), "The user finished the novel The Three-Body Problem.",
         "Which science fiction novel did I complete?"),
    Told("Our flight to Reykjavik was cancelled because of the snow storm.", "Oh no.",
         ("flight to Reykjavik", "was cancelled by", "a snow storm"), "A snow storm cancelled the flight to Reykjavik.",
         "What happened to our trip to Iceland?"),
    Told("I am learning the cello, my teacher is strict but funny.", "Play me something.",
         ("user", "is learning", "the cello"), "The user takes cello lessons.",
         "Which musical instrument am I practising?"),
    Told("The doctor said my blood pressure is too high, so no more salt.", "Take care.",
         ("user", "has", "high blood pressure"), "A doctor found high blood pressure and forbade salt.",
         "What did the physician warn me about?"),
    Told("Emma was born at four in the morning, three kilos and very loud.", "Congratulations!",
         ("Emma", "was born at", "four in the morning"), "The daughter Emma was born early in the morning.",
         "When did my daughter come into the world?"),
    Told("I lost my passport in the taxi and had to go to the embassy.", "How annoying.",
         ("user", "lost", "the passport"), "The user lost a passport in a taxi and went to the embassy.",
         "Which document went missing?"),
    Told("We plan to open a small bakery near the station in autumn.", "I will be your first guest.",
         ("user", "plans to open", "a bakery"), "A bakery is to be opened near the station in autumn.",
         "What business do we want to start?"),
    Told("The neighbours play the drums at midnight, I called the police twice.", "I would too.",
         ("neighbours", "play", "drums at midnight"), "The neighbours made noise at night and the police was called.",
         "Who disturbs my sleep?"),
]  # fmt: skip
ZH = [
    Told("我姐姐小琳去年春天开始在水族馆当潜水员。", "很适合她！", ("小琳", "就职于", "水族馆"),
         "小琳开始在水族馆做潜水员。", "我姐姐是做什么工作的？"),
    Told("我不能吃花生，一吃喉咙马上就肿。", "记住了。", ("用户", "过敏", "花生"), "用户说花生会让喉咙肿起来。",
         "什么食物对我有危险？"),
    Told("我们从收容所领养了一只灰猫，取名叫像素。", "名字真可爱。", ("用户", "领养", "名叫像素的猫"),
         "一家人从收容所领养了灰猫像素。", "我们家收养了什么宠物？"),
    Told("这次部署失败了，因为 Kubernetes 三号节点内存不够。", "又来了？", ("部署", "失败原因", "Kubernetes 内存不够"),
         "Kubernetes 内存不够导致部署失败。", "软件发布为什么出问题了？"),
    Told("爷爷周二换了髋关节，现在已经能走路了。", "太好了。", ("爷爷", "做了", "髋关节手术"),
         "爷爷换了髋关节，又能走了。", "我祖父动了什么手术？"),
    Told("我每天骑车去办公室，停车太贵了。", "还健康呢。", ("用户", "通勤方式", "骑自行车"),
         "因为停车贵，用户骑车上班。", "我怎么去上班？"),
    Told("房东把月租涨到了两千块。", "哎呀。", ("房租", "是", "每月两千"),
         "房东把房租涨到每月两千。", "我住的公寓要付多少钱？"),
    Told("过完节我和小汤分手了，是和平分开的。", "真遗憾。", ("用户", "分手", "小汤"), "用户和小汤结束了恋爱。",
         "我现在为什么单身？"),
    Told("我终于看完了《三体》，结局太震撼了。", "别剧透！", ("用户", "读完", "《三体》"), "用户读完了小说《三体》。",
         "我看完了哪本科幻小说？"),
    Told("我们飞雷克雅未克的航班因为暴风雪取消了。", "天哪。", ("飞雷克雅未克的航班", "取消原因", "暴风雪"),
         "暴风雪让飞雷克雅未克的航班取消了。", "我们的冰岛之行怎么了？"),
    Told("我在学大提琴，老师严格但是很幽默。", "给我拉一段。", ("用户", "学习", "大提琴"), "用户在上大提琴课。",
         "我在练哪种乐器？"),
    Told("医生说我血压太高，不能再吃咸的了。", "保重。", ("用户", "患有", "高血压"), "医生查出高血压，要求少盐。",
         "大夫警告我什么？"),
    Told("艾玛凌晨四点出生了，六斤，嗓门特别大。", "恭喜！", ("艾玛", "出生于", "凌晨四点"),
         "女儿艾玛凌晨出生。", "我女儿是几点来到世上的？"),
    Told("我把护照落在出租车上了，只好跑了一趟大使馆。", "真麻烦。", ("用户", "丢失", "护照"),
         "用户把护照丢在出租车上，去了大使馆。", "哪个证件不见了？"),
    Told("我们打算秋天在车站附近开一家小面包店。", "我第一个来。", ("用户", "计划开", "面包店"),
         "秋天要在车站附近开面包店。", "我们想做什么生意？"),
    Told("邻居半夜打鼓，我报了两次警。", "我也会报。", ("邻居", "半夜", "打鼓"),
         "邻居夜里吵闹，叫了警察。", "谁影响我睡觉？"),
]  # fmt: skip
TOLD: dict[Language, list[Told]] = {"en": EN, "zh": ZH}


def drawing(language: Language | None) -> FakeExtractor:
    """Draws the fact and the frame of each message in a language, or nothing."""

    def drawn(window: Sequence[Passage]) -> Extraction:
        frames: list[Frame] = []
        facts: list[Fact] = []
        for said in window:
            if language is None or said.speaker != "user":
                continue
            one = TOLD[language][int(str(said.ref))]
            subject, predicate, thing = one.fact
            text = " ".join(one.fact) if language == "en" else "".join(one.fact)
            facts.append(
                Fact(scope="", id=f"fact {said.ref}", text=text, subject=subject, predicate=predicate, object=thing,
                     sources=(said.id,))
            )  # fmt: skip
            frames.append(Frame(scope="", id=f"frame {said.ref}", text=one.summary, sources=(said.id,)))
        return Extraction(frames=tuple(frames), facts=tuple(facts))

    return FakeExtractor(drawn)


@asynccontextmanager
async def told(folder: Path, talk: Language, drawn: Language | None) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(
        folder / "memory.db", embedder=bundled(), extractor=drawing(drawn), background=False,
        settings=Settings(fuse=False),
    ) as memory:  # fmt: skip
        for number, one in enumerate(TOLD[talk]):
            messages = [Message(one.said, id=str(number)), Message(one.answer, role="assistant", speaker="assistant")]
            await memory.remember("u", messages)
        assert (await memory.flush()).errors == ()
        yield memory


async def recalls(memory: AsyncMemory, asked: Language) -> dict[str, int]:
    """How many of the questions bring their passage, frame and fact among the first three of its kind."""
    counts = {"passage": 0, "frame": 0, "fact": 0}
    for number, one in enumerate(TOLD[asked]):
        found = await memory.recall("u", one.question, Plan(limit=3))
        counts["passage"] += str(number) in {passage.ref for passage in found.passages}
        counts["frame"] += f"frame {number}" in {frame.id for frame in found.frames}
        counts["fact"] += f"fact {number}" in {fact.id for fact in found.facts}
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("talk", ["en", "zh"])
@pytest.mark.parametrize("drawn", [None, "en", "zh"])
async def test_most_is_found_in_either_language_whatever_it_was_told_and_drawn_in(
    tmp_path: Path, talk: Language, drawn: Language | None
):
    """Of sixteen questions; frames and facts in a third of the combinations are in another language than both."""
    async with told(tmp_path, talk, drawn) as memory:
        for asked in ("en", "zh"):
            counts = await recalls(memory, asked)
            assert counts["passage"] >= (14 if drawn or asked == talk else 12), (asked, counts)
            if drawn:
                assert counts["frame"] >= 14, (asked, counts)
                assert counts["fact"] >= 14, (asked, counts)
        # A term is the same in both languages, as it was said.
        for question in ("What about Kubernetes?", "Kubernetes 是怎么回事？"):
            assert (await memory.recall("u", question)).passages[0].ref == "3"


async def test_an_interjection_is_short_of_meaning_for_a_question_in_another_language(db: str):
    async with AsyncMemory(db, embedder=HashEmbedder(), background=False) as memory:
        for scope, language in (("en", EN), ("zh", ZH)):
            await memory.remember(scope, [text for one in language for text in (one.said, one.answer[:4])])
        await memory.flush()
        for scope, asked, counts in (("en", "zh", True), ("en", "en", False), ("zh", "en", True), ("zh", "zh", False)):
            hits = (await memory.recall(scope, TOLD[asked][1].question, Plan(kinds=("passage",), limit=40))).hits
            curt = {hit.record.text: hit.parts["curt"] for hit in hits}
            assert len(curt) > 20
            for text, part in curt.items():
                assert (part > 0) == (counts and len(text) <= 4), (asked, text)


MIXED = [
    ("I fixed the bike chain this morning, my hands are still black.", "自行车的什么坏了？"),
    ("My sister joined a choir, she sings alto every Thursday.", "谁的妹妹参加了合唱团？"),
    ("The landlord raised our rent by fifty euros again.", "房租涨了多少？"),
    ("We painted the kitchen green, it took the whole weekend.", "厨房刷成了什么颜色？"),
    ("The dentist pulled one of my wisdom teeth yesterday.", "牙医拔了什么牙？"),
    ("I lost my passport at the airport in Lisbon.", "护照在哪里丢的？"),
    ("我妈妈养了一只会说话的鹦鹉。", "Who has a parrot?"),
    ("周末我们去爬了黄山，看到了日出。", "Which mountain was climbed?"),
    ("公司明年要搬到浦东的新大楼。", "Where will the company move?"),
    ("女儿考上了音乐学院，学大提琴。", "Which instrument does the daughter study?"),
    ("我跟着公园里的老人开始练太极。", "Who started practising tai chi?"),
    ("我把旧书都捐给了社区图书馆。", "Where were the old books given?"),
]
"""What was said, six times in each language, and a question about it in the other."""


@pytest.mark.parametrize("drawn", [False, True], ids=["nothing drawn", "facts drawn"])
async def test_what_was_told_in_the_other_language_is_found_among_what_was_told_in_that_of_the_question(
    tmp_path: Path, drawn: bool
):
    def facts(window: Sequence[Passage]) -> Extraction:
        return Extraction(facts=tuple(Fact(scope="", id=f"f{p.ref}", text=p.text, sources=(p.id,)) for p in window))

    extractor = FakeExtractor(facts if drawn else lambda _: Extraction())
    async with AsyncMemory(tmp_path / "m.db", embedder=bundled(), extractor=extractor, background=False) as memory:
        await memory.remember("u", [Message(said, id=str(n), session=said[:1]) for n, (said, _) in enumerate(MIXED)])
        assert (await memory.flush()).errors == ()
        found = [await memory.recall("u", question, Plan(limit=3)) for _, question in MIXED]
        first = [str(n) in {passage.ref for passage in one.passages} for n, one in enumerate(found)]
        assert sum(first[:6]) >= 5, "asked in Chinese"
        assert sum(first[6:]) >= 5, "asked in English"
        if drawn:
            assert sum(f"f{n}" in {fact.id for fact in one.facts} for n, one in enumerate(found)) >= 10
        for one in found:  # the confidence is that of the model's own cosines, whatever they were raised by
            assert one.confidence >= max(hit.relevance for hit in one.hits if hit.record.kind == "passage")
