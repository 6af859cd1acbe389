"""Values are not structure: new start values, defaults or tolerances of loops cause no compilation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile import program_cache as program_cache
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.run.simulate import compiled
from support.models.small_models import BUILDERS, cart_on_rails, oscillator, with_signals


def change(m: Model, rng: np.random.Generator) -> None:
    """Make one random change, sometimes to a special value: no law may distinguish a parameter of
    zero from any other.
    """
    value = float(rng.choice([0.0, -0.0, 1.0, -1.0, rng.normal()]))
    free = [name for name in m.bodies if name not in {drive.body for drive in m.drives.values()}]
    joint = m.bodies[name := str(rng.choice(free))].joint
    changes: list[Callable[[], None]] = [
        lambda: m.set_parameter("mass", abs(value) + 0.1),
        lambda: m.set_parameter("c", value),
        lambda: m.set_parameter("d", value),
        lambda: m.start(name, q=rng.normal(size=len(joint.coordinates))),
        lambda: m.start(name, u=[value] * len(joint.rates)),
        lambda: m.start(name, guess=bool(rng.integers(2))),
        lambda: m.stabilize(alpha=abs(value) or None, projection=value > 0, rebasing=value < 1),
        lambda: m.stabilize(bound=abs(value) or None),
    ]
    changes[rng.integers(len(changes))]()


@pytest.mark.parametrize("name", BUILDERS)
def test_changed_values_give_the_program_of_a_new_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """After any changes of values, the program is that of a model built with them, bit for bit, without another
    compilation.
    """
    texts: list[str] = []

    def counted(*arguments: object) -> object:
        texts.append((program := compile_model(*arguments)).text)  # type: ignore[arg-type]
        return program, None

    monkeypatch.setattr(program_cache, "_compiled", counted)
    monkeypatch.setattr(program_cache, "_cached", lambda *_: None)
    m = BUILDERS[name]()
    kernels = compiled(m).kernels
    for seed in range(12):
        change(m, np.random.default_rng(seed))
        assert compiled(m).kernels is kernels
    assert len(texts) == 1
    fresh = BUILDERS[name]()
    for seed in range(12):
        change(fresh, np.random.default_rng(seed))
    one, other = compiled(m).program, compile_model(fresh)
    assert one == other and one.to_json() == other.to_json()


def test_a_held_runtime_keeps_its_values() -> None:
    """A runtime from before a change of values has the old ones, and another variant gets the new ones."""
    m = BUILDERS["tree"]()
    sweep = compiled(m, "sweep")
    old = compiled(m)
    m.set_parameter("c", 3.0)
    new = compiled(m)
    assert [r.program.by_name["c"].start for r in (old, new, sweep)] == [0.0, 3.0, 0.0]
    assert compiled(m, "sweep").program.by_name["c"].start == 3.0
    assert compiled(m) is new


def test_values_of_the_model_equal_values_of_the_call() -> None:
    """Defaults and start values changed in the model run as those passed to `simulate`, bit for bit."""
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    changed, m = oscillator(), oscillator()
    mbs.simulate(m, 1.0, **options)
    changed.set_parameter("c", 3.0)
    changed.start("b", q=0.2, u=-0.1)
    m.set_parameter("c", 3.0)
    m.start("b", q=0.2, u=-0.1)
    one = mbs.simulate(m, 1.0, **options)
    assert np.array_equal(one.data, mbs.simulate(changed, 1.0, **options).data)
    assert one["b.s"][0] == 0.2 and one["b.v"][0] == -0.1
    by_call = mbs.simulate(oscillator(), 1.0, parameters={"c": 3.0}, start={"b.s": 0.2, "b.v": -0.1}, **options)
    assert np.array_equal(one.data, by_call.data)


def test_start_values_of_a_call_use_the_names_of_the_result() -> None:
    """They include signal states and single numbers of a quaternion; the model keeps its own."""
    m = with_signals(cart_on_rails())
    m.start("ball", q=(1, 0, 0, 0), u=(0.1, 0.2, 0.3))
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.1, "inputs": {"torque": 0.0}}
    half = np.sqrt(0.5)
    start = {"base.q[2]": 0.3, "ball.q[1]": half, "ball.q[3]": half, "ball.u[2]": -1.0, "z": 2.0}
    result = mbs.simulate(m, 0.1, start=start, **options)
    for name, value in start.items():
        assert result[name][0] == pytest.approx(value, abs=1e-15)
    assert result["ball.u[1]"][0] == pytest.approx(0.1, abs=1e-15)
    assert mbs.simulate(m, 0.1, **options)["z"][0] == 0.4


def test_start_values_of_a_call_apply_to_all_members_of_a_batch() -> None:
    """They act as in a single run; a value that is set in both is refused."""
    m = oscillator()
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    both = mbs.simulate(m, 0.2, start={"b.s": 0.2}, batch=mbs.Batch(start={"b.v": [0.1, -0.1]}), **options)
    for member, v in enumerate((0.1, -0.1)):
        one = mbs.simulate(m, 0.2, start={"b.s": 0.2, "b.v": v}, **options)
        assert np.array_equal(both[member].data, one.data)
    with pytest.raises(mbs.ModelError, match=r"start value 'b\.s' is given twice, once in the batch: .* of start="):
        mbs.simulate(m, 0.2, start={"b.s": 0.2}, batch=mbs.Batch(start={"b.s": [0.1, 0.3]}), **options)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (
            {"base.x": 0.1},
            r"unknown start value 'base\.x' .*; start values of .*: base\.q\[2\], ball\.q\[1\], .* and \d+ more$",
        ),
        ({"mass": 0.1}, r"unknown start value 'mass'"),
        (
            {"base.q[1]": 0.1},
            r"start value 'base\.q\[1\]' would be ignored, a drive or a leader gives it: leave it out",
        ),
        ({"base.q[2]": np.nan}, r"start value 'base\.q\[2\]' is nan: give a finite number"),
        ({"base.q[2]": "0.1"}, r"start value 'base\.q\[2\]' must be a number, not the text '0\.1'"),
        ([0.1], r"start must be a dictionary by name, not \[0\.1\]"),
    ],
)
def test_invalid_start_values_of_a_call_are_refused(start: object, message: str) -> None:
    """An invalid name or number is refused before the run, with the valid ones."""
    m = with_signals(cart_on_rails())
    with pytest.raises(mbs.ModelError, match=message):
        mbs.simulate(m, 1.0, start=start, inputs={"torque": 0.0})  # type: ignore[arg-type]
