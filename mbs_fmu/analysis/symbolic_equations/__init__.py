"""Symbolic equations of motion of small models, for teaching and checking."""
