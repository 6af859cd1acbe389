"""Members of batches that differ in start values, parameters and inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model

#: Relative differences of parameters between members, and differences of start values and inputs.
PARAMETERS, STARTS, INPUTS = 0.05, 0.1, 0.5


def varied(model: mbs.Model, size: int, seed: int, stop: float, spread: float = 1.0) -> dict[str, Mapping[str, Any]]:
    """Return random parameters, start values and tables of inputs for a `Batch` of `size` members up to time `stop`.

    All start values differ but those of modal coordinates; parameters stay within their ranges; inputs jump once.
    """
    rng = np.random.default_rng([31, seed])
    program = compile_model(model)
    start = {
        v.name: v.start + spread * STARTS * rng.normal(size=size)
        for v in program.of_role("coordinate", "rate", "state")
        if "xi" not in v.name
    }
    parameters = {}
    for v in program.of_role("parameter"):
        values = v.start * (1.0 + spread * PARAMETERS * rng.uniform(-1.0, 1.0, size))
        parameters[v.name] = np.clip(values, *v.range)
    inputs = {}
    for v in program.of_role("input"):
        table = v.start + spread * INPUTS * rng.normal(size=(size, 4))
        inputs[v.name] = ([0.0, 0.37 * stop, 0.37 * stop, stop], np.clip(table, *v.range))
    return {"start": start, "parameters": parameters, "inputs": inputs}
