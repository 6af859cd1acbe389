"""Arguments of `mbs.live` are checked before any machine code is compiled; the names and the words are the model's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.command_line.watching import run_on_changes
from mbs_fmu.infrastructure.errors import ArgumentError, ModelError
from mbs_fmu.view.page import Page
from support.models.changing_tables import motor_curve

pytest.importorskip("ziglang", reason="live pages need the package ziglang")
MODULE = b"\0asm"


@pytest.fixture(autouse=True)
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Calls of the compiler, which returns a few bytes at once."""
    calls: list[int] = []

    def module(*_: Any) -> bytes:
        calls.append(1)
        return MODULE

    monkeypatch.setattr("mbs_fmu.pages.living.wasm_module", module)
    return calls


def cart() -> mbs.Model:
    """A cart with a spring and a force, and a box welded to the world."""
    m = mbs.Model("cart", description="on a rail")
    c = m.parameter("c", 10.0, unit="N/m", min=1.0, max=50.0, description="stiffness")
    mass = m.parameter("mass", 2.0, unit="kg")
    push = m.input("push", unit="kN", start=0.5)
    body = m.body("body", joint=mbs.Prismatic("x"), mass=mass, shape=mbs.Box(mass / 10, 0.1, 0.1))
    m.body("wall", mass=1.0)
    m.spring("spring", on=body, stiffness=c)
    m.motor("motor", on=body, force=push)
    m.output("way", mbs.coordinate(body), unit="m")
    return m


def data_of(page: object) -> dict[str, Any]:
    assert isinstance(page, Page)
    match = re.search(r'<script id="data"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "rk4"}, "has fixed steps: give step="),
        ({"method": "euler"}, "euler"),
        ({"step": -1.0}, "step"),
        ({"rtol": 0.0}, "rtol"),
        ({"solver": "lu"}, "unknown solver 'lu'"),
        ({"inputs": {"push": lambda t: t}}, "input 'push' is a function or table of time: give the number"),
        ({"inputs": {"push": ([0, 1], [0, 1])}}, "input 'push' is a function or table of time: give the number"),
        ({"inputs": {"pusch": 1.0}}, "unknown input 'pusch'"),
        ({"inputs": {"live_stiffness": 1.0}}, "unknown input 'live_stiffness'"),
        ({"parameters": {"c": 100.0}}, "parameter 'c' is 100: it must lie within 1 .. 50"),
        ({"parameters": {"d": 1.0}}, "unknown parameter 'd'"),
        ({"start": {"body.x": 1.0}}, "unknown start value 'body.x'"),
        ({"ranges": {"k": (0, 1)}}, "ranges: no control 'k'"),
        ({"ranges": {"c": 3.0}}, "range of 'c' is 3.0: give its least and its largest value"),
        ({"ranges": {"c": (2, 1)}}, "range of 'c' is (2, 1): give its least and its largest value"),
        ({"ranges": {"c": (2, np.inf)}}, "range of 'c' is inf: give a finite number"),
        ({"ranges": [1]}, "ranges must be a dictionary of pairs by name"),
        ({"controls": ["push", "k"]}, "controls: no control 'k'"),
        ({"controls": "push"}, "controls is 'push': give a list of names"),
        ({"plots": ["wy"]}, "plots: no result 'wy'"),
        ({"follow": "car"}, "car"),
        ({"traces": [("body", (0, 0))]}, "trace 1"),
        ({"eye": (0, 0, 0)}, "eye is (0, 0, 0)"),
        ({"rate": 0}, "rate"),
        ({"drag": 1}, "drag"),
        ({"play": "yes"}, "play"),
        ({"library": "x.js"}, "library='x.js' is for pages in files"),
        ({"library": "a/b.js"}, "library is 'a/b.js': give the name of a file beside the page"),
    ],
)
def test_unusable_arguments(arguments: dict[str, Any], said: str, nothing_compiled: list[int]) -> None:
    """One sentence names the argument, its value and the remedy."""
    with pytest.raises(ModelError) as error:
        mbs.live(cart(), **arguments)
    assert said in str(error.value) and "live_" not in str(error.value).replace("'live_stiffness'", "")
    assert nothing_compiled == []


def test_a_start_that_cannot_be_is_refused_first(nothing_compiled: list[int]) -> None:
    """A body without inertia along its joint."""
    with pytest.raises(ModelError, match="moves no inertia"):
        mbs.live(cart(), parameters={"mass": 0.0})
    assert nothing_compiled == []


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"live pages need the package ziglang: pip install 'mbs-fmu\[native\]'"):
        mbs.live(cart())


def test_controls_and_their_ranges() -> None:
    """Sliders go between `ranges`, the model's bounds, or around the start; their values are in the model's units."""
    data = data_of(mbs.live(cart(), ranges={"push": (-2, 3)}, parameters={"mass": 4.0}, start={"body.s": 0.1}))
    controls = {v["name"]: v for key in ("parameters", "inputs", "starts") for v in data[key]}
    assert list(controls) == ["c", "mass", "push", "body.s", "body.v"]
    ends = {name: (v["low"], v["high"]) for name, v in controls.items()}
    assert ends == {"c": (1, 50), "mass": (0.8, 8), "push": (-2, 3), "body.s": (-0.2, 0.2), "body.v": (-2, 2)}
    assert [controls[name]["start"] for name in ("c", "mass", "push", "body.s")] == [10.0, 4.0, 0.5, 0.1]
    assert (controls["c"]["least"], controls["c"]["most"], controls["push"]["least"]) == (1.0, 50.0, None)
    assert controls["push"]["unit"] == "kN" and controls["c"]["said"] == "stiffness"
    assert controls["mass"]["fixed"] and not controls["c"]["fixed"]
    fewer = data_of(mbs.live(cart(), controls=["push"]))
    assert [len(fewer[key]) for key in ("parameters", "inputs", "starts")] == [0, 1, 0]


def test_shapes_follow_parameters() -> None:
    """The slope of a box's edge by the mass that it depends on; its centre stays."""
    data = data_of(mbs.live(cart()))
    mass = next(v for v in data["parameters"] if v["name"] == "mass")
    (change,) = [change for change in data["changes"] if change["place"][0] == "bodies"]
    assert change["place"] == ["bodies", 1, "shapes", 0, "size", 0] and change["length"]
    ((slot, value, slope),) = change["by"]
    assert (slot, value) == (mass["slot"], 2.0) and slope == pytest.approx(0.1, rel=1e-9)


def test_only_bodies_that_move_are_pulled() -> None:
    assert [slot is None for slot in data_of(mbs.live(cart()))["grab"]["bodies"]] == [False, True]
    assert data_of(mbs.live(cart(), drag=False))["grab"] is None


def test_names_of_additions_are_not_the_models() -> None:
    """A model with names that begin like those of the page's additions."""
    m = cart()
    m.input("live_to_x", start=0.0)
    m.output("live_pose_0", mbs.signal("push"))
    data = data_of(mbs.live(m))
    assert [v["name"] for v in data["inputs"]] == ["push", "live_to_x"]
    assert [plot["series"][0]["label"] for plot in data["plots"]] == ["way", "live_pose_0"]


def test_a_shared_library(tmp_path: Path) -> None:
    """Two pages share a copy of three.js and uPlot, which stands beside them."""
    paths = [mbs.live(cart(), tmp_path / name, library="view.js") for name in ("a.html", "b.html")]
    assert (tmp_path / "view.js").stat().st_size > 5e5
    for path in paths:
        text = Path(str(path)).read_text()
        assert (
            len(text) < 1.5e5
            and '<script src="view.js"></script>' in text
            and "script-src 'wasm-unsafe-eval' 'self'" in text
        )


def test_a_changed_file_runs_the_command_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first command, then the other one for each change, also of a file that was missing; Ctrl-C ends it."""
    file, ran = tmp_path / "model.py", []
    file.write_text("1")
    steps = iter(
        [lambda: file.write_text("12"), lambda: None, file.unlink, lambda: file.write_text("123"), lambda: None]
    )

    def pause(_: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr("mbs_fmu.command_line.watching.time.sleep", pause)
    monkeypatch.setattr("mbs_fmu.command_line.watching.subprocess.run", lambda command: ran.append(command))
    run_on_changes(file, ["first"], ["again"])
    assert ran == [["first"], ["again"], ["again"]]


def test_it_is_an_argument_error() -> None:
    with pytest.raises(ArgumentError):
        mbs.live(cart(), rate=-1)


def test_values_of_tables_have_sliders_on_request() -> None:
    """By default the elements of short arrays alone; others if `ranges` or `controls` names them or their array."""
    m = motor_curve()

    def shown(**options: Any) -> list[str]:
        return [x["name"] for x in data_of(mbs.live(m, **options))["parameters"]]

    com, values = [f"com[{k}]" for k in (1, 2, 3)], [f"torque_curve[{k}]" for k in range(1, 6)]
    assert shown() == com
    assert shown(ranges={"torque_curve[2]": (-3.0, 3.0)}) == [*com, "torque_curve[2]"]
    assert shown(controls=["torque_curve", "com[3]"]) == ["com[3]", *values]
