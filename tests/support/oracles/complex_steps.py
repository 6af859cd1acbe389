"""Outputs of a mechanism run as plain Python, and derivatives by complex steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from support.comparisons import first_difference
from support.generators.mechanisms import Plain

STEP = 1e-30  #: step of the complex variable


def close(a: np.ndarray, b: np.ndarray, tolerance: float, quantity: str, labels: Sequence[str] = ()) -> None:
    """Check that arrays differ by at most `tolerance` times the largest expected number (or 1).

    quantity, labels: names of the quantity and of the elements along the last axis, for the message.
    """
    __tracebackhide__ = True
    bound = tolerance * max(1.0, float(np.max(np.abs(b), initial=0.0)))
    agree = np.max(np.abs(a - b), initial=0.0) <= bound
    assert agree, first_difference(a, b, bound, quantity, labels)


def outputs(plain: Plain) -> dict[str, np.ndarray]:
    """All outputs at the current state, vectors as arrays."""
    plain.rates()
    plain.real.outputs(plain.R)
    return named(plain, plain.R)


def named(plain: Plain, R: np.ndarray) -> dict[str, Any]:
    """All outputs of a record, vectors as arrays."""
    slots = {v.name: v.slot for v in plain.program.variables if v.role == "output"}
    vectors = {name: np.array([R[slots[x]] for x in parts]) for name, parts in plain.program.vectors.items()}
    return {name: R[slot] for name, slot in slots.items()} | vectors


def output_rates(plain: Plain) -> dict[str, np.ndarray]:
    """Time derivatives of all outputs along the motion, by a complex step."""
    f = plain.rates()
    C = plain.R.astype(complex)
    C[plain.program.state_slice] += 1j * STEP * f
    C[0] += 1j * STEP  # time
    plain.complex.derive(C)
    plain.complex.outputs(C)
    return named(plain, C.imag / STEP)


def compare_tangents(plain: Plain, seed: int, along: Iterable[slice], *names: str) -> None:
    """Assert that `derive_d` and `outputs_d` equal complex steps, in a random direction of the slices `along`.

    Compares the states' rates and the regions `names`, to 1e-12 of the largest number.
    """
    rng = np.random.default_rng(seed)
    D = np.zeros_like(plain.R)
    for where in along:
        D[where] = rng.normal(size=where.stop - where.start)
    C = plain.R + 1j * STEP * D
    plain.complex.derive(C)
    plain.complex.outputs(C)
    plain.real.derive_d(plain.R, D)
    plain.real.outputs_d(plain.R, D)
    exact = C.imag / STEP
    bound, owners = 1e-12 * max(1.0, np.max(np.abs(exact))), plain.program.owners
    places = {"rates": (plain.program.rate_slice, owners), **{name: (plain.slice(name), ()) for name in names}}
    for region, (where, labels) in places.items():
        message = first_difference(D[where], exact[where], bound, f"tangent of {region}", labels)
        assert np.max(np.abs(D[where] - exact[where]), initial=0.0) <= bound, message
