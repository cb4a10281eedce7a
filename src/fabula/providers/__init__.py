"""Models: embedders and language models."""
