"""Comparison of sensitivities with differences of runs on the same steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.run.sensitivities import DIRECTIONS
from mbs_fmu.run.simulate import compiled
from support.comparisons import assert_close

FOURTH = ((1, 8.0), (-1, -8.0), (2, -1.0), (-2, 1.0))
STEP = 2e-5  #: of differences, relative to the change: eps/h is 1e-11; friction laws are steep
STEPS = {"method": "rk4", "step": 0.01, "output_interval": 0.02}


def check(m: Model, names: list[str], seed: int = 0, stop: float = 0.04, size: float = STEP, **more: Any) -> mbs.Result:
    """Assert derivatives of all columns along a random direction in `names`, to 1e-6 of the largest value of their
    unit.

    Differences are between runs with the same steps, of `size` relative to the change; small columns are compared to
    1e-8. `more` are arguments of `simulate`.
    """
    inputs = {name: 0.3 for name, x in m.inputs.items() if not x.has_start} | more.pop("inputs", {})
    options = {**STEPS, **more, "inputs": inputs}
    at = {v.name: inputs.get(v.name, v.start) for v in compiled(m).program.of_role(*DIRECTIONS)}
    weights = np.random.default_rng(seed).uniform(-1.0, 1.0, len(names))
    for k, name in enumerate(names):  # parameters by fractions of themselves, at a bound away from it
        if name in m.parameters:
            weights[k] = abs(weights[k]) * (at[name] or 1.0)
            at[name] += 4 * size * (at[name] == 0.0)

    def settings_at(distance: float) -> dict[str, Any]:
        values = {name: at[name] + distance * weight for name, weight in zip(names, weights)}
        roles = ("parameters", m.parameters), ("inputs", m.inputs)
        arguments: dict[str, Any] = {role: {x: y for x, y in values.items() if x in room} for role, room in roles}
        arguments["inputs"] = {**inputs, **arguments["inputs"]}
        arguments["start"] = {x: y for x, y in values.items() if x not in m.parameters and x not in m.inputs}
        return {**options, **arguments}

    r = mbs.simulate(m, stop, sensitivities=names, **settings_at(0.0))
    derivative = sum(weight * r.sensitivities[name] for name, weight in zip(names, weights))
    expected = sum(weight * mbs.simulate(m, stop, **settings_at(k * size)).data for k, weight in FOURTH) / (12 * size)
    for unit in {r.unit(name) for name in r.columns[1:]}:
        own = [k for k, name in enumerate(r.columns) if name != "time" and r.unit(name) == unit]
        largest = np.abs(expected[:, own]).max(initial=1e-2)
        labels = [r.columns[k] for k in own]
        assert_close(derivative[:, own], expected[:, own], 1e-6 * largest, f"derivative in {unit}", labels, r.time)
    return r
