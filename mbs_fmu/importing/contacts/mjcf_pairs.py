"""Pairs of geometries that an MJCF lets touch, by the rules of MuJoCo (its documentation, "Contact": selection and
parameters)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ...model.forces.impedance import SOLREF
from ..imported import ImportedContact
from ..mjcf_reading import Reading
from ..mjcf_shapes import BodyShape
from .adding import Adding
from .options import FileContacts
from .pairs import FilePair, Softness
from .touching import Touching, readable_shapes
from .tree import Mobility

PYRAMIDAL = 0  #: of MuJoCo's mjtCone
LEAST = 1e-5  #: smallest coefficient of friction in MuJoCo
STEPS = 2.0  #: of MuJoCo in the shortest time constant of a contact, unless the flag `refsafe` is off
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
    return Adding(reading.model, options, reading.note, mobilities, step=float(mj.opt.timestep)).add(pairs)


def mjcf_pairs(reading: Reading, shapes: Mapping[int, Touching]) -> list[FilePair]:
    """Return the pairs of an MJCF. shapes: those of its geometries that contacts can have, by MuJoCo's numbers.

    Explicit pairs come first. Others need bodies that are neither welded to each other, nor parent and child, nor
    excluded, and masks that match.
    """
    mj = reading.mj
    if "contact" not in reading.enabled:
        return []
    pairs: list[FilePair] = []
    parameters = _Parameters(reading)
    done = set()
    for k in range(mj.npair):
        a, b = int(mj.pair_geom1[k]), int(mj.pair_geom2[k])
        done.add(frozenset((a, b)))
        if a in shapes and b in shapes:
            pairs.append(FilePair(shapes[a], shapes[b], parameters.explicit(k)))
    pairs += [FilePair(shapes[a], shapes[b], parameters.mixed(a, b)) for a, b in _masked(reading, shapes, done)]
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


class _Parameters:
    """The parameters of pairs of geometries, by MuJoCo's numbers."""

    def __init__(self, reading: Reading):
        self.mj = mj = reading.mj
        self.is_pyramidal = int(mj.opt.cone) == PYRAMIDAL
        self.shortest = STEPS * float(mj.opt.timestep) if "refsafe" in reading.enabled else 0.0
        self.total_margin = sum if hasattr(mj, "nactuator") else max  # MuJoCo 4 adds margins

    def explicit(self, k: int) -> Softness:
        """Return those of an explicit pair."""
        mj = self.mj
        sliding, other, torsional, rolling, _ = mj.pair_friction[k].tolist()
        friction, margin = (min(sliding, other), torsional, rolling), float(mj.pair_margin[k])
        return self._softness(int(mj.pair_dim[k]), friction, mj.pair_solref[k], mj.pair_solimp[k], margin)

    def mixed(self, a: int, b: int) -> Softness:
        """Return those of two geometries: of the one of higher priority, or else mixed."""
        mj = self.mj
        margin = float(self.total_margin((mj.geom_margin[a], mj.geom_margin[b])))
        priorities = mj.geom_priority[a], mj.geom_priority[b]
        if priorities[0] != priorities[1]:
            first = a if priorities[0] > priorities[1] else b
            own = mj.geom_friction[first], mj.geom_solref[first], mj.geom_solimp[first]
            return self._softness(int(mj.geom_condim[first]), *own, margin)
        share = _share(float(mj.geom_solmix[a]), float(mj.geom_solmix[b]))
        refs, imps = (mj.geom_solref[a], mj.geom_solref[b]), (mj.geom_solimp[a], mj.geom_solimp[b])
        direct = min(refs[0][0], refs[1][0]) <= 0.0
        solref = np.minimum(*refs) if direct else share * refs[0] + (1.0 - share) * refs[1]
        friction = np.maximum(mj.geom_friction[a], mj.geom_friction[b])
        dimension = int(max(mj.geom_condim[a], mj.geom_condim[b]))
        return self._softness(dimension, friction, solref, share * imps[0] + (1.0 - share) * imps[1], margin)

    def _softness(
        self, dimension: int, friction: Sequence[float], solref: np.ndarray, solimp: np.ndarray, margin: float
    ) -> Softness:
        """Return the parameters of a pair. dimension: MuJoCo's condim, 1, 3, 4 or 6, which selects the friction."""
        sliding, torsional, rolling = (
            max(float(x), LEAST) if dimension >= least else 0.0 for x, least in zip(friction, (3, 4, 6), strict=True)
        )
        return Softness(
            (sliding, torsional, rolling),
            self._reference(float(solref[0]), float(solref[1])),
            tuple(map(float, solimp)),
            self._hardness(dimension, sliding),
            margin,
        )

    def _reference(self, first: float, second: float) -> tuple[float, float]:
        """Return the pair `solref` as MuJoCo uses it: one with numbers of both signs is the default, and time constants
        are at least two of its time steps."""
        if min(first, second) <= 0.0 < max(first, second) or first == 0.0:
            first, second = SOLREF
        return (max(first, self.shortest), second) if first > 0.0 else (first, second)

    def _hardness(self, dimension: int, sliding: float) -> float:
        """Return the factor of the stiffness at rest: the edges of a pyramid are springs side by side.

        Each of the 2 (condim - 1) edges has the regularization 2 mu^2 (1 + mu^2)/impratio of the normal direction.
        """
        if not self.is_pyramidal or dimension == 1:
            return 1.0
        square = sliding * sliding
        return float((dimension - 1) * self.mj.opt.impratio / (square * (1.0 + square)))


def _share(a: float, b: float) -> float:
    """Return the share of the first geometry in a mixed parameter."""
    if a >= NONE and b >= NONE:
        return a / (a + b)
    return 0.5 if a < NONE and b < NONE else float(b < NONE)
