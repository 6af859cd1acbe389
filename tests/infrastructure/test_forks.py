"""Forks while another thread computes: the child waits for no lock of that thread."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Iterator

import pytest

from mbs_fmu.record.program import Program
from support.paths import ROOT

pytestmark = pytest.mark.quick


class Slow:
    """Variables whose iteration begins and then waits for an event."""

    def __init__(self) -> None:
        self.begun, self.ends = threading.Event(), threading.Event()

    def __iter__(self) -> Iterator[object]:
        self.begun.set()
        self.ends.wait(10)
        return iter(())


def program(variables: object) -> Program:
    texts = dict.fromkeys(("name", "description", "solver", "text"), "")
    lists = {name: [] for name in ("columns", "owners", "checks", "start_checks")}
    return Program(**texts, regions={}, variables=variables, vectors={}, **lists, quaternions={})  # type: ignore[arg-type]


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


def test_no_property_holds_a_lock() -> None:
    """Properties computed once are those of `infrastructure/cached_properties.py`."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in (ROOT / "mbs_fmu").rglob("*.py")}
    lock = re.compile(r"functools\.cached_property|from functools import .*\bcached_property\b")
    assert [name for name, text in texts.items() if lock.search(text)] == ["cached_properties.py"]
