"""The vertical law and the radii of version 6.1: values of the quadratic, the law on a rig, refusals."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.tyres.vertical import Motion, Quadratic
from mbs_fmu.symbolic.expressions import as_expression
from mbs_fmu.symbolic.graph import evaluate
from support.generators.mechanisms import Plain
from support.hosts.fmus import Host
from support.models.tyres import CAR_TYRE, car_tyre, rig
from support.oracles.complex_steps import outputs
from support.oracles.magic_formula import load_6_1

quick = pytest.mark.quick

#: Stiffness, quadratic term, pressure and influences of a car's tyre, larger than usual.
SIX: dict[str, Any] = {
    "FITTYP": 61, "LONGVL": 16.7, "VERTICAL_STIFFNESS": 209651.0, "Q_FZ2": 15.4, "Q_RE0": 0.998, "Q_V1": 1e-3,
    "Q_V2": 0.05, "Q_CAM": -20.0, "PFZ1": 0.7, "NOMPRES": 2.2e5, "INFLPRES": 2.5e5, "LCZ": 1.1,
}  # fmt: skip
FORCES = {"Q_FCX": 0.14, "Q_FCY": 0.11}  #: influences of the forces along and across of a published tyre


def at_once(tyre: mbs.Tyre, kappa: float = 0.0, alpha: float = 0.0, gamma: float = 0.0) -> dict[str, float]:
    """Return the measures of a wheel at 20 m/s on a rig, at the start."""
    m = rig(tyre, 6000.0, 20.0, kappa, alpha, gamma, at=-1.0, side="left", transient=False)
    m.output("omega", mbs.rate("wheel"))
    return {name: float(x) for name, x in outputs(Plain(m)).items() if np.ndim(x) == 0}


def by_formula(numbers: dict[str, Any], wheel: dict[str, float]) -> tuple[float, float]:
    """Return load and effective radius by the formula, from the measures of a wheel."""
    return load_6_1(
        numbers, *(wheel[name] for name in ("wheel.loaded_radius", "omega", "wheel.gamma", "wheel.fx", "wheel.fy"))
    )


@quick
def test_deflection_with_a_quadratic_term() -> None:
    """The deflections at 2, 4 and 8 kN of the tyre of Pacejka (2012), appendix 3, are the roots of the quadratic."""
    tyre = car_tyre(FITTYP=61, UNLOADED_RADIUS=0.3135, FNOMIN=4000.0, VERTICAL_STIFFNESS=209651.0, Q_FZ2=15.4)
    for load, deflection in ((2e3, 10.48441e-3), (4e3, 20.31286e-3), (8e3, 38.41278e-3)):
        assert tyre.radius - tyre.loaded_radius(load) == pytest.approx(deflection, abs=5e-9)
    constant = car_tyre(FITTYP=61, UNLOADED_RADIUS=0.3135, FNOMIN=4000.0, VERTICAL_STIFFNESS=209651.0)
    assert constant.radius - constant.loaded_radius(4e3) == pytest.approx(4e3 / 209651.0, rel=1e-12)


@quick
@pytest.mark.parametrize("quadratic", [3e6, 1e-3, -1e6])
def test_load_deflection_and_energy_are_consistent(quadratic: float) -> None:
    """The deflection is the inverse of the load, the load the derivative of the energy, also beyond a largest load."""
    spring = Quadratic(2e5, quadratic)

    def value(x: Any) -> Any:
        return evaluate(as_expression(x), {})

    for x in (1e-9, 1e-3, 0.02, 0.05):
        assert value(spring.deflection(spring.load(as_expression(x)))) == pytest.approx(x, rel=1e-12)
    for x in (0.01, 0.08, 0.15):
        h = 1e-5
        rise = value(spring.energy(as_expression(x + h))) - value(spring.energy(as_expression(x - h)))
        assert rise / (2 * h) == pytest.approx(value(spring.load(as_expression(x))), rel=1e-7)


@quick
def test_load_on_a_rig_is_that_of_the_formula() -> None:
    """With speed, inclination and pressure the load is exact, with zero influence of the forces along and across."""
    wheel = at_once(car_tyre(**SIX), 0.03, 0.05, 0.08)
    load, radius = by_formula(CAR_TYRE | SIX, wheel)
    assert wheel["wheel.fz"] == pytest.approx(load, rel=1e-9)
    assert wheel["wheel.effective_radius"] == pytest.approx(radius, rel=1e-12)


@quick
@pytest.mark.parametrize(("kappa", "alpha"), [(0.0, 0.0), (0.1, 0.0), (-0.2, 0.1), (0.0, 0.15)])
def test_forces_along_and_across_decrease_the_load(kappa: float, alpha: float) -> None:
    """By up to 10 % at the limit of friction; the load for which the formula holds exactly is met within 2e-3."""
    numbers = CAR_TYRE | SIX | FORCES
    wheel = at_once(mbs.Tyre(numbers), kappa, alpha, 0.02)
    load, _ = by_formula(numbers, wheel)
    assert wheel["wheel.fz"] == pytest.approx(load, rel=2e-3)
    want = mbs.Tyre(numbers).forces(wheel["wheel.fz"], wheel["wheel.kappa"], wheel["wheel.alpha"], wheel["wheel.gamma"])
    assert wheel["wheel.fx"] == pytest.approx(want.fx, rel=1e-9, abs=1e-9)


#: The published tyre of version 6.2, with its width.
TREAD: dict[str, Any] = {
    "FITTYP": 62, "Q_FCY2": -0.4751, "Q_CAM1": 85.19, "Q_CAM2": 257.4, "Q_CAM3": 0.5119, "Q_FYS1": -20496.4,
    "Q_FYS2": -60000.0, "Q_FYS3": 88211.7, "WIDTH": 0.205, "ASPECT_RATIO": 0.6,
}  # fmt: skip


@quick
@pytest.mark.parametrize(("kappa", "alpha", "gamma"), [(0.0, 0.0, 0.1), (0.1, 0.02, -0.08), (-0.1, 0.1, 0.05)])
def test_version_6_2_has_the_influences_of_inclination(kappa: float, alpha: float, gamma: float) -> None:
    """The deflection of a flat tread is exact; the load with forces across is met within 3e-3."""
    without = CAR_TYRE | SIX | TREAD
    wheel = at_once(mbs.Tyre(without), kappa, alpha, gamma)
    assert wheel["wheel.fz"] == pytest.approx(by_formula(without, wheel)[0], rel=1e-9)
    numbers = without | FORCES
    wheel = at_once(mbs.Tyre(numbers), kappa, alpha, gamma)
    assert wheel["wheel.fz"] == pytest.approx(by_formula(numbers, wheel)[0], rel=3e-3)


@quick
def test_an_inclined_wheel_lifts() -> None:
    """Of version 6.2, as soon as the edge of its tread leaves the road; the load is continuous."""
    numbers = CAR_TYRE | SIX | TREAD | {"Q_RE0": 1.0}
    vertical, gamma = mbs.Tyre(numbers).vertical, 0.1
    edge = 0.5 * (1.075 - 0.3) * 0.205 * math.tan(gamma)
    motion = Motion(gamma=as_expression(gamma))

    def deflection(height: float) -> float:
        return float(evaluate(vertical.compression(as_expression(0.344 + height), motion), {}))

    assert deflection(1.01 * edge) == deflection(1.0) == 0.0 < deflection(0.99 * edge)
    assert deflection(1e-9) == pytest.approx(deflection(-1e-9), abs=1e-8)
    assert deflection(0.0) == pytest.approx(edge / 4, rel=1e-6)


@quick
def test_a_round_tyre_has_no_edge() -> None:
    """With a round crown, the load of version 6.2 is that of 6.1."""
    numbers = CAR_TYRE | SIX | TREAD | FORCES
    found = []
    for version in (61, 62):
        m = rig(mbs.Tyre(numbers | {"FITTYP": version}), 6000.0, 20.0, 0.02, 0.03, 0.2, at=-1.0, side="left", crown=0.1)
        found.append(float(outputs(Plain(m))["wheel.fz"]))
    assert found[0] == found[1] > 0.0


@quick
def test_radii_grow_with_the_speed() -> None:
    """Loaded and effective radius of an upright wheel are those of the formula at an angular velocity."""
    tyre = car_tyre(**SIX)
    for omega in (0.0, 40.0, 120.0):
        loaded = tyre.loaded_radius(5000.0, omega)
        load, effective = load_6_1(CAR_TYRE | SIX, loaded, omega, 0.0, 0.0, 0.0)
        assert load == pytest.approx(5000.0, rel=1e-10)
        assert tyre.effective_radius(5000.0, omega) == pytest.approx(effective, rel=1e-12)
    assert tyre.effective_radius(5000.0, 120.0) > tyre.effective_radius(5000.0) + 1e-3


@quick
def test_version_5_2_has_a_constant_stiffness() -> None:
    """The terms of 6.1 have no effect on a tyre of version 5.2."""
    numbers = SIX | FORCES | {"FITTYP": 52, "LCZ": 1.0}
    tyre = car_tyre(**numbers)
    assert tyre.radius - tyre.loaded_radius(5000.0, 100.0) == pytest.approx(5000.0 / 209651.0, rel=1e-12)


@quick
def test_terms_that_do_not_fit_are_refused() -> None:
    """A quadratic term that leaves no linear one, and a load that no deflection carries."""
    square = (209651.0 * 0.344 / 4850.0) ** 2 / 4.0
    with pytest.raises(
        mbs.ModelError, match=f"Q_FZ2 is 60: with this VERTICAL_STIFFNESS it must be less than {square:g}"
    ):
        car_tyre(**SIX | {"Q_FZ2": 60.0})
    degressive = car_tyre(**SIX | {"Q_FZ2": -60.0})
    assert 0.0 < degressive.loaded_radius(8000.0) < degressive.radius
    with pytest.raises(mbs.ModelError, match=r"load of tyre .* is 1e\+06 N"):
        degressive.loaded_radius(1e6)
    with pytest.raises(mbs.ModelError, match="omega of tyre"):
        degressive.loaded_radius(1e3, "fast")
    assert math.isfinite(degressive.stiffness)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
def test_a_native_fmu_of_version_6_2_has_the_bits_of_simulate(tmp_path: Path) -> None:
    """A braked wheel that turns and leans, at all communication points."""
    m, tick = rig(mbs.Tyre(CAR_TYRE | SIX | TREAD | FORCES), 5000.0, 15.0, -0.03, 0.06, 0.05, side="left"), 1 / 128
    path = mbs.export(
        m, tmp_path / "rig.fmu", "native", method="rk4", step=tick / 8, stop_time=1.0, communication_step=tick,
        platforms="host",
    )  # fmt: skip
    result = mbs.simulate(m, 1.0, method="rk4", step=tick / 8, output_interval=tick)
    names = [name for name in result.columns if name != "time"]
    with Host(path) as host:
        host.start()
        for row in range(1, len(result["time"])):
            host.step(tick)
            values = host.slave.getReal([host.references[name] for name in names])
            assert np.array_equal(values, [result[name][row] for name in names]), result["time"][row]
