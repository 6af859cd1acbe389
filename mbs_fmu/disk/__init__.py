"""Files on disk: atomic replacement, and the cache."""
