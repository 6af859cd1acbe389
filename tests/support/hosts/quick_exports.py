"""Native FMUs whose machine code is made in a hurry: the sources of every export, translated as for every export.

LLVM and the C compiler hardly optimise, one processor is served, and the run beside the FMU is made in plain Python:
an export takes seconds less. For tests of what an importer reads and sets, not of results or times.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import llvmlite.binding as llvm
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.llvm import optimising
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.fmi.native import build, linking, platforms

CPUS = {"x86-64": "x86-64-v2"}  #: of the drafts, for which there is one object of steps, not two
STEP = 2.0**-20  #: s, short enough for the fastest modes of elastic bodies


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Let exports make drafts; in the cache they are apart from other objects."""
    here, target, machine = platforms.ALL[platforms.host()], build._target, llvm.Target.create_target_machine
    patch.setattr("mbs_fmu.run.runtime.load_kernels", load_plain)
    patch.setitem(platforms.ALL, here.name, replace(here, cpu=CPUS.get(here.cpu, here.cpu)))
    patch.setattr(build, "_target", lambda one: f"draft.{target(one)}")
    patch.setattr(optimising, "optimise", lambda module, machine, level, slp: optimising.prepare(module, machine))
    patch.setattr(llvm.Target, "create_target_machine", lambda self, **options: machine(self, **{**options, "opt": 0}))
    patch.setattr(linking, "OPTIONS", tuple("-O0" if option == "-O2" else option for option in linking.OPTIONS))


def draft(model: mbs.Model, folder: Path, fmi: str, arrays: bool) -> Path:
    """A native FMU of the model for this platform, with steps of rk4."""
    folder.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch)
        return mbs.export(
            model, folder / f"{model.name}.fmu", "native", fmi=fmi, arrays=arrays, platforms="host", reference=False,
            method="rk4", step=STEP, stop_time=STEP, communication_step=STEP,
        )  # fmt: skip
