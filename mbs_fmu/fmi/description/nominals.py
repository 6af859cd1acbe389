"""Nominal values: how large a number is, where that can be known. Importers' solvers weigh errors by them.

A mechanism has a length (its longest arm, radius of gyration or start displacement), a mass (of all bodies) and a rate:
that of gravity over the length, or without gravity of its turns or slides at the start, or 1/s. What has a mechanical
unit is as large as these make it. A parameter is as large as its value, a velocity at least as large as at its start. A
momentum is as large as the one that its velocity takes while all else is free: then an error of it weighs what the
error of the velocity does. Modes of elastic bodies move by a hundredth of what else has their units, since deformations
are small. Values that the user gives go before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from ...model.units import unit_of
from ...record.layout import Fresh, Head, LinkConstants
from ...record.program import Program, Variable
from ...run.runtime import Runtime

DEFORMED = 0.01  #: parts of a mechanism's length by which modes displace nodes


@dataclass(frozen=True)
class Scale:
    """Length (m), mass (kg) and rate (1/s) of a mechanism; the mass is 0 where there is none."""

    length: float
    mass: float
    rate: float

    def of(self, unit: str | None) -> float | None:
        """The size of a number with this unit, or None where mechanics doesn't know it."""
        if unit is None or not self.mass:
            return None
        known = unit_of(unit)
        if known is None or known.A or known.K:
            return None
        return self.mass**known.kg * self.length**known.m * self.rate**-known.s / known.factor


def with_nominals(program: Program, runtime: Runtime, tolerance: float, absolute: float) -> Program:
    """The program with a nominal value for each variable that has a scale.

    Raises ModelError where the model can't start.
    """
    R = program.new_record()
    runtime.initialize(R, tolerance, absolute)
    runtime.refresh(R)
    slow = _scale(program, R)
    fast = replace(slow, rate=max(slow.rate, *_motions(program, R, slow.length)))
    bent = program.modal
    known = {v.slot: _nominal(v, R, slow, fast, DEFORMED if v.name in bent else 1.0) for v in program.variables}
    known |= _momenta(program, runtime, R, slow, {v.slot: known[v.slot] for v in program.of_role("rate")})
    of_states = {f"der({v.name})": known[v.slot] for v in program.variables}
    for v in program.of_role("derivative"):
        state = of_states[v.name]
        known[v.slot] = state * fast.rate if state else None
    told = [v.nominal or _rounded(known[v.slot]) for v in program.variables]
    return replace(program, variables=[replace(v, nominal=x) for v, x in zip(program.variables, told, strict=True)])


def _scale(program: Program, R: np.ndarray) -> Scale:
    start, size = program.regions["bodies"]
    links = R[start : start + size].reshape(-1, LinkConstants.size)
    mass, turning = links[:, LinkConstants.mass], 0.5 * links[:, list(LinkConstants.inertia)][:, [0, 3, 5]].sum(axis=1)
    slides = [abs(R[v.slot]) for v in program.of_role("coordinate", "driven") if v.unit == "m"]
    gyration = np.sqrt(turning[mass > 0.0] / mass[mass > 0.0])
    arms = np.abs(links[:, list(LinkConstants.r)])
    length = max([0.0, *gyration, *arms.ravel(), *slides]) or 1.0
    heavy = float(np.sum(mass + turning / length**2))
    gravity = float(np.linalg.norm(R[program.region("gravity")]))
    slow = min((x for x in _motions(program, R, length) if x > 0.0), default=1.0)
    return Scale(float(length), heavy, math.sqrt(gravity / length) or slow)


def _motions(program: Program, R: np.ndarray, length: float) -> tuple[float, float]:
    """The rates, 1/s, of the fastest turn and of the fastest slide at the start."""
    rates = program.of_role("rate")
    turns, slides = ([abs(R[v.slot]) for v in rates if (v.unit == "m/s") == slides] for slides in (False, True))
    return float(max(turns, default=0.0)), float(max(slides, default=0.0)) / length


def _nominal(v: Variable, R: np.ndarray, slow: Scale, fast: Scale, part: float) -> float | None:
    """Of all but momenta and derivatives; `part`: of what has the variable's unit."""
    if v.role == "rate":
        return max(float(abs(R[v.slot])), part * (slow.of(v.unit) or slow.rate))
    if v.role in ("parameter", "input", "state") and v.start:
        return abs(v.start)
    size = fast.of(v.unit)
    return None if size is None else part * size


def _momenta(
    program: Program, runtime: Runtime, R: np.ndarray, scale: Scale, known: dict[int, float | None]
) -> dict[int, float | None]:
    """Of each momentum: what its velocity takes, at most that of the whole mass at the mechanism's length."""
    out: dict[int, float | None] = {}
    p, u = program.region("p"), program.region("u").start
    for v in program.of_role("momentum"):
        slides = v.unit == "N.s"
        velocity = known.get(u + v.slot - p.start) or scale.of("m/s" if slides else "rad/s") or 1.0
        most = scale.mass * velocity * (1.0 if slides else scale.length**2)
        out[v.slot] = most
        if v.slot < p.stop:  # and no impulse of a drive
            gained = _gained(runtime, R, v.slot, u + v.slot - p.start, most)
            out[v.slot] = most * min(1.0, velocity / gained) if gained > 0.0 else most
    return out


def _gained(runtime: Runtime, R: np.ndarray, momentum: int, velocity: int, size: float) -> float:
    """How much a velocity grows by so much of its momentum."""
    trial = R.copy()
    trial[momentum] += size
    trial[Head.fresh] = Fresh.stale
    runtime.refresh(trial)
    return float(abs(trial[velocity] - R[velocity]))


def _rounded(value: float | None) -> float | None:
    """One digit: more is not known, and it is the same on every machine."""
    return None if value is None or not 0.0 < value < math.inf else float(f"{value:.1g}")
