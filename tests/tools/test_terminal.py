"""Progress of a first run on a pseudo-terminal and in a pipe."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from support.hosts.fmus import environment, python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")

#: Waits are shown at once.
CODE = """
import mbs_fmu as mbs
from mbs_fmu.infrastructure import progress
progress.DELAY = 0.0
m = mbs.Model("pendulum")
m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
result = mbs.simulate(m, 1.0, method="rk4", step=0.01)
print(len(result), "rows")
"""


def on_terminal(code: str, cache: Path) -> str:
    """Output of code on a terminal of 100 columns, in a separate Python process."""
    import fcntl
    import pty
    import struct
    import termios

    child, terminal = pty.fork()
    if not child:
        os.execve(sys.executable, [sys.executable, "-c", code], environment(MBS_FMU_CACHE=str(cache)))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    written = b""
    try:
        while part := os.read(terminal, 65536):
            written += part
    except OSError:  # on Linux the sign that the other end is closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return written.decode()


def rendered(written: str) -> list[str]:
    """Text on the terminal at the end."""
    screen = []
    for line in written.split("\n"):
        text = ""
        for part in line.split("\r"):
            text = part + text[len(part) :]
        screen.append(text.rstrip())
    return screen


def test_a_first_run_shows_its_stages(tmp_path: Path) -> None:
    """A first run shows its stages in one line that disappears; a second run uses the cache and shows none."""
    written = on_terminal(CODE, tmp_path)
    lines = [line.strip() for line in written.replace("\n", "\r").split("\r") if line.strip()]
    named = [re.sub(r" \(.*|, about .*|\d+ s\b", "", line) for line in lines if "%" not in line]
    stages = list(dict.fromkeys(name for name in named if name.startswith("pendulum: ")))
    assert stages == [
        "pendulum: tracing 1/3", "pendulum: translating 2/3", "pendulum: machine code 3/3",
        "pendulum: ready in ; cached for the next time", "pendulum: 501 rows in ",
    ]  # fmt: skip
    assert any(line.endswith(" functions)") for line in lines)
    assert rendered(written) == ["501 rows", ""]
    again = on_terminal(CODE, tmp_path)
    assert "/3" not in again.replace("/500", "")
    assert rendered(again) == ["501 rows", ""]


def test_pipes_stay_silent(tmp_path: Path) -> None:
    """A pipe gets only the script's output."""
    run = python(CODE, MBS_FMU_CACHE=str(tmp_path))
    assert (run.stdout, run.stderr) == ("501 rows\n", "")
