"""Whether a Chinese sentence speaks of what is past or what is to come, by the words around a time; knows no times.

Patterns see simplified characters, and a line break where the time stands.
"""

from __future__ import annotations

from typing import Final

from fabula.when.chinese_lexer import simplified
from fabula.when.chinese_words import BOOKED
from fabula.when.patterns import Pattern, said

_WHO: Final = "[我你他她它您咱们大家俩]{0,4}"
TELLING: Final = "告诉|(?<![小据传再来])说(?!明|不定)|问(?!题)|答应|通知|提到|聊到|谈到|讲到|听说|知道|宣布"
_CLAUSE: Final = f"[，,；;：:（）()]|{TELLING}|觉得|以为|但是?|所以|因为"
"""What a clause begins or ends with; behind a verb of telling stands what was told."""
_FUTURE: Final = (
    r"(?<!麻)将(?![军近])|(?<![重主需必紧首只想纲])要(?![求是不点素])|打算|准备(?!好了)|计划|预计|即将|下(?:个|周|月|次|星期|礼拜)|明[天年]|后天"
    r"|(?<=[就才再还都也])会|得去|该去|记得|提醒|约[好了]|到期|截止|改[到在成]|见[面吧]?(?![了过])(?=[~～，, ]|$)"
    r"|吧(?=[？?~～，, ]|$)"
    rf"|\n{_WHO}(?:可能|应该|肯定|一定|估计|大概|不)?会(?![议员计场长上后前展所])"
    r"|再(?=[说看聊来去给定约见谈议联确告])|(?<![特区级性分个告离])别(?=忘|来|去|迟|太|给|忙|再|让|跟|走|找|等|安|带|乱)"
    r"|(?:那就|改到|改成|改在|推到|推迟到|挪到|延到|定在|约在|约|安排在|要不|不如)\n|(?:快|马上|眼看)到?\n了|告诉你|跟你说"
)
"""What says that a clause looks ahead."""
_PAST: Final = (
    r"(?<![除为罢不])了(?![吧头解不])|(?<![不难通经超太])过(?![吧头来去年节得会几生])|刚|曾经?|已经?|当时|[昨前][天晚日]|上(?:个|周|月|次)"
    r"|(?<!还)没(?:有)?(?=[\u4e00-\u9fff])(?!有?[空课会事法准关办用多时安票意问])"
    r"|\n[^，,]{0,6}[吃去来买看认收寄见做喝拍写回到坐飞订搬领发生走办签修碰遇打开]的(?=[\u4e00-\u9fff])(?!时|话)"
    r"|[吃去来买看写做坐飞办走到]的(?=$|[吗吧，, ])|终于|突然|怎么没|(?<=\n)那天"
)
"""What says that it looks back."""
_HOW: Final = "(?:能|好|行|方|有|来|去|忙|在|走|可|得|是|累)"
_EVENT: Final = (
    "会(?![员计])|课|事|空|时间|考试|面试|约|饭局|聚会|活动|比赛|安排|讲座|演出|答辩|婚礼|体检|手术|航班"
    "|[大暴]?雨|大?雪"
)
_PLAN: Final = (
    "请假|考试|面试|开会|出发|出差|休息|休假|放假|开学|值班|请客|聚餐|答辩|交(?!往|流|通)|来(?!自)|过来|过去|轮到|一起|上映|比赛"
    "|约(?!了)|想|能(?!力)|可以"
)
_LIKELY: Final = (
    rf"吗(?=$|[~～，, ])|({_HOW})不\1|有没有|要不要|是否|\n怎么样|\n(?:方便|可以|行|不行)"
    r"|[吃干做玩去看](?:什么|啥|哪|嘛)|几点(?!的)"
    rf"|有[一两个点场节次什么要]{{0,3}}(?:{_EVENT})|没有?(?:{_EVENT})|不(?:用|必)?(?:上班|上课|行|来|去|休息|放假|开门|营业)"
    r"|\n的(?:[机车船门]?票|飞机|火车|高铁|航班)|[给还陪请等找帮接送]你|联系你|让[我你他她咱][^\n]{0,2}\n|叫[我你他她咱][^\n]{0,2}\n"
)
"""What looks ahead where nothing looks back: questions, appointments, and what somebody is to do."""
_BARE: Final = rf"\n[^，,\n很真好太着在跟和的病]{{0,4}}?(?:{_PLAN})|[我他她你咱]们?\n去|\n[我他她你咱]们?去"
"""What is only said to be done, and will be."""
_BOOK: Final = "[订定买抢租包选]|预约|报名|报(?=[了上好])|挂(?=[了到上好])|约(?=[了到上好])|退(?=了|掉)|改签"
_BOOKED: Final = rf"\n{BOOKED}[^，,\n]{{0,8}}?(?:{_BOOK})|(?:{_BOOK})[^，,\n的]{{0,6}}\n{BOOKED}"
"""What was booked lies ahead, though it was booked in the past: 春节的票买了, 订好了周五的餐厅."""
_TENSES: Final = tuple(
    (Pattern(pattern), ahead) for pattern, ahead in ((_BOOKED, True), (_FUTURE, True), (_PAST, False), (_LIKELY, True))
)
_CLAUSES, _TOLD, _BARELY = Pattern(_CLAUSE), Pattern(TELLING), Pattern(_BARE)
_SOMEBODY: Final = tuple("我他她它咱")


def ahead(before: str, after: str) -> bool | None:
    """Whether a sentence speaks of the future, by what stands before and after a time in it; None is not known.

    The clause of the time has the word, or what is told in it: who told something did so in the past. Where neither
    says anything of tense, the whole sentence has.
    """
    before, after = simplified(before), simplified(after)
    end = _CLAUSES.search(after)
    clause = f"{_CLAUSES.split(before)[-1]}\n{after[: end.start()] if end else after}"
    meant = tense(clause)
    if meant is None and end and _TOLD.fullmatch(end[0]):
        meant = _telling(after[end.end() :])
    if meant is None and end is None and _BARELY.search(clause):
        return True
    return tense(f"{before}\n{after}") if meant is None else meant


def _telling(what: str) -> bool | None:
    """When something was told or will be, by what it was: 周五告诉你, 周一告诉他我要走."""
    if what.startswith("你"):
        return True
    return False if what.startswith(_SOMEBODY) or tense(f"\n{what}") is not None else None


def tense(text: str) -> bool | None:
    """Whether what is written looks ahead, as far as its words say."""
    return said(_TENSES, text)
