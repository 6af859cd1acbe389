"""Method of `Model` for slender parts with large deflections: a chain of equal elastic bodies."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..checks import finite_number
from ..data import ModelData
from ..items import Body
from ..joints import Joint
from ..names import new_name
from .argument_types import BodyOrName, ElasticModes, Placement, Quantity
from .bodies import body

if TYPE_CHECKING:
    from ...elastic.modes import Modes


MOST = 100  #: pieces; the cost grows with the square of their number or faster


def chain(
    model: ModelData,
    name: str,
    parent: BodyOrName,
    beam: ElasticModes,
    count: int,
    joint: Joint | None = None,
    at: Placement = (0.0, 0.0, 0.0),
    *,
    damping: Quantity | None = None,
) -> list[Body]:
    """Add a chain of `count` equal elastic bodies for a slender part with large deflections; return the bodies in
    order.

    name: the bodies are name1, name2, ... beam: modes of one piece, whose length is that of the part / `count`
    (`mbs.beam`). The first node of a piece is its root. It is welded to the farthest node of the preceding piece. The
    root of the first piece is attached to the parent by `joint`, by default a weld, at the frame `at` (m, parent axes,
    or a `Pose`).

    damping: damping ratio of the first vibration of the whole chain, undeformed and held at its first node. The damping
    of each piece is then proportional to its stiffness, so that a vibration of twice this frequency has twice this
    ratio. By default the pieces keep the damping of their modes, which is a tiny ratio in the first vibration of the
    chain.

    Raises ModelError for a beam without modes or with a single node, a count that is not a whole number from 1 to 100,
    a damping that is negative or not a number, and as `body` does.
    """
    thing = f"chain {display(name)}"
    piece, root, end = _piece(beam, thing)
    if not is_whole(count) or not 1 <= count <= MOST:
        raise ModelError(f"{thing}: count is {display(count)}: give a whole number of pieces, 1 to {MOST}")
    if damping is not None:
        piece = _damped(piece, root, end, int(count), finite_number(damping, f"damping of {thing}", "1"), thing)
    names = [f"{name}{k + 1}" for k in range(count)]
    for new in names:  # first, so that a name that is taken leaves no part of the chain in the model
        new_name(model, new, "body")
    bodies = [body(model, names[0], parent, joint, at=at, elastic=piece, root=root)]
    for new in names[1:]:
        bodies.append(body(model, new, bodies[-1].node(end), elastic=piece, root=root))
    return bodies


def _piece(beam: object, thing: str) -> tuple[Modes, str, str]:
    """Return the modes of a piece and the names of its ends. Raises ModelError."""
    from ...elastic.modes import Modes

    if not isinstance(beam, Modes):
        raise ModelError(f"{thing}: beam must be modes of one piece, such as mbs.beam(...), not {display(beam)}")
    places = {name: node.position for name, node in beam.nodes.items()}
    if len(places) < 2:
        raise ModelError(f"{thing}: its beam has fewer than two nodes: give it a root and one for the next piece")
    root = next(iter(places))
    return beam, root, max(places, key=lambda other: float(np.linalg.norm(places[other] - places[root])))


def _damped(piece: Modes, root: str, end: str, count: int, ratio: float, thing: str) -> Modes:
    """Return a piece with damping D = 2 ratio / omega K, omega: of the whole. Raises ModelError."""
    from ...elastic.chains import first_frequency

    if ratio < 0.0:
        raise ModelError(f"damping of {thing} is {ratio:g}: it must not be negative")
    omega = 2 * math.pi * first_frequency(piece, root, end, count)
    return replace(piece, damping=2 * ratio / omega * piece.stiffness)
