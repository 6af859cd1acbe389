"""Compliant contacts at loose tolerances: no step jumps over a contact, and a note states the tolerances in use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.checks.tolerances import MOST_RTOL, SHARE, Depth, bounded
from mbs_fmu.run.step_control import StepControl
from support.cases import tiers

G = 9.81
SHAPES = {"box": (mbs.Box(0.2, 0.2, 0.1), 4, 0.05), "ball": (mbs.Sphere(0.1), 1, 0.1)}  #: points at rest, least height
METHODS = ("dopri5", "tsit5", "dop853", "rodas5p", "ros34pw2")


def falling(shape: str) -> mbs.Model:
    """Return a body whose mass, stiffness and dissipation are parameters, over a floor."""
    m = mbs.Model(shape)
    mass, inertia = m.parameter("mass", 1.0), m.parameter("inertia", 0.01)
    m.body(shape, joint=mbs.Free(), mass=mass, inertia=(inertia,) * 3)
    m.contact(
        "floor", "world", shape, shape_b=SHAPES[shape][0], stiffness=m.parameter("k", 2e4), friction=0.5,
        dissipation=m.parameter("d", 0.0),
    )  # fmt: skip
    m.output("energy", mbs.energy())
    m.start(shape, q=(0, 0, SHAPES[shape][2] + 0.01, 1, 0, 0, 0))
    return m


BODIES = {shape: falling(shape) for shape in SHAPES}


def random_fall(rng: np.random.Generator, shape: str) -> tuple[dict[str, Any], float, float]:
    """Return values and a start of a body in the air, its depth at rest (m), and the energy of its fall (J)."""
    _, points, least = SHAPES[shape]
    mass = 10 ** rng.uniform(-1, 1.5)
    k = mass * 10 ** rng.uniform(3, 6)
    turned = np.array([1.0, *0.3 * rng.normal(size=3)])
    heights = least + 0.08 * (shape == "box") + 10 ** rng.uniform(-3, 0)
    q = [0.0, 0.0, heights + 0.05, *(turned / np.linalg.norm(turned))]
    u = rng.normal(size=6) * (1, 1, 1, 2, 2, 2) * rng.choice([0, 1])
    start = {f"{shape}.{name}[{i + 1}]": float(x) for name, xs in (("q", q), ("u", u)) for i, x in enumerate(xs)}
    values = {"mass": mass, "inertia": 0.01 * mass, "k": k, "d": float(rng.choice([0.0, 0.3, 1.0]))}
    depth = mass * G / k / points
    fall = mass * G * (q[2] - least) + 0.5 * mass * float(np.sum(u[:3] ** 2)) + 0.005 * mass * float(np.sum(u[3:] ** 2))
    return {"start": start, "parameters": values}, depth, fall


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", tiers(range(40), usual=3))
def test_no_tolerance_throws_a_body(seed: int, shape: str) -> None:
    """The energy never exceeds that of the start, apart from errors of the tolerances that are in use.

    Where a step meets the floor its error estimate is of a low order, hence the root. Without the bounds these bodies
    gain up to 1e9 times the energy of their fall. Tolerances in use are the given ones unless a note says otherwise.
    """
    rng = np.random.default_rng(seed)
    how, depth, fall = random_fall(rng, shape)
    for _ in range(4):
        rtol, atol = 10 ** -rng.uniform(2, 8), 10 ** -rng.uniform(2, 8)
        result = mbs.simulate(BODIES[shape], 1.0, rtol=rtol, atol=atol, output_interval=2.5e-3, **how)
        loose = rtol > MOST_RTOL or atol > SHARE * depth
        notes = result.statistics["notes"]
        assert len(notes) == loose and all("contact 'floor' is" in note for note in notes)
        bound = 40.0 * min(rtol, MOST_RTOL) ** 0.5 + 15.0 * min(atol / depth, SHARE)
        energy = result["energy"]
        assert energy.max() - energy[0] < bound * fall, f"rtol={rtol:.2g}, atol={atol:.2g}, depth {depth:.2g} m"


@pytest.mark.parametrize("method", tiers(METHODS, usual=1))
def test_loose_tolerances_are_those_of_the_note(method: str) -> None:
    """The run has the bits of one with the tolerances in the note; that one, and tighter ones, have no note."""
    depth = G / 4 / 2e4
    how: dict[str, Any] = {"method": method, "output_interval": 0.05, "parameters": {"d": 1.0}}
    loose = mbs.simulate(BODIES["box"], 0.5, rtol=1e-2, atol=1e-2, **how)
    assert loose.statistics["notes"] == [
        f"rtol = 0.001 and atol = {0.1 * depth:.3g} are used instead of 0.01 and 0.01: at rest contact 'floor' is "
        f"{depth:.3g} m deep, so that steps would jump over it; to avoid this note, give at most rtol=0.001 and "
        "atol=1e-05"
    ]
    tight = mbs.simulate(BODIES["box"], 0.5, rtol=1e-3, atol=SHARE * depth, **how)
    assert np.array_equal(loose.data, tight.data) and tight.statistics["notes"] == []
    assert loose["box.q[3]"].max() < 0.0602 and loose["box.q[3]"][-1] < 0.052  # it falls from 0.06 m and settles
    assert mbs.simulate(BODIES["box"], 0.1, rtol=1e-3, atol=1e-6, **how).statistics["notes"] == []


@pytest.mark.quick
@pytest.mark.parametrize("depth", [1.0, 1.04, 1.96, 9.6, 9.99])
def test_the_advised_tolerances_are_within_the_bounds(depth: float) -> None:
    """Runs with the tolerances of the advice have no note: they are rounded down, and by less than a half."""
    depth *= 1e-4
    control = StepControl.of("dopri5", rtol=1e-2, atol=1e-2)
    _, note = bounded(control, [Depth("contact 'floor'", depth)])
    atol = float(note.rpartition("atol=")[2])
    assert 0.5 * SHARE * depth < atol <= SHARE * depth * (1 + 1e-12)
    assert bounded(StepControl.of("dopri5", rtol=MOST_RTOL, atol=atol), [Depth("floor", depth * (1 + 1e-12))])[1] == ""


@pytest.mark.usefixtures("in_plain_python")
class TestWhere:
    """Which runs have bounds."""

    def notes(self, m: mbs.Model, **how: Any) -> list[str]:
        notes = mbs.simulate(m, 2e-3, output_interval=1e-3, **how).statistics["notes"]
        assert isinstance(notes, list)
        return notes

    def test_the_shallowest_contact_counts(self) -> None:
        """A soft and a hard floor under two boxes: the note names the hard one."""
        m = mbs.Model("boxes")
        for name, stiffness, x in (("soft", 1e3, 0.0), ("hard", 1e5, 1.0)):
            m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
            m.contact(f"floor_{name}", "world", name, shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=stiffness)
            m.start(name, q=(x, 0, 0.06, 1, 0, 0, 0))
        (note,) = self.notes(m, rtol=1e-4, atol=1e-4)
        assert f"contact 'floor_hard' is {G / 4e5:.3g} m deep" in note and "give at most rtol=0.001" in note

    def test_values_and_settings_may_change(self) -> None:
        """The note follows the mass and the stiffness; fixed steps and tight tolerances have none."""
        m = falling("box")
        for _ in range(2):
            for k in (2e4, 1e5):
                (note,) = self.notes(m, atol=1e-3, parameters={"k": k})
                assert f"is {G / 4 / k:.3g} m deep" in note
            m.set_parameter("mass", 3.0)
            assert f"is {3 * G / 4 / 2e4:.3g} m deep" in self.notes(m, atol=1e-3)[0]
            m.set_parameter("mass", 1.0)
            assert not self.notes(m, method="rk4", step=1e-4) and not self.notes(m)
            assert not self.notes(m, rtol=1e-4, atol=1e-5)

    def test_models_without_weight_on_contacts_have_no_bounds(self) -> None:
        still = mbs.Model("still", gravity=(0, 0, 0))
        still.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
        still.contact("floor", "world", "box", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=2e4)
        still.start("box", q=(0, 0, 0.06, 1, 0, 0, 0))
        free = mbs.Model("free")
        free.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
        for m in (still, free):
            assert self.notes(m, rtol=1e-2, atol=1e-2) == []

    def test_members_of_a_batch_have_the_note(self) -> None:
        """The bound is that of the shallowest member."""
        m = falling("box")
        result = mbs.simulate(m, 2e-3, output_interval=1e-3, atol=1e-3, batch=mbs.Batch(parameters={"k": [2e4, 1e5]}))
        assert [len(x) for x in result.statistics["notes"]] == [1, 1]
        assert all(f"is {G / 4e5:.3g} m deep" in note for (note,) in result.statistics["notes"])
        assert result[0].statistics["notes"] == result.statistics["notes"][0]
