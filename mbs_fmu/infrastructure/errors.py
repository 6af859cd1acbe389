"""Exceptions, whose messages name the thing, the value and the remedy."""

from __future__ import annotations

from collections.abc import Callable

MOST_CHARACTERS = 690  #: of a message


class Argument:
    """Reference to an argument in a message, in place of which the command line shows the corresponding option.

    name: of the argument. text: its form in Python, such as "step=" or 'fmi="3.0"', by default the name. value: value
    that the command line shows after the option.
    """

    def __init__(self, name: str, text: str | None = None, value: str = ""):
        self.name, self.text, self.value = name, text or name, value

    def __str__(self) -> str:
        return self.text


class ModelError(ValueError):
    """A model, or a value in it, is invalid. `parts` are the parts of the message: texts and `Argument`s.

    The message is one line of at most `MOST_CHARACTERS`, whatever names, paths and values it quotes.
    """

    def __init__(self, *parts: str | Argument):
        super().__init__(_readable("".join(map(str, parts))))
        self.parts = parts

    def worded(self, option: Callable[[Argument], str]) -> str:
        """Return the message with `option(argument)` in place of each argument."""
        return _readable("".join(option(part) if isinstance(part, Argument) else part for part in self.parts))


class ArgumentError(ModelError):
    """An argument of a run or an export, or an option of the command line, is invalid."""


class CallError(ArgumentError, TypeError):
    """A function is called with unknown arguments, without required ones, or with values of a wrong kind."""


class MissingError(ArgumentError, KeyError, IndexError):
    """A result or another collection has nothing of a name or number."""

    __str__ = Exception.__str__  # that of KeyError would quote the message


def _readable(text: str) -> str:
    """Return a message without line breaks, and of a long one the beginning and the end, which has the remedy."""
    line = " ".join(text.splitlines())
    if len(line) <= MOST_CHARACTERS:
        return line
    half = MOST_CHARACTERS // 2
    return f"{line[: half - 5]} ... {line[-half:]}"


def one_line(error: BaseException) -> str:
    """Return type and text of an exception on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
