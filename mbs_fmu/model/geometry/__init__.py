"""Vectors, axes, poses and rotations as users give them, and their checks."""
