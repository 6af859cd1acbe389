"""Tendons of an MJCF: fixed ones, whose length is a sum of joint coordinates, and spatial ones through sites.

MuJoCo's formulas: https://mujoco.readthedocs.io/en/stable/computation/index.html (transmission, passive forces).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.forces.characteristics import AlongNumber, Band, Ends
from ..model.forces.frictions import SPEED, Slip
from ..model.forces.lines import Span, span
from ..model.forces.places import add_force, place_along
from ..model.forces.springs import Spring
from ..model.measures.measures import position
from ..symbolic.expressions import Expression, as_expression
from ..symbolic.vectors import Vector
from .mjcf_joints import SMOOTH, STOPPED
from .mjcf_reading import Reading

ON_JOINT, ON_PULLEY, ON_SITE = 1, 2, 3  #: MuJoCo's mjtWrap; beyond, tendons wrap geometries


@dataclass(frozen=True)
class Path:
    """A length (m or rad) along which a force acts.

    joints: factors of the hinges and slides in the length. spans: straight lines in it, each with its factor. joints
    that the spans cross are not in `joints`. fixed: the constant part of the length. name: of the tendon; empty for a
    joint.
    """

    length: Expression
    rate: Expression
    joints: Mapping[int, float]
    spans: tuple[tuple[Span, float], ...] = ()
    fixed: float = 0.0
    name: str = ""

    def measured(self) -> Expression:
        """Return the length by measures of bodies, as equations of constraints need it."""
        if not self.spans:
            return self.length
        lengths = [f * (position(s.b, s.at_b) - position(s.a, s.at_a)).norm() for s, f in self.spans]
        return sum(lengths, start=as_expression(self.fixed))


def path_of_joint(reading: Reading, joint: int) -> Path:
    """Return the coordinate of a hinge or slide, with MuJoCo's zero."""
    length = reading.coordinate_of(joint) + reading.start_of(joint)
    return Path(length, reading.rate_of(joint), {joint: 1.0})


class Tendons:
    """Builder of the tendons' forces. paths: of the tendons that the model has, by their numbers.

    stops: stiffness and damping at limits, or None.
    """

    def __init__(self, reading: Reading, stops: tuple[float, float] | None):
        self.reading, self.stops = reading, stops
        self.paths: dict[int, Path] = {}

    def add(self) -> None:
        """Add springs, dampers, friction and stops, unless the file disables them; note what is left out."""
        limited = 0
        for number in range(self.reading.mj.ntendon):
            name = self.name(number)
            path = self._path(number, name)
            if path is None:
                self.reading.note(f"tendon {name!r} is left out: it wraps around geometries")
                continue
            self.paths[number] = path
            if path.joints or path.spans:
                limited += self._add_forces(number, path)
        if limited:
            become = "left out: give stops=" if self.stops is None else STOPPED
            self.reading.note(f"limits of {limited} tendons are {become}")

    def name(self, number: int) -> str:
        """Return the name of a tendon in the file, or one with its number."""
        return self.reading.mj.tendon(number).name or f"tendon{number}"

    def _path(self, number: int, name: str) -> Path | None:
        """Return the path of a tendon; None if it wraps around geometries."""
        mj = self.reading.mj
        begin, count = int(mj.tendon_adr[number]), int(mj.tendon_num[number])
        kinds = mj.wrap_type[begin : begin + count]
        if np.all(kinds == ON_JOINT):
            return self._fixed(range(begin, begin + count), name)
        if np.all((kinds == ON_PULLEY) | (kinds == ON_SITE)):
            return self._through_sites(range(begin, begin + count), name)
        return None

    def _fixed(self, items: range, name: str) -> Path:
        mj, reading = self.reading.mj, self.reading
        factors: dict[int, float] = {}
        for item in items:
            joint = int(mj.wrap_objid[item])
            factors[joint] = factors.get(joint, 0.0) + float(mj.wrap_prm[item])
        length, rate = as_expression(0.0), as_expression(0.0)
        for joint, factor in factors.items():
            length = length + factor * (reading.coordinate_of(joint) + reading.start_of(joint))
            rate = rate + factor * reading.rate_of(joint)
        return Path(length, rate, factors, name=name)

    def _through_sites(self, items: range, name: str) -> Path:
        """Return the path of a spatial tendon: a pulley divides the length of what follows and ends the line."""
        mj, reading = self.reading.mj, self.reading
        fixed, factor, spans = 0.0, 1.0, list[tuple[Span, float]]()
        before: tuple[int, np.ndarray, np.ndarray] | None = None
        for item in items:
            if mj.wrap_type[item] == ON_PULLEY:
                before, factor = None, 1.0 / float(mj.wrap_prm[item])
                continue
            site = reading.site(int(mj.wrap_objid[item]))
            if before is not None and before[0] == site[0]:
                fixed += factor * float(np.linalg.norm(site[1] - before[1]))
            elif before is not None:
                ends = (reading.bodies[before[0]], _vector(before[1]), reading.bodies[site[0]], _vector(site[1]))
                spans.append((span(*ends), factor))
            before = site
        length = sum((f * s.distance for s, f in spans), start=as_expression(fixed))
        rate = sum((f * s.speed for s, f in spans), start=as_expression(0.0))
        return Path(length, rate, {}, tuple(spans), fixed, name)

    def _add_forces(self, number: int, path: Path) -> bool:
        """Add the passive forces of a tendon; return whether it has limits."""
        mj, enabled, note = self.reading.mj, self.reading.enabled, self.reading.note
        stiffness = float(mj.tendon_stiffness[number]) * ("spring" in enabled)
        damping = float(mj.tendon_damping[number]) * ("damper" in enabled)
        if stiffness or damping:
            low, high = mj.tendon_lengthspring[number].tolist()
            self._along(path, "spring", Band(*map(as_expression, (low, high, stiffness, damping))))
        friction = float(mj.tendon_frictionloss[number]) * ("frictionloss" in enabled)
        if friction:
            self._along(path, "friction", Slip(as_expression(friction), as_expression(SPEED)))
            note(SMOOTH.format("tendons"))
        if np.any(getattr(mj, "tendon_armature", np.zeros(number + 1))[number]):
            note(f"armature of tendon {path.name!r} is left out")
        limited = bool(mj.tendon_limited[number]) and "limit" in enabled
        if limited and self.stops is not None:
            low, high = mj.tendon_range[number].tolist()
            self._along(path, "stops", Ends(*map(as_expression, (low, high, *self.stops))))
        return limited

    def _along(self, path: Path, what: str, law: AlongNumber) -> None:
        name = self.reading.forces.new(f"{path.name}_{what}")
        thing, model = f"tendon {name!r}", self.reading.model
        add_force(model, Spring(name, place_along(model, path.length, thing), law, "tendon"), thing)


def _vector(numbers: Any) -> Vector:
    return Vector([as_expression(float(x)) for x in numbers])
