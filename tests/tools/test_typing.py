"""Types of the public interface: user code passes `mypy --strict`, and wrong user code does not."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from support.paths import ROOT

FOLDER = ROOT / "tests" / "tools" / "typing"
WRONG = """import mbs_fmu as mbs

m = mbs.Model("m")
m.body("a", joint="z")
m.body("b", mass=[1.0])
mbs.Model("n", gravity=9.81)
m.spring("s", on="a", stiffness=(1.0, 2.0))
m.limit("l", "a", lower=[0.0])
mbs.position("a", 1.0)
mbs.rpy(None, 0.0, 0.0)
mbs.Box(1.0, 1.0, [1.0])
m.simulate()
mbs.simulate(m, 1.0)[0]
mbs.Distance([1.0])
mbs.Rolling(None)
mbs.OnCurve("circle")
mbs.Modes.matrices([[0.0, 0.0, 0.0]], 1.0, [[1.0]], {"root": [0]})
mbs.Modes.matrices([[0.0, 0.0, 0.0]], [[1.0]], [[1.0]], {"root": 0})
mbs.Modes.invariants(1.0, 0.5, [[1.0]], [[1.0]], [[1.0]])
mbs.plate(1.0, 1.0, 0.01, 7e10, 0.3, 2700.0, loads="wind")
mbs.Any
"""


@pytest.mark.slow
def test_user_code_is_checked(tmp_path: Path) -> None:
    """The code of tests/tools/typing, which states its types, has no error; of the wrong code each line after the model
    has one, so that no argument is accepted as Any."""
    pytest.importorskip("mypy")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG, encoding="utf-8")
    options = ["--strict", "--config-file=", "--follow-imports=silent"]  # errors of these files alone
    command = [sys.executable, "-m", "mypy", *options, str(FOLDER), str(wrong)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    errors = [line for line in run.stdout.splitlines() if ": error: " in line]
    lines = {int(line.partition("wrong.py:")[2].split(":")[0]) for line in errors if "wrong.py:" in line}
    assert [line for line in errors if "wrong.py:" not in line] == [], run.stderr
    assert sorted(lines) == list(range(4, WRONG.count("\n") + 1)), run.stdout


def test_user_code_builds_models() -> None:
    """It is right at run time too."""
    spec = spec_from_file_location("typed_tutorial", FOLDER / "tutorial.py")
    assert spec is not None and spec.loader is not None
    tutorial = module_from_spec(spec)
    spec.loader.exec_module(tutorial)
    assert len(tutorial.robot().bodies) == 3 and "left.arm" in tutorial.composed().bodies
    assert len(tutorial.measured().forces) == 8
