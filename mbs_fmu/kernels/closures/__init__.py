"""Kernels of closed loops (docs/equations_loops.md)."""
