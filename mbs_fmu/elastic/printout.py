"""What `print` says of an elastic body."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from .frames import Node
from .shapes import Array, Inertia

RK4_LIMIT = 2.78  #: step times angular frequency up to which rk4 is stable


class Body(Protocol):
    """What is asked of an elastic body; see `Modes`."""

    @property
    def inertia(self) -> Inertia: ...
    @property
    def stiffness(self) -> Array: ...
    @property
    def damping_matrix(self) -> Array: ...
    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def frequencies(self) -> Array: ...
    def held(self, node: str) -> Array: ...
    def compliance(self, node: str, root: str) -> Array: ...
    def normal(self) -> Body: ...


def printout(modes: Body) -> str:
    """Mass, frequencies, nodes and how far they give; the first node counts as the root."""
    inertia = modes.inertia
    root = next(iter(modes.nodes), None)
    moments = np.linalg.eigvalsh(inertia.central)
    lines = [
        f"elastic body: {inertia.mass:.6g} kg, {len(modes.stiffness)} modes, {len(modes.nodes)} nodes",
        f"  centre of mass ({_numbers(inertia.center)}) m, moments of inertia about it {_numbers(moments)} kg.m²",
        *_modes(modes, root),
        *_nodes(modes, root),
        f"  largest step of rk4: {largest_step(modes):.3g} s",
    ]
    return "\n".join(lines)


def largest_step(modes: Body) -> float:
    """Up to which rk4 is stable with the free body and the body held at any of its nodes, s."""
    most = max([modes.frequencies[-1], *(modes.held(name)[-1] for name in modes.nodes)])
    return RK4_LIMIT / (2 * math.pi * float(most))


def _modes(modes: Body, root: str | None) -> list[str]:
    normal = modes.normal()
    ratios = 0.5 * np.diag(normal.damping_matrix) / np.sqrt(np.diag(normal.stiffness) * np.diag(normal.inertia.Me))
    held = modes.frequencies if root is None else modes.held(root)
    heads = ["mode", "free, Hz", *([] if root is None else [f"held at {root}, Hz"]), "modal mass, kg", "damping ratio"]
    rows = []
    for k, free in enumerate(modes.frequencies):
        told = [f"{k + 1}", f"{free:.6g}", *([f"{held[k]:.6g}"] if root else [])]
        rows.append([*told, f"{normal.inertia.Me[k, k]:.4g}", f"{ratios[k]:.3g}"])
    return _table(heads, rows)


def _nodes(modes: Body, root: str | None) -> list[str]:
    if root is None:
        return []
    rows = []
    for name, node in modes.nodes.items():
        give = np.diag(modes.compliance(name, root))[:3]
        rows.append([name, f"({_numbers(node.place)})", "root" if name == root else _numbers(give)])
    return _table(["node", "place, m", f"gives along x, y, z against {root}, m/N"], rows)


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[k]) for row in [heads, *rows]) for k in range(len(heads))]
    return ["  " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in [heads, *rows]]


def _numbers(values: np.ndarray) -> str:
    return ", ".join(f"{x:.5g}" if abs(x) > 1e-12 * np.abs(values).max() else "0" for x in values)
