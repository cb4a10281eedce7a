"""Who the user is, by a few keys: which there are and what they gather; asks no store.

Keys that ask for what is never inferred of anybody (`inferences`) are none of a profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from fabula.inferences import protected_key
from fabula.names import USERS, is_user
from fabula.relations import wording
from fabula.text import fold, script
from fabula.types import Note

PROFILE: Final = "profile"
"""The namespace of notes about who somebody is."""
KEYS: Final[Mapping[str, str]] = {
    "identity": "身份", "occupation": "职业", "interests": "兴趣", "preferences": "偏好", "relationships": "关系",
    "location": "所在地", "skills": "技能", "goals": "目标", "language": "语言",
}  # fmt: skip
"""What a profile tells, and how it is called in Chinese."""
GATHERED: Final = frozenset(("identity", "interests", "preferences", "relationships", "skills", "goals"))
"""The keys that hold a list, to which talk adds; the others have one value, the one that was told last."""
LONGEST: Final = 100
"""How many items a list has at most: those that were told last."""
_MEANT: Final[Mapping[str, str]] = {
    word: key
    for key, words in {
        "identity": "name|full name|age|gender|birthday|nationality|姓名|名字|年龄|性别|生日|国籍",
        "occupation": "job|job title|profession|employer|company|work|工作|岗位|职位|公司|雇主",
        "interests": "interest|hobby|hobbies|爱好|兴趣爱好|感兴趣",
        "preferences": "preference|likes|dislikes|喜好|喜欢|不喜欢|习惯",
        "relationships": "relationship|family|friends|pets|wife|husband|spouse|partner|children|家庭|家人|朋友|人际关系"
                         "|妻子|丈夫|配偶|孩子|宠物",
        "location": "home|city|residence|address|lives in|country|居住地|住址|城市|地点|位置|住在",
        "skills": "skill|expertise|specialties|专长|特长|能力",
        "goals": "goal|plans|aspirations|计划|理想|愿望",
        "language": "languages|preferred language|首选语言|使用语言|母语",
    }.items()
    for word in (key, KEYS[key], *words.split("|"))
}  # fmt: skip
_FAVOURITE: Final = re.compile(r"(?:favou?rite|preferred) |(?:最?喜欢的|最爱的?|偏好的|首选)")


def gathers(key: str) -> bool:
    """Whether a key of a profile holds a list: of the user's, or of somebody else's (`nora/skills`)."""
    return key.rsplit("/", 1)[-1] in GATHERED


def worded(note: Note) -> Note:
    """Return a note that was told of somebody with the text that its key and its value make."""
    subject, name = str(note.meta.get("subject", "")), str(note.meta.get("name", note.key))
    values = [str(value) for value in items_of(note.value)]
    owner = "" if fold(subject) in ("", *USERS) else subject
    if script((name if fold(name) not in KEYS else "") + "".join(values)) == "han":
        return replace(note, text=f"{owner}{KEYS.get(fold(name), name)}：{'、'.join(values)}")
    return replace(note, text=f"{owner} {name}: {', '.join(values)}".strip())


def items_of(value: Any) -> list[Any]:
    """Return a list as it is, and any other value as a list of one."""
    return cast(list[Any], value) if isinstance(value, list) else [value]


def gathered(held: Any, more: Any) -> list[Any]:
    """Return what a list holds and what was told besides, each once; letter case and punctuation aside."""
    items: dict[str, Any] = {}
    for item in (*items_of(held), *items_of(more)):
        items.setdefault(wording(item) if isinstance(item, str) else repr(item), item)
    return [*items.values()][-LONGEST:]


def profile(notes: Iterable[Note]) -> dict[str, Any]:
    """Return who the user of a scope is, from the notes of its namespace `profile`: those of `KEYS` that are known.

    What is gathered is a list, but `identity` one text; the others are as they are kept. Other people's notes are left
    out, and so is what stands under another key, unless it is only another word for one ("hobbies", "爱好") or tells
    what is liked best ("favourite tea").
    """
    found: dict[str, Any] = {}
    own = [note for note in notes if is_user(str(note.meta.get("subject", "")) or "user", note.scope)]
    for note in sorted(own, key=lambda note: note.key not in KEYS):  # what stands under the key itself comes first
        name = fold(str(note.meta.get("name", note.key)))
        favourite = _FAVOURITE.match(name)
        key = _MEANT.get(fold(note.key)) or _MEANT.get(name) or ("preferences" if favourite else "")
        if not key or protected_key(name):
            continue
        values = items_of(note.value)
        if key not in GATHERED:
            found.setdefault(key, note.value)
        else:
            told = [f"{name}: {value}" for value in values] if favourite else values
            found[key] = gathered(found.get(key, []), told)
    if "identity" in found:
        found["identity"] = ", ".join(map(str, found["identity"]))
    return {key: found[key] for key in KEYS if key in found}
