"""Folders of the project."""

from pathlib import Path

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
HOSTS = TESTS / "fmi" / "native" / "hosts"  #: programs in C that host FMUs
