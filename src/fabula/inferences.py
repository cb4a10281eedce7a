"""What may be inferred about people, and what never is; knows no model and no record.

The categories are a closed list. Personality, values, and the special categories of the GDPR (Article 9: beliefs,
politics, health, sexual life, origin) are not in it and are refused wherever a text names them; to profile people by
such is what Article 5 of the EU AI Act (2024/1689) is against. What somebody said stays a passage or a fact.

Of an insight the whole text is looked at, for somebody else words it; of a profile the key, for its values are what
was told of oneself: "occupation: a political scientist" or "skills: religious education" stands there as it was said,
and no insight may say it. Nothing is filed under "religion", though.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from fabula.text import fold

CATEGORIES: Final = (
    "behavior_pattern", "preference", "relationship", "goal", "stage_summary", "emotion_trend",
)  # fmt: skip
"""What an insight may be about."""
_ALSO: Final[Mapping[str, str]] = {
    "behaviour_pattern": "behavior_pattern", "行为模式": "behavior_pattern", "偏好": "preference",
    "关系": "relationship", "人际关系": "relationship", "目标": "goal", "阶段总结": "stage_summary",
    "阶段性总结": "stage_summary", "情绪趋势": "emotion_trend",
}  # fmt: skip

_NEVER: Final = re.compile(
    r"""(?a:\b)(?:
    personalit\w* | temperament\w* | big[ ]?(?:five|5) | ocean[ ]model | mbti | myers.briggs | enneagram
  | intj | intp | entj | entp | infj | infp | enfj | enfp | istj | isfj | estj | esfj | istp | isfp | estp | esfp
  | introver\w* | extraver\w* | extrover\w* | ambiver\w* | neurotic\w* | conscientious\w* | agreeable(?:ness)?
  | openness[ ]to | character[ ]traits? | narcissis\w* | psychopath\w* | machiavellian\w*
  | (?:core|personal|moral|family|life|ethical|his|her|their|whose)[ ]values | (?:core|personal|moral)[ ]value
  | (?:core|personal|moral)[ ]beliefs? | morals | morality | value[ ]system | worldviews?
  | values\W+(?!of\b|in\b|from\b|at\b|for\b|are\b|were\b|is\b|between\b|\d)\w+
  | politic(?:al|ally|s) | left.wing | right.wing | leftist | (?:a|is|votes?|voted)[ ](?:liberal|conservative)s?
  | republicans? | democrats? | socialist | communist | ideolog\w*
  | party[ ](?:affiliation|membership)
  | religio\w* | (?:a|is|as|devout|practi[cs]ing)[ ](?:christian|muslim|jewish|jew|hindu|buddhist|catholic)
  | atheis\w* | (?:is|an|as)[ ]agnostic | christianity | islam\w* | buddhism | hinduism
  | judaism | catholicism
  | homosexual\w* | heterosexual\w* | bisexual\w* | lesbians? | (?:is|a|as)[ ]gay | lgbt\w* | transgender\w*
  | sexual(?:ity|ly)? | sex[ ]life
  | depressi(?:on|ve) | (?:clinically|is|seems|be)[ ]depressed | bipolar | anxiety[ ]disorders? | adhd | autis\w*
  | schizo\w* | ptsd | burn[ ]?out | diabet\w* | cancer | hiv | pregnan\w* | disab(?:led|ility|ilities) | addict\w*
  | alcoholi\w* | diagnos\w* | medical[ ](?:history|conditions?|records?)
  | mental(?:ly)?[ ](?:health|ill)\w* | illness\w* | diseases? | rehab\w*
  | psychiatr\w* | ethnic\w* | racial\w* | trade[ ]union\w*
    )(?a:\b)
  | 性格 | 人格 | 个性 | 大五 | 九型 | 内向 | 外向 | 神经质 | 尽责性 | 宜人性 | 气质 | 自恋
  | 价值观 | 世界观 | 人生观 | 三观 | 信念 | 信奉 | 政治 | 政党 | 政见
  | 左派 | 右派 | 左翼 | 右翼 | 党派 | 意识形态 | 自由派 | 保守派 | 党员
  | 宗教 | 信仰 | 信教 | 佛教 | 基督 | 天主教 | 伊斯兰 | 穆斯林 | 道教 | 犹太 | 印度教 | 无神论
  | 同性恋 | 异性恋 | 双性恋 | 性取向 | 性生活 | 跨性别 | 变性
  | 抑郁 | 焦虑症 | 双相 | 躁郁 | 多动症 | 自闭 | 孤独症 | 精神分裂 | 创伤后应激 | 糖尿病 | 癌 | 艾滋 | 怀孕 | 残疾
  | 成瘾 | 酗酒 | 确诊 | 诊断 | 患有 | 病史 | 病情 | 康复 | 住院 | 疾病 | 心理健康 | 精神疾病 | 民族 | 种族 | 工会
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words of what is never inferred. Too much is refused rather than too little: what was said is there anyway."""
_ASKED: Final = re.compile(
    r"""(?:
    values? | beliefs? | faith | creed | denomination | morals? | ethics | character | traits? | openness
  | (?:his|her|their)[ ]beliefs? | part(?:y|ies) | votes?(?:[ ]for)? | voting | orientation | gender[ ]identity
  | race | union | (?:physical[ ]|mental[ ])?health(?:[ ](?:status|conditions?|issues?|problems?|history|records?))?
  | medical | medications? | (?:chronic[ ])?conditions?
  | 健康(?:状况|状态|情况|问题)? | 身体(?:状况|状态|情况) | 用药 | 党 | 投票 | 取向 | 性向 | 性别认同 | 信条 | 种姓
    )""",
    re.VERBOSE,
)
"""What asks for it as the whole of a key, and may mean anything else in a sentence."""
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINT: Final = re.compile(r"[\s_/\-\u2010-\u2015]+")
_TELLTALE: Final = re.compile(
    r"(?a:\b)(?:church|chapel|cathedral|mosque|synagogue|temple|hospital|clinic|hospice|rehab)"
    r"|教堂|清真寺|寺|庙|道观|医院|诊所|疗养院"
)
"""Places that tell by being visited often what is never inferred."""


def category_of(name: str) -> str:
    """Return the category that a name stands for; empty where it is none of the list."""
    key = _plain(name).replace(" ", "_")
    return key if key in CATEGORIES else _ALSO.get(key, "")


def protected(text: str) -> bool:
    """Whether a text names what is never inferred about people: see the module."""
    return _NEVER.search(_plain(text)) is not None


def protected_key(key: str) -> bool:
    """Whether a key asks for what is never inferred about people, as one of a profile would."""
    return protected(key) or _ASKED.fullmatch(_plain(key)) is not None


def telltale(place: str) -> bool:
    """Whether it would tell of beliefs or health that somebody is often at a place."""
    return protected(place) or _TELLTALE.search(_plain(place)) is not None


def _plain(text: str) -> str:
    """The words of a text or of a name such as political_views and politicalViews, as they are compared."""
    return _JOINT.sub(" ", fold(_HUMP.sub(" ", text))).strip()
