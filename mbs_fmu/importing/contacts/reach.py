"""Overlaps of collision shapes: which pairs can touch, and which overlap at the start.

Shapes are compared as rounded hulls. Boxes about the points of both hulls, enlarged by both radii, are apart if one of
sixteen directions separates them (the axes of both, their cross products, and the line of their centers), so a pair
that touches is never missed.
"""

from __future__ import annotations

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from .touching import Rounded

Frames = tuple[np.ndarray, np.ndarray]  #: positions (n, 3), m, and rotations (n, 3, 3)


@dataclass(frozen=True)
class Bounds:
    """Box about the points of a rounded hull. center, half: m, body axes; rotation: of its axes to body axes."""

    center: np.ndarray
    rotation: np.ndarray
    half: np.ndarray
    radius: float

    def at(self, frames: Frames) -> Frames:
        """Return centers and axes in the world."""
        x, R = frames
        return x + R @ self.center, R @ self.rotation


def bounds_of(hull: Rounded, rotation: np.ndarray) -> Bounds:
    """Return the box about a rounded hull along the axes of its shape."""
    own = hull.points @ rotation
    low, high = own.min(axis=0), own.max(axis=0)
    return Bounds(rotation @ (0.5 * (low + high)), rotation, 0.5 * (high - low), hull.radius)


def touching_poses(a: Bounds, frames_a: Frames, b: Bounds, frames_b: Frames, margin: float) -> np.ndarray:
    """Return for each pose whether the boxes of two hulls may be closer than a margin (m)."""
    near = margin + a.radius + b.radius
    (x, A), (y, B) = a.at(frames_a), b.at(frames_b)
    line = y - x
    reach = near + np.linalg.norm(a.half) + np.linalg.norm(b.half)
    together = np.einsum("ni,ni->n", line, line) < reach * reach
    near_poses = np.flatnonzero(together)
    together[near_poses] = ~_separated(line[near_poses], A[near_poses], a.half, B[near_poses], b.half, near)
    return np.asarray(together)


def _separated(
    line: np.ndarray, A: np.ndarray, half_a: np.ndarray, B: np.ndarray, half_b: np.ndarray, near: float
) -> np.ndarray:
    """Return for each pose whether one of the directions separates two boxes by more than `near`, m."""
    rows, columns = A.transpose(0, 2, 1), B.transpose(0, 2, 1)  # axes of both, (n, 3, 3)
    crossed = np.cross(rows[:, :, None, :], columns[:, None, :, :]).reshape(-1, 9, 3)
    ways = np.concatenate([rows, columns, crossed, line[:, None, :]], axis=1)
    lengths = np.linalg.norm(ways, axis=2)
    gaps = np.abs(np.einsum("nki,ni->nk", ways, line)) - np.abs(ways @ A) @ half_a - np.abs(ways @ B) @ half_b
    return np.asarray((gaps > near * lengths).any(axis=1))


def above_plane(plane: Frames, b: Bounds, frames: Frames) -> np.ndarray:
    """Return the distance of a box from a plane z = 0 at each pose, m, negative below it."""
    (x, P), (y, B) = plane, b.at(frames)
    n = P[:, :, 2]
    distance = np.einsum("ni,ni->n", n, y - x)
    return np.asarray(distance - np.abs(np.einsum("ni,nij->nj", n, B)) @ b.half - b.radius)


def overlap(a: Rounded, frames_a: Frames, b: Rounded, frames_b: Frames, ways: np.ndarray) -> float:
    """Return the least overlap of two rounded hulls along directions (k, 3) at the first pose, m; negative if apart."""
    p, q = (frames[0][0] + hull.points @ frames[1][0].T for hull, frames in ((a, frames_a), (b, frames_b)))
    return float(np.min((p @ ways.T).max(axis=0) - (q @ ways.T).min(axis=0)) + a.radius + b.radius)
