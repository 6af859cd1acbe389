"""Models as arguments of runs, and what is asked of them before a run."""

from __future__ import annotations

from typing import Any

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..model.forces.contacts import Contact
from ..model.forces.frictions import Friction
from ..model.forces.near_contacts import NearContacts
from ..model.model import Model
from ..model.structure import of_structure


def require_model(model: Any) -> None:
    """Raise ModelError for anything but a model."""
    if not isinstance(model, Model):
        inside = "; give its .model" if isinstance(getattr(model, "model", None), Model) else ""
        raise ModelError(f"the model must be an mbs.Model, not {display(model)}{inside}")


@of_structure
def checked_kinds(model: Model) -> set[type]:
    """Return the kinds of forces of a model whose starts and steps are checked before a run."""
    return {
        kind for kind in (Contact, NearContacts, Friction) if any(isinstance(x, kind) for x in model.forces.values())
    }
