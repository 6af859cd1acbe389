"""Checks of starts and of fixed steps before a run."""
