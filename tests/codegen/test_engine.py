"""Cached and loaded machine code: equal bits, safe calls, and memory that is freed."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import loader, modules
from mbs_fmu.codegen.engine import Engine
from mbs_fmu.codegen.loader import Kernels, load_kernels
from mbs_fmu.codegen.machine import MachineCode, Signature
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.record.sizes import ABREAST
from support.hosts.fmus import python

TEXT = """
import numpy as np
from numba import njit

from mbs_fmu.codegen.entries import kernel

jit = njit(cache=True, error_model="numpy", nogil=True, no_cfunc_wrapper=True)


@kernel
def mean(R, n, factor):
    total = 0.0
    for k in range(n):
        total += R[k]
    R[0] = factor * total / n
    return R[0]


@jit
def enter_mean(R, n, factor):
    return mean(R, n, factor)


@kernel
def later(R, n):
    R[0] = n + 0.5
    return n + 1


@kernel
def nothing(R):
    R[0] = np.nan


@kernel
def pair(R):
    return R[0], R[1]
"""


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernels:
    monkeypatch.setenv("MBS_FMU_CACHE", str(tmp_path))
    return Kernels(f"mbs_fmu_kernels_{tmp_path.name}", TEXT)


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.body("rod", "world", mbs.Universal("xy"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.start(rod, q=(0.5, 0.2), u=(1.0, -0.3))
    return m


# -- calls --------------------------------------------------------------------------------------------


def test_kernels_return_numbers_integers_or_nothing(kernels: Kernels) -> None:
    """Numbers of numpy and booleans are accepted as numbers and integers."""
    R = np.array([1.0, 2.0, 4.5])
    assert kernels.enter_mean(R, 3, 2.0) == 5.0 == R[0] and type(kernels.enter_mean(R, 3, 2.0)) is float
    later = kernels.entry("later")
    assert later(R, 7) == 8 and type(later(R, 7)) is int and R[0] == 7.5
    assert later(R, np.int64(-3)) == -2 and later(R, -1) == 0 and later(R, True) == 2
    assert math.isnan(kernels.enter_mean(R, np.int32(3), np.float64("nan")))
    kernels.entry("nothing")(R)
    assert math.isnan(R[0])


def test_kinds_of_arguments_may_change_between_calls(kernels: Kernels) -> None:
    """An integer may replace a number and vice versa; the largest integer and -1, which C uses for
    errors, are valid.
    """
    R = np.zeros(2)
    later = kernels.entry("later")
    assert later(R, 2**62) == 2**62 + 1
    assert later(R, 1) == 2 and later(R, 1.5) == 2.5 and later(R, 2) == 3 and later(R, -1.0) == 0.0
    assert kernels.enter_mean(np.ones(4), 4, -1) == -1.0 == kernels.enter_mean(np.ones(4), 4, -1.0)


@pytest.mark.parametrize(
    "arguments",
    [
        (), (np.zeros(3),), (np.zeros(3), 1, 1.0, 1.0),
        (np.zeros(3, dtype=np.float32), 1, 1.0), (np.zeros(3, dtype=np.int64), 1, 1.0), (np.zeros(3, complex), 1, 1.0),
        (np.zeros(3, dtype=">f8"), 1, 1.0), (np.zeros(6)[::2], 1, 1.0), (np.broadcast_to(0.0, 3), 1, 1.0),
        ([1.0], 1, 1.0), (np.zeros(3), "1", 1.0), (np.zeros(3), 2**64, 1.0), (np.zeros(3), 1, None),
    ],
)  # fmt: skip
def test_invalid_arguments_of_kernels_are_refused(kernels: Kernels, arguments: tuple[object, ...]) -> None:
    """Too few or too many arguments, arrays of other types, with gaps or read-only, and non-numbers raise an error
    without a crash.
    """
    kernels.enter_mean(np.ones(3), 3, 1.0)
    with pytest.raises((TypeError, ValueError, BufferError, OverflowError)):
        kernels.enter_mean(*arguments)
    assert kernels.enter_mean(np.ones(3), 3, 1.0) == 1.0


def test_missing_kernels_are_compiled_together(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that are not cached make one object file, which later requests for all of them use."""
    made: list[list[str]] = []
    compile_them = loader.machine_code

    def noted(module: ModuleType, requested: Sequence[loader.KernelKey], *how: Any) -> MachineCode:
        made.append([name for name, _ in requested])
        return compile_them(module, requested, *how)

    monkeypatch.setattr(loader, "machine_code", noted)
    kernels.entry("nothing")(np.zeros(1))
    requested = ("nothing", ("array",)), ("mean", ("array", "int", "float")), ("later", ("array", "int"))
    kernels.ensure_compiled(*requested)
    assert made == [["nothing"], ["mean", "later"]]
    other = Kernels(kernels.name, TEXT)
    other.ensure_compiled(*requested)
    assert other.enter_mean(np.ones(3), 3, 2.0) == 2.0 and other.entry("later")(np.ones(3), 3) == 4
    assert len(made) == 2


def test_results_of_several_numbers_are_for_kernels_only(kernels: Kernels) -> None:
    with pytest.raises(NotImplementedError, match="pair"):
        kernels.entry("pair")(np.zeros(3))


def test_calls_leave_no_references(kernels: Kernels) -> None:
    """Neither successful nor refused calls keep their arguments."""
    R = np.ones(3)
    kernels.enter_mean(R, 3, 1.0)
    before = sys.getrefcount(R)
    for _ in range(100):
        kernels.enter_mean(R, 3, 1.0)
        with pytest.raises(TypeError):
            kernels.enter_mean(R, 3, "1.0")
    assert sys.getrefcount(R) == before


# -- libraries ----------------------------------------------------------------------------------------


def test_used_internals_of_llvmlite_exist() -> None:
    """The internals of llvmlite that the package uses exist in this version: code, and its requirements."""
    module = modules.kernels_module("insides", TEXT)
    code = loader.machine_code(module, [("mean", ("array", "int", "float"))])
    assert code.functions == (Signature("mean", ("array", "int", "float"), "float"),)
    assert all(name.startswith("Py") for name in code.needs)
    (function,) = Engine().add(MachineCode.from_bytes(code.to_bytes())).values()
    assert function(np.ones(3), 3, 2.0) == 2.0


FRESH = """
import sys
from pathlib import Path
from mbs_fmu.codegen.loader import Kernels
import numpy as np
kernels = Kernels("mbs_fmu_kernels_test", Path(sys.argv[1]).read_text())
print(kernels.enter_mean(np.array([1.0, 2.0, 4.5]), 3, 2.0).hex(), "numba" in sys.modules, "module" in vars(kernels))
"""


def test_processes_import_no_numba(tmp_path: Path) -> None:
    """The first process compiles, the second one does not even read the text; the bits are the same."""
    text = tmp_path / "kernels.txt"
    text.write_text(TEXT)
    first, second = (python(FRESH, str(text), MBS_FMU_CACHE=str(tmp_path / "cache")).stdout for _ in range(2))
    assert first.split()[1:] == ["False", "True"] and second.split()[1:] == ["False", "False"]
    assert first.split()[0] == second.split()[0] == (5.0).hex()


FORKED = """
import os, signal, sys, threading, time
from mbs_fmu.codegen import loader
if sys.argv[1] == "compiles":
    from mbs_fmu.codegen import jit, target
    lock, need = target.llvm_lock, lambda: jit.object_code(jit.empty_module())
else:
    lock, need = loader._lock, lambda: loader.load_kernels("")
held = threading.Event()
def hold():
    with lock:
        held.set()
        time.sleep(0.5)
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    need()
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
@pytest.mark.parametrize("thread", ["loads", "compiles"])
def test_forked_children_can_load_and_compile(thread: str) -> None:
    """A process forks while another thread loads or compiles; the child, which lacks that thread, works by itself."""
    assert python(FORKED, thread).stdout == "0\n"


# -- machine code as bytes ----------------------------------------------------------------------------


def test_machine_code_survives_serialization() -> None:
    code = MachineCode((Signature("a", ("array", "float"), None),), ("sin",), b"\n\0object")
    assert MachineCode.from_bytes(code.to_bytes()) == code


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b"[]\n", b"\xff\n", b'{"format": 0}\nx', b'{"format": 1}\nx'])
def test_invalid_bytes_are_refused_as_machine_code(data: bytes) -> None:
    with pytest.raises(ValueError):
        MachineCode.from_bytes(data)


def test_code_with_missing_functions_is_refused() -> None:
    """A function that no library has raises an error, while LLVM would abort the process."""
    with pytest.raises(OSError, match="no_such_function"):
        Engine().add(MachineCode((), ("no_such_function",), b"code"))


# -- memory -------------------------------------------------------------------------------------------

MANY = """
import gc, resource, sys
from pathlib import Path
import numpy as np
from mbs_fmu.codegen import loader
def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6
text = Path(sys.argv[1]).read_text()
for k in range(200):
    loader.Kernels(f"mbs_fmu_kernels_test", text).enter_mean(np.ones(3), 3, 2.0)
    if k == 20:
        before = resident()
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's account of memory")
def test_loading_machine_code_leaks_no_memory(tmp_path: Path) -> None:
    """Machine code is loaded and freed repeatedly: resident memory stays within 2 MB."""
    text = tmp_path / "kernels.txt"
    text.write_text(TEXT)
    grown = float(python(MANY, str(text), MBS_FMU_CACHE=str(tmp_path / "cache")).stdout)
    assert grown < 2.0


def test_code_lives_as_long_as_its_functions(kernels: Kernels) -> None:
    """A function outlives all other references to its module."""
    kernels.enter_mean(np.ones(3), 3, 1.0)
    function = kernels.entry("mean")._last
    kernels.__dict__.clear()
    gc.collect()
    assert function(np.ones(3), 3, 2.0) == 2.0


VALUES_AND_TANGENTS = (
    TEXT
    + """

def abreast():
    return 1


def rows(R, start):
    return R[start:]


@kernel
def carried(R, D, k, pack):
    square, along = pack
    return square + R[k] * R[k], along + 2.0 * R[k] * D[k]


@kernel
def squares(R, n):
    D = rows(R, n)
    pack = ZEROS
    for k in range(n):
        pack = carried(R, D, k, pack)
        square, along = pack
        R[k] = square
        D[k] = along
    return abreast()


ZEROS = (0.0, 0.0)
"""
)


def test_values_have_no_lanes_beside_tangents_that_have(kernels: Kernels) -> None:
    """A row of `rows` has `abreast()` numbers. Results of one function, carried by a loop, are numbers and lanes."""
    n, rng = 5, np.random.default_rng(0)
    value, tangents = rng.normal(size=n), rng.normal(size=(n, ABREAST))
    compiled = Kernels(f"{kernels.name}_rows", VALUES_AND_TANGENTS).entry("squares")
    one = load_plain(VALUES_AND_TANGENTS)
    R = np.concatenate([value, tangents.ravel()])
    assert compiled(R, n) == ABREAST
    for lane in range(ABREAST):
        S = np.concatenate([value, tangents[:, lane]])
        assert one.squares(S, n) == 1
        assert np.array_equal(S, np.concatenate([R[:n], R[n:].reshape(n, ABREAST)[:, lane]]))


def test_plain_and_compiled_kernels_are_equal() -> None:
    """The text as plain Python and as machine code agrees on a model's start."""
    program = compile_model(pendulum())
    one, two = program.new_record(), program.new_record()
    assert load_kernels(program.module).enter_initialise(one) == load_plain(program.module).initialise(two) == 0
    assert np.array_equal(one, two)
