"""First use: processor time of a fresh process, from its start to the result of one run."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from pathlib import Path

from ..report import progress
from .measure import Measured
from .programs import OURS, Interpreters, command, environment

COLD, KEPT = "cold", "kept"  #: without any compiled code, and with that of an earlier process
SYSTEMS = "chain", "ur5", "four_bar"
LEVEL = 1e-4  #: m, error of the run at most
SECONDS = 120.0


def first_use(found: Measured, interpreters: Interpreters, folder: Path, rounds: int) -> dict[str, float]:
    """Seconds by program; of this package by program and state of the cache."""
    from .compare import Comparison

    comparison = Comparison(found)
    seconds: dict[str, list[float]] = {}
    cache = folder / "first-cache"
    for turn in range(rounds + 1):  # the very first writes byte code
        for program in found.versions:
            known = [point for curve in comparison.curves(program) for point in curve]
            fine = [point for point in known if comparison.error(point) <= LEVEL]
            if not fine:
                continue
            cheapest = min(fine, key=lambda point: point.time(0))
            request = json.dumps({"system": found.system.to_json(), "run": cheapest.setting.to_json()})
            for state in (COLD, KEPT) if program == OURS else ("",):
                if state == COLD:
                    shutil.rmtree(cache, ignore_errors=True)
                done = subprocess.run(
                    command(interpreters.of(program), program, "first"), input=request + "\n", cwd=folder, text=True,
                    env=environment(program, cache, full=False), capture_output=True, timeout=SECONDS, check=False,
                )  # fmt: skip
                if done.returncode == 0 and turn:
                    seconds.setdefault(f"{program} {state}".strip(), []).append(float(done.stdout))
    progress(f"{found.system.name}: first use")
    return {name: statistics.median(values) for name, values in seconds.items()}
