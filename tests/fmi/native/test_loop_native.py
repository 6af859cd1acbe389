"""Native FMUs of models with closed loops: model exchange, events, derivatives of reactions and of the assembly."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ctypes import POINTER, c_double
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import extract, read_model_description, simulate_fmu
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import FMU2Model
from fmpy.fmi3 import FMU3Model

import mbs_fmu as mbs
from mbs_fmu.fmi.native import lowering
from mbs_fmu.fmi.native.platforms import ALL
from mbs_fmu.run.simulate import compiled
from support.comparisons import assert_close
from support.hosts.fmus import Builder, Host
from support.hosts.native_instances import exchange, guest, names_of, set_states
from support.models.fmu_models import MODELS, inputs_of_loops

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")

pytestmark = pytest.mark.slow
G = 9.81


# -- model exchange --------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("model", ["four_bar", "linkage", "bob", "stewart_platform"])
def test_model_exchange(fmu: Builder, model: str, version: str) -> None:
    """fmpy's CVode at 1e-11 over a second gives coordinates, rates and outputs within 1e-5 of `simulate`."""
    inputs, plain = inputs_of_loops(model), version == "2.0"
    tight = mbs.simulate(MODELS[model](), 1.0, inputs=inputs, output_interval=0.1, rtol=1e-11, atol=1e-13)
    columns = [c for c in tight.columns[1:] if (plain or "[" not in c or ".q" in c) and not c.startswith("mean")]
    run = simulate_fmu(
        str(fmu(model, kind="native", fmi=version)), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.1,
        relative_tolerance=1e-11, start_values=inputs, output=columns,
    )  # fmt: skip
    for name in columns:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-5 * scale, name


def test_means_in_model_exchange(fmu: Builder) -> None:
    """Mean reactions are means over the solver's step, which is fmpy's output interval."""
    run = simulate_fmu(
        str(fmu("linkage", kind="native")), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.02,
        relative_tolerance=1e-10, start_values=inputs_of_loops("linkage"), output=["push", "mean_push"],
        record_events=False,
    )  # fmt: skip
    ends = run["push"]
    mean = 0.5 * (ends[1:] + ends[:-1])
    assert np.max(np.abs(np.diff(ends))) > 0.1
    assert_close(run["mean_push"][1:], mean, 1e-6 * np.abs(ends).max(), "mean push", times=run["time"][1:])


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_steady_loads_leave_the_momenta_bounded(fmu: Builder, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Steady loads on the loops leave the momenta bounded without events over twenty seconds, and the run is that of
    `simulate`.
    """
    columns = ["carriage.s", "mass.s", "mass.v", "tension", "energy", "residual"]
    tight = mbs.simulate(MODELS["bob"](), 20.0, inputs={"push": 0.0}, output_interval=0.1, rtol=1e-11, atol=1e-13)
    run = simulate_fmu(
        str(fmu("bob", kind="native", fmi=version)), fmi_type="ModelExchange", stop_time=20.0, output_interval=0.1,
        relative_tolerance=1e-10, output=[*columns, "mass.p"], record_events=False, debug_logging=True,
    )  # fmt: skip
    assert "rows chosen" not in capsys.readouterr().out
    # only the mass of 1 kg moves along z
    assert_close(run["mass.p"], tight["mass.v"], 1e-5, "momentum of the mass", times=tight.time)
    for name in columns:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert_close(run[name], tight[name], 1e-5 * scale, name, times=tight.time)


def test_redundant_rows_become_independent_in_model_exchange(fmu: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    """A parallelogram that starts stretched out, with a redundant row, uses that row from the first step on, and the
    loop stays closed.
    """
    speeds = {"crank.w": 1.0, "coupler.w": -1.0, "rocker.w": 1.0}
    run = simulate_fmu(
        str(fmu("four_bar", kind="native")), fmi_type="ModelExchange", stop_time=1.0, output_interval=0.02,
        start_values={"rocker_length": 1.0, **dict.fromkeys(("crank.phi", "coupler.phi", "rocker.phi"), 0.0), **speeds},
        relative_tolerance=1e-9, output=["residual"], record_events=False, debug_logging=True,
    )  # fmt: skip
    printed = capsys.readouterr().out
    assert "1 of 5 constraint rows" in printed and "rows chosen at t = 0.02 s" in printed
    assert np.max(run["residual"]) <= 1e-5 and run["residual"][-1] <= 1e-7


def test_folded_positions_in_model_exchange(fmu: Builder) -> None:
    """A parallelogram that passes its folded position without projection remains one, by steps of CVode."""
    angles = dict(zip(("crank.phi", "coupler.phi", "rocker.phi"), (-0.5, 0.5, -0.5), strict=True))
    speeds = {"crank.w": 6.0, "coupler.w": -6.0, "rocker.w": 6.0}
    run = simulate_fmu(
        str(fmu("four_bar", kind="native")), fmi_type="ModelExchange", stop_time=5.0, output_interval=0.01,
        start_values={"rocker_length": 1.0, **angles, **speeds}, relative_tolerance=1e-7,
        output=["residual", "crank.phi", "coupler.phi", "rocker.phi"], record_events=False,
    )  # fmt: skip
    assert np.ptp(run["crank.phi"]) > 2.0 * np.pi
    assert np.max(run["residual"]) <= 1e-4
    assert_close(run["coupler.phi"], -run["crank.phi"], 1e-4, "angle of the coupler", times=run["time"])
    assert_close(run["rocker.phi"], run["crank.phi"], 1e-4, "angle of the rocker", times=run["time"])


def test_the_bound_in_model_exchange(fmu: Builder) -> None:
    """A step of the importer's solver with residuals above the bound ends in an error with the message."""
    with exchange(fmu("leaky", kind="native")) as (fmi, reference):
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        assert fmi.completedIntegratorStep() == (False, False)
        x = np.array([fmi.getReal([reference[n]])[0] for n in names_of(fmu("leaky", kind="native"), "state")])
        x[0] += 0.1
        set_states(fmi, x)
        with pytest.raises(FMICallException):
            fmi.completedIntegratorStep()


def test_contradictions_in_model_exchange(fmu: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    """Contradictory prescribed motions end the importer's step with an error that names a drive and the time."""
    with exchange(fmu("parted", kind="native")) as (fmi, reference):
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        fmi.setDebugLogging(True, [])
        fmi.setTime(0.35)
        assert fmi.completedIntegratorStep() == (False, False)
        fmi.setReal([reference["v_b"]], [0.5])
        with pytest.raises(FMICallException):
            fmi.completedIntegratorStep()
        assert "drive 'drive_b' can't be followed at t = 0.35 s" in capsys.readouterr().out


def test_intermediate_reading_changes_no_step(fmu: Builder) -> None:
    """Reads of outputs in FMI 3 intermediate updates leave the end within the loops' tolerance."""
    path = fmu("linkage", "dopri5", "native", "3.0")
    ends, names = [], ("crank.phi", "rocker.phi", "energy")

    def update(*arguments: object) -> None:
        host = watched[0]
        host.get("push", "energy")

    watched: list = []
    for extra in ({}, {"intermediateUpdate": update}):
        with guest(path, **extra) as host:
            watched[:] = [host]
            host.start(torque=0.7)
            for _ in range(20):
                host.step()
            ends.append(host.get(*names))
    assert_close(ends[1], ends[0], 1e-9, "value at 0.2 s", names)


# -- derivatives -----------------------------------------------------------------------------------------


def values(fmi: FMU2Model, reference: Mapping[str, int], names: list[str]) -> np.ndarray:
    return np.array(fmi.getReal([reference[n] for n in names]))


def slope(at: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """Central difference of fourth order."""
    return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)


@pytest.mark.parametrize("model", ["four_bar", "linkage", "bob", "hoist", "stewart_platform"])
def test_directional_derivatives(fmu: Builder, model: str) -> None:
    """Derivatives of derivatives, outputs and reactions by states, inputs and tunable parameters are exact to 1e-6."""
    path = fmu(model, kind="native")
    unknowns, states = names_of(path, "derivative", "output"), names_of(path, "state")
    with exchange(path) as (fmi, reference):
        inputs = inputs_of_loops(model)
        fmi.setReal([reference[n] for n in inputs], list(inputs.values()))
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        x = values(fmi, reference, states) + 0.01 * np.random.default_rng(1).normal(size=len(states))
        set_states(fmi, x)
        for name in [*states, *names_of(path, "input", "tunable")]:
            value = values(fmi, reference, [name])[0]
            if value == 0.0 and name not in states:  # it may have a lower bound there
                value = 0.1
                fmi.setReal([reference[name]], [value])
            start = values(fmi, reference, unknowns)
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                if name in states:
                    set_states(fmi, x + h * (np.arange(x.size) == states.index(name)))
                else:
                    fmi.setReal([reference[name]], [value + h])
                return values(fmi, reference, unknowns)

            difference = slope(moved, 1e-4 * max(1.0, abs(value)))
            assert np.array_equal(moved(0.0), start), name
            scale = np.maximum(1.0, np.abs(exact)) + 1e-3 * np.abs(start)
            assert np.max(np.abs(difference - exact) / scale) <= 1e-6, name


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_linearisation_at_rest(fmu: Builder, version: str) -> None:
    """For the pendulum on two slides at rest all rates are zero, the Jacobian by directional derivatives equals central
    differences of getDerivatives, and ω² = m g / ((m + m_carriage) l).
    """
    with solver_view(fmu("bob", kind="native", fmi=version), {"carriage.s": 0.0, "mass.s": -1.0}) as view:
        x = view.states()
        assert_close(view.derivatives(x), 0.0, 1e-14 * G, "rate of state")
        exact = np.array([view.directional(k) for k in range(x.size)]).T
        columns = np.eye(x.size)
        difference = np.array([slope(lambda h, e=e: view.derivatives(x + h * e), 1e-3) for e in columns]).T
    assert_close(exact, difference, 1e-9 * np.abs(exact).max(), "element of the Jacobian")
    eigenvalues = np.linalg.eigvals(exact)
    omega = math.sqrt(G / 1.5)
    for value in (1j * omega, -1j * omega):
        assert np.min(np.abs(eigenvalues - value)) <= 1e-9, f"no eigenvalue {value}: {eigenvalues}"
    # one condition: two roots coincide and are known to the root of the precision
    assert np.sum(np.abs(eigenvalues + 10.0) <= 1e-5) == 2, eigenvalues


@dataclass
class SolverView:
    """States and derivatives of a model-exchange instance of either version."""

    fmi: Any
    version: str
    references: list[list[int]]  #: of the derivatives, of the states
    size: int

    def states(self) -> np.ndarray:
        x = np.zeros(self.size)
        self.fmi.getContinuousStates(x.ctypes.data_as(POINTER(c_double)), x.size)
        return x

    def derivatives(self, x: np.ndarray) -> np.ndarray:
        dx = np.zeros_like(x)
        get = self.fmi.getDerivatives if self.version == "2.0" else self.fmi.getContinuousStateDerivatives
        self.fmi.setContinuousStates(x.ctypes.data_as(POINTER(c_double)), x.size)
        get(dx.ctypes.data_as(POINTER(c_double)), x.size)
        return dx

    def directional(self, k: int) -> list[float]:
        return list(self.fmi.getDirectionalDerivative(self.references[0], [self.references[1][k]], [1.0]))


@contextmanager
def solver_view(path: Path, start: Mapping[str, float]) -> Iterator[SolverView]:
    """An instance in continuous-time mode."""
    description = read_model_description(str(path))
    folder = str(extract(str(path)))
    kind = FMU2Model if description.fmiVersion == "2.0" else FMU3Model
    fmi = kind(
        guid=description.guid, unzipDirectory=folder, instanceName="view",
        modelIdentifier=description.modelExchange.modelIdentifier,
    )  # fmt: skip
    fmi.instantiate()
    if description.fmiVersion == "2.0":
        fmi.setupExperiment(startTime=0.0)
    fmi.enterInitializationMode()
    reference = {v.name: v.valueReference for v in description.modelVariables}
    (fmi.setReal if description.fmiVersion == "2.0" else fmi.setFloat64)(
        [reference[name] for name in start], list(start.values())
    )
    fmi.exitInitializationMode()
    fmi.enterContinuousTimeMode()
    rates = [v for v in description.modelVariables if v.derivative is not None]
    references = [[v.valueReference for v in rates], [v.derivative.valueReference for v in rates]]
    yield SolverView(fmi, description.fmiVersion, references, len(rates))
    fmi.freeInstance()
    shutil.rmtree(folder, ignore_errors=True)


def test_adjoint_derivatives(fmu: Builder) -> None:
    """FMI 3 adjoint derivatives, including reactions, are the transpose of the directional ones."""
    with guest(fmu("linkage", kind="native", fmi="3.0")) as host:
        host.start(torque=0.7)
        host.step()
        unknowns = [host.references[n] for n in ("push", "bearing", "energy")]
        knowns = [host.references[n] for n in ("torque", "c", "rod")]
        columns = [np.array(host.slave.getDirectionalDerivative(unknowns, [k], [1.0], 5)) for k in knowns]
        weights = np.array([1.0, -2.0, 0.5, 0.3, 0.7])
        row = host.slave.getAdjointDerivative(unknowns, knowns, list(weights), len(knowns))
        expected = np.array([weights @ c for c in columns])
        assert_close(row, expected, 1e-12 + 1e-9 * np.abs(expected), "adjoint derivative", ("torque", "c", "rod"))


def test_directional_derivatives_of_the_assembly(fmu: Builder) -> None:
    """In initialization mode, held values and tunable parameters have exact derivatives through the assembly."""
    path = fmu("linkage", kind="native")
    unknowns = ["rocker.phi", "rocker.w", "crank.p", "push", "bearing[1]", "energy"]
    with exchange(path) as (fmi, reference):
        for name in ("crank.phi", "crank.w", "rod", "c", "torque"):
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))
            value = values(fmi, reference, [name])[0]

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                fmi.setReal([reference[name]], [value + h])
                return values(fmi, reference, unknowns)

            difference = slope(moved, 1e-4)
            moved(0.0)
            assert np.max(np.abs(difference - exact) / np.maximum(1.0, np.abs(exact))) <= 1e-6, name
            if name in ("crank.phi", "rod"):
                assert abs(exact[0]) > 0.1
        with pytest.raises(FMICallException):
            fmi.getDirectionalDerivative([reference["energy"]], [reference["rocker.phi"]], [1.0])


def test_output_derivatives(fmu: Builder) -> None:
    """First-order output derivatives, including reactions, are the slopes over a short step."""
    with Host(fmu("linkage", kind="native")) as host:
        host.start(inputs_of_loops("linkage")).run(5)
        names = [n for n in host.outputs() if not n.startswith("mean")]
        slopes = host.slave.getRealOutputDerivatives([host.references[n] for n in names], [1] * len(names))
        before, h = np.array(host.get(*names)), 1e-6
        host.step(h)
        expected = (np.array(host.get(*names)) - before) / h
        assert_close(slopes, expected, 1e-3 + 1e-3 * np.abs(expected), "derivative of output", names)


# -- building --------------------------------------------------------------------------------------------


def test_objects_for_every_platform(tmp_path: Path) -> None:
    """The kernels of a model with loops compile for all five platforms and need the C library only."""
    model = MODELS["linkage"]()  # its second tangents need the model
    runtime = compiled(model)
    program = replace(runtime.program, module=runtime.kernels.source_with("exchange_rates_d"))
    objects = [one for platform in ALL.values() for one in lowering.objects_of(platform, "baseline")]
    lowering.write_objects(program, "dopri5_adaptive", objects, tmp_path)
    assert all((tmp_path / one.name).stat().st_size > 1000 for one in objects)
