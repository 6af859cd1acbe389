"""Linear models about motions whose velocities are constant: `frozen` tells whether the matrices are constant too."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("in_plain_python")

WRONG = "valid at this instant only: "


def rotor(number: int) -> tuple[Model, dict[str, float]]:
    """A random rotor that spins about a principal axis through its centre of mass, and its start.

    Bearings and inertia are symmetric or not; the spin is the first, second or last rotation; a weight may slide on the
    rotor; the rotor moves along its axis, where its bearings may be stiffer here and there.
    """
    rng = np.random.default_rng(number)
    m = Model("rotor", gravity=(0, 0, 0))
    order = list(permutations("xyz"))[number % 6]
    spin = int(rng.integers(3))
    moments = np.full(3, rng.uniform(0.02, 0.03))
    moments["xyz".index(order[spin])] = rng.uniform(0.01, 0.04)
    if rng.random() < 0.5:
        moments["xyz".index(order[spin - 1])] *= 1.2
    along = "xyz"["xyz".index(order[spin])]
    track = m.body("track", joint=mbs.Prismatic(along), mass=1.0, inertia=(0.1, 0.1, 0.1))
    body = m.body("rotor", track, mbs.Compound(*map(mbs.turn, order)), mass=1.0, inertia=tuple(moments))
    stiffness = rng.uniform(50.0, 200.0)
    for k in {0, 1, 2} - {spin}:
        m.spring(f"k{k}", on=body, coordinate=k + 1, stiffness=stiffness, damping=rng.choice([0.0, 0.1]))
        stiffness *= rng.choice([1.0, 1.3])
    if rng.random() < 0.3:
        way = mbs.coordinate(track)
        m.spring("wave", on=body, coordinate=(spin + 1) % 3 + 1, stiffness=5.0 * (1.0 + 0.5 * mbs.cos(way)))
    if rng.random() < 0.3:
        m.body("weight", body, mbs.Prismatic(along), mass=0.1, at=(0, 0, 0))
        m.spring("hold", on="weight", stiffness=10.0)
    start = {"track.v": float(rng.choice([0.0, 2.0]))}
    return m, start | {f"rotor.u[{spin + 1}]": float(rng.uniform(5.0, 60.0))}


@pytest.mark.parametrize("number", tiers(range(200), usual=4, quick=2))
def test_frozen_names_motions_that_change_the_matrices(number: int) -> None:
    """Linear models at later times of the motion equal the first one if and only if `frozen` names a motion."""
    m, start = rotor(number)
    lin = mbs.linearize(m, start=start)
    assert lin.residual < 1e-10
    moving = {name.replace(".v", ".s").replace(".u[", ".q["): rate for name, rate in start.items()}
    later = [
        mbs.linearize(m, start=start | {name: rate * time for name, rate in moving.items()})
        for time in np.random.default_rng(number).uniform(0.01, 0.5, 3)
    ]
    change = max(float(np.max(np.abs(x.A - lin.A))) for x in later)
    notes = [note for note in lin.frozen if WRONG in note]
    # rounding of entries, some 1e-12 of the largest; real changes are above 1e-4
    assert len(notes) == (change > 1e-8 * np.max(np.abs(lin.A))), (change, notes)


@pytest.mark.usual
@pytest.mark.quick
def test_an_elastic_shaft_is_steady_with_the_spin_first_only() -> None:
    """With the spin last, A has an eigenvalue of +313 1/s though the shaft is stable, and `frozen` says so."""

    def shaft(*turns: str) -> Model:
        m = Model("shaft", gravity=(0, 0, 0))
        m.body("r", joint=mbs.Compound(*map(mbs.turn, turns)), mass=1.0, inertia=(0.012, 0.028, 0.03))
        for k in [turns.index(axis) + 1 for axis in "xy"]:
            m.spring(f"k{k}", on="r", coordinate=k, stiffness=100.0)
        return m

    last = mbs.trim(shaft("x", "y", "z"), start={"r.u[3]": 60.0})
    assert last.residual == 0.0 and last.frozen == ["the motion changes A, valid at this instant only: r.q[3]"]
    first = mbs.trim(shaft("z", "x", "y"), start={"r.u[1]": 60.0})
    assert first.residual == 0.0 and first.frozen == []


@pytest.mark.quick
def test_drives_that_turn_change_matrices_with_time() -> None:
    """The weight of a rocker on a driven shaft acts in space; with a vertical shaft it does not."""
    for axis, expected in (("z", []), ("x", ["the motion changes A, valid at this instant only: time"])):
        m = Model("rocker")
        shaft = m.body("shaft", joint=mbs.Revolute(axis), mass=1.0, inertia=(1, 1, 1))
        m.drive("motor", on=shaft, position=5.0 * mbs.time)
        m.body("rocker", shaft, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
        assert mbs.linearize(m).frozen == expected


@pytest.mark.quick
def test_outputs_of_moving_points_change_c() -> None:
    """A point of a free wheel moves in space: C depends on its angle, A does not. Opposite turns change nothing."""
    m = Model("wheel", gravity=(0, 0, 0))
    wheel = m.body("wheel", joint=mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    pan = m.body("pan", wheel, mbs.Revolute("z"), mass=1.0, inertia=(1, 1, 1))
    m.output("mark", mbs.position(pan, (1, 0, 0)))
    turning = mbs.linearize(m, start={"wheel.w": 1.0})
    assert turning.frozen == ["the motion changes C, valid at this instant only: wheel.phi"]
    assert mbs.linearize(m, start={"wheel.w": 1.0, "pan.w": -1.0}).frozen == []
