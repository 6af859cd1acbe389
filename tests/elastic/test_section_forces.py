"""Section forces of beams and stresses by modes: statics, and invariance under changes of the body's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import moved
from mbs_fmu.elastic.modes import Modes
from support.comparisons import assert_close

pytestmark = pytest.mark.quick

LENGTH, MID = 2.0, 0.7
NODES = {"root": 0.0, "mid": MID, "tip": LENGTH}
TAPER = mbs.Tube(lambda x: 0.1 - 0.02 * x, 0.004)
LOAD = np.array([300.0, 20.0, -30.0, 7.0, 5.0, -4.0])  #: force, N, and moment, N.m


def beam(section: Any = None, modes: int = 14, nodes: dict[str, float] | None = None, **more: Any) -> Modes:
    return mbs.beam(LENGTH, section or mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes, nodes or NODES, **more)


@pytest.mark.parametrize("options", [{}, {"shear": True}, {"section": TAPER}], ids=["slender", "shear", "taper"])
def test_section_forces_of_a_clamped_beam_are_in_equilibrium(options: dict[str, Any]) -> None:
    """The moment is F (L - x), the force F, for any section: to the stiffness' condition, 1e4, times rounding."""
    rod = beam(along="xyzt", **options)
    tip = rod.node("tip").seen_from(rod.node("root")).Y1
    xi = np.linalg.solve(rod.stiffness, tip.T @ LOAD)
    for name, x in NODES.items():
        expected = LOAD + np.concatenate([np.zeros(3), np.cross([LENGTH - x, 0, 0], LOAD[:3])])
        assert rod.section_forces[name] @ xi == pytest.approx(expected, abs=1e-8)


def test_section_forces_at_a_node_are_those_inboard_of_its_load() -> None:
    """Inboard of a loaded node in the middle they equal the load, and outboard of it (at the tip) they are zero."""
    rod = beam()
    mid = rod.node("mid").seen_from(rod.node("root")).Y1
    xi = np.linalg.solve(rod.stiffness, mid[2] * 5.0)
    assert rod.section_forces["mid"] @ xi == pytest.approx([0, 0, 5, 0, 0, 0], abs=1e-9)
    assert rod.section_forces["root"] @ xi == pytest.approx([0, 0, 5, 0, -5 * MID, 0], abs=1e-9)
    assert rod.section_forces["tip"] @ xi == pytest.approx(np.zeros(6), abs=1e-9)


def test_section_forces_at_the_root_are_rates_of_momentum() -> None:
    """In a vibration of the held beam, here in its first mode, forces at the root are the rates of all momentum.

    The accuracy is that of 20 shapes.
    """
    rod = beam(modes=20)
    seen = moved(rod.inertia, rod.node("root"))
    squares, V = np.linalg.eig(np.linalg.solve(seen.Me, rod.stiffness))
    first = int(np.argmin(squares.real))
    xi, square = V[:, first].real, squares[first].real
    momenta = np.concatenate([seen.S1, seen.C0]) @ xi
    computed = rod.section_forces["root"] @ xi
    expected = square * momenta[1:]  # N is zero, since the beam does not stretch
    assert computed[1:] == pytest.approx(expected, rel=5e-3, abs=1e-9 * np.abs(computed).max())


@pytest.mark.usual
def test_section_forces_converge_under_distributed_loads() -> None:
    """For the own weight of a clamped beam, moments converge with the square of the number of
    modes, forces linearly.
    """
    errors = []
    for modes in (10, 40):
        rod = beam(modes=modes, nodes={"root": 0.0, "tip": LENGTH})
        xi = np.linalg.solve(rod.stiffness, moved(rod.inertia, rod.node("root")).S1[2])
        computed = rod.section_forces["root"] @ xi
        errors.append([1 - computed[2] / rod.mass, 1 + computed[4] / (0.5 * rod.mass * LENGTH)])
    assert errors[0] == pytest.approx([0.0887, 0.00609], rel=1e-2)
    assert errors[1] == pytest.approx([0.0224, 0.000386], rel=1e-2)


def gauged(seed: int = 3) -> Modes:
    rod, rng = beam(modes=12), np.random.default_rng(seed)
    return Modes(rod.inertia, rod.stiffness, None, rod.nodes, {"gauge 1": rng.normal(size=(6, 12))}, rod.section_forces)


def test_section_forces_are_independent_of_coordinates_and_files(tmp_path: Path) -> None:
    """In other coordinates, frames and files they are the same functions of the deformation."""
    body = gauged()
    load = np.random.default_rng(4).normal(size=6)

    def by_load(modes: Modes) -> list[np.ndarray]:
        tip = modes.node("tip").seen_from(modes.node("root")).Y1
        xi = np.linalg.solve(modes.stiffness, tip.T @ load)
        return [form @ xi for form in (*modes.stress.values(), *modes.section_forces.values())]

    body.save(tmp_path / "body.npz")
    loaded = Modes.load(tmp_path / "body.npz")
    mixed = body.combined(np.random.default_rng(5).normal(size=(12, 12)))
    for other in (
        loaded,
        body.normal(),
        mixed,
        mixed.normal(),
        body.keep(count=12, held="root"),
        body.with_damping(0.1),
    ):
        assert list(other.stress) == ["gauge 1"] and list(other.section_forces) == list(NODES)
        for k, (a, b) in enumerate(zip(by_load(body), by_load(other), strict=True)):
            assert_close(a, b, 1e-6 * (np.abs(b) + np.abs(b).max()), f"form {k} of stresses and section forces")
    assert "stress at gauge 1" in str(body)
    assert body.keep(count=3).stress["gauge 1"].shape == (6, 3)


def test_older_files_have_no_section_forces(tmp_path: Path) -> None:
    path = tmp_path / "body.npz"
    beam().save(path)
    with np.load(path) as data:
        old = {name: data[name] for name in data.files if not name.startswith(("stress", "section"))}
    np.savez(path, **old)
    assert Modes.load(path).section_forces == {}


@pytest.mark.parametrize(
    ("stress", "message"),
    [
        (np.eye(6), r"the stress of an elastic body is .*: give matrices \(6, 12\) by name"),
        ({1: np.eye(6)}, "stress 1: give its name as a string"),
        ({"a": np.eye(6)}, r"stress 'a' has shape \(6, 6\), not \(6, 12\)"),
        ({"a": np.full((6, 12), np.nan)}, "stress 'a' has numbers that are not finite"),
    ],
)
def test_invalid_stress_matrices_are_refused(stress: Any, message: str) -> None:
    rod = beam(modes=12)
    with pytest.raises(mbs.ModelError, match=message):
        Modes(rod.inertia, rod.stiffness, None, rod.nodes, stress)


def test_measures_of_section_forces_follow_the_stiffness(in_plain_python: None) -> None:
    """Outputs and laws use the tuned stiffness; nodes are names or frames."""
    body, xi = gauged().normal(), 1e-3 * np.arange(1.0, 4.0)
    m = mbs.Model("boom", gravity=(0, 0, 0))
    factor = m.parameter("factor", 3.0)
    boom = m.body("boom", joint=mbs.Weld(), elastic=body, stiffness=factor)
    m.start(boom, xi=xi)
    m.output("stress", mbs.stress(boom, "gauge 1"), unit="Pa")
    m.output("mid", mbs.section_forces(boom, boom.node("mid")))
    m.output("root", mbs.section_forces(boom, boom))
    m.output("same", mbs.deformation(boom, boom.node("tip")).d - mbs.deformation(boom, "tip").d)
    m.force("pull", on=boom.node("tip"), force=(0, 0, 1e-9 * mbs.stress(boom, "gauge 1")[0]))
    m.event("high", mbs.section_forces(boom, "mid").moment[1] - 1e9)
    result = mbs.simulate(m, 1e-7, method="rk4", step=1e-7, output_interval=1e-7)
    assert result["stress"][0] == pytest.approx(3 * body.stress["gauge 1"][:, :3] @ xi, rel=1e-12)
    for name in ("mid", "root"):
        expected = 3 * body.section_forces[name][:, :3] @ xi
        computed = np.concatenate([result[f"{name}.force"][0], result[f"{name}.moment"][0]])
        assert computed == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max())
    assert not result["same"].any()
