"""Draw docs/models/NAME.png of all models, and docs/governor.png. From the top of the project:

python docs/draw_models.py [NAME ...]

The name `governor` stands for docs/governor.png. Needs chromium, which shows the pages that `Result.animate` and
`mbs-fmu live` write, without network. The robots need the extras `mjcf` and `robots`.
"""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import mbs_fmu as mbs

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
    "--no-first-run", "--disable-background-networking", "--virtual-time-budget=3000",
)  # fmt: skip
SIZE = (420, 300)  #: px of a picture
RK4 = {"method": "rk4", "step": 1e-3}  #: of runs with contacts
GOVERNOR = "governor"  #: name of the README's picture


@dataclass(frozen=True)
class Shot:
    """A run of a model, its instant (s) that is drawn, and what is said to `animate`."""

    time: float
    file: str = ""  #: of the model, if it is not the function's name
    folder: str = "models"  #: of the file
    arguments: tuple[Any, ...] = ()  #: of the function
    inputs: Mapping[str, Any] = field(default_factory=dict)
    stop: float | None = None  #: s
    asked: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)

    def model(self, name: str) -> mbs.Model:
        """The model of this name."""
        model: mbs.Model = runpy.run_path(str(ROOT / self.folder / f"{self.file or name}.py"))[name](*self.arguments)
        return model


SHOTS: dict[str, Shot] = {
    "double_pendulum": Shot(1.0, stop=2.0),
    "spherical_pendulum": Shot(3.0, asked={"traces": [("pendulum", (0, 0, -1))]}),
    "pendulum_on_cart": Shot(0.3, stop=3.0, inputs={"force": 0.0}),
    "gyroscope": Shot(3.0, asked={"traces": [("weight", (0, 0, 0))]}),
    "free_top": Shot(1.7, asked={"follow": "top"}),
    "universal_chain": Shot(1.0, stop=2.0),
    "spacecraft_with_panels": Shot(12.0, stop=20.0, asked={"follow": "bus"}),
    "planetary_gear": Shot(1.0, asked={"eye": (0.2, -1, 1)}),
    "planetary_gearbox": Shot(0.01, stop=0.02, asked={"eye": (0.1, -0.5, 1)}),
    "differential": Shot(1.0, asked={"eye": (0.4, -1, 0.6)}),
    "rack_steering": Shot(1.0, asked={"eye": (-1, -0.3, 0.5)}),
    "rolling_disc": Shot(2.0, stop=3.0, asked={"traces": [("disc", (0, 0, 0))]}),
    "car_on_blocks": Shot(3.5, "car", stop=4.0, asked={"follow": "chassis", "eye": (0.8, -0.9, 0.5)}, run=RK4),
    "car": Shot(1.1, stop=3.0, asked={"follow": "chassis", "eye": (0.8, -0.9, 0.5)}),
    "trotting_quadruped": Shot(3.33, "quadruped", asked={"follow": "trunk", "eye": (0.7, -1, 0.35)}, run=RK4),
    "trotting_on_bumps": Shot(4.95, "quadruped", stop=6.0, asked={"follow": "trunk", "eye": (0.7, -1, 0.3)}, run=RK4),
    "journal_rotor": Shot(0.085, stop=0.2, asked={"eye": (0.8, 0.5, 0.6)}),
    "cam_follower": Shot(0.05, stop=0.2, asked={"eye": (0.2, 0.3, 1)}),
    "valve_train": Shot(0.0042, stop=0.04, asked={"eye": (0.2, 0.3, 1)}),
    "flexible_slider_crank": Shot(0.01, stop=0.1, asked={"eye": (0.1, -0.5, 1)}),
    "rotating_blade": Shot(8.0, stop=20.0, asked={"eye": (0.2, -1, 0.9), "traces": [("blade.tip", (0, 0, 0))]}),
    "serpentine_drive": Shot(0.5, stop=1.0, asked={"eye": (0.25, -0.4, 1)}),
    "clutch": Shot(3.0, asked={"eye": (0.5, -1, 0.4)}),
    "bouncing_pendulum": Shot(1.0, stop=2.0),
    "solar_array": Shot(6.0, stop=12.0, asked={"follow": "hub"}),
    "flexible_solar_array": Shot(5.05, "solar_array", stop=6.5, asked={"follow": "hub", "eye": (0.3, -1, 0.35)}),
    "boom_with_load": Shot(3.0),
    "excavator": Shot(2.6, stop=3.0, asked={"eye": (0.3, -1, 0.25), "traces": [("bucket", (1.2, 0, 0))]}),
    "truss_boom": Shot(0.15, stop=0.3, asked={"eye": (0.3, -1, 0.5), "traces": [("boom.tip", (0, 0, 0))]}),
    "truss_boom_superelement": Shot(
        0.15, "truss_boom", stop=0.3, asked={"eye": (0.3, -1, 0.5), "traces": [("boom.tip", (0, 0, 0))]}
    ),
    "turbine_blade": Shot(0.43, stop=0.6, asked={"eye": (0.6, -0.7, 0.6), "traces": [("blade.tip", (0, 0, 0))]}),
    "governed": Shot(4.0, "governor"),
    "four_bar": Shot(1.0),
    "n_four_bar": Shot(0.3, arguments=(6,)),
    "slider_crank": Shot(0.5, inputs={"throttle": 0.3}, asked={"eye": (0.5, -1, 0.3)}),
    "stewart_platform": Shot(1.0),
}
ROBOTS: dict[str, Shot] = {  #: from files of other packages: docs/robot_files.py
    "cassie": Shot(
        2.0, "robot_files", "docs", inputs={"crouch": 0.2}, asked={"eye": (0.5, -1, 0.1)}, run=RK4 | {"step": 5e-4}
    ),
    "gripper": Shot(1.5, "robot_files", "docs", inputs={"fingers_actuator": 255.0}, asked={"eye": (0.3, -1, 0.25)}),
}
if runpy.run_path(str(ROOT / "docs" / "robot_files.py"))["are_installed"]():
    SHOTS |= ROBOTS


def reference_inputs(name: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Inputs of the model's reference, over time."""
    path = Path("models/reference") / f"{name}_in.csv"
    if not path.is_file():
        return {}
    with path.open() as file:
        names = [word.strip('"') for word in file.readline().strip().split(",")]
        columns = dict(zip(names, np.loadtxt(file, delimiter=",").T, strict=True))
    return {key: (columns["time"], values) for key, values in columns.items() if key != "time"}


def photograph(page: Path, picture: Path, time: float, size: tuple[int, int], more: str = "&bare") -> None:
    """A page at an instant as a picture."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise SystemExit(f"none of {', '.join(BROWSERS)} is installed")
    with tempfile.TemporaryDirectory() as profile:
        command = [
            browser, *FLAGS, f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}",
            f"--screenshot={picture.resolve()}", f"{page.resolve().as_uri()}#t={time}{more}",
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=180)
    with Image.open(picture) as image:  # fewer colours: smaller
        small = image.convert("RGB").quantize(128)
    small.save(picture, optimize=True)


def draw(name: str, shot: Shot, folder: Path) -> Path:
    """The picture of a model."""
    model = shot.model(name)
    stop = shot.stop or max(2.0 * shot.time, 4.0)
    inputs = {key: 0.0 for key, x in model.inputs.items() if not x.has_start} | reference_inputs(name)
    result = mbs.simulate(model, stop, inputs={**inputs, **shot.inputs}, **shot.run)
    picture = folder / f"{name}.png"
    with tempfile.TemporaryDirectory() as room:
        page = Path(room) / "page.html"
        result.animate(page, plots=(), **shot.asked)
        photograph(page, picture, shot.time, SIZE)
    return picture


def draw_governor(picture: Path) -> None:
    """The README's: the live page that its command writes, after 4 s of the motion."""
    with tempfile.TemporaryDirectory() as room:
        page = Path(room) / "governed.html"
        command = [sys.executable, "-m", "mbs_fmu", "live", "models/governor.py:governed", "-o", str(page)]
        subprocess.run(command, check=True)
        photograph(page, picture, 4.0, (1000, 640), "")


def main(names: list[str]) -> None:
    folder = Path("docs/models")
    folder.mkdir(exist_ok=True)
    for name in names or [*SHOTS, GOVERNOR]:
        if name == GOVERNOR:
            draw_governor(picture := Path("docs") / f"{name}.png")
        else:
            picture = draw(name, SHOTS[name], folder)
        print(f"{picture}: {picture.stat().st_size / 1e3:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
