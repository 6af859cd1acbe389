"""FMUs of others beside a model: `simulate` runs both, everything else refuses the model."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.foreign import Ball

G = 9.81
PUSH = 30.0  #: N of force on the cart by m of the ball's height


@pytest.fixture(scope="module")
def ball(tmp_path_factory: pytest.TempPathFactory) -> Ball:
    return Ball(tmp_path_factory.mktemp("ball"), 2)


def cart(path: Path, push: float = 0.0, **start: Any) -> mbs.Model:
    """A cart of 2 kg pushed by the height of a ball, which the cart's place pushes back."""
    m = mbs.Model("cart")
    body = m.body("body", joint=mbs.Prismatic("x"), mass=2.0)
    ball = m.fmu("ball", mbs.Fmu(path, **start), inputs={"push": push * mbs.coordinate(body)}, outputs=["h"])
    m.motor("motor", on=body, force=m.parameter("k", PUSH, unit="N/m") * ball["h"])
    m.output("twice", 2.0 * mbs.coordinate(body), unit="m")
    return m


def test_a_model_beside_an_fmu(ball: Ball, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without native FMUs, steps are repeated: the cart follows the parabola of the ball. Linear pushes in steps of the
    size h leave an error of the force of at most k g h²/12 in the mean, hence half of that over the mass times t².

    Columns have the model's own names; the FMU's are "ball.h" and so on.
    """
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "ziglang" else find(name, *more)
    )
    run = mbs.simulate(cart(ball.path, g=5.0), 0.4, output_interval=0.01, rtol=1e-10)
    t = run.time
    assert run.statistics["coupling"] == "iterate"
    assert_close(run["ball.h"], 1.0 - 2.5 * t**2, 1e-12, "height", times=t)
    exact = PUSH / 2.0 * (0.5 * t**2 - 5.0 * t**4 / 24.0)
    assert_close(run["body.s"], exact, 0.5 * PUSH * 5.0 / 12.0 * 0.01**2 * 0.4**2, "place", times=t)
    assert_close(run["twice"], 2.0 * run["body.s"], 1e-14, "twice", times=t)
    assert not any(ball.left().values())


@pytest.mark.slow
def test_model_exchange_beside_an_fmu(ball: Ball) -> None:
    """With native FMUs all states are integrated together, as in the system that couples both by hand."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    m = cart(ball.path, push=3.0)
    run = mbs.simulate(m, 0.4, output_interval=0.02, rtol=1e-10, start={"body.s": 0.1})
    # x'' = 15 h and h'' = 3 x - g, from x = 0.1 and h = 1
    root = np.sqrt(np.sqrt(45.0))
    coefficients = np.linalg.solve(
        [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, -1, 0], [0, 1, 0, -1]], [0.1 - G / 3, 0, 15 / root**2, 0]
    )
    t = run.time
    modes = [np.cosh(root * t), np.sinh(root * t), np.cos(root * t), np.sin(root * t)]
    exact = G / 3 + sum(c * mode for c, mode in zip(coefficients, modes, strict=True))
    assert run.statistics["coupling"] == "exchange" and run.statistics["method"] == "dopri5"
    assert_close(run["body.s"], exact, 1e-9, "place", times=t)
    fixed = mbs.simulate(m, 0.4, method="rk4", step=0.01, start={"body.s": 0.1})
    assert len(fixed) == 41 and fixed.statistics["method"] == "rk4"
    assert_close(fixed["body.s"][::2], exact, 1e-6, "place", times=t)
    with pytest.raises(mbs.ModelError, match="each step is a row: leave step= or output_interval= out"):
        mbs.simulate(m, 0.4, method="rk4", step=0.01, output_interval=0.02)
    failing = cart(ball.path, fault=1, fault_at=0.29)
    with pytest.raises(mbs.SimulationError, match=r"'ball' \(ball\.fmu\) failed at 0\.\d+ s") as info:
        mbs.simulate(failing, 1.0, method="rk4", step=0.05)
    assert info.value.result["body.s"].shape == (6,)


OTHERS: dict[str, Callable[[mbs.Model], Any]] = {
    "export": mbs.export,
    "export_modelica": lambda m: mbs.export_modelica(m, "cart.mo"),
    "export_c": lambda m: mbs.export_c(m, "cart"),
    "linearize": mbs.linearize,
    "trim": mbs.trim,
    "ode": mbs.ode,
    "mass_matrix": mbs.mass_matrix,
    "inverse_dynamics": lambda m: mbs.inverse_dynamics(m, 1.0, inputs={"ball.h": 0.0}),
    "jacobian": lambda m: mbs.jacobian(m, "body"),
    "show": mbs.show,
    "live": lambda m: mbs.live(m),
    "rollout": lambda m: mbs.rollout(m, 0.1, 5),
    "to_casadi": mbs.to_casadi,
    "Stepper": lambda m: mbs.Stepper(m, 4, 0.01),
    "campbell": lambda m: mbs.campbell(m, "k", [1.0, 2.0]),
    "poisson_impulses": mbs.poisson_impulses,
    "sweep": lambda m: mbs.sweep(m, 1.0, parameters={"k": [1.0, 2.0]}),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_everything_else_refuses_the_model(
    ball: Ball, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One message says what the model has, and what to do."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        mbs.ModelError, match=r"model 'cart' has FMUs of others beside it \(ball\), which only mbs\.simulate"
    ):
        OTHERS[name](cart(ball.path))
    assert not list(tmp_path.iterdir())


REFUSED: dict[str, dict[str, Any]] = {
    "batch= is not for a model with FMUs beside it, here ball": {"batch": mbs.Batch(parameters={"k": [1.0, 2.0]})},
    "sensitivities= is not for a model with FMUs": {"sensitivities": ["k"]},
    "formulation= is not for a model with FMUs": {"formulation": "absolute"},
    "max_step= is not for a model with FMUs": {"max_step": 0.1},
    "input 'ball.h' beside FMUs must be a constant": {"inputs": {"ball.h": ([0.0, 1.0], [0.0, 1.0])}},
}


@pytest.mark.parametrize("message", REFUSED)
def test_arguments_that_such_runs_lack(ball: Ball, message: str) -> None:
    """Arguments of `simulate` that a system cannot keep are refused by name."""
    with pytest.raises(mbs.ModelError, match=message):
        mbs.simulate(cart(ball.path), 1.0, **REFUSED[message])


def test_variables_are_checked_when_the_fmu_is_added(ball: Ball) -> None:
    """Names, causalities and start values are those of the FMU; a refused FMU leaves the model as it was."""
    m = mbs.Model("m")
    for arguments, message in (
        ({"outputs": ["hight"]}, r"ball\.fmu has no variable 'hight'"),
        ({"outputs": ["push"]}, r"'push' of ball\.fmu is an input, not an output"),
        ({"outputs": ["h"], "inputs": {"h": 1.0}}, r"'h' of ball\.fmu is an output, not an input"),
        ({"outputs": "h"}, r"outputs of FMU 'ball' are 'h': give a list of names"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            m.fmu("ball", mbs.Fmu(ball.path), **arguments)
        assert not m.inputs and not m.fmus
    with pytest.raises(mbs.ModelError, match=r"FMU 'ball' is 'ball\.fmu': give mbs\.Fmu\(file\)"):
        m.fmu("ball", "ball.fmu")  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match=r"ball\.fmu has no variable 'mass'"):
        mbs.Fmu(ball.path, mass=1.0)


def test_an_included_model_brings_its_fmus(ball: Ball) -> None:
    """The signals of an FMU are renamed with the model that has it."""
    m = mbs.Model("m")
    m.include(cart(ball.path), "left")
    attached = m.fmus["left.ball"]
    assert attached.outputs == {"h": "left.ball.h"} and attached.inputs == {"push": "left.ball.push"}
    assert "left.ball.h" in m.inputs and "left.ball.push" in m.outputs
