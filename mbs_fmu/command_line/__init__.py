"""The command line: its verbs, their options, and the demonstration."""
