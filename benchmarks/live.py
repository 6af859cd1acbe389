"""Live pages: time to write, size, and how fast the model runs in node: `python -m benchmarks.live [NAME ...]`.

A run consists of ticks of 4 ms with all that a page does for each: the step, the outputs, the copy of the record. The
real-time factor is simulated time over processor time, after a run-up in which node has optimised the module, as
browsers do in the first second. The time to write is processor time without the cache; it includes tracing,
translation, LLVM and the linker, but not the first build of the C library.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import mbs_fmu as mbs
from mbs_fmu.infrastructure.disk import cache
from mbs_fmu.view.page import HERE

#: Functions of models/, and their files where these have other names.
MODELS = {
    "double_pendulum": "", "spherical_pendulum": "", "pendulum_on_cart": "", "gyroscope": "", "free_top": "",
    "universal_chain": "", "spacecraft_with_panels": "", "planetary_gear": "", "differential": "", "rack_steering": "",
    "rolling_disc": "", "clutch": "", "bouncing_pendulum": "", "cam_follower": "", "governed": "governor",
    "digitally_governed": "governor", "four_bar": "", "regulated_slider_crank": "slider_crank", "solar_array": "",
    "stewart_platform": "", "boom_with_load": "", "flexible_slider_crank": "", "rotating_blade": "", "truss_boom": "",
    "turbine_blade": "", "serpentine_drive": "", "planetary_gearbox": "", "flexible_solar_array": "solar_array",
}  # fmt: skip
#: Arguments of `live` for models whose default is slow, as in docs/live_models.py.
STEPS: dict[str, dict[str, Any]] = {"turbine_blade": {"method": "rk4", "step": 1.6e-4}}
SECONDS = 5.0  #: s of simulated time, after which a run starts anew
RUN = """
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');
globalThis.document = { getElementById: () => ({ textContent: page }) };
globalThis.location = { hash: '' };
%s
function run(most) { // runs from the start, for so many s of processor time: real-time factor, ns of an evaluation
  const from = process.cpuUsage(), passed = () => process.cpuUsage(from).user / 1e6;
  let time = 0, evaluations = 0;
  while (passed() < most) {
    begin(given);
    const used = R[S.evaluations];
    while (R[S.time] < started + %g && passed() < most) if (tick() < 0) throw reason;
    time += R[S.time] - started; evaluations += R[S.evaluations] - used;
  }
  return { factor: time / passed(), each: 1e9 * passed() / evaluations };
}
run(0.3);
console.log(JSON.stringify(run(1)));
"""


def processor_time() -> float:
    """Return the processor time of this process and of those that it has started, s."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measured(model: mbs.Model, folder: Path, **options: Any) -> dict[str, float]:
    """Return size of page and module (kB), time to write (s), real-time factor, time of an evaluation (ns)."""
    began = processor_time()
    path = Path(str(mbs.live(model, folder / "page.html", **options)))
    took, text = processor_time() - began, path.read_text()
    match = re.search(r'<script id="data"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert match is not None
    (folder / "page.json").write_text(match[1])
    scripts = "\n".join((HERE / name).read_text() for name in ("data.js", "live_model.js"))
    (folder / "run.js").write_text(RUN % (scripts, SECONDS))
    command = [shutil.which("node") or "node", str(folder / "run.js"), str(folder / "page.json")]
    runs: list[dict[str, Any]] = []
    for _ in range(3):  # the best of three: other work shares the processor
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    size = len(json.loads(match[1])["wasm"]) * 3 / 4
    return {"page": len(text) / 1e6, "wasm": size / 1e3, "took": took, **max(runs, key=lambda run: run["factor"])}


def main() -> None:
    """Print the table, row by row, with a cache of its own that has the C library."""
    print("| model | bodies | page, MB | module, kB | written in, s | evaluation, ns | real-time factor |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        libraries = cache.cache_directory() / "zig"
        if libraries.is_dir():
            shutil.copytree(libraries, folder / "cache" / "zig", symlinks=True)
        os.environ[cache.CACHE_VARIABLE] = str(folder / "cache")
        for model_name in sys.argv[1:] or MODELS:
            model = getattr(importlib.import_module(f"models.{MODELS.get(model_name) or model_name}"), model_name)()
            row = measured(model, folder, **STEPS.get(model_name, {}))
            print(
                f"| {model.name} | {len(model.bodies)} | {row['page']:.2f} | {row['wasm']:.0f} | {row['took']:.1f} | "
                f"{row['each']:.0f} | {row['factor']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
