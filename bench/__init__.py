"""Measurements: what fabula finds, how fast, and how its numbers were fitted. Not part of the wheel."""
