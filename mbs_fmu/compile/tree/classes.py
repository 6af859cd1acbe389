"""Link classes: which links share code, and the constants of each link."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...mechanics.links import ElasticForm, LinkClass
from ...model.model import Model
from ...record.blocks import LinkConstants
from ...record.layout import INERTIA
from ...symbolic.expressions import Expression, as_expression, is_literal
from ...symbolic.rotations import by_parameters, entries_of
from ...symbolic.spatial import PLANE
from .links import Link, Tree
from .rotations import planar_factors, quarters
from .tree import build_tree

MOST_CLASSES = 16  #: if there were more classes, more general ones replace them
WORTH_IT = {
    "exact": 4,
    "any end": 6,
}  #: above this number of classes, specific code costs more compile time than it saves run time
NONE = (False, False, False)
Widening = Callable[[list[LinkClass]], list[LinkClass]]  #: maps the links' classes to fewer, more general ones


@dataclass
class Classified:
    """The tree, with the class of each link and its constants, by their indices in LinkConstants."""

    tree: Tree
    classes: list[LinkClass]
    of_link: list[int]
    constants: list[dict[int, Expression]]
    offsets: list[float]  #: added to the first angle of each link, rad


def classify(model: Model, loops: bool = False) -> Classified:
    """Return the most specific classes of which there are few enough.

    At most MOST_CLASSES result, except if many joints have formulas of their own. `loops` has the meaning that it has
    in LinkClass.
    """
    tree = build_tree(model)
    for widen, most in ((_same, WORTH_IT["exact"]), (_any_end, WORTH_IT["any end"]), (_any_number, MOST_CLASSES)):
        classified = _collect(model, tree, widen, loops)
        if len(classified.classes) <= most:
            return classified
    classified = _collect(model, tree, _any_number, loops, general_turns=True)
    if len(classified.classes) <= MOST_CLASSES:
        return classified
    return _collect(model, build_tree(model, split=True), _any_number, loops, general_turns=True)


def _collect(model: Model, tree: Tree, widen: Widening, loops: bool, general_turns: bool = False) -> Classified:
    gravity = _mask(model.uniform_gravity)
    turns = [_turns(link, general_turns) for link in tree.links]
    exact = [
        replace(_link_class(tree, link, angles, gravity, general_turns), loops=loops)
        for link, (angles, _) in zip(tree.links, turns, strict=True)
    ]
    numbers: dict[LinkClass, int] = {}
    of_link = [numbers.setdefault(link_class, len(numbers)) for link_class in widen(exact)]
    constants = [_constants(link, angles) for link, (angles, _) in zip(tree.links, turns, strict=True)]
    return Classified(tree, list(numbers), of_link, constants, [offset for _, offset in turns])


def _same(classes: list[LinkClass]) -> list[LinkClass]:
    return classes


def _any_end(classes: list[LinkClass]) -> list[LinkClass]:
    return [replace(link_class, leaf=False) for link_class in classes]


def _any_number(classes: list[LinkClass]) -> list[LinkClass]:
    """Merge classes that differ only in which of their constants are nonzero; merged ones have the union of these."""
    nothing = {"leaf": False, "shift": NONE, "mass": True, "com": NONE, "inertia": NONE + NONE}
    without = [replace(c, **nothing, matrix=(None,) * len(c.matrix)) for c in classes]  # type: ignore[arg-type]
    numbers = [c.shift + c.com + c.inertia for c in classes]
    any_of: dict[LinkClass, tuple[bool, ...]] = {}
    for c, own in zip(without, numbers, strict=True):
        any_of[c] = tuple(a or b for a, b in zip(any_of.get(c, own), own, strict=True))
    return [
        replace(c, shift=any_of[c][:3], com=any_of[c][3:6], inertia=any_of[c][6:])  # type: ignore[arg-type]
        for c in without
    ]


def _mask(numbers: tuple[Expression, ...]) -> tuple[bool, bool, bool]:
    x, y, z = (not is_literal(n, 0.0) for n in numbers)
    return x, y, z


def _link_class(
    tree: Tree, link: Link, angles: list[tuple[int, float]], gravity: tuple[bool, bool, bool], general: bool
) -> LinkClass:
    inertia = tuple(not is_literal(link.inertia[a][b], 0.0) for a, b in INERTIA)
    return LinkClass(
        motions=tuple(link.motions),
        turns=tuple((axis, 0 if general else quarters(angle) or 0) for axis, angle in angles),
        matrix=_matrix(link.rotation),
        shift=_mask(link.position),
        mass=not is_literal(link.mass, 0.0),
        com=_mask(link.moment),
        inertia=inertia,  # type: ignore[arg-type]
        root=link.parent < 0,
        leaf=link.children == 0,
        field=gravity,
        elastic=_elastic(link),
        attachment=None if link.attachment is None else _elastic(tree.links[link.parent]),
        coupled=tuple(link.coupled),
        channels=len(tree.group_at),
    )


def _matrix(rotation: np.ndarray) -> tuple[float | None, ...]:
    """Return the value of `LinkClass.matrix`."""
    if not by_parameters(rotation):
        return ()
    return tuple(x.value if is_literal(x, 0.0) or is_literal(x, 1.0) else None for x in entries_of(rotation))


def _elastic(link: Link) -> ElasticForm | None:
    if link.elastic is None:
        return None
    modes, root = link.elastic.modes, link.elastic.root is not None
    return ElasticForm(link.modes, len(modes.nodes), root)


def _turns(link: Link, general: bool) -> tuple[list[tuple[int, float]], float]:
    """Return the planar rotations of a link's placement, and the offset of its first angle.

    There are no planar rotations if the placement depends on parameters.
    """
    if by_parameters(link.rotation):
        return [], link.offset
    first = link.motions[0] if link.motions else None
    angles, offset = planar_factors(link.rotation, first)
    offset += link.offset
    if not general:
        return angles, offset
    axis = first.axis if first is not None and first.motion.spins else 2
    about = [axis, PLANE[axis][0], axis]
    full = dict(zip((0, 1, 2), _three_angles(angles, about), strict=True))
    if first is not None and first.motion.spins:
        return [(about[k], full[k]) for k in (0, 1)], offset + full[2]
    return [(about[k], full[k]) for k in (0, 1, 2)], 0.0


def _three_angles(angles: list[tuple[int, float]], about: list[int]) -> list[float]:
    """Return the angles by which rotations about the axes `about` equal up to three planar rotations."""
    quarter = math.pi / 2
    if len(angles) == 1 and angles[0][0] not in about:  # R_c(t) = R_a(90) R_b(t) R_a(-90) for cyclic a, b, c
        return [quarter, angles[0][1], -quarter]
    full = [0.0, 0.0, 0.0]
    position = 0
    for axis, angle in angles:
        while about[position] != axis:
            position += 1
        full[position] = angle
        position += 1
    return full


def _constants(link: Link, angles: list[tuple[int, float]]) -> dict[int, Expression]:
    """Return the constants that follow from a link alone; `prepare` computes those of its branch."""
    constants = {LinkConstants.mass: link.mass}
    constants |= dict(zip(LinkConstants.indices("mc"), link.moment, strict=True))
    constants |= {k: link.inertia[a][b] for (a, b), k in zip(INERTIA, LinkConstants.indices("inertia"), strict=True)}
    constants |= dict(zip(LinkConstants.indices("r"), link.position, strict=True))
    constants |= dict(zip(LinkConstants.indices("own")[: len(link.own)], link.own, strict=True))
    if link.ratio is not None:
        constants[LinkConstants.ratio] = link.ratio
    if by_parameters(link.rotation):
        constants |= dict(zip(LinkConstants.indices("matrix_of_turn"), entries_of(link.rotation), strict=True))
    for number, (_, angle) in enumerate(angles):
        s, c = math.sin(angle), math.cos(angle)
        for k, value in zip(LinkConstants.turn(number), (s, c, s * s, s * c), strict=True):
            constants[k] = as_expression(value)
    return constants
