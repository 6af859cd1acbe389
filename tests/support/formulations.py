"""Comparison of a model in joint coordinates with the same model in absolute coordinates."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs

STEP = 2.5e-5  #: s, one step of rk4, whose error is below rounding, in the stiffest bars of the tests too


def both(model: mbs.Model, stop: float, **arguments: object) -> tuple[mbs.Result, mbs.Result]:
    """Results of the tree and of absolute coordinates, which have the same columns at the same times."""
    tree = mbs.simulate(model, stop, **arguments)
    free = mbs.simulate(model, stop, formulation="absolute", **arguments)
    assert free.columns == tree.columns and free.vectors == tree.vectors and free.units == tree.units
    assert np.array_equal(free.time, tree.time)
    return tree, free


def apart(model: mbs.Model, stop: float, **arguments: object) -> dict[str, float]:
    """Difference of both formulations by column: largest difference over the largest entry (over 1, if less)."""
    tree, free = both(model, stop, **arguments)
    return {
        name: float(np.max(np.abs(free[name] - tree[name]))) / max(1.0, float(np.max(np.abs(tree[name]))))
        for name in tree.columns
    }


def assert_close(tree: mbs.Result, free: mbs.Result, name: str, bound: float, least: float) -> None:
    """Assert that a column differs by less than `bound` times its largest entry, or times `least` if that is larger."""
    difference = np.abs(free[name] - tree[name])
    allowed = bound * max(least, float(np.max(np.abs(tree[name]))))
    row = int(np.argmax(difference))
    assert difference[row] < allowed, (
        f"{name} at {tree.time[row]:g} s: {tree[name][row]!r} in the tree, {free[name][row]!r} in absolute "
        f"coordinates, {difference[row]:.3g} apart, {allowed:.3g} allowed"
    )


def assert_same_step(model: mbs.Model) -> None:
    """Assert that all columns agree to 1e-9 at the start and after one step.

    Reactions of a model with redundant conditions do not count, since they are not unique.
    """
    tree, free = both(model, STEP, method="rk4", step=STEP, output_interval=STEP)
    unique = tree.statistics.get("rank", 0) == tree.statistics.get("conditions", 0)
    for name in tree.columns:
        if unique or not name.startswith("r_"):
            assert_close(tree, free, name, 1e-9, 1.0)


def measure_all(m: mbs.Model) -> None:
    """Add outputs: accelerations and reactions of all bodies, powers and strengths of all forces, energy."""
    for name, body in m.bodies.items():
        m.output(f"a_{name}", mbs.acceleration(name, (0.1, 0.2, 0.3)))
        m.output(f"w_{name}", mbs.angular_acceleration(name))
        if body.joint.motions:
            m.output(f"r_{name}", mbs.reaction(name))
    for name in m.forces:
        m.output(f"p_{name}", mbs.power(name))
    m.output("E", mbs.energy())
