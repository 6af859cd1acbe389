"""An event whose expression is zero where a contact's gap is zero is detected at the contact's impacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")

WAYS: list[dict[str, Any]] = [
    {"method": "dopri5"}, {"method": "rk4", "step": 0.01}, {"method": "dopri5", "max_step": 0.01},
    {"method": "abm6", "step": 0.005}, {"method": "gauss4", "step": 0.01}, {"method": "rodas5p", "max_step": 0.02},
]  # fmt: skip


def ball(m: mbs.Model, rng: np.random.Generator, e: float) -> mbs.Expression:
    """A ball that falls on a floor at a height."""
    at = rng.uniform(-1.0, 1.0)
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=rng.uniform(0.5, 2.0))
    m.start(ball, q=at + rng.uniform(0.2, 0.6))
    m.contact("floor", "world", ball, mbs.OnPlane("z"), at_a=(0, 0, at), restitution=e)
    m.motor("lift", on=ball, force=mbs.where(mbs.time > 2.0, 40.0, 0.0))
    return mbs.coordinate(ball) - at


def pendulum(m: mbs.Model, rng: np.random.Generator, e: float) -> mbs.Expression:
    """A pendulum that swings against a wall before its lowest point, and is pulled off."""
    at = rng.uniform(0.1, 0.3)
    rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    m.start(rod, q=rng.uniform(-1.2, -0.8))
    m.contact("wall", "world", rod, mbs.OnPlane("x"), at_a=(at, 0, 0), at_b=(0, 0, -1), restitution=e)
    m.spring("pull", on=rod, stiffness=mbs.where(mbs.time > 2.0, 40.0, 0.0), length=-1.0)
    return mbs.position(rod, (0, 0, -1))[0] - at


def round_stone(m: mbs.Model, rng: np.random.Generator, e: float) -> mbs.Expression:
    """A ball that falls beside the top of a stone and slides off: the gap is a difference of squared lengths."""
    joint = mbs.Compound(mbs.slide("x"), mbs.slide("z"))
    ball = m.body("ball", joint=joint, mass=1.0)
    m.start(ball, q=(rng.uniform(0.02, 0.1), 1.0 + rng.uniform(0.1, 0.3)))
    m.contact("stone", "world", ball, mbs.Distance(1.0), restitution=e)
    place = mbs.position(ball)
    return place.dot(place) - 1.0


def stop(m: mbs.Model, rng: np.random.Generator, e: float) -> mbs.Expression:
    """A cart that a spring draws to a stop and off it again."""
    at = rng.uniform(0.1, 0.4)
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(cart, q=at - 0.3)
    m.spring("spring", on=cart, stiffness=30.0, length=mbs.where(mbs.time < 1.7, 1.0, -1.0), damping=0.3)
    m.limit("stop", on=cart, upper=at, restitution=e)
    return at - mbs.coordinate(cart)


MODELS: dict[str, Callable[[mbs.Model, np.random.Generator, float], mbs.Expression]] = {
    made.__name__: made for made in (ball, pendulum, round_stone, stop)
}


def watched(name: str, seed: int) -> mbs.Model:
    """One of `MODELS`, with events of its gap."""
    rng = np.random.default_rng([270, seed])
    m = mbs.Model(name)
    gap = MODELS[name](m, rng, 0.0 if seed % 3 == 0 else rng.uniform(0.2, 0.8))
    watch(m, gap, rng)
    return m


def watch(m: mbs.Model, gap: mbs.Expression, rng: np.random.Generator) -> None:
    """Add events of a gap in all directions and signs, with and without counters."""
    for sign in (-1, 1):
        for direction in (-1, 0, 1):
            event = f"{'minus' if sign < 0 else 'plus'}_{direction + 1}"
            number = sign * rng.uniform(0.1, 10.0) * gap
            n = m.state(f"n_{event}", 0.0)
            m.event(f"counted_{event}", number, direction=direction, reset={f"n_{event}": n + 1.0})
            m.event(f"seen_{event}", number, direction=direction)


def check(result: mbs.Result, begins_there: bool = False) -> int:
    """Number of impacts; assert that each reaches the contact, and that rebounds and separations leave it."""
    log = result.switches
    into = log["time"][log["before"] == -1.0]
    separations = log["time"][log["after"] == -1.0]
    both = np.concatenate([separations[:1], into]) if begins_there else into
    for sign in ("minus", "plus"):
        wanted = (
            {"0": into, "1": both, "2": separations} if sign == "plus" else {"0": separations, "1": both, "2": into}
        )
        for direction, times in wanted.items():
            name = f"{sign}_{direction}"
            assert result[f"n_{name}"][-1] == len(times), name
            for event in (f"counted_{name}", f"seen_{name}"):  # at one instant, up to the rounding of the rows' times
                assert list(result.events[event]) == pytest.approx(list(times), abs=1e-13), event
    return len(into)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", tiers(range(24), usual=1))
def test_impacts_are_crossings_of_the_gap(name: str, seed: int) -> None:
    """Each impact crosses into the contact, each rebound and separation out of it, for both signs of the gap."""
    way = WAYS[seed % len(WAYS)] if seed >= 2 else WAYS[seed]
    result = mbs.simulate(watched(name, seed), 3.0, output_interval=1.0, **way)
    assert check(result) >= 1


def test_events_belong_to_a_contact_that_was_located_inexactly() -> None:
    """After an impact 1e-12 m beside the surface, later impacts in single steps are still crossings of the gap."""
    result = mbs.simulate(watched("stop", 11), 1.0, output_interval=1.0, **WAYS[5])
    assert check(result) > 20


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_separation_from_a_resting_contact_is_an_event(way: dict[str, Any]) -> None:
    """A body that starts on a floor has its separation as first event and reaches the floor when it falls again."""
    m = mbs.Model("lying")
    body = m.body("body", joint=mbs.Compound(mbs.slide("x"), mbs.slide("z")), mass=1.3)
    m.start(body, q=(0, 0.1), u=(1.0, 0))
    m.contact("floor", "world", body, mbs.OnPlane("z"), at_a=(0, 0, 0.1), restitution=0.4)
    lifts = mbs.where(mbs.time > 0.5, mbs.where(mbs.time < 0.6, 30.0, 0.0), 0.0)
    m.motor("lift", on=body, coordinate=2, force=lifts)
    watch(m, mbs.coordinate(body, 2) - 0.1, np.random.default_rng(1))
    assert check(mbs.simulate(m, 1.5, output_interval=0.5, **way), begins_there=True) >= 2


@pytest.mark.quick
def test_gaps_change_their_sign_with_their_contacts() -> None:
    """A body falls on a floor, lies there, and is lifted at 0.9 s: it reaches the floor and leaves it when the contact
    changes, up to the rounding of the rows' times, although rounding leaves a gap where it lies.
    """
    m = mbs.Model("lifted", gravity=(0, 0, -8.0))
    body, at = m.body("body", joint=mbs.Prismatic("z"), mass=1.0), m.parameter("at", 0.0)
    m.contact("floor", "world", body, mbs.OnPlane("z"), at_a=(0, 0, at), restitution=0.0)
    m.motor("lift", on=body, force=mbs.where(mbs.time > 0.9, 16.0, 0.0))
    for name, direction in (("falls", -1), ("both", 0), ("rises", 1)):
        m.event(name, mbs.coordinate(body) - at, direction=direction)
    m.start(body, q=1.0)
    for fall in (0.1, 0.3, 0.7):
        start, height = {"body.s": fall - 0.2}, {"at": -0.2}
        result = mbs.simulate(m, 1.25, method="rk4", step=0.125, output_interval=0.25, start=start, parameters=height)
        lands, lifts = result.switches["time"]
        assert [lands, lifts] == pytest.approx([(fall / 4.0) ** 0.5, 0.9], abs=1e-9), f"a fall of {fall} m"
        for name, time in {"falls": lands, "both": lands, "rises": lifts}.items():
            assert list(result.events[name]) == pytest.approx([time], abs=1e-13), f"{name}, a fall of {fall} m"


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_crossings_beside_another_impact_are_detected(way: dict[str, Any]) -> None:
    """A body that falls into a hole beside another's impact has its own event."""
    m = mbs.Model("hole")
    for name in ("ball", "other"):
        m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.start(name, q=0.3)
    m.contact("floor", "world", "ball", mbs.OnPlane("z"), restitution=0.0)
    m.contact("bottom", "world", "other", mbs.OnPlane("z"), at_a=(0, 0, -0.2), restitution=1.0)
    n = m.state("n", 0.0)
    for direction in (-1, 0, 1):
        m.event(f"seen_{direction + 1}", mbs.coordinate("other"), direction=direction)
    m.event("counted", mbs.coordinate("other"), reset={"n": n + 1.0})
    result = mbs.simulate(m, 0.7, output_interval=0.35, **way)
    g = 9.81
    down, bottom = (0.6 / g) ** 0.5, (1.0 / g) ** 0.5
    for name, times in {"seen_0": [down], "seen_2": [2 * bottom - down], "seen_1": [down, 2 * bottom - down]}.items():
        assert list(result.events[name]) == pytest.approx(times, abs=1e-7), name
    assert list(result.events["counted"]) == list(result.events["seen_1"]) and result["n"][-1] == 2.0


@pytest.mark.quick
def test_bodies_at_rest_have_no_more_events_while_others_fall_and_land() -> None:
    """Each of two bodies crosses zero at its own impact, after √(h/4) s, and never again.

    Both orders of impacts: the first and the second contact of a model lie still while the other one is open.
    """
    m = mbs.Model("two", gravity=(0, 0, -8.0))
    for name in ("left", "right"):
        body = m.body(name, joint=mbs.Prismatic("z"), mass=1.0)
        m.start(body, q=1.0)
        m.contact(f"under_{name}", "world", body, mbs.OnPlane("z"), restitution=0.0)
        n = m.state(f"{name}_count", 0.0)
        m.event(name, mbs.coordinate(body), reset={f"{name}_count": n + 1.0})
    for heights in ({"left": 0.25, "right": 0.5625}, {"left": 0.5625, "right": 0.25}):
        start = {f"{name}.s": height for name, height in heights.items()}
        result = mbs.simulate(m, 0.5, method="rk4", step=2.0**-4, output_interval=0.25, start=start)
        for name, height in heights.items():
            # impacts are located to the rounding of some steps' times
            assert list(result.events[name]) == pytest.approx([0.5 * height**0.5], abs=1e-13), f"{name}, {heights}"
