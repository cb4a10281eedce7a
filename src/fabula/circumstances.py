"""What people's circumstances are asked for and told by: job, home, school, partner, and what takes another's place.

Words of two languages and nothing else: what a text says of them is not understood, only what it is about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

ASKED: Final = 300
"""Characters of a question that are read: who asks for circumstances asks briefly."""
READ: Final = 1000
"""Characters of a text that are read: what is longer tells of many things."""


class _Words(NamedTuple):
    asked: re.Pattern[str]
    told: re.Pattern[str]
    """What tells of them as they are or as they have become."""


def _words(asked: str, told: str) -> _Words:
    return _Words(re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))


_OWN: Final = re.compile(r"\b(?:i|i['’]\w+|my|me|mine|we|we['’]\w+|our|us)\b|[我咱俺]", re.IGNORECASE)
"""Words of who speaks of themselves."""
_KIN: Final = (
    "brother|sister|mother|mum|mom|father|dad|parent|son|daughter|wife|husband|friend|cousin|uncle|aunt|landlord|landlady"
    "|neighbou?r|boss|colleague|flatmate|roommate|boyfriend|girlfriend|partner|nephew|niece|grand(?:mother|father|ma|pa)"
)
_OTHERS: Final = re.compile(
    rf"\b(?:he|she|they|his|her|their)\b|^(?:(?:and|but|so|then|that) )?my (?:\w+ )?(?:{_KIN})s?(?! and (?:i|me)\b)"
    r"|^(?:但是?|然后|所以|而)?(?:[他她]|我?的?(?:(?:爸|妈|哥|姐|弟|妹|叔|姨|舅|姑|爷|奶|表[哥姐弟妹]|堂[哥姐弟妹])\S{0,2}"
    r"|(?:女|男)?朋友|同事|同学|儿子|女儿|邻居|房东|室友|老板|老公|老婆))(?!和我|跟我)",
    re.IGNORECASE,
)
"""Words of who speaks of others."""
_BARE: Final = re.compile(
    r"^(?:finally|just|so|well|ok|today|yesterday|now|after|from|since|as of|back|no (?:more|longer)|got|signed"
    r"|moved|quit|sold|switched|joined|started|bought|unpacked|cancell?ed|handed|left|found|landed|changed)\b",
    re.IGNORECASE,
)
"""Beginnings of who leaves it out in English."""
_CLAUSE: Final = re.compile(r"[.!?;,](?=\s|$)|[。！？；，\n]")
_NAME: Final = re.compile(r"(?<=\s)[A-Z]\w+")
_ONCE: Final = re.compile(r"\bfirst\b|\bused to\b|第一|头一|最早", re.IGNORECASE)
"""Words of who asks for what was so once."""
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")

CIRCUMSTANCES: Final = {
    "job": _words(
        r"\b(?:where|who|whom|which|what)\b.*\b(?:work(?:ing)?|employ\w+|hired)\b|\bfor a living\b|\b(?:what|which"
        r"|who)\b.*\b(?:job|occupation|profession|employer|company|firm|workplace|position|line of work)\b"
        r"|\bwho pays my\b|在(?:哪|什么).{0,6}(?:工作|上班|任职|就职|高就|干活)|(?:做|干|从事).{0,3}(?:什么|啥"
        r"|哪).{0,3}(?:工作|职业|行|的)|什么工作|(?:哪|什么)(?:家|个)?(?:公司|单位|企业|行业)|(?:职业|单位|公司|雇主"
        r"|东家|工作)(?:现在)?(?:是|在)(?:什么|啥|哪|谁)|(?:靠|以)什么.{0,2}(?:谋生|吃饭|为生)|给谁(?:打工|干活)"
        r"|做什么的",
        r"\b(?:quit|resign\w*|laid off|fired|sacked|(?:got|was|been|am) hired|(?:my|in) notice"
        r"|(?:new|a|as|dream|found|took|took a"
        r"|landed|left my|quit my|changed) jobs?|career|employ\w+|promoted|retired?|freelanc\w+|apprentice\w*"
        r"|onboard\w*|payroll|probation|(?:new|another) (?:role|position|company|firm|employer|gig|title)|last day"
        r"|(?:first|second) (?:day|week|month) (?:at|as|with|of|in)|start(?:ed|ing|s)? (?:at|as|with|work\w*|my own)"
        r"|join(?:ed|ing) (?!us\b|me\b|them\b|him\b|her\b)|work(?:s|ed|ing)? (?:at|for|as|in)|(?:i['’]m"
        r"|am) (?:now )?(?:at|with)|became an?|now an? \w+|offer (?:from|at)|opened (?:a|my|our)|run(?:ning)? (?:a"
        r"|my|our) own|left the (?:company|firm|bank|school|hospital))\b|离职|辞职|辞了|辞掉|辞去|跳槽|入职|报到"
        r"|转行|改行|上班|任职|就职|供职|打工|录用|被裁|裁员|下岗|失业|退休|创业|自由职业|升职|东家|试用期|(?:新"
        r"|换了?|换了?份|份)工作|工作(?:是|在)|在.{1,10}工作|(?:新|换.{0,3}|[一这那]家|去.{0,8}|进.{0,8})(?:公司"
        r"|单位)|offer|加入了?|当(?:上)?了|做起了?|开了(?:一|两|自己的)?(?:家|间|个(?=店|公司|厂|工作室|餐馆|诊所))|调[到去往]|干起|挖(?:走|去|到)|签了?(?:约"
        r"|合同)",
    ),
    "home": _words(
        r"\bwhere\b.*\b(?:live|living|home|house|apartment|flat|resid\w+|based|stay\w*|sleep|call home)\b|\b(?:what"
        r"|which)\b.*\b(?:city|town|country|street|neighbou?rhood|district|village|place)\b.*\b(?:live|living|based"
        r"|home|stay\w*|resid\w+)\b|\b(?:what|which)\b.*\b(?:my|our) (?:\w+ )?(?:address|home ?town|city|home)\b"
        r"|住.{0,4}(?:哪|什么地方|何处|啥地方)|家(?:现在|如今|目前)?(?:在|住|安在)?(?:哪|什么地方)|(?:哪|什么)(?:个"
        r"|座)?(?:城市|地方|小区|区|街).{0,4}(?:住|生活|定居)|(?:住址|地址)(?:是|在)|(?:生活|定居"
        r"|安家).{0,3}(?:在)?哪|在哪.{0,4}(?:定居|安家|生活|安身|落脚)",
        r"\b(?:mov(?:ed|ing)(?= (?:in|out|to|into|back|away|house|here|from|over|up|down|home)\b|[.,!?;]|$)"
        r"|relocat\w+|settl\w+|unpack\w*|(?:last|moving) box(?:es)?|sublet|rent(?:ing|ed)?|lease"
        r"|landlord|landlady|mortgage"
        r"|flat ?mates?|room ?mates?|housewarming|new (?:\w+ )?(?:place|flat|apartment|house|home|address"
        r"|neighbou?r\w*|city|studio)|liv(?:e|es|ing) (?:in|at|by|on|with|near)|bought (?:a|our"
        r"|my) (?:\w+ )?(?:house|flat|apartment|place|home|cottage)|(?:my|our) (?:new )?(?:home|place|flat|house"
        r"|apartment) (?:is|in)|keys (?:to|for)|pack(?:ed|ing) up|left \w+ for \w+|home now)\b|搬|安家|定居|落户"
        r"|落脚|安顿|乔迁|迁[到居往入]|入住|住[在进到]|新(?:家|房|居|住处|公寓|小区|邻居)|租[了到的下]|房东|室友"
        r"|合租|退租|收房|买了?.{0,4}房|装修",
    ),
    "school": _words(
        r"\bwhere\b.*\b(?:stud(?:y|ying)|school|enrolled|university|college|class(?:es)?|lectures)\b"
        r"|\b(?:what|which)\b.*\b(?:school|university|college|uni|campus|faculty)\b"
        r"|在哪.{0,6}(?:上学|读书|念书|学习|读|念|就读|求学)|(?:哪|什么|啥)(?:所|个|家)?(?:学校|大学|学院|中学|高中|小学)"
        r"|(?:学校|大学|母校)(?:是|叫)|就读",
        r"\b(?:transferr?ed|enrol\w+|accepted|admitted|got (?:in|into)|new (?:school|university|college|campus|uni)"
        r"|stud(?:y|ying|ied)|drop(?:ped)? out|graduat\w+|universit\w+|college|school|campus|semester|lectures?"
        r"|dorm\w*|freshman|faculty|matriculat\w+|classes)\b|转学|转[到去入]|考[上进到入取]|录取|入学|报到"
        r"|读[研博书]|念书|上学|就读|毕业|退学|插班|开学|新学校|大学|学院|校区|宿舍|同学",
    ),
    "partner": _words(
        r"\b(?:who|what)\b.*\b(?:girl ?friend|boy ?friend|partner|wife|husband|spouse|fianc\w+|dating|married|seeing"
        r"|together|going out|in love|other half|significant other|sweetheart)\b|(?:女朋友|男朋友|女友|男友"
        r"|对象|老婆|老公|妻子|丈夫|爱人|伴侣|另一半|媳妇).{0,4}(?:谁|叫|名字|哪)|谁.{0,4}(?:女朋友|男朋友|女友|男友"
        r"|对象|老婆|老公|妻子|丈夫|爱人|伴侣|另一半|媳妇)|[和跟与]谁.{0,5}(?:一起|交往|谈|处|结婚|过)",
        r"\b(?:br(?:oke|eak\w*|oken) (?:it )?(?:up|off)|split|divorc\w+|separated|dat(?:ed|ing|e)|seeing|engaged"
        r"|marr(?:y|ied)|got together|going out|went out|(?:girl|boy) ?friend|partner|wife|husband|fianc\w+|love|ex"
        r"|propos\w+|together|dump(?:ed)?|fell for|kiss\w*|wedding|couple|things ended|over between)\b|分手|分了"
        r"|在一起|离婚|离了|结婚|领证|订婚|求婚|交往|恋爱|处对象|[女男](?:朋)?友|对象|前任|表白|脱单|牵手|好上了"
        r"|吹了|掰了|嫁|娶|相亲|谈了|爱上|新欢",
    ),
}  # fmt: skip
_TURNED: Final = re.compile(
    r"\b(?:instead of|rather than|no longer|any ?more|switch\w*|swapp?\w*|replac\w+|t(?:ook|aken|akes?) over|sold"
    r"|trad(?:ed|ing) (?:it |\w+ )?in|got rid of|upgrad\w+|chang(?:ed|ing)|moved (?:on )?to|new|from now on"
    r"|these days|now|gave up|given up|stopped|retired|left|quit|cancell?ed|ditched|dropped|signed up|bought"
    r"|converted|went over to|turned to)\b|换|改[用成去为喝吃看坐找学骑开]|不再|不[用去喝吃找坐骑看]了|[卖扔丢送]了"
    r"|卖掉|接[替手任]|代替|取代|退休|新[的买来换办]|现在|如今|淘汰|升级|调走|调离|转[用投到学去]|以后|迷上|爱上"
    r"|办了|买了|入手",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for; it is for the caller to know that it asks for what holds now."""

    names: tuple[str, ...]
    """Which circumstances."""
    own: bool
    """Whether it is about who asks."""
    people: tuple[str, ...]
    """Whom it names, if it is not."""

    def told(self, text: str) -> bool:
        """Return whether a text tells of some of these circumstances, of those of whom the question is about."""
        words = [CIRCUMSTANCES[name].told for name in self.names]
        return any(self._about(clause) and any(told.search(clause) for told in words) for clause in _clauses(text))

    def turned(self, text: str) -> bool:
        """Return whether a text tells that something took another's place, with those whom the question is about."""
        return any(self._about(clause) and _TURNED.search(clause) for clause in _clauses(text))

    def _about(self, clause: str) -> bool:
        if not self.own:
            return any(name in clause for name in self.people)
        if _OTHERS.search(clause):
            return False
        return bool(_OWN.search(clause) or _HAN.search(clause) or _BARE.search(clause))


def asked(query: str) -> Asked:
    """Read a question."""
    brief, own = query[:ASKED], bool(_OWN.search(query))
    names = () if _ONCE.search(brief) else tuple(n for n, words in CIRCUMSTANCES.items() if words.asked.search(brief))
    return Asked(names=names, own=own, people=() if own else tuple(_NAME.findall(query)))


def _clauses(text: str) -> list[str]:
    return [clause for part in _CLAUSE.split(text[:READ]) if (clause := part.strip())]
