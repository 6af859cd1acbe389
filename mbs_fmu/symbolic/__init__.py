"""Algebra on symbolic scalars."""
