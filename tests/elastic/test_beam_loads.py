"""Shapes of beams by loads, against closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import moved
from mbs_fmu.infrastructure.errors import ModelError
from support.cases import some_quick
from support.comparisons import assert_close

pytestmark = pytest.mark.quick

Array = np.ndarray
LENGTH, DENSITY, E = 2.0, 7800.0, 2.1e11
NODES = {"root": 0.0, "middle": 0.7, "tip": LENGTH}
CUT = mbs.Rectangle(0.04, 0.03)
PLAIN = CUT.at(0.0)


def rod(modes: int = 10, nodes: dict[str, float] = NODES, **options: Any) -> mbs.Modes:
    """Return a rod of steel with two nodes beside its root."""
    return mbs.beam(LENGTH, options.pop("section", CUT), E, DENSITY, modes=modes, nodes=nodes, **options)


def held_forces(body: mbs.Modes, force: Array, node: str) -> Array:
    """Return the section forces of a body that is held at its root, by generalized forces there."""
    return np.asarray(body.section_forces[node] @ np.linalg.solve(body.stiffness, force))


def integral(f: Callable[[Array], Array], a: float) -> float:
    """Integral from a to the tip."""
    points, weights = leggauss(12)
    half = 0.5 * (LENGTH - a)
    return float(half * weights @ f(a + half * (points + 1.0)))


FORCES = ("shear, weight", "moment, weight", "shear, angular acceleration", "moment, angular acceleration")


@pytest.mark.parametrize("tapered", some_quick([False, True], 1))
@pytest.mark.parametrize("node", NODES)
def test_inertia_loads_make_section_forces_exact(tapered: bool, node: str) -> None:
    """Under weight along y, and under an angular acceleration about z with the rotary inertia of the sections."""
    area: Callable[[Any], Any] = (lambda x: 1e-3 * (1 - 0.3 * x)) if tapered else (lambda x: PLAIN.A + 0.0 * x)
    second: Callable[[Any], Any] = (lambda x: 2e-7 * (1 - 0.2 * x)) if tapered else (lambda x: PLAIN.Iz + 0.0 * x)
    section = mbs.Section(A=area, Iy=second, Iz=second, It=1e-7) if tapered else CUT
    x, errors = NODES[node], []
    for options in ({}, {"loads": "inertia"}):
        body = rod(section=section, **options)
        seen = moved(body.inertia, body.node("root"))
        weight, turned = (held_forces(body, force, node) for force in (seen.S1[1], seen.C0[2]))
        exact = [
            integral(lambda s: DENSITY * area(s), x),
            integral(lambda s: DENSITY * area(s) * (s - x), x),
            integral(lambda s: DENSITY * area(s) * s, x),
            integral(lambda s: DENSITY * area(s) * s * (s - x) + DENSITY * second(s), x),
        ]
        given = np.array([weight[1], weight[5], turned[1], turned[5]])
        errors.append(np.abs(given - exact) / (DENSITY * PLAIN.A * LENGTH))
    assert errors[0].max() > 0.01
    assert_close(errors[1][:2], 0.0, 1e-8, f"error of section forces at {node}", FORCES)
    # a shape of less than 1e-6 of the strain energy is left out
    assert_close(errors[1], 0.0, 1e-3, f"error of section forces at {node}", FORCES)


def test_section_forces_at_a_root_within_the_beam_are_exact() -> None:
    """The part before a section rests on what lies behind it: Q = -q x, M = q x²/2."""
    body = rod(15, {"root": 1.2, "left": 0.5, "end": LENGTH}, loads="inertia")
    force = moved(body.inertia, body.node("root")).S1[1]
    q = DENSITY * PLAIN.A
    assert held_forces(body, force, "left")[[1, 5]] == pytest.approx([-q * 0.5, 0.5 * q * 0.25], rel=1e-6)
    assert held_forces(body, force, "end")[[1, 5]] == pytest.approx([0.0, 0.0], abs=1e-6 * q)


def test_shares_left_out_are_those_of_the_strain_energy() -> None:
    """q²L⁵/40EI by weight across; exactly none with the shapes, and none of loads that don't strain the beam."""
    plain, full = rod(), rod(loads="inertia")
    q = DENSITY * PLAIN.A
    force = moved(plain.inertia, plain.node("root")).S1[2]
    energy = q**2 * LENGTH**5 / (20 * E * PLAIN.Iy)
    share = 1.0 - force @ np.linalg.solve(plain.stiffness, force) / energy
    assert share > 1e-6 and plain.left_out["az"] == pytest.approx(share, rel=1e-4)
    assert plain.left_out["ax"] == 0.0 and max(full.left_out.values()) < 1e-6
    assert "that the modes omit: below 1 %" in str(full)
    assert full.count > plain.count


@pytest.mark.parametrize("power", [0, 1])
def test_a_load_by_name_has_its_exact_static_answer(power: int) -> None:
    """A uniform or triangular force per length: work, line of action, section forces."""
    direction = np.array([0.0, 0.6, -0.8])
    body = rod(loads={"wind": lambda x: 50.0 * x**power * direction})
    node, size = body.node("wind"), 50.0 * LENGTH ** (power + 1) / (power + 1)
    np.testing.assert_allclose(node.axes[:, 0], direction, atol=1e-14)
    np.testing.assert_allclose(node.position, [LENGTH * (power + 1) / (power + 2), 0, 0], atol=1e-13)
    # ∫ q w dx of a cantilever under q = q0 x^p, with w'' = M/EI
    bending = (lambda x: 0.5 * 50.0 * (LENGTH - x) ** 2) if power == 0 else (
        lambda x: 50.0 * (LENGTH**3 / 3 - x * LENGTH**2 / 2 + x**3 / 6))  # fmt: skip
    energy = integral(lambda x: bending(x) ** 2, 0.0) / E
    give = body.compliance("wind", "root")[:3, :3]
    exact = energy * (direction[1] ** 2 / PLAIN.Iz + direction[2] ** 2 / PLAIN.Iy) / size**2
    assert direction @ give @ direction == pytest.approx(exact, rel=1e-6)  # elements leave out 1/(36 · 20⁴)
    force = size * (direction @ node.seen_from(body.node("root")).Y1[:3])
    for name, x in NODES.items():
        found = held_forces(body, force, name)
        expected = [(size - 50.0 * x ** (power + 1) / (power + 1)) * direction[1], bending(x) * direction[1]]
        assert found[[1, 5]] == pytest.approx(expected, rel=1e-8, abs=1e-8 * size)


def test_a_heavy_column_buckles_at_greenhills_load() -> None:
    """q L = 7.8373 EI/L² (Greenhill 1881), by the node that stands for the weight; at its tip 2.4674 EI/L²."""
    body = rod(12, along="y", nodes={"root": 0.0, "tip": LENGTH}, loads={"weight": (-3.0, 0, 0)})
    for name, sign, factor in (("weight", 1.0, 7.8373), ("tip", -1.0, 2.4674)):
        node = body.node(name).seen_from(body.node("root"))
        pull = np.tensordot(sign * node.axes[:, 0], node.Y2[:3], 1)
        values = np.linalg.eigvals(np.linalg.solve(body.stiffness, pull)).real
        assert 1.0 / values.max() == pytest.approx(factor * E * PLAIN.Iz / LENGTH**2, rel=1e-3)


def test_a_model_carries_a_load_on_its_node() -> None:
    """A uniform load q of 20 N/m: q L⁴/8EI at the tip, q L²/2 at the root."""
    body = rod(along="z", loads={"snow": (0, 0, -1.0)}, modes=4)
    m = mbs.Model("roof", gravity=(0, 0, 0))
    beam = m.body("beam", joint=mbs.Weld(), elastic=body)
    m.force("snow", on=beam.node("snow"), force=(0, 0, -20.0 * LENGTH))
    m.output("tip", mbs.position(beam.node("tip"))[2])
    m.output("moment", mbs.section_forces(beam, "root").moment[1])
    m.start(beam, xi="static")
    result = mbs.simulate(m, 1e-4)
    assert result["tip"][0] == pytest.approx(-20.0 * LENGTH**4 / (8 * E * PLAIN.Iy), rel=1e-4)
    assert result["moment"][0] == pytest.approx(0.5 * 20.0 * LENGTH**2, rel=1e-4)


def test_invalid_loads_are_refused() -> None:
    for loads, message in (
        ("weight", "loads is 'weight': pass 'inertia', or forces per length"),
        ({"tip": (0, 1, 0)}, "load 'tip' has the name of a node"),
        ({"wind": (0, 1)}, r"load 'wind' is \(0, 1\) at x = 0\.\d+ m: pass three finite numbers"),
        ({"wind": lambda x: (0, np.inf, 0)}, r"load 'wind' is \(0, inf, 0\) at x = "),
        ({"wind": lambda x: "strong"}, "load 'wind' is 'strong' at x = "),
        ({"wind": lambda x: (0, 1, x)}, "load 'wind' has forces in several directions"),
        ({"wind": lambda x: (0, x - 1.0, 0)}, "load 'wind' has no resultant"),
    ):
        with pytest.raises(ModelError, match=message):
            rod(loads=loads)
