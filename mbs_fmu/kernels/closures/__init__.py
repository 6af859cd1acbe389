"""Kernels of closed loops: assembly, rows, elimination, constraint modes, start velocities."""
