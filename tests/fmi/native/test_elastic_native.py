"""Native FMUs of elastic models: model exchange, derivatives, FMI 3.0."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.fmus import Builder
from support.hosts.native_instances import TICK, exchange, guest, names_of, set_states
from support.models.fmu_models import METHODS, MODELS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")

pytestmark = pytest.mark.slow
ELASTIC_BLOCK = ("boom", "slider_crank")
INPUTS = {"torque": 1.5}


@pytest.mark.parametrize("version", ["2.0", "3.0"])
@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_model_exchange(fmu: Builder, model: str, version: str) -> None:
    """fmpy's CVode at 1e-12 gives every scalar column within 1e-7 of `simulate`.

    fmpy makes at most 500 steps between two outputs; vibrations of 500 Hz take steps of some 30 µs.
    """
    tight = mbs.simulate(MODELS[model](), 0.5, inputs=INPUTS, output_interval=0.005, rtol=1e-12, atol=1e-14)
    path = fmu(model, "fine", "native", version)
    assert validate_fmu(str(path)) == []
    names = [v.name for v in read_model_description(str(path)).modelVariables if v.name in tight and not v.dimensions]
    run = simulate_fmu(
        str(path), fmi_type="ModelExchange", stop_time=0.5, output_interval=0.005, relative_tolerance=1e-12,
        start_values=INPUTS, output=names,
    )  # fmt: skip
    for name in names:
        scale = max(1.0, float(np.max(np.abs(tight[name]))))
        assert np.max(np.abs(run[name] - tight[name])) <= 1e-7 * scale, name


@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_version_3_has_the_bits_of_simulate(fmu: Builder, model: str) -> None:
    """Co-simulation in dyadic steps gives every result column bit for bit, vectors as arrays; states too, as bytes."""
    result = mbs.simulate(MODELS[model](), 20 * TICK, inputs=INPUTS, output_interval=TICK, **METHODS["fine"])
    path = fmu(model, "fine", "native", "3.0")
    with guest(path) as host, guest(path) as other:
        host.start(**INPUTS)
        other.start(torque=-3.0, stiffness=0.5).step()
        names = [name for name in host.references if name in result]
        for k in range(1, 21):
            host.step()
            for name in names:
                assert np.array_equal(host.get(name), np.atleast_1d(result[name][k])), name
            if k == 10:
                state = host.slave.getFMUState()
                data = host.slave.serializeFMUState(state)
                other.slave.setFMUState(other.slave.deserializeFMUState(data))
                other.time = host.time
            if k > 10:
                other.step()
                assert np.array_equal(other.get(*names), host.get(*names))
        host.slave.freeFMUState(state)


@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_directional_derivatives(fmu: Builder, model: str) -> None:
    """Derivatives of all derivatives and outputs by states, inputs and tunable parameters equal differences to 1e-6."""
    path = fmu(model, "fine", "native")
    unknowns, states = names_of(path, "derivative", "output"), names_of(path, "state")
    with exchange(path) as (fmi, reference):

        def values(*names: str) -> np.ndarray:
            return np.array(fmi.getReal([reference[n] for n in names]))

        fmi.setReal([reference["torque"]], [1.5])
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        x = values(*states)
        x += 1e-3 * np.random.default_rng(1).normal(size=x.size)
        set_states(fmi, x)
        for name in [*states, *names_of(path, "input", "tunable")]:
            value, start = values(name)[0], values(*unknowns)
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                if name in states:
                    set_states(fmi, x + h * (np.arange(x.size) == states.index(name)))
                else:
                    fmi.setReal([reference[name]], [value + h])
                return values(*unknowns)

            difference = slope(moved, 1e-4)
            assert np.array_equal(moved(0.0), start), name
            scale = np.maximum(1.0, np.abs(exact)) + 1e-3 * np.abs(start)
            assert np.max(np.abs(difference - exact) / scale) <= 1e-6, name


def test_directional_derivatives_of_a_start_in_equilibrium(fmu: Builder) -> None:
    """In initialization mode, derivatives of modes, sag and energy by input and parameters are exact to 1e-6."""
    unknowns = ["board.xi[1]", "board.xi[2]", "sag", "energy", "board.p_xi[1]"]
    with exchange(fmu("plank", "fine", "native")) as (fmi, reference):
        for name in ("push", "stiffness", "weight"):
            exact = np.array(fmi.getDirectionalDerivative([reference[n] for n in unknowns], [reference[name]], [1.0]))
            (value,) = fmi.getReal([reference[name]])

            def moved(h: float, name: str = name, value: float = value) -> np.ndarray:
                fmi.setReal([reference[name]], [value + h])
                return np.array(fmi.getReal([reference[n] for n in unknowns]))

            difference = slope(moved, 1e-3)
            moved(0.0)
            assert np.max(np.abs(difference - exact) / np.maximum(1e-3, np.abs(exact))) <= 1e-6, name
            assert abs(exact[2]) > 1e-4, name


def slope(at: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """Central difference of fourth order."""
    return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h)


@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_states_in_model_exchange(fmu: Builder, model: str) -> None:
    """A state restored after further steps with other parameters has the same derivatives and outputs, bit for bit."""
    path = fmu(model, "fine", "native")
    variables, states = names_of(path, "derivative", "output", "tunable"), names_of(path, "state")
    with exchange(path) as (fmi, reference):
        fmi.setReal([reference["stiffness"]], [0.7])
        fmi.exitInitializationMode()
        fmi.enterContinuousTimeMode()
        everything = [reference[n] for n in variables]
        x = np.array(fmi.getReal([reference[n] for n in states]))
        before, state = fmi.getReal(everything), fmi.getFMUState()
        fmi.setReal([reference["stiffness"], reference["damping"]], [1.4, 0.5])
        set_states(fmi, x + 1e-3)
        assert not np.allclose(fmi.getReal(everything), before)
        fmi.setFMUState(state)
        assert fmi.getReal(everything) == before
        fmi.freeFMUState(state)


@pytest.mark.parametrize("model", ELASTIC_BLOCK)
def test_adjoint_derivatives(fmu: Builder, model: str) -> None:
    """FMI 3 adjoint derivatives of deformation and energy are the transpose of the directional ones."""
    with guest(fmu(model, "fine", "native", "3.0")) as host:
        host.start(**INPUTS)
        host.step()
        vector = {"boom": "sag", "slider_crank": "bearing"}[model]
        unknowns = [host.references[n] for n in (vector, "energy")]
        knowns = [host.references[n] for n in ("torque", "stiffness", "damping")]
        columns = [np.array(host.slave.getDirectionalDerivative(unknowns, [k], [1.0], 4)) for k in knowns]
        weights = np.array([1.0, -2.0, 0.5, 0.3])
        row = host.slave.getAdjointDerivative(unknowns, knowns, list(weights), len(knowns))
        expected = np.array([weights @ c for c in columns])
        bound = 1e-12 + 1e-9 * np.abs(expected)
        assert_close(row, expected, bound, "adjoint derivative", ("torque", "stiffness", "damping"))
