"""Reactions, multipliers and accelerations against a dense reference at acceleration level."""

from __future__ import annotations

import numpy as np
import pytest
from dense import Dense
from loops import PlainLoops, random_loops
from mechanisms import random_tree

import mbs_fmu as mbs
from mbs_fmu.model.model import Model

STEP = 1e-30


def asking(m: Model) -> Model:
    """The model with every reaction and acceleration as outputs."""
    for name, body in m.bodies.items():
        if body.joint.elements:
            m.output(f"{name}.reaction", mbs.reaction(name))
        m.output(f"{name}.a", mbs.acceleration(name))
        m.output(f"{name}.alpha", mbs.angular_acceleration(name))
    for name in m.loops:
        m.output(f"{name}.reaction", mbs.reaction(name))
    return m


def outputs(plain: PlainLoops) -> dict[str, np.ndarray]:
    plain.real.refresh(plain.R, np.zeros(8))
    numbers = {v.name: plain.R[v.slot] for v in plain.program.of_kind("output")}
    return {name: np.array([numbers[part] for part in parts]) for name, parts in plain.program.vectors.items()}


def state(plain: PlainLoops, dense: Dense) -> tuple[np.ndarray, np.ndarray]:
    return dense.read({v.name: plain.R[v.slot] for v in plain.program.of_kind("coordinate", "rate")})


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("seed", range(10))
def test_reactions_and_accelerations(seed: int, solver: str) -> None:
    """Every joint's and loop's wrench, also of trees, as far as it is unique."""
    if seed % 3 == 0:
        m = random_tree(
            np.random.default_rng(seed), 6, joints=("revolute", "universal", "compound", "spherical", "free")
        )
    else:
        m = random_loops(seed, 7, 1 + seed % 2)
    plain, dense = PlainLoops(asking(m), solver), Dense(m)
    found = outputs(plain)
    q, u = state(plain, dense)
    exact, unknown = dense.reactions(q, u, 0.0), dense.undetermined(q, u, 0.0)
    scale = max(np.abs(x).max() for x in exact.values())
    for name, wrench in exact.items():
        if f"{name}.reaction.f" not in found:
            continue
        ours = np.concatenate([found[f"{name}.reaction.f"], found[f"{name}.reaction.t"]])
        difference = ours - wrench
        free = unknown.get(name)
        if free is not None and np.size(free):
            basis = np.linalg.qr(np.asarray(free).reshape(6, -1))[0]
            difference = difference - basis @ (basis.T @ difference)
        assert np.max(np.abs(difference)) <= 1e-8 * scale, name


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_are_rates_of_velocities(seed: int) -> None:
    """Accelerations of points are the complex-step rates of the velocities along the motion."""
    m = random_loops(seed, 6, 1)
    point = (0.3, -0.2, 0.1)
    for name in m.bodies:
        m.output(f"{name}.v", mbs.velocity(name, point))
        m.output(f"{name}.w", mbs.angular_velocity(name))
        m.output(f"{name}.v_dot", mbs.acceleration(name, point))
        m.output(f"{name}.w_dot", mbs.angular_acceleration(name))
    plain = PlainLoops(m)
    found = outputs(plain)
    Z = plain.R.astype(complex)
    Z[plain.program.state_slice] += 1j * STEP * plain.R[plain.program.rate_slice]
    plain.complex.derive(Z)
    plain.complex.outputs(Z)
    numbers = {v.name: Z[v.slot].imag / STEP for v in plain.program.of_kind("output")}
    for name in m.bodies:
        for kind in "vw":
            exact = np.array([numbers[f"{name}.{kind}[{k}]"] for k in (1, 2, 3)])
            assert np.max(np.abs(found[f"{name}.{kind}_dot"] - exact)) <= 1e-11 * (1 + np.abs(exact).max())
