"""The five Cassies of example-robot-data: loops, degrees of freedom, energy, and accelerations by other equations."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import mbs_fmu as mbs
from support.oracles.robot_peers import installed

pytestmark = pytest.mark.slow

#: Closed joints, gearboxes, and degrees of freedom of a floating and a fixed pelvis.
CASSIES = {
    "cassie": (6, 10, 17), "cassie_reduced": (4, 0, 11), "cassie_simple": (4, 0, 11), "cassie_v2": (4, 0, 18),
    "cassie_wo_gearbox_spring": (4, 0, 13),
}  # fmt: skip


def file(name: str) -> Path:
    path = next((path for path in installed(".sdf") if path.stem == name), None)
    if path is None:
        pytest.skip("the Cassies are not installed (pip install example-robot-data)")
    return path


@pytest.mark.parametrize("name", CASSIES)
def test_loops_and_degrees_of_freedom(name: str) -> None:
    """Counted with a floating pelvis, unless the file holds it; loops are closed in the poses of the file."""
    closed, gearboxes, freedoms = CASSIES[name]
    robot = mbs.from_sdf(file(name), unphysical="keep")
    assert len(robot.model.loops) == closed + gearboxes
    robot.model.output("open", mbs.residual())
    run = mbs.simulate(robot.model, 0.01)
    assert run.statistics["freedoms"] == freedoms
    assert run["open"][0] < 1e-12


def same_accelerations_and_energy(robot: mbs.Imported) -> mbs.Result:
    """A run of one second; its energy, and the accelerations of all bodies beside those in absolute coordinates."""
    robot.model.output("energy", mbs.energy())
    for body in robot.bodies.values():
        robot.model.output(f"a_{body}", mbs.acceleration(body))
    run = mbs.simulate(robot.model, 1.0, rtol=1e-10, atol=1e-12)
    assert np.ptp(run["energy"]) < 1e-9  # J, of some 200 J
    other = mbs.simulate(robot.model, 1e-3, formulation="absolute")
    found, expected = (np.array([x[f"a_{body}"][0] for body in robot.bodies.values()]) for x in (run, other))
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
    return run


@pytest.mark.parametrize("name", [name for name in CASSIES if name != "cassie"])
def test_energy_and_accelerations(name: str) -> None:
    """Without losses for one second; accelerations are those of the model in absolute coordinates."""
    same_accelerations_and_energy(mbs.from_sdf(file(name), base=mbs.Weld(), dynamics=False))


# -- the knees of the first Cassie ---------------------------------------------------------------------------

KNEE = ("knee-spring-joint", "knee-shin-joint", "shin-spring-joint")  #: two hinges, and a slide across their line


def knee_screws(model: ElementTree.Element, side: str) -> np.ndarray:
    """Columns: velocity of the first hinge's point, over the distance of the hinges, and angular velocity, by joint.

    The axes of the hinges are given in model axes, that of the slide in the axes of its link.
    """
    frames = {}
    for link in model.findall("link"):
        numbers = [float(x) for x in link.findtext("pose").split()]
        frames[link.get("name")] = Rotation.from_euler("xyz", numbers[3:]).as_matrix(), np.array(numbers[:3])
    joints = {joint.get("name"): joint for joint in model.findall("joint")}
    points, axes = [], []
    for name in KNEE:
        joint = joints[f"{side}-{name}"]
        rotation, origin = frames[joint.findtext("child").strip()]
        pose = [float(x) for x in joint.findtext("pose", "0 0 0 0 0 0").split()]
        in_model = joint.findtext("axis/use_parent_model_frame", "0").strip() in ("1", "true")
        axis = np.array([float(x) for x in joint.findtext("axis/xyz").split()])
        points.append(origin + rotation @ pose[:3])
        axes.append((axis if in_model else rotation @ axis) / np.linalg.norm(axis))
    across = np.linalg.norm(points[1] - points[0])
    hinges = [np.r_[np.cross(p - points[0], a) / across, a] for p, a in zip(points[:2], axes[:2], strict=True)]
    return np.column_stack([*hinges, np.r_[axes[2], 0.0, 0.0, 0.0]])


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_knees_of_the_first_cassie_are_singular_where_they_close(side: str) -> None:
    """By singular values of the file's own screws: two hinges and a slide move alike to first order, nothing else does.

    The slide is normal to the line of the hinges to 5e-5, so that no finite motion keeps the triangle closed.
    """
    model = next(ElementTree.parse(file("cassie")).iter("model"))
    values = np.linalg.svd(knee_screws(model, side), compute_uv=False)
    assert values[1] > 0.9 and values[2] < 5e-4 * values[0]
    robot = mbs.from_sdf(file("cassie"), base=mbs.Weld(), dynamics=False, unphysical="keep")
    with pytest.raises(mbs.SimulationError, match=r"loop '\w+_shin_spring_joint' is in a singular position"):
        mbs.simulate(robot.model, 1.0, rtol=1e-10, atol=1e-12)
    notes = mbs.simulate(robot.model, 1e-3).statistics["notes"]
    assert any("shin_spring_joint' starts in a singular position" in note for note in notes)


def test_the_first_cassie_with_rigid_knees(tmp_path: Path) -> None:
    """The same file with the triangles as rigid bodies, which they are: energy and accelerations as of the others."""
    tree = ElementTree.parse(file("cassie"))
    model = next(tree.iter("model"))
    for joint in list(model.findall("joint")):
        if joint.get("name").endswith(KNEE[2]):
            model.remove(joint)
        elif joint.get("name").endswith(KNEE[:2]):
            joint.set("type", "fixed")
    tree.write(tmp_path / "cassie.sdf")
    robot = mbs.from_sdf(tmp_path / "cassie.sdf", base=mbs.Weld(), dynamics=False, unphysical="keep")
    assert same_accelerations_and_energy(robot).statistics["freedoms"] == 10
