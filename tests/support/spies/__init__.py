"""Runs that compare kernels with their flat text, and the scenes that they are used in."""
