"""Forks while another thread computes: the child waits for no lock of that thread."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbs_fmu.record.program import Program
from support.hosts.fmus import python
from support.paths import ROOT


class Slow:
    """Variables whose iteration begins and then waits for an event."""

    def __init__(self) -> None:
        self.begun, self.ends = threading.Event(), threading.Event()

    def __iter__(self) -> Iterator[object]:
        self.begun.set()
        self.ends.wait(10)
        return iter(())


def program(variables: object) -> Program:
    texts = dict.fromkeys(("name", "description", "solver", "module"), "")
    lists = {name: [] for name in ("columns", "owners", "checks", "start_checks")}
    return Program(**texts, regions={}, variables=variables, vectors={}, **lists, quaternions={})  # type: ignore[arg-type]


@pytest.mark.quick
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_computes_what_a_thread_was_computing() -> None:
    """A property of a program is under computation in another thread; the child reads that of another program."""
    slow = Slow()
    thread = threading.Thread(target=lambda: program(slow).by_name)
    thread.start()
    assert slow.begun.wait(10)
    child = os.fork()
    if child == 0:
        signal.alarm(5)  # ends a child that hangs
        os._exit(0 if program([]).by_name == {} else 1)
    _, status = os.waitpid(child, 0)
    slow.ends.set()
    thread.join()
    assert status == 0


@pytest.mark.quick
def test_no_property_holds_a_lock() -> None:
    """Properties computed once are those of `infrastructure/cached_properties.py`."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "mbs_fmu").rglob("*.py")}
    lock = re.compile(r"functools\.cached_property|from functools import .*\bcached_property\b")
    assert [name for name, text in texts.items() if lock.search(text)] == ["cached_properties.py"]


FORKS = """
import os, signal, threading, time
import mbs_fmu as mbs

def work():
    m = mbs.Model("forked")
    m.body("a", joint=mbs.Revolute("y"), mass=1.0, com=(0.5, 0, 0), inertia=(0.1,) * 3)
    mbs.export_c(m, os.environ["FOLDER"] + f"/{os.getpid()}_{threading.get_ident()}")

thread = threading.Thread(target=work)
thread.start()
statuses = []
for k in range(12):
    time.sleep(0.04)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a child that hangs
        work()
        os._exit(0)
    statuses.append(os.waitpid(child, 0)[1])
thread.join()
assert statuses == [0] * 12, statuses
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
@pytest.mark.slow
def test_children_import_what_a_thread_was_importing(tmp_path: Path) -> None:
    """Children forked at any time of the first use of the package, in another thread, make the same use."""
    process = python(FORKS, FOLDER=str(tmp_path))
    assert process.returncode == 0, process.stderr
