"""Write live pages of all models in docs/models.md, and index.html that shows them. From the top of the project:

python docs/live_models.py FOLDER [NAME ...]

The pages share one copy of three.js and uPlot. The site contains them (docs/conf.py). Needs the extra `native`, and
`mjcf`, `view` and `robots` for the robots of robot_loops.md, which are left out without them.
"""

from __future__ import annotations

import html
import runpy
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import mbs_fmu as mbs

ROOT = Path(__file__).parents[1]
#: Functions of models/ and of robot_files.py that are shown, with the arguments of `animate`, as in the pictures.
SHOTS = runpy.run_path(str(ROOT / "docs" / "draw_models.py"))["SHOTS"]
LIBRARY = "library.js"
#: Ratios of simulated to real time, of motions that are too fast for the eye or for the browser; 1 for all others.
RATES = {
    "cam_follower": 0.05,
    "flexible_slider_crank": 0.01,
    "journal_rotor": 0.02,
    "planetary_gearbox": 0.002,
    "serpentine_drive": 0.05,
    "truss_boom": 0.05,
    "truss_boom_superelement": 0.05,
    "turbine_blade": 0.1,
    "valve_train": 0.01,
}
#: Steps of models in which the default takes more: the blade turns so fast that this changes its stiffness.
STEPS = {"turbine_blade": {"method": "rk4", "step": 1.6e-4}}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Live models</title>
<style>
html, body { margin: 0; height: 100%; font: 14px/1.4 system-ui, sans-serif; color: #24292f; }
body { display: flex; }
nav { width: 250px; overflow-y: auto; padding: 8px; box-sizing: border-box; border-right: 1px solid #e4e8ec; }
a { display: block; margin-bottom: 10px; color: inherit; text-decoration: none; }
img { width: 100%; display: block; border: 1px solid #e4e8ec; border-radius: 6px; }
iframe { flex: 1; border: 0; }
@media (max-width: 760px) { body { flex-direction: column-reverse; } nav { width: auto; height: 150px; display: flex;
  gap: 8px; border: 0; } a { flex: 0 0 130px; } iframe { width: 100%; } }
</style></head>
<body><nav aria-label="Models">
LINKS
</nav><iframe name="shown" src="FIRST#play" title="The model"></iframe></body></html>
"""


def write_page(name: str, folder: Path) -> str:
    """Write the live page of a model and its picture; return the link to it."""
    shot = SHOTS[name]
    model = shot.model(name)
    inputs = {key: value for key, value in shot.inputs.items() if isinstance(value, float)}
    options = {**shot.asked, **shot.run, **STEPS.get(name, {})}
    mbs.live(model, folder / f"{name}.html", library=LIBRARY, inputs=inputs, rate=RATES.get(name, 1), **options)
    shutil.copyfile(ROOT / "docs" / "models" / f"{name}.png", folder / f"{name}.png")
    text = html.escape(model.description or name)
    return f'<a href="{name}.html#play" target="shown"><img src="{name}.png" alt="" loading="lazy">{text}</a>'


def write_gallery(folder: Path, names: Sequence[str] = ()) -> None:
    """Write the live pages of models, by default all, and the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = list(names or SHOTS)
    links = []
    for name in shown:
        links.append(write_page(name, folder))
        print(f"{name}: {(folder / name).with_suffix('.html').stat().st_size / 1e3:.0f} kB", flush=True)
    page = PAGE.replace("LINKS", "\n".join(links)).replace("FIRST", f"{shown[0]}.html")
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1]), sys.argv[2:])
