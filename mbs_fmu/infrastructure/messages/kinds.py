"""Kinds of arguments by their annotations: which values fit, and what to give instead of others.

Functions check most arguments where they use them. The table below serves calls whose arguments no function has
checked: `calls.py` looks there for an argument that its annotation does not allow.
"""

from __future__ import annotations

import functools
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from .failures import display


class Kind(NamedTuple):
    """A kind of argument.

    fits: True for values of this kind. wanted: what to give. early: True for values of other kinds that functions would
    accept without a word; they are refused before the call. usual: types whose values all fit.
    """

    fits: Callable[[Any], bool]
    wanted: str
    early: Callable[[Any], bool] | None = None
    usual: frozenset[type] = frozenset()


def _is_number(value: Any) -> bool:
    if not isinstance(value, int | float | np.number) or isinstance(value, np.complexfloating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return False


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and abs(int(value)) < 2**63


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) and "\0" not in str(value)


def _are_names(value: Any) -> bool:
    return not isinstance(value, Set) and _are_texts(value)


def _are_texts(value: Any) -> bool:
    return _are_all(value, lambda item: isinstance(item, str))


def _are_bodies(value: Any) -> bool:
    return not isinstance(value, Set) and _are_all(value, lambda item: isinstance(item, str) or _of("Body")(item))


def _are_all(value: Any, fits: Callable[[Any], bool]) -> bool:
    """True if all items of a collection fit."""
    if isinstance(value, str | bytes) or not isinstance(value, Collection):
        return False
    is_flat = not isinstance(value, np.ndarray) or value.ndim == 1
    return is_flat and all(map(fits, value))


def _is_along(value: Any) -> bool:
    return callable(value) or (_is_number(value) and value > 0.0)


def _are_numbers(value: Any) -> bool:
    try:
        return isinstance(value, Iterable) and np.asarray(value, dtype=float).ndim > 0
    except (TypeError, ValueError, OverflowError):
        return False


def _of(name: str) -> Callable[[Any], bool]:
    """Return a test for objects of a class, which the annotation names."""
    return lambda value: any(cls.__name__ == name for cls in type(value).__mro__)


def _is_empty(value: Any) -> bool:
    """True for a value that would count as an omitted one, or that has no truth value, such as an array."""
    try:
        return not value
    except (TypeError, ValueError):
        return True


def _is_no_text(value: Any) -> bool:
    """True for an empty text, which has no letter that a function could refuse as a name."""
    return isinstance(value, str | bytes) and not value


NOTHING = Kind(lambda value: value is None, "None", usual=frozenset({type(None)}))
TEXT = Kind(lambda value: isinstance(value, str), "a text")
TRUTH = Kind(lambda value: isinstance(value, bool | np.bool_), "True or False")
PATH = Kind(_is_path, "the name of a file, a text or a Path", lambda value: isinstance(value, str | os.PathLike))
DICTIONARY = Kind(lambda value: isinstance(value, Mapping), "a dictionary by name", usual=frozenset({dict}))
OPTIONAL_DICTIONARY = DICTIONARY._replace(early=_is_empty)
FIELD = DICTIONARY._replace(early=lambda value: not isinstance(value, Mapping))  # of data that nothing else checks
NAMES = Kind(_are_names, "a list of names", lambda value: isinstance(value, np.ndarray | Set) or _is_no_text(value))
TEXTS = Kind(_are_texts, "a list of names", lambda value: isinstance(value, str | bytes | np.ndarray))
BODIES = Kind(
    _are_bodies, "a list of bodies or their names", lambda value: isinstance(value, str | bytes | np.ndarray | Set)
)
ALONG = Kind(_is_along, "a positive number, or a function of x", lambda value: not isinstance(value, int | float))
LIST = Kind(lambda value: isinstance(value, list | tuple), "a list")
NUMBERS = Kind(_are_numbers, "a list or an array of numbers")
ARRAY = Kind(lambda value: isinstance(value, np.ndarray), "an array")

#: Kinds by the beginning of an annotation, without its brackets.
GENERIC = {
    "Mapping": DICTIONARY, "dict": FIELD, "Given": DICTIONARY, "Bounds": DICTIONARY,
    "ParameterValues": DICTIONARY, "PathLike": PATH, "os.PathLike": PATH,
}  # fmt: skip
#: Kinds by annotation.
KINDS = {
    "None": NOTHING, "str": TEXT, "float": Kind(_is_number, "a number"), "int": Kind(_is_whole, "a whole number"),
    "bool": TRUTH, "Path": PATH, "Sequence[str]": NAMES, "list[str]": NAMES, "Collection[str]": TEXTS,
    "Iterable[str | Body]": BODIES, "Numbers": NUMBERS, "Sequence[float]": NUMBERS, "np.ndarray": ARRAY, "Array": ARRAY,
    "Along": ALONG, "Traces": LIST, "Plots": LIST,
    **{name: Kind(_of(name), wanted) for name, wanted in {
        "Model": "a model", "Body": "a body", "Result": "a result of simulate", "Expression": "an expression",
        "Vector": "a Vector", "Joint": "a joint", "Solid": "a solid", "Node": "a node",
    }.items()},
}  # fmt: skip


@functools.cache
def kinds_of(annotation: object) -> tuple[Kind, ...]:
    """Return the kinds that an annotation allows; none if it has a part that the table does not know."""
    if not isinstance(annotation, str):
        return ()
    found = [GENERIC.get(part.partition("[")[0]) or KINDS.get(part) for part in _alternatives(annotation)]
    kinds = [kind for kind in found if kind is not None]
    if len(kinds) != len(found):
        return ()
    return tuple(OPTIONAL_DICTIONARY if kind is DICTIONARY and NOTHING in kinds else kind for kind in kinds)


def are_early(kinds: tuple[Kind, ...]) -> bool:
    """True if an argument of these kinds is checked before the call."""
    return any(kind.early is not None for kind in kinds)


def refused_early(name: str, value: Any, kinds: tuple[Kind, ...]) -> str | None:
    """Return the message about an argument that the function would accept although it is of none of these kinds."""
    for kind in kinds:
        if kind.early is not None and kind.early(value):
            return refused(name, value, kinds)
    return None


def _alternatives(annotation: str) -> list[str]:
    """Return the parts of an annotation that | separates outside of brackets; texts that name a path are paths."""
    parts, depth = [""], 0
    for letter in re.sub(r"\bstr \| (?=(os\.)?Path)", "", annotation):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def refused(name: str, value: Any, kinds: tuple[Kind, ...]) -> str | None:
    """Return the message about an argument that is of none of these kinds; None if it fits, or without kinds."""
    if not kinds or any(kind.fits(value) for kind in kinds):
        return None
    wanted = [kind.wanted for kind in kinds if kind is not NOTHING]
    if wanted == [DICTIONARY.wanted]:
        return f"{name} must be {DICTIONARY.wanted}, not {display(value)}"
    if PATH in kinds and isinstance(value, str | os.PathLike):
        return f"{name} is {display(str(value))}: names of files have no null character"
    if wanted == [NAMES.wanted] and isinstance(value, str):
        return f"{name} is {display(value)}: give a list of names, [{display(value)}]"
    use = "use" if wanted == [TRUTH.wanted] else "give"
    return f"{name} is {display(value)}: {use} {' or '.join(wanted)}"
