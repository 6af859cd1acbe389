"""Notes on stiff models: where stability limits the steps of an explicit method, and nowhere else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.run import stiffness


def decay(rate: float) -> mbs.Model:
    """A state that follows a cosine at this rate, 1/s."""
    m = mbs.Model("decay")
    m.state("x", lambda x: rate * (mbs.cos(mbs.time) - x), start=1.0)
    return m


def swing() -> mbs.Model:
    """An undamped oscillator of 100 rad/s, whose steps follow from its accuracy."""
    m = mbs.Model("swing", gravity=(0, 0, 0))
    body = m.body("body", joint=mbs.Prismatic("x"), mass=1.0)
    m.spring("spring", on=body, stiffness=1e4)
    m.start(body, q=1.0)
    return m


@pytest.mark.quick
@pytest.mark.parametrize(("name", "limit"), [("dopri5", 3.31), ("tsit5", 3.51), ("dop853", 6.39)])
def test_limits_of_stability_are_those_of_the_literature(name: str, limit: float) -> None:
    """3.3 and 6.4 are those of Hairer and Wanner; (1 + z + ... ) exceeds 1 beyond them."""
    assert stiffness._limit(method(name)) == pytest.approx(limit, abs=0.02)  # type: ignore[arg-type]


@pytest.mark.quick
def test_the_spectral_radius_is_that_of_the_matrix() -> None:
    """Of random matrices with a dominant eigenvalue, for states of different sizes."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(2, 9))
        basis, scales = rng.normal(size=(size, size)), 10.0 ** rng.uniform(-4, 4, size)
        eigenvalues = np.append(-rng.uniform(0.0, 50.0, size - 1), -1000.0)
        matrix = scales[:, None] * (basis @ np.diag(eigenvalues) @ np.linalg.inv(basis)) / scales
        x = scales * rng.normal(size=size)
        # differences cancel to 1e-16 of the rates over 1e-7 of the state, times the condition of the basis
        found = stiffness._spectral_radius(lambda x, matrix=matrix: matrix @ x, x, 1e-6, 1e-8)
        assert found == pytest.approx(1000.0, rel=0.05)


@pytest.mark.parametrize("name", ["dopri5", "tsit5"])
def test_a_stiff_model_is_noted(name: str) -> None:
    """The note has the rate, the step and the remedy, which needs a thousandth of the steps."""
    result = mbs.simulate(decay(1e4), 5.0, method=name)
    (note,) = result.statistics["notes"]
    assert (
        "fastest motion decays or oscillates at 1e+04 1/s" in note
        and "at t = 5 s" in note
        and note.endswith("try method='rodas5p'")
    )
    assert f"after {result.statistics['steps']} steps" in note
    stable = mbs.simulate(decay(1e4), 5.0, method="rodas5p")
    assert stable.statistics["notes"] == [] and 300 * stable.statistics["steps"] < result.statistics["steps"]


@pytest.mark.parametrize(
    ("model", "stop", "settings"),
    [
        (swing, 100.0, {"rtol": 1e-3}), (swing, 100.0, {"rtol": 1e-6}), (swing, 30.0, {"rtol": 1e-9}),
        (swing, 100.0, {"method": "rk4", "step": 1e-3}), (lambda: decay(1.0), 5.0, {"max_step": 1e-4}),
        (lambda: decay(1e4), 1.0, {}),
    ],
)  # fmt: skip
def test_accurate_and_short_runs_have_no_note(model: Any, stop: float, settings: dict[str, Any]) -> None:
    """Steps that accuracy, `step` or `max_step` limits, and stiff runs of few steps."""
    result = mbs.simulate(model(), stop, **settings)
    assert result.statistics["notes"] == []


def test_a_note_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The estimate works on a copy of the record."""
    with_note = mbs.simulate(decay(1e4), 4.0)
    monkeypatch.setattr(stiffness, "MANY_STEPS", 10**9)
    without = mbs.simulate(decay(1e4), 4.0)
    assert with_note.statistics.pop("notes") and not without.statistics.pop("notes")
    assert with_note.data.tobytes() == without.data.tobytes() and with_note.statistics == without.statistics


def test_long_runs_warn_before_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, as soon as a slice of the run ends behind the limit; short ones do not."""
    monkeypatch.setattr("mbs_fmu.run.single.LONG_RUN", 12_000)
    with pytest.warns(UserWarning, match="decay: the model is stiff: at t = .* try method='rodas5p'") as caught:
        mbs.simulate(decay(1e4), 8.0)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mbs.simulate(decay(1e4), 3.0)
        mbs.simulate(swing(), 100.0)
