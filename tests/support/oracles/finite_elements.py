"""Small finite element models of free structures, dense: a space frame of beams, a straight beam, a solid of bricks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from mbs_fmu.elastic.modes import Modes

Array = np.ndarray


class Full(NamedTuple):
    """A free structure: places (N, 3), dense M and K, number of dofs of a node, and frames by name."""

    nodes: Array
    M: Array
    K: Array
    dofs: int
    frames: dict[str, Any]

    def modes(self, couple: str = "average", **options: Any) -> Modes:
        M, K = scipy.sparse.csr_array(self.M), scipy.sparse.coo_array(self.K)
        return Modes.matrices(self.nodes, M, K, self.frames, couple=couple, dofs=self.dofs, **options)


def rod_element(length: float, k: float, m: float) -> tuple[Array, Array]:
    """Stiffness and consistent mass of a rod; k times length is EA, m over length is rho A."""
    return k / length * np.array([[1, -1], [-1, 1]]), m * length / 6 * np.array([[2, 1], [1, 2]])


def bent_element(d: float, EI: float, m: float) -> tuple[Array, Array]:
    """Stiffness and consistent mass of a planar Euler-Bernoulli beam: deflection and slope at each end."""
    k = [[12, 6 * d, -12, 6 * d], [6 * d, 4 * d * d, -6 * d, 2 * d * d]]
    k += [[-12, -6 * d, 12, -6 * d], [6 * d, 2 * d * d, -6 * d, 4 * d * d]]
    w = [[156, 22 * d, 54, -13 * d], [22 * d, 4 * d * d, 13 * d, -3 * d * d]]
    w += [[54, 13 * d, 156, -22 * d], [-13 * d, -3 * d * d, -22 * d, 4 * d * d]]
    return EI / d**3 * np.array(k), m * d / 420 * np.array(w)


def beam_element(a: Array, b: Array) -> tuple[Array, Array]:
    """Stiffness and mass (12, 12) of a steel beam, 30 mm by 20 mm, between two places, in the axes of these."""
    E, G, rho, h, w = 2.1e11, 8.1e10, 7800.0, 0.03, 0.02
    A, Iy, Iz, It = h * w, w * h**3 / 12, h * w**3 / 12, 1.2e-8
    d = float(np.linalg.norm(b - a))
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    for element, dofs, signs in (
        (rod_element(d, E * A, rho * A), [0, 6], [1, 1]),
        (rod_element(d, G * It, rho * (Iy + Iz)), [3, 9], [1, 1]),
        (bent_element(d, E * Iz, rho * A), [1, 5, 7, 11], [1, 1, 1, 1]),
        (bent_element(d, E * Iy, rho * A), [2, 4, 8, 10], [1, -1, 1, -1]),  # w' is the rotation about -y
    ):
        K[np.ix_(dofs, dofs)] += np.outer(signs, signs) * element[0]
        M[np.ix_(dofs, dofs)] += np.outer(signs, signs) * element[1]
    x = (b - a) / d
    y = np.cross([0.3, 0.5, 0.8] if abs(x[2]) < 0.9 else [0.0, 1.0, 0.0], x)
    R = np.kron(np.eye(4), np.array([x, y / np.linalg.norm(y), np.cross(x, y / np.linalg.norm(y))]))
    return R.T @ K @ R, R.T @ M @ R


def assembled(nodes: Array, bars: list[tuple[int, int]]) -> tuple[Array, Array]:
    M, K = np.zeros((2, 6 * len(nodes), 6 * len(nodes)))
    for i, j in bars:
        dofs = np.r_[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
        k, m = beam_element(nodes[i], nodes[j])
        K[np.ix_(dofs, dofs)] += k
        M[np.ix_(dofs, dofs)] += m
    return M, K


def truss() -> Full:
    """A skew tower of beams: three corners on each of three storeys, a frame at its foot and two more."""
    rng = np.random.default_rng(3)
    corners = np.array([[0.0, 0.0], [0.3, 0.0], [0.1, 0.2]])
    nodes = np.array([[*(xy * (1 - 0.1 * k)), 0.3 * k] for k in range(3) for xy in corners])
    nodes = nodes + rng.uniform(-0.02, 0.02, nodes.shape)
    bars = [(3 * k + c, 3 * k + 3 + c) for k in range(2) for c in range(3)]
    bars += [(3 * k + c, 3 * k + (c + 1) % 3) for k in range(3) for c in range(3)]
    frames = {"foot": [0, 1, 2], "top": ([6, 7, 8], (0.1, 0.2, 0.7)), "side": [4, 5]}
    return Full(nodes, *assembled(nodes, bars), 6, frames)


def line(count: int, length: float = 1.0) -> Full:
    """A straight beam of `count` elements along x, with frames at its ends."""
    nodes = np.outer(np.linspace(0.0, length, count + 1), [1.0, 0.0, 0.0])
    return Full(nodes, *assembled(nodes, [(k, k + 1) for k in range(count)]), 6, {"root": [0], "tip": [count]})


def box(cells: tuple[int, int, int] = (4, 1, 1)) -> Full:
    """A solid of eight-node bricks (2 x 2 x 2 Gauss points), with frames at both ends and on a part of its back."""
    E, nu, rho, sizes = 7e10, 0.3, 2700.0, np.array([0.4, 0.06, 0.04])
    D = E / (1 + nu) / (1 - 2 * nu) * (nu * np.ones((3, 3)) + (1 - 2 * nu) * np.eye(3))
    D = scipy.linalg.block_diag(D, 0.5 * E / (1 + nu) * np.eye(3))
    h = sizes / cells
    k, m = np.zeros((2, 24, 24))
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    for at in corners / math.sqrt(3):
        f = 1 + corners * at
        dN = corners * np.stack([f[:, 1] * f[:, 2], f[:, 0] * f[:, 2], f[:, 0] * f[:, 1]], 1) / 8 * (2 / h)
        B = np.zeros((6, 8, 3))
        for i in range(3):
            B[i, :, i] = dN[:, i]
            j, o = (i + 1) % 3, (i + 2) % 3
            B[3 + i, :, j], B[3 + i, :, o] = dN[:, o], dN[:, j]
        k += B.reshape(6, 24).T @ D @ B.reshape(6, 24) * h.prod() / 8
        m += rho * np.kron(np.outer(f.prod(1), f.prod(1)) / 64, np.eye(3)) * h.prod() / 8
    index = np.arange(np.prod(np.add(cells, 1))).reshape(np.add(cells, 1))
    nodes = np.stack(np.meshgrid(*(np.linspace(0, s, c + 1) for s, c in zip(sizes, cells, strict=True)), indexing="ij"))
    M, K = np.zeros((2, 3 * index.size, 3 * index.size))
    for cell in np.ndindex(*cells):
        ends = np.array([index[tuple(np.add(cell, (c + 1) // 2))] for c in corners])
        dofs = (3 * ends[:, None] + np.arange(3)).ravel()
        K[np.ix_(dofs, dofs)] += k
        M[np.ix_(dofs, dofs)] += m
    frames = {"root": index[0].ravel(), "tip": index[-1].ravel(), "back": index[1:3, :, -1].ravel()}
    return Full(nodes.reshape(3, -1).T - 0.1, M, K, 3, frames)


class BarBoom(NamedTuple):
    """Pin-jointed bars between point masses: a square boom along x, without diagonals through its inside."""

    places: Array  #: (N, 3), m
    bars: Array  #: (B, 2), indices of nodes
    stiffness: Array  #: EA/L of each bar, (B), N/m
    mass: float  #: of a point, kg

    @property
    def lengths(self) -> Array:
        return np.linalg.norm(self.places[self.bars[:, 1]] - self.places[self.bars[:, 0]], axis=1)

    def full(self, frames: dict[str, Any] | None = None) -> Full:
        """Return the free structure, with frames at its ends."""
        N = len(self.places)
        ends = {"root": [0, 1, 2, 3], "tip": list(range(N - 4, N))}
        return Full(self.places, self.mass * np.eye(3 * N), self.tangent(self.places), 3, frames or ends)

    def forces(self, x: Array) -> Array:
        """Return the forces of the bars on the points at places x, (N, 3)."""
        d = x[self.bars[:, 1]] - x[self.bars[:, 0]]
        length = np.linalg.norm(d, axis=1)
        pull = (self.stiffness * (length - self.lengths) / length)[:, None] * d
        f = np.zeros_like(x)
        np.add.at(f, self.bars[:, 0], pull)
        np.add.at(f, self.bars[:, 1], -pull)
        return f

    def tangent(self, x: Array) -> Array:
        """Return the derivative of minus these forces, (3 N, 3 N)."""
        d = x[self.bars[:, 1]] - x[self.bars[:, 0]]
        length = np.linalg.norm(d, axis=1)
        e = d / length[:, None]
        ee = e[:, :, None] * e[:, None, :]
        pull = self.stiffness * (length - self.lengths) / length
        blocks = self.stiffness[:, None, None] * ee + pull[:, None, None] * (np.eye(3) - ee)
        return self._summed(blocks)

    def stress_stiffness(self, u: Array) -> Array:
        """Return K_g of displacements u (3 N), (3 N, 3 N)."""
        d = self.places[self.bars[:, 1]] - self.places[self.bars[:, 0]]
        e = d / self.lengths[:, None]
        x = u.reshape(-1, 3)
        elongation = np.einsum("bi,bi->b", e, x[self.bars[:, 1]] - x[self.bars[:, 0]])
        across = np.eye(3) - e[:, :, None] * e[:, None, :]
        return self._summed((self.stiffness * elongation / self.lengths)[:, None, None] * across)

    def _summed(self, blocks: Array) -> Array:
        N = len(self.places)
        K = np.zeros((N, 3, N, 3))
        for (i, j), block in zip(self.bars, blocks, strict=True):
            K[i, :, i] += block
            K[j, :, j] += block
            K[i, :, j] -= block
            K[j, :, i] -= block
        return K.reshape(3 * N, 3 * N)

    def spinning(self, speed: float, root: list[int]) -> Array:
        """Return frequencies, Hz, rising, of the boom whose root nodes are held on average and turn about z through
        their centre: of small motions about the equilibrium in the rotating frame, by all points and bars."""
        s = self.places - self.places[root].mean(axis=0)
        held = np.zeros((6, len(s), 3))
        for k in root:
            held[:3, k] = np.eye(3)
            held[3:, k] = np.array([[0, -s[k, 2], s[k, 1]], [s[k, 2], 0, -s[k, 0]], [-s[k, 1], s[k, 0], 0]])
        Z = scipy.linalg.null_space(held.reshape(6, -1))
        across, gyro = np.diag([1.0, 1.0, 0.0]), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 0]])
        x = self.places.copy()
        for _ in range(20):
            load = self.forces(x) + self.mass * speed**2 * (x - self.places[root].mean(axis=0)) @ across
            K = self.tangent(x) - self.mass * speed**2 * np.kron(np.eye(len(s)), across)
            step = np.linalg.solve(Z.T @ K @ Z, Z.T @ load.ravel())
            x += (Z @ step).reshape(-1, 3)
        K = Z.T @ (self.tangent(x) - self.mass * speed**2 * np.kron(np.eye(len(s)), across)) @ Z
        C = 2.0 * speed * self.mass * Z.T @ np.kron(np.eye(len(s)), gyro) @ Z
        n = len(K)
        values = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [-K / self.mass, -C / self.mass]]))
        return np.asarray(np.sort(values.imag[values.imag > 1e-6]) / (2 * np.pi))


def bar_boom(bays: int = 6, bay: float = 0.3, width: float = 0.2, mass: float = 0.3, EA: float = 6e4) -> BarBoom:
    """Return a square boom; each bay has crossed walls."""
    corners = [(y, z) for y in (-0.5 * width, 0.5 * width) for z in (-0.5 * width, 0.5 * width)]
    places = np.array([(bay * k, *corner) for k in range(bays + 1) for corner in corners])
    pairs = [
        (i, j)
        for i in range(len(places))
        for j in range(i + 1, min(i + 8, len(places)))
        if j // 4 - i // 4 <= 1 and not (i // 4 != j // 4 and i % 4 + j % 4 == 3)
    ]
    bars = np.array(pairs)
    lengths = np.linalg.norm(places[bars[:, 1]] - places[bars[:, 0]], axis=1)
    return BarBoom(places, bars, EA / lengths, mass)
