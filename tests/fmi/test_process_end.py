"""Processes that ran Python FMUs end without a fault, with their own exit code."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import pytest
from fmpy import extract
from pythonfmu.builder import FmuBuilder

from mbs_fmu.fmi.python_slave import ModelSlave
from mbs_fmu.infrastructure.disk.cache import cache_directory
from support.cases import tiers
from support.hosts.fmus import Builder, python
from support.paths import HOSTS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the cure is for Linux")

FOREIGN = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Real

class Plain(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.y = 1.0
        self.register_variable(Real("y", causality=Fmi2Causality.output))

    def do_step(self, time, size):
        return True
"""
FMPY = """
import sys
import fmpy
for path in sys.argv[1:]:
    fmpy.simulate_fmu(path, stop_time=0.1, step_size=0.01)
"""
MASTER = """
import sys
from mbs_fmu import System
system = System()
for k, path in enumerate(sys.argv[1:]):
    system.add(f"i{k}", path)
system.run(0.1, 0.01, progress=False)
"""
CODE = FMPY + "sys.exit(7)"


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain FMU of pythonfmu, independent of this package."""
    folder = tmp_path_factory.mktemp("foreign")
    (folder / "plain.py").write_text(FOREIGN, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        return Path(FmuBuilder.build_FMU(folder / "plain.py", dest=folder, needsExecutionTool=False))


@pytest.fixture(scope="module")
def fence(tmp_path_factory: pytest.TempPathFactory, foreign: Path) -> Path:
    """A library that kills a process at any use of freed memory in an FMU's wrapper; skips where it cannot be built."""
    pytest.importorskip("ziglang", reason="the fence is compiled by the package ziglang")
    library = tmp_path_factory.mktemp("fence") / "fence.so"
    cache = str(cache_directory() / "zig")
    options = ["-shared", "-fPIC", "-O1", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", *options, str(HOSTS / "fence.c"), "-o", str(library)],
        check=True, timeout=300, env={"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache},
    )  # fmt: skip
    if python(FMPY, str(foreign), LD_PRELOAD=str(library)).returncode == 0:
        pytest.skip("this pythonfmu releases its interpreter once")
    return library


def assert_ends_well(code: str, *paths: Path, **environment: str) -> None:
    done = python(code, *map(str, paths), **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("code", tiers({"master": MASTER, "fmpy": FMPY}, usual=1))
def test_nothing_is_used_after_it_was_freed(fmu: Builder, fence: Path, code: str) -> None:
    """The wrappers of one FMU, and of two in one process, never touch freed memory, to the end of the process.

    The fence makes accidental survival impossible: without the fix it kills each of these processes, as it kills that
    of a plain FMU in fmpy.
    """
    assert_ends_well(code, fmu("swing"), LD_PRELOAD=str(fence))
    assert_ends_well(code, fmu("swing"), fmu("top"), LD_PRELOAD=str(fence))


@pytest.mark.slow
def test_master_protects_fmus_of_other_tools(fence: Path, foreign: Path) -> None:
    """The package's co-simulation applies the fix to plain FMUs of pythonfmu too."""
    assert_ends_well(MASTER, foreign, LD_PRELOAD=str(fence))


@pytest.mark.parametrize("tunables", ["", "glibc.malloc.tcache_count=0"], ids=["plain", "no thread cache"])
def test_processes_end_well(fmu: Builder, tunables: str) -> None:
    """Processes end well with the default allocator and with another one, which exposes other memory."""
    for _ in range(3):
        assert_ends_well(FMPY, fmu("swing"), GLIBC_TUNABLES=tunables)


def test_exit_code_is_kept(fmu: Builder) -> None:
    """A program's exit code reaches its caller."""
    assert python(CODE, str(fmu("swing"))).returncode == 7


def test_nothing_is_logged_while_an_instance_is_made(fmu: Builder, tmp_path: Path) -> None:
    """Instantiation logs nothing, since the wrapper would read such messages after it freed them."""
    extract(str(fmu("swing")), str(tmp_path))
    slave = ModelSlave(instance_name="instance", resources=str(tmp_path / "resources"), visible=False)
    assert slave._get_log_queue() == []
