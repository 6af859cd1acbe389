"""Systems with crossings whose outcome is known in closed form: a table of cases, and their models.

A reset of a velocity has a lost energy of its own, negative if it adds energy.
"""

from __future__ import annotations

import functools
import math

import mbs_fmu as mbs

from .outcomes import Case
from .ways import STEP, prepared

NEVER = 99.0  #: a level or time, s, that no run here reaches
SLIP = 1.5 * math.pi  #: duration of a slip of the block on its belt, s: 2 pi - 2 arctan 1


def falling(m: mbs.Model, name: str, restitution: float) -> tuple[mbs.Expression, mbs.Expression]:
    """Add a ball of 2 kg, 1 m above its floor, that strikes at 0.5 s with -4 m/s; return its height and velocity."""
    body = m.body(name, joint=mbs.Prismatic("z"), mass=2.0)
    m.start(body, q=1.0)
    m.contact(f"{name}_floor", "world", body, mbs.OnPlane("z"), restitution=restitution)
    return mbs.coordinate(body), mbs.rate(body)


@functools.cache
def ball() -> mbs.Model:
    """A ball that rebounds with half its velocity; at the impact a tick, and events of the gap in both directions."""
    m = mbs.Model("ball", gravity=(0, 0, -8))
    z, v = falling(m, "b", 0.5)
    m.state("a", 0.0)
    m.state("c", 0.0)
    m.sampled("s", 10.0, v, offset=0.5)
    m.event("both", z)
    m.event("down", z, direction=-1, reset={"a": v})
    m.event("up", z, direction=1, reset={"c": v})
    m.event("rise", z, direction=1)
    return prepared(m)


@functools.cache
def stopped_ball() -> mbs.Model:
    """The ball, and runs that end before or behind its impact."""
    m = mbs.Model("stopped_ball", gravity=(0, 0, -8))
    z, v = falling(m, "b", 0.5)
    m.event("before", z + m.parameter("above", NEVER), direction=-1, stop=True)
    m.event("behind", v - m.parameter("faster", NEVER), direction=1, stop=True)
    return prepared(m)


@functools.cache
def ball_by_resets() -> mbs.Model:
    """The ball without a contact; a reset halves its velocity at the floor."""
    m = mbs.Model("ball_by_resets", gravity=(0, 0, -8))
    b = m.body("b", joint=mbs.Prismatic("z"), mass=2.0)
    m.start(b, q=1.0)
    m.event("hit", mbs.coordinate(b), direction=-1, reset={"b.v": -0.5 * mbs.rate(b)})
    return prepared(m)


@functools.cache
def two_balls() -> mbs.Model:
    """Two balls of restitution 0.5 and 0.9, which no constraint couples."""
    m = mbs.Model("two_balls", gravity=(0, 0, -8))
    falling(m, "a", 0.5)
    falling(m, "b", 0.9)
    return prepared(m)


@functools.cache
def sampled_saw() -> mbs.Model:
    """x' = 1; x returns to 0 at its level; a report of the same, and ticks that sample x."""
    m = mbs.Model("sampled_saw")
    x = m.state("x", 1.0)
    level = m.parameter("level", 1.0)
    m.event("r", x - level, direction=1, reset={"x": 0.0})
    m.event("o", x - level, direction=1)
    m.sampled("s", m.parameter("period", 1.0), x, start=-1.0, offset=m.parameter("first", 1.0))
    return prepared(m)


@functools.cache
def stops() -> mbs.Model:
    """x' = 1; at 0.5 s a report, a tick, and a reset that triggers a second one; stops of each round."""
    m = mbs.Model("stops")
    x, y, z = m.state("x", 1.0), m.state("y", 0.0), m.state("z", 0.0)
    s = m.sampled("s", 10.0, x, offset=0.5)
    m.event("stop_x", x - m.parameter("most_x", NEVER), direction=1, stop=True)
    m.event("r", 2.0 * x - 1.0, direction=1, reset={"y": 1.0})
    m.event("o", x - 0.5, direction=1)
    m.event("next", y - 0.5, direction=1, reset={"z": 1.0})
    m.event("stop_y", y - m.parameter("most_y", NEVER), direction=1, stop=True)
    m.event("stop_s", s - m.parameter("most_s", NEVER), stop=True)
    m.event("stop_z", z - m.parameter("most_z", NEVER), direction=1, stop=True)
    return prepared(m)


@functools.cache
def jumps() -> mbs.Model:
    """x' = u; a tick of u at 1 s; reports of u and x at 0.5."""
    m = mbs.Model("jumps")
    u = m.input("u")
    x = m.state("x", u)
    m.sampled("s", 10.0, u, start=-1.0, offset=1.0)
    m.event("o", x - 0.5)
    m.event("j", u - 0.5)
    return prepared(m)


def jump(time: float) -> dict[str, object]:
    """Arguments of a run whose input jumps from 0 to 1 at a time, s."""
    return {"inputs": {"u": ([0.0, time, time, 3.0], [0.0, 0.0, 1.0, 1.0])}}


@functools.cache
def saw_tooth() -> mbs.Model:
    """x grows at a rate and returns to 0 at 1; n counts."""
    m = mbs.Model("saw_tooth")
    x = m.state("x", m.parameter("rate", 10.0))
    n = m.state("n", 0.0)
    m.event("tooth", x - 1.0, direction=1, reset={"x": 0.0, "n": n + 1.0})
    return prepared(m)


@functools.cache
def chain() -> mbs.Model:
    """At 0.5 s k becomes 1, and two resets count it up in turn, one in each round, until it is `most`."""
    m = mbs.Model("chain")
    k, t, most = m.state("k", 0.0), m.state("t", 1.0), m.parameter("most", 150.0)
    odd = mbs.sin(math.pi * (k - 0.5))  # 1 for odd k, -1 for even k
    m.event("go", t - 0.5, direction=1, reset={"k": 1.0})
    m.event("a", mbs.where(k < most, odd, -1.0), direction=1, reset={"k": k + 1.0})
    m.event("b", mbs.where(k < most, -odd, -1.0), direction=1, reset={"k": k + 1.0})
    return prepared(m)


def counted_up(most: int) -> Case:
    """The chain up to a number of rounds."""
    rounds = [(0.5, n, "reset", "go" if n == 1 else "ba"[n % 2 == 0]) for n in range(1, most + 1)]
    run = {"parameters": {"most": float(most)}}
    return Case(f"chain of {most} rounds", chain, 1.0, log=rounds, rows={0.5: {"k": 0.0}, 1.0: {"k": most}}, run=run)


@functools.cache
def zeros() -> mbs.Model:
    """Expressions of t that are zero at the start, as reports and resets in each direction."""
    m = mbs.Model("zeros")
    t, rest, n = m.state("t", 1.0), m.state("rest", 0.0), m.state("n", 0.0)
    shapes = {"t": 1.0 * t, "square": t * t, "cosine": mbs.cos(t) - 1.0, "zero": rest, "ramp": mbs.max(t - 1.0, 0.0)}
    for name, shape in shapes.items():
        for way, direction in (("falls", -1), ("crosses", 0), ("rises", 1)):
            m.event(f"{name}_{way}", shape, direction=direction)
            m.event(f"{name}_{way}_counted", shape, direction=direction, reset={"n": n + 1.0})
    return prepared(m)


@functools.cache
def level() -> mbs.Model:
    """x is reset onto a level, rests there and leaves it upwards."""
    m = mbs.Model("level")
    v = m.state("v", 0.0, start=1.0)
    x = m.state("x", v)
    n = m.state("n", 0.0)
    m.event("jump", x - 0.5, direction=1, reset={"x": 2.0, "v": 0.0})
    m.event("seen", x - 2.0, direction=1)
    m.event("fallen", x - 2.0, direction=-1)
    m.event("counted", x - 2.0, direction=1, reset={"n": n + 1.0})
    m.event("leave", mbs.time - 0.75, direction=1, reset={"v": 1.0})
    return prepared(m)


@functools.cache
def block_on_belt() -> mbs.Model:
    """A block of 1 kg on a spring of 1 N/m and a belt of 0.5 m/s: it sticks up to 1.5 N and slides with 1 N."""
    m = mbs.Model("block_on_belt", gravity=(0, 0, 0))
    belt = m.body("belt", joint=mbs.Prismatic("x"), mass=1e12)
    block = m.body("block", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=block, stiffness=1.0)
    m.friction("rub", on=block, against=belt, force=1.0, static=1.5, stick=True)
    m.start(belt, u=0.5)
    m.start(block, u=0.5)
    return prepared(m)


@functools.cache
def docking() -> mbs.Model:
    """Two bodies of 2 kg, 1 m apart, that approach at 1 m/s and latch at 0.5 m."""
    m = mbs.Model("docking", gravity=(0, 0, 0))
    a, b = (m.body(name, joint=mbs.Prismatic("x"), mass=2.0) for name in "ab")
    m.start(b, q=1.0, u=-1.0)
    gap = mbs.coordinate(b) - mbs.coordinate(a)
    m.constrain("dock", gap, when=gap <= 0.5, until=mbs.time >= m.parameter("release", NEVER))
    return prepared(m)


@functools.cache
def lock_and_reset() -> mbs.Model:
    """A body of 1 kg at 1 m/s; at 0.5 s it is locked, and a reset assigns 3 m/s."""
    m = mbs.Model("lock_and_reset", gravity=(0, 0, 0))
    b = m.body("b", joint=mbs.Prismatic("x"), mass=1.0)
    m.start(b, u=1.0)
    m.lock("l", on=b, when=mbs.time >= 0.5)
    m.event("r", mbs.time - 0.5, direction=1, reset={"b.v": 3.0})
    return prepared(m)


@functools.cache
def root() -> mbs.Model:
    """x' = -sqrt(x) from 1, which fails below 0; at 1e-4 x becomes 1 again, or the run ends."""
    m = mbs.Model("root")
    x = m.state("x", lambda x: -mbs.sqrt(x), start=1.0)
    m.event("low", x - m.parameter("lowest", 1e-4), direction=-1, reset={"x": 1.0})
    m.event("end", x - m.parameter("last", -NEVER), direction=-1, stop=True)
    return prepared(m)


@functools.cache
def relay() -> mbs.Model:
    """x' = -s, where s is the sign of x by resets: it slides along 0 from 0.25 s on."""
    m = mbs.Model("relay")
    s = m.state("s", 0.0, start=1.0)
    x = m.state("x", -s, start=0.25)
    m.event("down", x, direction=-1, reset={"s": -1.0})
    m.event("up", x, direction=1, reset={"s": 1.0})
    return prepared(m)


@functools.cache
def touches() -> mbs.Model:
    """Expressions that touch zero, cross it twice, and cross it three times within one step."""
    m = mbs.Model("touches")
    t, n = m.state("t", 1.0), m.state("n", 0.0)
    m.event("touch", -(t - 1.01) * (t - 1.01))
    m.event("pair", (t - 0.51) * (t - 0.52))
    m.event("triple", 1e3 * (t - 0.505) * (t - 0.515) * (t - 0.525), reset={"n": n + 1.0})
    return prepared(m)


STOPS = ((0.5, 0, "event", "o"), (0.5, 1, "reset", "r"), (0.5, 1, "sample", "s"))

CASES = (
    Case(
        "a ball bounces to rest at 1.5 s", stopped_ball, 2.0, lost={"b_floor": 16.0},
        rows={0.5: {"b.v": -4.0}, 1.0: {"b.v": -2.0}, 2.0: {"b.s": 0.0, "b.v": 0.0, "b_floor.mode": 0.0}},
    ),
    Case("its impacts halve the velocity", stopped_ball, 1.3, log=(
        (0.5, 1, "mode", "b_floor", 12.0), (1.0, 1, "mode", "b_floor", 3.0), (1.25, 1, "mode", "b_floor", 0.75),
    )),
    Case("bouncing by resets is refused", ball_by_resets, 2.0, refused=("'hit'", 1.5)),
    Case(
        "tick and resets at an impact", ball, 0.75,
        log=(
            (0.5, 0, "event", "both"), (0.5, 1, "sample", "s"), (0.5, 1, "reset", "down"),
            (0.5, 1, "mode", "b_floor", 12.0), (0.5, 1, "event", "rise"), (0.5, 2, "reset", "up"),
        ),
        rows={0.5: {"b.v": -4.0, "s": 0.0, "a": 0.0}, 0.75: {"s": -4.0, "a": -4.0, "c": 2.0, "b.v": 0.0}},
    ),
    Case(
        "a stop at an impact", stopped_ball, 2.0, ends=0.5, log=((0.5, 0, "stop", "before"),),
        rows={0.5: {"b.v": -4.0, "b.s": 0.0}}, run={"parameters": {"above": 0.0}},
    ),
    Case(
        "a stop behind an impact", stopped_ball, 2.0, ends=0.5,
        log=((0.5, 1, "mode", "b_floor", 12.0), (0.5, 1, "stop", "behind")),
        rows={0.5: {"b.v": 2.0, "b.s": 0.0}}, run={"parameters": {"faster": 0.0}},
    ),
    *(
        Case(
            f"two balls strike {apart:g} s apart", two_balls, 0.5625, within=max(1e-9, 20.0 * apart),
            rows={0.5625: {"a.v": 1.5, "b.v": 3.1}}, interval=0.28125, run={"start": {"b.s": 1.0 + 4.0 * apart}},
        )
        for apart in (0.0, 1e-12, -1e-12, 1e-6)
    ),
    Case(
        "reset and tick read the value before", sampled_saw, 2.5, interval=0.5,
        log=tuple(
            (t, n, kind, name) for t in (1.0, 2.0)
            for n, kind, name in ((0, "event", "o"), (1, "reset", "r"), (1, "sample", "s"))
        ),
        rows={1.0: {"x": 1.0, "s": -1.0}, 2.0: {"x": 1.0, "s": 1.0}, 2.5: {"x": 0.5, "s": 1.0}},
    ),
    Case(
        "a run ends at a reset, tick and report", sampled_saw, 1.0, log=((1.0, 0, "event", "o"),),
        rows={1.0: {"x": 1.0, "s": -1.0}},
    ),
    *(
        Case(
            f"a tick, and a reset {d:g} s behind it", sampled_saw, 0.75,
            run={"parameters": {"level": 0.5 + d, "first": 0.5}},
            log=((0.5, 0, "event", "o"), (0.5, 1, "reset", "r"), (0.5, 1, "sample", "s")),
            rows={0.5: {"x": 0.5, "s": -1.0}, 0.75: {"x": 0.25, "s": 0.5}},
        )
        for d in (-1e-12, -1e-15, 0.0, 1e-15, 1e-12)
    ),
    Case(
        "a tick 4e-7 s behind a reset is in time", sampled_saw, 0.75, within=1e-11,
        rows={0.75: {"s": 4e-7, "x": 0.25 + 4e-7}}, run={"parameters": {"level": 0.5 - 4e-7, "first": 0.5}},
        log=(
            (0.5 - 4e-7, 0, "event", "o"), (0.5 - 4e-7, 1, "reset", "r"), (0.5, 1, "sample", "s"),
        ),
    ),
    Case("a reset triggers another", stops, 0.75, log=(*STOPS, (0.5, 2, "reset", "next")), rows={
        0.5: {"y": 0.0, "s": 0.0}, 0.75: {"y": 1.0, "z": 1.0, "s": 0.5},
    }),
    Case(
        "a stop in motion", stops, 0.75, ends=0.5, log=((0.5, 0, "event", "o"), (0.5, 0, "stop", "stop_x")),
        rows={0.5: {"x": 0.5, "y": 0.0, "z": 0.0, "s": 0.0}}, run={"parameters": {"most_x": 0.5}},
    ),
    Case(
        "a stop by a reset", stops, 0.75, ends=0.5, log=(*STOPS, (0.5, 1, "stop", "stop_y")),
        rows={0.5: {"x": 0.5, "y": 1.0, "z": 0.0, "s": 0.5}}, run={"parameters": {"most_y": 0.5}},
    ),
    Case(
        "a stop by a sample", stops, 0.75, ends=0.5, log=(*STOPS, (0.5, 1, "stop", "stop_s")),
        rows={0.5: {"x": 0.5, "y": 1.0, "z": 0.0, "s": 0.5}}, run={"parameters": {"most_s": 0.25}},
    ),
    Case(
        "a stop by a second reset", stops, 0.75, ends=0.5,
        log=(*STOPS, (0.5, 2, "reset", "next"), (0.5, 2, "stop", "stop_z")),
        rows={0.5: {"x": 0.5, "y": 1.0, "z": 1.0, "s": 0.5}}, run={"parameters": {"most_z": 0.5}},
    ),
    Case(
        "an input jumps at a step's end", jumps, 2.0, run=jump(1.0), rows={1.0: {"s": -1.0}, 2.0: {"x": 1.0, "s": 1.0}},
        log=((1.0, 1, "event", "j"), (1.0, 1, "sample", "s"), (1.5, 0, "event", "o")),
    ),
    Case(
        "an input jumps inside a step", jumps, 2.0, run=jump(1.0 + STEP / 3),
        rows={2.0: {"x": 1.0 - STEP / 3, "s": 0.0}},
        log=((1.0, 1, "sample", "s"), (1.0 + STEP / 3, 1, "event", "j"), (1.5 + STEP / 3, 0, "event", "o")),
    ),
    *(
        Case(
            f"saw tooth, {rate:g} in a second", saw_tooth, 16.5 / rate, rows={16.5 / rate: {"n": 16.0}},
            interval=8.25 / rate, run={"parameters": {"rate": rate}},
        )
        for rate in (1e1, 1e3, 1e6, 1e9, 1e12)
    ),
    Case(
        "a thousand teeth in eight steps", saw_tooth, 0.25 + 0.125e-3, rows={0.25 + 0.125e-3: {"n": 1000.0}},
        run={"parameters": {"rate": 4000.0}},
    ),
    counted_up(150),
    counted_up(199),
    Case("chain of 201 rounds", chain, 1.0, refused=("'", 0.5), run={"parameters": {"most": 201.0}}),
    Case("endless chain", chain, 1.0, refused=("'", 0.5), run={"parameters": {"most": 1e9}}),
    Case(
        "starts at a zero", zeros, 2.0, interval=0.5, rows={2.0: {"n": 1.0}}, within=1e-8,
        log=(
            (1.0, 0, "event", "ramp_crosses"), (1.0, 0, "event", "ramp_rises"),
            (1.0, 1, "reset", "ramp_crosses_counted"), (1.0, 1, "reset", "ramp_rises_counted"),
        ),
    ),
    Case(
        "a reset onto a level", level, 1.0, rows={0.5: {"x": 0.5}, 0.75: {"x": 2.0}, 1.0: {"x": 2.25, "n": 1.0}},
        log=(
            (0.5, 1, "reset", "jump"), (0.5, 1, "event", "seen"), (0.5, 2, "reset", "counted"),
            (0.75, 1, "reset", "leave"),
        ),
    ),
    Case(
        "stick and slip", block_on_belt, 13.0, interval=0.5, smooth=True,
        log=tuple((t, 1, "mode", "rub") for t in (3.0, 3.0 + SLIP, 5.0 + SLIP)),
    ),
    Case(
        "docking", docking, 1.0, log=((0.5, 1, "mode", "dock", 0.5),),
        rows={0.5: {"a.v": 0.0, "b.v": -1.0}, 1.0: {"a.v": -0.5, "b.v": -0.5, "dock.mode": 0.0}},
    ),
    Case(
        "docking and release at once", docking, 1.0, log=((0.5, 1, "mode", "dock", 0.5), (0.5, 2, "mode", "dock")),
        rows={1.0: {"a.v": -0.5, "b.v": -0.5, "dock.mode": -1.0}}, run={"parameters": {"release": 0.5}},
    ),
    Case(
        "a lock and a reset", lock_and_reset, 1.0, rows={0.5: {"b.v": 1.0}, 1.0: {"b.s": 0.5, "b.v": 0.0}},
        log=((0.5, 1, "reset", "r", -4.0), (0.5, 1, "mode", "l", 4.5)),
    ),
    Case(
        "a rate that is undefined beyond a reset", root, 2.5, interval=0.5, within=0.02,
        log=((1.98, 1, "reset", "low"),), rows={2.5: {"x": (1.0 - 0.26) ** 2}},
    ),
    *(
        Case(
            f"a rate that is undefined beyond a stop, steps of {step:g} s", root, 2.5, interval=0.5, within=0.25 * step,
            ends=1.98, log=((1.98, 0, "stop", "end"),), step=step, run={"parameters": {"last": 1e-4, "lowest": -NEVER}},
        )
        for step in (0.03125, 0.125, 0.5)
    ),
    Case("a relay that slides", relay, 1.0, interval=0.5, refused=("'", 0.25)),
)  # fmt: skip
