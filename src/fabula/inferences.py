"""What may be inferred about people, and what never is; knows no model and no record.

The categories are a closed list. Personality, values, and the special categories of the GDPR (Article 9: beliefs,
politics, health, sexual life, origin) are not in it and are refused wherever a text names them; to profile people by
such is what Article 5 of the EU AI Act (2024/1689) is against. What somebody said stays a passage or a fact.
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
    r"""\b(?:
    personalit\w* | temperament\w* | big[ ]five | big-five | ocean[ ]model | mbti | myers.briggs | enneagram
  | (?:intj|intp|entj|entp|infj|infp|enfj|enfp|istj|isfj|estj|esfj|istp|isfp|estp|esfp)(?:-[at])?
  | introver\w* | extraver\w* | extrover\w* | ambiver\w* | neurotic\w* | conscientious\w* | agreeable(?:ness)?
  | openness[ ]to | narcissis\w* | psychopath\w* | machiavellian\w*
  | (?:core|personal|moral|family|life|ethical|his|her|their|whose)[ ]values | value[ ]system | worldview
  | values\W+(?!of\b|in\b|from\b|at\b|for\b|are\b|were\b|is\b|between\b|\d)\w+
  | politic(?:al|ally|s) | left.wing | right.wing | leftist | (?:a|is|votes?|voted)[ ](?:liberal|conservative)s?
  | republicans? | democrats? | socialist | communist | ideolog\w*
  | religio\w* | (?:a|is|as|devout|practi[cs]ing)[ ](?:christian|muslim|jewish|jew|hindu|buddhist|catholic)
  | atheis\w* | (?:is|an|as)[ ]agnostic | christianity | islam\w* | buddhism | hinduism
  | judaism | catholicism
  | homosexual\w* | heterosexual\w* | bisexual\w* | lesbians? | (?:is|a|as)[ ]gay | lgbt\w* | transgender\w*
  | sexual(?:ity|ly)? | sex[ ]life
  | depressi(?:on|ve) | (?:clinically|is|seems|be)[ ]depressed | bipolar | anxiety[ ]disorders? | adhd | autis\w*
  | schizo\w* | ptsd | burn-?out | diabet\w* | cancer | hiv | pregnan\w* | disab(?:led|ility|ilities) | addict\w*
  | alcoholi\w* | diagnos\w* | mental(?:ly)?[ ](?:health|ill)\w* | illness\w* | diseases? | rehab\w*
  | psychiatr\w* | ethnic\w* | racial\w* | trade[ ]union\w*
    )\b
  | 性格 | 人格 | 个性[强鲜内外]?  | 大五 | 九型 | 内向 | 外向 | 神经质 | 尽责性 | 宜人性 | 气质类型 | 自恋
  | 价值观 | 世界观 | 人生观 | 信奉 | 政治 | 左派 | 右派 | 左翼 | 右翼 | 党派 | 意识形态 | 自由派 | 保守派 | 党员
  | 宗教 | 信仰 | 信教 | 佛教 | 基督 | 天主教 | 伊斯兰 | 穆斯林 | 道教 | 犹太 | 印度教 | 无神论
  | 同性恋 | 异性恋 | 双性恋 | 性取向 | 性生活 | 跨性别 | 变性
  | 抑郁 | 焦虑症 | 双相 | 躁郁 | 多动症 | 自闭 | 孤独症 | 精神分裂 | 创伤后应激 | 糖尿病 | 癌 | 艾滋 | 怀孕 | 残疾
  | 成瘾 | 酗酒 | 确诊 | 诊断 | 患有 | 病史 | 康复 | 住院 | 疾病 | 心理健康 | 精神疾病 | 民族 | 种族 | 工会
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words of what is never inferred. Too much is refused rather than too little: what was said is there anyway."""
_TELLTALE: Final = re.compile(
    r"\b(?:church|chapel|cathedral|mosque|synagogue|temple|hospital|clinic|hospice|rehab)"
    r"|教堂|清真寺|寺|庙|道观|医院|诊所|疗养院"
)
"""Places that tell by being visited often what is never inferred."""


def category_of(name: str) -> str:
    """Return the category that a name stands for; empty where it is none of the list."""
    key = fold(name).replace(" ", "_").replace("-", "_")
    return key if key in CATEGORIES else _ALSO.get(key, "")


def protected(text: str) -> bool:
    """Whether a text names what is never inferred about people: see the module."""
    return _NEVER.search(fold(text)) is not None


def telltale(place: str) -> bool:
    """Whether it would tell of beliefs or health that somebody is often at a place."""
    return protected(place) or _TELLTALE.search(fold(place)) is not None
