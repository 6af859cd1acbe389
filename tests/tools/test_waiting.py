"""Progress: stages and bars on a terminal or in a notebook, lines in a log on request, nothing elsewhere."""

from __future__ import annotations

import contextvars
import io
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen import loader
from mbs_fmu.importing.contacts import adding, pairs
from mbs_fmu.infrastructure import progress as waiting
from mbs_fmu.infrastructure import screens

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

    encoding = "utf-8"  # type: ignore[assignment]
    terminal = True

    def isatty(self) -> bool:
        return self.terminal

    def shown_lines(self) -> list[str]:
        """Lines shown since the last call, without control characters and bars."""
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.getvalue())
        self.seek(0)
        self.truncate()
        lines = [" ".join(re.sub("[━╸╺]+", " ", line).split()) for line in re.split(r"[\r\n]+", text)]
        return [line for line in lines if line]


class Broken(Terminal):
    """A terminal that is gone."""

    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    monkeypatch.setattr(screens, "time", clock)
    monkeypatch.setattr(waiting, "_display", waiting._Display())
    return clock


@pytest.fixture
def terminal(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
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


def test_stages_of_a_call_are_shown(terminal: Terminal, clock: Clock) -> None:
    """From two seconds of the call on; at its end the terminal is as before."""
    with waiting.watched(None):
        compiles(clock, seconds=1.5)
        shown = terminal.getvalue()
    lines = Terminal(shown).shown_lines()
    assert lines[0] == "excavator translating, 87 of 260 functions"  # 1.5 s and 87 of 260 times 1.5 s exceed 2 s
    assert lines[-1] == "excavator machine code, about 2 s"
    assert all(line.startswith("excavator translating, ") for line in lines[:-1])
    assert len(lines) < 14  # and not one for each function
    assert terminal.getvalue()[len(shown) :].endswith("\x1b[2K")  # the line is erased


LINK = """<link name="l{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial><collision><geometry><sphere radius="0.1"/></geometry></collision></link>"""
JOINT = """<joint name="j{0}" type="continuous"><parent link="l{0}"/><child link="l{1}"/><origin xyz="0.3 0 0"/>
<axis xyz="0 0 1"/></joint>"""


def test_pairs_of_robot_files_are_counted(
    terminal: Terminal, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """While the reader looks for pairs that touch, and while it adds their contacts; not in short calls."""
    path = tmp_path / "chain.urdf"
    joints = "".join(JOINT.format(k, k + 1) for k in range(4))
    path.write_text(f'<robot name="chain">{"".join(map(LINK.format, range(5)))}{joints}</robot>')
    contacts = mbs.FileContacts(friction=0.5, poses=100)
    robot = mbs.from_urdf(path, contacts=contacts)
    assert len(robot.contacts) == 6 and terminal.shown_lines() == []
    for name in ("reaches", "contact"):
        kind = {"reaches": pairs.Choice, "contact": adding.Adding}[name]
        real = getattr(kind, f"_{name}")
        monkeypatch.setattr(kind, f"_{name}", lambda *given, real=real: (clock.passes(1.0), real(*given))[1])
    mbs.from_urdf(path, contacts=contacts)
    lines = terminal.shown_lines()
    assert lines[0] == "reach of chain 2/6 pairs, 4 s left"
    assert "contacts of chain 3/6 pairs, 3 s left" in lines
    mbs.from_urdf(path)
    assert terminal.shown_lines() == []


def test_short_calls_are_silent(terminal: Terminal, clock: Clock) -> None:
    """Also many of them; a stage that is known to be long is shown at once."""
    for _ in range(4):
        with waiting.watched(None):
            compiles(clock, seconds=0.6)
    assert terminal.getvalue() == ""
    with waiting.progress_notice("long"):
        waiting.set_stage("machine code", seconds=240.0)
        assert terminal.shown_lines() == ["long machine code, about 4 min"]


@pytest.mark.usual
def test_short_runs_do_not_import_rich() -> None:
    """rich takes tens of milliseconds, which only long calls spend."""
    script = (
        "import sys, mbs_fmu as mbs; m = mbs.Model('m'); m.state('z', rate=1.0);"
        "mbs.simulate(m, 1.0, progress=True); print('rich' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_pipes_show_progress_on_request_only(terminal: Terminal, clock: Clock) -> None:
    """Pipes and logs show nothing, or on request a line for each stage."""
    with waiting.watched(False):
        compiles(clock, "quiet", 2.0)
        with waiting.watched(None):
            compiles(clock, "quiet too", 2.0)
    terminal.terminal = False
    compiles(clock, "piped", 2.0)
    assert terminal.getvalue() == ""
    with waiting.watched(True):
        compiles(clock, "wanted", 2.0)
    assert terminal.getvalue().splitlines() == [
        "wanted: translating, 0 of 260 functions", "wanted: machine code, about 2 s", "wanted: done in 6 s",
    ]  # fmt: skip


def test_only_the_main_thread_shows(terminal: Terminal, clock: Clock) -> None:
    """Other threads neither begin nor change a display."""

    def elsewhere() -> None:
        with waiting.watched(None):
            compiles(clock, "other", 2.0)

    other = threading.Thread(target=elsewhere)
    other.start()
    other.join()
    assert terminal.getvalue() == ""
    with waiting.progress_notice("chain"):
        waiting.set_stage("tracing")
        other = threading.Thread(target=elsewhere)
        other.start()
        other.join()
        waiting.count(0)
        assert terminal.shown_lines() == ["chain tracing"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_forks_show_nothing(terminal: Terminal, clock: Clock) -> None:
    """Forked processes would all write to one terminal."""
    child = os.fork()
    if not child:
        compiles(clock, seconds=3.0)
        os._exit(bool(terminal.getvalue()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    compiles(clock, seconds=3.0)
    assert terminal.shown_lines()


@pytest.mark.parametrize("stream", [Broken(), None, io.StringIO()], ids=["broken", "none", "closed"])
def test_a_lost_terminal_costs_nothing(stream: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """The work completes, with progress requested or not."""
    attached(monkeypatch, stream)
    if isinstance(stream, io.StringIO) and not isinstance(stream, Terminal):
        stream.close()
    for wanted in (None, True):
        with waiting.watched(wanted), waiting.Bar("excavator", 10, "row") as bar:
            compiles(clock, seconds=2.0)
            bar.update(10)
    assert bar.n == 10


def test_an_error_ends_the_display(terminal: Terminal, clock: Clock) -> None:
    """The error's message begins a line, and the next call has a display of its own."""
    with pytest.raises(KeyboardInterrupt), waiting.watched(None), waiting.progress_notice("excavator"):
        clock.passes(3.0)
        waiting.set_stage("tracing")
        raise KeyboardInterrupt
    assert set(terminal.shown_lines()) == {"excavator tracing"}
    assert not waiting._display.parts and not waiting._display.depth
    compiles(clock, "chain", 3.0)
    assert {line.split()[0] for line in terminal.shown_lines()} == {"chain"}


def test_long_runs_show_further_compilations(terminal: Terminal, clock: Clock) -> None:
    """Compilation is shown below the bar of the run, which continues afterwards."""
    with waiting.watched(None), waiting.Bar("excavator", 500, "row") as bar:
        clock.passes(0.5)
        bar.update(10)
        assert terminal.shown_lines() == []
        clock.passes(3.5)
        bar.update(40)
        assert terminal.shown_lines() == ["excavator 50/500 rows, 36 s left"]
        with waiting.progress_notice("excavator", "long run, compiling faster code", seconds=5.0):
            waiting.set_stage("machine code", seconds=3.0)
            assert terminal.shown_lines()[-2:] == [
                "excavator 50/500 rows, 36 s left", "excavator long run, compiling faster code, about 5 s",
            ]  # fmt: skip
        clock.passes(1.0)
        bar.update(50)
        assert terminal.shown_lines()[-1] == "excavator 100/500 rows, 20 s left"


def test_exports_show_objects_and_links(terminal: Terminal, clock: Clock) -> None:
    """Each part has its share of the expected time; a thread with the context reports progress."""
    with waiting.watched(None), waiting.Shares("excavator") as bar:
        waiting.expect("links", 2.0)
        waiting.expect("objects", 6.0, ahead=True)
        waiting.expect("objects", 8.0, ahead=True)
        waiting.expect("", 4.0, ahead=True)
        clock.passes(2.5)
        bar.update()
        assert terminal.shown_lines() == ["excavator 0/2 objects, 0/1 links, about 20 s"]
        other = threading.Thread(target=contextvars.copy_context().run, args=(waiting.done, "objects"))
        other.start()
        other.join()
        assert bar.amount() / bar.total == 8.0 / 20.0
        waiting.note("C library")
        clock.passes(2.5)
        bar.update()
        assert terminal.shown_lines()[-1] == "excavator 1/2 objects, 0/1 links, C library, about 12 s"
        waiting.done("links")
        assert "library" not in bar.words()
    waiting.done("links")  # outside of an export
    waiting.expect("links", 1.0)
    waiting.note("alone")


def test_a_wait_for_another_process_is_shown(terminal: Terminal, clock: Clock) -> None:
    """However often reported; then the work of this process."""
    with waiting.progress_notice("excavator"):
        for _ in range(12):
            waiting.note_other_process()
            clock.passes(0.2)
        assert set(terminal.shown_lines()) == {"excavator waiting for another process"}
        waiting.set_stage("machine code", seconds=3.0)
        assert terminal.shown_lines()[-1] == "excavator machine code, about 3 s"


def test_lines_fit_in_narrow_terminals(terminal: Terminal, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts and the expected time stay visible: long titles are shortened."""
    monkeypatch.setenv("COLUMNS", "80")
    with waiting.watched(None), waiting.Shares("speed_regulator_of_the_excavator_with_trailer") as bar:
        for kind in ["objects"] * 24 + ["links"] * 8:
            waiting.expect(kind, 60.0)
        clock.passes(3.0)
        bar.update()
        (line,) = terminal.shown_lines()
        assert line.startswith("speed_regu") and line.endswith("… 0/24 objects, 0/8 links, about 32 min")


class Kernel:
    """The part of IPython that is needed: a shell with a kernel, and displays."""

    kernel = object()

    def __init__(self) -> None:
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
    return shell


def test_notebooks_have_one_text_for_each_call(kernel: Kernel, terminal: Terminal, clock: Clock) -> None:
    """The text changes, and the last one stays; nothing goes to standard error."""
    with waiting.watched(None):
        compiles(clock, seconds=3.0)
        with waiting.Bar("excavator", 500, "row") as bar:
            clock.passes(12.0)
            bar.update(500)
    (shown,) = kernel.outputs
    assert any("machine code, about 3 s" in text for text in shown)
    assert "500/500 rows" in shown[-2] and "━" in shown[-2]
    assert shown[-1] == "excavator: done in 21 s"
    assert terminal.getvalue() == ""


def test_ipython_on_a_terminal_is_a_terminal(kernel: Kernel, terminal: Terminal, clock: Clock) -> None:
    """IPython in a terminal shows the display of a terminal."""
    kernel.kernel = None  # type: ignore[assignment]
    compiles(clock, seconds=3.0)
    assert terminal.getvalue() == ""
    terminal.terminal = True
    compiles(clock, "chain", seconds=3.0)
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
        assert "slow machine code, about 3 s" in terminal.shown_lines()
