"""A model's kernels to object files, ahead of time and for other machines than this one.

The work is done in a child process (`python -m mbs_fmu.fmi.native.lowering`), whose environment tells numba
to know nothing of this machine's processor. numba lowers the kernels once; LLVM makes an object of the
result for each platform. What the objects leave to the linker is checked against a list.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ...compile.program import Program
from ...errors import ModelError
from .platforms import ALL, Platform

PORTABLE = {
    "NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_DISABLE_INTEL_SVML": "1",
}  # fmt: skip
#: What kernels may leave to the linker: the C library's mathematics and memory, nothing of Python's or numba's.
ALLOWED = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "sqrt", "tanh", "ceil",
    "memset", "memcpy", "memmove",
}  # fmt: skip
#: Entries of the objects: for each its arrays, and its scalars (d: double, i: integer). All return an integer.
ENTRIES = {
    "initialise": ("R", ""), "rates": ("RU", ""), "refresh": ("RU", ""), "advance": ("RU", "ddi"),
    "tangent": ("RD", ""), "start_tangent": ("RD", ""), "completed": ("RU", ""), "begin": ("RU", "d"),
    "follow": ("R", "dd"),
}  # fmt: skip
WITH_LOOPS = {"begin"}  #: entries that only models with closed loops have
#: Entries that return a status; the others return zero.
WITH_RESULT = {"initialise", "advance", "completed", "begin", "follow"}


def entries(program: Program) -> list[str]:
    """Names of a model's entries."""
    return [name for name in ENTRIES if program.loops or name not in WITH_LOOPS]


def object_names(platform: Platform, cpu: str) -> list[str]:
    """Names of the object files that make one library."""
    return [f"{platform.name}{suffix}.o" for suffix in platform.cpus(cpu)]


def write_objects(program: Program, advance: str, platforms: list[Platform], cpu: str, folder: Path) -> None:
    """Object files of all platforms, by `object_names`, into a folder. `advance` names the kernel that makes the steps.

    Raises ModelError where a kernel needs what no object may need.
    """
    module = folder / "kernels.py"
    module.write_text(program.text, encoding="utf-8")
    size = program.regions["end"][0]
    order = {
        "module": str(module),
        "advance": advance,
        "entries": entries(program),
        "size": size,
        "cpu": cpu,
        "platforms": [p.name for p in platforms],
    }
    environment = {**os.environ, **PORTABLE}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[3]), environment.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-m", __name__, json.dumps(order)], env=environment, cwd=folder, capture_output=True, text=True
    )
    if run.returncode:
        raise ModelError(f"{program.name}: its kernels can't be compiled ahead of time: {run.stderr.strip()[-2000:]}")


# -- in the child process -------------------------------------------------------------------------------------


def lowered(kernels: dict[str, object], size: int) -> str:
    """LLVM text of all entries: int64 kernel_NAME(double *, ..., scalars) in numba's calling convention."""
    import llvmlite.binding as llvm
    from numba import carray, types
    from numba.core import compiler
    from numba.core.registry import cpu_target

    pointer, scalar = types.CPointer(types.float64), {"d": types.float64, "i": types.int64}
    module = None
    symbols = []
    for name, kernel in kernels.items():
        arrays, scalars = ENTRIES[name]
        names = [*arrays, *(f"x{k}" for k in range(len(scalars)))]
        views = ", ".join([f"carray({a}, ({size},))" for a in arrays] + names[len(arrays) :])
        space: dict[str, object] = {"carray": carray, "kernel": kernel}
        result = f"return kernel({views})" if name in WITH_RESULT else f"kernel({views})\n    return 0"
        exec(f"def entry({', '.join(names)}):\n    {result}\n", space)
        flags = compiler.Flags()
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.nrt = True
        flags.error_model = "numpy"
        compiled = compiler.compile_extra(
            cpu_target.typing_context, cpu_target.target_context, space["entry"],
            [pointer] * len(arrays) + [scalar[s] for s in scalars], types.int64, flags, {},
        )  # fmt: skip
        part = llvm.parse_assembly(compiled.library.get_llvm_str())
        part.get_function(compiled.fndesc.llvm_func_name).name = f"kernel_{name}"
        symbols.append(f"kernel_{name}")
        if module is None:
            module = part
        else:
            module.link_in(part)
    assert module is not None
    for item in [*module.functions, *module.global_variables]:
        if not item.is_declaration and item.name not in symbols:
            item.linkage = "internal"
    module.verify()
    return str(module)


def emitted(text: str, platform: Platform, cpu: str, suffix: str = "") -> bytes:
    """The object for one platform and processor; RuntimeError naming the symbols that no kernel may need."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    module.triple = platform.triple
    for function in module.functions:
        if function.linkage.name == "external" and not function.is_declaration:
            function.name += suffix
            function.visibility = "hidden"  # or another FMU of the process might take it for its own
    machine = llvm.Target.from_triple(platform.triple).create_target_machine(
        cpu=cpu, features="", opt=3, reloc="pic", codemodel="default"
    )
    module.data_layout = str(machine.target_data)
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    llvm.create_pass_builder(machine, options).getModulePassManager().run(
        module, llvm.create_pass_builder(machine, options)
    )
    undefined = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    for name in sorted(undefined - ALLOWED):
        users = [f.name for f in module.functions if not f.is_declaration and f"@{name}(" in str(f)]
        raise RuntimeError(f"{' and '.join(users) or 'a kernel'} calls {name}, which no object may need")
    return machine.emit_object(module)


def main(order: dict) -> None:
    """Lower the kernels of a module and write an object for each platform beside it."""
    from ...kernels.loader import load_uncached

    module = load_uncached(Path(order["module"]).read_text(encoding="utf-8"))
    kernels = {name: getattr(module, order["advance"] if name == "advance" else name) for name in order["entries"]}
    text = lowered(kernels, order["size"])
    for name in order["platforms"]:
        for suffix, cpu in ALL[name].cpus(order["cpu"]).items():
            Path(f"{name}{suffix}.o").write_bytes(emitted(text, ALL[name], cpu, suffix))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
