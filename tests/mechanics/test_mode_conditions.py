"""Conditions of closures: strict ones are false at equality and met where that is left, of whatever they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import mbs_fmu as mbs

pytestmark = pytest.mark.usefixtures("plain_by_default")

METHODS = [{"method": "dopri5"}, {"method": "rk4", "step": 0.03}]

#: Commands that are zero at first, and when they no longer are.
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
    """One that is pushed along x."""
    m = mbs.Model("cart", gravity=(0, 0, 0))
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on="cart", force=1.0)
    m.start("cart", u=u)
    return m


def changes(result: mbs.Result) -> list[tuple[float, str, float]]:
    """Time, name and mode behind it, of what has taken hold or let go."""
    return [(float(x["time"]), str(x["name"]), float(x["after"])) for x in result.switches if x["before"] != x["after"]]


@pytest.mark.parametrize("name", COMMANDS)
def test_strict_conditions_are_false_at_equality(name: str) -> None:
    """A lock with until= lets go, one with when= takes hold, where the command leaves zero: not before, not never."""
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


def test_others_are_true_at_equality() -> None:
    """when= with >= holds from a start at equality, or where it is reached; with > next to it."""
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
    """A ball above a floor, and a cart that moves on at one meter a second."""
    m = mbs.Model("bouncing")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.8)
    m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    m.start(ball, q=1.0)
    m.start("cart", u=1.0)
    m.output("blow", mbs.impulse("floor"))
    return m


def test_conditions_of_modes_and_blows() -> None:
    """What a change of modes or a blow makes true takes effect at that instant; the last blow stays what it was."""
    strikes = (2.0 / 9.81) ** 0.5
    blow = 1.8 * 9.81 * strikes  # of 1 kg: (1 + 0.8) v

    def latches(m: mbs.Model) -> None:
        m.lock("first", on="cart", when=mbs.coordinate("cart") > 0.3)
        m.lock("second", on="ball", when=mbs.mode("first") > -0.5)

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


def test_a_condition_that_the_start_makes_true() -> None:
    """A ball that lies on the floor: its contact holds from the start, and the lock that waits for that."""
    m = bouncing()
    m.start("ball", q=0.0)
    m.lock("lock", on="cart", when=mbs.mode("floor") > -0.5)
    for method in METHODS:
        result = mbs.simulate(m, 1.0, output_interval=0.5, **method)
        assert changes(result) == [(0.0, "lock", 0.0)] and result["cart.s"][-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("place", [0.1, 0.2, 0.3, 1.0 / 7.0])
def test_what_lets_go_where_it_took_hold_is_not_caught_again(place: float) -> None:
    """Rounding decides on which side of its place a latch holds: it lets go once, and what it held goes on."""
    m = cart(1.0)
    m.lock("latch", on="cart", when=mbs.coordinate("cart") > place, until=mbs.time > 1.0)
    for method in ({"method": "dopri5"}, {"method": "rk4", "step": 0.013}, {"method": "rk4", "step": 0.001}):
        result = mbs.simulate(m, 1.5, output_interval=0.5, **method)
        assert [x[2] for x in changes(result)] == [0.0, -1.0]
        assert result["cart.s"][-1] == pytest.approx(place + 0.125, abs=1e-9)


def test_what_returns_is_caught_again() -> None:
    """A cart that is drawn back and pushed on: what has been left behind for certain catches it at the next passage."""
    m = mbs.Model("swinging", gravity=(0, 0, 0))
    m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on="cart", stiffness=40.0)
    m.start("cart", q=-0.3)
    m.motor("push", on="cart", force=mbs.where(mbs.time > 2.0, 12.0, 0.0))
    m.lock("latch", on="cart", when=mbs.coordinate("cart") > 0.1, until=mbs.sin(4.0 * mbs.time) > 0.5)
    for method in ({"method": "dopri5", "max_step": 0.05}, {"method": "rk4", "step": 0.03}):
        computed = changes(mbs.simulate(m, 3.0, output_interval=1.0, **method))
        assert [x[2] for x in computed] == [0.0, -1.0, 0.0]
