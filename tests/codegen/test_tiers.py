"""Quick and full machine code: equal bits, and a safe change from quick to full code."""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import loader, target
from mbs_fmu.codegen.entries import QuickCode
from mbs_fmu.codegen.loader import Kernels
from mbs_fmu.infrastructure.disk import cache
from mbs_fmu.run.bundled import bundled_model
from support.hosts.fmus import environment, python

TEXT = """
import numpy as np
from numba import njit

from mbs_fmu.codegen.entries import kernel


@kernel
def wave(x):
    y = x
    for k in range(20):
        y += np.sin(y) / (k + 1.0)
    return y


@kernel
def sums(R, n):
    for k in range(n):
        R[0] += wave(R[0] + k)
    return n


@kernel
def products(R, n):
    R[0] = 1.0
    for k in range(n):
        R[0] *= 1.0 + wave(R[0]) / (sums(R, k) + 1.0)
    return n
"""
ARRAY_INT = ("array", "int")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an empty cache; every call of quick code makes the next one request full code."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(loader, "COST", 0.0)
    return tmp_path


def kernels() -> Kernels:
    """Return new kernels, as another process has them."""
    return Kernels("mbs_fmu_kernels_tiers", TEXT)


def is_full(of: Kernels, name: str) -> bool:
    """True if a kernel runs as full code."""
    function = of._functions[name, ARRAY_INT]
    return not isinstance(function, QuickCode)


def result(of: Kernels, name: str = "products") -> float:
    R = np.array([0.3])
    assert of.entry(name)(R, 7) == 7
    return float(R[0])


def full(name: str = "products") -> float:
    """Return the result of full code, in a cache of its own."""
    made = Kernels("mbs_fmu_kernels_full", TEXT)
    made.tier = "full"
    return result(made, name)


# -- from quick to full -------------------------------------------------------------------------------


def test_quick_and_full_code_give_the_same_bits(folder: Path) -> None:
    """They agree before the change of code, at it and after it."""
    ours = kernels()
    results = [result(ours)]
    assert not is_full(ours, "products")
    results += [result(ours), result(ours)]
    assert is_full(ours, "products") and results == [full()] * 3


@pytest.mark.usual
@pytest.mark.parametrize("name", ["four_bar", pytest.param("stewart_platform", marks=pytest.mark.slow)])
def test_a_change_of_code_within_a_run_changes_no_row(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that begins with quick code and ends with full code has the rows of one with full code from the start."""
    monkeypatch.setattr("mbs_fmu.run.single.FIRST_BUDGET", 20)

    def run() -> mbs.Result:
        model = bundled_model(name, name)
        return mbs.simulate(model, 0.2, rtol=1e-7, inputs=dict.fromkeys(model.inputs, 0.0))

    changed = run()
    monkeypatch.setenv(loader.TIER_VARIABLE, "full")
    monkeypatch.setattr(loader, "_loaded", {})
    monkeypatch.setattr(loader, "_recent", type(loader._recent)())
    straight = run()
    assert changed.statistics == straight.statistics
    np.testing.assert_array_equal(changed.data, straight.data)
    tiers = {path.name.endswith(".quick") for path in (folder / "kernels").iterdir()}
    assert tiers == {True, False}


def test_short_runs_use_quick_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Full code is compiled after quick code has run for as long as the compilation takes, and not before."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(loader, "COST", 1.0)
    ours = kernels()
    for _ in range(50):
        result(ours)
    assert not is_full(ours, "products")
    ours._functions["products", ARRAY_INT]._time_left = -1.0
    result(ours)
    assert is_full(ours, "products")


def test_a_second_process_uses_cached_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It uses full code if cached, otherwise quick code; nothing is compiled."""
    first = kernels()
    for _ in range(2):
        result(first)
    result(first, "sums")
    monkeypatch.setattr(loader, "machine_code", None)
    second = kernels()
    assert result(second) == result(first) and is_full(second, "products")
    assert result(second, "sums") == result(first, "sums") and not is_full(second, "sums")


@pytest.mark.quick
@pytest.mark.parametrize(("variable", "value"), [(loader.TIER_VARIABLE, "fast"), (target.PROCESSOR_VARIABLE, "x86-65")])
def test_invalid_environment_variables_are_refused(variable: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence gives the remedy."""
    monkeypatch.setenv(variable, value)
    target.processor.cache_clear()
    try:
        with pytest.raises(mbs.ModelError, match=f"{variable} is '{value}'.*leave it out, or give"):
            target.processor() if variable == target.PROCESSOR_VARIABLE else Kernels("mbs_fmu_kernels_none", TEXT)
    finally:
        target.processor.cache_clear()


# -- failures --------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [OSError("no space left"), MemoryError(), RuntimeError("LLVM")])
def test_a_run_continues_if_full_code_fails(
    folder: Path, fault: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One warning reports the failure, and no result is lost."""
    ours = kernels()
    before = result(ours)

    def fails(*_: object) -> None:
        raise fault

    monkeypatch.setattr(loader, "machine_code", fails)
    with caplog.at_level(logging.WARNING):
        assert [result(ours) for _ in range(5)] == [before] * 5
    assert len(caplog.records) == 1 and "slower code" in caplog.text


def test_ctrl_c_during_compilation_loses_no_result(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C acts before a call, which leaves its numbers unchanged; the next call compiles full code."""
    ours = kernels()
    before = result(ours)
    compile_them = loader.machine_code

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loader, "machine_code", interrupted)
    R = np.array([0.3])
    with pytest.raises(KeyboardInterrupt):
        ours.entry("products")(R, 7)
    assert R[0] == 0.3
    monkeypatch.setattr(loader, "machine_code", compile_them)
    assert result(ours) == before and is_full(ours, "products")


def cached_files(folder: Path) -> list[Path]:
    return sorted((folder / "kernels").iterdir())


@pytest.fixture
def three(folder: Path) -> list[Path]:
    """Return the cache files of a process that compiled three kernels in turn, of which the last
    one calls the others.
    """
    ours = kernels()
    R = np.zeros(1)
    ours.entry("wave")(0.5)
    ours.entry("sums")(R, 2)
    ours.entry("products")(R, 2)
    files = cached_files(folder)
    assert len(files) == 3
    return files


@pytest.mark.parametrize("gone", range(3))
def test_cached_code_without_its_callees_is_compiled_again(three: list[Path], gone: int) -> None:
    """Each entry of the cache is removed in turn, as unused ones are."""
    three[gone].unlink()
    assert result(kernels()) == full()


def test_callers_of_missing_functions_are_compiled_again(folder: Path, three: list[Path]) -> None:
    """An entry of the same name has fewer functions: the callers of the others are compiled again."""
    (sums,) = (path for path in three if ".sums." in path.name)
    (products,) = (path for path in three if ".products." in path.name)
    sums.unlink()
    products_before = products.read_bytes()
    other = kernels()
    other.ensure_compiled(("sums", ARRAY_INT), ("products", ARRAY_INT))  # the cached `products` needs it
    for path in cached_files(folder):
        if path != sums:
            path.unlink()
    products.write_bytes(products_before)
    assert result(kernels()) == full()


@pytest.mark.parametrize("harm", ["cut", "bent", "empty"])
@pytest.mark.parametrize("which", range(3))
def test_damaged_code_is_compiled_again(three: list[Path], which: int, harm: str) -> None:
    data = bytearray(three[which].read_bytes())
    data[len(data) // 2] ^= 1
    three[which].write_bytes({"cut": data[: len(data) // 2], "bent": data, "empty": b""}[harm])
    assert result(kernels()) == full()


# -- threads and processes ----------------------------------------------------------------------------


def test_threads_get_right_results_during_the_change(folder: Path) -> None:
    """Four threads call the same kernels while full code replaces quick code: each always has the right numbers."""
    ours, expected, wrong = kernels(), full(), []

    def work() -> None:
        for _ in range(200):
            computed = result(ours)
            if computed != expected:
                wrong.append(computed)

    result(ours)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and is_full(ours, "products")


def test_calls_do_not_wait_for_the_compilation_of_full_code(folder: Path) -> None:
    """While another thread, or another process, holds the lock, calls use quick code and request full code later."""
    ours = kernels()
    result(ours)
    quick = ours._functions["products", ARRAY_INT]
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with loader._lock:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    began = time.monotonic()
    quick(np.zeros(1), 7)
    assert time.monotonic() - began < 1.0 and not is_full(ours, "products")
    done.set()
    thread.join()
    with cache.lock(ours._cache_entry(("products", ARRAY_INT), "full")):
        quick(np.zeros(1), 7)
        assert not is_full(ours, "products")
    quick(np.zeros(1), 7)
    quick(np.zeros(1), 7)
    assert is_full(ours, "products")


FORKS = """
import os, signal, sys, threading
import numpy as np
from mbs_fmu.codegen import loader
loader.COST = 0.0
ours = loader.Kernels("mbs_fmu_kernels_forks", sys.argv[1])
def result():
    R = np.array([0.3])
    ours.entry("products")(R, 7)
    return R[0]
expected, begun, compile_them = result(), threading.Event(), loader.machine_code
def slowly(*how):
    begun.set()
    return compile_them(*how)
loader.machine_code = slowly
thread = threading.Thread(target=result)  # makes full code
thread.start()
begun.wait()
children = []
for _ in range(4):
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(0 if all(result() == expected for _ in range(3)) else 1)
    children.append(child)
thread.join()
print([os.waitpid(child, 0)[1] for child in children])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_forked_children_compile_full_code_by_themselves(tmp_path: Path) -> None:
    """Children that are forked during the compilation work, whatever lock a missing thread held."""
    ran = python(FORKS, TEXT, **{cache.CACHE_VARIABLE: str(tmp_path)})
    assert ran.stdout == "[0, 0, 0, 0]\n", ran.stderr


POOL = """
import sys, time
import numpy as np
from mbs_fmu.codegen import loader
loader.COST = 1e-6
ours = loader.Kernels("mbs_fmu_kernels_pool", sys.argv[1])
found, made, compile_them = set(), [], loader.machine_code
def noted(module, wanted, tier, *how):
    made.append(tier)
    return compile_them(module, wanted, tier, *how)
loader.machine_code = noted
end = time.monotonic() + 60.0
key, calls = ("products", ("array", "int")), 20  # some of which are made after the change to full code
while calls and time.monotonic() < end:
    R = np.array([0.3])
    ours.entry("products")(R, 30)
    found.add(float(R[0]).hex())
    calls -= type(ours._functions[key]).__name__ != "QuickCode"
print(*found, made.count("full"), type(ours._functions[key]).__name__)
"""


@pytest.mark.slow
def test_a_pool_of_processes_compiles_full_code_once(tmp_path: Path) -> None:
    """Four processes with one cache have the same bits, one compiles full code, and all of them end with it."""
    variables = environment(**{cache.CACHE_VARIABLE: str(tmp_path)})
    pool = [
        subprocess.Popen([sys.executable, "-c", POOL, TEXT], env=variables, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    outputs = [process.communicate(timeout=120)[0].split() for process in pool]
    assert len({bits for bits, *_ in outputs}) == 1
    assert sum(int(made) for _, made, _ in outputs) == 1
    assert {kind for *_, kind in outputs} == {"builtin_function_or_method"}


ENDS = """
import os, sys, threading
import numpy as np
from mbs_fmu.codegen import loader
loader.COST = 0.0
ours, compile_them = loader.Kernels("mbs_fmu_kernels_ends", sys.argv[1]), loader.machine_code
def ends(*how):
    threading.Timer(float(sys.argv[2]), os._exit, [0]).start()
    return compile_them(*how)
loader.machine_code = ends
for _ in range(3):
    ours.entry("products")(np.array([0.3]), 7)
"""


@pytest.mark.usual
def test_processes_that_end_during_compilation_leave_valid_caches(folder: Path) -> None:
    """They end at several moments of the compilation; later processes find complete entries or none."""
    for delay in (0.0, 0.002, 0.005, 0.01, 0.02):
        python(ENDS, TEXT, str(delay))
    ours = Kernels("mbs_fmu_kernels_ends", TEXT)
    assert [result(ours) for _ in range(3)] == [full()] * 3
    assert not list(folder.rglob("*.tmp*"))


FIRST_RUN = """
import signal
import mbs_fmu as mbs
from mbs_fmu.codegen import loader
from mbs_fmu.run import single
from mbs_fmu.run.bundled import bundled_model
loader.COST, single.FIRST_BUDGET = 1e-6, 50
mbs.simulate(bundled_model("double_pendulum", "double_pendulum"), 0.01)  # imports what it needs: Python's affair
print("ready", flush=True)
try:
    rows = mbs.simulate(bundled_model("four_bar", "four_bar"), 40.0, rtol=1e-10).data
except mbs.Interrupted as interrupted:
    rows = interrupted.result.data
except KeyboardInterrupt:
    rows = None  # there was none yet
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("first", flush=True)
again = mbs.simulate(bundled_model("four_bar", "four_bar"), 40.0, rtol=1e-10).data
print("none" if rows is None else len(rows) and (rows == again[: len(rows)]).all())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_at_any_moment_of_a_first_run_keeps_valid_rows(tmp_path: Path) -> None:
    """Rows up to Ctrl-C are valid, and the next run in the same process is complete."""

    def ended(share: float) -> str:
        """Return the output of a process that is interrupted after this share of the duration of the first one."""
        nonlocal took
        variables = environment(**{cache.CACHE_VARIABLE: str(tmp_path / str(share))})
        ours = [sys.executable, "-c", FIRST_RUN]
        with subprocess.Popen(ours, env=variables, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None and run.stdout.readline() == "ready\n"
            began = time.monotonic()
            if share < 1.0:
                time.sleep(share * took)
                run.send_signal(signal.SIGINT)
            assert run.stdout.readline() == "first\n"
            took = max(took, time.monotonic() - began)
            output = run.stdout.read().strip()
        return output if run.returncode == 0 else f"ended with {run.returncode} after {share:.3f}"

    took, rng = 0.0, random.Random(28)
    assert ended(1.0) == "True"
    outputs = {ended(rng.random()) for _ in range(20)}
    assert outputs == {"none", "True"}
