"""Facts about models that are found once for each structure."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TypeVar

from .model import Model

T = TypeVar("T")


def of_structure(find: Callable[[Model], T]) -> Callable[[Model], T]:
    """Decorate a function of a model whose value depends on the model's structure only, not on values.

    The value is kept until `Model.version` changes, or the model is freed.
    """
    kept: weakref.WeakKeyDictionary[Model, tuple[int, T]] = weakref.WeakKeyDictionary()

    @functools.wraps(find)
    def known(model: Model) -> T:
        found = kept.get(model)
        if found is None or found[0] != model.version:
            found = kept[model] = model.version, find(model)
        return found[1]

    return known
