"""Coupling of FMUs by a small co-simulation master."""
