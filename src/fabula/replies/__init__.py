"""What a language model answered, as data: the JSON in its text, and the records in the JSON, each looked at alone.

Knows no host, no prompt and no store; asking again is for whoever asked.
"""

from __future__ import annotations

from fabula.replies.enclosed import parsed
from fabula.replies.insights import Drawn, insights
from fabula.replies.records import extraction, united
from fabula.replies.values import naming
from fabula.replies.verdicts import Verdict, verdicts

__all__ = ["Drawn", "Verdict", "extraction", "insights", "naming", "parsed", "united", "verdicts"]
