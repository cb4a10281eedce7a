"""NeuroMemory's surface on fabula: its names and dicts, and nothing of its own beneath them."""
