"""Shapes of loads, effective masses and damping of finite element models, against all their points."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg
from scipy.integrate import solve_ivp

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import moved
from mbs_fmu.infrastructure.errors import ModelError
from support.comparisons import assert_close
from support.oracles.finite_elements import bar_boom, line, truss

pytestmark = pytest.mark.quick

Array = np.ndarray
BOOM = bar_boom()
FULL = BOOM.full()
ROOT = FULL.frames["root"]


def held_static(f: Array) -> Array:
    """Return displacements of the boom by nodal forces, with its root held on average, by multipliers."""
    A = root_motion()
    saddle = np.block([[FULL.K, A.T], [A, np.zeros((6, 6))]])
    return np.linalg.solve(saddle, np.concatenate([f, np.zeros(6)]))[: len(f)]


def root_motion() -> Array:
    """Return six combinations of displacements that vanish where the root is at rest, (6, 3 N)."""
    A = np.zeros((6, len(FULL.nodes), 3))
    for k in ROOT:
        x, y, z = FULL.nodes[k] - FULL.nodes[ROOT].mean(axis=0)
        A[:3, k] = np.eye(3)
        A[3:, k] = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return A.reshape(6, -1)


def bar_forces() -> Array:
    """Return the matrix from displacements to the forces of the boom's bars, (B, 3 N)."""
    B = np.zeros((len(BOOM.bars), len(FULL.nodes), 3))
    along = (BOOM.places[BOOM.bars[:, 1]] - BOOM.places[BOOM.bars[:, 0]]) / BOOM.lengths[:, None]
    for b, ((i, j), k, e) in enumerate(zip(BOOM.bars, BOOM.stiffness, along, strict=True)):
        B[b, i], B[b, j] = -k * e, k * e
    return B.reshape(len(B), -1)


def inertia_load(direction: Array, spin: Array) -> Array:
    """Return forces on the boom's points by an acceleration and by centrifugal acceleration about the root."""
    s = FULL.nodes - FULL.nodes[ROOT].mean(axis=0)
    return BOOM.mass * (direction + spin @ spin * s - np.outer(s @ spin, spin)).ravel()


def static_bar_forces(rod_options: dict[str, object], load: Array, modes: int) -> Array:
    """Return bar forces of the reduced boom under a load, held at its root."""
    B = bar_forces()
    groups = {f"bars{k}": np.pad(B[6 * k : 6 * k + 6], ((0, max(0, 6 * k + 6 - len(B))), (0, 0))) for k in range(19)}
    rod = FULL.modes(modes=modes, stress=groups, **rod_options)
    forms = np.concatenate(list(rod.stress.values()))[: len(B)]
    return np.asarray(forms @ np.linalg.solve(rod.stiffness, modal_force(rod, load)))


def modal_force(rod: mbs.Modes, load: Array) -> Array:
    """Return the work of an inertia load on the modes, held at the root, from the invariants: load = m(a + A s)."""
    inertia = moved(rod.inertia, rod.node("root"))
    accelerations, *_ = np.linalg.lstsq(fields(), load / BOOM.mass, rcond=None)
    a, A = accelerations[:3], accelerations[3:].reshape(3, 3)
    first = np.zeros((3, 3, rod.count))  # Σ m s φ, from J1 and C0
    J1 = 0.5 * (0.5 * np.trace(inertia.J1) * np.eye(3)[:, :, None] - inertia.J1)
    W = np.einsum("ijk,kn->ijn", np.array([[[0, 0, 0], [0, 0, 1], [0, -1, 0]], [[0, 0, -1], [0, 0, 0], [1, 0, 0]],
                                           [[0, 1, 0], [-1, 0, 0], [0, 0, 0]]], float), inertia.C0)  # fmt: skip
    first = J1 + 0.5 * W
    return np.asarray(a @ inertia.S1 + np.einsum("ij,jin->n", A, first))


def fields() -> Array:
    """Return accelerations a + A s of the points by the 12 numbers of a and A, (3 N, 12)."""
    s = FULL.nodes - FULL.nodes[ROOT].mean(axis=0)
    columns = [np.tile(e, (len(s), 1)) for e in np.eye(3)]
    columns += [np.outer(s[:, j], e) for e in np.eye(3) for j in range(3)]
    return np.stack([c.ravel() for c in columns], axis=1)


def test_inertia_loads_make_bar_forces_exact() -> None:
    """Under weight and steady spin together, held at the root; a few vibrations leave percents of error."""
    load = inertia_load(np.array([0.3, -1.0, -9.81]), np.array([2.0, -1.0, 7.0]))
    exact = bar_forces() @ held_static(load)
    errors = [
        np.abs(static_bar_forces(options, load, modes) - exact).max() / np.abs(exact).max()
        for options, modes in (({}, 0), ({}, 4), ({"loads": "inertia"}, 0))
    ]
    assert errors[0] > 0.05 and errors[1] > 0.005 and errors[2] < 1e-9


def test_shares_left_out_are_those_of_the_strain_energy() -> None:
    """Of each inertia load about the centre of mass, in equilibrium; zero with the shapes of inertia loads."""
    rod = FULL.modes(modes=4)
    assert list(rod.left_out)[:4] == ["ax", "ay", "az", "ex"] and len(rod.left_out) == 12
    for axis, name in enumerate(("ax", "ay", "az")):
        f = inertia_load(np.eye(3)[axis], np.zeros(3))
        exact = f @ held_static(f)
        force = modal_force(rod, f)
        kept = force @ np.linalg.solve(rod.stiffness, force)
        assert rod.left_out[name] == pytest.approx(1.0 - kept / exact, abs=1e-9)
    assert max(FULL.modes(modes=0, loads="inertia").left_out.values()) < 1e-9


def test_loads_that_strain_nothing_have_no_shapes() -> None:
    """Points on a line: turns about it give no force, and rounding errors in their place give no shape."""
    full = line(6)
    rod = full.modes(modes=0, loads="inertia")
    assert rod.count == 6 + 7, "along, across and about the line, by weight, turning and centrifugal loads"
    assert max(rod.left_out.values()) < 1e-6


def test_effective_mass_across_depends_on_the_shapes() -> None:
    """0.708 of the boom's mass with frames alone, 0.836 with inertia loads."""
    shares = [
        FULL.modes(modes=modes, **options).effective_mass("root")[1, 1] / (84 * 0.1)
        for modes, options in ((0, {}), (0, {"loads": "inertia"}))
    ]
    assert shares == pytest.approx([0.708, 0.836], abs=1e-3)


def test_effective_mass_of_all_shapes_is_that_of_the_points() -> None:
    """All of a short boom's shapes together feel what its points do, held at the root."""
    full = bar_boom(bays=2).full()
    Z = scipy.linalg.null_space(root_motion()[:, : len(full.M)])
    P = Z.T @ full.M @ np.kron(np.ones(len(full.nodes)), [0.0, 1.0, 0.0])
    exact = P @ np.linalg.solve(Z.T @ full.M @ Z, P)
    rod = full.modes(modes=len(full.M) - 12)
    assert rod.effective_mass("root")[1, 1] == pytest.approx(exact, rel=1e-9)


def peak(M: Array, K: Array, coupling: Array, f: Array) -> float:
    """Return the largest force that bears a held body after a step of 10 N, N; 1 % of critical damping in each mode.

    coupling: the momentum across by the coordinates' rates. f: generalized forces of the step.
    """
    squares, V = scipy.linalg.eigh(K, M)
    w, damped = np.sqrt(squares), np.sqrt(squares * (1.0 - 1e-4))
    t = np.linspace(0.0, 1.0, 20001)[:, None]
    rates = (V.T @ f) * np.exp(-0.01 * w * t) * (np.cos(damped * t) - 0.01 * w / damped * np.sin(damped * t))
    return float(np.abs(10.0 - rates @ (V.T @ coupling)).max())


def test_peak_loads_need_frames_and_shapes_of_loads() -> None:
    """A step at the tip, held at the root: 27.7 N with frames alone, 26.9 N with inertia loads, of 26.76 N."""
    Z, across, tip = scipy.linalg.null_space(root_motion()), np.zeros((28, 3)), np.zeros((28, 3))
    across[:, 1], tip[FULL.frames["tip"], 1] = 1.0, 2.5
    exact = peak(Z.T @ FULL.M @ Z, Z.T @ FULL.K @ Z, Z.T @ FULL.M @ across.ravel(), Z.T @ tip.ravel())
    assert exact == pytest.approx(26.76, abs=0.01)
    for options, expected in (({"modes": 0}, 27.67), ({"modes": 0, "loads": "inertia"}, 26.87), ({"modes": 10}, 26.75)):
        rod = FULL.modes(**options)
        held = moved(rod.inertia, rod.node("root"))
        Y = rod.node("tip").seen_from(rod.node("root")).Y1
        assert peak(held.Me, rod.stiffness, held.S1[1], 10.0 * Y[1]) == pytest.approx(expected, abs=0.01)


# -- loads by name -----------------------------------------------------------------------------------------------
def wind(direction: Array) -> Array:
    """Return parallel forces on all points, larger towards the tip."""
    return np.outer(0.2 + FULL.nodes[:, 0] ** 2, direction).ravel()


@pytest.mark.parametrize("couple", ["average", "rigid"])
def test_a_load_by_name_has_its_exact_static_answer(couple: str) -> None:
    """The node lies on the line of action, and moves along it by the work of the load over its resultant."""
    direction = np.array([0.0, 0.6, 0.8])
    f = wind(direction)
    rod = FULL.modes(couple, modes=0, loads={"wind": f}, geometric="bars")
    node, size = rod.node("wind"), np.linalg.norm(f.reshape(-1, 3).sum(axis=0))
    np.testing.assert_allclose(node.axes[:, 0], direction, atol=1e-14)
    torque = np.cross(FULL.nodes, f.reshape(-1, 3)).sum(axis=0)
    np.testing.assert_allclose(np.cross(node.position, size * direction), torque, atol=1e-12 * size)
    if couple == "average":
        give = node.axes[:, 0] @ rod.compliance("wind", "root")[:3, :3] @ node.axes[:, 0]
        assert give == pytest.approx(f @ held_static(f) / size**2, rel=1e-9)
    assert rod.count == 7


def test_a_load_by_name_stiffens_the_body_as_its_forces_do() -> None:
    """The work of second order of the node is -Φᵀ K_g Φ of the stresses by the load."""
    f = wind(np.array([1.0, 0.0, 0.0]))
    rod = FULL.modes(modes=4, loads={"pull": f}, geometric="bars")
    K_g = BOOM.stress_stiffness(held_static(f))
    Y2 = rod.node("pull").seen_from(rod.node("root")).Y2[0] * f.reshape(-1, 3).sum(axis=0)[0]
    Z = scipy.linalg.null_space(root_motion())
    first = scipy.linalg.eigh(Z.T @ FULL.K @ Z, Z.T @ FULL.M @ Z, subset_by_index=[0, 0])[1][:, 0]
    u = Z @ first
    rod_first = scipy.linalg.eigh(rod.stiffness, moved(rod.inertia, rod.node("root")).Me)[1][:, 0]
    assert -rod_first @ Y2 @ rod_first == pytest.approx(u @ K_g @ u, rel=1e-3)


def test_a_load_of_beams_includes_its_moments() -> None:
    """Nodes with rotations: moments across the forces shift the line of action, those about it are refused."""
    full = line(6)
    f = np.zeros((7, 6))
    f[:, 1], f[3, 5] = 2.0, 0.7
    rod = full.modes(modes=0, loads={"wind": f})
    np.testing.assert_allclose(rod.node("wind").position, [0.5 + 0.7 / 14.0, 0, 0], atol=1e-12)
    f[2, 4] = 0.1
    with pytest.raises(ModelError, match="load 'wind' has forces in several directions, or moments about them"):
        full.modes(modes=0, loads={"wind": f})


def test_invalid_loads_are_refused() -> None:
    f = wind(np.array([0.0, 1.0, 0.0]))
    both = f + wind(np.array([0.0, 0.0, 1.0])) * np.repeat(np.arange(28), 3)
    balanced = f.reshape(-1, 3) - f.reshape(-1, 3).mean(axis=0)
    for loads, message in (
        ("weight", "loads is 'weight': pass 'inertia', or nodal forces by name"),
        ({"wind": f[:7]}, "load 'wind' has 7 numbers: pass 84 finite ones, 3 for each node"),
        ({"wind": both}, "load 'wind' has forces in several directions"),
        ({"wind": balanced}, "load 'wind' has no resultant"),
        ({"tip": f}, "load 'tip' has the name of a frame"),
    ):
        with pytest.raises(ModelError, match=message):
            FULL.modes(modes=0, loads=loads)


# -- damping -----------------------------------------------------------------------------------------------------
def dashpots(c: float = 40.0) -> Array:
    """Return the damping matrix of four dashpots along the edges of the second bay, N s/m."""
    C = np.zeros((84, 84))
    for i, j in ((4, 8), (5, 9), (6, 10), (7, 11)):
        along = (FULL.nodes[j] - FULL.nodes[i]) / np.linalg.norm(FULL.nodes[j] - FULL.nodes[i])
        block = c * np.outer(along, along)
        for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
            C[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] += sign * block
    return C


def ratios(M: Array, D: Array, K: Array) -> Array:
    """Return parts of critical damping of the oscillations, by rising frequency."""
    n = len(K)
    values = np.linalg.eigvals(
        np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    )
    values = values[values.imag > 1e-6]
    values = values[np.argsort(np.abs(values))]
    return np.asarray(-values.real / np.abs(values))


def test_a_damping_matrix_gives_the_ratios_of_the_full_model() -> None:
    """Gorobtsov's K_f (2005, (3)), held at the root: 0.00051 and 0.00006; its diagonal has 0.00016 and 0.00093."""
    Z = scipy.linalg.null_space(root_motion())
    exact = ratios(Z.T @ FULL.M @ Z, Z.T @ dashpots() @ Z, Z.T @ FULL.K @ Z)[[0, 3]]
    rod = FULL.modes(modes=10, damping_matrix=dashpots())
    held = moved(rod.inertia, rod.node("root")).Me
    assert ratios(held, rod.damping_matrix, rod.stiffness)[[0, 3]] == pytest.approx(exact, rel=0.02)
    assert exact == pytest.approx([0.00051, 0.00006], abs=5e-6)
    diagonal = np.diag(np.diag(rod.damping_matrix))
    assert ratios(held, diagonal, rod.stiffness)[[0, 3]] == pytest.approx([0.00016, 0.00093], abs=5e-6)


@pytest.mark.parametrize("geometric", [None, "bars"])
def test_rayleigh_damping_has_its_textbook_ratios(geometric: str | None) -> None:
    """Of the free body: alpha/(2ω) + beta ω/2."""
    rod = FULL.modes(modes=10, rayleigh=(0.3, 2e-4), geometric=geometric)
    omega = 2 * np.pi * rod.frequencies
    assert rod.damping_ratios() == pytest.approx(0.15 / omega + 1e-4 * omega, rel=1e-9)


def test_invalid_damping_is_refused() -> None:
    for options, message in (
        ({"damping_matrix": np.eye(84)}, "damping_matrix damps the rigid motion along x"),
        ({"damping_matrix": np.triu(dashpots())}, "damping_matrix is not symmetric"),
        ({"damping_matrix": np.eye(3)}, r"damping_matrix has shape \(3, 3\)"),
        ({"rayleigh": (0.1, -1.0)}, r"rayleigh is \(0.1, -1.0\): damping is 0 or more"),
        ({"rayleigh": 0.1}, "rayleigh is 0.1: pass two numbers"),
    ):
        with pytest.raises(ModelError, match=message):
            FULL.modes(modes=0, **options)


def test_files_keep_the_shares_left_out(tmp_path: object) -> None:
    rod = truss().modes(modes=3)
    path = f"{tmp_path}/rod.npz"
    rod.save(path)
    assert mbs.Modes.load(path).left_out == rod.left_out
    assert not rod.keep(count=2).left_out, "unknown once modes are dropped"


@pytest.mark.slow
def test_a_free_boom_that_spins_moves_as_its_points() -> None:
    """Four bays at 8 rad/s, undeformed at the start: 2.6e-6 m at the tip with inertia loads, 1.4e-4 m without them."""
    boom, speed, times = bar_boom(bays=4), 8.0, np.linspace(0.0, 0.4, 41)
    full = boom.full()
    tip = full.frames["tip"]

    def rates(_: float, y: Array) -> Array:
        x, v = y.reshape(2, -1, 3)
        return np.concatenate([v, boom.forces(x) / boom.mass]).ravel()

    start = np.concatenate([boom.places, np.cross([0.0, 0.0, speed], boom.places)]).ravel()
    states = solve_ivp(rates, (0.0, 0.4), start, method="DOP853", rtol=1e-10, atol=1e-12, t_eval=times).y
    exact = states[: start.size // 2].T.reshape(len(times), -1, 3)[:, tip].mean(axis=1)
    errors = []
    for options in ({"modes": 10}, {"modes": 0, "loads": "inertia"}):
        rod = full.modes(geometric="bars", **options)
        m = mbs.Model("free", gravity=(0, 0, 0))
        body = m.body("boom", joint=mbs.Free(), elastic=rod, damping=0.0)
        m.start(body, u=(0.0, 0.0, 0.0, 0.0, 0.0, speed))
        m.output("tip", mbs.position("boom.tip"))
        m.output("energy", mbs.energy())
        result = mbs.simulate(m, 0.4, method="dopri5", rtol=1e-9, output_interval=0.01)
        path = np.stack([result[f"tip[{k}]"] for k in (1, 2, 3)], axis=1)
        energy = result["energy"]
        assert_close(energy, energy[0], 1e-7 * energy[0], "energy of the boom", times=result.time)
        errors.append(np.abs(path - path[0] - (exact - exact[0])).max())
    assert errors[0] < 2e-4 and errors[1] < 5e-6, errors
