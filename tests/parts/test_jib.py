"""A jib with actuators of all kinds: FMUs of both kinds, and absolute coordinates, give the numbers of `simulate`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.hosts.fmus import Host

TICK = 1 / 128  #: s, a communication step whose multiples are exact


def jib() -> mbs.Model:
    """A jib with a cylinder, a rope on a winch, a motor with a lossy gear and a freewheel, and friction."""
    m = mbs.Model("jib")
    jib = m.body("jib", joint=mbs.Revolute("-y"), mass=300.0, com=(2, 0, 0), inertia=(5, 400, 400), at=(0, 0, 1))
    load = m.body("load", jib, mbs.Revolute("-y"), mass=100.0, com=(0, 0, -1), inertia=(5, 5, 5), at=(4, 0, 0))
    m.start(jib, q=0.4)
    valve = m.input("valve", start=0.0)
    jack = m.cylinder(
        "jack", "world", jib, at_a=(1, 0, 0), at_b=(1.5, 0, 0), bore=0.08, rod=0.05, stroke=1.0, closed=0.8,
        opening=0.4 * mbs.sin(6.0 * mbs.time) + valve, flow=1e-7, supply=2e7, leak=1e-12, viscous=100.0,
        stop=1e8, start=(9e6, 1e6),
    )  # fmt: skip
    m.rope(
        "stay", [("world", (-1, 0, 3)), (jib, (3, 0, 0.2)), (load, (0, 0, -1))], length=5.25 - 0.3 * mbs.time,
        length_rate=-0.3, stiffness=1e4, damping=300.0,
    )  # fmt: skip
    m.lugre_friction("pin", load, coulomb=20.0, static=30.0, speed=0.1, stiffness=1e4, damping=50.0, viscous=1.0)
    for name, inertia in (("rotor", 0.01), ("wheel", 0.2), ("fan", 0.1)):
        m.body(name, joint=mbs.Revolute("x"), mass=1.0, inertia=(inertia, inertia, inertia), at=(-3, 0, 0))
    m.dc_motor("engine", "rotor", voltage=12.0 * mbs.sin(9.0 * mbs.time), resistance=0.5, inductance=0.01, constant=0.1)
    m.gear("gear", "rotor", "wheel", ratio=4.0, stiffness=50.0, damping=0.5, efficiency=(0.8, 0.7))
    m.freewheel("free", on="fan", against="wheel")
    m.spring("air", on="fan", damping=0.05)
    m.output("energy", mbs.energy(), unit="J")
    m.output("pressures", [jack.pressure_a, jack.pressure_b], unit="bar")
    m.output("tension", mbs.strength("stay"), unit="N")
    m.output("modes", [mbs.constraint_mode("free"), mbs.constraint_mode("gear.loss")])
    return m


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "native"])
def test_fixed_steps_give_the_numbers_of_simulate(kind: str, tmp_path: Path) -> None:
    """All columns, while freewheel and losses change their modes: the bits of native FMUs, those of Python FMUs to
    rounding, which grows over thousand steps.
    """
    rounding = 0.0 if kind == "native" else 1e-11
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    settings = {"method": "rk4", "step": 1 / 1024}
    result = mbs.simulate(jib(), 128 * TICK, output_interval=TICK, **settings)  # type: ignore[arg-type]
    assert {"free", "gear.loss"} <= set(result.switches["name"])
    platforms = "host" if kind == "native" else "all"
    path = mbs.export(jib(), tmp_path / "jib.fmu", kind, reference=False, platforms=platforms, **settings)  # type: ignore[arg-type]
    with Host(path) as host:
        rows = host.start().run(128, TICK)
        names = list(host.references)
        for name in result.columns[1:]:
            apart = np.abs(rows[:, names.index(name)] - result[name][1:]).max()
            assert apart <= rounding * max(1.0, np.abs(result[name]).max()), name


@pytest.mark.slow
def test_absolute_coordinates_give_the_same_motion() -> None:
    """Lines, ropes, currents and modes do not depend on the coordinates in which the bodies move."""
    tree, absolute = (
        mbs.simulate(jib(), 0.3, rtol=1e-9, atol=1e-11, output_interval=0.05, formulation=formulation)
        for formulation in ("tree", "absolute")
    )
    for name in ("jib.phi", "load.phi", "fan.w", "energy", "pressures", "tension"):
        assert np.abs(tree[name] - absolute[name]).max() < 1e-6 * np.abs(tree[name]).max(), name  # 1e-9 a step
