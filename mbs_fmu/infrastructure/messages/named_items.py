"""Dictionaries of things by name whose messages suggest names."""

from __future__ import annotations

from typing import TypeVar

from ..errors import MissingError
from .failures import display
from .names import listed
from .suggestions import did_you_mean

V = TypeVar("V")


class NamedItems(dict[str, V]):
    """Things by name; an unknown name raises MissingError, a KeyError that suggests a name and lists some."""

    def __missing__(self, name: object) -> V:
        raise MissingError(f"nothing is named {display(name)}{did_you_mean(name, self)}; there are {listed(self)}")
