"""Common parts of the drivers of browsers: a screen in memory, keys and drags of the pointer, waiting, pictures."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

SCREEN = shutil.which("Xvfb")
HAS_SCREEN = bool(SCREEN or os.environ.get("DISPLAY"))
TIMEOUT = 60.0  #: s


class Tab:
    """A tab of a browser, in a context manager. `said` collects what its page says on the console and requests."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.opened = ExitStack()  #: what ends with the tab

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def open(self, address: str) -> None:
        """Go to an address, and wait until the page is loaded."""
        raise NotImplementedError

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page, by way of JSON."""
        raise NotImplementedError

    def act(self, actions: list[dict[str, Any]]) -> None:
        """Perform actions of input devices, in the form of WebDriver."""
        raise NotImplementedError

    def picture(self) -> bytes:
        """Return a picture of the page (PNG)."""
        raise NotImplementedError

    def until(self, condition: str) -> None:
        """Wait for a condition."""
        began = time.monotonic()
        while time.monotonic() < began + TIMEOUT:
            if self.evaluate(condition):
                return
            time.sleep(0.1)
        raise AssertionError(f"never: {condition}")

    def keys(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.act([{"type": "key", "id": "keys", "actions": actions}])

    def drag(self, start: tuple[float, float], to: tuple[float, float], held: float) -> None:
        """Press at a point of the page (px), move, and let go after so many seconds."""
        steps: list[dict[str, Any]] = [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1])}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(to[0]), "y": round(to[1]), "duration": 300},
            {"type": "pause", "duration": round(1000 * held)}, {"type": "pointerUp", "button": 0},
        ]  # fmt: skip
        self.act([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}])


def screen_environment(opened: ExitStack) -> dict[str, str]:
    """Return an environment with a screen and drawing in software; a new screen ends with `opened`."""
    environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
    if "DISPLAY" not in environment:
        environment["DISPLAY"] = _new_screen(opened)
    return environment


def started(opened: ExitStack, command: list[str], environment: dict[str, str], said: Path) -> subprocess.Popen[bytes]:
    """Start a process whose words go to a file; it ends with `opened`."""
    with said.open("w") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
    opened.callback(_end, process)
    return process


def _new_screen(opened: ExitStack) -> str:
    """Start a screen in memory; return its name."""
    read, write = os.pipe()
    process = subprocess.Popen(
        [str(SCREEN), "-displayfd", str(write), "-screen", "0", "1300x1000x24"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    opened.callback(_end, process)
    os.close(write)
    with os.fdopen(read) as output:
        return f":{output.readline().strip()}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(TIMEOUT)
