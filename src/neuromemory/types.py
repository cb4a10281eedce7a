"""The words of NeuroMemory's graph; a word of one's own is as good. Knows no record."""

from __future__ import annotations

from enum import StrEnum


class NodeType(StrEnum):
    """What a node is."""

    USER = "User"
    MEMORY = "Memory"
    CONCEPT = "Concept"
    ENTITY = "Entity"
    PERSON = "Person"
    ORGANIZATION = "Organization"
    LOCATION = "Location"
    EVENT = "Event"
    SKILL = "Skill"


class EdgeType(StrEnum):
    """How two nodes are related."""

    HAS_MEMORY = "HAS_MEMORY"
    MENTIONS = "MENTIONS"
    RELATED_TO = "RELATED_TO"
    KNOWS = "KNOWS"
    ABOUT = "ABOUT"
    WORKS_AT = "WORKS_AT"
    LIVES_IN = "LIVES_IN"
    HAS_SKILL = "HAS_SKILL"
    STUDIED_AT = "STUDIED_AT"
    BELONGS_TO = "BELONGS_TO"
    USES = "USES"
    MET = "MET"
    ATTENDED = "ATTENDED"
    VISITED = "VISITED"
    OCCURRED_AT = "OCCURRED_AT"
    OCCURRED_ON = "OCCURRED_ON"
    HOBBY = "HOBBY"
    OWNS = "OWNS"
    LOCATED_IN = "LOCATED_IN"
    BORN_IN = "BORN_IN"
    SPEAKS = "SPEAKS"
    COLLEAGUE = "COLLEAGUE"
    CUSTOM = "CUSTOM"
