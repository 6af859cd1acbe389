"""Leaves of user expressions, and the names they hold."""
