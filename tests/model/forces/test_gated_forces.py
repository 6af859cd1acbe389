"""Gated forces, whose laws are evaluated only while their gate is not zero."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model, second_tangents
from mbs_fmu.integrate.methods.table import STANDARD
from mbs_fmu.model.forces.wrenches import gate_force
from mbs_fmu.run.runtime import Runtime
from support.cases import tiers


def two_rods() -> mbs.Model:
    """Two rods on hinges, in a model without other forces on bodies."""
    m = mbs.Model("rods")
    parent: Any = "world"
    for name, axis in (("first", "y"), ("second", "x")):
        parent = m.body(name, parent, mbs.Revolute(axis), mass=1.0, com=(0.2, 0.1, -0.5), inertia=(0.1, 0.2, 0.3))
        m.start(parent, q=0.4, u=0.7)
    return m


def with_drag() -> mbs.Model:
    """The same rods with another force on a body."""
    m = two_rods()
    m.force("wind", on="second", at=(0, 0, -1), force=(1.0, mbs.position("first")[2], 0.3))
    return m


def four_bar() -> mbs.Model:
    model: mbs.Model = importlib.import_module("four_bar").four_bar()
    return model


def pulled(m: mbs.Model, gated: bool) -> mbs.Model:
    """The model with a spring from its last body to a point, times an input."""
    body = list(m.bodies)[-1]
    on = m.input("on", start=0.0)
    force = (mbs.Vector((0.3, 0.2, 0.9)) - mbs.position(body, (0, 0, -0.5))) * 50.0 - mbs.velocity(body) * 3.0
    m.force("pull", on=body, at=(0, 0, -0.5), force=force * on, torque=mbs.angular_velocity(body) * (-on))
    if gated:
        gate_force(m, "pull", on)
    return m


def rates(m: mbs.Model, on: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates at the start, and their tangents along a direction of states and the input."""
    program = compile_model(m)
    runtime = Runtime(program, load_plain(program.module))  # type: ignore[arg-type]
    make = functools.partial(second_tangents, solver="cholesky", replaced={}, methods=STANDARD)
    runtime.kernels.later_parts[m] = make
    R = program.new_record()
    if on:
        R[program.by_name["on"].slot] = on
    runtime.initialize(R, 1e-6, 1e-8)
    runtime.kernels.rates(R, runtime.no_tables)
    D = np.zeros_like(R)
    D[program.state_slice] = 0.1 + 0.05 * np.arange(program.state_slice.stop - program.state_slice.start)
    if on:
        D[program.by_name["on"].slot] = 0.3
    runtime.kernels.tangent(R, D)
    return R[program.rate_slice].copy(), D[program.rate_slice].copy()


@pytest.mark.parametrize("model", tiers({f.__name__: f for f in (two_rods, with_drag, four_bar)}, usual=1))
def test_a_gated_force_is_the_force(model: Any) -> None:
    """With an open gate, rates and tangents are those of the same force without a gate.

    With a closed gate they are those of the model without the force. A few roundings may differ, where wrenches are
    added in another order.
    """
    for gated, plain in (
        (rates(pulled(model(), True), 0.7), rates(pulled(model(), False), 0.7)),
        (rates(pulled(model(), True), 0.0), rates(model(), 0.0)),
    ):
        for what, a, b in zip(("rates", "tangents"), gated, plain, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13 * np.abs(b).max(), err_msg=what)
    assert np.abs(rates(model(), 0.0)[0] - rates(pulled(model(), True), 0.7)[0]).max() > 0.1


def test_a_closed_gate_costs_one_comparison() -> None:
    """The rates of a tree without other forces on bodies have neither poses nor a pass of wrenches outside the gate."""
    text = compile_model(pulled(two_rods(), True)).text
    derive = text[text.index("def derive(R):") : text.index("\n\n\n", text.index("def derive(R):"))]
    always, gated = derive.split(" != 0.0:\n", 1)
    assert "pose(R)" not in always and "wrench" not in always
    assert "pose(R)" in gated and "wrench_projection" in gated
