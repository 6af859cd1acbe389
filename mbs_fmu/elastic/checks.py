"""Numbers that no elastic body has: each is refused with one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..messages.failures import display
from .frames import Node
from .shapes import Array, Inertia

ASYMMETRY = 1e-8  #: of a matrix, in parts of its largest number
DEPENDENCE = 1e-10  #: the smallest eigenvalue of the modes' mass matrix with a unit diagonal, in the mean frame
ROUNDED = 1e-4  #: moments of inertia, whose files have six digits, and differences of which count
RIGID = 1e-7  #: the least ratio of the first frequency to the last


def checked_inertia(inertia: Inertia) -> Inertia:
    """Invariants as arrays of the right shapes that can't be written to."""
    if not isinstance(inertia, Inertia):
        raise ModelError(f"the inertia of an elastic body is {display(inertia)}: use Modes.invariants for tables")
    n = order(inertia.Me)
    if n == 0:
        raise ModelError("an elastic body has one mode or more: Me must be a matrix, one row and column for each")
    shapes = {
        "S0": (3,), "S1": (3, n), "S2": (3, n, n), "J0": (3, 3), "J1": (3, 3, n), "J2": (3, 3, n, n), "C0": (3, n),
        "C1": (3, n, n), "Me": (n, n),
    }  # fmt: skip
    made: dict[str, Any] = {name: array(getattr(inertia, name), shape, name) for name, shape in shapes.items()}
    for name in ("S2", "Me"):
        made[name] = _symmetric(made[name], (-1, -2), name)
    for name in ("J0", "J1", "J2"):
        made[name] = _symmetric(made[name], (0, 1), name)
    made["J2"] = _symmetric(made["J2"], (-1, -2), "J2")
    mass = float(array(inertia.mass, (), "the mass of an elastic body"))
    if not mass > 0.0:
        raise ModelError(f"the mass of an elastic body is {mass:g} kg: give a positive one")
    assert {f.name for f in fields(inertia)} == {"mass", *made}
    found = replace(inertia, mass=mass, **made)
    moments = np.linalg.eigvalsh(found.central)
    if moments[0] < -ROUNDED * moments[2] or moments[2] > (1 + ROUNDED) * (moments[0] + moments[1]):
        raise ModelError(
            f"no body has the moments of inertia {', '.join(f'{x:.6g}' for x in moments)} kg.m² about its centre of "
            "mass: J0 is about the frame's origin, S0 the mass times the place of the centre of mass"
        )
    return found


def checked_nodes(nodes: Mapping[str, Node], n: int) -> dict[str, Node]:
    """Nodes as arrays of the right shapes."""
    if not isinstance(nodes, Mapping):
        raise ModelError(f"the nodes of an elastic body are {display(nodes)}: give each an ElasticNode, by name")
    made = {}
    for name, node in nodes.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise ModelError(f"node name {display(name)} must be an identifier: letters, digits and underscores")
        if not isinstance(node, Node):
            raise ModelError(f"node {name!r} is {display(node)}: give an ElasticNode")
        shapes = {"place": (3,), "axes": (3, 3), "Y1": (6, n), "Y2": (6, n, n)}
        found = {part: array(getattr(node, part), shape, f"{part} of node {name!r}") for part, shape in shapes.items()}
        found["Y2"] = _symmetric(found["Y2"], (-1, -2), f"Y2 of node {name!r}")
        axes = found["axes"]
        if np.abs(axes @ axes.T - np.eye(3)).max() > 1e-9 or np.linalg.det(axes) < 0.0:
            raise ModelError(f"axes of node {name!r} are not a rotation: give a matrix whose columns are its axes")
        made[name] = Node(**found)
    return made


def checked_forms(forms: Mapping[str, Any], n: int, thing: str) -> dict[str, Array]:
    """Six numbers by the modes, (6, n), for each of some names."""
    if not isinstance(forms, Mapping):
        raise ModelError(f"the {thing} of an elastic body is {display(forms)}: give matrices (6, {n}) by name")
    for name in forms:
        if not isinstance(name, str) or not name:
            raise ModelError(f"{thing} {display(name)}: give its name as a text")
    return {name: array(form, (6, n), f"{thing} {name!r}") for name, form in forms.items()}


def order(matrix: Any) -> int:
    """How many rows a matrix has, 0 for what is none."""
    try:
        return int(np.shape(matrix)[0]) if np.ndim(matrix) == 2 else 0
    except ValueError:  # rows of different lengths
        return 0


def square(value: Any, n: int, thing: str) -> Array:
    """A symmetric matrix of the modes."""
    return _symmetric(array(value, (n, n), thing), (-1, -2), thing)


def checked_modes(given: Inertia, mean: Inertia, K: Array, D: Array) -> None:
    """ModelError for modes that can't be those of one body; `mean` is its inertia in the mean frame."""
    Me, scale = mean.Me, np.sqrt(np.abs(np.diag(given.Me)))
    turning = np.sqrt(np.abs(given.central).max() * np.abs(given.Me).max())
    if np.abs(mean.C0).max() > 1e-6 * turning:
        raise ModelError("the modes turn the body about an axis about which it has no inertia: look at J0 and C0")
    least = np.linalg.eigvalsh(Me / np.outer(scale, scale))[0] if scale.all() else 0.0
    if not least > DEPENDENCE:
        raise ModelError(
            "the modes depend on each other, or one of them is a rigid motion of the whole body: leave out what the "
            "others have already, and give shapes that deform the body"
        )
    L = np.linalg.cholesky(Me)
    squares = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    if not K.diagonal().min() > 0.0 or squares[0] < -1e-9 * squares[-1]:
        raise ModelError("the stiffness of modes is not positive: there is a shape that gains energy as it deforms")
    if squares[0] <= RIGID**2 * squares[-1]:
        raise ModelError(
            f"the first mode has next to no stiffness ({squares[0]:.3g} (rad/s)² after {squares[-1]:.3g} of the last): "
            "it is a rigid motion or a mechanism; leave it out"
        )
    if np.linalg.eigvalsh(D)[0] < -1e-9 * np.abs(D).max(initial=0.0):
        raise ModelError("the damping of modes is not positive: it would make energy")


def array(value: Any, shape: tuple[int, ...], thing: str) -> Array:
    """Finite numbers of a shape, which can't be written to."""
    try:
        found = np.array(value)
        if found.dtype.kind not in "fiu":  # texts and complex numbers too would become floats
            raise TypeError
        found = found.astype(float)
    except (TypeError, ValueError):
        raise ModelError(f"{thing} is {display(value)}: give real numbers") from None
    if found.shape != shape:
        raise ModelError(f"{thing} has shape {found.shape}, not {shape}")
    if not np.isfinite(found).all():
        raise ModelError(f"{thing} has numbers that are not finite")
    found.flags.writeable = False
    return found


def _symmetric(A: Array, axes: tuple[int, int], thing: str) -> Array:
    """The same, exactly symmetric in two axes; ModelError for what is not."""
    other = A.swapaxes(*axes)
    if np.abs(A - other).max(initial=0.0) > ASYMMETRY * np.abs(A).max(initial=0.0):
        raise ModelError(f"{thing} is not symmetric: differences reach {np.abs(A - other).max():.3g}")
    found: Array = 0.5 * (A + other)
    found.flags.writeable = False
    return found
