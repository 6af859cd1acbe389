"""A belt drive in complex numbers: torques on pulleys and arm, unstretched lengths of the spans of the belt."""

from __future__ import annotations

import numpy as np

from models import serpentine_drive as drive

from .solver import run

LOAD = 8.0  #: N m: torque of the alternator; held


def load(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the drive."""
    return {"load": np.full_like(times, LOAD)}


RADII = np.array([drive.CRANK, drive.ALTERNATOR, -drive.IDLER])
PIVOT, ARM = complex(*drive.PIVOT), complex(*drive.IDLER_AT)
ABOUT_PIVOT = drive.ARM_INERTIA + drive.ARM_MASS * abs(complex(*drive.ARM_COM)) ** 2 + drive.IDLER_MASS * abs(ARM) ** 2


class Belt:
    """Geometry of the belt at an angle of the arm and its rate, by the points at which it touches the pulleys."""

    def __init__(self, angle: float, rate: float):
        centres = np.array([0, complex(*drive.ALTERNATOR_AT), PIVOT + ARM * np.exp(1j * angle)])
        apart, difference = np.roll(centres, -1) - centres, np.roll(RADII, -1) - RADII
        moving = np.array([0, 0, 1j * rate * ARM * np.exp(1j * angle)])
        relative = np.roll(moving, -1) - moving
        self.angles = np.angle(apart) - np.arcsin(difference / np.abs(apart))
        self.along = np.exp(1j * self.angles)
        free = (np.conj(self.along) * apart).real
        self.turning = (np.conj(1j * self.along) * relative).real / free  # rates of the angles
        stretching = (np.conj(self.along) * relative).real + difference * self.turning
        self.wraps = (np.sign(RADII) * (self.angles - np.roll(self.angles, 1))) % (2 * np.pi)
        arcs, arc_rates = np.abs(RADII) * self.wraps, RADII * (self.turning - np.roll(self.turning, 1))
        self.lengths = free + 0.5 * (arcs + np.roll(arcs, -1))
        self.length_rates = stretching + 0.5 * (arc_rates + np.roll(arc_rates, -1))
        self.arm = np.conj(centres[2] - PIVOT)


def flows(
    belt: Belt, spins: np.ndarray, unstretched: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Tensions, speeds of the surfaces past the middle of the arcs, slips, and flows of unstretched belt."""
    strain = belt.lengths / unstretched - 1
    tension = drive.STIFFNESS * strain
    before = np.roll(tension, 1)
    speed = RADII * (spins - 0.5 * (belt.turning + np.roll(belt.turning, 1)))
    taken = drive.MASS * speed**2 - 1e-6 * drive.STIFFNESS
    share = np.log((before - taken) / (tension - taken)) / (drive.FRICTION * belt.wraps)
    slip = drive.CREEP * share / np.sqrt(1 - share**2)
    return tension, speed, slip, (speed - slip) / (1 + np.roll(strain, 1))


def serpentine_drive(times: np.ndarray) -> dict[str, np.ndarray]:
    """Newton and Euler for each wheel and the arm; mass of the belt that flows into each span and out of it.

    State: angles of crank and arm, spins of crank, alternator and idler, rate of the arm, three unstretched lengths.
    """
    inertia = np.array([drive.CRANK_INERTIA, drive.ALTERNATOR_INERTIA, drive.IDLER_INERTIA])

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        belt = Belt(y[1], y[5])
        tension, speed, _, flow = flows(belt, y[2:5], y[6:])
        following = np.roll(speed, -1)
        pull = tension - drive.MASS * (speed**2 + speed * following + following**2) / 3
        torques = RADII * (pull - np.roll(pull, 1))
        torques[0] += drive.GOVERNOR * (drive.SPEED - y[2]) + drive.PULSE * np.sin(2 * y[0])
        torques[1] -= LOAD * np.tanh(t / drive.RISE)
        force = pull[2] * belt.along[2] - pull[1] * belt.along[1]
        moment = (belt.arm * force).imag - drive.SPRING * (y[1] - drive.WOUND) - drive.DAMPER * y[5]
        return np.array([y[2], y[5], *(torques / inertia), moment / ABOUT_PIVOT, *(flow - np.roll(flow, -1))])

    start = Belt(0.0, 0.0).lengths / (1 + drive.PRELOAD / drive.STIFFNESS)
    y = run(rates, (0, 0, *(drive.SPEED * drive.CRANK / RADII), 0, *start), times)
    parts = [(*flows(belt, row[2:5], row[6:]), belt.lengths) for row in y for belt in [Belt(row[1], row[5])]]
    tension, speed, slip, flow, lengths = (np.array(part).T for part in zip(*parts, strict=True))
    unstretched = y[:, 6:].T
    strain = lengths / unstretched - 1
    before, strain_before = np.roll(tension, 1, axis=0), np.roll(strain, 1, axis=0)
    loss = (before - tension) * speed - (before * (1 + strain_before / 2) - tension * (1 + strain / 2)) * flow
    kinetic = 0.5 * (inertia @ y[:, 2:5].T ** 2 + ABOUT_PIVOT * y[:, 5] ** 2)
    stored = 0.5 * (tension * strain * unstretched).sum(axis=0) + 0.5 * drive.SPRING * (y[:, 1] - drive.WOUND) ** 2
    return {
        "tension": tension, "slip": slip[:2], "speed": y[:, 2:4].T, "tensioner_angle": y[:, 1],
        "loss": loss.sum(axis=0), "energy": kinetic + stored,
    }  # fmt: skip
