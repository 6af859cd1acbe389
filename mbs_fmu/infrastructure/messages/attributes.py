"""Clear messages for attributes that an object lacks."""

from __future__ import annotations

from typing import Any

from .suggestions import FACE, FUNCTION, did_you_mean


class UnknownAttributeError(AttributeError):
    """An object has no such attribute; the message, with suggestions, is made when it is read.

    Functions that try whether an object has an attribute therefore stay fast.
    """

    def __init__(self, owner: object, name: str):
        super().__init__(owner, name)

    def __str__(self) -> str:
        owner, name = self.args
        public = [known for known in dir(owner) if not known.startswith("_")]
        hint = did_you_mean(name, public) or did_you_mean(name, (), {FUNCTION: FACE[FUNCTION]})
        return f"{type(owner).__name__} has no attribute {name!r}{'' if name.startswith('_') else hint}"


def suggest_attributes(cls: type) -> None:
    """Let objects of a class suggest attributes in place of unknown ones, unless the class finds these itself."""
    if not hasattr(cls, "__getattr__"):
        cls.__getattr__ = _refuse  # type: ignore[attr-defined]


def _refuse(self: Any, name: str) -> Any:
    if not name.startswith("_") and hasattr(type(self), name):
        return object.__getattribute__(self, name)  # a property that raised AttributeError raises it again
    raise UnknownAttributeError(self, name)
