"""A planetary gearbox in complex numbers: strings between the base circles, Newton and Euler for each wheel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from models import planetary_gearbox as box

from .solver import run


def load(times: np.ndarray) -> dict[str, np.ndarray]:
    """The input of the gearbox."""
    return {"load": np.full_like(times, box.LOAD)}


SIGNS = np.array([[1], [-1]])  #: of sun and ring: their strings to the planets are crossed, and open
TEETH = np.array([[box.SUN_TEETH], [box.RING_TEETH]])
BASE = box.MODULE * math.cos(box.PRESSURE_ANGLE) / 2  #: m, per tooth
APART = BASE * (TEETH + SIGNS * box.PLANET_TEETH)  #: m, sum of the base radii, and their difference
PLACES = np.exp(2j * np.pi * np.arange(box.PLANETS) / box.PLANETS)
LATE = 2 * np.pi * np.arange(box.PLANETS) / box.PLANETS
WRONG = np.array([1j * box.PIN_ERROR, 0, 0])  #: m, of the pins
MASSES = np.array([box.SUN[0], box.CARRIER[0], *[box.PLANET[0]] * box.PLANETS])
INERTIAS = np.array([box.SUN[1], box.CARRIER[1], *[box.PLANET[1]] * box.PLANETS])


def teeth() -> tuple[np.ndarray, np.ndarray]:
    """Means of the stiffness (N/m) of sun and ring, a column, and relative amplitudes of three harmonics, a row each.

    Means by ISO 6336-1, in which the planet is the smaller wheel and a ring as stiff as a rack; the Fourier series of
    the number of pairs, each of which touches for as many pitches as the contact ratio says.
    """
    means, waves = [], []
    for other, ratio in zip((1 / box.SUN_TEETH, 0), box.CONTACT_RATIOS, strict=True):
        compliance = 0.04723 + 0.15551 / box.PLANET_TEETH + 0.25791 * other
        means.append([0.8 / compliance * 1e9 * box.WIDTH * (0.75 * ratio + 0.25)])
        waves.append([2 * math.sin(math.pi * k * ratio) / (math.pi * k * ratio) for k in (1, 2, 3)])
    return np.array(means), np.array(waves)


MEANS, WAVES = teeth()


@dataclass
class Motion:
    """Places of sun, carrier and planets (m), their angles (rad), and the rates.

    pins: displacements of the planets on the carrier, m, in its axes.
    """

    centres: np.ndarray
    angles: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray
    pins: np.ndarray
    pin_rates: np.ndarray

    @classmethod
    def of(cls, y: np.ndarray) -> Motion:
        """y: places of sun and carrier, displacements, angles; velocities, angular velocities. Lengths are in mm."""
        q, u = y[:10].view(complex) * 1e-3, y[15:25].view(complex) * 1e-3
        angles, spins, turn = y[10:15], y[25:], np.exp(1j * y[11])
        arms = box.ARM * PLACES + q[2:]
        centres = np.array([*q[:2], *(q[1] + turn * arms)])
        return cls(centres, angles, u, spins, q[2:], (u[2:] - u[1]) / turn - 1j * spins[1] * arms)


@dataclass
class Teeth:
    """Meshes of sun and ring (rows) with the planets.

    strengths: tensions, N, negative on the other flank. forces: on the planets, N. torques: on sun and ring; planets:
    on the planets, N m, each about the own centre. energy: J.
    """

    strengths: np.ndarray
    forces: np.ndarray
    torques: np.ndarray
    planets: np.ndarray
    energy: float

    @classmethod
    def of(cls, x: Motion) -> Teeth:
        """A string leaves both base circles along their tangent; teeth are deflected by what is wound up of it."""
        wheel = np.array([[x.centres[0]], [0]])
        moving, angle, spin = (np.array([[z[0]], [0]]) for z in (x.velocities, x.angles, x.spins))
        line = x.centres[2:] - wheel
        distance, along = np.abs(line), line / np.abs(line)
        ahead = np.angle(along / PLACES * np.exp(-1j * x.angles[1])) + x.angles[1]
        steep, nominal = np.arccos(APART / distance), box.PRESSURE_ANGLE
        longer = np.sqrt(distance**2 - APART**2) - APART * (np.tan(nominal) + steep - nominal)
        wound = BASE * (TEETH * angle + SIGNS * box.PLANET_TEETH * x.angles[2:]) - APART * ahead
        winding = BASE * (TEETH * spin + SIGNS * box.PLANET_TEETH * x.spins[2:])
        orders = np.array([1, 2, 3])
        phases = orders * (TEETH * (angle - ahead - LATE))[..., None]
        stiffness = MEANS * (1 + (WAVES[:, None] * np.cos(phases)).sum(axis=-1))
        slope = -MEANS * (WAVES[:, None] * orders * np.sin(phases)).sum(axis=-1)
        zero = np.zeros_like(distance)
        found = cls(zero, 0j * zero, zero, zero, 0.0)
        for flank in (1, -1):
            direction = flank * 1j * along * np.exp(-1j * SIGNS * flank * steep)
            deep = flank * wound - SIGNS * longer - box.BACKLASH / 2 * math.cos(nominal)
            deep = np.maximum(deep, 0)
            rate = flank * winding - (np.conj(direction) * (x.velocities[2:] - moving)).real
            spring = stiffness * deep
            pull = spring + np.clip(box.TEETH_DAMPING * rate, -spring, spring)
            turning = 0.5 * slope * deep**2 * TEETH  # of the line of centres, forwards: to where the teeth are softer
            found.strengths = found.strengths + flank * pull
            found.forces = found.forces + pull * direction + turning / distance * 1j * along
            found.torques = found.torques - flank * pull * BASE * TEETH - turning
            found.planets = found.planets - SIGNS * flank * pull * BASE * box.PLANET_TEETH
            found.energy += 0.5 * float((stiffness * deep**2).sum())
        return found


def pin_forces(x: Motion) -> np.ndarray:
    """On the planets, N, in axes of the carrier."""
    return -box.PIN[0] * (x.pins - WRONG) - box.PIN[1] * x.pin_rates


def rates(y: np.ndarray) -> np.ndarray:
    """Of the numbers of a motion."""
    x = Motion.of(y)
    mesh, turn = Teeth.of(x), np.exp(1j * x.angles[1])
    held = pin_forces(x) * turn
    forces, torques = np.zeros(5, complex), np.zeros(5)
    for k, (stiffness, damping) in enumerate((box.SUN_BEARING, box.CARRIER_BEARING)):
        forces[k] = -stiffness * x.centres[k] - damping * x.velocities[k]
    forces[0] -= mesh.forces[0].sum()
    forces[1] -= held.sum()
    forces[2:] = mesh.forces.sum(axis=0) + held
    torques[0] = box.TORQUE + mesh.torques[0].sum()
    torques[1] = -box.LOAD - box.DRAG * x.spins[1] - (np.conj(x.centres[2:] - x.centres[1]) * held).imag.sum()
    torques[2:] = mesh.planets.sum(axis=0)
    accelerations = forces / MASSES
    moving = np.array([*x.velocities[:2], *x.pin_rates])
    return np.concatenate([moving.view(float) * 1e3, x.spins, accelerations.view(float) * 1e3, torques / INERTIAS])


def energy(x: Motion, mesh: Teeth) -> float:
    """J: of motion, bearings and teeth."""
    kinetic = 0.5 * float(MASSES @ np.abs(x.velocities) ** 2 + INERTIAS @ x.spins**2)
    bearings = box.SUN_BEARING[0] * abs(x.centres[0]) ** 2 + box.CARRIER_BEARING[0] * abs(x.centres[1]) ** 2
    return kinetic + 0.5 * float(bearings + box.PIN[0] * (np.abs(x.pins - WRONG) ** 2).sum()) + mesh.energy


def start() -> np.ndarray:
    """Numbers of the motion at the start: all wheels roll on each other, on flanks that bear the motor's torque."""
    sun, planet, moved = box.loaded(box.TORQUE, box.BACKLASH)
    spin = box.SPEED / (1 + box.RING_TEETH / box.SUN_TEETH)
    own = spin - box.SUN_TEETH / box.PLANET_TEETH * (box.SPEED - spin)
    pins = 1j * PLACES * moved
    places = np.array([0, 0, *pins])
    velocities = np.array([0, 0, *(1j * spin * (box.ARM * PLACES + pins))])
    angles, spins = [sun, 0, *[planet] * 3], [box.SPEED, spin, *[own] * 3]
    return np.array([*places.view(float) * 1e3, *angles, *velocities.view(float) * 1e3, *spins])


def planetary_gearbox(times: np.ndarray) -> dict[str, np.ndarray]:
    """Outputs of models/planetary_gearbox.py at the times."""
    motions = [Motion.of(y) for y in run(lambda _, y: rates(y), start(), times)]
    meshes = [Teeth.of(x) for x in motions]
    sun = np.array([x.centres[0] for x in motions]) * 1e6
    strengths = np.array([mesh.strengths[:, 0] for mesh in meshes]).T
    return {
        "speed": np.array([x.spins[:2] for x in motions]).T, "orbit": np.array([sun.real, sun.imag]),
        "sun_force": strengths[0], "ring_force": strengths[1],
        "pin_load": np.array([abs(pin_forces(x)[0]) for x in motions]),
        "energy": np.array([energy(x, mesh) for x, mesh in zip(motions, meshes, strict=True)]),
    }  # fmt: skip
