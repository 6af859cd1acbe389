"""Runs of a model that was run before: nothing that is kept between calls hides a change."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run import plans

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

TIMES = np.array([0.0, 0.01, 0.02])
DATA = {"gain": 1.0}  #: read by a function of time
RUN: dict[str, Any] = {"stop_time": 0.02, "output_interval": 0.01, "rtol": 1e-5}


def pendulum() -> mbs.Model:
    """Return a pendulum with a parameter, two inputs, one of them bounded, and a state."""
    m = mbs.Model("pendulum")
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.spring("hinge", on=rod, stiffness=m.parameter("c", 2.0), damping=0.1)
    m.motor("drive", on=rod, torque=m.input("torque", start=0.0) + m.input("push", start=0.0, min=-1.0, max=1.0))
    m.state("z", rate=mbs.coordinate(rod))
    m.start(rod, q=0.5)
    return m


def as_if_new(model: mbs.Model, **settings: Any) -> np.ndarray:
    """Return the data of a run of a copy, with which nothing is kept."""
    return mbs.simulate(copy.copy(model), **settings).data


def same(model: mbs.Model, **settings: Any) -> mbs.Result:
    """Run a model, require the bits of a copy with which nothing is kept, and return the result."""
    result = mbs.simulate(model, **settings)
    assert result.data.tobytes() == as_if_new(model, **settings).tobytes()
    return result


# -- the same arguments ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("how", [{}, {"method": "rk4", "step": 1e-3, "rtol": None}, {"momenta": True}])
def test_repeated_calls_give_the_same_bits(how: dict[str, Any]) -> None:
    m, settings = pendulum(), {**RUN, "inputs": {"torque": 0.3}, **how}
    first, *others = [mbs.simulate(m, **settings) for _ in range(3)]
    assert first.data.tobytes() == as_if_new(m, **settings).tobytes()
    for other in others:
        assert other.data.tobytes() == first.data.tobytes() and other.statistics == first.statistics
        assert other.columns == first.columns and other.parameters == first.parameters


def test_results_share_nothing_that_users_change() -> None:
    """Numbers, notes, inputs, and the copy of the model belong to one result."""
    m, settings = pendulum(), {**RUN, "inputs": {"torque": 0.3}}
    first, second = mbs.simulate(m, **settings), mbs.simulate(m, **settings)
    first.data[:] = 7.0
    first.statistics["notes"].append("mine")
    first.parameters["c"] = 9.0
    for _, values in first.inputs.values():
        values[:] = 9.0
    assert first.model is not None
    first.model.shape("rod", mbs.Sphere(1.0))
    for other in (second, mbs.simulate(m, **settings)):
        assert other.statistics["notes"] == [] and other.parameters == {"c": 2.0}
        assert other.inputs["torque"][1].tolist() == [0.3] and not np.any(other.data == 7.0)
        assert other.model is not None and not other.model.shapes


# -- changes -----------------------------------------------------------------------------------------------------------
TABLE = np.array([0.0, 0.5, 1.0])  #: values of an input, changed in place


def nothing(model: mbs.Model) -> None:
    """Change nothing: the arguments differ."""


def changes() -> Iterator[tuple[str, Callable[[mbs.Model], object], dict[str, Any]]]:
    """Yield names of changes, functions that make them in a model or in data, and arguments of the runs after them."""
    yield "value of the model", lambda m: m.set_parameter("c", 30.0), {}
    yield "start of the model", lambda m: m.start("rod", q=-0.2, u=1.0), {}
    yield "gravity", lambda m: setattr(m, "gravity", (0, 0, -1.6)), {}
    yield "structure", lambda m: m.output("height", mbs.position("rod", (0, 0, -1))[2]), {}
    yield "damping", lambda m: m.spring("second", on="rod", stiffness=5.0), {}
    yield "parameter", nothing, {"parameters": {"c": 30.0}}
    yield "start value", nothing, {"start": {"rod.phi": 0.1}}
    yield "start value of a state", nothing, {"start": {"z": 0.1}}
    yield "constant input", nothing, {"inputs": {"torque": 0.4}}
    yield "table, changed in place", lambda m: TABLE.__setitem__(1, 5.0), {"inputs": {"torque": (TIMES, TABLE)}}
    yield "function, whose data change", lambda m: DATA.__setitem__("gain", 4.0), {"inputs": {"torque": law}}
    yield "tolerance", nothing, {"rtol": 1e-9}
    yield "absolute tolerance", nothing, {"atol": 1e-3}
    yield "longest step", nothing, {"max_step": 1e-3}
    yield "method", nothing, {"method": "dop853"}
    yield "fixed steps", nothing, {"rtol": None, "step": 1e-3}
    yield "size of fixed steps", nothing, {"method": "rk4", "rtol": None, "step": 5e-3}
    yield "rows", nothing, {"output_interval": 0.005}
    yield "stop", nothing, {"stop_time": 0.03}
    yield "start time", nothing, {"start_time": 0.01}
    yield "momenta", nothing, {"momenta": True}


def law(t: Any) -> Any:
    return DATA["gain"] * mbs.sin(40.0 * t)


@pytest.mark.parametrize(("change", "how"), [x[1:] for x in changes()], ids=[x[0] for x in changes()])
def test_a_change_is_seen(change: Callable[[mbs.Model], object], how: dict[str, Any]) -> None:
    """The run after a change differs from the one before, and equals that of a model that was never run."""
    TABLE[1], DATA["gain"] = 0.5, 1.0
    m, changed_inside = pendulum(), change is not nothing and "inputs" in how
    old = same(m, **RUN, inputs={"torque": how["inputs"]["torque"] if changed_inside else 0.0})
    change(m)
    new = same(m, **{**RUN, **how})
    assert new.data.tobytes() != old.data.tobytes()
    assert same(m, **{**RUN, **how}).data.tobytes() == new.data.tobytes()


def test_values_change_back() -> None:
    """Alternating values and settings give the bits of the first runs again."""
    m, found = pendulum(), []
    for _ in range(2):
        for c in (2.0, 30.0):
            m.set_parameter("c", c)
            for torque in (0.0, 0.3):
                for how in ({}, {"rtol": 1e-8}):
                    found.append(same(m, **{**RUN, "inputs": {"torque": torque}, **how}).data.tobytes())
    assert found[:8] == found[8:] and len(set(found)) == 8


def test_shapes_are_in_the_next_result() -> None:
    """They change neither version of a model."""
    m = pendulum()
    assert not mbs.simulate(m, **RUN).model.shapes
    m.shape("rod", mbs.Sphere(0.1))
    assert list(mbs.simulate(m, **RUN).model.shapes) == ["rod"]


def test_engine_of_the_environment_is_read_in_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    m = pendulum()
    mbs.simulate(m, **RUN)
    monkeypatch.setenv("MBS_FMU_ENGINE", "numbra")
    with pytest.raises(mbs.ModelError, match="MBS_FMU_ENGINE is 'numbra'"):
        mbs.simulate(m, **RUN)


# -- arguments that are equal, but not the same ------------------------------------------------------------------------
def test_numbers_that_equal_words_are_refused_after_these() -> None:
    """1 equals True, but `momenta` takes words only."""
    m = pendulum()
    mbs.simulate(m, **RUN, momenta=True)
    with pytest.raises(mbs.ModelError, match="momenta is 1: use True or False"):
        mbs.simulate(m, **RUN, momenta=1)  # type: ignore[arg-type]


def test_times_have_no_negative_zero() -> None:
    """Whichever zero comes first."""
    for first, second in ((0.0, -0.0), (-0.0, 0.0)):
        m = pendulum()
        for start in (first, second):
            assert not np.signbit(same(m, **RUN, start_time=start).time[0])


@pytest.mark.parametrize("wrong", [
    {"inputs": {"torque": float("nan")}}, {"inputs": {"push": 1.5}}, {"inputs": {"torque": (TIMES, [0, np.inf, 0])}},
    {"inputs": {"tork": 1.0}}, {"parameters": {"c": float("inf")}}, {"start": {"rod.phi": "x"}}, {"start": [0.1]},
    {"stop_time": np.array([1.0, 2.0])}, {"step": [1e-3]}, {"solver": ["cholesky"]}, {"engine": "owl"},
])  # fmt: skip
def test_wrong_arguments_are_refused_after_right_ones(wrong: dict[str, Any]) -> None:
    """With the message for a model that was never run."""
    messages = []
    for runs in (0, 2):
        m = pendulum()
        for _ in range(runs):
            mbs.simulate(m, **RUN)
        with pytest.raises(mbs.ModelError) as refused:
            mbs.simulate(m, **{**RUN, **wrong})
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_warnings_are_repeated() -> None:
    """A run warns as often as it is made: a box that falls on a stiff floor, with long steps."""
    m = mbs.Model("box")
    m.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.contact("floor", "world", "box", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=2e4)
    m.start("box", q=(0, 0, 0.06, 1, 0, 0, 0))
    for _ in range(3):
        with pytest.warns(UserWarning, match="too long for it"):
            mbs.simulate(m, 0.02, method="rk4", step=1e-2)


# -- memory ------------------------------------------------------------------------------------------------------------
def test_few_plans_are_kept() -> None:
    """A loop over stop times keeps the last plans only, and a change of structure none."""
    m = pendulum()
    for k in range(plans.MOST_PLANS + 5):
        mbs.simulate(m, 0.01 + 1e-4 * k, output_interval=0.01)
    assert len(plans._plans(m)) == plans.MOST_PLANS
    m.output("height", mbs.position("rod", (0, 0, -1))[2])
    assert not plans._plans(m)
