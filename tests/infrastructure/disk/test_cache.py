"""The program cache: faults cost time only, and foreign files are never used."""

from __future__ import annotations

import dataclasses
import gc
import hashlib
import itertools
import linecache
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import loader
from mbs_fmu.command_line.cli import main
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.fmi.native import build, lowering
from mbs_fmu.fmi.native.platforms import ALL, Platform
from mbs_fmu.infrastructure.disk import cache, sources
from mbs_fmu.record.program import Program
from mbs_fmu.run.step_control import StepControl
from support.cases import tiers
from support.hosts.fmus import environment, python

FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda data: b"",
    "halved": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 4]) + data[len(data) // 2 + 1 :],
}
posix = pytest.mark.skipif(os.name != "posix", reason="owners and bits of files have no such meaning here")

#: A process that runs a pendulum and prints the bits of its last row.
RUN = """
import mbs_fmu as mbs
m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
rod = m.body("rod", parent="world", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
m.start(rod, q=0.5)
print("end", mbs.simulate(m, 0.1, method="rk4", step=0.01)["rod.phi"][-1].hex())
"""


def pendulum(name: str = "cached_rod") -> mbs.Model:
    """A pendulum; the name of its body makes its text that of no model in other tests, which may be in memory."""
    m = mbs.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.body(name, parent="world", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
    m.start(rod, q=0.5)
    return m


def run(name: str = "cached_rod") -> np.ndarray:
    """Result of the pendulum, with modules loaded anew."""
    loader._recent.clear()
    for _ in range(2):  # models, then the kernels of their runtimes
        gc.collect()
    return mbs.simulate(pendulum(name), 0.1, method="rk4", step=0.01).data


@pytest.fixture(scope="module", autouse=True)
def earlier_objects_left_alone() -> Iterator[None]:
    """Exempt the objects of other tests' imports and models from the collections of `run`, which would visit them."""
    loader._recent.clear()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test, without warnings so far."""
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "cache"


def entries(folder: Path) -> list[Path]:
    """The entries of models; the first run of a process adds hashes of sources, and common functions."""
    paths = (path for kind in ("kernels", "programs") for path in (folder / kind).glob("*"))
    return sorted(path for path in paths if path.suffix not in (".sources", ".common"))


def test_sound_entries_are_used(folder: Path) -> None:
    """A second load writes nothing."""
    good = run()
    files = {path: path.stat().st_ino for path in entries(folder)}
    assert np.array_equal(run(), good) and {path: path.stat().st_ino for path in entries(folder)} == files


EDITED = """
import sys
folder, what = sys.argv[1:]
sys.path.insert(0, folder)
from mbs_fmu.codegen import loader
from mbs_fmu.compile import build
from mbs_fmu.infrastructure.disk import sources
for module in (loader, build) if what == "edits" else ():
    assert module.__file__.startswith(folder)
    with open(module.__file__, "a") as file:
        file.write("# edited")
print(loader.module_hash("text"), sources.sources_and_versions())
"""


def test_edited_sources_invalidate_entries(tmp_path: Path) -> None:
    """After an edit of its sources a process's entries are not used by processes with the edited ones."""
    shutil.copytree(Path(mbs.__file__).parent, tmp_path / "mbs_fmu", ignore=shutil.ignore_patterns("__pycache__"))
    outputs = [python(EDITED, str(tmp_path), what).stdout.split(" ", 1) for what in ("edits", "none", "none")]
    assert outputs[1] == outputs[2] and outputs[0][0] != outputs[1][0] and outputs[0][1] != outputs[1][1]


def test_hashed_sources_are_all_that_compile_models() -> None:
    """Whatever the compiler of models imports, at once or within functions, is in the packages that the hash covers."""
    grimp = pytest.importorskip("grimp")
    imported = grimp.build_graph("mbs_fmu", cache_dir=None).find_upstream_modules("mbs_fmu.compile", as_package=True)
    assert {name.split(".")[1] for name in imported} | {"compile"} == set(sources.COMPILING)


COMMON = """
import sys
folder, line = sys.argv[1:]
sys.path.insert(0, folder)
if line:
    with open(f"{folder}/mbs_fmu/kernels/library.py", "a") as file:
        file.write(line)
import mbs_fmu as mbs
from mbs_fmu.run.simulate import compiled
m = mbs.Model("rod")
m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
m.output("E", mbs.energy() * float(len(sys.argv)), unit="J")
m.parameter("p" * 2 if line else "p", 1.0)
print(compiled(m).program.text.count("def added("))
"""


def test_edited_kernels_are_never_taken_from_the_cache(tmp_path: Path) -> None:
    """Functions that modules of many models contain are written anew after an edit of a kernel, and kept after that."""
    shutil.copytree(Path(mbs.__file__).parent, tmp_path / "mbs_fmu", ignore=shutil.ignore_patterns("__pycache__"))
    place, lines = tmp_path / "cache", ("", "\n\n\ndef added(x: float) -> float:\n    return x\n", "")
    counts, kept = [], []
    for line in lines:
        counts.append(python(COMMON, str(tmp_path), line, MBS_FMU_CACHE=str(place)).stdout.strip())
        kept.append({path.name: path.stat().st_ino for path in (place / "programs").glob("*.common")})
    assert counts == ["0", "1", "1"]
    assert kept[0].items() < kept[1].items() and kept[1] == kept[2]


# -- damage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", tiers(list(FAULTS), usual=1))
def test_damaged_entries_are_made_anew(folder: Path, caplog: pytest.LogCaptureFixture, fault: str) -> None:
    """Each damaged file gives the same bits, one warning, and a valid file in its place."""
    good = run()
    sound = {path: path.read_bytes() for path in entries(folder)}
    assert len(sound) == 2  # kernels that start and run, and the program
    for path, data in sound.items():
        path.write_bytes(FAULTS[fault](data))
        caplog.clear()
        assert np.array_equal(run(), good)
        assert cache.read(f"{path.parent.name}/{path.name}") is not None and set(entries(folder)) == set(sound)
    assert len(caplog.records) == 0  # the warning came the first time
    cache._warned.clear()
    path.write_bytes(FAULTS[fault](data))
    run()
    assert [r.levelname for r in caplog.records] == ["WARNING"] and path.name in caplog.text


@pytest.mark.slow
def test_processes_survive_every_damage(tmp_path: Path) -> None:
    """All files of the cache's folder, emptied, halved, or with one bit flipped, one at a time."""
    place = tmp_path / "cache"
    good = python(RUN, MBS_FMU_CACHE=str(place)).stdout
    assert good.startswith("end")
    for path in sorted(p for p in place.rglob("*") if p.is_file() and p.stat().st_size):
        data = path.read_bytes()
        for fault, damaged in FAULTS.items():
            path.write_bytes(damaged(data))
            done = python(RUN, MBS_FMU_CACHE=str(place))
            assert (done.returncode, done.stdout) == (0, good), f"{path.name} {fault}: {done.stderr[-2000:]}"
            path.write_bytes(data)


def test_entries_are_known_by_name(folder: Path) -> None:
    """A valid entry under another's name is refused: whoever renames files does not decide what runs."""
    cache.write("kernels/a", b"of a")
    (folder / "kernels" / "a").rename(folder / "kernels" / "b")
    assert cache.read("kernels/b") is None and not (folder / "kernels" / "b").exists()


@pytest.mark.slow
def test_code_that_can_not_be_loaded_is_made_anew(folder: Path) -> None:
    """Also an entry with a valid checksum over bytes that are no machine code or program."""
    good = run()
    for path in entries(folder):
        for content in (b"nothing that can be loaded", b'{"format": 1, "functions": [], "needs": []}\n', b"[1, 2, 3]"):
            cache.write(f"{path.parent.name}/{path.name}", content)
            assert np.array_equal(run(), good)


@pytest.mark.slow
def test_vanished_and_unreadable_entries(folder: Path) -> None:
    """An entry that disappears, or cannot be read, costs time only."""
    good = run()
    first, second = entries(folder)
    first.unlink()
    second.unlink()
    second.mkdir()  # unreadable for everybody, even root
    assert np.array_equal(run(), good)
    shutil.rmtree(folder)
    assert np.array_equal(run(), good)


Objects = Callable[..., dict[str, list[bytes]]]


@pytest.fixture
def orders() -> list[str]:
    """Triples of the requested objects."""
    return []


@pytest.fixture
def objects(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, orders: list[str]) -> Objects:
    """Object files of a platform, with short texts as content."""

    def write_objects(program: Program, advance: str, made: Iterable[lowering.Object], work: Path) -> None:
        orders.extend({one.platform.triple for one in made})
        for one in made:
            (work / one.name).write_bytes(f"{one.name} for {one.platform.triple}".encode())

    monkeypatch.setattr(lowering, "write_objects", write_objects)
    program, experiment = compile_model(pendulum()), Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 1000)
    numbers = itertools.count()

    def object_files(platform: Platform = ALL["x86_64-linux"]) -> dict[str, list[bytes]]:
        work = tmp_path / str(next(numbers))
        work.mkdir()
        paths = build._objects(program, experiment, [platform], "baseline", work)
        return {name: [path.read_bytes() for path in those] for name, those in paths.items()}

    return object_files


@pytest.mark.parametrize("fault", FAULTS)
def test_damaged_objects_are_rebuilt(folder: Path, objects: Objects, orders: list[str], fault: str) -> None:
    """Damaged object files of native FMUs, one at a time: the linker gets valid ones, rebuilt only when needed."""
    good = objects()
    assert objects() == good and len(orders) == 1
    files = [path for path in (folder / "objects").rglob("*") if path.is_file()]
    assert len(files) == 4  # steps for every processor and for newer ones, tangents, starts
    for number, path in enumerate(files, 2):
        path.write_bytes(FAULTS[fault](path.read_bytes()))
        assert objects() == good and len(orders) == number


@pytest.mark.usual
@pytest.mark.quick
def test_objects_are_for_one_system_and_processor(objects: Objects) -> None:
    """If a platform's system or processor changes, objects of the previous one are not used."""
    platform = ALL["x86_64-linux"]
    objects(platform)
    other = dataclasses.replace(platform, triple="x86_64-unknown-linux-musl")
    assert all(b"musl" in data for data in objects(other)["x86_64-linux"])
    assert len(objects(dataclasses.replace(platform, cpu="generic"))["x86_64-linux"]) == 3


# -- disks --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_full_disk(folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries that cannot be written: the same results, one warning, no partial files."""
    good = run()
    shutil.rmtree(folder)

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)
    caplog.clear()
    assert np.array_equal(run(), good)
    assert entries(folder) == [] and len([r for r in caplog.records if r.levelno == logging.WARNING]) == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare of util-linux")
@pytest.mark.parametrize("pages", [3, 5, 8, 12, 15])
def test_processes_survive_a_full_disk(tmp_path: Path, pages: int) -> None:
    """On a file system with room for no entry, a part, or all but the last."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = f'mount -t tmpfs -o size={4 * pages}k none "{place}" && exec "$@"'
    inside = ["unshare", "--mount", "sh", "-c", mounted, "sh"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("this user can't mount")
    good = python(RUN, MBS_FMU_CACHE=str(tmp_path / "cache")).stdout
    command = [*inside, sys.executable, "-c", RUN]
    done = subprocess.run(command, env=environment(MBS_FMU_CACHE=str(place)), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, good), done.stderr[-2000:]
    assert "Traceback" not in done.stderr


# -- ownership ----------------------------------------------------------------------------------------


@posix
def test_folders_are_the_owners_alone(folder: Path) -> None:
    """The cache's folders are accessible by their owner only."""
    folder.mkdir(mode=0o755)
    run()
    places = [folder, folder / "kernels", folder / "programs", *entries(folder)]
    assert [oct(p.stat().st_mode & 0o777) for p in places] == [*3 * ["0o700"], *2 * ["0o600"]]


@posix
@pytest.mark.parametrize("which", ["folder", "kernels", "file"])
@pytest.mark.parametrize("fault", ["owner", "bits"])
def test_writable_by_others_is_refused(
    folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, which: str, fault: str
) -> None:
    """A folder or file that others own or can write is refused with the remedy, and the run goes on."""
    cache.write("kernels/entry", b"theirs")
    path = {"folder": folder, "kernels": folder / "kernels", "file": folder / "kernels" / "entry"}[which]
    if fault == "bits":
        path.chmod(path.stat().st_mode | 0o020)
    else:
        inode = path.stat().st_ino
        real = os.geteuid()
        monkeypatch.setattr(
            cache, "require_own", lambda p, s, check=cache.require_own: check(p, seen(s, inode, real + 1))
        )
    assert cache.read("kernels/entry") is None
    assert str(path) in caplog.text and "folder of your own" in caplog.text
    caplog.clear()
    cache.write("kernels/entry", b"ours")
    assert cache.read("kernels/entry") == (b"ours" if which == "file" and fault == "bits" else None)
    assert all(r.levelno < logging.WARNING for r in caplog.records)


def seen(status: os.stat_result, inode: int, owner: int) -> os.stat_result:
    """A stat result in which this inode belongs to another user."""
    fields = list(status)
    if status.st_ino == inode:
        fields[4] = owner
    return os.stat_result(fields)


BOMB = """
import pickle, sys
from pathlib import Path
class Bomb:
    def __reduce__(self):
        return Path.touch, (Path(sys.argv[2]),)
for path in [p for p in Path(sys.argv[1]).rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")]:
    path.write_bytes(pickle.dumps(Bomb()))
"""


@posix
@pytest.mark.slow
@pytest.mark.parametrize("mode", [0o700, 0o777])
def test_foreign_pickles_are_never_run(tmp_path: Path, mode: int) -> None:
    """Foreign files in the cache are never unpickled."""
    place, fired = tmp_path / "cache", tmp_path / "fired"
    good = python(RUN, MBS_FMU_CACHE=str(place)).stdout
    python(BOMB, str(place), str(fired))
    place.chmod(mode)
    done = python(RUN, MBS_FMU_CACHE=str(place))
    assert not fired.exists()
    assert (done.returncode, done.stdout) == (0, good), done.stderr


# -- size and clearing --------------------------------------------------------------------------------


def test_the_longest_unused_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries stay within the size limit; a recently read one outlives younger ones."""
    size = len(hashlib.sha256().digest()) + 968
    monkeypatch.setenv(cache.SIZE_VARIABLE, str(3 * size / 1e6))
    for k, name in enumerate(("kernels/a", "kernels/b", "objects/c")):
        cache.write(name, bytes(968))
        os.utime(folder / name, (k + 1.0, k + 1.0))
    assert cache.read("kernels/a") is not None
    cache.write("objects/d", bytes(968))
    left = {name for name in ("kernels/a", "kernels/b", "objects/c", "objects/d") if cache.read(name) is not None}
    assert left == {"kernels/a", "objects/c", "objects/d"}
    assert sum(sum(sizes) for sizes in cache.sizes().values()) == 3 * size


def test_invalid_size_limits_are_reported(
    folder: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An invalid size limit is reported."""
    for limit in ("much", "-1", "nan"):
        monkeypatch.setenv(cache.SIZE_VARIABLE, limit)
        cache._warned.clear()
        assert cache.bound() == 1e6 * cache.BOUND and repr(limit) in caplog.text


def test_clearing_leaves_foreign_files(folder: Path) -> None:
    """Clearing removes the cache's own files only."""
    cache.write("kernels/a", b"1")
    cache.write("objects/b", b"2")
    (folder / "mine.txt").write_text("")
    (folder / "mbs_fmu_kernels_0.py").write_text("")
    cache.clear()
    assert os.listdir(folder) == ["mine.txt"]


def test_command_shows_and_clears(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`mbs-fmu cache` prints place, size and settings; `--clear` removes everything."""
    cache.write("kernels/a", bytes(10**6))
    monkeypatch.setenv(cache.SIZE_VARIABLE, "250")
    for options, sizes in (([], "1 files       1.0 MB"), (["--clear"], "0 files       0.0 MB")):
        monkeypatch.setattr(sys, "argv", ["mbs-fmu", "cache", *options])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr().out
        assert end.value.code == 0 and str(folder) in printed and sizes in printed and "at most 250 MB" in printed
    assert cache.read("kernels/a") is None


# -- processes and memory -----------------------------------------------------------------------------

HOLD = """
import os, sys, time
from pathlib import Path
from mbs_fmu.infrastructure.disk import cache
from mbs_fmu.command_line.cli import main
with cache.lock("kernels/entry"):
    Path(sys.argv[1]).touch()
    time.sleep(1.5)
    if sys.argv[2] == "dies":
        os._exit(1)
    cache.write("kernels/entry", b"made by the other")
"""


@pytest.mark.parametrize("end", ["well", "dies"])
def test_processes_wait_for_each_other(folder: Path, tmp_path: Path, end: str) -> None:
    """The second process uses what the first has compiled, and reports that it waits; a dead process blocks nobody."""
    started = tmp_path / "started"
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(started), end], env=environment())
    while not started.exists():
        assert other.poll() is None
        time.sleep(0.01)
    began, turns = time.monotonic(), []
    with cache.lock("kernels/entry", meanwhile=lambda: turns.append(time.monotonic())):
        assert len(turns) > 1 and turns[0] - began < 1.0  # so that the waiting process names the first one's work
        assert time.monotonic() - began > 0.5  # it held the lock for 1.5 s after that file existed
        assert cache.read("kernels/entry") == (b"made by the other" if end == "well" else None)
    other.wait()


def test_nobody_waits_for_ever(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that waits for a lock goes on after a time limit."""
    monkeypatch.setattr(cache, "PATIENCE", 0.1)
    with cache.lock("kernels/entry"), cache.lock("kernels/entry"):
        pass


@pytest.mark.slow
def test_modules_come_and_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest modules stay in memory, in no table of Python's; recompiled ones give the same bits."""
    monkeypatch.setattr(loader, "MOST_LOADED", 2)
    names = ["rod", "bar", "arm", "leg"]
    held = others()  # wherever they are referenced
    first = {name: run(name) for name in names}
    for cached in (True, False):
        if not cached:
            shutil.rmtree(folder)
        loader._recent.clear()
        for name in names:
            assert np.array_equal(mbs.simulate(pendulum(name), 0.1, method="rk4", step=0.01).data, first[name])
        assert len(loader._recent) == loader.MOST_LOADED and others() <= held


def others() -> set[str]:
    """Modules in memory, or their texts, that are not among the latest."""
    gc.collect()
    names = [*loader._loaded, *sys.modules, *(name.strip("<>") for name in linecache.cache)]
    return {name for name in names if name.startswith("mbs_fmu_kernels_")} - set(loader._recent)
