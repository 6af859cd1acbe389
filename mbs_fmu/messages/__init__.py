"""Texts for users: suggestions of names, wrong calls, messages of failed runs."""
