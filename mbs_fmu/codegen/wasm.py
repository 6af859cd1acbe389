"""A program's kernels as one WebAssembly module, which imports nothing and whose memory never grows.

The module exports `kernel_NAME` for each entry of `page_entries`, its memory, and the addresses of three arrays of
doubles: `record` and `saved`, each of a record's length, and `tables`, which has no tables of inputs.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from ..infrastructure.disk import cache
from ..infrastructure.errors import ModelError
from ..infrastructure.progress import note_other_process, progress_notice, set_stage
from ..record.kernel_module import KernelModule
from ..record.program import Program
from ..record.schema import CLOCK_SIZE
from . import ahead
from .loader import module_hash
from .machine import PLAIN
from .modules import load_uncached

TRIPLE, ZIG_TARGET = "wasm32-unknown-unknown", "wasm32-wasi"
FEATURES = "+simd128"  #: vectors of two doubles, which all browsers have had since 2023
STACK = 256 * 1024  #: bytes
ARRAYS = ("record", "saved", "tables")
SECONDS = 1.3e-4  #: expected time of LLVM for one line of its text, s
LIBRARY_SECONDS = 60.0  #: expected time of the first build of the C library, s


def page_entries(program: Program) -> list[str]:
    """Return the names of the entries that a page calls; the first one makes the steps."""
    return ["advance", "refresh", "initialise", "set_tolerances"]


def wasm_module(program: Program, advance: str) -> bytes:
    """Return the module, from the cache if possible.

    `advance` is the name of the kernel that makes the steps, such as "dopri5_adaptive".

    Raises ModelError without the package ziglang, and for kernels that cannot be compiled ahead of time.
    """
    ahead.require_zig("live pages")
    source = ahead.module_ahead(program)
    key = f"objects/{_key(program, advance, source)}.wasm"
    code = cache.read(key)
    if code is not None:
        return code
    with (
        cache.lock(key, meanwhile=note_other_process),
        progress_notice(program.name),
        tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder,
    ):
        code = cache.read(key)  # another process may have written it in the meantime
        if code is None:
            code = _linked(program, _object(program, advance, source), Path(folder))
            cache.write(key, code)
    return code


def _key(program: Program, advance: str, source: KernelModule) -> str:
    import importlib.metadata

    parts = [module_hash(source.text), advance, FEATURES, *page_entries(program), *_sizes(program)]
    return hashlib.sha256(" ".join([*parts, importlib.metadata.version("ziglang")]).encode()).hexdigest()[:24]


def _sizes(program: Program) -> list[str]:
    """Return the C declarations of the lengths of the arrays."""
    numbers, inputs = program.regions["end"][0], program.regions["inputs"][1]
    return [f"-DN_R={numbers}", f"-DN_U={2 * inputs + CLOCK_SIZE}"]


def _object(program: Program, advance: str, source: KernelModule) -> bytes:
    """Return the object file of the kernels. Raises ModelError."""
    import llvmlite.binding as llvm

    from .llvm.optimising import optimise, unrolled

    set_stage("translating")
    loaded, names = load_uncached(source), ahead.kernel_names(page_entries(program), advance)
    kernels = {entry: getattr(loaded, kernel) for entry, kernel in names.items()}
    try:
        lowered = ahead.lowered_whole(kernels)
        set_stage("machine code", seconds=SECONDS * lowered.count("\n"))
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        module = llvm.parse_assembly(lowered)
        module.triple = TRIPLE
        target = llvm.Target.from_triple(TRIPLE)
        machine = target.create_target_machine(
            cpu="generic", features=FEATURES, opt=3, reloc="static", codemodel="default"
        )
        optimise(module, machine, 3, slp=True)
        module = unrolled(module, machine)
        ahead.require_allowed(module)
    except (NotImplementedError, RuntimeError) as error:
        raise ModelError(f"{program.name}: its kernels can't be compiled ahead of time: {error}") from error
    code: bytes = machine.emit_object(module)
    return code


def _linked(program: Program, kernels: bytes, folder: Path) -> bytes:
    """Return the module, linked in a folder. Raises ModelError with the linker's messages."""
    if ahead.first_time("wasm", ZIG_TARGET):
        set_stage("C library, once", seconds=LIBRARY_SECONDS)
    (folder / "kernels.o").write_bytes(kernels)
    (folder / "arrays.c").write_text("double record[N_R], saved[N_R], tables[N_U];\n")
    exported = [*(PLAIN + name for name in page_entries(program)), *ARRAYS]
    command = [
        sys.executable, "-m", "ziglang", "cc", "-target", ZIG_TARGET, "-mexec-model=reactor", "-nostartfiles", "-O2",
        "-g0", "-s", "-Wl,--no-entry", "-Wl,--gc-sections", f"-Wl,-z,stack-size={STACK}",
        *(f"-Wl,--export={name}" for name in exported), *_sizes(program), "-o", "model.wasm", "arrays.c", "kernels.o",
        "-lm",
    ]  # fmt: skip
    run = subprocess.run(command, cwd=folder, env=ahead.zig_environment(folder), capture_output=True, text=True)
    module = folder / "model.wasm"
    if run.returncode or not module.is_file():
        raise ModelError(f"linking {program.name} for pages failed: {(run.stderr or run.stdout).strip()[-2000:]}")
    ahead.note_built("wasm", ZIG_TARGET)
    return module.read_bytes()
