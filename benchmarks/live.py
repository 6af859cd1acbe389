"""Live pages: time to write, size, and how fast the model runs in node: `python -m benchmarks.live [NAME ...]`.

A run consists of ticks of 4 ms with all that a page does for each: the step, the outputs, the copy of the record. The
real-time factor is simulated time over processor time. The time to write is processor time without the cache; it
includes tracing, translation, LLVM and the linker, but not the first build of the C library.
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

#: Functions of models/, and their files.
MODELS = {
    "governed": "governor", "double_pendulum": "double_pendulum", "spacecraft_with_panels": "spacecraft_with_panels",
    "universal_chain": "universal_chain", "bouncing_pendulum": "bouncing_pendulum", "rolling_disc": "rolling_disc",
    "four_bar": "four_bar", "regulated_slider_crank": "slider_crank", "cam_follower": "cam_follower",
    "solar_array": "solar_array", "stewart_platform": "stewart_platform", "boom_with_load": "boom_with_load",
}  # fmt: skip
SECONDS = 5.0  #: most s of simulated time
RUN = """
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');
globalThis.document = { getElementById: () => ({ textContent: page }) };
globalThis.location = { hash: '' };
%s
begin(given);
const until = started + %g, from = process.cpuUsage(), used = R[S.evaluations];
while (R[S.time] < until && process.cpuUsage(from).user < 20e6) if (tick() < 0) throw reason;
const cpu = process.cpuUsage(from).user / 1e6;
console.log(JSON.stringify({ factor: (R[S.time] - started) / cpu, each: 1e9 * cpu / (R[S.evaluations] - used) }));
"""


def processor_time() -> float:
    """Return the processor time of this process and of those that it has started, s."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measured(model: mbs.Model, folder: Path) -> dict[str, float]:
    """Return size of page and module (kB), time to write (s), real-time factor, time of an evaluation (ns)."""
    began = processor_time()
    path = Path(str(mbs.live(model, folder / "page.html")))
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
            model = getattr(importlib.import_module(f"models.{MODELS.get(model_name, model_name)}"), model_name)()
            row = measured(model, folder)
            print(
                f"| {model.name} | {len(model.bodies)} | {row['page']:.2f} | {row['wasm']:.0f} | {row['took']:.1f} | "
                f"{row['each']:.0f} | {row['factor']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
