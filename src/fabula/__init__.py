"""Long-term memory for AI agents: what was said, what happened and what holds, with the evidence."""

__version__ = "0.1.0"
