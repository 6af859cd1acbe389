"""Cost of functions of arrays (`mbs.ode`) and their Jacobians, with Pinocchio beside them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs
from models.four_bar import four_bar
from models.governor import governor
from models.pendulum_on_cart import pendulum_on_cart

from .report import number, progress, table
from .robots import FILES, path_of
from .timing import Effort, Run, calls, interleaved

EXPLANATION = """\
Processor time (µs) of rates x' and outputs, and of these with all Jacobians with respect to states and inputs, called
from Python; medians of interleaved repeats. `mbs.ode` includes the checks of its arguments, "kernel" is the call of the
machine code alone. States are coordinates with velocities, or with momenta. Pinocchio computes `aba` and
`computeABADerivatives` through its Python bindings, on the robot's file; it has no states in momenta and no outputs. A
four-bar, in minimal coordinates, takes its directions one by one."""
Case = Callable[[], mbs.Model]


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    rows = []
    cases: dict[str, Case] = {
        "pendulum on a cart": pendulum_on_cart, "governor": governor, "four-bar": four_bar,
    }  # fmt: skip
    robots = [name for name in ("ur5", "anymal") if path_of(name) is not None]
    cases |= {name: lambda name=name: _robot(name) for name in (robots[:1] if quick else robots)}
    for name, make in cases.items():
        progress(f"Jacobians of {name}")
        rows += _rows(name, make(), effort)
    header = ["model", "states", "mbs.ode: x'", "Jacobian", "kernel: x'", "Jacobian", "Pinocchio: x'", "Jacobian"]
    return "\n\n".join(["## Jacobians", EXPLANATION, table(header, rows)])


def _robot(name: str) -> mbs.Model:
    """A robot with a motor at each joint."""
    path = path_of(name)
    assert path is not None
    base = mbs.Free() if FILES[name][1] else mbs.Weld()
    model = mbs.from_urdf(path, base=base, unphysical="keep", massless="weld").model
    for body in list(model.bodies.values()):
        if len(body.rates) == 1:
            model.motor(f"motor_{body.name}", on=body, torque=model.input(f"torque_{body.name}", unit="N.m"))
    return model


def _rows(name: str, model: mbs.Model, effort: Effort) -> list[list[str]]:
    """One row for each kind of states."""
    runs: dict[tuple[str, str], Run] = {}
    kinds = ["velocities"] if model.loops else ["velocities", "momenta"]
    for states in kinds:
        f = mbs.ode(model, states=states)
        x = f.x0 + 0.1 * np.sin(np.arange(len(f.x0)))
        moving = itertools.cycle([x, x + 0.01])  # a loop at rest would have nothing to close
        f.jacobians(0.0, x)
        runs[states, "x'"] = calls(lambda f=f, moving=moving: f(0.0, next(moving)))
        runs[states, "J"] = calls(lambda f=f, moving=moving: f.jacobians(0.0, next(moving)))
        if not model.loops:
            call = f._calls[len(f.x0) + len(f.u0)]
            runs[states, "kernel x'"] = calls(f._value)
            runs[states, "kernel J"] = calls(partial(call._entry, *call._before, f._X, *call._after))
    if name in FILES and not FILES[name][1]:
        runs |= _pinocchio(path_of(name))
    medians = {key: 1e6 * float(np.median(seconds)) for key, seconds in interleaved(runs, effort).items()}

    def cells(states: str) -> list[str]:
        own = [(states, key) for key in ("x'", "J", "kernel x'", "kernel J")]
        peer = [("pinocchio" if states == "velocities" else "", key) for key in ("x'", "J")]
        return [number(medians.get(key), "{:.1f}") for key in (*own, *peer)]

    return [[name, states, *cells(states)] for states in kinds]


def _pinocchio(path: Path | None) -> dict[tuple[str, str], Run]:
    """Runs of Pinocchio; none if it is not installed."""
    pin = _imported()
    if pin is None:
        return {}
    model = pin.buildModelFromUrdf(str(path))
    data, rng = model.createData(), np.random.default_rng(0)
    q, v, tau = (rng.normal(size=size) for size in (model.nq, model.nv, model.nv))
    return {
        ("pinocchio", "x'"): calls(lambda: pin.aba(model, data, q, v, tau)),
        ("pinocchio", "J"): calls(lambda: pin.computeABADerivatives(model, data, q, v, tau)),
    }


def _imported() -> Any:
    """The module of Pinocchio, also where the package's .pth file is not read; None if it is missing."""
    places = [Path(place) / "cmeel.prefix/lib" for place in sys.path]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sys.path += [str(place / version / "site-packages") for place in places if place.is_dir()]
    try:
        import pinocchio
    except ImportError:
        return None
    return pinocchio
