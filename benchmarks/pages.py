"""Pages of motions: time to write, size, and frames per second: `python -m benchmarks.pages`.

A frame includes placing all bodies, marking the plots and drawing the scene to its last pixel. The browser is chromium
without a graphics processor. Robots are those of installed packages, as in `benchmarks.robot_fmus`; without
example-robot-data only the project's models are measured. Needs the extra `view`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import mbs_fmu as mbs
from benchmarks.robot_fmus import ROBOTS, found, model
from mbs_fmu.pages.showing import at_start
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.results.results import Result
from mbs_fmu.view.page import Page
from models.universal_chain import universal_chain

SHOWN = ("panda.urdf", "talos_reduced.urdf", "g1_29dof_rev_1_0.urdf")  #: of the robots
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--window-size=1200,800", "--no-first-run", "--disable-background-networking",
)  # fmt: skip
TIMES = np.linspace(0.0, 5.0, 301)  #: s
SWING = 0.3  #: rad or m


def models() -> Iterator[mbs.Model]:
    yield bundled_model("governor", "governor")
    yield universal_chain(50)
    for path, free in found(tuple(robot for robot in ROBOTS if robot[0].endswith(SHOWN))):
        yield model(path, free)


def swinging(m: mbs.Model) -> Result:
    """A motion in which all joints of one coordinate swing about the start, without a run."""
    start = at_start(m)
    moved = {f"{b.name}.{b.coordinates[0][0]}" for b in m.bodies.values() if len(b.coordinates) == 1}
    swing = np.array([name in moved for name in start.columns])
    data = start.data + SWING * np.sin(2.0 * TIMES)[:, None] * swing
    data[:, 0] = TIMES
    return Result(m.name, start.columns, data, start.units, start.vectors, model=m)


def frames(page: Path, folder: Path) -> str:
    """Frames per second counted by the page: without shadows, if it is slow, and with them."""
    browser = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
    command = [browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", f"{page.as_uri()}#bench"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    counted = re.search(r"<title>([\d.]+) frames/s, ([\d.]+) with shadows</title>", done.stdout)
    return f"{counted[1]} | {counted[2]}" if counted else "? | ?"


def main() -> None:
    """Print the table, row by row."""
    print("| model | bodies | page, MB | written in, s | frames/s | with shadows |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for m in models():
            result = swinging(m)
            begin = time.perf_counter()
            page = result.animate()
            took = time.perf_counter() - begin
            assert isinstance(page, Page)
            rates = frames(page.write(folder / "page.html"), folder)
            print(f"| {m.name} | {len(m.bodies)} | {len(page.text) / 1e6:.2f} | {took:.2f} | {rates} |", flush=True)


if __name__ == "__main__":
    main()
