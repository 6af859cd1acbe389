"""Who waits for what can't be counted is told so once, on a terminal."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

import mbs_fmu as mbs
from mbs_fmu import waiting
from mbs_fmu.codegen import loader

pytestmark = pytest.mark.quick


class Screen(io.StringIO):
    """Standard error, on a terminal or not."""

    terminal = True

    def isatty(self) -> bool:
        return self.terminal

    def said(self) -> str:
        """What was written since this was last asked."""
        text = self.getvalue()
        self.seek(0)
        self.truncate()
        return text


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Where anything that takes a tenth of a second is told."""
    screen = Screen()
    monkeypatch.setattr(waiting, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.setattr(waiting, "DELAY", 0.1)
    monkeypatch.setattr(waiting, "_spent", {})
    monkeypatch.setattr(waiting, "_told", set())
    return screen


def wait(title: str, seconds: float) -> None:
    with waiting.waiting(title, f"making {title}"):
        time.sleep(seconds)


def test_long_waits_are_told_once(screen: Screen) -> None:
    """Short ones count together, each title's for itself."""
    wait("four_bar", 0.3)
    assert screen.said() == "making four_bar\n"
    wait("four_bar", 0.3)
    wait("platform", 0.06)
    wait("chain", 0.06)
    assert screen.said() == ""
    wait("platform", 0.09)
    assert screen.said() == "making platform\n"


def test_nothing_is_told_where_nobody_looks(screen: Screen) -> None:
    """In no terminal, or where the run was told so; `progress=True` tells it anywhere."""
    with waiting.shown(False):
        wait("quiet", 0.3)
    screen.terminal = False
    wait("piped", 0.3)
    assert screen.said() == ""
    with waiting.shown(True):
        wait("wanted", 0.3)
    assert "making wanted" in screen.said()


def test_kernels_tell_whose_they_are(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that compiles, and what compiles without a run: with the model's name and where the result is kept."""
    m = mbs.Model("slow")
    m.state("z", rate=1.0)

    def slowly(*_: object) -> None:
        time.sleep(0.3)
        raise NotImplementedError("in a test")

    monkeypatch.setattr(loader, "machine_code", slowly)
    monkeypatch.setattr(loader.cache, "read", lambda name: None)
    for call in (lambda: mbs.simulate(m, 1.0, progress=False), lambda: mbs.linearize(m)):
        with pytest.raises(NotImplementedError, match="in a test"):
            call()
    assert screen.said().startswith("compiling slow, the first time; kept in ")
