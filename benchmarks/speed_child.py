"""Child process of the benchmark of speed: long runs and exports, by public names, so that any checkout works."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import mbs_fmu as mbs

from . import checkouts
from .named import MODELS
from .timing import Run

SPAN, MOST = 0.3, 200000  #: s of processor time of one measurement at least; hundredths of a second at most
STEP = 1e-3  #: s
CHOSEN = ("excavator", "four_bar", "stewart_platform", "planetary_gear", "solar_array", "tree-30")
#: Models in which something happens many times a second, and the same motions without it.
CROSSING = (
    "ball, impact", "ball, reset", "ball, report", "ball, none", "gripper", "gripper without sticking",
    "digital governor", "governor",
)  # fmt: skip
INPUTS = {"planetary_gear": {"sun_torque": 5.0}}  #: all others are zero
RUN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    **{f"{name}, dopri5": (name, {}) for name in CHOSEN[:4]},
    **{
        f"{name}, rk4": (name, {"method": "rk4", "step": STEP}) for name in CHOSEN[4:]
    },  # models that come to rest, or fall
    "excavator, dopri5, 1000 rows a second": ("excavator", {"output_interval": STEP}),
    "excavator, rodas5p": ("excavator", {"method": "rodas5p"}),
    "tree-30, gauss4": ("tree-30", {"method": "gauss4", "step": STEP}),
    **{f"{name}; rk4": (name, {"method": "rk4", "step": STEP, "output_interval": 0.1}) for name in CROSSING},
    **{f"{name}; dopri5": (name, {"output_interval": 0.1}) for name in CROSSING},
    "solar_array; dopri5": ("solar_array", {"output_interval": 0.1}),
}
STEPPED = {**{f"{name}, rk4": (name, "rk4") for name in CHOSEN}, "excavator, rodas5p": ("excavator", "rodas5p")}


def serve() -> None:
    """Write seconds of processor time for hundredths of a second of a model."""
    checkouts.serve({name: partial(long_run, name) for name in RUN}, SPAN, MOST)


def long_run(name: str) -> Run:
    chosen, settings = RUN[name]
    model = MODELS[chosen]()()
    inputs = {**dict.fromkeys(model.inputs, 0.0), **INPUTS.get(chosen, {})}
    return lambda count: mbs.simulate(
        model, 0.01 * count, inputs=inputs, progress=False, **{"output_interval": 0.01 * count, **settings}
    )


def export(name: str) -> None:
    """Write the FMU of a row into the working directory and print its path."""
    chosen, method = STEPPED[name]
    model = MODELS[chosen]()()
    path = Path.cwd() / f"{chosen}_{method}.fmu"
    mbs.export(
        model, path, "native", method=method, step=STEP if method == "rk4" else None, platforms="host",
        stop_time=1.0, communication_step=STEP, reference=False, progress=False,
    )  # fmt: skip
    print(path)
