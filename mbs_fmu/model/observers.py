"""Models without events that only observe."""

from __future__ import annotations

import copy

from .model import Model


def without_observers(model: Model) -> Model:
    """Return the model without events that reset nothing, for programs that neither log events nor end at them."""
    if all(event.reset for event in model.events.values()):
        return model
    acting = copy.copy(model)
    acting.events = {name: event for name, event in model.events.items() if event.reset}
    return acting
