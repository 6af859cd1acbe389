"""Steps that end early, at samples, events and mode ends, leave each method its order and the bodies their momenta."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.cases import tiers

pytestmark = pytest.mark.usefixtures("plain_by_default")

EXACT: dict[str, Any] = {"method": "dop853", "rtol": 1e-12, "atol": 1e-14}
FIXED = ("abm6", "rk4", "gauss4", "gauss6", "dopri5", "rodas5p")


def chain(seed: int, released: bool = True) -> tuple[mbs.Model, np.random.Generator]:
    """Two to four joints with springs, dampers and forces that change with time; one is locked until some time.

    With a lock, there is a joint more that sticks at first, because its friction exceeds the force on it.
    """
    rng = np.random.default_rng([12, seed])
    m = mbs.Model("chain", gravity=(0, 0, 0))
    parent: Any = "world"
    count = int(rng.integers(2, 5))
    for k in range(count):
        joint = mbs.Prismatic("x") if rng.random() < 0.4 else mbs.Revolute("z")
        at = (0.0, 0.0, 0.0) if k == 0 else (1.0, 0.0, 0.0)
        mass, inertia = rng.uniform(0.5, 2.0), (0.3,) * 3
        parent = m.body(f"b{k}", parent, joint, mass=mass, com=(0.4, 0.1, 0.0), inertia=inertia, at=at)
        m.spring(f"s{k}", on=parent, stiffness=rng.uniform(0.2, 1.0), damping=rng.uniform(0.0, 0.1))
        force = rng.uniform(0.5, 2.0) * mbs.cos(rng.uniform(0.5, 2.0) * mbs.time)
        m.motor(f"f{k}", on=parent, **{"force" if isinstance(joint, mbs.Prismatic) else "torque": force})
        m.start(parent, q=rng.uniform(-0.3, 0.3))
    if released:
        held = f"b{rng.integers(count)}"
        m.lock("held", on=held, until=mbs.time - rng.uniform(0.3, 1.2) >= 0.0)
        sled = m.body("sled", "world", mbs.Prismatic("y"), mass=1.0)
        m.motor("pull", on=sled, force=rng.uniform(1.5, 3.0) * mbs.time)
        m.friction("rub", on=sled, force=1.0, static=1.2, stick=True)
    return m, rng


def last_row(m: mbs.Model, **options: Any) -> np.ndarray:
    """Coordinates and velocities after two seconds."""
    result = mbs.simulate(m, 2.0, output_interval=2.0, **options)
    names = [name for name in result.columns if name.startswith(("b", "sled"))]
    return np.array([result[name][-1] for name in names])


def check_release(seed: int, method: str) -> None:
    """Assert that a run with released locks and friction has the error of the method."""
    m, _ = chain(seed)
    wanted = last_row(m, **EXACT)
    # motions of at most some 3 rad/s: (3 h)^4 with the constant of the method; a lost impulse is of order one
    assert np.abs(last_row(m, method=method, step=0.02) - wanted).max() < 2e-4


@pytest.mark.parametrize("seed", tiers(range(8), usual=1))
def test_a_released_closure_gives_no_impulse(seed: int) -> None:
    """The impulse that a lock or sticking friction has carried is no motion afterwards, with any method."""
    check_release(seed, FIXED[seed % 4])
    check_release(seed, "abm6")


@pytest.mark.parametrize("rows", [0.25, 2.0])
@pytest.mark.parametrize("method", tiers(FIXED, usual=1, quick=1))
def test_a_lock_has_carried_a_constant_force(method: str, rows: float) -> None:
    """1 kg, locked, pushed by 1 N and released at 1 s, moves as if it had been pushed from then on; rows or not."""
    m = mbs.Model("held", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.motor("push", on=b, force=1.0)
    m.lock("l", on=b, until=mbs.time >= 1.0)
    result = mbs.simulate(m, 2.0, output_interval=rows, method=method, step=0.025)
    assert result["b.v"][-1] == pytest.approx(1.0, abs=1e-12)  # the sum of 40 steps
    assert np.all(result["b.v"][result.time < 0.99] == 0.0)


def check_order(seed: int, method: str) -> None:
    """Assert that a sampled signal that nothing uses leaves the error of a run as small as it was."""
    plain, _ = chain(seed, released=False)
    m, rng = chain(seed, released=False)
    m.sampled("count", rng.uniform(0.23, 0.71), lambda n: n + 1.0, offset=rng.uniform(0.0, 0.2))
    if rng.random() < 0.5:
        n = m.state("n", 0.0)
        m.event("passes", mbs.time - rng.uniform(0.2, 1.5), reset={"n": n + 1.0})
    wanted = last_row(plain, **EXACT)
    alone, beside = (np.abs(last_row(x, method=method, step=0.02)[: wanted.size] - wanted).max() for x in (plain, m))
    # restarts use another method of the same order at least, with constants of up to some ten times the size; below,
    # rounding and the tolerance of the exact run
    assert beside < 20.0 * alone + 1e-11, (alone, beside)


@pytest.mark.parametrize("seed", tiers(range(8), usual=1))
def test_samples_and_resets_keep_the_order(seed: int) -> None:
    """A sampled signal or reset that changes nothing else changes no result by more than the method's error."""
    check_order(seed, "abm6")
    check_order(seed, FIXED[1 + seed % 5])
