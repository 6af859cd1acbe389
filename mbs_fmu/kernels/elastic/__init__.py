"""Kernels of elastic bodies (docs/equations_elastic.md)."""
