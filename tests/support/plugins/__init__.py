"""Command-line options of pytest."""
