"""SEEM's names and dicts over a fabula memory: structured episodic memory for conversations of many turns."""

from seem_skill.config import RecallMode, RetrieveStrategy, SEEMConfig
from seem_skill.skill import SEEMSkill

__all__ = ["RecallMode", "RetrieveStrategy", "SEEMConfig", "SEEMSkill"]
