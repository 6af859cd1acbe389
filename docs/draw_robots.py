"""Draw docs/cassie.png and docs/gripper.png, the pictures of robot_loops.md. From the top of the project:

python docs/draw_robots.py

Needs chromium, as draw_models.py does, and the extras `mjcf`, `plot` and `robots`. Without the extra `view` the meshes
have all their faces.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from draw_models import ROBOTS, photograph
from PIL import Image

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

SIZE = (420, 560)  #: px of a view
DPI = 100


def views(name: str, result: mbs.Result, *times: float) -> list[Image.Image]:
    """Return pictures of the page of a result at some times."""
    with tempfile.TemporaryDirectory() as room:
        page = Path(room) / "page.html"
        result.animate(page, plots=(), force_scale=0.0, **ROBOTS[name].asked)
        pictures = []
        for time in times:
            picture = page.with_suffix(".png")
            photograph(page, picture, time, SIZE)
            with Image.open(picture) as image:
                pictures.append(image.convert("RGB"))
    return pictures


def join(pictures: list[Image.Image], file: Path) -> None:
    """Write pictures beside each other as one."""
    sheet = Image.new("RGB", (sum(x.width for x in pictures), SIZE[1]), "white")
    left = 0
    for picture in pictures:
        sheet.paste(picture, (left, 0))
        left += picture.width
    sheet.quantize(128).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1e3:.0f} kB")


def run(name: str, stop: float, inputs: Mapping[str, Any]) -> mbs.Result:
    """A run of a robot."""
    return mbs.simulate(ROBOTS[name].model(name), stop, inputs=inputs, output_interval=5e-3, **ROBOTS[name].run)


def plotted(result: mbs.Result) -> Image.Image:
    """The angle of the tendon, the forces on the block and its height over time."""
    figure = new_figure(width=SIZE[0] / DPI, height=SIZE[1] / DPI)
    curves = {
        "tendon (rad)": {"": 0.5 * (result["right_driver.phi"] + result["left_driver.phi"])},
        "force on the block (N)": {"of a pad": result["grip"], "of the stand": result["load"]},
        "height (mm)": {"": 1e3 * (result["height"] - result["height"][0])},
    }
    for number, (label, lines) in enumerate(curves.items(), start=1):
        axis = figure.add_subplot(3, 1, number)
        for line, values in lines.items():
            axis.plot(result.time, values, label=line)
        axis.set(ylabel=label, xlabel="time (s)" if number == len(curves) else "")
        if len(lines) > 1:
            axis.legend(fontsize=7)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI)
    return Image.open(stream).convert("RGB").resize(SIZE)


def main() -> None:
    standing, bent = (views("cassie", run("cassie", 2.0, {"crouch": angle}), 2.0) for angle in (0.0, 0.4))
    join(standing + bent, Path("docs/cassie.png"))
    gripped = run("gripper", 1.5, {"fingers_actuator": 255.0})
    join([*views("gripper", gripped, 0.0, 1.5), plotted(gripped)], Path("docs/gripper.png"))


if __name__ == "__main__":
    main()
