"""Shapes of bodies: they are checked at creation, and nothing but pictures depends on them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.program_cache import names
from mbs_fmu.model.bodies.colors import NAMES, color

pytestmark = pytest.mark.quick
TURNED = mbs.Pose((0, 0, 1), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))
SHAPES: dict[str, Callable[..., mbs.Shape]] = {
    "box": lambda **more: mbs.Box(0.1, 0.2, 0.3, **more),
    "sphere": lambda **more: mbs.Sphere(0.1, **more),
    "ellipsoid": lambda **more: mbs.Ellipsoid(0.1, 0.2, 0.3, **more),
    "cylinder": lambda **more: mbs.Cylinder(0.1, 1.0, "x", **more),
    "capsule": lambda **more: mbs.Capsule(0.1, 1.0, (1, 1, 0), **more),
    "ring": lambda **more: mbs.Ring(1.0, 0.1, "y", **more),
    "line": lambda **more: mbs.Line([(0, 0, 0), (1, 0, 0), (1, 1, 0)], 0.01, **more),
    "mesh": lambda **more: mbs.Mesh("arm.stl", scale=1e-3, **more),
}
WRONG: dict[str, Callable[[], Any]] = {
    "y of a box is -1.0: it must be positive": lambda: mbs.Box(1, -1, 1),
    "r of a sphere is 0.0: it must be positive": lambda: mbs.Sphere(0),
    "b of an ellipsoid is -1.0: it must be positive": lambda: mbs.Ellipsoid(1, -1, 1),
    "length of a cylinder is 'long': give a number in m": lambda: mbs.Cylinder(1, "long"),
    "r of a sphere depends on time: it may depend on parameters only": lambda: mbs.Sphere(mbs.time),
    'unknown axis \'w\': give "x", "y", "z"': lambda: mbs.Capsule(1, 1, "w"),
    "at of a box must be 3 numbers such as (0, 0, 1): got 2": lambda: mbs.Box(1, 1, 1, at=(0, 0)),
    "color of a box is 'bleu': give a name such as \"steelblue\"": lambda: mbs.Box(1, 1, 1, color="bleu"),
    "color of a box is (1, 2, 3): give a name": lambda: mbs.Box(1, 1, 1, color=(1, 2, 3)),
    "points of a line are [(0, 0, 0)]: give two or more": lambda: mbs.Line([(0, 0, 0)], 0.1),
    "points of a line, number 2, must be 3 numbers": lambda: mbs.Line([(0, 0, 0), (1, 1)], 0.1),
    "path of a mesh is 3: give the name of a file": lambda: mbs.Mesh(3),
    "scale of a mesh is (1, 0, 1): give one number or three, none of them zero": lambda: mbs.Mesh("a", (1, 0, 1)),
}


def pendulum(shape: Any = None) -> mbs.Model:
    m = mbs.Model("pendulum")
    length = m.parameter("length", 1.0)
    m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -length / 2), inertia=(0.1, 0.1, 0.01), shape=shape)
    return m


@pytest.mark.parametrize("message", WRONG)
def test_invalid_shapes_are_refused(message: str) -> None:
    """One message names the shape, the value and the remedy."""
    with pytest.raises(mbs.ModelError) as error:
        WRONG[message]()
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("kind", SHAPES)
def test_shapes_are_immutable_values(kind: str) -> None:
    """Shapes with equal arguments are equal; they are frozen, and copied and pickled with the model."""
    shape = SHAPES[kind](at=TURNED, color="steelblue")
    assert shape.kind == kind and shape == SHAPES[kind](at=TURNED, color="steelblue") != SHAPES[kind]()
    with pytest.raises(FrozenInstanceError):
        shape.color = "red"  # type: ignore[misc]
    m = pendulum([shape, mbs.Sphere(0.1)])
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        assert other.shapes == {"rod": (shape, mbs.Sphere(0.1))}


def test_shapes_do_not_change_the_program() -> None:
    """The program (everything that runs and FMUs have), the cache entry and the count of changes stay the same."""
    plain, drawn = pendulum(), pendulum(mbs.Box(0.1, 0.1, 0.5, color="red"))
    versions = plain.version, plain.value_version
    drawn.shape("world", [mbs.Box(1, 1, 0.1), mbs.Sphere(0.1)])
    drawn.shape("rod", mbs.Sphere(0.2))
    assert (drawn.version, drawn.value_version) == versions
    assert compile_model(drawn) == compile_model(plain)
    assert names(drawn, "cholesky", {}, ("dopri5",)) == names(plain, "cholesky", {}, ("dopri5",))
    assert [len(shapes) for shapes in drawn.shapes.values()] == [2, 2]


def test_lengths_of_shapes_may_depend_on_parameters_of_the_model() -> None:
    """Parameters of other models are refused."""
    m = pendulum()
    length = mbs.signal("length")
    with pytest.raises(mbs.ModelError, match=r"r of a sphere depends on length: it may depend on parameters only"):
        mbs.Sphere(length)
    other = mbs.Model("other")
    with pytest.raises(mbs.ModelError, match="shape of 'world' depends on wide, which is not a parameter of model"):
        m.shape("world", mbs.Sphere(other.parameter("wide", 1.0)))
    with pytest.raises(
        mbs.ModelError, match=r"shape: unknown body 'rd' \(did you mean 'rod'\?\); bodies of model 'pendulum': rod"
    ):
        m.shape("rd", mbs.Sphere(1))
    with pytest.raises(mbs.ModelError, match=r"shape of body 'rod' is 3: give mbs.Box\(...\)"):
        m.shape("rod", 3)
    assert m.shapes == {}


def test_colors_are_names_digits_or_numbers() -> None:
    """Colours are names of web pages, hexadecimal digits or numbers; the last number is the opacity."""
    assert len(NAMES) == 148
    steelblue = (0x46 / 255, 0x82 / 255, 0xB4 / 255, 1.0)
    for spelling in ("steelblue", "SteelBlue", "#4682b4", "#4682B4FF", steelblue[:3], np.array(steelblue)):
        assert color(spelling, "it") == steelblue
    assert color("#00000080", "it") == (0.0, 0.0, 0.0, 128 / 255)
    assert color("#48b", "it") == color("#4488bb", "it") and color("#48b8", "it") == color("#4488bb88", "it")
    with pytest.raises(mbs.ModelError, match="it is '#48b84'"):
        color("#48b84", "it")
