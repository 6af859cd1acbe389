"""Pairs of geometries that an MJCF lets touch, by the rules of MuJoCo (its documentation, "Contact": selection and
parameters)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..imported import ImportedContact
from ..mjcf_reading import Reading
from ..mjcf_shapes import BodyShape
from .adding import Adding
from .options import FileContacts
from .pairs import FilePair, Softness
from .touching import Touching, readable_shapes
from .tree import Mobility

NONE = 1e-15  #: a weight of mixing that counts as zero


def add_contacts(
    reading: Reading, geometries: Sequence[BodyShape], options: FileContacts
) -> dict[str, ImportedContact]:
    """Add contacts for the geometries that MuJoCo lets touch; return them by name. Adds notes."""
    mj = reading.mj
    shapes = {k: Touching(shape.name, body, shape) for k, (body, shape) in enumerate(geometries)}
    explicit = {int(geom) for both in (mj.pair_geom1, mj.pair_geom2) for geom in both}
    used = [shape for k, shape in shapes.items() if shape.shape.collides or k in explicit]
    readable = {shape.name for shape in readable_shapes(used, reading.note)}
    pairs = mjcf_pairs(reading, {k: shape for k, shape in shapes.items() if shape.name in readable})
    mobilities = {name: Mobility(*mj.body_invweight0[k].tolist()) for k, name in reading.bodies.items()}
    return Adding(reading.model, options, reading.note, mobilities).add(pairs)


def mjcf_pairs(reading: Reading, shapes: Mapping[int, Touching]) -> list[FilePair]:
    """Return the pairs of an MJCF. shapes: those of its geometries that contacts can have, by MuJoCo's numbers.

    Explicit pairs come first. Others need bodies that are neither welded to each other, nor parent and child, nor
    excluded, and masks that match.
    """
    mj = reading.mj
    if "contact" not in reading.enabled:
        return []
    pairs: list[FilePair] = []
    done = set()
    for k in range(mj.npair):
        a, b = int(mj.pair_geom1[k]), int(mj.pair_geom2[k])
        done.add(frozenset((a, b)))
        if a in shapes and b in shapes:
            pairs.append(FilePair(shapes[a], shapes[b], _explicit(mj, k)))
    pairs += [FilePair(shapes[a], shapes[b], _mixed(mj, a, b)) for a, b in _masked(reading, shapes, done)]
    return pairs


def _masked(reading: Reading, shapes: Mapping[int, Touching], done: set[frozenset[int]]) -> Iterator[tuple[int, int]]:
    """Yield the geometries, by number, of pairs whose masks and bodies permit contact."""
    mj = reading.mj
    allowed = _bodies_permit(reading)
    numbers = sorted(shapes)
    types, affinities = mj.geom_contype, mj.geom_conaffinity
    for k, a in enumerate(numbers):
        for b in numbers[k + 1 :]:
            if not (types[a] & affinities[b] or types[b] & affinities[a]) or frozenset((a, b)) in done:
                continue
            if allowed(int(mj.geom_bodyid[a]), int(mj.geom_bodyid[b])):
                yield a, b


def _bodies_permit(reading: Reading) -> Callable[[int, int], bool]:
    """Return the function that tells whether shapes of two bodies, by MuJoCo's numbers, may touch."""
    mj = reading.mj
    welded, parents = mj.body_weldid, mj.body_parentid
    excluded = {frozenset((int(both) >> 16, int(both) & 0xFFFF)) for both in mj.exclude_signature}
    parents_too = "filterparent" not in reading.enabled

    def permitted(a: int, b: int) -> bool:
        part_a, part_b = int(welded[a]), int(welded[b])
        if part_a == part_b or frozenset((a, b)) in excluded:
            return False
        joined = part_a == welded[parents[part_b]] or part_b == welded[parents[part_a]]
        return parents_too or not joined or 0 in (part_a, part_b)

    return permitted


def _explicit(mj: Any, k: int) -> Softness:
    sliding, other, torsional, rolling, _ = mj.pair_friction[k].tolist()
    return _softness(
        int(mj.pair_dim[k]), (min(sliding, other), torsional, rolling), mj.pair_solref[k], mj.pair_solimp[k],
        float(mj.pair_margin[k]),
    )  # fmt: skip


def _mixed(mj: Any, a: int, b: int) -> Softness:
    """Return the parameters of a pair: those of the geometry of higher priority, or else mixed."""
    margin = float(mj.geom_margin[a] + mj.geom_margin[b])
    priorities = mj.geom_priority[a], mj.geom_priority[b]
    if priorities[0] != priorities[1]:
        first = a if priorities[0] > priorities[1] else b
        return _softness(
            int(mj.geom_condim[first]), tuple(mj.geom_friction[first]), mj.geom_solref[first], mj.geom_solimp[first],
            margin,
        )  # fmt: skip
    share = _share(float(mj.geom_solmix[a]), float(mj.geom_solmix[b]))
    refs, imps = (mj.geom_solref[a], mj.geom_solref[b]), (mj.geom_solimp[a], mj.geom_solimp[b])
    direct = min(refs[0][0], refs[1][0]) <= 0.0
    solref = np.minimum(*refs) if direct else share * refs[0] + (1.0 - share) * refs[1]
    friction = np.maximum(mj.geom_friction[a], mj.geom_friction[b])
    dimension = int(max(mj.geom_condim[a], mj.geom_condim[b]))
    return _softness(dimension, tuple(friction), solref, share * imps[0] + (1.0 - share) * imps[1], margin)


def _share(a: float, b: float) -> float:
    """Return the share of the first geometry in a mixed parameter."""
    if a >= NONE and b >= NONE:
        return a / (a + b)
    return 0.5 if a < NONE and b < NONE else float(b < NONE)


def _softness(
    dimension: int, friction: tuple[float, ...], solref: np.ndarray, solimp: np.ndarray, margin: float
) -> Softness:
    """Return the parameters of a pair. dimension: MuJoCo's condim, 1, 3, 4 or 6, which selects kinds of friction."""
    sliding, torsional, rolling = (
        float(x) if dimension >= least else 0.0 for x, least in zip(friction, (3, 4, 6), strict=True)
    )
    return Softness(
        (sliding, torsional, rolling), (float(solref[0]), float(solref[1])), tuple(map(float, solimp)), margin
    )
