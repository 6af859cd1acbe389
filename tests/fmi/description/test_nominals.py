"""Nominal values, from the size, mass and motion of the mechanism."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.nominals import with_nominals
from mbs_fmu.record.program import Program
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.symbolic.units import UNITS
from support.hosts.fmus import Builder, Host
from support.hosts.native_instances import exchange
from support.models.fmu_models import MODELS

#: Factors of a similar mechanism, which is faster by 1/sqrt(LENGTH) under the same gravity.
LENGTH, MASS, RATE = 1e-4, 1e-3, 1e2


@pytest.fixture
def nominals(monkeypatch: pytest.MonkeyPatch) -> Callable[[mbs.Model], Program]:
    """Program of a model with nominal values computed by kernels in plain Python."""
    monkeypatch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")

    def program_of(model: mbs.Model) -> Program:
        program = compile_model(model)
        return with_nominals(program, Runtime(program), 1e-6, 1e-8)

    return program_of


def crane(length: float = 1.0, mass: float = 1.0, rate: float = 1.0, closed: bool = False) -> mbs.Model:
    """A trolley with a swinging load of two bodies, of any size."""
    m = mbs.Model("crane")
    heavy, inertia = 3.0 * mass, [j * mass * length**2 for j in (0.04, 0.05, 0.03)]
    trolley = m.body("trolley", joint=mbs.Prismatic("x"), mass=heavy)
    rope = m.body("rope", trolley, mbs.Universal("xy"), mass=2 * mass, com=(0, 0, -0.7 * length), inertia=inertia)
    load = m.body("load", rope, mbs.Spherical(), mass=mass, com=(0, 0.1 * length, 0), inertia=inertia,
                  at=(0, 0, -1.3 * length))  # fmt: skip
    m.motor("drive", on=trolley, force=m.input("push", unit="N"))
    m.spring("drag", on=rope, coordinate=2, damping=m.parameter("d", 0.2 * mass * length**2 * rate, unit="N.m.s/rad"))
    for unit in ("m", "m/s", "N", "N.m", "J", "W", "rad/s2", "N/m"):
        m.output(f"of_{unit.replace('/', '_per_')}", mbs.coordinate(trolley), unit=unit)
    m.output("of_nothing", mbs.coordinate(trolley))
    m.start(trolley, q=0.7 * length, u=0.3 * length * rate)
    m.start(rope, q=(0.2, 0.3), u=(4.0 * rate, -0.4 * rate))
    m.start(load, u=(0.1 * rate, 0.2 * rate, 0.3 * rate))
    if closed:  # a string that is taut at the start: assembly measures angles and lengths in SI units
        m.start(rope, q=(0, 0), u=(4.0 * rate, -0.4 * rate))
        m.close("string", "world", load, mbs.Distance(2.0 * length), at_a=(0.7 * length, 0, 0.7 * length))
    return m


@pytest.mark.parametrize("closed", [False, True], ids=["tree", "loop"])
def test_similar_mechanisms_have_similar_nominals(nominals: Callable[[mbs.Model], Program], closed: bool) -> None:
    """In other units of length, mass and time every nominal value changes as its unit does; states, parameters,
    velocities and all variables with units have one. Factors are powers of ten, so that roundings agree.
    """
    one, other = nominals(crane(closed=closed)), nominals(crane(LENGTH, MASS, RATE, closed))
    for v, w in zip(one.variables, other.variables, strict=True):
        if v.unit is None:
            assert v.nominal is None
            continue
        kg, m, s = UNITS[v.unit].exponents[:3]
        assert v.nominal is not None and w.nominal is not None, v.name
        assert w.nominal / v.nominal == pytest.approx(MASS**kg * LENGTH**m * RATE**-s, rel=1e-9), v.name


def test_nominals_follow_inertia_and_start_values(nominals: Callable[[mbs.Model], Program]) -> None:
    """A momentum has its effective inertia times a velocity, a fast velocity its start value, a parameter its value;
    values of the user take precedence.
    """
    m = mbs.Model("wheel")
    k = m.parameter("k", 5.0, unit="N.m.s/rad")
    wheel = m.body("wheel", joint=mbs.Revolute("z"), mass=8.0, inertia=(0.02, 0.02, 0.04))
    m.spring("drag", on=wheel, damping=k)
    m.output("told", mbs.rate(wheel), unit="rad/s", nominal=123.0)
    m.start(wheel, u=300.0)
    by_name = {v.name: v.nominal for v in nominals(m).variables}
    assert by_name["wheel.w"] == 300.0 and by_name["told"] == 123.0 and by_name["k"] == 5.0
    assert by_name["wheel.p"] == 10.0  # 0.04 kg m² * 300 rad/s, to one digit
    assert by_name["wheel.phi"] == 1.0 and by_name["der(wheel.phi)"] == 300.0


def test_modes_move_by_a_hundredth(nominals: Callable[[mbs.Model], Program]) -> None:
    """Modes have a hundredth of the boom's length, 2 m, and the corresponding speed, unless start values are larger."""
    actual = {v.name: v.nominal for v in nominals(MODELS["boom"]()).variables}
    assert actual["hook[1]"] == 2.0
    assert all(actual[f"arm.xi[{k}]"] == 0.02 for k in range(1, 6))
    assert [actual[f"arm.xi_dot[{k}]"] for k in range(1, 6)] == [0.04, 0.1, 0.04, 0.04, 0.04]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["governor", "gyro", "four_bar", "driven"])
def test_descriptions_state_nominals_of_states(fmu: Builder, model: str) -> None:
    """Every state of a native FMU has a nominal value in its description, and the FMU returns the same."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")

    path = fmu(model, kind="native")
    with Host(path) as host:
        states = [v.derivative for v in host.description.modelVariables if v.derivative is not None]
    nominal_values = [float(v.nominal or 1.0) for v in states]
    assert all(v.nominal is not None for v in states if v.unit) and len(set(nominal_values)) > 1
    with exchange(path) as (fmi, _):
        values = np.zeros(len(nominal_values))
        fmi.getNominalsOfContinuousStates(np.ctypeslib.as_ctypes(values), values.size)
    assert values.tolist() == nominal_values


@pytest.mark.slow
def test_error_control_is_independent_of_size(tmp_path: Path) -> None:
    """A double pendulum of centimetres and grams, by fmpy's CVode at 1e-6, which weighs errors by nominals, is within
    3e-4 of its largest angles and velocities, as one of metres and kilograms in ten times the time.

    Errors of the steps grow a hundredfold in that time. With nominal values of one the small pendulum was off by 2e-3,
    since its momenta are about 1e-6 N m s.
    """
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    errors = [_error(tmp_path, 1.0, 1.0), _error(tmp_path, 1e-2, 1e-3)]
    assert max(errors) <= 3e-4
    assert errors[1] == pytest.approx(errors[0], rel=0.1)


def _error(folder: Path, length: float, mass: float) -> float:
    """Largest error of a double pendulum's coordinates and velocities in 2 s times the root of its size."""

    def pendulum() -> mbs.Model:
        m = bundled_model("double_pendulum", "double_pendulum")
        for name, p in list(m.parameters.items()):
            m.set_parameter(name, p.value * {"m": length, "kg": mass}[p.unit or ""])
        return m

    stop = 2.0 * length**0.5
    path = mbs.export(
        pendulum(), folder / "pendulum.fmu", "native", platforms="host", method="rk4", step=1e-3, stop_time=stop
    )
    names = [v.name for v in compile_model(pendulum()).variables if v.role in ("coordinate", "rate")]
    tight = mbs.simulate(pendulum(), stop, output_interval=stop / 50, rtol=1e-11, atol=1e-14)
    run = simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=stop, output_interval=stop / 50, relative_tolerance=1e-6,
        output=names, record_events=False,
    )  # fmt: skip
    return max(float(np.max(np.abs(run[n] - tight[n])) / np.max(np.abs(tight[n]))) for n in names)
