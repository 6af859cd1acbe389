"""Values of all types, most of which are invalid as most arguments."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np

import mbs_fmu as mbs

SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


class Odd:
    """An object that no argument accepts."""

    def __repr__(self) -> str:
        return "odd\nobject"


def odd_values(m: mbs.Model) -> dict[str, Any]:
    """Values by name, most of which are invalid as most arguments."""
    foreign = mbs.Model("foreign").body("arm", joint=mbs.Revolute("z"), **SOLID)  # type: ignore[arg-type]
    return {
        "none": None, "list": [], "dict": {}, "set": {1.0}, "empty": "", "text": "nonsense", "bytes": b"x",
        "nan": float("nan"), "inf": float("inf"), "huge": 10**400, "negative": -1, "zero": 0, "large": 1e308,
        "small": 5e-324, "true": True, "complex": 1j, "decimal": decimal.Decimal("NaN"), "object": Odd(),
        "class": int, "function": lambda *a: None, "failing": lambda *a: 1 / 0, "condition": mbs.time > 1,
        "time": mbs.time, "model": m, "foreign": foreign, "own": m.bodies["arm"], "world": "world", "pose": mbs.Pose(),
        "vector": mbs.Vector((1, 2)), "range": range(3), "generator": (x for x in (1.0, 2.0, 3.0)),
        "two": (1.0, 2.0), "three": (1.0, 2.0, 3.0), "nan entry": (1, float("nan"), 3), "huge entry": (1, 2, 10**400),
        "texts": ("a", "b", "c"), "numbers as texts": ("1", "2", "3"), "nested": [[1], [2, 3]],
        "no array": np.array([]), "array": np.zeros(3), "matrix": np.eye(3), "one": np.array([1.0]),
        "nan matrix": np.full((3, 3), np.nan), "text array": np.array("x"), "objects": np.array([Odd()] * 3),
        "scalar": np.float64(0.5), "int scalar": np.int64(2), "joint": mbs.Revolute("z"), "element": mbs.turn("x"),
        "sphere": mbs.Spherical(), "unit": "30 deg", "long": "x" * 1000, "lines": "a\nb", "zeros": (0.0, 0.0, 0.0),
    }  # fmt: skip


def simple() -> mbs.Model:
    """A small model with an element of each kind for arguments to refer to."""
    m = mbs.Model("test")
    m.body("arm", joint=mbs.Revolute("z"), com=(0.1, 0, 0), **SOLID)  # type: ignore[arg-type]
    m.body("hand", "arm", joint=mbs.Universal(), com=(0, 0.1, 0), **SOLID)  # type: ignore[arg-type]
    m.body("ball", "arm", joint=mbs.Spherical(), com=(0, 0.1, 0), **SOLID)  # type: ignore[arg-type]
    m.body("wheel", joint=mbs.Revolute("z"), at=(1, 0, 0), **SOLID)  # type: ignore[arg-type]
    m.body("slider", joint=mbs.Prismatic("x"), at=(0, 1, 0), **SOLID)  # type: ignore[arg-type]
    m.parameter("c", 1.0)
    m.spring("tie", "arm", "hand", stiffness=1.0)
    return m
