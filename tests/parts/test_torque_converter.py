"""Laws of torque converters: steady speeds, stall, overrun, power and the torque of the stator."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from support.comparisons import assert_close
from support.generators.invalid_values import odd_values, simple
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import compare_tangents, outputs

pytestmark = pytest.mark.quick

RATIOS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)
CAPACITY = (2.0e-3, 2.0e-3, 1.95e-3, 1.8e-3, 1.4e-3, 0.9e-3, 0.0)
TORQUE_RATIO = (2.2, 1.9, 1.6, 1.3, 1.05, 1.0, 1.0)
COAST = (1.0e-3, 1.0e-3, 9.0e-4, 8.0e-4, 6.0e-4, 4.0e-4, 0.0)
TABLES: dict[str, Any] = {"ratios": RATIOS, "capacity": CAPACITY, "torque_ratio": TORQUE_RATIO}
EPS = np.finfo(float).eps


def shafts(**more: Any) -> tuple[mbs.Model, mbs.TorqueConverter]:
    """Return an engine and a car in a housing that turns in a bearing, with a torque converter between them."""
    m = mbs.Model("converter", gravity=(0, 0, 0))
    m.body("housing", joint=mbs.Revolute("x"), mass=50.0, inertia=(3.0, 3.0, 3.0))
    m.body("engine", "housing", mbs.Revolute("x"), mass=1.0, inertia=(0.2, 0.2, 0.2))
    m.body("car", "housing", mbs.Revolute("x"), mass=1.0, inertia=(5.0, 5.0, 5.0))
    made = mbs.torque_converter(m, "converter", "engine", "car", **(TABLES | more))
    for name, quantity in zip(made._fields, made, strict=True):
        m.output(name, quantity)
    m.output("powers", mbs.power("converter_pump") + mbs.power("converter_turbine"))
    return m, made


def at(speeds: tuple[float, float], **more: Any) -> dict[str, Any]:
    """Return the quantities and the generalized forces at speeds of pump and turbine (rad/s)."""
    m, _ = shafts(**more)
    m.start("engine", u=speeds[0])
    m.start("car", u=speeds[1])
    plain = Plain(m)
    plain.rates()
    return outputs(plain)


def torques(w_p: float, w_t: float) -> tuple[float, float]:
    """Return the torques of pump and turbine from the tables."""
    ratio = np.clip(w_t / w_p, RATIOS[0], RATIOS[-1]) if w_p else 0.0
    torque = float(np.interp(ratio, RATIOS, CAPACITY)) * w_p * abs(w_p)
    return torque, float(np.interp(ratio, RATIOS, TORQUE_RATIO)) * torque


def test_the_steady_speed_ratio_is_that_of_the_balance_of_torques() -> None:
    """The engine's torque is that of the pump; that of the turbine turns the car against a damper."""
    m, _ = shafts()
    m.lock("mount", on="housing")
    m.motor("throttle", on="engine", torque=150.0)
    m.spring("road", on="car", damping=1.0)
    m.start("engine", u=50.0)
    result = mbs.simulate(m, 60.0, rtol=1e-8)

    def excess(ratio: float) -> float:
        speed = np.sqrt(150.0 / np.interp(ratio, RATIOS, CAPACITY))
        return float(np.interp(ratio, RATIOS, TORQUE_RATIO)) * 150.0 - ratio * speed

    expected = brentq(excess, 0.05, 0.95, xtol=1e-14)
    assert expected == pytest.approx(0.6374666, abs=1e-7)
    assert result["car.w"][-1] / result["engine.w"][-1] == pytest.approx(expected, rel=1e-7)
    assert result["speed_ratio"][-1] == pytest.approx(expected, rel=1e-7)
    efficiency = result["turbine_torque"] * result["car.w"] / (result["pump_torque"] * result["engine.w"])
    assert_close(result["efficiency"], efficiency, 1e-12, "power of the turbine over that of the pump")


@pytest.mark.parametrize("speeds", [(100.0, 0.0), (200.0, 130.0), (-80.0, -60.0), (90.0, 100.0), (50.0, -20.0)])
def test_torques_are_those_of_the_tables(speeds: tuple[float, float]) -> None:
    """Also in reverse, with a turbine that is faster, and one that turns backwards."""
    now = at(speeds)
    pump, turbine = torques(*speeds)
    assert_close(now["pump_torque"], pump, 4 * EPS * abs(pump), "torque of the pump")
    assert_close(now["turbine_torque"], turbine, 4 * EPS * abs(turbine), "torque of the turbine")
    assert_close(now["stator_torque"], turbine - pump, 4 * EPS * abs(turbine), "torque of the stator")
    lost = pump * speeds[0] - turbine * speeds[1]
    assert lost >= 0.0
    assert_close(now["loss"], lost, 1e-12 * abs(lost), "power lost")
    assert_close(now["powers"], -lost, 1e-12 * abs(lost), "power of both torques")


def test_the_housing_bears_the_torque_of_the_stator() -> None:
    """Free housing and shafts keep their angular momentum: the reactions of both torques act on the housing."""
    m, _ = shafts()
    m.start("engine", u=150.0)
    m.output("momentum", mbs.angular_momentum()[0])
    m.output("reaction", -(mbs.strength("converter_pump") + mbs.strength("converter_turbine")))
    result = mbs.simulate(m, 2.0, rtol=1e-9)
    assert_close(result["momentum"], 0.2 * 150.0, 1e-9, "angular momentum")
    assert_close(result["reaction"], -result["stator_torque"], 1e-10, "reaction on the housing")
    assert result["stator_torque"][0] == pytest.approx(1.2 * CAPACITY[0] * 150.0**2)
    assert abs(result["housing.w"]).max() > 1.0


@pytest.mark.parametrize("more", [{}, {"coast": COAST}], ids=["drives", "coasts"])
@pytest.mark.parametrize("speeds", [(0.0, 0.0), (0.0, 70.0), (1e-9, 70.0), (0.0, -3.0), (-1e-9, 1e-9)])
def test_numbers_are_finite_where_a_shaft_stands_still(speeds: tuple[float, float], more: dict[str, Any]) -> None:
    """So are the derivatives; the torques are continuous there."""
    m, _ = shafts(**more)
    m.start("engine", u=speeds[0])
    m.start("car", u=speeds[1])
    linear = mbs.linearize(m)
    assert np.isfinite(linear.A).all() and np.isfinite(linear.C).all()
    now, near = at(speeds, **more), at((speeds[0] + 1e-7, speeds[1]), **more)
    assert all(np.isfinite(x).all() for x in now.values())
    for quantity in ("pump_torque", "turbine_torque"):
        assert abs(near[quantity] - now[quantity]) < 1e-7


def test_a_turbine_that_overruns_drives_the_pump() -> None:
    """Both have the torque of the coasting table times the square of the turbine's speed."""
    now = at((60.0, 100.0), coast=COAST)
    torque = np.interp(0.6, RATIOS, COAST) * 100.0**2
    assert_close(now["pump_torque"], -torque, 1e-12, "torque of the pump")
    assert_close(now["turbine_torque"], -torque, 1e-12, "torque of the turbine")
    assert_close(now["stator_torque"], 0.0, 1e-12, "torque of the stator, which turns freely")
    assert_close(now["efficiency"], 0.6, 4 * EPS, "power of the pump over that of the turbine")
    assert_close(now["loss"], torque * 40.0, 1e-10, "power lost")


def test_capacities_beyond_equal_speeds_brake_the_turbine() -> None:
    more = {"ratios": (*RATIOS, 2.0), "capacity": (*CAPACITY, -2e-3), "torque_ratio": (*TORQUE_RATIO, 1.0)}
    now = at((60.0, 90.0), **more)
    assert_close(now["turbine_torque"], -1e-3 * 60.0**2, 1e-12, "torque of the turbine")
    assert now["loss"] > 0.0


def test_functions_of_the_speed_ratio_equal_tables() -> None:
    def capacity(ratio: mbs.Expression) -> mbs.Expression:
        return mbs.table(ratio, RATIOS, CAPACITY)

    speeds = (120.0, 50.0)
    by_function = at(speeds, capacity=capacity, torque_ratio=lambda ratio: mbs.table(ratio, RATIOS, TORQUE_RATIO))
    by_table = at(speeds)
    assert by_function.keys() == by_table.keys()
    for name, value in by_table.items():
        assert np.array_equal(by_function[name], value), name


def test_tangents_equal_complex_steps() -> None:
    m, _ = shafts(coast=COAST)
    m.start("engine", u=120.0)
    m.start("car", u=75.0)
    plain = Plain(m)
    plain.rates()
    compare_tangents(plain, 0, [plain.program.state_slice], "outputs")


def test_converters_survive_pickle_and_inclusion() -> None:
    m, _ = shafts()
    m.start("engine", u=120.0)
    whole = mbs.Model("whole", gravity=(0, 0, 0))
    whole.include(pickle.loads(pickle.dumps(m)), "car1")
    run = {"method": "rk4", "step": 0.01}
    one, other = mbs.simulate(m, 0.5, **run), mbs.simulate(whole, 0.5, **run)
    assert np.array_equal(one["engine.w"], other["car1.engine.w"])
    assert np.array_equal(one["stator_torque"], other["car1.stator_torque"])


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "points": ({"ratios": (0.0, 0.5, 0.5)}, "point 3 of ratios of torque converter 'new' is 0.5 after 0.5"),
    "capacity": ({"capacity": (1e-3, 0.0)}, "capacity of torque converter 'new' needs two or more points and as many"),
    "torque ratio": ({"torque_ratio": (1.0,) * 6 + (np.inf,)}, "point 7 of torque ratio of torque converter 'new'"),
    "created": (
        {"torque_ratio": (2.2, 1.9, 1.6, 1.3, 1.25, 1.2, 1.0)},
        r"creates power at the speed ratio 0.9: capacity 0.0009, torque ratio 1.2; .* must not exceed the capacity",
    ),
    "created between points": (
        {"ratios": (0.0, 0.8, 1.0), "capacity": (2e-3, 1e-3, 1e-3), "torque_ratio": (2.0, 1.25, 1.0)},
        "creates power at the speed ratio 0.9",
    ),
    "function": ({"capacity": lambda: 1.0}, "capacity of torque converter 'new' must be a function of 1 argument"),
    "range": (
        {"ratios": (0.1, *RATIOS[1:]), "coast": COAST},
        "with coast, ratios are from 0 to 1, not 0.1 to 1",
    ),
    "jump": ({"coast": (*COAST[:-1], 1e-4)}, "at equal speeds, its coast is 0.0001: with coast, end both with 0"),
    "negative": ({"coast": (-1e-3, *COAST[1:])}, "coast has the negative number -0.001"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables_are_refused(case: str) -> None:
    more, message = WRONG[case]
    m, _ = shafts()
    before = dict(m.forces)
    with pytest.raises(ModelError, match=message):
        mbs.torque_converter(m, "new", "engine", "car", **(TABLES | more))
    assert dict(m.forces) == before


def slider(m: mbs.Model) -> tuple[str, str]:
    m.body("slider", joint=mbs.Prismatic("x"), mass=1.0)
    return "engine", "slider"


def ball(m: mbs.Model) -> tuple[str, str]:
    m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    return "ball", "car"


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (lambda m: ("engine", "engine"), "pump and turbine are the same body 'engine': give two shafts"),
        (lambda m: ("housing", "car"), "'car' turns in 'housing': let both turn in a housing, their parent"),
        (lambda m: ("car", "housing"), "'car' turns in 'housing'"),
        (slider, "body 'slider' slides in its joint: give bodies that turn"),
        (ball, "torque converter 'new': the joint of body 'ball' has 3 degrees of freedom"),
        (lambda m: ("engine", "cat"), "torque converter 'new': unknown body 'cat'"),
    ],
)
def test_wrong_shafts_are_refused(pair: Any, message: str) -> None:
    m, _ = shafts()
    with pytest.raises(ModelError, match=message):
        mbs.torque_converter(m, "new", *pair(m), **TABLES)


def test_a_name_in_use_is_refused_before_anything_is_added() -> None:
    m, _ = shafts()
    m.motor("new_turbine", on="car", torque=1.0)
    with pytest.raises(ModelError, match="new_turbine"):
        mbs.torque_converter(m, "new", "engine", "car", **TABLES)
    assert "new_pump" not in m.forces


ARGUMENTS: dict[str, Any] = {"name": "new", "pump": "arm", "turbine": "wheel", **TABLES, "coast": COAST}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_odd_arguments_work_or_are_refused(argument: str) -> None:
    for kind in odd_values(simple()):
        m = simple()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # of numpy, about numbers that overflow
                mbs.torque_converter(m, **{**ARGUMENTS, argument: odd_values(m)[kind]})
        except ModelError as error:
            assert "\n" not in str(error) and len(str(error)) < 700, (kind, str(error))
