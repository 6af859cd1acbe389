"""Random elastic bodies, and their kinetic energy as the sum over pieces, without inertia invariants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mbs_fmu.elastic.frames import Node
from mbs_fmu.elastic.shapes import Pieces

Array = np.ndarray


def symmetric(rng: np.random.Generator, *shape: int) -> Array:
    """Random numbers, symmetric in the last two axes."""
    A = rng.normal(size=shape)
    return A + A.swapaxes(-1, -2)


def random_pieces(rng: np.random.Generator, count: int = 5, modes: int = 3) -> Pieces:
    """Random pieces with all properties that pieces may have."""
    factors = rng.normal(size=(count, 3, 3))
    second = 0.1 * factors @ factors.swapaxes(1, 2)  # second moments of mass: every inertia that a body may have
    traces = np.trace(second, axis1=1, axis2=2)
    return Pieces(
        mass=rng.uniform(0.5, 2.0, count),
        place=rng.normal(size=(count, 3)),
        shapes=rng.normal(size=(count, 3, modes)),
        second=symmetric(rng, count, 3, modes, modes),
        inertia=traces[:, None, None] * np.eye(3) - second,
        rotations=rng.normal(size=(count, 3, modes)),
    )


def random_node(rng: np.random.Generator, modes: int = 3) -> Node:
    """A random node with translations and rotations to second order."""
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    axes *= np.sign(np.linalg.det(axes))
    return Node(rng.normal(size=3), axes, rng.normal(size=(6, modes)), symmetric(rng, 6, modes, modes))


def cayley(theta: Array) -> Array:
    """Rotation matrix of a Cayley vector, real or complex."""
    W = cross_matrix(theta)
    return np.eye(3) + (W + 0.5 * W @ W) / (1 + 0.25 * (theta @ theta))


def spin(theta: Array, rate: Array) -> Array:
    """Angular velocity of Cayley(theta), in the axes before the rotation."""
    return (rate + 0.5 * np.cross(theta, rate)) / (1 + 0.25 * (theta @ theta))


def cross_matrix(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def energy(pieces: Pieces, twist: Array, xi: Array, xi_dot: Array) -> complex:
    """Exact kinetic energy of the pieces; deformations need not be small."""
    v, w = twist[:3], twist[3:]
    total = 0.0
    for k, mass in enumerate(pieces.mass):
        phi, h = pieces.shapes[k], pieces.second[k]
        r = pieces.place[k] + phi @ xi + 0.5 * h @ xi @ xi
        speed = v + np.cross(w, r) + phi @ xi_dot + h @ xi @ xi_dot
        theta, rate = pieces.rotations[k] @ xi, pieces.rotations[k] @ xi_dot
        turning = cayley(theta).T @ (w + spin(theta, rate))
        total = total + 0.5 * mass * (speed @ speed) + 0.5 * turning @ pieces.inertia[k] @ turning
    return total


def place_of(node: Node, xi: Array) -> tuple[Array, Array]:
    """Position of a node in the body's frame, and its rotation from its initial axes."""
    y = node.Y1 @ xi + 0.5 * node.Y2 @ xi @ xi
    return node.position + y[:3], cayley(y[3:])


def old_twist(frame: Node, twist: Array, xi: Array, xi_dot: Array) -> Array:
    """Exact twist of the body frame from that of the frame that moves with a node."""
    y, rate = frame.Y1 @ xi + 0.5 * frame.Y2 @ xi @ xi, frame.Y1 @ xi_dot + frame.Y2 @ xi @ xi_dot
    R, turning = cayley(y[3:]), spin(y[3:], rate[3:])
    origin = frame.position + y[:3] - R @ frame.position
    w = R @ twist[3:] - turning
    drift = rate[:3] - np.cross(turning, R @ frame.position)
    return np.concatenate([R @ twist[:3] - np.cross(w, origin) - drift, w])


def taylor(function: Callable[[complex], Array | complex], orders: int = 3, radius: float = 0.05) -> Array:
    """First coefficients of a function's Taylor series at zero, by Cauchy's integral on a small circle."""
    points = 16
    values = np.array([function(z) for z in radius * np.exp(2j * np.pi * np.arange(points) / points)])
    coefficients = np.fft.fft(values, axis=0)[:orders] / points
    return (coefficients.T / radius ** np.arange(orders)).T.real
