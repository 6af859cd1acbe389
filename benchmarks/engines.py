"""The package's own translator against numba: the same bits, times of the first use, of a second process, of runs."""

from __future__ import annotations

import hashlib
import json
import runpy
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mbs_fmu as mbs

from .checkouts import ROOT, Checkout, output
from .report import progress, table

EXPLANATION = """\
`simulate(model, engine="own")` and `engine="numba"` of models/, each in processes of its own: "first" with an empty
cache, "second" in the next process, which finds the machine code of the first, both in processor time from before the
model is built to the result; "again" is the median processor time of further runs in that process. The own engine
compiles full code at once. "Bits" compares all rows of the result, the changes of modes and the statistics. To measure
this section alone, run `python -m benchmarks --sections engines`."""
#: Models by file and function, what they have, and the arguments of their run.
RUNS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "governor.governed": ("tree", {"stop_time": 5.0}),
    "governor.digitally_governed": ("samples", {"stop_time": 3.0}),
    "quadruped.quadruped": ("compliant contact", {"stop_time": 0.3}),
    "truss_boom.truss_boom": ("elastic, free", {"stop_time": 0.2}),
    "rotating_blade.rotating_blade": ("elastic, driven", {"stop_time": 0.05}),
    "bouncing_pendulum.bouncing_pendulum": ("impacts", {"stop_time": 3.0}),
    "clutch.clutch": ("sticking friction", {"stop_time": 2.0}),
    "four_bar.four_bar": ("closed loop", {"stop_time": 2.0}),
    "solar_array.solar_array": ("loops, latches", {"stop_time": 5.0}),
}
ENGINES = ("own", "numba")
AGAIN = 15  #: further runs


def section() -> str:
    """Report section."""
    rows = []
    for name, (what, _) in RUNS.items():
        cells: dict[str, list[str]] = {"first": [], "second": [], "again": []}
        digests = set()
        for engine in ENGINES:
            progress(f"{name} by engine {engine}")
            with tempfile.TemporaryDirectory() as folder:
                first, second = (_run(name, engine, Path(folder)) for _ in range(2))
            digests |= {first["digest"], second["digest"]}
            cells["first"].append(f"{first['seconds']:.2f}")
            cells["second"].append(f"{second['seconds']:.2f}")
            cells["again"].append(f"{1e3 * second['again']:.2f}")
        rows.append(
            [
                name.split(".")[1],
                what,
                "equal" if len(digests) == 1 else "different",
                *(cell for column in cells.values() for cell in column),
            ]
        )
    headings = [f"{column}, {engine}" for column in ("first, s", "second, s", "again, ms") for engine in ENGINES]
    return "\n\n".join(["## Engines", EXPLANATION, table(["model", "it has", "bits", *headings], rows)])


def _run(name: str, engine: str, folder: Path) -> dict[str, Any]:
    side = Checkout(ROOT, folder)
    printed = output(side.command("engines", f"run({name!r}, {engine!r})"), side.environment(folder, "full"), folder)
    made: dict[str, Any] = json.loads(printed)
    return made


def run(name: str, engine: str) -> None:
    """Print seconds of the first and of a further run of a model, and a digest of its result. For a process."""
    file, function = name.split(".")
    began = time.process_time()
    model = runpy.run_path(str(ROOT / "models" / f"{file}.py"))[function]()
    result = mbs.simulate(model, engine=engine, **RUNS[name][1])  # type: ignore[call-overload]
    first = time.process_time() - began
    seconds = []
    for _ in range(AGAIN):
        start = time.process_time()
        mbs.simulate(model, engine=engine, **RUNS[name][1])  # type: ignore[call-overload]
        seconds.append(time.process_time() - start)
    text = repr((result.switches.tolist(), sorted(result.statistics.items())))
    digest = hashlib.sha256(result.data.tobytes() + text.encode()).hexdigest()
    print(json.dumps({"seconds": first, "again": statistics.median(seconds), "digest": digest}))


if __name__ == "__main__":
    print(section())
