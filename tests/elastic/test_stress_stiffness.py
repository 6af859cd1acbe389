"""Stress stiffness of finite elements: spinning and buckling bodies against all points, beams and closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.sparse
from scipy.optimize import brentq

import mbs_fmu as mbs
from mbs_fmu.elastic.elements.bars import bars_of
from mbs_fmu.elastic.reduction.structures import structure_of
from mbs_fmu.infrastructure.errors import ModelError
from support.oracles.finite_elements import BarBoom, Full, bar_boom, line

pytestmark = pytest.mark.quick

Array = np.ndarray
BOOM = bar_boom()
FULL = BOOM.full()


def spinning(rod: mbs.Modes, speed: float, root: str = "root") -> Array:
    """Return the frequencies of a body whose root turns about z, Hz."""
    m = mbs.Model("spinning", gravity=(0, 0, 0))
    hub = m.body("hub", joint=mbs.Revolute("z"))
    m.drive("turn", on=hub, position=m.parameter("speed", speed) * mbs.time)
    rod_body = m.body("rod", hub, mbs.Weld(), elastic=rod, root=root, damping=0.0)
    m.start(rod_body, xi="static")
    values = mbs.linearize(m).modes().values
    return np.asarray(np.sort(values.imag[values.imag > 1e-6]) / (2 * np.pi))


def supported(boom: BarBoom, f: Array) -> Array:
    """Return displacements by forces in equilibrium, with six supports that have nothing to do with the frames."""
    fixed = [36, 37, 38, 39, 40, 49]
    free = np.setdiff1d(np.arange(len(f)), fixed)
    u = np.zeros(len(f))
    u[free] = np.linalg.solve(boom.tangent(boom.places)[np.ix_(free, free)], f[free])
    return u


def buckling(rod: mbs.Modes, row: int = 0) -> Array:
    """Return the unit loads of a force at the tip, held at the root, with which a stiffness vanishes, N."""
    Y2 = rod.node("tip").seen_from(rod.node("root")).Y2[row]
    values = np.linalg.eigvals(np.linalg.solve(rod.stiffness, Y2))
    real = values[np.abs(values.imag) < 1e-9 * np.abs(values).max()].real
    return np.asarray(np.sort(1.0 / real[np.abs(real) > 1e-9 * np.abs(real).max()]))


# -- bars --------------------------------------------------------------------------------------------------------
def test_bars_are_found_in_the_stiffness_matrix() -> None:
    bars = bars_of(structure_of(FULL.nodes, FULL.M, FULL.K, 3))
    assert sorted(zip(bars.first, bars.second)) == sorted(map(tuple, BOOM.bars))
    order = np.lexsort((bars.second, bars.first))
    expected = np.lexsort((BOOM.bars[:, 1], BOOM.bars[:, 0]))
    np.testing.assert_allclose(bars.stiffness[order], BOOM.stiffness[expected], rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("root", ["root", "tip"])
def test_a_spinning_boom_has_the_frequencies_of_its_points(root: str) -> None:
    """Held at either end: second-order displacements and shapes must belong to one frame.

    At 20 rad/s its strain is 1.3 %, of which (H2) keeps the first power: within 3e-3 of all points and bars.
    """
    ends = {root: FULL.frames[root], **FULL.frames}
    rod = FULL._replace(frames=ends).modes(modes=10, geometric="bars")
    for speed in (0.0, 10.0, 20.0):
        exact = BOOM.spinning(speed, FULL.frames[root])[:4]
        np.testing.assert_allclose(spinning(rod, speed, root)[:4], exact, rtol=3e-3, err_msg=f"{speed} rad/s, {root}")


@pytest.mark.slow
def test_a_spinning_boom_has_the_frequencies_of_the_reference() -> None:
    """Ten vibrations: 4.314, 5.373 and 23.41 Hz at 20 rad/s; without stress stiffness the first falls to 4.083."""
    rod, straight = FULL.modes(modes=10, geometric="bars"), FULL.modes(modes=10)
    np.testing.assert_allclose(spinning(rod, 20.0)[[0, 1, 3]], [4.314, 5.373, 23.41], rtol=1e-3)
    np.testing.assert_allclose(spinning(rod, 10.0)[:2], [4.2388, 4.531], rtol=1e-3)
    with pytest.warns(UserWarning, match="turns at up to 20 rad/s.*Pass geometric="):
        assert spinning(straight, 20.0)[0] == pytest.approx(4.083, rel=1e-3)


def test_all_sources_of_stress_stiffness_agree() -> None:
    """Bars, a function of displacements, and matrices by load case, of displacements with other supports."""
    cases = mbs.Modes.load_cases(FULL.nodes, FULL.M, FULL.K, FULL.frames)
    assert len(cases) == 18 and list(cases)[:7] == ["ax", "ay", "az", "ex", "ey", "ez", "wxwx"]
    matrices = {case: BOOM.stress_stiffness(supported(BOOM, f)) for case, f in cases.items()}
    rods = [FULL.modes(modes=4, geometric=source) for source in ("bars", BOOM.stress_stiffness, matrices)]
    for rod in rods:
        assert rod.foreshortening
        for name in ("J2", "C1"):
            one, other = getattr(rods[0].inertia, name), getattr(rod.inertia, name)
            np.testing.assert_allclose(other, one, rtol=0, atol=1e-8 * np.abs(one).max(), err_msg=name)
        Y2 = rods[0].node("tip").Y2
        np.testing.assert_allclose(rod.node("tip").Y2, Y2, rtol=0, atol=1e-8 * np.abs(Y2).max())


@pytest.mark.parametrize("seed", range(3))
def test_stress_stiffness_turns_the_forces_with_a_rotation(seed: int) -> None:
    """vᵀ K_g(u) Gθ = v · (θ × K u) for any v, since bars keep their forces when all turn together; random bars."""
    rng = np.random.default_rng([30, seed])
    boom = bar_boom(bays=2)
    boom = boom._replace(stiffness=boom.stiffness * rng.uniform(0.5, 2.0, len(boom.stiffness)))
    full = boom.full()
    check_rotation(rng, full, bars_of(structure_of(full.nodes, full.M, full.K, 3)))


def check_rotation(rng: np.random.Generator, full: Full, source: Any) -> None:
    structure = structure_of(full.nodes, full.M, full.K, 3)
    u, v, theta = rng.standard_normal(len(full.M)), rng.standard_normal(len(full.M)), rng.standard_normal(3)
    rigid = structure.rigid(np.zeros(3))
    shapes = np.stack([rigid[:, 3:] @ theta, v, rigid[:, 0]], axis=1)
    product = source.products({"one": u}, shapes)["one"]
    expected = v @ np.cross(theta, (structure.K @ u).reshape(-1, 3)).ravel()
    size = np.abs(structure.K @ u).sum() * np.abs(theta).max()
    assert product[0, 1] == pytest.approx(expected, abs=1e-9 * size)
    assert np.abs(product[2]).max() < 1e-9 * size, "a translation causes forces"


def reversed_dofs(u: Array) -> Array:
    return np.asarray(BOOM.stress_stiffness(u)[::-1, ::-1])


SUPPORTED = np.diag(np.r_[np.ones(12), np.zeros(72)])
WRONG: dict[str, Any] = {
    r"load case 'ax' does not belong to the load.* -1 times": lambda u: -BOOM.stress_stiffness(u),
    r"load case 'ax' does not belong to the load.* 1e\+03 times": lambda u: 1e3 * BOOM.stress_stiffness(u),
    "load case 'ax' does not belong to the load.*order of dofs": reversed_dofs,
    "resists a translation of the whole": lambda u: BOOM.stress_stiffness(u) + SUPPORTED,
    r"load case 'ax' has shape \(3, 3\): pass \(84, 84\)": lambda u: np.eye(3),
    "load case 'ax' is not symmetric": lambda u: np.triu(BOOM.stress_stiffness(u)),
    "load case 'ax' has numbers that are not finite": lambda u: np.nan * BOOM.stress_stiffness(u),
    "geometric is 'bar': pass 'bars', a function": "bar",
    "geometric lacks 'ax', 'ay'.*18 in all": {"az": np.eye(84)},
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_stress_stiffness_is_refused(message: str) -> None:
    """The message names the case, how far it is off, and where to look."""
    with pytest.raises(ModelError, match=message):
        FULL.modes(modes=2, geometric=WRONG[message])


def test_bars_are_refused_where_there_are_others() -> None:
    K = FULL.K.copy()
    K[:3, 3:6] -= np.diag([0.0, 1e3, 0.0])
    K[3:6, :3] -= np.diag([0.0, 1e3, 0.0])
    K[1, 1] += 1e3
    K[4, 4] += 1e3
    with pytest.raises(ModelError, match="K is not that of pin-jointed bars; between nodes 0 and 1"):
        bars_of(with_stiffness(K))
    with pytest.raises(ModelError, match="needs nodes of three dofs"):
        line(2).modes(modes=1, geometric="bars")


def with_stiffness(K: Array) -> Any:
    """Return the boom's structure with another stiffness, unchecked."""
    return replace(structure_of(FULL.nodes, FULL.M, FULL.K, 3), K=scipy.sparse.csc_array(K))


# -- solids ------------------------------------------------------------------------------------------------------
LENGTH, WIDTH, HEIGHT, E = 1.0, 0.04, 0.02, 7e10


def blade(sections: tuple[int, int, int] = (20, 1, 1), size: tuple[float, float] = (WIDTH, HEIGHT), **more: Any) -> Any:
    """Return a clamped solid of aluminium."""
    skfem = pytest.importorskip("skfem")
    lines = [np.linspace(0.0, LENGTH, sections[0] + 1)]
    lines += [np.linspace(-0.5 * d, 0.5 * d, k + 1) for d, k in zip(size, sections[1:], strict=True)]
    mesh = skfem.MeshTet.init_tensor(*lines)
    ends: dict[str, Any] = {"root": lambda x, y, z: x < 1e-6, "tip": lambda x, y, z: x > LENGTH - 1e-6}
    ends["tip"] = (ends["tip"], more.pop("place")) if "place" in more else ends["tip"]
    material = {"E": E, "nu": 0.3, "density": 2700.0}
    return mbs.Modes.solid((mesh.p.T, mesh.t.T), **material, frames=ends, **{"modes": 4, **more})


@pytest.mark.slow
def test_a_spinning_blade_has_the_frequencies_of_a_beam() -> None:
    """The first four, up to 400 rad/s, four times its first frequency at rest: within 1 %."""
    beam = mbs.beam(LENGTH, mbs.Rectangle(WIDTH, HEIGHT), E, 2700.0, modes=16)
    rod = blade()
    for speed in (0.0, 60.0, 200.0, 400.0):
        exact = spinning(beam, speed)[:4]
        np.testing.assert_allclose(spinning(rod, speed)[:4], exact, rtol=0.01, err_msg=f"{speed} rad/s")


def test_a_blade_buckles_at_eulers_load() -> None:
    euler = np.pi**2 / 4 * E * WIDTH * HEIGHT**3 / 12 / LENGTH**2
    assert euler == pytest.approx(4605.8, rel=1e-5)
    loads = buckling(blade())
    assert -loads[loads < 0].max() == pytest.approx(euler, rel=0.01)


@pytest.mark.parametrize("couple", ["average", "rigid"])
def test_a_blade_loaded_through_an_arm_buckles_earlier(couple: str) -> None:
    """A force 0.2 m behind the tip: k tan(k L) = 1/e. With rigid frames their nodes turn by second order (H5)."""
    k = brentq(lambda k: k * np.tan(k * LENGTH) - 1.0 / 0.2, 0.1, 1.5)
    exact = E * WIDTH * HEIGHT**3 / 12 * k**2
    loads = buckling(blade(couple=couple, place=(1.2, 0.0, 0.0)))
    assert -loads[loads < 0].max() == pytest.approx(exact, rel=0.01) and exact == pytest.approx(3222.2, rel=1e-4)


@pytest.mark.slow
def test_a_narrow_blade_buckles_sideways_at_prandtls_load() -> None:
    """4.0126 √(EI GJ)/L², with the blade's own compliances: 0.4 % with 12 vibrations."""
    rod = blade((24, 3, 1), (0.05, 0.006), modes=12)
    C = rod.compliance("tip", "root")
    EI, strong, GJ = LENGTH**3 / 3 / C[2, 2], LENGTH**3 / 3 / C[1, 1], LENGTH / C[3, 3]
    prandtl = 4.0126 * np.sqrt(EI * GJ / (1.0 - EI / strong)) / LENGTH**2
    loads = buckling(rod, row=1)
    assert loads[loads > 0].min() == pytest.approx(prandtl, rel=5e-3)


def test_stress_stiffness_of_a_solid_turns_its_forces() -> None:
    skfem = pytest.importorskip("skfem")
    from mbs_fmu.elastic import solid

    mesh = skfem.MeshTet.init_tensor(np.linspace(0, 0.3, 4), np.linspace(0, 0.1, 2), np.linspace(0, 0.08, 2))
    ends: dict[str, Callable[..., Any]] = {"root": lambda x, y, z: x < 1e-6}
    made = solid.assembled((mesh.p.T, mesh.t.T), (E, 0.3, 2700.0), ends)
    check_rotation(
        np.random.default_rng(7), Full(made.nodes, made.M.toarray(), made.K.toarray(), 3, {}), made.stiffening
    )


def test_solids_soften_without_stress_stiffness() -> None:
    """`geometric=False` leaves it out, as the body says."""
    rod = blade(geometric=False)
    assert not rod.foreshortening and blade().foreshortening
    assert "no geometric stiffness: with root held, the deflection is 1 % too large at a speed of 10 rad/s" in str(rod)
