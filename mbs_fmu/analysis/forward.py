"""Forward dynamics: accelerations of a mechanism under its forces and additional ones along its joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..infrastructure.arguments import ParameterValues
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.checks import start_numbers
from ..model.items import Body
from ..model.model import Model
from .mechanism import Mechanism
from .point import Point


@with_clear_errors
def forward_dynamics(
    model: Model, start: Mapping[str, float] | None = None, forces: Mapping[Any, Any] | None = None, *,
    inputs: Mapping[str, float] | None = None, parameters: ParameterValues | None = None, time: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Return rates of all joint velocities at a start, by the names of these velocities (rad/s², m/s²).

    start, inputs, parameters, time: as in `simulate`. Omitted ones have their defaults; inputs without one are 0.
    forces: generalized forces in addition to those of the model (N.m, N): by body, as `inverse_dynamics` returns them,
    or by the names of columns of forces ("rod.tau") or velocities ("rod.w").

    Loops are closed first and stay closed; closures stay in their constraint modes. Velocities of ball and free joints,
    and their rates, are in body axes. `inverse_dynamics` of this motion returns the same forces.

    Raises ModelError if the start fails, for unknown names and for joints with prescribed motion.
    """
    mechanism = Mechanism(model)
    R = mechanism.record(start or {}, inputs or {}, parameters or {}, time)
    added = _along(mechanism, forces or {})
    mechanism.begin(R)
    point = Point(mechanism, R)
    rates = point.accelerations.copy()
    if added.any():
        free = point.rate_basis  # virtual work: B' M B w' = B' f
        rates += free @ np.linalg.solve(point.mass_matrix(), free.T @ added)
    return dict(zip(mechanism.rate_names, map(float, rates), strict=True))


def _along(mechanism: Mechanism, forces: Mapping[Any, Any]) -> np.ndarray:
    """Return the forces along all joint velocities. Raises ArgumentError."""
    if not isinstance(forces, Mapping):
        raise ArgumentError(f"forces must be a dictionary by body or column, not {display(forces)}")
    names, bodies = mechanism.rate_names, mechanism.model.bodies
    along = np.zeros(len(names))
    columns = {name: name for name in names}
    for body in bodies.values():
        for (force, _), (rate, _) in zip(body.joint.forces, body.joint.rates, strict=True):
            columns[f"{body.name}.{force}"] = f"{body.name}.{rate}"
    for key, values in forces.items():
        name = key.name if isinstance(key, Body) else key
        own = [f"{name}.{rate}" for rate, _ in bodies[name].rates] if name in bodies else [columns.get(name, "")]
        if not own or not set(own) <= set(names):
            known = [*bodies, *(column for column, rate in columns.items() if rate in names)]
            wrong = (
                f"no joint of {name!r} moves freely" if name in bodies else f"unknown body or column {display(name)}"
            )
            raise ArgumentError(f"forces: {wrong}{did_you_mean(name, known)}; there are {listed(names)}")
        numbers = start_numbers(values, [None] * len(own), f"forces of {name!r}", "its joint has")
        for column, value in zip(own, numbers, strict=True):
            along[names.index(column)] += value
    return along
