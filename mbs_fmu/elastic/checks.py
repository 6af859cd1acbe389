"""Checks of the data of elastic bodies; each failure raises a ModelError of one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from .frames import Node
from .shapes import Array, Inertia

ASYMMETRY = 1e-8  #: tolerance of symmetry, relative to the largest number of a matrix
DEPENDENCE = 1e-10  #: least eigenvalue of the modes' mass matrix, scaled to a unit diagonal, in the mean frame
ROUNDED = 1e-4  #: tolerance of moments of inertia: files have six digits, and the test uses differences
RIGID = 1e-7  #: least ratio of the first frequency to the last


def checked_inertia(inertia: Inertia) -> Inertia:
    """Return the invariants as read-only arrays of the right shapes. Raises ModelError."""
    if not isinstance(inertia, Inertia):
        raise ModelError(f"the inertia of an elastic body is {display(inertia)}: use Modes.invariants for tables")
    n = order(inertia.Me)
    if n == 0:
        raise ModelError("an elastic body has one mode or more: Me must be a matrix, one row and column for each")
    shapes = {
        "S0": (3,), "S1": (3, n), "S2": (3, n, n), "J0": (3, 3), "J1": (3, 3, n), "J2": (3, 3, n, n), "C0": (3, n),
        "C1": (3, n, n), "Me": (n, n),
    }  # fmt: skip
    arrays: dict[str, Any] = {name: array(getattr(inertia, name), shape, name) for name, shape in shapes.items()}
    for name in ("S2", "Me"):
        arrays[name] = _symmetric(arrays[name], (-1, -2), name)
    for name in ("J0", "J1", "J2"):
        arrays[name] = _symmetric(arrays[name], (0, 1), name)
    arrays["J2"] = _symmetric(arrays["J2"], (-1, -2), "J2")
    mass = float(array(inertia.mass, (), "the mass of an elastic body"))
    if not mass > 0.0:
        raise ModelError(f"the mass of an elastic body is {mass:g} kg: give a positive one")
    assert {f.name for f in fields(inertia)} == {"mass", *arrays}
    checked = replace(inertia, mass=mass, **arrays)
    check_moments(checked.central, "J0 is about the frame's origin, S0 the mass times the place of the centre of mass")
    return checked


def check_moments(central: Array, cause: str) -> None:
    """Raise ModelError with a cause if no body has the moments of inertia about its centre of mass, (3, 3), kg.m²."""
    moments = np.linalg.eigvalsh(central)
    if moments[0] < -ROUNDED * moments[2] or moments[2] > (1 + ROUNDED) * (moments[0] + moments[1]):
        raise ModelError(
            f"no body has the moments of inertia {', '.join(f'{x:.6g}' for x in moments)} kg.m² about its centre of "
            f"mass: {cause}"
        )


def checked_nodes(nodes: Mapping[str, Node], n: int) -> dict[str, Node]:
    """Return the nodes with read-only arrays of the right shapes. Raises ModelError."""
    if not isinstance(nodes, Mapping):
        raise ModelError(f"the nodes of an elastic body are {display(nodes)}: give each an ElasticNode, by name")
    checked = {}
    for name, node in nodes.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"node name {display(name)} must be an identifier: letters, digits and underscores")
        if not isinstance(node, Node):
            raise ModelError(f"node {name!r} is {display(node)}: give an ElasticNode")
        shapes = {"position": (3,), "axes": (3, 3), "Y1": (6, n), "Y2": (6, n, n)}
        parts = {part: array(getattr(node, part), shape, f"{part} of node {name!r}") for part, shape in shapes.items()}
        parts["Y2"] = _symmetric(parts["Y2"], (-1, -2), f"Y2 of node {name!r}")
        axes = parts["axes"]
        if np.abs(axes @ axes.T - np.eye(3)).max() > 1e-9 or np.linalg.det(axes) < 0.0:
            raise ModelError(f"axes of node {name!r} are not a rotation: give a matrix whose columns are its axes")
        checked[name] = Node(**parts)
    return checked


def checked_forms(forms: Mapping[str, Any], n: int, thing: str) -> dict[str, Array]:
    """Return matrices (6, n) by name: six numbers per modal coordinate. Raises ModelError."""
    if not isinstance(forms, Mapping):
        raise ModelError(f"the {thing} of an elastic body is {display(forms)}: give matrices (6, {n}) by name")
    for name in forms:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{thing} {display(name)}: give its name as a string")
    return {name: array(form, (6, n), f"{thing} {name!r}") for name, form in forms.items()}


def order(matrix: Any) -> int:
    """Number of rows of a matrix; 0 for anything else."""
    try:
        return int(np.shape(matrix)[0]) if np.ndim(matrix) == 2 else 0
    except ValueError:  # rows of different lengths
        return 0


def square(value: Any, n: int, thing: str) -> Array:
    """Return a symmetric matrix (n, n). Raises ModelError."""
    return _symmetric(array(value, (n, n), thing), (-1, -2), thing)


def check_modes(inertia: Inertia, mean: Inertia, K: Array, D: Array) -> None:
    """Raise ModelError for modes that no body can have.

    inertia: in the frame of the shapes. mean: in the mean frame. K, D: stiffness and damping.
    """
    Me, scale = mean.Me, np.sqrt(np.abs(np.diag(inertia.Me)))
    angular = np.sqrt(np.abs(inertia.central).max() * np.abs(inertia.Me).max())
    if np.abs(mean.C0).max() > 1e-6 * angular:
        raise ModelError("the modes rotate the body about an axis about which it has no inertia: check J0 and C0")
    least = np.linalg.eigvalsh(Me / np.outer(scale, scale))[0] if scale.all() else 0.0
    if not least > DEPENDENCE:
        raise ModelError(
            "the modes depend on each other, or one of them is a rigid motion of the whole body: leave out modes that "
            "are combinations of others, and give shapes that deform the body"
        )
    L = np.linalg.cholesky(Me)
    squares = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    if not K.diagonal().min() > 0.0 or squares[0] < -1e-9 * squares[-1]:
        raise ModelError("the stiffness of modes is not positive: it must be positive definite")
    if squares[0] <= RIGID**2 * squares[-1]:
        raise ModelError(
            f"the first mode has almost no stiffness ({squares[0]:.3g} (rad/s)², the last mode {squares[-1]:.3g}): "
            "it is a rigid motion or a mechanism; leave it out"
        )
    if np.linalg.eigvalsh(D)[0] < -1e-9 * np.abs(D).max(initial=0.0):
        raise ModelError("the damping of modes is not positive: it would supply energy")


def array(value: Any, shape: tuple[int, ...], thing: str) -> Array:
    """Return finite numbers as a read-only array of a given shape. Raises ModelError that names the `thing`."""
    try:
        numbers = np.array(value)
        if numbers.dtype.kind not in "fiu":  # astype would convert strings and complex numbers too
            raise TypeError
        numbers = numbers.astype(float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} is {display(value)}: give real numbers") from None
    if numbers.shape != shape:
        raise ModelError(f"{thing} has shape {numbers.shape}, not {shape}")
    if not np.isfinite(numbers).all():
        raise ModelError(f"{thing} has numbers that are not finite")
    numbers.flags.writeable = False
    return numbers


def _symmetric(A: Array, axes: tuple[int, int], thing: str) -> Array:
    """Return an array, made exactly symmetric in two axes. Raises ModelError if it is not symmetric up to rounding."""
    other = A.swapaxes(*axes)
    if np.abs(A - other).max(initial=0.0) > ASYMMETRY * np.abs(A).max(initial=0.0):
        raise ModelError(f"{thing} is not symmetric: differences reach {np.abs(A - other).max():.3g}")
    mean: Array = 0.5 * (A + other)
    mean.flags.writeable = False
    return mean
