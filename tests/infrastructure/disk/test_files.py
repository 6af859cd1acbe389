"""Atomic file writes: temporary files of killed writers are removed by the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.disk import files
from mbs_fmu.infrastructure.disk.files import replacing
from support.hosts.fmus import environment, python

pytestmark = pytest.mark.quick
WRITER = """
import sys
from mbs_fmu.infrastructure.disk.files import replacing
with replacing(sys.argv[1]) as beside:
    beside.write_text("half")
    print("begun", flush=True)
    beside.write_text(sys.stdin.read())
"""


def writer(path: Path) -> subprocess.Popen[str]:
    """A process that begins to write a file and completes it when it receives the text."""
    command, pipe = [sys.executable, "-c", WRITER, str(path)], subprocess.PIPE
    child = subprocess.Popen(command, env=environment(), stdin=pipe, stdout=pipe, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    return child


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.usual
@pytest.mark.skipif(os.name != "posix", reason="other systems don't say which processes run: by age alone there")
def test_files_of_killed_writers_are_removed(tmp_path: Path) -> None:
    """The unfinished file of a writer killed by kill -9 is removed by the next writer in that folder; files of running
    writers stay.
    """
    running, killed = writer(tmp_path / "slow.csv"), writer(tmp_path / "lost.csv")
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(hidden(tmp_path)) == 2 and not (tmp_path / "lost.csv").exists()
    with replacing(tmp_path / "other.csv") as beside:
        assert len(hidden(tmp_path)) == 1
        beside.write_text("new")
    running.communicate("all")
    assert running.returncode == 0
    assert (tmp_path / "slow.csv").read_text() == "all" and (tmp_path / "other.csv").read_text() == "new"
    assert not hidden(tmp_path)


def test_files_of_other_machines_go_by_age(tmp_path: Path) -> None:
    """Files of other machines and of earlier versions are removed after a day; other hidden files stay."""
    names = {
        "machine": f".{'0' * 16}-1-{'0' * 16}.tmp.csv", "earlier": f".{'a' * 32}.tmp.fmu", "bare": f".{'a' * 32}.tmp",
        "another's": f".{'a' * 31}.tmp.csv", "swap": ".run.csv.tmp", "folder": f".{'b' * 32}.tmp.d",
        "own": f".{files._machine()}-{os.getpid()}-{'0' * 16}.tmp.csv",
    }  # fmt: skip
    for name in names.values():
        (tmp_path / name).mkdir() if name.endswith(".d") else (tmp_path / name).write_text("")
    remaining = set(names.values())
    for age, gone in ((0.9 * files.STALE, ()), (1.1 * files.STALE, ("machine", "earlier", "bare", "own"))):
        for name in remaining:
            os.utime(tmp_path / name, (time.time() - age,) * 2)
        files._next_search.clear()
        (tmp_path / "run.csv").unlink(missing_ok=True)
        with replacing(tmp_path / "run.csv") as beside:
            beside.write_text("")
        remaining -= {names[name] for name in gone}
        assert {path.name for path in tmp_path.iterdir()} == {*remaining, "run.csv"}


def test_searches_take_a_hundredth_of_the_time(tmp_path: Path) -> None:
    """A folder is searched again only after a hundred times the duration of the search."""
    (tmp_path / "some").write_text("")
    with replacing(tmp_path / "run.csv") as beside:
        beside.write_text("")
    files._next_search[tmp_path] = time.monotonic() + 1e3
    left = tmp_path / f".{'a' * 32}.tmp"
    left.write_text("")
    os.utime(left, (0.0, 0.0))
    with replacing(tmp_path / "run.csv") as beside:
        beside.write_text("")
    assert left.exists()
    files._next_search[tmp_path] = time.monotonic()
    with replacing(tmp_path / "run.csv") as beside:
        beside.write_text("")
    assert not left.exists()


KILLED = """
import os, sys
import mbs_fmu as mbs
from mbs_fmu.fmi import packing
m = mbs.Model("clock")
m.state("x", 1.0)
packing.zipfile.ZipFile.close = lambda self: os.kill(os.getpid(), 9)
mbs.export(m, sys.argv[1], stop_time=0.1)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_exports_clear_up_behind_killed_ones(tmp_path: Path) -> None:
    """The hidden file of an export that was killed while packing is removed by the next export."""
    path = tmp_path / "clock.fmu"
    assert python(KILLED, str(path)).returncode == -signal.SIGKILL
    m = mbs.Model("clock")
    m.state("x", 1.0)
    mbs.export(m, path, stop_time=0.1)
    assert {p.name for p in tmp_path.iterdir()} == {"clock.fmu", "clock_ref.csv"}
