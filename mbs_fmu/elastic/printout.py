"""Text that `print` shows for an elastic body."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sized
from typing import Protocol

import numpy as np

from ..infrastructure.messages.names import listed
from .frames import Node, in_mean_frame, moved
from .shapes import Array, Inertia

ENOUGH = 0.8  #: share of the effective mass in the mass above which peak loads are about right
SOFTENED = 0.01  #: square of an angular speed, relative to the first frequency's, that bends a body 1 % too far
SHOWN = 0.01  #: least share of a load that is shown


class Body(Protocol):
    """The attributes of an elastic body that its text uses; see `Modes`."""

    @property
    def inertia(self) -> Inertia: ...
    @property
    def stiffness(self) -> Array: ...
    @property
    def damping_matrix(self) -> Array: ...
    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def stress(self) -> Mapping[str, Array]: ...
    @property
    def frequencies(self) -> Array: ...
    @property
    def foreshortening(self) -> bool | None: ...
    @property
    def left_out(self) -> Mapping[str, float]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    def held(self, node: str) -> Array: ...
    def damping_ratios(self, held: str | None = None) -> Array: ...
    def compliance(self, node: str, root: str) -> Array: ...
    def effective_mass(self, node: str) -> Array: ...
    def normal(self) -> Body: ...


def printout(modes: Body) -> str:
    """Return mass, frequencies, nodes and their compliances as text. The first node counts as the root."""
    inertia = modes.inertia
    root = next(iter(modes.nodes), None)
    moments = np.linalg.eigvalsh(inertia.central)
    lines = [
        f"elastic body: {inertia.mass:.6g} kg, {_count(modes.stiffness, 'mode')}, {_count(modes.nodes, 'node')}",
        f"  centre of mass ({_numbers(inertia.center)}) m, moments of inertia about it {_numbers(moments)} kg.m²",
        *_modes(modes, root),
        *_nodes(modes, root),
        *([f"  stress at {listed(modes.stress)}"] if modes.stress else []),
        *([] if root is None else [_vibrating(modes, root), *_softening(modes, root)]),
        *_left_out(modes.left_out),
        f"  largest step of rk4: {largest_step(modes):.3g} s",
        *(f"  note: {note}" for note in modes.notes),
    ]
    return "\n".join(lines)


def largest_step(modes: Body) -> float:
    """Largest step at which rk4 is stable for the free body and for the body fixed at any of its nodes, s."""
    free, _ = in_mean_frame(modes.inertia, {})
    masses = [free.Me, *(moved(modes.inertia, node).Me for node in modes.nodes.values())]
    return min(_stable(_eigenvalues(Me, modes.stiffness, modes.damping_matrix)) for Me in masses)


def _eigenvalues(M: Array, K: Array, D: Array) -> Array:
    """Eigenvalues of M xi'' + D xi' + K xi = 0, 1/s."""
    n = len(M)
    rates = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    return np.asarray(np.linalg.eigvals(rates))


def _stable(eigenvalues: Array) -> float:
    """Largest step h (s) of rk4 at which no motion grows: |1 + z + z²/2 + z³/6 + z⁴/24| <= 1 with z = h λ.

    The search goes along the direction of each eigenvalue in steps of 0.01 of |z|, from |z| = 2, where rk4 is stable in
    all directions of the left half-plane.
    """
    radii = np.arange(2.0, 3.0, 0.01)
    z = np.minimum(np.real(eigenvalues), 0.0) + 1j * np.imag(eigenvalues)
    z = z[np.abs(z) > 0.0]
    on_circles = radii[:, None] * z / np.abs(z)
    growth = np.abs(np.polyval([1 / 24, 1 / 6, 1 / 2, 1.0, 1.0], on_circles)) > 1.0 + 1e-9
    limits = np.where(growth.any(axis=0), radii[np.argmax(growth, axis=0)] - 0.01, radii[-1])
    return float(np.min(limits / np.abs(z)))


def _modes(modes: Body, root: str | None) -> list[str]:
    masses = np.diag(modes.normal().inertia.Me)
    columns: list[tuple[str, str, Iterable[float]]] = [
        ("mode", "d", range(1, len(masses) + 1)), ("free, Hz", ".6g", modes.frequencies),
        ("modal mass, kg", ".4g", masses), ("damping ratio", ".3g", modes.damping_ratios()),
    ]  # fmt: skip
    if root is not None:
        columns.append((f"held at {root}, Hz", ".6g", modes.held(root)))
        columns.append(("damping ratio", ".3g", modes.damping_ratios(root)))
    rows = zip(*([f"{x:{form}}" for x in numbers] for _, form, numbers in columns), strict=True)
    return _table([head for head, _, _ in columns], [list(row) for row in rows])


def _nodes(modes: Body, root: str | None) -> list[str]:
    if root is None:
        return []
    rows = []
    size = max(float(np.abs(node.position).max()) for node in modes.nodes.values())
    for name, node in modes.nodes.items():
        compliances = np.diag(modes.compliance(name, root))[:3]
        rows.append([name, f"({_numbers(node.position, size)})", "root" if name == root else _numbers(compliances)])
    return _table(["node", "position, m", f"compliance along x, y, z with {root} held, m/N"], rows)


def _vibrating(modes: Body, root: str) -> str:
    """Return a line on the effective mass, with a remark if peak loads may be inaccurate along an axis."""
    shares = np.diag(modes.effective_mass(root))[:3] / modes.inertia.mass
    text = ", ".join(f"{axis} {100 * share:.0f} %" for axis, share in zip("xyz", shares, strict=True))
    low = [axis for axis, share in zip("xyz", shares, strict=True) if SHOWN < share < ENOUGH]
    remark = f"; peak loads along {', '.join(low)} need more shapes" if low else ""
    return f"  effective mass with {root} held: {text}{remark}"


def _softening(modes: Body, root: str) -> list[str]:
    if modes.foreshortening or not np.any(modes.inertia.J2):
        return []
    speed = math.sqrt(SOFTENED) * 2 * math.pi * float(modes.held(root)[0])
    return [
        f"  no geometric stiffness: with {root} held, the deflection is 1 % too large at a speed of {speed:.2g} rad/s"
    ]


def _left_out(shares: Mapping[str, float]) -> list[str]:
    large = {load: share for load, share in shares.items() if share > SHOWN}
    if not shares:
        return []
    text = ", ".join(f"{load} {100 * share:.0f} %" for load, share in large.items())
    return [f"  strain energy of inertia loads that the modes omit: {text or 'below 1 %'}"]


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    return ["  " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in [heads, *rows]]


def _count(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'s' * (len(things) != 1)}"


def _numbers(values: np.ndarray, size: float = 0.0) -> str:
    """Return numbers as text, with 0 for those that are rounding beside the largest one or `size`."""
    least = 1e-12 * max(size, np.abs(values).max())
    return ", ".join(f"{x:.5g}" if abs(x) > least else "0" for x in values)
