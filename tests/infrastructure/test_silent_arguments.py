"""Arguments that were once accepted without a word, and copies of functions and steppers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.results.csv_tables import read_table
from support.generators.public_calls import pendulum

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def slider() -> mbs.Model:
    m = pendulum()
    m.body("slider", joint=mbs.Prismatic("x"), mass=1.0)
    return m


def foreign() -> mbs.Expression:
    return mbs.Model("other").parameter("speed", 1.0)


TYRE = mbs.Tyre.brush(radius=0.3, stiffness=1e4, load=1e3, slip_stiffness=1e4, friction=0.9)
SILENT: dict[str, tuple[Callable[[], Any], str]] = {
    "mapping as coordinates": (lambda: pendulum().start("arm", q={1: 2}), "q of body 'arm' is {1: 2}: give"),
    "set as a velocity": (lambda: pendulum().start("arm", u={1.0}), "u of body 'arm' is {1.0}: give its numbers"),
    "text as a truth value": (lambda: pendulum().start("arm", q=1.0, guess="False"), "guess of body 'arm' is 'False'"),
    "set as a vector": (lambda: mbs.Vector({1.0, 2.0, 3.0}), "a vector is made of"),
    "set as a place": (lambda: mbs.position("arm", {1.0, 2.0, 3.0}), "must be 3 numbers"),
    "set as an axis": (lambda: mbs.Revolute({1.0, 2.0, 3.0}), "must be a name or three numbers"),
    "text as bodies": (lambda: mbs.inverse_dynamics(pendulum(), actuated="arm"), "actuated is 'arm': give"),
    "empty list as a mapping": (lambda: mbs.assemble(pendulum(), start=[]), r"start must be a dictionary .*\[\]"),
    "array as a mapping": (lambda: mbs.trim(pendulum(), start=np.zeros(3)), "start must be a dictionary by name"),
    "time that is a text": (lambda: mbs.assemble(pendulum(), time="0.5"), "time is '0.5': give a finite number"),
    "time that is not finite": (lambda: mbs.mass_matrix(pendulum(), time=float("nan")), "time is nan: give a finite"),
    "rack without a radius": (lambda: slider().rack("r", "arm", "slider", radius=0), "rack 'r': its radius is zero"),
    "nominal zero": (lambda: pendulum().parameter("k", 1.0, nominal=0), "nominal of parameter 'k' is 0: give"),
    "negative nominal": (lambda: pendulum().output("k", mbs.time, nominal=-1), "nominal of output 'k' is -1: give its"),
    "input beyond its range": (lambda: mbs.simulate(pendulum(), 0.1, inputs={"torque": 9.0}), "'torque' is 9: it"),
    "table beyond its range": (
        lambda: mbs.simulate(pendulum(), 0.1, inputs={"torque": ([0, 1], [0, -9.0])}), "'torque' is -9: it must"
    ),
    "input of an analysis": (lambda: mbs.assemble(pendulum(), inputs={"torque": 9.0}), "'torque' is 9: it must lie"),
    "start of an input": (lambda: pendulum().input("k", start=2.0, max=1.0), "start of input 'k' is 2: it must lie"),
    "load beyond a tyre": (lambda: TYRE.loaded_radius(1e9), r"is 1e\+09 N, which would press .*: give a smaller"),
    "negative load": (lambda: TYRE.effective_radius(-1.0), "is -1 N: it must not be negative"),
    "drive by a rate alone": (
        lambda: pendulum().drive("d", on="arm", rate=5.0), r"drive 'd' has no position: .*m\.state\("
    ),
    "rate of another model": (
        lambda: pendulum().drive("d", on="arm", position=mbs.time, rate=foreign()),
        "drive 'd' depends on .*speed.*, which this model does not have",
    ),
    "sides of a section": (lambda: mbs.Rectangle(0.1, "wide"), "z is 'wide': give a positive number, or a function"),
    "null in a path": (lambda: mbs.Result.read("a\0b.csv"), r"path is 'a\\x00b.csv': names of files have no null"),
}  # fmt: skip


@pytest.mark.parametrize("case", SILENT)
def test_it_is_refused_with_name_value_and_remedy(case: str) -> None:
    """A ModelError names the argument, its value and the remedy."""
    call, message = SILENT[case]
    with pytest.raises(mbs.ModelError, match=message):
        call()


def test_unknown_names_of_a_stepper_are_refused() -> None:
    """`columns` refuses what `values` refuses; a wrong view and a wrong method argument are refused too."""
    stepper = mbs.Stepper(pendulum(), 2, 0.1, lanes=1)
    for call in (stepper.columns, stepper.values):
        with pytest.raises(mbs.ArgumentError, match="unknown variable 'nobody'"):
            call(["nobody"])
    assert stepper.columns("p") == ["p[1]", "p[2]", "p[3]"]
    with pytest.raises(mbs.ArgumentError, match=r"view has the shape \(3,\): give one of \(2, numbers, 1\)"):
        stepper.read(np.zeros(3))
    with pytest.raises(mbs.CallError, match=r"Stepper\.reset takes no argument 'masks' .did you mean 'mask'"):
        stepper.reset(masks=None)  # type: ignore[call-arg]


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)), "deepcopy": copy.deepcopy, "copy": copy.copy
}  # fmt: skip


@pytest.mark.parametrize("way", COPIES)
def test_copies_of_functions_and_steppers_continue_alike(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions of arrays give the same values; a stepper continues in the same state, and both go their own ways."""
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
    f = mbs.ode(pendulum(), ["c"])
    x = f.x0 + 0.1
    for made in (f, f.step(0.01, 2)):
        assert np.array_equal(COPIES[way](made)(0.2, x, [1.0], [3.0]), made(0.2, x, [1.0], [3.0]))
    run = f.rollout(0.01, 3)
    assert np.array_equal(COPIES[way](run)(x=x).x, run(x=x).x)
    stepper = mbs.Stepper(pendulum(), 2, 0.1, 0.05, lanes=1, start={"arm.phi": 0.3})
    stepper.advance([[1.0], [2.0]])
    other = COPIES[way](stepper)
    assert np.array_equal(other.q, stepper.q) and np.array_equal(other.time, stepper.time)
    other.advance()
    assert not np.array_equal(other.q, stepper.q)
    stepper.advance()
    assert np.array_equal(other.u, stepper.u) and np.array_equal(other.outputs, stepper.outputs)


def test_functions_of_a_changed_model_are_not_copied() -> None:
    """A copy would be another function."""
    m = pendulum()
    f, stepper = mbs.ode(m), mbs.Stepper(m, 2, 0.1, lanes=1)
    m.set_parameter("c", 3.0)
    for made in (f, stepper):
        with pytest.raises(mbs.ModelError, match="model 'pendulum' has changed since"):
            copy.copy(made)


def test_negative_damping_of_a_robot_file_is_refused(tmp_path: Path) -> None:
    """Like negative friction, by the line and the joint."""
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics damping="-1"/></joint>'
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm"><link name="a">{body}</link><link name="b">{body}</link>{joint}</robot>')
    with pytest.raises(mbs.ModelError, match=r"arm\.urdf:1: joint 'j': damping is -1\.0: it must not be negative"):
        mbs.from_urdf(path)


TABLES = {
    "time,x,x\n0,1,2\n1,2,3\n": "has two columns 'x': rename one",
    "time,x\n0,1\nnan,2\n": "time 2 is nan: sort its rows",
    "time,x\n0,1\n2,2\n1,3\n": "time 3 goes back to 1: sort its rows",
}


@pytest.mark.parametrize("text", TABLES)
def test_ambiguous_tables_are_refused(text: str, tmp_path: Path) -> None:
    """Two columns of one name, and times that are no number or go back, in results and in inputs."""
    path = tmp_path / "table.csv"
    path.write_text(text)
    for read in (mbs.Result.read, lambda file: read_table(file, "x")):
        with pytest.raises(mbs.ModelError, match=TABLES[text]):
            read(path)


def test_messages_about_large_files_are_short(tmp_path: Path) -> None:
    """A file of zero bytes gives a message of a line."""
    path = tmp_path / "zeros.csv"
    path.write_bytes(bytes(120_000))
    with pytest.raises(mbs.ModelError, match="has no column 'time'") as raised:
        mbs.Result.read(path)
    assert len(str(raised.value)) < 400
