"""Native FMUs in hosts that have no Python: C programs, other systems, threads, random calls.

The programs are in tests/hosts; zig compiles them here. What is for Windows runs under wine, what is for Linux on
64-bit ARM under qemu, each where installed. The libraries for macOS were not run on a Mac: here their headers and
signatures are read. Random calls for longer, and from another seed:

    MBS_FMU_FUZZ=1000000 MBS_FMU_SEED=7 pytest tests/test_native_hosts.py -k random

and long runs: MBS_FMU_STEPS=100000000 pytest tests/test_native_hosts.py -k long
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy import read_model_description

import mbs_fmu as mbs
from fmus import METHODS, MODELS, Builder
from mbs_fmu.fmi.native import linking, platforms
from mbs_fmu.fmi.native.platforms import ALL, host
from mbs_fmu.kernels.loader import cache_directory
from mbs_fmu.simulate import compiled

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow
SOURCES = Path(__file__).parent / "hosts"
HEADERS = Path(fmpy.__file__).parent / "c-code"
TICK = 1 / 128  #: a communication step whose multiples are exact
COUNT = 200
TORQUE = 0.8
OUTPUTS = ("time", "speed", "slide", "alpha", "beta", "energy")
FUZZ = int(os.environ.get("MBS_FMU_FUZZ", "10000"))
SEED = os.environ.get("MBS_FMU_SEED", "1")
STEPS = int(os.environ.get("MBS_FMU_STEPS", "100000"))
STRICT = ("-std=c99", "-O2", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror")
SANITIZE = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-trap=all")


# -- programs and libraries ------------------------------------------------------------------------------


def zig(platform: str, source: Path, out: Path, *options: str) -> Path:
    """Compile a program for a platform; zig's own libraries are kept where exports keep them."""
    cache = str(cache_directory() / "zig")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", ALL[platform].zig, *(options or STRICT)]
    libraries = ["-ldl", "-lpthread"] if "linux" in platform else []
    subprocess.run(
        [*command, f"-I{SOURCES}", f"-I{HEADERS}", str(source), "-o", str(out), *libraries],
        env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache}, check=True,
    )  # fmt: skip
    return out


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Programs of tests/hosts by name and platform, each compiled once."""
    folder, made = tmp_path_factory.mktemp("hosts"), {}

    def get(name: str, platform: str = host()) -> Path:
        if (name, platform) not in made:
            made[name, platform] = zig(platform, SOURCES / f"{name}.c", folder / f"{name}_{platform}.exe")
        return made[name, platform]

    return get


@pytest.fixture(scope="module")
def governor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The governor, FMI 2.0, for all platforms, also for the one that FMI 2.0 has no folder for."""
    path = tmp_path_factory.mktemp("governor") / "governor.fmu"
    arm = dataclasses.replace(ALL["aarch64-linux"], folder2="aarch64-linux")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(platforms.ALL, arm.name, arm)
        return mbs.export(MODELS["governor"](), path, "native", stop_time=1.0, **METHODS["rk4"])


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """FMUs for this platform by model, method and version, each built once; skips where it has none."""
    if host() not in ALL:
        pytest.skip(f"there are no native FMUs for {host()}")
    return Builder(tmp_path_factory.mktemp("native"))


def only_linux() -> None:
    if host() != "x86_64-linux":
        pytest.skip("needs 64-bit Linux on x86")


def library(fmu: Path, folder: Path) -> Path:
    """The library of an archive, unpacked; `folder` is its place under binaries."""
    with zipfile.ZipFile(fmu) as archive:
        name = next(n for n in archive.namelist() if n.startswith(f"binaries/{folder.name}/"))
        folder.mkdir(exist_ok=True, parents=True)
        out = folder / Path(name).name
        out.write_bytes(archive.read(name))
    return out


def place(fmi: str = "2.0") -> str:
    """The folder of this platform's binaries."""
    return str(ALL[host()].folder2 if fmi == "2.0" else host())


def token(fmu: Path) -> str:
    description = read_model_description(str(fmu))
    return str(description.guid or description.instantiationToken)


def execute(*command: object, **environment: str) -> str:
    """What a program prints; its exit code must be 0."""
    done = subprocess.run(
        [str(part) for part in command], env={**os.environ, **environment}, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


# -- the same run in C, on three systems -----------------------------------------------------------------


def arguments(fmu: Path, size: float, count: int) -> list[str]:
    references = {v.name: v.valueReference for v in read_model_description(str(fmu)).modelVariables}
    outputs = [str(references[name]) for name in OUTPUTS]
    return [token(fmu), repr(size), str(count), f"{references['torque']}={TORQUE}", *outputs]


def rows(text: str) -> np.ndarray:
    return np.array([[float(x) for x in line.split()] for line in text.splitlines()])


def simulated(size: float) -> np.ndarray:
    result = mbs.simulate(
        MODELS["governor"](), COUNT * size, inputs={"torque": TORQUE}, output_interval=size, **METHODS["rk4"]
    )
    return np.column_stack([result[name][1:] for name in OUTPUTS])


def assert_close(found: np.ndarray, expected: np.ndarray, bound: float) -> None:
    """Each column within `bound` of its largest magnitude."""
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= bound * np.max(np.abs(expected), axis=0))


def test_c_host_gives_the_bits_of_simulate(program: Callable[..., Path], here: Builder, tmp_path: Path) -> None:
    """Loaded by a C program, with communication points that both clocks hit: every number, bit for bit."""
    fmu = here("governor", kind="native")
    text = execute(program("run"), library(fmu, tmp_path / place()), *arguments(fmu, TICK, COUNT))
    assert np.array_equal(rows(text), simulated(TICK))


def test_c_host_with_a_decimal_step(program: Callable[..., Path], here: Builder, tmp_path: Path) -> None:
    """200 steps of 0.01 s: as `simulate`, but for the round-off of the clocks."""
    fmu = here("governor", kind="native")
    text = execute(program("run"), library(fmu, tmp_path / place()), *arguments(fmu, 0.01, COUNT))
    assert_close(rows(text), simulated(0.01), 1e-12)


def test_windows_library_under_wine(program: Callable[..., Path], governor: Path, tmp_path: Path) -> None:
    """A Windows program with the Windows library: as `simulate`, but for last bits of another C library's functions
    (200 steps of 8 parts; measured with wine 8: not a bit)."""
    debian = Path("/usr/lib/wine/wine64")  # which has no wine64 on the path without the package wine
    wine = shutil.which("wine64") or shutil.which("wine") or (str(debian) if debian.is_file() else None)
    if wine is None:
        pytest.skip("wine is not installed")
    quiet = {"WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    dll = library(governor, tmp_path / "win64")
    try:
        text = execute(wine, program("run", "x86_64-windows"), f"Z:{dll}", *arguments(governor, TICK, COUNT), **quiet)
    finally:
        subprocess.run([wine, "wineboot", "-k"], env={**os.environ, **quiet}, capture_output=True)
        shutil.rmtree(tmp_path / "wine", ignore_errors=True)
    assert_close(rows(text), simulated(TICK), 1e-12)


def test_arm_library_under_qemu(program: Callable[..., Path], governor: Path, tmp_path: Path) -> None:
    """A program and the library for Linux on 64-bit ARM: as `simulate`, but for last bits of another processor's C
    library (measured with qemu 7.2 and glibc 2.36: not a bit)."""
    qemu, system = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if qemu is None:
        pytest.skip("qemu-aarch64 is not installed (Debian: qemu-user)")
    if not (system / "lib" / "ld-linux-aarch64.so.1").exists():
        pytest.skip(f"no C library for 64-bit ARM in {system} (Debian: libc6-arm64-cross)")
    so = library(governor, tmp_path / "aarch64-linux")
    text = execute(qemu, "-L", system, program("run", "aarch64-linux"), so, *arguments(governor, TICK, COUNT))
    assert_close(rows(text), simulated(TICK), 1e-12)


# -- long runs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_a_long_run_counts_its_communication_points(
    program: Callable[..., Path], here: Builder, tmp_path: Path, fmi: str
) -> None:
    """k h of a C program, never a sum: every step is taken, and the FMU's time is the program's, to one rounding.
    In 1e8 steps (MBS_FMU_STEPS=100000000) clocks that add up drift apart by more than any of them allows."""
    fmu = here("swing", kind="native", fmi=fmi)
    name, values = {"2.0": ("long", ["0"]), "3.0": ("long3", [])}[fmi]
    text = execute(program(name), library(fmu, tmp_path / place(fmi)), token(fmu), 1e-3, STEPS, *values)
    print(text)
    made, time = text.split()
    assert (int(made), float(time)) == (STEPS, pytest.approx(STEPS * 1e-3, rel=4e-16))


# -- threads ---------------------------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other(program: Callable[..., Path], here: Builder, tmp_path: Path) -> None:
    """1000 instances with different inputs, made, stepped in turns, saved, restored and freed by 8 threads: each ends
    as if it ran alone, bit for bit."""
    only_linux()
    fmu = here("governor", kind="native")
    so = library(fmu, tmp_path / place())
    text = execute(program("threads"), 1000, 8, so, *arguments(fmu, TICK, 20))
    assert text.split() == ["1000", "instances,", "1000", "the", "same,", "1000", "distinct"]


def valgrind() -> list[str]:
    only_linux()
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    return ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=9"]


def test_threads_leave_no_memory_behind(program: Callable[..., Path], here: Builder, tmp_path: Path) -> None:
    """The same with 24 instances under valgrind: no invalid access, nothing uninitialised, nothing lost."""
    checked = valgrind()
    fmu = here("governor", kind="native")
    so = library(fmu, tmp_path / place())
    execute(*checked, program("threads"), 24, 8, so, *arguments(fmu, TICK, 4))


# -- random calls ----------------------------------------------------------------------------------------

RANDOM = [
    pytest.param("2.0", "gyro", "rk4", id="fmi2-gyro-rk4"),
    pytest.param("2.0", "top", "dopri5", id="fmi2-top-dopri5"),
    pytest.param("2.0", "speed_regulator", "dopri5", id="fmi2-without-states"),
    pytest.param("2.0", "linkage", "rk4", id="fmi2-closed-loop"),
    pytest.param("3.0", "gyro", "rk4", id="fmi3-gyro-rk4"),
    pytest.param("3.0", "linkage", "dopri5", id="fmi3-closed-loop"),
    pytest.param("3.0", "top", "dopri5", id="fmi3-top-dopri5"),
    pytest.param("3.0", "speed_regulator", "rk4", id="fmi3-without-states"),
]


def table(fmu: Path) -> str:
    """Length and kind of every value reference for tests/hosts/fuzz.h; 0- where there is no such."""
    entries = {}
    for v in read_model_description(str(fmu)).modelVariables:
        settable = v.causality == "input" or (v.causality == "parameter" and v.variability == "tunable")
        kind = "i" if settable else {"output": "o", "independent": "t"}.get(v.causality, "-")
        entries[v.valueReference] = f"{math.prod(int(d.start) for d in v.dimensions or [])}{kind}"
    return "".join(entries.get(k, "0-") for k in range(max(entries) + 1))


def fuzz(fmu: Path, so: Path, other: Path, other_so: Path, model: str, method: str, count: int) -> list[object]:
    """Arguments of the programs fuzz and fuzz3."""
    states = compiled(MODELS[model]()).program.state_slice
    steps = "fixed" if "step" in METHODS[method] else "adaptive"
    return [
        so, token(fmu), other_so, token(other), table(fmu), states.stop - states.start, steps, SEED, count
    ]  # fmt: skip


def prepared(here: Builder, folder: Path, fmi: str, model: str, method: str, count: int) -> list[object]:
    fmu, other = here(model, method, "native", fmi), here("governor", "rk4", "native", fmi)
    so, other_so = (library(f, folder / f.stem / place(fmi)) for f in (fmu, other))
    return fuzz(fmu, so, other, other_so, model, method, count)


@pytest.mark.parametrize(("fmi", "model", "method"), RANDOM)
def test_random_calls(
    program: Callable[..., Path], here: Builder, tmp_path: Path, fmi: str, model: str, method: str
) -> None:
    """Whatever is called in whatever order with whatever arguments: no crash; a refusal is told with a text; what comes
    with OK is finite; reset always works; damaged and foreign states are refused (all laws: tests/hosts/fuzz.h)."""
    count = FUZZ if method == "rk4" else FUZZ // 10
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    text = execute(program(name), *prepared(here, tmp_path, fmi, model, method, count))
    ok, _, discarded, errors, _, made = map(int, re.findall(r"\d+", text))
    print(text)
    assert min(ok, errors) > 20 * count and discarded > 0 and made > count


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_random_calls_touch_no_other_memory(
    program: Callable[..., Path], here: Builder, tmp_path: Path, fmi: str
) -> None:
    """Under valgrind: no invalid access, nothing uninitialised, nothing lost."""
    checked = valgrind()
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    for model in ("gyro", "linkage"):
        execute(*checked, program(name), *prepared(here, tmp_path, fmi, model, "rk4", 100))


@pytest.fixture
def sanitized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exports whose wrapper stops at undefined behaviour."""
    kept = [option for option in linking.OPTIONS if option != "-fno-sanitize=all"]
    monkeypatch.setattr(linking, "OPTIONS", (*kept, *SANITIZE))


def test_sanitizer_stops_at_undefined_behaviour(tmp_path: Path) -> None:
    """The options of the next test end a program that converts -1.0 to an unsigned number."""
    source = tmp_path / "wrong.c"
    source.write_text("int main(int n, char **a) { (void)a; return (int)((unsigned long)(-1.0 * n) & 0); }\n")
    out = tmp_path / "wrong.exe"
    assert subprocess.run([zig(host(), source, out, "-std=c99", "-O2", "-fno-sanitize=all")]).returncode == 0
    assert subprocess.run([zig(host(), source, out, "-std=c99", "-O2", *SANITIZE)]).returncode != 0


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.usefixtures("sanitized")
def test_random_calls_have_defined_behaviour(program: Callable[..., Path], tmp_path: Path, fmi: str) -> None:
    """The wrapper compiled with the undefined behaviour sanitizer: it finds nothing in random calls."""
    only_linux()
    builder = Builder(tmp_path)
    name = {"2.0": "fuzz", "3.0": "fuzz3"}[fmi]
    for model in ("gyro", "linkage"):
        execute(program(name), *prepared(builder, tmp_path, fmi, model, "rk4", 2000))


# -- what a library needs and shows ----------------------------------------------------------------------


def functions(fmi: str) -> set[str]:
    """All functions of a version of FMI, from the standard's header."""
    text = (HEADERS / f"fmi{fmi[0]}FunctionTypes.h").read_text(encoding="utf-8", errors="replace")
    return set(re.findall(rf"^\s*typedef\s+[\w* ]+?\s*\b(fmi{fmi[0]}\w+)TYPE\s*\(", text, re.MULTILINE))


class Elf:
    """What the dynamic linker reads of a 64-bit little-endian ELF library."""

    def __init__(self, data: bytes):
        self.data = data
        assert data[:6] == b"\x7fELF\x02\x01"
        offset, (size, count) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + k * size) for k in range(count)]

    def text(self, section: tuple[int, ...], offset: int) -> str:
        start = self.sections[section[6]][4] + offset
        return self.data[start : self.data.index(b"\0", start)].decode()

    def rows(self, kind: int, form: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Section and entry, for the sections of a kind that are tables."""
        for s in self.sections:
            if s[1] == kind:
                yield from ((s, row) for row in struct.iter_unpack(form, self.data[s[4] : s[4] + s[5]]))

    def needed(self) -> set[str]:
        return {self.text(s, value) for s, (tag, value) in self.rows(6, "<QQ") if tag == 1}

    def exported(self) -> set[str]:
        symbols = self.rows(11, "<IBBHQQ")
        return {self.text(s, name) for s, (name, info, other, where, _, _) in symbols if where and info >> 4 in (1, 2)}

    def versions(self) -> set[str]:
        """Names of the symbol versions that are needed of other libraries."""
        found = set()
        for s in (s for s in self.sections if s[1] == 0x6FFFFFFE):
            place = s[4]
            for _ in range(s[7]):
                _, count, _, first, following = struct.unpack_from("<HHIII", self.data, place)
                entry = place + first
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<IHHII", self.data, entry)
                    found.add(self.text(s, name))
                    entry += step
                place += following
        return found


@pytest.mark.parametrize("folder", ["linux64", "aarch64-linux"])
def test_linux_library_needs_the_c_library_only(governor: Path, tmp_path: Path, folder: str) -> None:
    """libc and libm, no version of them above 2.17, and it shows FMI's functions alone, all of them."""
    elf = Elf(library(governor, tmp_path / folder).read_bytes())
    assert elf.needed() <= {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}
    assert elf.versions()
    assert all(tuple(map(int, v.removeprefix("GLIBC_").split("."))) <= (2, 17) for v in elf.versions())
    assert elf.exported() == functions("2.0")


def test_fmi3_library_shows_the_functions_of_fmi3(here: Builder, tmp_path: Path) -> None:
    """All of them and nothing else."""
    only_linux()
    elf = Elf(library(here("governor", "rk4", "native", "3.0"), tmp_path / host()).read_bytes())
    assert elf.exported() == functions("3.0")


# -- macOS -----------------------------------------------------------------------------------------------

ID_DYLIB, LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0xD, 0xC, 0x1D, 0x32
EXPORTS_TRIE, DYLD_INFO = 0x80000033, 0x80000022
LINKER = {"__dso_handle", "_mh_dylib_header"}  #: what zig's linker adds
CPUS = {0x01000007: "x86_64", 0x0100000C: "arm64"}


def slices(data: bytes) -> dict[str, bytes]:
    """The parts of a universal Mach-O by processor."""
    magic, count = struct.unpack_from(">II", data)
    assert magic == 0xCAFEBABE
    out = {}
    for k in range(count):
        cpu, _, offset, size, align = struct.unpack_from(">5I", data, 8 + 20 * k)
        assert offset % 2**align == 0 and offset + size <= len(data)
        out[CPUS[cpu]] = data[offset : offset + size]
    return out


def commands(part: bytes) -> dict[int, list[bytes]]:
    """Load commands of a 64-bit dynamic library by their kind."""
    magic, _, _, filetype, count = struct.unpack_from("<5I", part)
    assert (magic, filetype) == (0xFEEDFACF, 6)
    out: dict[int, list[bytes]] = {}
    place = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", part, place)
        out.setdefault(kind, []).append(part[place : place + size])
        place += size
    return out


def name_in(command: bytes) -> str:
    start = struct.unpack_from("<I", command, 8)[0]
    return command[start:].split(b"\0")[0].decode()


def number(trie: bytes, place: int) -> tuple[int, int]:
    """A number in seven bits a byte, and the place behind it."""
    value = shift = 0
    while True:
        value |= (trie[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if trie[place - 1] < 128:
            return value, place


def shown(trie: bytes, node: int = 0, name: bytes = b"") -> set[str]:
    """Names in a trie of exported symbols, without their first underscore."""
    size, place = number(trie, node)
    out = {name.decode().removeprefix("_")} if size else set()
    count, place = trie[place + size], place + size + 1
    for _ in range(count):
        end = trie.index(b"\0", place)
        child, following = number(trie, end + 1)
        out |= shown(trie, child, name + trie[place:end])
        place = following
    return out


def exports(part: bytes) -> bytes:
    """The trie of exported symbols, where dyld looks for it."""
    found = commands(part)
    if EXPORTS_TRIE in found:
        start, size = struct.unpack_from("<II", found[EXPORTS_TRIE][0], 8)
    else:
        start, size = struct.unpack_from("<II", found[DYLD_INFO][0], 40)
    return part[start : start + size]


@pytest.mark.parametrize("cpu", CPUS.values())
def test_macos_library(governor: Path, tmp_path: Path, cpu: str) -> None:
    """A dynamic library found beside its importer, for macOS since 11, that needs the system's library only and shows
    FMI's functions alone. Read here, not run on a Mac."""
    parts = slices(library(governor, tmp_path / "darwin64").read_bytes())
    assert set(parts) == set(CPUS.values())
    found = commands(parts[cpu])
    assert [name_in(c) for c in found[ID_DYLIB]] == ["@rpath/governor.dylib"]
    assert [name_in(c) for c in found[LOAD_DYLIB]] == ["/usr/lib/libSystem.B.dylib"]
    assert [struct.unpack_from("<II", c, 8) for c in found[BUILD_VERSION]] == [(1, 11 << 16)]
    assert shown(exports(parts[cpu])) - LINKER == functions("2.0")


def test_macos_library_is_signed_where_it_must(governor: Path, tmp_path: Path) -> None:
    """On Apple's processors nothing unsigned is loaded: an ad hoc signature, whose hashes are those of the pages.
    Read here, not run on a Mac."""
    part = slices(library(governor, tmp_path / "darwin64").read_bytes())["arm64"]
    start, _ = struct.unpack_from("<II", commands(part)[CODE_SIGNATURE][0], 8)
    magic, _, count = struct.unpack_from(">III", part, start)
    assert magic == 0xFADE0CC0
    blobs = [start + struct.unpack_from(">II", part, start + 12 + 8 * k)[1] for k in range(count)]
    directory = next(b for b in blobs if struct.unpack_from(">I", part, b)[0] == 0xFADE0C02)
    flags, hashes, _, _, pages, limit = struct.unpack_from(">6I", part, directory + 12)
    size, kind, _, log_page = struct.unpack_from(">4B", part, directory + 36)
    assert flags & 2 and (size, kind) == (32, 2) and limit == start
    for k in range(pages):
        page = part[k << log_page : min((k + 1) << log_page, limit)]
        at = directory + hashes + 32 * k
        assert hashlib.sha256(page).digest() == part[at : at + 32]
