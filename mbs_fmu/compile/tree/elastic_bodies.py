"""Where the numbers of elastic bodies lie: those of their modes in region `shapes`, room for them in `elastic`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from ...elastic.modes import Modes
from ...errors import ModelError
from ...lazy_dataclasses import dataclass
from ...model.elastic_parts import ElasticPart
from ...model.model import Model
from ...record.elastic_layout import body_size, node_at, node_form_at
from ...record.layout import INERTIA
from .elastic_slopes import nodes_of, slopes_of
from .links import WORLD_LINK, Tree

ROUNDING = 1e-13  #: damping of one mode by another over their own, below which it is zero


@dataclass
class ElasticAddresses:
    """The elastic bodies of a tree, and their nodes, by links."""

    links: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)  #: of each link that it has, or its parent where it is a node
    elastic_index: list[int] = field(default_factory=list)  #: of each link its block in region `elastic`
    shapes_index: list[int] = field(default_factory=list)  #: and its numbers in region `shapes`
    form_index: list[int] = field(default_factory=list)  #: of each node where N begins in region `elastic`
    nodes: list[int] = field(default_factory=list)  #: of each node, roots too, its block and its body's link
    numbers: list[float] = field(default_factory=list)  #: region `shapes`
    size: int = 0  #: of region `elastic`

    def tables(self, parent: Sequence[int], first_rate: Sequence[int]) -> dict[str, list[int]]:
        """For the kernels; `first_rate`: of each link."""

        def of_parent(values: Sequence[int]) -> list[int]:
            return [0 if up == WORLD_LINK else values[up] for up in parent]

        return {
            "ELASTIC_LINKS": self.links, "NODES": self.nodes, "ELASTIC_INDEX": self.elastic_index,
            "SHAPES_INDEX": self.shapes_index,
            "FORM_INDEX": self.form_index, "MODE_COUNT": self.modes, "ELASTIC_PARENT": of_parent(self.elastic_index),
            "U_PARENT": of_parent(first_rate),
        }  # fmt: skip


def elastic_bodies(model: Model) -> list[dict[str, Any]]:
    """What FMUs tell of elastic bodies: name, root, frequencies of the modes (Hz); without root: the mean frame.

    static: whether the modes start in equilibrium.
    """
    out = []
    for name, body in model.bodies.items():
        if body.elastic is not None:
            frequencies = body.elastic.modes.frequencies.tolist()
            told = {"name": name, "root": body.elastic.root, "frequencies": frequencies}
            out.append(told | ({"static": True} if name in model.static_starts else {}))
    return out


def static_modes(model: Model, tree: Tree, rows: int) -> list[int]:
    """Of each mode that starts in equilibrium which coordinate it is, and which joint velocity; `rows` of loops.

    ModelError where loops would have to close meanwhile.
    """
    out = []
    for name in model.static_starts:
        if rows:
            raise ModelError(
                f'start of body {name!r}: xi="static" is for trees, but model {model.name!r} has closed loops or what '
                "sticks: give numbers, such as those in which a run with much damping ends"
            )
        link = tree.links[tree.mean[name]]
        places = zip(tree.q[name][-link.modes :], tree.u[name][-link.modes :], strict=True)
        out += [place.offset for pair in places for place in pair]
    return out


def elastic_addresses(tree: Tree) -> ElasticAddresses:
    """The elastic bodies of a tree; bodies with the same modes share their numbers."""
    none = [0] * len(tree.links)
    out = ElasticAddresses(elastic_index=[*none], shapes_index=[*none], form_index=[*none], modes=[*none])
    known: dict[bytes, int] = {}
    for i, link in enumerate(tree.links):
        if link.elastic is not None:
            _add_body(out, known, i, link.elastic)
        elif link.attachment is not None:
            owner = tree.links[link.parent].elastic
            assert owner is not None
            n, attachments, k = owner.modes.count, len(owner.modes.nodes), nodes_of(owner).index(link.attachment)
            block = out.elastic_index[link.parent]
            out.elastic_index[i] = block + node_at(n, attachments, k)
            out.modes[i] = n
            out.form_index[i] = block + node_form_at(n, k)
    return out


def _add_body(out: ElasticAddresses, known: dict[bytes, int], i: int, elastic: ElasticPart) -> None:
    modes, order = elastic.modes, nodes_of(elastic)
    numbers = _numbers(modes, order)
    key = numbers.tobytes()
    if key not in known:
        known[key] = len(out.numbers)
        out.numbers += numbers.tolist()
    out.links.append(i)
    out.modes[i] = modes.count
    out.shapes_index[i] = known[key]
    out.elastic_index[i] = out.size
    for k in range(len(order)):
        out.nodes += [out.size + node_at(modes.count, len(order), k), i]
    out.size += body_size(modes.count, len(order))


def _numbers(modes: Modes, order: list[str]) -> np.ndarray:
    """What kernels/elastic/shapes.py reads (record/elastic_layout.py): coordinates before rates."""
    nodes = [modes.node(name) for name in order]
    slopes = slopes_of(modes, order)
    at = slopes.order
    forms = [modes.inertia.J1[tuple(np.array(INERTIA).T)], np.zeros((3, modes.count)), *(node.Y1 for node in nodes)]
    filled = [np.pad(form[:, at], ((0, 0), (0, -modes.count % 4))) for form in forms]
    parts = [*filled, np.diag(modes.inertia.Me)[at], np.diag(modes.stiffness)[at], *_damping(modes, at)]
    inertia = modes.inertia
    own = [[inertia.mass], inertia.S0, inertia.J0[tuple(np.array(INERTIA).T)]]
    parts += [*(node.place for node in nodes), *map(np.asarray, own), slopes.numbers]
    return np.concatenate([part.ravel() for part in parts])


def _damping(modes: Modes, order: list[int]) -> list[np.ndarray]:
    """The diagonal of D, how many rows count of what lies beside it, and these."""
    D = modes.damping_matrix[np.ix_(order, order)]
    size = np.sqrt(np.diag(D))
    beside = np.where(np.abs(D) > ROUNDING * np.outer(size, size), D, 0.0)
    np.fill_diagonal(beside, 0.0)
    return [np.diag(D), np.array([float(len(D) * beside.any())]), beside]
