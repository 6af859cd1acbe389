"""Reduced finite element models: inertia, frequencies and compliances against the full matrices."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg
import scipy.sparse

from mbs_fmu.elastic.frames import moved
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.reduction.structures import inertia
from mbs_fmu.elastic.shapes import Array, Inertia, Pieces, invariants
from mbs_fmu.infrastructure.errors import ModelError
from support.comparisons import assert_close
from support.oracles.finite_elements import Full, beam_element, box, line, truss

pytestmark = pytest.mark.quick

FIELDS = ("S0", "S1", "S2", "J0", "J1", "J2", "C0", "C1", "Me")


MODELS = {"truss": truss(), "box": box()}
models = pytest.mark.parametrize("full", MODELS.values(), ids=MODELS)
couplings = pytest.mark.parametrize("couple", ["average", "rigid"])


# -- oracles, dense and independent ---------------------------------------------------------------------------
def cross(a: Array) -> Array:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def by_frame(full: Full, nodes: Any, at: Array) -> Array:
    """Return the motions of nodes that follow a rigid body: (their dofs, 6)."""
    E, zero = np.eye(3), np.zeros((3, 3))
    rows = [np.block([[E, -cross(full.nodes[k] - at)], [zero, E]])[: full.dofs] for k in nodes]
    return np.concatenate(rows)


class Coupled:
    """The full model with its frames: coordinates z, matrices in them, motions of frames y = A z."""

    def __init__(self, full: Full, couple: str):
        size = len(full.M)
        parts = {}
        for name, value in full.frames.items():
            nodes, at = value if isinstance(value, tuple) else (value, full.nodes[value].mean(0))
            dofs = np.array([full.dofs * k + i for k in nodes for i in range(full.dofs)])
            parts[name] = dofs, by_frame(full, nodes, np.array(at)), nodes
        T = np.eye(size)
        if couple == "rigid":
            bound = np.concatenate([dofs for dofs, *_ in parts.values()])
            T = np.delete(T, bound, 1)
            for dofs, G, _ in parts.values():
                T = np.pad(T, ((0, 0), (0, 6)))
                T[dofs, -6:] = G
        self.T = T
        self.M, self.K, self.A = T.T @ full.M @ T, T.T @ full.K @ T, {}
        for name, (dofs, G, nodes) in parts.items():
            y = np.zeros((6, size))
            y[:, dofs] = self.best_fit(full, G, nodes)
            self.A[name] = y @ T

    @staticmethod
    def best_fit(full: Full, G: Array, nodes: Any) -> Array:
        """Return the rigid motion that best follows nodes: in displacements, in all rotations of one node, and in those
        about the line of two.
        """
        followed = np.concatenate([full.dofs * k + np.arange(3) for k in range(len(nodes))])
        measured = np.eye(len(G))[followed]
        if full.dofs == 6 and len(nodes) <= 2:
            at = full.nodes[nodes]
            axes = (at[1:] - at[0]) / 2.0 if len(nodes) == 2 else np.eye(3)  # half the line: a length, to weigh angles
            turns = np.zeros((len(nodes), len(axes), len(G)))
            for k in range(len(nodes)):
                turns[k, :, full.dofs * k + 3 : full.dofs * k + 6] = axes
            measured = np.concatenate([measured, turns.reshape(-1, len(G))])
        return np.asarray(np.linalg.pinv(measured @ G) @ measured)

    def compliance(self, root: str, *others: str) -> Array:
        """Return motions of frames under wrenches on them with another held, by multipliers."""
        y = np.concatenate([self.A[name] for name in others])
        K, held = self.K / (scale := np.abs(self.K).max()), self.A[root]
        saddle = np.block([[K, held.T], [held, np.zeros((6, 6))]])
        loads = np.concatenate([y.T, np.zeros((6, len(y)))])
        return np.asarray(y @ np.linalg.solve(saddle, loads)[: len(K)]) / scale

    def frequencies(self, held: str | None = None) -> Array:
        """Return the frequencies in Hz, with a frame at rest or free, without those of rigid motions."""
        Z = np.eye(len(self.M)) if held is None else scipy.linalg.null_space(self.A[held])
        squares = scipy.linalg.eigh(Z.T @ self.K @ Z, Z.T @ self.M @ Z, eigvals_only=True)
        return np.sqrt(squares[0 if held else 6 :]) / (2 * math.pi)


def lumped(count: int, n: int, dofs: int, seed: int) -> tuple[Pieces, Array, Array]:
    """Return random pieces, the mass matrix of their nodes, and their shapes."""
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((count, 3, 3))
    theta = np.einsum("kij,klj->kil", B, B) if dofs == 6 else np.zeros((count, 3, 3))
    u = rng.standard_normal((count, dofs, n))
    psi = u[:, 3:] if dofs == 6 else np.zeros((count, 3, n))
    m = rng.uniform(0.5, 2.0, count)
    pieces = Pieces(m, rng.standard_normal((count, 3)), u[:, :3], np.zeros((count, 3, n, n)), theta, psi)
    blocks = [scipy.linalg.block_diag(m[k] * np.eye(3), theta[k])[:dofs, :dofs] for k in range(count)]
    return pieces, scipy.linalg.block_diag(*blocks), u.reshape(-1, n)


def energy(full: Full, shapes: Array, scale: complex, v: Array, omega: Array, xi: Array, rate: Array) -> complex:
    """Return ½ wᵀMw of the velocities of nodes, with xi and its rate times a factor; a spin is in
    the axes of its node.
    """
    u, u_dot = ((scale * shapes @ x).reshape(-1, full.dofs) for x in (xi, rate))
    w = []
    for s, y, y_dot in zip(full.nodes, u, u_dot, strict=True):
        w.append(v + np.cross(omega, s + y[:3]) + y_dot[:3])
        if full.dofs == 6:
            W, c = cross(y[3:]), 1 / (1 + 0.25 * y[3:] @ y[3:])
            R, T = np.eye(3) + c * (W + 0.5 * W @ W), c * (np.eye(3) + 0.5 * W)
            w.append(R.T @ omega + T.T @ y_dot[3:])
    flat = np.concatenate(w)
    return 0.5 * flat @ full.M @ flat


def truncated(full: Full, shapes: Array, *state: Array) -> float:
    """Return the energy to second order in (xi, xi_dot), its Taylor coefficients by Cauchy's integrals."""
    points, radius = 32, 0.5
    circle = radius * np.exp(2j * np.pi * np.arange(points) / points)
    values = np.array([energy(full, shapes, z, *state) for z in circle])
    return float(sum(np.mean(values / circle**k).real for k in range(3)))


# -- inertia -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dofs", [3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_invariants_of_lumped_masses_are_sums_over_pieces(dofs: int, seed: int) -> None:
    pieces, M, shapes = lumped(7, 4, dofs, seed)
    made, exact = inertia(pieces.place, scipy.sparse.csc_array(M), shapes), invariants(pieces)
    assert made.mass == pytest.approx(exact.mass, rel=1e-14)
    for name in FIELDS:
        np.testing.assert_allclose(getattr(made, name), getattr(exact, name), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("kind", ["box", "lumps", "truss"])
def test_energy_is_that_of_the_nodes(kind: str) -> None:
    """Beams have no velocity v: the coupling of displacements and rotations in consistent masses has no centre."""
    rng = np.random.default_rng(5)
    if kind == "lumps":
        pieces, M, shapes = lumped(5, 3, 6, 1)
        full = Full(pieces.place, M, 0 * M, 6, {})
    else:
        full = MODELS[kind]
        shapes = rng.standard_normal((len(full.M), 3))
    made = inertia(full.nodes, full.M, 0.1 * shapes)
    v, omega, xi, rate = rng.standard_normal((4, 3))
    v = v * (kind != "truss")
    V = np.concatenate([v, omega, rate])
    T = truncated(full, 0.1 * shapes, v, omega, xi, rate)
    assert 0.5 * V @ made.matrix(xi) @ V == pytest.approx(T, rel=1e-12)


def first_moment(full: Full, made: Inertia, shapes: Array) -> float:
    """Return the distance of mc in (F2) from that of the velocities of nodes."""
    N = len(full.nodes)
    G = by_frame(full, range(N), np.zeros(3))
    worst = 0.0
    for a, shape in enumerate(shapes.T.reshape(-1, N, full.dofs // 3, 3)):
        turning = -np.array([cross(y) for y in shape.reshape(-1, 3)]).reshape(-1, 3)
        worst = max(worst, np.abs(G[:, :3].T @ full.M @ turning + cross(made.S1[:, a])).max())
    return worst


def test_first_moment_of_consistent_masses_converges() -> None:
    """Elements couple displacements and rotations of their undeformed shape: an error of second order."""
    errors = []
    for count in (5, 10, 20):
        full = line(count)
        x = full.nodes[:, 0]
        shapes = np.stack([0 * x, np.sin(x), x**2, 0 * x, -2 * x, np.cos(x)], 1).reshape(-1, 1)
        errors.append(first_moment(full, inertia(full.nodes, full.M, shapes), shapes))
    assert errors[0] < 0.02 * 4.68
    assert errors[0] > 3.5 * errors[1] > 12 * errors[2]


def test_solid_has_the_inertia_of_a_box() -> None:
    made = box().modes(modes=3).inertia
    a, b, c = 0.4, 0.06, 0.04
    assert made.mass == pytest.approx(2700 * a * b * c, rel=1e-12)
    np.testing.assert_allclose(made.center, [a / 2 - 0.1, b / 2 - 0.1, c / 2 - 0.1], rtol=1e-12)
    exact = made.mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(made.central, exact, atol=1e-12)


# -- elasticity --------------------------------------------------------------------------------------------------
@models
@couplings
def test_compliance_between_frames_is_exact(full: Full, couple: str) -> None:
    """Any frame is held and any other loaded, with no modes at all or with some."""
    oracle = Coupled(full, couple)
    for modes in (0, 6):
        body = full.modes(couple, modes=modes)
        for root in full.frames:
            for name in set(full.frames) - {root}:
                exact = oracle.compliance(root, name)
                np.testing.assert_allclose(body.compliance(name, root), exact, rtol=0, atol=1e-9 * np.abs(exact).max())


@couplings
def test_stress_equals_that_of_the_displacements(couple: str) -> None:
    """The strains of elements are those under a load on a frame, balanced at the root."""
    full = MODELS["box"]
    B = np.zeros((6, len(full.M)))
    along = full.nodes[5] - full.nodes[4]
    B[0, 12:15], B[0, 15:18] = -along, along
    body = full.modes(couple, modes=2, stress={"bar": scipy.sparse.csr_array(B)})
    other, load = list(full.frames)[1], np.arange(1.0, 7.0)
    Y = body.node(other).seen_from(body.node(next(iter(full.frames)))).Y1
    computed = body.stress["bar"] @ np.linalg.solve(body.stiffness, Y.T @ load)
    assert computed == pytest.approx(stretched(full, couple, B, load), rel=1e-8, abs=1e-9 * np.abs(computed).max())


def stretched(full: Full, couple: str, B: Array, load: Array) -> Array:
    """Return B times the displacements by a load on the second frame, with the first held, by multipliers."""
    root, other = list(full.frames)[:2]
    model = Coupled(full, couple)
    K, held = model.K, model.A[root]
    saddle = np.block([[K, held.T], [held, np.zeros((6, 6))]])
    z = np.linalg.solve(saddle, np.concatenate([model.A[other].T @ load, np.zeros(6)]))[: len(K)]
    return np.asarray(B @ model.T @ z)


@models
@couplings
def test_displacements_of_frames_by_loads_on_others_are_exact(full: Full, couple: str) -> None:
    root, *others = full.frames
    exact = Coupled(full, couple).compliance(root, *others)
    body = full.modes(couple, modes=2)
    Y = np.concatenate([body.node(name).seen_from(body.node(root)).Y1 for name in others])
    np.testing.assert_allclose(Y @ np.linalg.solve(body.stiffness, Y.T), exact, rtol=0, atol=1e-9 * np.abs(exact).max())


@pytest.mark.slow
@models
@couplings
def test_frequencies_converge_from_above(full: Full, couple: str) -> None:
    """The body is free, or held at its first frame; with all modes, frequencies are those of the full model."""
    oracle, root = Coupled(full, couple), next(iter(full.frames))
    free, held, before = oracle.frequencies(), oracle.frequencies(root), np.inf
    every = len(oracle.K) - 6 * len(full.frames)
    for modes in (0, 4, every):
        body = full.modes(couple, modes=modes)
        now, now_held = body.frequencies, body.held(root)
        assert (now > free[: body.count] * (1 - 1e-9)).all()
        assert (now_held > held[: body.count] * (1 - 1e-9)).all()
        assert (now[:6] <= before * (1 + 1e-9)).all()
        before = now[:6]
    np.testing.assert_allclose(now, free, rtol=1e-8)
    np.testing.assert_allclose(now_held, held, rtol=1e-8)


def test_few_modes_give_the_first_frequencies() -> None:
    """A beam of 30 elements has its first two frequencies by few modes, from the sparse solver."""
    full = line(30)
    free = Coupled(full, "average").frequencies()
    errors = [(full.modes(modes=modes).frequencies[:2] / free[:2] - 1).max() for modes in (4, 8, 16)]
    assert errors[0] < 5e-3 and errors[1] < 5e-4 and errors[2] < 1e-4


def test_modes_are_normal_and_in_the_mean_frame() -> None:
    body = MODELS["truss"].modes(modes=5)
    size = np.abs(body.inertia.J1).max()
    masses = np.diag(body.inertia.Me)
    np.testing.assert_array_equal(body.inertia.Me, np.diag(masses))
    np.testing.assert_allclose(np.diag(body.stiffness), masses * (2 * np.pi * body.frequencies) ** 2, rtol=1e-8)
    assert_close(body.inertia.S1, 0.0, 1e-9 * size, "S1")
    assert_close(body.inertia.C0, 0.0, 1e-9 * size, "C0")


def test_a_spinning_blade_has_the_published_flap_stiffening() -> None:
    """The flap of a cantilever that spins, root in the axis, has an omega² that grows by 1.193 times the speed's
    square.

    Shapes that are straight in the mean frame have most of that; straight in the root's, they would have nothing.
    """
    body = line(10).modes(modes=6)
    clamped = moved(body.inertia, body.node("root"))
    first = scipy.linalg.eigh(body.stiffness, clamped.Me)[1][:, 0]
    axis = np.array([0.0, *(body.node("tip").seen_from(body.node("root")).Y1 @ first)[1:3]])
    axis = axis / np.linalg.norm(axis)
    coefficient = -0.5 * np.einsum("i,j,ijab,a,b", axis, axis, clamped.J2, first, first)
    assert 0.75 < coefficient < 1.193


# -- frames ------------------------------------------------------------------------------------------------------
def test_frame_of_one_node_is_both_rigid_and_average() -> None:
    full = truss()._replace(frames={"foot": [1], "top": ([8], (0.5, 0.0, 1.0)), "side": [4]})
    one, other = full.modes("average", modes=6), full.modes("rigid", modes=6)
    np.testing.assert_allclose(one.frequencies, other.frequencies, rtol=1e-9)
    np.testing.assert_allclose(one.compliance("top", "foot"), other.compliance("top", "foot"), rtol=1e-7, atol=1e-15)


def test_a_beam_of_elements_has_the_textbook_numbers() -> None:
    body = line(8).modes(modes=6)
    EI = 2.1e11 * 0.02 * 0.03**3 / 12
    C = body.compliance("tip", "root")
    np.testing.assert_allclose(np.linalg.eigvalsh(C[:3, :3])[-2], 1 / (3 * EI), rtol=1e-9)
    m = 7800 * 0.02 * 0.03
    flap = 3.51602 / (2 * np.pi) * np.sqrt(EI / m)
    ratios = body.held("root") / flap
    assert np.abs(ratios - 1).min() < 1e-4, f"held frequencies, by that of the first flap: {ratios}"


def test_place_of_a_frame_shifts_its_motion() -> None:
    full = box()
    root, tip = full.frames["root"], full.frames["tip"]
    at = np.array([0.5, 0.1, 0.0])
    there = full._replace(frames={"root": root, "tip": (tip, at)}).modes(modes=0)
    center = full._replace(frames={"root": root, "tip": tip}).modes(modes=0)
    np.testing.assert_array_equal(there.node("tip").position, at)
    arm = at - center.node("tip").position
    X = np.block([[np.eye(3), -cross(arm)], [np.zeros((3, 3)), np.eye(3)]])
    exact = X @ center.compliance("tip", "root") @ X.T
    np.testing.assert_allclose(there.compliance("tip", "root"), exact, rtol=0, atol=1e-10 * np.abs(exact).max())


def test_frames_on_the_same_nodes_add_no_shapes() -> None:
    full = box()
    twice = full._replace(frames={**full.frames, "again": full.frames["tip"], "also": full.frames["root"]})
    one, other = full.modes(modes=4), twice.modes(modes=4)
    assert other.count == one.count == 16
    np.testing.assert_allclose(other.frequencies, one.frequencies, rtol=1e-9)
    np.testing.assert_allclose(other.node("again").Y1, other.node("tip").Y1, atol=1e-15)


@couplings
def test_modes_of_one_frame_are_reproducible(couple: str) -> None:
    """They come from the sparse solver, and are the same each time."""
    full = box((10, 1, 1))._replace(frames={"root": [0, 1, 2, 3]})
    body = full.modes(couple, modes=3)
    np.testing.assert_allclose(body.held("root"), Coupled(full, couple).frequencies("root")[:3], rtol=1e-8)
    np.testing.assert_array_equal(full.modes(couple, modes=3).inertia.J1, body.inertia.J1)


def test_dofs_without_mass_are_condensed() -> None:
    """Beams with masses in their nodes alone have rotations without mass."""
    full = truss()
    masses = np.tile([2.0, 2.0, 2.0, 0.0, 0.0, 0.0], len(full.nodes))
    full = full._replace(M=np.diag(masses), frames={"foot": [0, 1, 2]})
    moves = masses > 0.0
    across, within = full.K[np.ix_(moves, ~moves)], full.K[np.ix_(~moves, ~moves)]
    K = full.K[np.ix_(moves, moves)] - across @ np.linalg.solve(within, across.T)
    exact = np.sqrt(np.linalg.eigvalsh(K / 2.0)[6:]) / (2 * math.pi)
    np.testing.assert_allclose(full.modes(modes=21).frequencies, exact, rtol=1e-8)
    refused("modes is 22: with its frames fixed the structure has 21 modes", full, modes=22)


def test_a_beam_with_two_inner_masses_has_twelve_modes() -> None:
    """Both ends are held."""
    full, masses = line(30), np.zeros((31, 6))
    masses[::10] = [1.0, 1.0, 1.0, 0.1, 0.2, 0.3]
    full = full._replace(M=np.diag(masses.ravel()))
    moves = masses.ravel() > 0.0
    C = np.linalg.pinv(full.K, hermitian=True)[np.ix_(moves, moves)]
    root = np.sqrt(masses[masses > 0.0])
    G = root[:, None] * by_frame(full, range(0, 31, 10), np.zeros(3))
    P = np.eye(24) - G @ np.linalg.pinv(G)
    exact = 1 / (2 * math.pi * np.sqrt(np.linalg.eigvalsh(P @ (root[:, None] * C * root) @ P)[:5:-1]))
    body = full.modes(modes=12)
    np.testing.assert_allclose(body.frequencies, exact, rtol=1e-7)
    refused("modes is 13: with its frames fixed the structure has 12 modes", full, modes=13)


# -- refused input ---------------------------------------------------------------------------------------------
def refused(match: str, full: Full | None = None, **changes: Any) -> None:
    full = full or SMALL
    arguments = {"nodes": full.nodes, "M": full.M, "K": full.K, "frames": full.frames, "dofs": full.dofs} | changes
    with pytest.raises(ModelError, match=match):
        Modes.matrices(**{"modes": 2, **arguments})


SMALL = box((2, 1, 1))._replace(frames={"root": [0, 1, 2, 3], "tip": [8, 9, 10, 11]})


def test_matrices_of_no_free_structure_are_refused() -> None:
    size = len(SMALL.M)
    refused(r"M has shape \(36, 36\): 12 nodes of 6 dofs \(dofs=6\) need \(72, 72\)", dofs=6)
    refused(r"K has shape \(3, 3\)", K=np.eye(3))
    refused("K is 'stiff': give a matrix", K="stiff")
    refused("M has numbers that are not finite", M=np.full((size, size), np.nan))
    refused("M is not symmetric: differences reach .*; give both triangles", M=np.triu(SMALL.M))
    refused("K is not symmetric", K=scipy.sparse.csr_array(np.tril(SMALL.K)))
    light = SMALL.M.copy()
    light[0, 0] *= 1.01
    refused("M has .* kg along x, y, z: a body has the same positive mass", M=light)
    refused("M has .* kg along x, y, z.* M is not positive, its row .* has the number -", M=-SMALL.M)
    refused("order of the nodes", M=np.roll(SMALL.M, (1, 1), (0, 1)) + light)
    cut = SMALL.M.copy()
    cut[-1], cut[:, -1] = 0.0, 0.0
    refused(
        r"M has .* kg along x, y, z.* 1 of 36 rows of M, as row 36, have no mass .* file is cut, or rows are", M=cut
    )
    moments = np.kron(np.diag([1.0, -0.9, *[0.1] * 10]), np.eye(3))  # the same mass along each axis
    refused(
        r"no body has the moments of inertia .*: M has them in rigid rotations; M is not positive, its row 4", M=moments
    )
    held = SMALL.K.copy()
    held[1, 1] += 1e7
    refused(r"the structure is not free: a rigid motion (along|about) \w causes a force of .*without supports", K=held)


def test_invalid_matrices_are_refused() -> None:
    refused(r"M is .*: give a matrix; for lumped masses", M=np.ones(36))
    refused(r"M is None: give a matrix", M=None)
    refused(r"K has complex numbers: give its real part", K=SMALL.K * (1 + 0.02j))
    swings = np.random.default_rng(0).normal(size=(len(SMALL.nodes), 3))
    swings = (swings - swings.mean(0)).ravel()  # without total weight
    refused(r"M is not positive", M=SMALL.M - 10 * np.abs(SMALL.M).max() * np.outer(swings, swings))


def test_mechanisms_are_refused() -> None:
    """A free node, a hinge, and two bodies in one are mechanisms."""
    N = len(SMALL.nodes)
    loose = scipy.linalg.block_diag(SMALL.K, np.zeros((3, 3)))
    M = scipy.linalg.block_diag(SMALL.M, np.eye(3))
    nodes = np.vstack([SMALL.nodes, [1.0, 2.0, 3.0]])
    refused(f"moves without stiffness.*: see node {N} along", nodes=nodes, M=M, K=loose)
    twice = [np.kron(np.eye(2), A) for A in (SMALL.M, SMALL.K)]
    refused("moves without stiffness.*: see node", nodes=np.vstack([SMALL.nodes] * 2), M=twice[0], K=twice[1])
    full = line(2)
    k = beam_element(full.nodes[1], full.nodes[2])[0]
    spin = np.eye(12)[3:4].T
    released = k - k @ spin @ spin.T @ k / (spin.T @ k @ spin)
    K = full.K.copy()
    K[6:, 6:] += released - k
    refused(r"moves without stiffness.*: see node \d about x", full, K=K)


def test_invalid_frames_are_refused() -> None:
    def frame(match: str, value: Any, full: Full = SMALL, **options: Any) -> None:
        refused(match, full, frames={"root": full.frames["root"], "tip": value}, **options)

    refused("frames is {}: give one or more by name", frames={})
    refused("frames is .*: give one or more by name", frames=[1, 2])
    frame("frame 'tip' has no nodes", [])
    frame("frame 'tip' has node 99: the structure has nodes 0 to 11", [1, 99, 3])
    frame("frame 'tip' has node -1", [-1, 2, 3])
    frame("frame 'tip' is .*: give indices of nodes", [0.5, 1.0, 2.0])
    frame("frame 'tip' is 'end': give indices of nodes", "end")
    frame("frame 'tip' is .*: give indices of nodes", [[1], [2, 3], [4]])
    frame("frame 'tip' is 5: give indices of nodes", 5)
    frame("frame 'tip' has one node, which determines no rotation: give three or more nodes", [5])
    frame("frame 'tip' has 2 nodes on a line, which determines no rotation", [8, 9])
    frame("frame 'tip' has 3 nodes on a line, which determines no rotation", [0, 4, 8])
    frame(r"the place of frame 'tip' is \[1.0, 2.0\]: give three numbers", ([8, 9, 10], [1, 2]))
    frame("the place of frame 'tip' is .*: give three numbers", ([8, 9, 10], ["a", "b", "c"]))
    frame("frames 'root' and 'tip' share node 3, which can't be rigid to both", [3, 9, 10], couple="rigid")


def test_unknown_options_are_refused() -> None:
    refused("modes is 1.5: give a whole number", modes=1.5)
    refused("modes is -1", modes=-1)
    refused("modes is True", modes=True)
    refused("couple is 'welded': a frame is the 'average' of its nodes", couple="welded")
    refused("dofs is 4: nodes have 3", dofs=4)
    refused("modes is 0 with one frame", modes=0, frames={"root": [0, 1, 2]})
    refused("modes is 25: with its frames fixed the structure has 24 modes", modes=25)
    refused(r"nodes has shape \(36,\)", nodes=SMALL.nodes.ravel())
    refused("nodes is 'here'", nodes="here")
    size = 3 * len(SMALL.nodes)
    refused("stress must be a dictionary by name, not", stress=np.zeros((6, size)))
    refused(
        rf"stress 'a' has shape \(6, 6\): give a matrix from all displacements to six stresses, \(6, {size}\)",
        stress={"a": np.eye(6)},
    )
    moving = np.eye(6, size)
    refused("stress 'a' is .* Pa for a unit rigid motion along x, which causes no stress", stress={"a": moving})


def test_a_missing_scipy_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse.linalg", None)
    refused(r"need scipy: pip install 'mbs-fmu\[elastic\]' \(in a clone: pip install -e '\.\[elastic\]'\)")
