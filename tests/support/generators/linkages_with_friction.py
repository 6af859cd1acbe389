"""Random planar linkages with dry frictions that stick, and motors whose torques reverse.

Torques and capacities are parameters, so that one compiled structure serves for many cases.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.items import Body
from support.models.linkages import rod

KINDS = ("four bars", "four bars and an arm", "five bars", "six bars", "hanging loop")
HINGE = mbs.Revolute("z")


class Linkage:
    """A mechanism of `KINDS[seed % 5]`: rods between random points, with three to five frictions `rub0`, `rub1`, ...

    Its output `heat` is the work of the motors since the start less the rise of the energy.
    """

    def __init__(self, seed: int):
        self.rng = np.random.default_rng([910, seed])
        gravity = float(self.rng.choice((0.0, 9.81)))
        self.model = mbs.Model("linkage", gravity=(0, -gravity, 0))
        self.rods: list[tuple[Body, float, np.ndarray, float]] = []  #: body, length, origin and direction at the start
        self._add_rods(KINDS[seed % len(KINDS)])
        self.frictions = int(self.rng.integers(3, 6))
        self._add_forces()

    def _near(self, x: float, y: float) -> np.ndarray:
        return np.array([x, y]) + self.rng.uniform(-0.4, 0.4, 2)

    def _chain(self, start: Sequence[float] | np.ndarray, points: list[np.ndarray], parent: int | None = None) -> int:
        """Add rods from `start` on the world or on a rod through the points; the number of the last one."""
        end = np.asarray(start, dtype=float)
        body, at, direction = "world", end, 0.0
        if parent is not None:
            body, _, origin, direction = self.rods[parent]  # type: ignore[assignment]
            c, s = math.cos(direction), math.sin(direction)
            at = np.array([[c, s], [-s, c]]) @ (end - origin)
        for point in points:
            length, towards = float(np.hypot(*(point - end))), math.atan2(*(point - end)[::-1])
            properties = rod(length, length * float(self.rng.uniform(0.5, 2.0)))
            added = self.model.body(f"rod{len(self.rods)}", body, HINGE, at=(*at, 0), **properties)
            angle = math.remainder(towards - direction, 2 * math.pi)
            self.model.start(added, q=angle, guess=len(self.rods) > 0)
            self.rods.append((added, length, end, towards))
            body, at, end, direction = added, np.array([length, 0.0]), point, towards  # type: ignore[assignment]
        return len(self.rods) - 1

    def _close(self, a: int, b: int) -> None:
        (one, reach, *_), (other, length, *_) = self.rods[a], self.rods[b]
        self.model.close(f"pin{a}{b}", one, other, HINGE, at_a=(reach, 0, 0), at_b=(length, 0, 0))

    def _add_rods(self, kind: str) -> None:
        if kind == "hanging loop":
            top = self._near(0, -1)
            base = self._chain((0, 0), [top])
            a, b = self._near(0.2, -2), self._near(1.2, -2)
            self._close(self._chain(top, [a, b], base), self._chain(0.5 * top, [b], base))
            return
        a, b = self._near(0, 1), self._near(2, 1.5)
        if kind == "five bars":
            left = self._chain((0, 0), [a, self._near(1, 1.8)])
            self._close(left, self._chain((2, 0), [b, self._tip(left)]))
            return
        left, right = self._chain((0, 0), [a, b]), self._chain((2, 0), [b])
        self._close(left, right)
        if kind == "four bars and an arm":
            self._chain(b, [self._near(3, 2)], right)
        elif kind == "six bars":
            c = self._near(4, 1.5)
            self._close(self._chain(b, [c], right), self._chain((4, 0), [c]))

    def _tip(self, number: int) -> np.ndarray:
        _, length, origin, direction = self.rods[number]
        return origin + length * np.array([math.cos(direction), math.sin(direction)])

    def _add_forces(self) -> None:
        m, bodies = self.model, [body for body, *_ in self.rods]
        order = self.rng.permutation(len(bodies))
        for k in range(self.frictions):
            on = bodies[order[k % len(bodies)]]
            m.friction(f"rub{k}", on=on, torque=m.parameter(f"c{k}", 1.0), static=m.parameter(f"s{k}", 1.0), stick=True)
        powers = []
        for k, on in enumerate((bodies[0], bodies[int(self.rng.integers(len(bodies)))])):
            phase = m.parameter(f"w{k}", 1.0) * mbs.time + m.parameter(f"p{k}", 0.0)
            torque = m.parameter(f"t{k}", 1.0) * mbs.sin(phase)
            m.motor(f"drive{k}", on=on, torque=torque)
            powers.append(torque * mbs.rate(on))
        m.output("heat", m.state("work", powers[0] + powers[1]) - mbs.energy())
        m.output("gap", mbs.residual())

    def draw(self, case: int) -> dict[str, float]:
        """Random parameters; of every four cases one has equal capacities, and two static ones that exceed them."""
        rng = np.random.default_rng([911, case, self.frictions])
        numbers = {}
        for k in range(self.frictions):
            capacity = 2.0 if case % 4 == 3 else round(float(rng.uniform(0.3, 6.0)), 1)
            numbers |= {f"c{k}": capacity, f"s{k}": capacity * (1.0 if case % 2 else float(rng.uniform(1.0, 1.5)))}
        for k in range(2):
            numbers[f"t{k}"] = float(rng.uniform(0, 40)) * (k == 0 or case % 3 > 0)
            numbers |= {f"w{k}": float(rng.uniform(1, 8)), f"p{k}": float(rng.choice((0.0, rng.uniform(0, 6))))}
        return numbers
