"""Random kernels as machine code equal Python to the bit."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mbs_fmu.codegen.llvm.kinds import inferred
from mbs_fmu.codegen.llvm.subset import Refused
from support.cases import tiers
from support.generators.kernel_programs import SIZE, as_python, module_of, programs
from support.machine_code import in_machine_code

COUNT = 12  #: programs in a module
RUNS = [(0, 0.5), (3, -2.25), (6, 0.0), (11, np.inf), (-5, np.nan), (2, -0.0), (4, 1e-3), (7, 1e200)]
SEEDS = tiers(range(20), usual=1)


def records(seed: int, columns: int = 1) -> np.ndarray:
    """Return start values of all programs, special ones among them."""
    rng = np.random.default_rng([seed, 1])
    R = np.round(rng.normal(size=(COUNT * (SIZE + 1), columns)) * 4.0, 2)
    R[rng.random(R.shape) < 0.1] = 0.0
    R[rng.random(R.shape) < 0.03] = -0.0
    R[rng.random(R.shape) < 0.03] = np.inf
    R[rng.random(R.shape) < 0.03] = np.nan
    return R


def bits(R: np.ndarray) -> np.ndarray:
    """Return the bits of numbers; which NaN an operation gives is left open by IEEE 754."""
    return np.where(np.isnan(R), np.nan, R).view(np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_equal_python_to_the_bit(seed: int) -> None:
    """Every number that a program leaves has the same bits."""
    text = programs(seed, COUNT)
    plain, compiled = as_python(text), in_machine_code(module_of(text).run)
    for n, x in RUNS:
        one = records(seed)[:, 0].copy()
        two = one.copy()
        with np.errstate(all="ignore"):
            plain.run(one, n, np.float64(x))
        compiled(two, n, x)
        assert np.array_equal(bits(one), bits(two)), np.flatnonzero(bits(one) != bits(two)) // SIZE


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_in_lanes_equal_python_to_the_bit(seed: int) -> None:
    """All members of a batch run at once."""
    lanes = 4
    text = programs(seed, COUNT, straight=True, lanes=lanes)
    plain, compiled = as_python(text), in_machine_code(module_of(text).run)
    for n, x in RUNS:
        wide = records(seed, lanes)
        single = wide.copy()
        compiled(wide, n, x)
        for lane in range(lanes):
            one = single[:, lane].copy()
            with np.errstate(all="ignore"):
                plain.run(one, n, np.float64(x))
            assert np.array_equal(bits(one), bits(wide[:, lane])), np.flatnonzero(bits(one) != bits(wide[:, lane]))


@pytest.mark.parametrize("seed", tiers(range(40), usual=20, quick=10))
def test_possibly_undefined_names_are_refused(seed: int) -> None:
    """If a program makes an assignment in some runs only, and Python then finds no value, it is refused."""
    rng = np.random.default_rng(seed)
    lines = programs(seed, 1).splitlines()
    first = next(k for k, line in enumerate(lines) if "def program_0" in line)
    gone = [k for k, line in enumerate(lines) if k > first and re.match(r" +(k\d|c\d|[ijst]) = ", line)]
    gone = sorted(rng.choice(gone, size=min(2, len(gone)), replace=False))
    for k in gone:
        lines[k] = re.sub(r"\S.*", r"if n > 3: \g<0>", lines[k])
    text = "\n".join(lines) + "\n"
    plain, fails = as_python(text), False
    for n, x in RUNS:
        try:
            with np.errstate(all="ignore"):
                plain.run(records(seed)[:, 0].copy(), n, np.float64(x))
        except UnboundLocalError:
            fails = True
    try:
        inferred(module_of(text).run.kernel_function, ("array", "int", "float"))
    except Refused as error:
        assert "may have no value" in str(error)
    else:
        assert not fails
