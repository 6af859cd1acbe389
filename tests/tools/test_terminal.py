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


CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_first_run_shows_its_stages(tmp_path: Path) -> None:
    """A first run shows its stages, which disappear; a second run uses the cache and shows its rows only."""
    written = on_terminal(CODE, tmp_path)
    lines = [" ".join(line.split()) for line in re.split(r"[\r\n]", CONTROL.sub("", written)) if line.strip()]
    named = [re.sub(r"[━╸╺]+ |,? ?(\d+ of |about |\d+ s left).*|\d+/", "", line) for line in lines]
    assert list(dict.fromkeys(named)) == [
        "pendulum tracing", "pendulum translating", "pendulum machine code", "pendulum 101 rows", "101 rows",
    ]  # fmt: skip
    assert any(line.endswith(" functions") for line in lines)
    assert written.endswith("\x1b[?25h\r\x1b[1A\x1b[2K101 rows\r\n"), "the last line is erased, the cursor shown"
    again = CONTROL.sub("", on_terminal(CODE, tmp_path))
    assert "translating" not in again and again.endswith("101 rows\r\n")


def test_pipes_stay_silent(tmp_path: Path) -> None:
    """A pipe gets only the script's output."""
    run = python(CODE, MBS_FMU_CACHE=str(tmp_path))
    assert (run.stdout, run.stderr) == ("101 rows\n", "")
