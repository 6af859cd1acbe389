"""LLVM's optimisation passes."""

from __future__ import annotations

import llvmlite.binding as llvm

from .independent_loops import NOT_UNROLLED


def optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, level: int, slp: bool) -> None:
    """Run the passes of a level (`clang -O1` to `-O3`) over a module, for one processor.

    Loops are vectorised. `slp` vectorises straight-line code too, which takes as long as all other passes and makes the
    steps of native FMUs 4 % faster.
    """
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = True, slp
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)


def unrolled(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    """Return an optimised module with its short loops unrolled.

    Loops of `apart` must not be unrolled before they are vectorised. Of those over four numbers, vectors of four leave
    no loop. Vectors of two leave two iterations, whose counting makes elastic bodies up to a fifth slower.
    """
    text = str(module).replace(NOT_UNROLLED, '!"llvm.loop.unroll.runtime.disable"')
    again = llvm.parse_assembly(text)
    again.data_layout = str(machine.target_data)
    passes = llvm.create_new_module_pass_manager()
    for name in ("loop_unroll", "simplify_cfg", "instruction_combine", "simplify_cfg"):
        getattr(passes, f"add_{name}_pass")()
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_unrolling = True
    passes.run(again, llvm.create_pass_builder(machine, options))
    return again


def prepare(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Run the few passes that make quick code a third smaller; they save more time than they take."""
    module.data_layout = str(machine.target_data)
    passes = llvm.create_new_module_pass_manager()
    for name in ("always_inliner", "global_dead_code_eliminate", "sroa", "simplify_cfg"):
        getattr(passes, f"add_{name}_pass")()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1)))
