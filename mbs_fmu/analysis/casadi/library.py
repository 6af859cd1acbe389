"""A function of a model as a shared library with CasADi's external API: the machine code of the kernels, and C."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ...codegen.ahead import require_zig, zig_environment
from ...codegen.jit import library_code
from ...codegen.llvm import lines as ir
from ...codegen.llvm.c_functions import write_c_functions
from ...codegen.loader import module_hash
from ...codegen.machine import PLAIN, ArgumentKind
from ...codegen.modules import load_uncached
from ...codegen.target import processor
from ...infrastructure.disk import cache
from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import ModelError
from ...infrastructure.progress import progress_notice, set_stage
from ..array_functions import ArrayFunction, JacobianCall, KernelCall

SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
OPTIONS = (
    "-std=c11", "-O2", "-g0", "-shared", "-s", "-fPIC", "-fvisibility=hidden", "-fno-sanitize=all", "-Wall", "-Wextra",
    "-Werror", "-Wno-unused-command-line-argument", "-ffp-contract=off",
)  # fmt: skip


def library(f: ArrayFunction, name: str, rates: str, folder: str | Path | None) -> Path:
    """Build the library of a function of a model and return its path.

    name: of the function. rates: name of its first result. folder: of the library; the cache by default.

    Raises ModelError if the package ziglang is missing, or if the library cannot be built.
    """
    require_zig("libraries for CasADi")
    place = cache.folder("casadi") if folder is None else Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    try:
        return _built(f, name, rates, place)
    except NotImplementedError as error:
        if "lanes differ in" not in str(error):
            raise
        f._kernels.without_lanes()
        return _built(f, name, rates, place)


def _built(f: ArrayFunction, name: str, rates: str, place: Path) -> Path:
    """Return the path of the library, which is built unless a folder has it. Raises NotImplementedError."""
    calls = f._value_call(), _jacobian(f)
    source = _source(f, calls, rates, name)
    contents = [*(module_hash(call.module.text) for call in calls), source, str(processor())]
    path = place / f"{name}_{hashlib.sha256(' '.join(contents).encode()).hexdigest()[:16]}{SUFFIX}"
    if not path.is_file():
        with progress_notice(f.name):
            set_stage("machine code")
            objects = [_object(calls[0], 1), _object(calls[1], f._kernels.lanes)]
            set_stage("library")
            _link(source, objects, path)
    return path


def _jacobian(f: ArrayFunction) -> KernelCall:
    """Return the call of the Jacobian with respect to time, states, inputs and parameters."""
    call = f._jacobian_call(range(len(f._X)))
    assert isinstance(call, JacobianCall)  # of a tree
    return call.kernel_call


def _object(call: KernelCall, lanes: int) -> bytes:
    """Return the object file of a kernel and of everything that it calls."""
    module = ir.Module("kernels")
    kernel = getattr(load_uncached(call.module), call.kernel).kernel_function
    write_c_functions(module, [(call.kernel, kernel, tuple(map(_kind, call.arguments)))], lanes)
    return library_code(module, lanes)


def _kind(argument: Any) -> ArgumentKind:
    if isinstance(argument, np.ndarray):
        return "array" if argument.ndim == 1 else "rows"
    return "int" if isinstance(argument, int) else "float"


def _source(f: ArrayFunction, calls: Sequence[KernelCall], rates: str, name: str) -> str:
    """Return the C source: sizes, arrays with their first contents, calls of the kernels, then external.c."""
    arrays: list[np.ndarray] = [a for call in calls for a in call.arguments if isinstance(a, np.ndarray)]
    places = {id(a): k for k, a in enumerate(arrays)}
    nx, nu, np_, ny = (len(names) for names in (f.states, f.inputs, f.parameters, f.outputs))
    sizes = {
        "NX": nx, "NU": nu, "NP": np_, "NY": ny, "WIDTH": nx + ny, "LANES": f._kernels.lanes, "ARRAYS": len(arrays),
        "FUNCTION": name, "RATES": f'"{rates}"',
    }  # fmt: skip
    for what, call in zip(("VALUE", "JACOBIAN"), calls, strict=True):
        sizes |= {f"{what}_X": places[id(call.X)], f"{what}_Y": places[id(call.Y)]}
        arguments = (
            f"(a)[{places[id(x)]}]" if isinstance(x, np.ndarray) else _number(x) if isinstance(x, float) else str(x)
            for x in call.arguments
        )
        sizes[f"{what}(a)"] = f"{PLAIN}{call.kernel}({', '.join(arguments)})"
    lines = [f"#define {key} {value}" for key, value in sizes.items()]
    types = {"array": "double *", "rows": "double *", "float": "double", "int": "long long int"}
    lines += [
        f"long long int {PLAIN}{call.kernel}({', '.join(types[_kind(x)] for x in call.arguments)});" for call in calls
    ]
    contents = []
    for k, a in enumerate(arrays):
        if a.any():
            lines.append(f"static const double FIRST_{k}[] = {{{', '.join(map(_number, a.ravel().tolist()))}}};")
        contents.append(f"FIRST_{k}" if a.any() else "0")
    lines.append(f"static const double *const FIRST[] = {{{', '.join(contents)}}};")
    lines.append(f"#include <stddef.h>\nstatic const size_t LENGTHS[] = {{{', '.join(str(a.size) for a in arrays)}}};")
    text = (resources.files(__package__) / "external.c").read_text(encoding="utf-8")
    return "\n".join(lines) + "\n" + text


def _number(value: float) -> str:
    """Return a number in C, exactly."""
    if math.isnan(value):
        return "(0.0 / 0.0)"
    if math.isinf(value):
        return "(1.0 / 0.0)" if value > 0.0 else "(-1.0 / 0.0)"
    return float(value).hex() if value else repr(value)


def _link(source: str, objects: Sequence[bytes], path: Path) -> None:
    """Compile and link the library, and move it to its path. Raises ModelError with the compiler's messages."""
    with replacing(path) as temporary, tempfile.TemporaryDirectory(prefix="mbs_fmu_") as name:
        folder = Path(name)
        (folder / "external.c").write_text(source, encoding="utf-8")
        for k, code in enumerate(objects):
            (folder / f"kernel_{k}.o").write_bytes(code)
        files = ["external.c", *(f"kernel_{k}.o" for k in range(len(objects)))]
        mathematics = [] if sys.platform == "win32" else ["-lm"]
        command = [
            sys.executable,
            "-m",
            "ziglang",
            "cc",
            *OPTIONS,
            *files,
            "-o",
            str(temporary.resolve()),
            *mathematics,
        ]
        run = subprocess.run(command, cwd=folder, env=zig_environment(folder), capture_output=True, text=True)
        if run.returncode or not temporary.is_file():
            raise ModelError(f"linking {path.stem} failed: {(run.stderr or run.stdout).strip()[-2000:]}")
