"""Addresses of elastic bodies: data of their modes in region `shapes`, blocks of workspace in region `elastic`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.elastic_parts import ElasticPart
from ...model.model import Model
from ...record.elastic_layout import body_size, form_numbers, mode_columns, node_at, node_form_at
from ...record.layout import INERTIA
from .elastic_slopes import nodes_of, slopes_of
from .links import WORLD_LINK, Tree

if TYPE_CHECKING:
    from ...elastic.modes import Modes

ROUNDING = 1e-13  #: |D_ij| / sqrt(D_ii D_jj) up to which damping that couples two modes counts as zero


@dataclass
class ElasticAddresses:
    """Addresses of the elastic bodies of a tree and of their nodes, by links."""

    links: list[int] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)  #: number of modes of each link; of a node, that of its body
    elastic_index: list[int] = field(default_factory=list)  #: address of the block of each link in region `elastic`
    shapes_index: list[int] = field(default_factory=list)  #: address of the data of each link in region `shapes`
    masses_index: list[int] = field(default_factory=list)  #: address of Me, K and D of each link in region `shapes`
    couplings_index: list[int] = field(default_factory=list)  #: address of B of each body in region `mode_couplings`
    node_count: list[int] = field(default_factory=list)  #: number of nodes of each body, roots too
    rooted: list[int] = field(default_factory=list)  #: 1 if the joint of a body holds its first node
    form_index: list[int] = field(default_factory=list)  #: address of form N of each node in region `elastic`
    nodes: list[int] = field(default_factory=list)  #: block address and body's link of each node, roots too
    numbers: list[float] = field(default_factory=list)  #: contents of region `shapes`
    size: int = 0  #: size of region `elastic`
    couplings: int = 0  #: size of region `mode_couplings`

    @classmethod
    def of_links(cls, count: int) -> ElasticAddresses:
        """Addresses of this number of links, none of them elastic so far."""
        addresses = cls()
        for values in (
            addresses.elastic_index, addresses.shapes_index, addresses.masses_index, addresses.couplings_index,
            addresses.node_count, addresses.rooted, addresses.form_index, addresses.modes,
        ):  # fmt: skip
            values += [0] * count
        return addresses

    def tables(self, parent: Sequence[int], first_rate: Sequence[int]) -> dict[str, list[int]]:
        """Constant arrays of the module by name; first_rate: index of the first joint velocity of each link."""

        def of_parent(values: Sequence[int]) -> list[int]:
            return [0 if up == WORLD_LINK else values[up] for up in parent]

        return {
            "ELASTIC_LINKS": self.links, "NODES": self.nodes, "ELASTIC_INDEX": self.elastic_index,
            "SHAPES_INDEX": self.shapes_index, "MASSES_INDEX": self.masses_index,
            "COUPLINGS_INDEX": self.couplings_index, "NODE_COUNT": self.node_count, "ROOTED_MODES": self.rooted,
            "FORM_INDEX": self.form_index, "MODE_COUNT": self.modes, "ELASTIC_PARENT": of_parent(self.elastic_index),
            "U_PARENT": of_parent(first_rate),
        }  # fmt: skip


def elastic_bodies(model: Model) -> list[dict[str, Any]]:
    """Data of elastic bodies for FMUs: name, root (None: the mean frame), natural frequencies of the modes (Hz).

    static: True if the modes start in static equilibrium; otherwise absent.
    """
    entries = []
    for name, body in model.bodies.items():
        if body.elastic is not None:
            frequencies = body.elastic.modes.frequencies.tolist()
            entry = {"name": name, "root": body.elastic.root, "frequencies": frequencies}
            entries.append(entry | ({"static": True} if name in model.static_starts else {}))
    return entries


def static_modes(model: Model, tree: Tree, rows: int) -> list[int]:
    """Indices of the coordinate and of the velocity of each mode that starts in static equilibrium.

    rows: number of constraint rows. Raises ModelError if there are any, since loops would have to be closed as well.
    """
    indices = []
    for name in model.static_starts:
        if rows:
            raise ModelError(
                f'start of body {name!r}: xi="static" is for trees, but model {model.name!r} has closed loops or '
                "friction that can stick: give numbers, such as the final ones of a run with strong damping"
            )
        link = tree.links[tree.mean[name]]
        addresses = zip(tree.q[name][-link.modes :], tree.u[name][-link.modes :], strict=True)
        indices += [address.offset for pair in addresses for address in pair]
    return indices


def elastic_addresses(tree: Tree) -> ElasticAddresses:
    """The elastic bodies of a tree; bodies with the same modes share their data in region `shapes`."""
    addresses = ElasticAddresses.of_links(len(tree.links))
    known: dict[bytes, int] = {}
    for i, link in enumerate(tree.links):
        if link.elastic is not None:
            _add_body(addresses, known, i, link.elastic)
        elif link.attachment is not None:
            owner = tree.links[link.parent].elastic
            assert owner is not None
            n, attachments, k = owner.modes.count, len(owner.modes.nodes), nodes_of(owner).index(link.attachment)
            block = addresses.elastic_index[link.parent]
            addresses.elastic_index[i] = block + node_at(n, attachments, k)
            addresses.modes[i] = n
            addresses.form_index[i] = block + node_form_at(n, k)
    return addresses


def _add_body(addresses: ElasticAddresses, known: dict[bytes, int], i: int, elastic: ElasticPart) -> None:
    modes, order = elastic.modes, nodes_of(elastic)
    numbers = _numbers(modes, order)
    key = numbers.tobytes()
    if key not in known:
        known[key] = len(addresses.numbers)
        addresses.numbers += numbers.tolist()
    addresses.links.append(i)
    addresses.modes[i] = modes.count
    addresses.shapes_index[i] = known[key]
    addresses.masses_index[i] = known[key] + form_numbers(modes.count, len(order))
    addresses.elastic_index[i] = addresses.size
    addresses.couplings_index[i] = addresses.couplings
    addresses.couplings += modes.count * mode_columns(modes.count)
    addresses.node_count[i] = len(order)
    addresses.rooted[i] = int(elastic.root is not None)
    for k in range(len(order)):
        addresses.nodes += [addresses.size + node_at(modes.count, len(order), k), i]
    addresses.size += body_size(modes.count, len(order))


def _numbers(modes: Modes, order: list[str]) -> np.ndarray:
    """Data of a body in region `shapes` (record/elastic_layout.py), which kernels/elastic/shapes.py reads."""
    nodes = [modes.node(name) for name in order]
    slopes = slopes_of(modes, order)
    permutation = slopes.order
    forms = [modes.inertia.J1[tuple(np.array(INERTIA).T)], np.zeros((3, modes.count)), *(node.Y1 for node in nodes)]
    padded = [np.pad(form[:, permutation], ((0, 0), (0, -modes.count % 4))) for form in forms]
    parts = [*padded, np.diag(modes.inertia.Me)[permutation], np.diag(modes.stiffness)[permutation]]
    parts += _damping(modes, permutation)
    inertia = modes.inertia
    undeformed = [[inertia.mass], inertia.S0, inertia.J0[tuple(np.array(INERTIA).T)]]
    parts += [*(node.position for node in nodes), *map(np.asarray, undeformed), slopes.numbers]
    return np.concatenate([part.ravel() for part in parts])


def _damping(modes: Modes, order: list[int]) -> list[np.ndarray]:
    """The diagonal of D, the number of rows that kernels read beside it (all or none), and D without its diagonal."""
    D = modes.damping_matrix[np.ix_(order, order)]
    scale = np.sqrt(np.diag(D))
    coupling = np.where(np.abs(D) > ROUNDING * np.outer(scale, scale), D, 0.0)
    np.fill_diagonal(coupling, 0.0)
    return [np.diag(D), np.array([float(len(D) * coupling.any())]), coupling]
