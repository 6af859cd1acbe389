"""Conditions of closures: strict ones are false at equality, and become true on leaving it, for all expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers
from support.comparisons import assert_close

pytestmark = pytest.mark.usefixtures("plain_by_default")

METHODS = [{"method": "dopri5"}, {"method": "rk4", "step": 0.03}]

#: Commands that are zero at first, and the times at which this ends.
COMMANDS: dict[str, tuple[Callable[[mbs.Model], mbs.Expression], Any, float | None]] = {
    "input that rises": (lambda m: m.input("command"), ([0.0, 1.0, 2.0], [0.0, 1.0, 1.0]), 0.0),
    "input that rises later": (lambda m: m.input("command"), ([0.0, 1.0, 2.0], [0.0, 0.0, 1.0]), 1.0),
    "input that jumps": (lambda m: m.input("command"), ([0.0, 1.0, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0]), 1.0),
    "input that stays": (lambda m: m.input("command"), 0.0, None),
    "ramp": (lambda m: mbs.max(mbs.time - 1.0, 0.0), None, 1.0),
    "state": (lambda m: m.state("command", mbs.where(mbs.time > 1.0, 1.0, 0.0)), None, 1.0),
    "sampled": (lambda m: m.sampled("command", 0.25, mbs.where(mbs.time > 0.9, 1.0, 0.0)), None, 1.0),
}


def cart(u: float) -> mbs.Model:
    """Return a cart that is pushed along x."""
    m = mbs.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on="cart", force=1.0)
    m.start("cart", u=u)
    return m


def changes(result: mbs.Result) -> list[tuple[float, str, float]]:
    """Return time, name and new mode of each closure that engaged or released."""
    return [(float(x["time"]), str(x["name"]), float(x["after"])) for x in result.switches if x["before"] != x["after"]]


@pytest.mark.parametrize("name", COMMANDS)
def test_strict_conditions_are_false_at_equality(name: str) -> None:
    """A lock with until= releases, and one with when= engages, at the time at which the command leaves zero."""
    make, table, time = COMMANDS[name]
    for what in ("until", "when"):
        m = cart(0.0 if what == "until" else 1.0)
        condition = make(m) > 0.0
        m.lock("lock", on="cart", **{what: condition})
        for method in METHODS:
            inputs = {} if table is None else {"command": table}
            result = mbs.simulate(m, 2.0, inputs=inputs, output_interval=0.5, **method)
            expected = [] if time is None else [(time, "lock", -1.0 if what == "until" else 0.0)]
            computed = changes(result)
            assert [x[1:] for x in computed] == [x[1:] for x in expected], (what, method)
            assert [x[0] for x in computed] == pytest.approx([x[0] for x in expected], abs=1e-9)
            assert result["lock.mode"][0] == (0.0 if what == "until" else -1.0)


def test_non_strict_conditions_are_true_at_equality() -> None:
    """when= with >= holds from a start at equality, or from the time that reaches it; beside it, > does so later."""
    for condition, at in (
        (mbs.time >= 0.0, 0.0),
        (mbs.time >= 1.0, 1.0),
        (mbs.time > 0.0, 0.0),
    ):
        m = cart(0.0)
        m.lock("lock", on="cart", when=condition)
        result = mbs.simulate(m, 2.0, output_interval=0.5, method="rk4", step=0.07)
        assert result["cart.s"][-1] == pytest.approx(0.5 * at**2, abs=1e-12)


def bouncing() -> mbs.Model:
    """Return a ball above a floor, and a cart that moves at one metre per second."""
    m = mbs.Model("bouncing")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.8)
    m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.start(ball, q=1.0)
    m.start("cart", u=1.0)
    m.output("blow", mbs.impulse("floor"))
    return m


def test_conditions_on_modes_and_impact_impulses_act_at_once() -> None:
    """A condition that a mode change or an impact makes true takes effect at that instant; the last impulse keeps its
    value.
    """
    strikes = (2.0 / 9.81) ** 0.5
    blow = 1.8 * 9.81 * strikes  # of 1 kg: (1 + 0.8) v

    def latches(m: mbs.Model) -> None:
        m.lock("first", on="cart", when=mbs.coordinate("cart") > 0.3)
        m.lock("second", on="ball", when=mbs.constraint_mode("first") > -0.5)

    cases: list[tuple[Callable[[mbs.Model], object], list[tuple[float, str, float]]]] = [
        (lambda m: m.lock("lock", on="cart", when=mbs.impulse("floor") > 0.9 * blow), [(strikes, "lock", 0.0)]),
        (lambda m: m.lock("lock", on="cart", when=mbs.rate("ball") > 0.0), [(strikes, "lock", 0.0)]),
        (lambda m: m.lock("lock", on="cart", when=mbs.impulse("floor") > 1.1 * blow), []),
        (latches, [(0.3, "first", 0.0), (0.3, "second", 0.0)]),
    ]
    for add, expected in cases:
        m = bouncing()
        add(m)
        for method in METHODS:
            result = mbs.simulate(m, 1.0, output_interval=0.5, **method)
            computed = changes(result)
            assert [x[1:] for x in computed] == [x[1:] for x in expected], method
            assert [x[0] for x in computed] == pytest.approx([x[0] for x in expected], abs=1e-9)
            if not any(name == "second" for _, name, _ in expected):
                assert result["blow"][-1] == pytest.approx(blow, rel=1e-9)


@pytest.mark.quick
def test_each_contact_keeps_the_impulse_of_its_last_impact() -> None:
    """A ball flies between two walls without gravity: it strikes them at 0.5, 2.5 and 6.5 s with 1, 1/2 and 1/4 m/s,
    with impulses of (1 + e) m v, and an impact on one wall leaves the impulse of the other.
    """
    m = mbs.Model("between_walls", gravity=(0, 0, 0))
    ball = m.body("ball", joint=mbs.Prismatic("x"), mass=2.0)
    for name, normal, place in (("left", "x", -0.5), ("right", "-x", 0.5)):
        m.contact(name, "world", ball, mbs.OnPlane(normal), at_a=(place, 0, 0), restitution=0.5)
        m.output(f"blow_{name}", mbs.impulse(name))
    m.start(ball, u=1.0)
    result = mbs.simulate(m, 7.0, output_interval=1.0, method="rk4", step=1.0)
    right = np.where(result.time < 0.5, 0.0, np.where(result.time < 6.5, 3.0, 0.75))
    left = np.where(result.time < 2.5, 0.0, 1.5)
    for name, expected in (("left", left), ("right", right)):
        assert_close(result[f"blow_{name}"], expected, 1e-9, f"impulse of the {name} wall", times=result.time)


def test_conditions_that_the_start_satisfies_act_from_the_start() -> None:
    """A ball lies on the floor: its contact holds from the start, and so does the lock that depends on it."""
    m = bouncing()
    m.start("ball", q=0.0)
    m.lock("lock", on="cart", when=mbs.constraint_mode("floor") > -0.5)
    for method in METHODS:
        result = mbs.simulate(m, 1.0, output_interval=0.5, **method)
        assert changes(result) == [(0.0, "lock", 0.0)] and result["cart.s"][-1] == pytest.approx(0.0, abs=1e-12)


JUMPING = mbs.where(mbs.time < 0.3, 0.0, mbs.where(mbs.time < 0.6, 1.0, mbs.where(mbs.time < 0.8, -3.0, 1.0)))
WAYS = {x["method"]: x for x in (*METHODS, {"method": "abm6", "step": 0.01}, {"method": "rodas5p"})}


@pytest.mark.parametrize(
    "until", tiers({"half": JUMPING < 0.5, "equal": JUMPING <= 0.5, "far": JUMPING < -2.0}, usual=1)
)
@pytest.mark.parametrize("options", tiers(WAYS, usual=2))
def test_a_jump_over_both_conditions_meets_one(options: dict[str, Any], until: mbs.Expression) -> None:
    """A command that jumps engages a lock, or releases it, for as long as it rests on its new value."""
    m = cart(1.0)
    m.lock("lock", on="cart", when=JUMPING > 0.5, until=until)
    computed = changes(mbs.simulate(m, 1.0, output_interval=0.25, **options))
    assert [x[2] for x in computed] == [0.0, -1.0, 0.0]
    assert [x[0] for x in computed] == pytest.approx([0.3, 0.6, 0.8], abs=1e-9)


@pytest.mark.parametrize("place", tiers([0.512, 1.0 / 3.0], usual=1))
def test_a_lock_at_equality_holds_unless_equality_releases_it(place: float) -> None:
    """A cart locked where both conditions are at equality stays if the one for release is strict; so does a command."""
    q, command = mbs.coordinate("cart"), mbs.where(mbs.time < 0.8, 0.0, 0.8 - mbs.time)
    for until, expected in (
        (q < place, [0.0]),
        (q <= place, [0.0, -1.0]),
        (command < 0.0, [0.0, -1.0]),
        (command <= 0.0, [0.0, -1.0]),
    ):
        m = cart(1.0)
        m.lock("lock", on="cart", when=q > place, until=until)
        for method in METHODS:
            computed = changes(mbs.simulate(m, 1.0, output_interval=0.25, **method))
            assert [x[2] for x in computed] == expected
            if expected[1:]:
                at_once = until.op == "le"
                assert computed[1][0] == pytest.approx(computed[0][0] if at_once else 0.8, abs=1e-9)


@pytest.mark.parametrize("place", tiers([0.1, 0.2, 0.3, 1.0 / 7.0], usual=1))
def test_a_latch_that_releases_at_its_place_does_not_engage_again(place: float) -> None:
    """Rounding decides on which side of its place a latch holds: it releases once, and the body moves on."""
    m = cart(1.0)
    m.lock("latch", on="cart", when=mbs.coordinate("cart") > place, until=mbs.time > 1.0)
    for method in ({"method": "dopri5"}, {"method": "rk4", "step": 0.013}, {"method": "rk4", "step": 0.001}):
        result = mbs.simulate(m, 1.5, output_interval=0.5, **method)
        assert [x[2] for x in changes(result)] == [0.0, -1.0]
        assert result["cart.s"][-1] == pytest.approx(place + 0.125, abs=1e-9)


def test_a_latch_engages_again_when_the_body_returns() -> None:
    """A cart is drawn back and pushed on: after it has left the latch, the next passage engages it again."""
    m = mbs.Model("swinging", gravity=(0, 0, 0))
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="cart", stiffness=40.0)
    m.start("cart", q=-0.3)
    m.motor("push", on="cart", force=mbs.where(mbs.time > 2.0, 12.0, 0.0))
    m.lock("latch", on="cart", when=mbs.coordinate("cart") > 0.1, until=mbs.sin(4.0 * mbs.time) < -0.5)
    for method in ({"method": "dopri5", "max_step": 0.05}, {"method": "rk4", "step": 0.03}):
        computed = changes(mbs.simulate(m, 2.4, output_interval=1.0, **method))
        assert [x[2] for x in computed] == [0.0, -1.0, 0.0]
