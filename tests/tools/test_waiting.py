"""Progress notices: one line on a terminal or in a notebook, nothing elsewhere."""

from __future__ import annotations

import contextlib
import contextvars
import io
import os
import sys
import threading
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import loader
from mbs_fmu.infrastructure import (
    progress as waiting,
)
from mbs_fmu.infrastructure import (
    screens,
)

pytestmark = pytest.mark.quick


class Clock:
    """A clock that advances only on request."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


class Terminal(io.StringIO):
    """Standard error, as a terminal or not."""

    terminal = True

    def isatty(self) -> bool:
        return self.terminal

    def shown_lines(self) -> list[str]:
        """Lines shown since the last call, stripped."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return [line.strip() for line in text.split("\r")[1:]]


class Broken(Terminal):
    """A terminal that is gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    monkeypatch.setattr(screens, "time", clock)
    monkeypatch.setattr(waiting._Wait, "spent", {})
    monkeypatch.setattr(waiting, "_line", waiting._Line())
    return clock


@pytest.fixture
def terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "120")
    return attached(monkeypatch, Terminal())


def attached(monkeypatch: pytest.MonkeyPatch, stream: Any) -> Any:
    monkeypatch.setattr(screens, "sys", SimpleNamespace(stderr=stream, modules={}))
    return stream


def compiles(clock: Clock, title: str = "excavator", seconds: float = 0.8) -> None:
    """A compilation in three stages."""
    with waiting.progress_notice(title):
        waiting.set_stage("tracing")
        clock.passes(seconds)
    with waiting.progress_notice(title):
        waiting.set_stage("translating", of=260)
        for _ in range(260):
            clock.passes(seconds / 260)
            waiting.count()
        waiting.set_stage("machine code", seconds=seconds)
        clock.passes(seconds)


def test_stages_are_shown_in_one_line(terminal: Terminal, clock: Clock) -> None:
    """From the second second on, with common counts for the stages of one model; the line disappears at the end."""
    compiles(clock)
    lines = terminal.shown_lines()
    # 0.8 s and 66 of 260 times 0.8 s are a second
    assert lines[0] == "excavator: translating 2/3 (66 of 260 functions)"
    assert lines[-4:-2] == [
        "excavator: machine code 3/3, about 1 s",
        "excavator: ready in 2 s; cached for the next time",
    ]
    assert lines[-2:] == ["", ""]
    assert all(line.startswith("excavator: translating 2/3 (") for line in lines[:-4])
    assert len(lines) < 14  # and not one for each function


def test_a_call_is_ready_once(terminal: Terminal, clock: Clock) -> None:
    """One notice ends a call with many modules; the next call has its own time."""
    with waiting.watched(None):
        for _ in range(4):
            compiles(clock)
    lines = terminal.shown_lines()
    assert [line for line in lines if "ready" in line] == ["excavator: ready in 10 s; cached for the next time"]
    with waiting.watched(None):
        compiles(clock, seconds=0.2)
    assert terminal.shown_lines() == []


def test_short_waits_are_silent(terminal: Terminal, clock: Clock) -> None:
    """Also many of them with other work between; a wait that is known to be long is shown at once."""
    for _ in range(4):
        compiles(clock, seconds=0.2)
        clock.passes(3.0)
    with waiting.progress_notice("other"):
        waiting.set_stage("machine code", seconds=0.9)
        clock.passes(0.9)
    assert terminal.shown_lines() == []
    with waiting.progress_notice("long"):
        waiting.set_stage("machine code", seconds=240.0)
        assert terminal.shown_lines() == ["long: machine code 3/3, about 4 min"]


def test_pipes_show_progress_on_request_only(terminal: Terminal, clock: Clock) -> None:
    """Pipes and logs show nothing, or on request a line for each stage."""
    with waiting.watched(False):
        compiles(clock, "quiet")
        with waiting.watched(None):
            compiles(clock, "quiet too")
    terminal.terminal = False
    compiles(clock, "piped")
    assert terminal.getvalue() == ""
    with waiting.watched(True):
        compiles(clock, "wanted", 1.0)
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == "wanted: translating 2/3 (0 of 260 functions)"
    assert lines[1:] == ["wanted: machine code 3/3, about 1 s", "wanted: ready in 3 s; cached for the next time"]


def test_only_the_main_thread_shows(terminal: Terminal, clock: Clock) -> None:
    """Other threads neither begin nor change a line."""
    other = threading.Thread(target=compiles, args=(clock,))
    other.start()
    other.join()
    assert terminal.getvalue() == ""
    with waiting.progress_notice("chain"):
        waiting.set_stage("tracing")
        other = threading.Thread(target=compiles, args=(clock,))
        other.start()
        other.join()
        waiting.count(0)
        assert terminal.shown_lines() == ["chain: tracing 1/3"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_forks_show_nothing(terminal: Terminal, clock: Clock) -> None:
    """Forked processes would all write into one line."""
    child = os.fork()
    if not child:
        compiles(clock)
        os._exit(bool(terminal.getvalue()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    compiles(clock)
    assert terminal.shown_lines()


@pytest.mark.parametrize("stream", [Broken(), None, io.StringIO()], ids=["broken", "none", "closed"])
def test_a_lost_terminal_costs_nothing(stream: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work completes, with progress requested or not."""
    attached(monkeypatch, stream)
    if isinstance(stream, io.StringIO) and not isinstance(stream, Terminal):
        stream.close()
    for wanted in (None, True):
        with waiting.watched(wanted), waiting.Bar("excavator", 10, "row") as bar:
            compiles(clock)
            clock.passes(3.0)
            bar.update(10)
    assert bar.n == 10


def test_an_error_ends_the_line(terminal: Terminal, clock: Clock) -> None:
    """No completion is reported, and the error's message begins a line."""
    with pytest.raises(KeyboardInterrupt), waiting.progress_notice("excavator"):
        clock.passes(2.0)
        waiting.set_stage("tracing")
        raise KeyboardInterrupt
    assert terminal.shown_lines() == ["excavator: tracing 1/3", "", ""]
    assert not waiting._line.parts


@pytest.mark.parametrize("within", [contextlib.nullcontext, lambda: waiting.watched(None)], ids=["alone", "in a call"])
def test_ctrl_c_leaves_no_line(
    within: Callable[[], Any], terminal: Terminal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it comes, even while the line is drawn, the next wait begins its own line."""
    writes = 0

    class Pressed(Terminal):
        def write(self, text: str) -> int:
            nonlocal writes
            writes += 1
            if writes == moment:
                raise KeyboardInterrupt
            return super().write(text)

    for moment in range(1, 6):
        writes = 0
        attached(monkeypatch, Pressed())
        with contextlib.suppress(KeyboardInterrupt), within(), waiting.Bar("run", 500, "row") as bar:
            clock.passes(3.0)
            bar.update(100)
            with waiting.progress_notice("excavator", "long run, compiling faster code", seconds=5.0):
                clock.passes(3.0)
            bar.update(100)
        assert not waiting._line.parts and not waiting._line.calls
        attached(monkeypatch, terminal)
        compiles(clock, f"chain{moment}")
        assert all(line.startswith(f"chain{moment}: ") for line in terminal.shown_lines() if line)
        assert writes >= moment


def test_long_runs_show_further_compilations(terminal: Terminal, clock: Clock) -> None:
    """Compilation is shown in the bar of the run, which continues afterwards."""
    with waiting.watched(None), waiting.Bar("excavator", 500, "row") as bar:
        clock.passes(0.5)
        bar.update(10)
        assert terminal.shown_lines() == []
        clock.passes(3.5)
        bar.update(40)
        assert terminal.shown_lines() == ["excavator:  10%|█         | 50/500 rows, 00:04<00:36"]
        with waiting.progress_notice("excavator", "long run, compiling faster code", seconds=5.0):
            waiting.set_stage("machine code", seconds=3.0)
        assert set(terminal.shown_lines()) == {
            "excavator:  10%|█         | long run, compiling faster code, about 5 s",
            "excavator:  10%|█         | 50/500 rows, 00:04<00:36",
        }
        with waiting.progress_notice("chain"):
            waiting.set_stage("machine code", seconds=3.0)
        assert terminal.shown_lines()[0] == "excavator:  10%|█         | chain: machine code 3/3, about 3 s"


def test_exports_show_objects_and_links(terminal: Terminal, clock: Clock) -> None:
    """Each part has its share of the expected time and advances while it runs; if finished parts took longer than
    expected, the estimate of the others grows too.
    """

    def made(sort: str, seconds: float) -> str:
        for _ in range(10):
            clock.passes(seconds / 10)
            bar.update(0)
        waiting.done(sort)
        clock.passes(0.2)
        bar.update(0)
        return terminal.shown_lines()[-1]

    with waiting.watched(None), waiting.Shares("excavator") as bar:
        waiting.expect("links", 2.0)
        waiting.expect("objects", 6.0, ahead=True)
        waiting.expect("objects", 8.0, ahead=True)
        waiting.expect("", 4.0, ahead=True)
        clock.passes(1.5)
        bar.update(0)
        assert terminal.shown_lines() == [
            "excavator:   7%|▊         | 0/2 objects, 0/1 links, about 18 s"
        ]  # 1.5 of 20 s
        assert made("", 2.5) == "excavator:  21%|██        | 0/2 objects, 0/1 links, about 16 s"  # 4.2 of 20 s
        slower = made("objects", 19.8)
        assert slower == "excavator:  60%|██████    | 1/2 objects, 0/1 links, about 16 s"
        with waiting.Bar("excavator", 500, "row") as run:
            run.update(10)
        compiles(clock)
        waiting.note("C library")
        waiting.done("objects")
        assert "library" not in made("nothing", 0.1)
        waiting.note("C library")
        assert "1 links, C library, about " in made("nothing", 0.1)
        waiting.done("links")
    assert terminal.shown_lines()[-3].startswith("excavator: 2 objects, 1 link in ")
    waiting.done("links")  # every part of an export has a share
    waiting.expect("links", 1.0)
    waiting.note("alone")


def test_a_wait_for_another_process_is_shown(terminal: Terminal, clock: Clock) -> None:
    """From the second second on, however often reported; then the work of this process."""
    with waiting.progress_notice("excavator"):
        for _ in range(10):
            waiting.note_other_process()
            clock.passes(0.2)
        assert set(terminal.shown_lines()) == {"excavator: waiting for another process"}
        waiting.set_stage("machine code", seconds=3.0)
        assert terminal.shown_lines()[-1] == "excavator: machine code 3/3, about 3 s"


@pytest.mark.parametrize("title", ["excavator", "speed_regulator_of_the_excavator_with_trailer"])
def test_lines_of_exports_fit_in_80_columns(
    title: str, terminal: Terminal, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts and the expected time stay visible: long titles are shortened."""
    monkeypatch.setenv("COLUMNS", "80")
    with waiting.watched(None), waiting.Shares(title) as bar:
        for sort in ["objects"] * 24 + ["links"] * 8:
            bar.add(sort, 60.0, ahead=False)
        clock.passes(720.0)
        for _ in range(12):
            waiting.done("objects")
        waiting.note("C library")
        clock.passes(3.0)
        bar.update(0)
        (line,) = terminal.shown_lines()
        assert len(line) < 80 and line.startswith(title[:6])
        assert "12/24 objects, 0/8 links, C library, about " in line and line.endswith(" min")


def test_the_work_of_an_export_may_be_elsewhere(terminal: Terminal, clock: Clock) -> None:
    """A thread with the context reports progress; the main thread shows it."""
    with waiting.watched(None), waiting.Shares("excavator") as bar:
        bar.add("links", 2.0, ahead=False)
        other = threading.Thread(target=contextvars.copy_context().run, args=(waiting.done, "links"))
        other.start()
        other.join()
        assert terminal.shown_lines() == []
        clock.passes(2.0)
        bar.update(0)
        assert terminal.shown_lines() == ["excavator: 100%|██████████| 1/1 links"]


class Kernel:
    """The part of IPython that is needed: a shell with a kernel, and displays."""

    kernel = object()

    def __init__(self) -> None:
        self.execution_count = 1
        self.outputs: list[list[str]] = []

    def display(self, data: dict[str, str], raw: bool, display_id: bool) -> Any:
        assert raw and display_id
        output = [data["text/plain"]]
        self.outputs.append(output)
        return SimpleNamespace(update=lambda data, raw: output.append(data["text/plain"]))


@pytest.fixture
def kernel(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """A notebook, whose standard error is no terminal."""
    shell = Kernel()
    terminal.terminal = False
    display = ModuleType("IPython.display")
    display.display = shell.display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(screens.sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))  # type: ignore[arg-type]
    monkeypatch.setattr(screens.Notebook, "_handle", None)
    return shell


def test_notebooks_have_one_text_for_each_cell(kernel: Kernel, terminal: Terminal, clock: Clock) -> None:
    """The text changes, and the last one stays; nothing goes to standard error."""
    compiles(clock)
    with waiting.watched(None), waiting.Bar("excavator", 500, "row") as bar:
        clock.passes(12.0)
        bar.update(500)
    assert len(kernel.outputs) == 1
    assert "excavator: ready in 2 s; cached for the next time" in kernel.outputs[0]
    assert kernel.outputs[0][-1] == "excavator: 500 rows in 12 s"
    kernel.execution_count += 1
    compiles(clock, "chain")
    assert kernel.outputs[1][-1] == "chain: ready in 2 s; cached for the next time"
    assert kernel.outputs[0][-1] == "excavator: 500 rows in 12 s"
    assert terminal.getvalue() == ""


def test_ipython_on_a_terminal_is_a_terminal(kernel: Kernel, terminal: Terminal, clock: Clock) -> None:
    """IPython in a terminal shows the line of a terminal."""
    kernel.kernel = None  # type: ignore[assignment]
    compiles(clock)
    assert terminal.getvalue() == ""
    terminal.terminal = True
    compiles(clock, "chain")
    assert terminal.shown_lines()
    assert kernel.outputs == []


def test_compilations_name_their_model(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run's compilation, and compilation without a run, name their model."""
    m = mbs.Model("slow")
    m.state("z", rate=1.0)

    def slowly(*_: object) -> None:
        waiting.set_stage("machine code", seconds=3.0)
        raise NotImplementedError("in a test")

    monkeypatch.setattr(loader, "machine_code", slowly)
    monkeypatch.setattr(loader.cache, "read", lambda name: None)
    with pytest.raises(NotImplementedError, match="in a test"):
        mbs.simulate(m, 1.0, progress=False)
    assert terminal.shown_lines() == []
    for call in (lambda: mbs.simulate(m, 1.0), lambda: mbs.linearize(m)):
        with pytest.raises(NotImplementedError, match="in a test"):
            call()
        assert "slow: machine code 3/3, about 3 s" in terminal.shown_lines()
