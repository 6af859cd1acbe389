"""Native FMUs with hardly optimised machine code, from the same sources as every export.

LLVM and the C compiler hardly optimise, one processor is served, and the reference run is made in plain Python, which
saves seconds per export. For tests of what an importer reads and sets, not of results or times.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llvmlite.binding as llvm
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.llvm import optimising
from mbs_fmu.fmi.native import build, linking, platforms

CPUS = {"x86-64": "x86-64-v2"}  #: processors of these exports, with one object of steps instead of two
STEP = 2.0**-20  #: s, short enough for the fastest vibration modes of the models


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Make exports quick; the cache keeps their objects apart from others."""
    platform, target, machine = platforms.ALL[platforms.host()], build._target, llvm.Target.create_target_machine
    patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
    patch.setitem(platforms.ALL, platform.name, replace(platform, cpu=CPUS.get(platform.cpu, platform.cpu)))
    patch.setattr(build, "_target", lambda one: f"draft.{target(one)}")
    patch.setattr(optimising, "optimise", lambda module, machine, level, slp: optimising.prepare(module, machine))
    patch.setattr(llvm.Target, "create_target_machine", lambda self, **options: machine(self, **{**options, "opt": 0}))
    patch.setattr(linking, "OPTIONS", tuple("-O0" if option == "-O2" else option for option in linking.OPTIONS))


def draft(model: mbs.Model, folder: Path, fmi: str, arrays: bool) -> Path:
    """Quickly exported native FMU of the model for this platform, with steps of rk4."""
    folder.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        return mbs.export(
            model, folder / f"{model.name}.fmu", "native", fmi=fmi, arrays=arrays, platforms="host", reference=False,
            method="rk4", step=STEP, stop_time=STEP, communication_step=STEP,
        )  # fmt: skip
