"""Trees of published SDF files: mass matrices and bias forces beside Drake's numbers, which are stored.

`oracles/drake_trees.py` wrote them. A file is known by its content, whichever package brings it.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.generators.sdf_documents import State
from support.oracles.robot_peers import FOLDERS, OWN, installed

pytestmark = pytest.mark.slow

STORED = json.loads((OWN / "drake_trees.json").read_text())
PLACES = (*FOLDERS, "gym_ignition_models")
PACKAGES = "drake, pybullet or gym-ignition-models, or the file lies in Drake's repository only"


@cache
def files() -> dict[str, Path]:
    """Installed SDF files by the hash of their content."""
    return {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in installed(".sdf", PLACES)}


def body_of(robot: mbs.Imported, joint: str) -> str:
    """Body that a joint moves; the joint may be in a nested model, whose name Drake leaves out."""
    names = list(robot.joints)
    (name,) = [joint] if joint in names else [x for x in names if x.endswith(f"::{joint}")]
    return robot.joints[name].body


def beside(tree: dict[str, Any], path: Path) -> tuple[float, float]:
    """Relative errors in norms: of M, and of M a + h with the package's accelerations a and Drake's M and h.

    The size of h is taken as at least 1e-4 of M times the velocities, since h may vanish.
    """
    robot = mbs.from_sdf(path, base=mbs.Weld(), dynamics=False, unphysical="keep", massless="weld")
    robot.model.forces.clear()
    robot.model.inputs.clear()
    q, u = ([np.array([x]) for x in tree[name]] for name in ("q", "u"))
    state = State(robot.model, [body_of(robot, joint) for joint in tree["joints"]], q, u)
    M, h = np.array(tree["M"]), np.array(tree["h"])
    size = max(float(np.linalg.norm(h)), 1e-4 * float(np.linalg.norm(M)) * float(np.dot(tree["u"], tree["u"])))
    return float(np.linalg.norm(state.M - M) / np.linalg.norm(M)), float(np.linalg.norm(M @ state.a + h)) / size


@pytest.mark.parametrize("name", STORED["trees"])
def test_mass_matrix_and_bias_are_those_of_drake(name: str) -> None:
    tree = STORED["trees"][name]
    path = files().get(tree["sha256"])
    if path is None:
        pytest.skip(f"{name} is not installed: it comes with {PACKAGES}")
    M, bias = beside(tree, path)
    assert M < 1e-12 and bias < 1e-11
