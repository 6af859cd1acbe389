"""Robots that stand on their contacts, beside MuJoCo: loads and depths at rest.

python -m benchmarks.standing_robots FILE... reads MJCF files of robots with a free base and holds their hinges at the
first keyframe by springs and dampers; a file without a plane gets one. MuJoCo's robot settles from there, ours from
just above the position at which MuJoCo's has settled. Friction losses are left out in both: MuJoCo treats them as
constraints. With --body, a free body that rests on a robot, such as a block on a hand, is weighed in place of the
robot; --without leaves out other bodies. Needs `pip install mujoco`.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs

STEP = 1e-3  #: s, of both
SETTLED = 10.0  #: s
GRAVITY = 9.81


def held(mujoco: Any, path: Path, given: argparse.Namespace) -> tuple[Any, np.ndarray]:
    """Return the specification of a robot whose hinges are held at the first keyframe, and its start coordinates."""
    spec, stiffness, damping = mujoco.MjSpec.from_file(str(path)), given.stiffness, given.damping
    for body in given.without:
        spec.delete(spec.body(body))
    for folder in ("meshdir", "texturedir"):
        setattr(spec, folder, str(path.parent / (getattr(spec, folder) or ".")))
    m = spec.compile()
    start = np.array(m.key_qpos[0] if m.nkey else m.qpos0)
    gains = np.minimum(damping, 0.5 / (STEP * m.dof_invweight0))  # explicit steps stay stable
    for joint in spec.joints:
        k = m.joint(joint.name).id if joint.name else next(j for j in range(m.njnt) if m.jnt_type[j] == 0)
        joint.armature, joint.frictionloss = (
            (0.0, 0.0) if m.jnt_type[k] == 0 else (m.dof_armature[m.jnt_dofadr[k]], 0.0)
        )
        if m.jnt_type[k] >= 2:
            gain = gains[m.jnt_dofadr[k]]
            joint.damping = polynomial(gain, joint.damping)
            joint.stiffness = polynomial(stiffness * gain / damping, joint.stiffness)
            joint.springref = start[m.jnt_qposadr[k]]
    if not any(geom.type == mujoco.mjtGeom.mjGEOM_PLANE for geom in spec.geoms):
        spec.worldbody.add_geom(name="plane", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    spec.option.timestep = STEP
    return spec, start


def polynomial(value: float, like: Any) -> Any:
    """Return the value as what MuJoCo 4 takes, coefficients, or as older versions take it."""
    return value if np.ndim(like) == 0 else [value, *(0.0 for _ in like[1:])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--stiffness", type=float, default=400.0, help="of the hinges, N.m/rad (%(default)s)")
    parser.add_argument("--damping", type=float, default=10.0, help="of the hinges, N.m.s/rad (%(default)s)")
    parser.add_argument("--body", help="free body that rests on the robot")
    parser.add_argument("--without", nargs="*", default=[], help="bodies to leave out")
    given = parser.parse_args()
    head = ("robot", "weight, N", "load/weight - 1", "MuJoCo", "depth, mm", "MuJoCo", "ratio")
    print("{:16} {:>10} {:>16} {:>9} {:>10} {:>8} {:>7}".format(*head))
    for path in given.files:
        row(path, given)


def row(path: Path, given: argparse.Namespace) -> None:
    """Print what a robot's loads and depths are after it has settled."""
    import mujoco

    spec, start = held(mujoco, path, given)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "held.xml"  # both read this file, in which MuJoCo has rounded the masses
        file.write_text(spec.to_xml(), encoding="utf-8")
        m = mujoco.MjModel.from_xml_path(str(file))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = mbs.from_mjcf(file, contacts=mbs.FileContacts("all" if given.body else "ground"), inputs=False)
    d = mujoco.MjData(m)
    d.qpos[:] = start
    for _ in range(round(SETTLED / STEP)):
        mujoco.mj_step(m, d)
    carried = m.body(given.body).id if given.body else 0
    weight = float(m.body_subtreemass[carried] * GRAVITY)
    load, deepest = weighed(mujoco, m, d, carried)
    above = np.array(d.qpos)
    above[m.jnt_qposadr[m.body_jntadr[carried]] + 2 if carried else 2] += deepest  # ours starts just above this place
    ours_load, ours_deepest = settled(robot, above, m, given.body or "world")
    print(
        f"{path.stem:16} {weight:10.3f} {ours_load / weight - 1:16.1e} {load / weight - 1:9.1e} "
        f"{1e3 * ours_deepest:10.4f} {1e3 * deepest:8.4f} {ours_deepest / deepest:7.4f}",
        flush=True,
    )


def weighed(mujoco: Any, m: Any, d: Any, body: int) -> tuple[float, float]:
    """Return the load (N) and the largest depth (m) of MuJoCo's contacts of a body, 0 for the world."""
    load, force, deepest = 0.0, np.zeros(6), 0.0
    for k, contact in enumerate(d.contact):
        sides = [int(m.geom_bodyid[geom]) for geom in contact.geom]
        if body in sides:
            mujoco.mj_contactForce(m, d, k, force)
            along = float(np.array(contact.frame).reshape(3, 3)[:, 2] @ force[:3])
            load += along if sides[1] == body else -along
            deepest = max(deepest, contact.includemargin - contact.dist)
    return abs(load), deepest


def settled(robot: mbs.Imported, start: np.ndarray, m: Any, body: str) -> tuple[float, float]:
    """Return the load (N) and the largest depth (m) of the contacts of a body after the robot has settled."""
    model = robot.model
    by_body: dict[str, dict[int, float]] = {}
    for k in range(m.njnt):
        place = robot.joints[m.joint(k).name or next(n for n, j in robot.joints.items() if j.kind == "free")]
        at = m.jnt_qposadr[k]
        if m.jnt_type[k] == 0:
            model.start(place.body, q=list(start[at : at + 7]))
        else:
            by_body.setdefault(place.body, {})[place.coordinate] = float(start[at] - m.qpos0[at])
    for link, values in by_body.items():
        model.start(link, q=[values[k] for k in sorted(values)] if len(values) > 1 else values[1])
    names = [name for name, contact in robot.contacts.items() if body in contact.bodies]
    signs = [1.0 if robot.contacts[name].bodies[1] == body else -1.0 for name in names]
    forces = [sign * mbs.contact_force(name)[2] for name, sign in zip(names, signs, strict=True)]
    model.output("load", sum(forces[1:], start=forces[0]), unit="N")
    for k, name in enumerate(names):
        model.output(f"depth{k}", mbs.penetration(name), unit="m")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = mbs.simulate(model, SETTLED, method="rk4", step=STEP, output_interval=0.1)
    depths = [float(np.max(result[f"depth{k}"][-1])) for k in range(len(names))]
    return abs(float(result["load"][-1])), max(depths)


if __name__ == "__main__":
    main()
