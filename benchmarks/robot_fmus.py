"""Published robots as native FMUs, run by fmpy against `simulate`: `python -m benchmarks.robot_fmus`.

The robots are those of installed packages (pip install example-robot-data pybullet gymnasium mujoco).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import fmpy
import numpy as np

import mbs_fmu as mbs

#: File, below a folder of sys.path, and True for a floating root.
ROBOTS = (
    ("cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf", False),
    ("cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf", False),
    ("cmeel.prefix/share/example-robot-data/robots/so_arm_description/urdf/so101.urdf", False),
    ("cmeel.prefix/share/example-robot-data/robots/allegro_hand_description/urdf/allegro_left_hand.urdf", False),
    ("cmeel.prefix/share/example-robot-data/robots/anymal_b_simple_description/robots/anymal.urdf", True),
    ("cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf", True),
    ("cmeel.prefix/share/example-robot-data/robots/g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    ("pybullet_data/laikago/laikago.urdf", True),
    ("pybullet_data/kuka_iiwa/model.urdf", False),
    ("gymnasium/envs/mujoco/assets/ant.xml", False),
    ("gymnasium/envs/mujoco/assets/humanoid.xml", False),
)
STEP, STOP = 1e-3, 1.0  # s


def installed_files(robots: tuple[tuple[str, bool], ...] = ROBOTS) -> Iterator[tuple[Path, bool]]:
    """Files of installed robots."""
    for name, free in robots:
        path = next((Path(folder) / name for folder in sys.path if (Path(folder) / name).is_file()), None)
        if path is None:
            print(f"not installed: {name}", flush=True)
        else:
            yield path, free


def model(path: Path, free: bool) -> mbs.Model:
    """The robot without losses along its joints, at its initial coordinates."""
    if path.suffix == ".xml":
        return mbs.from_mjcf(path).model
    base = mbs.Free() if free else mbs.Weld()
    return mbs.from_urdf(path, base=base, efforts=True, dynamics=False, unphysical="keep", massless="weld").model


def row(path: Path, free: bool, folder: Path) -> str:
    """Row of the table: freedoms, time of export, size, steps per real time, largest difference."""
    m = model(path, free)
    names = [f"{name}.{suffix}" for name, body in m.bodies.items() for suffix, _ in body.coordinates]
    fmu = folder / f"{m.name}.fmu"
    begin = time.perf_counter()
    mbs.export(m, fmu, "native", method="rk4", step=STEP, platforms="host", stop_time=STOP)
    exported = time.perf_counter() - begin
    begin = time.perf_counter()
    run = fmpy.simulate_fmu(str(fmu), stop_time=STOP, step_size=STEP * 10, output_interval=STEP * 10, output=names)
    ran = time.perf_counter() - begin
    result = mbs.simulate(m, STOP, method="rk4", step=STEP, output_interval=STEP * 10)
    worst = max(float(np.max(np.abs(run[name] - result[name]))) for name in names)
    freedoms = sum(len(body.rates) for body in m.bodies.values())
    size = fmu.stat().st_size / 1e3
    return f"| {m.name} | {len(m.bodies)} | {freedoms} | {exported:.1f} | {size:.0f} | {ran:.2f} | {worst:.1e} |"


def main() -> None:
    """Print the table, row by row."""
    print("| robot | bodies | freedoms | export, s | FMU, kB | 1 s in fmpy, s | difference |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path, free in installed_files():
            print(row(path, free, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
