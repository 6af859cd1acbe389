"""Assembly of the parallel robots of a folder such as that of example-parallel-robots, from zero.

    python -m benchmarks.parallel_robots FOLDER [--revolute]

FOLDER has a folder for each robot, with robot.urdf and robot.yaml (its loops, and joints that are to be balls or
universals). With --revolute all joints are those of the URDF. The table shows, for each robot, the gap at zero and
after the assembly (largest of m and rad), iterations of the last start, the starts that were tried, and the largest
change of a coordinate.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.analysis.mechanism import Mechanism
from mbs_fmu.importing.urdf_loops import loops_of
from mbs_fmu.record.blocks import LoopNumbers

HEAD = ("robot", "loops", "coordinates", "freedoms", "gap at zero", "gap", "iterations", "starts", "change", "time (s)")


def robot(folder: Path, revolute: bool) -> mbs.Model:
    """The model of a robot on a fixed base. `revolute`: without the joints that its .yaml replaces."""
    loops = folder / "robot.yaml"
    closures = loops_of(loops, {}).closures if revolute else loops
    options = {"unphysical": "mend", "massless": "weld", "base": mbs.Weld()}
    return mbs.from_urdf(folder / "robot.urdf", closures=closures, **options).model


def measured(model: mbs.Model) -> Iterator[object]:
    """Columns of the table from the number of loops on. Raises ModelError if the loops do not close."""
    begun = process_time()
    mechanism = Mechanism(model)
    R = mechanism.record({}, {}, {}, 0.0)
    numbers, before = R[mechanism.program.region("loop_state")], R[mechanism.q].copy()
    residuals = R[mechanism.program.region("residuals")]
    yield len(model.loops)
    yield mechanism.nv
    mechanism.call("prepare", R)
    mechanism.call("conditions", R)
    at_zero = np.abs(residuals).max()
    mechanism.begin(R)
    yield mechanism.nv - int(numbers[LoopNumbers.position_rank])
    yield f"{at_zero:.2g}"
    yield f"{np.abs(residuals).max():.1e}"
    yield int(numbers[LoopNumbers.iterations])
    yield int(numbers[LoopNumbers.starts_tried])
    yield f"{np.abs(R[mechanism.q] - before).max():.2f}"
    yield f"{process_time() - begun:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--revolute", action="store_true", help="leave all joints as the URDF has them")
    options = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    closed = 0
    files = sorted(x for x in options.folder.rglob("robot.yaml") if x.with_name("robot.urdf").exists())
    for file in files:
        name = str(file.parent.relative_to(options.folder))
        try:
            columns = list(measured(robot(file.parent, options.revolute)))
            closed += 1
        except mbs.ModelError as error:
            columns = [str(error)]
        print("| " + " | ".join(map(str, [name, *columns])) + " |", flush=True)
    print(f"\n{closed} of {len(files)} close.")


if __name__ == "__main__":
    main()
