"""Child process of the benchmark of first use that imports no more than a user's script."""

from __future__ import annotations

import time
from typing import Any

import mbs_fmu as mbs

from .named import in_folder

ARGUMENTS = {"universal_chain": (10,)}  #: of the functions that build models
ONE_STEP: dict[str, Any] = {"stop_time": 1e-3, "method": "rk4", "step": 1e-3, "output_interval": 1e-3}


def start(bodies: int, began: float) -> None:
    """Print processor and wall seconds from the start of the interpreter to the first result of a chain.

    began: `time.time()` at the start of the process.
    """
    model = in_folder("universal_chain")(bodies)
    mbs.simulate(model, progress=False, **ONE_STEP)
    print(time.process_time(), time.time() - began)


def simulate(name: str) -> None:
    """Simulate a model of models/: 0.05 s with the defaults if it has loops, one step of rk4 otherwise."""
    model = in_folder(name)(*ARGUMENTS.get(name, ()))
    settings = {"stop_time": 0.05} if model.loops else ONE_STEP
    mbs.simulate(model, inputs=dict.fromkeys(model.inputs, 0.0), progress=False, **settings)
