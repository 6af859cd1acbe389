"""Models of the benchmarks by name: cases of the evaluation, models of models/, and a few others.

Models import only what they need, by public names: first use is measured with these.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import mbs_fmu as mbs

from .excavator import excavator

Build = Callable[[], mbs.Model]
IN_FOLDER = ("governor", "four_bar", "stewart_platform", "planetary_gear", "solar_array")


def in_folder(name: str) -> Callable[..., mbs.Model]:
    """The function with the file's name in models/NAME.py."""
    function: Callable[..., mbs.Model] = runpy.run_path(str(Path(__file__).parents[1] / "models" / f"{name}.py"))[name]
    return function


def of_file(file: str, name: str) -> Build:
    """A function of models/FILE.py."""
    function: Build = runpy.run_path(str(Path(__file__).parents[1] / "models" / f"{file}.py"))[name]
    return function


def crossing_model(name: str, argument: object) -> Build:
    """A model in which something happens many times a second."""
    from . import crossing_models

    make: Callable[[object], mbs.Model] = getattr(crossing_models, name)
    return lambda: make(argument)


def governor() -> mbs.Model:
    """The model of models/governor.py."""
    return in_folder("governor")()


def chain(name: str) -> Build:
    """A case of the evaluation benchmark, without inputs; its plain data are made in advance."""
    from .cases import CASES  # which imports scipy
    from .models import to_model

    mechanism = CASES[name].build(CASES[name].count)
    return lambda: to_model(mechanism, driven=False)


def boom(modes: int = 8) -> mbs.Model:
    """An elastic beam on a hinge."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=modes)
    m = mbs.Model("boom")
    body = m.body("boom", joint=mbs.Revolute("y"), elastic=rod, root="root")
    m.output("sag", mbs.deformation(body, "tip"))
    return m


#: By name the preparation of building: imports and reading that are the benchmark's own.
MODELS: Mapping[str, Callable[[], Build]] = {
    **{name: partial(in_folder, name) for name in IN_FOLDER},
    **{name: partial(chain, name) for name in ("universal-10", "universal-50", "tree-30", "universal-1000")},
    "elastic boom, 8 modes": lambda: boom,
    "excavator": lambda: excavator,
    **{f"ball, {event}": partial(crossing_model, "ball", event) for event in ("impact", "reset", "report", "none")},
    "gripper": partial(crossing_model, "gripper", True),
    "gripper without sticking": partial(crossing_model, "gripper", False),
    "digital governor": partial(of_file, "governor", "digitally_governed"),
}
