"""A rigid triangle of two hinges and a slide across the line between them: a loop that is singular where it closes.

Its joints allow no finite motion, but an infinitesimal one, in which both hinges turn alike. The knees of a published
robot are such triangles, with a slide that is 4e-5 rad off.
"""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.run.simulate import compiled
from support.comparisons import assert_close

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("plain_by_default")]

WIDTH, DEPTH = 0.035, 0.13  #: m, between the hinges, and from there to the slide


def triangle(slope: float) -> Model:
    """The triangle under gravity. slope: angle between the slide and the normal of the line of hinges, rad."""
    m = Model("triangle", gravity=(0.3, -9.81, 0))
    for name, x in (("left", 0.0), ("right", WIDTH)):
        m.body(name, "world", mbs.Revolute("z"), 1.0, com=(0.1, -0.1, 0), inertia=(0.01, 0.01, 0.02), at=(x, 0, 0))
    places = {"at_a": (-0.5 * WIDTH, -DEPTH, 0), "at_b": (0.5 * WIDTH, -DEPTH, 0)}
    m.close("slide", "right", "left", mbs.Prismatic((slope, -1, 0)), **places)
    return m


def screws(slope: float) -> np.ndarray:
    """Velocity of the origin (in widths) and angular velocity of the three joints, in the plane, as columns."""
    return np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 1.0], [np.sin(slope), -np.cos(slope), 0.0]]).T


@pytest.mark.parametrize(("slope", "is_singular"), [(4e-5, True), (0.01, False), (0.5, False)])
def test_a_singular_start_is_noted(slope: float, is_singular: bool) -> None:
    """The note names the loop where the screws of its joints are dependent, by their singular values, up to 1e-4."""
    least = np.linalg.svd(screws(slope), compute_uv=False)[-1]
    assert (least < 1e-4) == is_singular
    run = mbs.simulate(triangle(slope), 1e-4, method="rk4", step=1e-4)
    found = [note for note in run.statistics["notes"] if "singular position" in note]
    assert [note.split("'")[1] for note in found] == ["slide"] * is_singular


def test_a_step_that_fails_in_a_singular_position_names_the_loop() -> None:
    """The row of the slide is omitted, and the triangle is turned by 0.01 rad: no step succeeds from there."""
    runtime = compiled(triangle(0.0), method="dopri5")
    program, kernels = runtime.program, runtime.kernels
    R = program.new_record()
    runtime.initialize(R, 1e-8, 1e-10)
    assert kernels.entry("singular_loop")(R, 1e-8) == -1  # the row follows from the others up to rounding
    R[program.region("q")] += 0.01
    status = kernels.entry("fail_from")(R, runtime.no_tables, 0, 1e-16, 1e-16, Status.step_too_small)
    assert status == Status.singular_position and R[HeadNumbers.fault] == 0
    assert "loop 'slide' is in a singular position" in runtime.fault(R, status)
    regular = compiled(triangle(0.5), method="dopri5")
    R = regular.program.new_record()
    regular.initialize(R, 1e-8, 1e-10)
    status = regular.kernels.entry("fail_from")(R, regular.no_tables, 0, 1e-16, 1e-16, Status.step_too_small)
    assert status == Status.step_too_small


def test_a_regular_triangle_stays_at_rest() -> None:
    """It carries its weight as a structure."""
    run = mbs.simulate(triangle(0.5), 0.1, method="rk4", step=1e-3)
    assert run.statistics["freedoms"] == 0
    for name in ("left.phi", "right.phi"):
        assert_close(run[name], 0.0, 1e-12, name)
