"""Velocities of all bodies in all rows of a result, from coordinates and joint velocities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.data import ModelData
from ..model.items import Body
from ..model.motions.motion import Motion
from ..symbolic.arrays import values_along
from ..symbolic.expressions import leaf
from ..symbolic.vectors import Vector
from .poses import Frames, Rows, poses

SPAN = 1e-6  #: s, before and after a row, between which differences are taken


@dataclass(frozen=True)
class Twists:
    """Velocities of the origins, m/s, and angular velocities, rad/s, (rows, 3), in world axes."""

    v: np.ndarray
    w: np.ndarray


def twists(model: ModelData, rows: Rows, bodies: Iterable[str] | None = None) -> dict[str, Twists]:
    """Return the velocities of bodies and of the world; bodies: as of `poses`.

    They are central differences of poses along the rates of all coordinates, SPAN to either side; the error is
    proportional to the square of SPAN and to the rate of acceleration. Raises KeyError for a missing column.
    """
    rates = coordinate_rates(model, rows)
    before, after = (_frames_at(model, rows, rates, side * SPAN, bodies) for side in (-1, 1))
    found = {}
    for name, ahead in after.items():
        behind = before[name]
        v, turning = (ahead.x - behind.x) / (2 * SPAN), (ahead.R - behind.R) / (2 * SPAN)
        W = turning @ (0.5 * (ahead.R + behind.R)).swapaxes(1, 2)
        found[name] = Twists(
            v, 0.5 * np.stack([W[:, 2, 1] - W[:, 1, 2], W[:, 0, 2] - W[:, 2, 0], W[:, 1, 0] - W[:, 0, 1]], 1)
        )
    return found


def coordinate_rates(model: ModelData, rows: Rows) -> dict[str, np.ndarray]:
    """Return the rates of change of all coordinates, by the names of their columns."""
    rates = {"time": np.ones(len(rows))}
    for body in model.bodies.values():
        q, u = (
            [f"{body.name}.{suffix}" for suffix, _ in named] for named in (body.joint.coordinates, body.joint.rates)
        )
        for motion in body.joint.motions:
            own, speeds = q[: len(motion.units)], u[: len(motion.rate_units)]
            rates |= zip(own, _rates(motion, own, speeds, rows).T, strict=True)
            del q[: len(own)], u[: len(speeds)]
        rates |= _modal_rates(body, rows)
    return rates


def _rates(motion: Motion, q: list[str], u: list[str], rows: Rows) -> np.ndarray:
    """Return the rates of a motion's coordinates, (rows, coordinates)."""
    vectors = [Vector(leaf(name) for name in names) for names in (q, u)]
    return values_along(list(motion.coordinate_rates(*vectors)), len(rows), rows.columns.__getitem__)


def _modal_rates(body: Body, rows: Rows) -> dict[str, np.ndarray]:
    """Return the rates of the modes of an elastic body."""
    if body.elastic is None:
        return {}
    names = [[f"{body.name}.{suffix}" for suffix, _ in body.elastic.named(x, "")] for x in ("xi", "xi_dot")]
    return {xi: rows.columns[rate] for xi, rate in zip(*names, strict=True)}


def _frames_at(
    model: ModelData, rows: Rows, rates: Mapping[str, np.ndarray], span: float, bodies: Iterable[str] | None
) -> dict[str, Frames]:
    """Return the frames of bodies if the coordinates went on at their rates for a span of time, s."""
    moved = {name: rows.columns[name] + span * rate for name, rate in rates.items()}
    return poses(model, Rows({**rows.columns, **moved}, rows.parameters), bodies)
