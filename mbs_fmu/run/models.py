"""Models as arguments of runs, and facts about them that are found once for each structure."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..model.forces.contacts import Contact
from ..model.forces.frictions import Friction
from ..model.model import Model

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


def require_model(model: Any) -> None:
    """Raise ModelError for anything but a model."""
    if not isinstance(model, Model):
        inside = "; give its .model" if isinstance(getattr(model, "model", None), Model) else ""
        raise ModelError(f"the model must be an mbs.Model, not {display(model)}{inside}")


@of_structure
def checked_kinds(model: Model) -> set[type]:
    """Return the kinds of forces of a model whose starts and steps are checked before a run."""
    return {kind for kind in (Contact, Friction) if any(isinstance(x, kind) for x in model.forces.values())}
