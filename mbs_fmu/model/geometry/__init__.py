"""Vectors, axes, poses and rotations as arguments of users, and their checks."""
