"""Texts for users: suggestions of names, errors of calls, messages of failed runs."""
