"""Kernels as C equal Python to the bit: random programs, and programs in which order, loops or integers matter."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

from mbs_fmu.codegen.c.module import Module
from mbs_fmu.codegen.modules import load_plain, load_uncached
from support.c_programs import call, compiled
from support.generators.kernel_programs import SIZE, as_python, module_of, programs

#: Options for random programs, which compare values with themselves.
RANDOM = ("-O2", "-Wno-tautological-compare")
COUNT = 12  #: programs in a module
RUNS = [(0, 0.5), (3, -2.25), (6, 0.0), (11, np.inf), (-5, np.nan), (2, -0.0), (4, 1e-3), (7, 1e200)]
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))]


def records(seed: int) -> np.ndarray:
    """Return start values of all programs, special ones among them."""
    rng = np.random.default_rng([seed, 1])
    R = np.round(rng.normal(size=COUNT * (SIZE + 1)) * 4.0, 2)
    for share, value in ((0.1, 0.0), (0.03, -0.0), (0.03, np.inf), (0.03, np.nan)):
        R[rng.random(R.shape) < share] = value
    return R


def bits(R: np.ndarray) -> np.ndarray:
    """Return the bits of numbers; which NaN an operation gives is left open by IEEE 754."""
    return np.where(np.isnan(R), np.nan, R).view(np.int64)


def c_text(function: FunctionType, kinds: tuple[str, ...], **options: str) -> str:
    """Return the file with one entry, `kernel_run`."""
    file = Module(**options)
    file.entry("kernel_run", function, kinds, linkage="")
    return file.text("test")


@pytest.mark.parametrize("seed", SEEDS)
def test_random_programs_in_c_equal_python_to_the_bit(seed: int, tmp_path: Path) -> None:
    """Every number that a program leaves has the same bits."""
    text = programs(seed, COUNT)
    plain = as_python(text)
    library = compiled(c_text(module_of(text).run.kernel_function, ("array", "int", "float")), tmp_path, RANDOM)
    for n, x in RUNS:
        one = records(seed)
        two = one.copy()
        with np.errstate(all="ignore"):
            plain.run(one, n, np.float64(x))
        call(library, "kernel_run", two, n, float(x))
        assert np.array_equal(bits(one), bits(two)), np.flatnonzero(bits(one) != bits(two)) // SIZE


ORDER = '''
import numpy as np
from mbs_fmu.codegen.entries import kernel

TABLE = np.array([3, 1, 2], dtype=np.int64)
FAR = np.array([70000, 1], dtype=np.int64)
PAIR = (2.0, 0.5)

@kernel
def where(condition, a, b):
    """a if the condition holds, else b."""
    return a if condition else b

@kernel
def bump(R):
    R[0] += 1.0
    return R[0]

@kernel
def two(a, b):
    return a - 10.0 * b

@kernel
def pair(R):
    R[1] = R[0] + 1.0
    return R[0], R[1]

@kernel
def place(R):
    R[0] += 1.0
    return 20 + int(R[0]) - 2 * (int(R[0]) // 2)

@kernel
def run(R):
    R[2] = bump(R) + R[0]
    R[3] = R[0] + bump(R)
    R[4] = two(bump(R), R[0])
    R[5] = two(R[0], bump(R))
    R[0] += bump(R)
    a, b = pair(R)
    a, b = b, a
    R[6] = a - 2.0 * b
    last = 0
    for k in range(3):
        last = k
        k = k + 5
        R[7] += 1.0 * k
    R[8] = 1.0 * last
    k = 0
    for k in range(4):
        if k == 2:
            break
    R[9] = 1.0 * k
    R[10] = 1.0 * (-7 // 2) + 10.0 * (7 // -2) + 100.0 * (-8 // 2)
    R[11] = 1.0 * (-9 >> 1) + 1.0 * ((1 << 3) | 5 & 6) + 1.0 * (1 << 40) + 1.0 * (3 >> 70)
    x = -2.5
    R[12] = -x ** 2 + (x - 1.0) ** 2
    R[13] = min(0.0, -0.0) + max(1.0, 2.0, x) + abs(x)
    R[14] = 1.0 if 0 < TABLE[1] < 2 and not x > 0.0 else 2.0
    R[15] = x - (1.0 - (x - 2.0)) / (3.0 / x) * -x
    n = 3
    for k in range(n):
        n = n - 1
        R[16] += 1.0
    s = 0
    while bump(R) + R[0] < 60.0:
        s = s + 1
        if s == 3:
            continue
        R[17] += R[0]
    R[18] = 1.0 * TABLE[0] * TABLE[2]
    R[19] = np.nan if x > 0.0 else -np.inf
    R[place(R)] = R[0]
    R[place(R)] += bump(R)
    R[20 + int(R[0]) - 4 * (int(R[0]) // 4)] = bump(R)
    R[24] = R[0] + (bump(R) - R[0] if x < 0.0 else R[0] * bump(R))
    if x < 0.0 and bump(R) < R[0] + 1.0 or bump(R) > 1e9:
        R[25] = R[0]
    elif bump(R) + R[0] > 3.0:
        R[25] = 2.0 * R[0]
    R[26] = 1.0 * (FAR[0] * FAR[0]) + 1.0 * (70000 * FAR[0])
    u = v = R[27] = bump(R) + 0.5
    R[28] = u + v
    unread = bump(R)
    p, q = PAIR
    R[29] = p / q
    for k in range(5, int(bump(R)) - int(R[0]), -2):
        R[30] += 1.0 * k
    R[18] += where(x < 0.0, x, bump(R)) + R[0]
    R[31] = 1.0 * (min(n, s) + max(n, 2, s) - abs(n - 5))
    return s
'''


def test_order_of_evaluation_loops_and_integers_equal_python(tmp_path: Path) -> None:
    """C leaves the order of operands open, rounds quotients to zero and counts with 32 bits: none of it shows."""
    function = load_uncached(ORDER).run.kernel_function
    one, two = np.zeros(32), np.zeros(32)
    with np.errstate(all="ignore"):
        status = load_plain(ORDER).run(one)
    library = compiled(c_text(function, ("array",)), tmp_path)
    assert call(library, "kernel_run", two) == status
    assert {k: (a, b) for k, (a, b) in enumerate(zip(one, two, strict=True)) if a.hex() != b.hex()} == {}


SIGNS = """
from mbs_fmu.codegen.entries import kernel

@kernel
def run(R, n, x):
    R[0] = -x
    R[1] = x - R[0]
    R[2] = R[0] - (x - R[1])
    R[3] = -(-x)
    R[4] = x + -R[1] * 2.0
    R[5] = x / (R[0] / R[1])
    R[6] = -(x + R[2]) * R[3]
    R[7] = R[n - 1] - R[n + -1]
"""


@pytest.mark.quick
def test_signs_and_parentheses_in_c_are_those_of_python() -> None:
    """Each statement in C has the text of its Python statement, so that no compiler is needed to find a wrong sign."""
    function = module_of(SIGNS).run.kernel_function
    statements = [line.strip() for line in SIGNS.splitlines() if line.startswith("    ")]
    written = [line.strip() for line in c_text(function, ("array", "int", "float")).splitlines()]
    for statement in statements:
        assert f"{statement};" in written, f"{statement} in Python is none of the statements in C: {written}"
