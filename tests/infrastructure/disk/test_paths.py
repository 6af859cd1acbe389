"""Paths of files that are none: every method that writes a file refuses them in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs

pytestmark = pytest.mark.quick


def pendulum() -> mbs.Model:
    """A pendulum with an output."""
    m = mbs.Model("pendulum")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.output("angle", mbs.coordinate(rod), unit="rad")
    return m


def result() -> mbs.Result:
    """A result with one row."""
    return mbs.Result("pendulum", ["time", "angle"], np.zeros((1, 2)), {"time": "s"}, {})


WRITERS: dict[str, Callable[[Any], Any]] = {
    "export": lambda path: mbs.export(pendulum(), path),
    "export_c": lambda path: mbs.export_c(pendulum(), path),
    "show": lambda path: mbs.show(pendulum(), path=path),
    "live": lambda path: mbs.live(pendulum(), path),
    "to_csv": lambda path: result().to_csv(path),
    "to_npz": lambda path: result().to_npz(path),
    "to_gltf": lambda path: result().to_gltf(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_path_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the argument, its value and the remedy; nothing is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mbs.ArgumentError, match=r"(path|folder) is 3.5: give the name of a file, a text or a Path"):
        WRITERS[name](3.5)
    with pytest.raises(mbs.ArgumentError, match=r"(path|folder) is 'a.*b': names of files have no null character"):
        WRITERS[name]("a\0b")
    assert not list(tmp_path.iterdir())
