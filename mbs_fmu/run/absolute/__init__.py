"""A model in absolute coordinates: every body free, every joint a closure (docs/loops.md)."""
