"""Atomic replacement of files, and the cache on disk."""
