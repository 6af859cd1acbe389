"""Arguments of `Model.contact` for pairs of a file, so that depths and loads at rest are those of MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...model.forces.impedance import REBOUND, Impedance, damping_ratio, law_at_rest
from ...model.gravity import PointGravity
from .options import FileContacts
from .pairs import FilePair, Softness
from .tree import Mobility, Tree

POINTS = {"sphere": 1, "ellipsoid": 1, "capsule": 2, "cylinder": 3, "box": 4, "mesh": 4}  #: of a shape on a plane
OF_FRICTION = ("grip", "settling", "creep")  #: arguments that only contacts with friction have
AREA = ("box-box",)  #: kinds that touch at one point, the centre of pressure of an area
CORNERS = 4  #: of an area on which faces lie; MuJoCo has a contact at each of them
PER_STEP = 1.5  #: largest natural frequency of a mass 1/A on a contact times a step; rotations may be twice as fast
LEAST = 1e-9  #: 1/kg, of a body that a force moves
EARTH = 9.81  #: m/s², for loads in a file without gravity


@dataclass(frozen=True)
class Laws:
    """The numbers of contacts of a robot.

    mobilities: by body. pairs: the chosen ones. step: s, that explicit methods can take with the contacts.
    """

    tree: Tree
    mobilities: Mapping[str, Mobility]
    options: FileContacts
    pairs: Sequence[FilePair]
    step: float

    @cached_property
    def gravity(self) -> float:
        """Magnitude of gravity, m/s²."""
        gravity = self.tree.model.gravity
        return EARTH if isinstance(gravity, PointGravity) else math.hypot(*(float(g.value) for g in gravity)) or EARTH

    @cached_property
    def at_once(self) -> dict[frozenset[str], int]:
        """Points of two parts of the robot that touch at once, by the names of the parts."""
        counts: dict[frozenset[str], int] = {}
        for pair in self.pairs:
            parts = self._parts(pair)
            points = 1 if pair.kind in AREA else min(POINTS.get(shape.kind, 4) for shape in (pair.a, pair.b))
            counts[parts] = counts.get(parts, 0) + points
        return counts

    def _parts(self, pair: FilePair) -> frozenset[str]:
        return frozenset(self.tree.parts[shape.body] for shape in (pair.a, pair.b))

    def law(self, pair: FilePair) -> Law:
        """Return the law of a pair."""
        softness, A = pair.softness, self._inverse_mass(pair)
        n = self.at_once[self._parts(pair)]
        load = self._load(pair, A, n)
        impedance = _impedance(A / (CORNERS if pair.kind in AREA else 1), softness)
        stiffness = self._stiffness(softness, impedance, A)
        K = impedance.stiffness_at(load) if stiffness is None else stiffness
        most = (PER_STEP / self.step) ** 2 / (n * A)
        is_limited = most < K
        arguments: dict[str, Any] = {**law_at_rest(min(K, most), damping_ratio(impedance.solref), n * A, load)}
        arguments |= {"stiffness": most if is_limited else impedance if stiffness is None else stiffness}
        if softness.dissipation is not None:
            arguments["dissipation"] = softness.dissipation
        elif softness.damping is not None:
            arguments["dissipation"] = min(softness.damping / load, REBOUND)
        return Law(self._chosen(arguments, softness), max(load / most - load / K, 0.0))

    def _chosen(self, arguments: dict[str, Any], softness: Softness) -> dict[str, Any]:
        """Return the arguments with those of friction, and the numbers of the options in place of the file's."""
        given = self.options.numbers
        sliding, torsional, rolling = softness.friction
        if sliding == 0.0 and "friction" not in given:
            return {name: x for name, x in (arguments | given).items() if name not in OF_FRICTION}
        arguments["friction"] = sliding
        if "creep" in given:
            arguments = {name: x for name, x in arguments.items() if name not in OF_FRICTION}
        else:
            arguments |= {"pad": torsional / sliding} if torsional and sliding else {}
            arguments |= {"roll": rolling} if rolling else {}
        if "stiffness" in given:
            arguments.pop("grip", None)  # by default in proportion to the stiffness
        return arguments | given

    def _stiffness(self, softness: Softness, impedance: Impedance, A: float) -> float | None:
        """Return a constant stiffness, N/m; None for that of the impedance."""
        if softness.stiffness is not None:
            return softness.stiffness
        if self.options.match == "rest":
            return None
        return impedance.natural_frequency**2 / A

    def _inverse_mass(self, pair: FilePair) -> float:
        """Return the sum of the linear mobilities of both bodies, 1/kg; of bodies that only turn, that of their rim."""
        A = sum(self.mobilities[shape.body].linear for shape in (pair.a, pair.b))
        return A if A > LEAST else self._at_rim(pair) or 1.0

    def _at_rim(self, pair: FilePair) -> float:
        """Return the acceleration per force, 1/kg, at the rim of both shapes, by the rotation of their bodies."""
        return sum(self.mobilities[shape.body].angular * shape.reach**2 for shape in (pair.a, pair.b))

    def _load(self, pair: FilePair, A: float, n: int) -> float:
        """Return the load of one point at rest, N: half of the weight of the lighter tree, at least that of 1/A."""
        roots = {self.tree.roots[shape.body] for shape in (pair.a, pair.b)}
        masses = [mass for root in roots if (mass := self.tree.masses.get(root, 0.0)) > 0.0 and root != "world"]
        return self.gravity * max(1.0 / A, 0.5 * min(masses, default=0.0)) / n


def _impedance(inverse_mass: float, softness: Softness) -> Impedance:
    """Return the impedance as MuJoCo uses the numbers."""
    low, high, width, middle, power = softness.solimp
    return Impedance(softness.solref, (low, high, width, middle, max(power, 1.0)), inverse_mass / softness.hardness)


@dataclass(frozen=True)
class Law:
    """Arguments of `Model.contact`. deeper: m, by which a softer contact than that of the file rests deeper, or 0."""

    arguments: dict[str, Any]
    deeper: float

    @property
    def is_limited(self) -> bool:
        """Whether the contact is softer than in the file."""
        return self.deeper > 0.0
