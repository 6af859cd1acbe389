"""Mass matrices and bias forces of robots in SDFormat, by Drake: writes the numbers that tests compare.

    python oracles/drake_trees.py OUT.json FILE_OR_FOLDER ...

needs pydrake (Apache-2.0 or BSD; pip install drake) and nothing of this package. Each file is read by Drake's parser
without its shapes, its base welded where the file puts it, and evaluated in one random state by `MultibodyPlant`:
`CalcMassMatrixViaInverseDynamics` (M), `CalcBiasTerm` less `CalcGravityGeneralizedForces` (h in M a + h = forces).
Gravity is that of the file's world, which Drake's parser leaves out, or SDFormat's default of 9.8 m/s².
Files with loops, joints other than hinges and slides, or nothing that moves are left out, with the reason on screen.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import zlib
from importlib.metadata import version
from pathlib import Path

import numpy as np

SHAPES = re.compile(r"<(visual|collision|sensor|plugin)\b[^>]*?(/>|>.*?</\1>)", re.DOTALL)
GRAVITY = re.compile(r"<gravity>\s*(\S+)\s+(\S+)\s+(\S+)\s*</gravity>")
STANDARD = (0.0, 0.0, -9.8)  #: m/s², the default of SDFormat's element gravity
#: For each kind of joint: how its coordinate and its rate are set.
SETTERS = {
    "revolute": ("set_angle", "set_angular_rate"),
    "prismatic": ("set_translation", "set_translation_rate"),
}


def plant_of(text: str) -> tuple[object, object]:
    """A finalized plant with the model of a file, whose free bases are welded in their default poses; its instance."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    found = GRAVITY.search(text)
    gravity = STANDARD if found is None else [float(x) for x in found.groups()]

    def parsed() -> tuple[MultibodyPlant, object]:
        plant = MultibodyPlant(0.0)
        plant.mutable_gravity_field().set_gravity_vector(gravity)
        (instance,) = Parser(plant).AddModelsFromString(text, "sdf")
        return plant, instance

    first, instance = parsed()
    first.Finalize()
    bases = [b for b in first.GetFloatingBaseBodies() if first.get_body(b).model_instance() == instance]
    plant, instance = parsed()
    for base in bases:
        pose = first.GetDefaultFloatingBaseBodyPose(first.get_body(base))
        plant.WeldFrames(plant.world_frame(), plant.get_body(base).body_frame(), pose)
    plant.Finalize()
    return plant, instance


def numbers(path: Path) -> dict[str, object]:
    """State, M and h of a file. Raises ValueError for a model that is no tree of hinges and slides."""
    data = path.read_bytes()
    plant, instance = plant_of(SHAPES.sub("", data.decode("utf-8", "replace").lstrip()))
    joints = [plant.get_joint(k) for k in plant.GetJointIndices(instance)]
    moving = [joint for joint in joints if joint.num_velocities()]
    if not moving:
        raise ValueError("nothing moves")
    if any(joint.type_name() not in SETTERS for joint in moving):
        raise ValueError("joints of type " + ", ".join(sorted({joint.type_name() for joint in moving})))
    if plant.num_constraints():
        raise ValueError("it has loops")
    rng = np.random.default_rng(zlib.crc32(path.name.encode()))
    q, u = 0.5 * rng.normal(size=len(moving)), rng.normal(size=len(moving))
    context = plant.CreateDefaultContext()
    for joint, x, v in zip(moving, q, u, strict=True):
        set_coordinate, set_rate = SETTERS[joint.type_name()]
        getattr(joint, set_coordinate)(context, x)
        getattr(joint, set_rate)(context, v)
    order = [joint.velocity_start() for joint in moving]
    M = plant.CalcMassMatrixViaInverseDynamics(context)[np.ix_(order, order)]
    h = (plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context))[order]
    return {
        "sha256": hashlib.sha256(data).hexdigest(), "joints": [joint.name() for joint in moving],
        "q": q.tolist(), "u": u.tolist(), "M": M.tolist(), "h": h.tolist(),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("paths", type=Path, nargs="+")
    options = parser.parse_args()
    files = [x for path in options.paths for x in (sorted(path.rglob("*.sdf")) if path.is_dir() else [path])]
    trees: dict[str, dict[str, object]] = {}
    for path in files:
        try:
            found = numbers(path)
        except (ValueError, RuntimeError) as error:
            print(f"{path}: {str(error).splitlines()[0][:100]}", file=sys.stderr)
            continue
        if found["sha256"] not in [tree["sha256"] for tree in trees.values()]:
            trees[path.name if path.name not in trees else f"{path.parent.name}/{path.name}"] = found
    source = {"source": f"MultibodyPlant of Drake {version('drake')}, oracles/drake_trees.py", "trees": trees}
    options.out.write_text(json.dumps(source, indent=None, separators=(",", ":")) + "\n")
    print(f"{len(trees)} trees of {len(files)} files")


if __name__ == "__main__":
    main()
