"""Coupling of FMUs: a small co-simulation master."""
