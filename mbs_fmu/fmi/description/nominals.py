"""Nominal values of variables, by which the solvers of importers scale errors.

Three numbers of a mechanism scale every variable with a mechanical unit: a length (the longest arm, radius of gyration
or start displacement), a mass (of all bodies) and a rate. The rate is the square root of gravity over length; without
gravity it is the lowest rate of rotation or translation at the start, or 1/s.

The nominal value of a parameter is its value; that of a velocity is at least its start value. The nominal value of a
momentum is its change by the nominal velocity while all other momenta are constant, so that errors of both have equal
weights. Vibration modes have a hundredth of the scale of their unit, because deformations are small. Nominal values
that the user sets take precedence.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.blocks import HeadNumbers, LinkConstants
from ...record.codes import Fresh
from ...record.kinds import REAL
from ...record.program import Program, Variable
from ...run.runtime import Runtime
from ...symbolic.units import unit_of

MOST_TRIALS = 1000  #: largest number of evaluations from which nominal values of momenta follow
DEFORMATION = 0.01  #: nominal displacement of nodes by vibration modes, as a share of the mechanism's length


@dataclass(frozen=True)
class Scale:
    """Length (m), mass (kg) and rate (1/s) of a mechanism; the mass is 0 if there are no bodies."""

    length: float
    mass: float
    rate: float

    def of(self, unit: str | None) -> float | None:
        """Return the scale of a unit; None if the unit is not mechanical."""
        if unit is None or not self.mass:
            return None
        known = unit_of(unit)
        if known is None or known.A or known.K:
            return None
        return self.mass**known.kg * self.length**known.m * self.rate**-known.s / known.factor


def with_nominals(program: Program, runtime: Runtime, tolerance: float, absolute: float) -> Program:
    """Return the program with a nominal value for each variable that has a scale.

    `tolerance` and `absolute` are the relative and absolute tolerance of the start. Raises ModelError if the model
    cannot start.
    """
    R = program.new_record()
    runtime.initialize(R, tolerance, absolute)
    runtime.refresh(R)
    slow = _scale(program, R)
    fast = replace(slow, rate=max(slow.rate, *_motions(program, R, slow.length)))
    modal = program.modal
    sizes = {v.slot: _nominal(v, R, slow, fast, DEFORMATION if v.name in modal else 1.0) for v in program.variables}
    sizes |= _momenta(program, runtime, R, slow, {v.slot: sizes[v.slot] for v in program.of_role("rate")})
    of_states = {f"der({v.name})": sizes[v.slot] for v in program.variables}
    for v in program.of_role("derivative"):
        state = of_states[v.name]
        sizes[v.slot] = state * fast.rate if state else None
    nominals = [v.nominal or _rounded(sizes[v.slot]) for v in program.variables]
    return replace(program, variables=[replace(v, nominal=x) for v, x in zip(program.variables, nominals, strict=True)])


def _scale(program: Program, R: np.ndarray) -> Scale:
    """Return length, mass and rate of the mechanism at its start, as the module's docstring defines them."""
    start, size = program.regions["bodies"]
    links = R[start : start + size].reshape(-1, LinkConstants.size)
    mass, entries = links[:, LinkConstants.mass], links[:, list(LinkConstants.indices("inertia"))]
    inertia = 0.5 * entries[:, [0, 3, 5]].sum(axis=1)
    slides = [abs(R[v.slot]) for v in program.of_role("coordinate", "driven") if v.unit == "m"]
    gyration = np.sqrt(inertia[mass > 0.0] / mass[mass > 0.0])
    arms = np.abs(links[:, list(LinkConstants.indices("r"))])
    length = max([0.0, *gyration, *arms.ravel(), *slides]) or 1.0
    total_mass = float(np.sum(mass + inertia / length**2))
    gravity = float(np.linalg.norm(R[program.region("gravity")]))
    slow = min((x for x in _motions(program, R, length) if x > 0.0), default=1.0)
    return Scale(float(length), total_mass, math.sqrt(gravity / length) or slow)


def _motions(program: Program, R: np.ndarray, length: float) -> tuple[float, float]:
    """Return the rates, 1/s, of the fastest rotation and of the fastest translation at the start."""
    rates = program.of_role("rate")
    turns, slides = ([abs(R[v.slot]) for v in rates if (v.unit == "m/s") == slides] for slides in (False, True))
    return float(max(turns, default=0.0)), float(max(slides, default=0.0)) / length


def _nominal(v: Variable, R: np.ndarray, slow: Scale, fast: Scale, part: float) -> float | None:
    """Return the nominal value of a variable other than momenta and derivatives; `part` multiplies the unit's scale.

    Only real numbers have one.
    """
    if v.kind != REAL:
        return None
    if v.role == "rate":
        return max(float(abs(R[v.slot])), part * (slow.of(v.unit) or slow.rate))
    if v.role in ("parameter", "input", "state") and v.start:
        return abs(v.start)
    size = fast.of(v.unit)
    return None if size is None else part * size


def _momenta(
    program: Program, runtime: Runtime, R: np.ndarray, scale: Scale, velocities: dict[int, float | None]
) -> dict[int, float | None]:
    """Return nominal values of momenta by address, from those of joint velocities.

    Each is the momentum that the velocity requires, at most that of the total mass at the mechanism's length.
    """
    most: dict[int, float] = {}
    p, u = program.region("p"), program.region("u").start
    own: dict[int, float] = {}  #: velocity of each momentum
    for v in program.of_role("momentum"):
        slides = v.unit == "N.s"
        own[v.slot] = velocities.get(u + v.slot - p.start) or scale.of("m/s" if slides else "rad/s") or 1.0
        most[v.slot] = scale.mass * own[v.slot] * (1.0 if slides else scale.length**2)
    momenta: dict[int, float | None] = dict(most)
    joints = {slot: size for slot, size in most.items() if slot < p.stop}  # the others are impulses of drives
    for slot, change in _velocity_changes(runtime, R, joints, u - p.start).items():
        momenta[slot] = most[slot] * min(1.0, own[slot] / change) if change > 0.0 else most[slot]
    return momenta


def _velocity_changes(runtime: Runtime, R: np.ndarray, sizes: dict[int, float], offset: int) -> dict[int, float]:
    """Return, by address of a momentum, the change of its velocity due to a change of the momentum by this size.

    offset: from the address of a momentum to that of its velocity. In a model of more than MOST_TRIALS momenta several
    of them change at a time, far from each other in the tree, where they affect each other's velocities little.
    """
    changes: dict[int, float] = {}
    slots = list(sizes)
    for k in range(min(MOST_TRIALS, len(slots))):
        together = slots[k::MOST_TRIALS]
        trial = R.copy()
        for slot in together:
            trial[slot] += sizes[slot]
        trial[HeadNumbers.fresh] = Fresh.stale
        runtime.refresh(trial)
        changes |= {slot: float(abs(trial[slot + offset] - R[slot + offset])) for slot in together}
    return changes


def _rounded(value: float | None) -> float | None:
    """Return the value with one digit, which is the same on every machine; None unless it is positive and finite."""
    return None if value is None or not 0.0 < value < math.inf else float(f"{value:.1g}")
