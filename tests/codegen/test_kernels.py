"""Contract of generated modules: allowed code, equal bits, and shared code."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import mbs_fmu as mbs
from mbs_fmu.codegen.entries import kernel
from mbs_fmu.codegen.llvm.subset import Refused
from mbs_fmu.codegen.loader import entry, load_kernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.tree.classes import MOST_CLASSES, classify
from mbs_fmu.kernels.library import interpolate, interpolated_slope, segment, sincos, spline
from mbs_fmu.model.model import Model
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.simulate import compiled, runtimes
from mbs_fmu.symbolic.expressions import as_expression, is_literal, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.splines import periodic_coefficients, periodic_spline
from support.cases import Case, each
from support.comparisons import assert_close
from support.generators.mechanisms import JOINTS, Plain
from support.generators.trees import moving_tree
from support.machine_code import in_machine_code
from support.models.small_models import rich_model
from support.paths import ROOT

OFFSET = np.uintp(2)
TABLE = np.array([3, 1, 4, 1, 5])


def step(R, j, carried):  # type: ignore[no-untyped-def]
    """Straight-line code on the values that travel between links."""
    x, y = carried
    t = x * (y - R[j + OFFSET]) / 3.0
    R[j] = -t
    R[1] += t - 1e-3
    return (t, R[j + 1] * x + y)


def pair(x, y):  # type: ignore[no-untyped-def]
    """Values that travel between links, as one."""
    return (x, y)


carrying, pair_kernel = kernel(step), kernel(pair)


def stepped(R, j, x, y):  # type: ignore[no-untyped-def]
    """Store the results of `step`, which only other kernels can call."""
    carried = pair_kernel(x, y)
    R[8], R[9] = carrying(R, j, carried)


def wander(R, n, h):  # type: ignore[no-untyped-def]
    """Loops, branches, integers and calls: all other code that a kernel may contain."""
    low, high = 0, n
    found = -1
    lost = False
    for k in range(n - 1, -1, -1):
        if R[k] < 0.0 or (k > 2 and not R[k] <= 1.0):
            continue
        found = k
        lost = lost or R[k] > 0.5
        if TABLE[k // 2] & 1 == 0:
            break
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high)
    R[0] = R[1] = 2.0 * found if lost else h
    R[2] -= max(abs(R[3]), 0.25, h) ** 2
    R[3] *= -1.0
    h = min(h, R[2]) + np.sqrt(abs(R[4])) * np.cos(found) + h**0.5
    return h if -1.0 < R[5] < 1.0 and low >= 0 else np.inf


def test_decorated_kernels_equal_python_to_the_bit() -> None:
    """The decorated functions give the same bits in machine code and as plain Python."""
    call = in_machine_code(kernel(stepped))
    rng = np.random.default_rng(0)
    for _ in range(20):
        one = rng.normal(size=10)
        two, (x, y), j = one.copy(), rng.normal(size=2), int(rng.integers(5))
        call(one, j, x, y)
        two[8:] = step(two, j, (x, y))
        assert np.array_equal(one, two)


def test_kernels_with_loops_and_branches_equal_python_to_the_bit() -> None:
    """The code has loops, branches, tables of integers, conditions and functions."""
    call = in_machine_code(kernel(wander))
    rng = np.random.default_rng(1)
    for _ in range(200):
        one, h = rng.normal(size=9), float(rng.random())
        two, n = one.copy(), int(rng.integers(1, 10))
        assert call(one, n, h) == pytest.approx(wander(two, n, h), rel=1e-15)
        assert np.array_equal(one, two)


@pytest.mark.parametrize("line", ["R[0:2] = 1.0", "x = [1.0]", "R[0] = R.sum()", "x = 1.0; x = R[0] and 2.0"])
def test_code_outside_of_the_contract_is_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error displays the code."""
    (tmp_path / "refused_kernel.py").write_text(f"def refused(R):\n    {line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("refused_kernel", None)
    call = in_machine_code(kernel(importlib.import_module("refused_kernel").refused))
    with pytest.raises(Refused, match=r"not known to a kernel|a value of kind"):
        call(np.zeros(3))


@each(JOINTS, rounds=1, usual=1)
def test_compiled_equals_plain_to_the_bit(case: Case) -> None:
    """Machine code and plain Python give the same bits: no operation is contracted or reordered."""
    plain = Plain(moving_tree(case, 4))
    R = plain.R.copy()
    entry(load_kernels(plain.program.module).derive)(R)
    plain.rates()
    for where in (plain.program.rate_slice, plain.slice("u"), plain.slice("sines"), plain.slice("cosines")):
        assert np.array_equal(R[where], plain.R[where])


def test_compiled_equals_plain_with_library_functions_to_rounding() -> None:
    """The C library and Python may round the last bit of exp, tanh and atan2 differently."""
    plain = Plain(rich_model())
    R = plain.R.copy()
    kernels = load_kernels(plain.program.module)
    entry(kernels.derive)(R)
    entry(kernels.outputs)(R)
    plain.rates()
    plain.real.outputs(plain.R)
    assert_close(R, plain.R, 1e-13 * np.abs(plain.R).max(), "number of the record")


def test_text_is_deterministic_and_ignores_values() -> None:
    """Two compilations give the same text, and so do other masses, lengths and stiffnesses."""

    def pendulum(mass: float, length: float, stiffness: float) -> str:
        m = Model("pendulum")
        b = m.body("b", "world", mbs.Revolute("x"), mass=mass, com=(0, 0, -length), inertia=(mass, mass, 0.3 * mass))
        m.spring("s", on=b, stiffness=stiffness, damping=0.3)
        return compile_model(m).text

    assert pendulum(1.5, 0.4, 33.0) == pendulum(1.5, 0.4, 33.0)
    assert pendulum(1.5, 0.4, 33.0) == pendulum(2.5, 0.7, 55.0)
    assert compile_model(rich_model()).text == compile_model(rich_model()).text


def test_text_does_not_grow_with_the_number_of_bodies() -> None:
    """Chains of 100 and 200 bodies differ only in tables and addresses."""

    def lines(n: int) -> int:
        m = Model("chain")
        parent = "world"
        for k in range(n):
            body = m.body(
                f"b{k}", parent, mbs.Universal(), mass=1, com=(0, 0, -0.5), inertia=(1, 1, 0.1), at=(0, 0, -1)
            )
            m.spring(f"s{k}", on=body, coordinate=1, stiffness=10 + k, damping=0.1)
            parent = body.name
        text = compile_model(m).text
        table = r"        [\d, -]+$"  # the lines of tables, which grow with the links
        return len([line for line in text.splitlines() if not re.match(table, line)])

    assert lines(200) == lines(100)


def test_many_kinds_of_joints_share_general_code() -> None:
    """A model has at most 16 classes, for any joints, and the motion is unchanged."""
    rng = np.random.default_rng(0)
    m = Model("zoo")
    parent = "world"
    for k in range(24):
        motions = [mbs.turn(axis) for axis in "xyz"] + [mbs.slide(axis) for axis in "xyz"]
        kinds = [motions[i] for i in rng.permutation(6)[:3]]
        pose = mbs.Pose(rng.normal(size=3), np.linalg.qr(rng.normal(size=(3, 3)))[0])
        if np.linalg.det(pose.rotation) < 0:
            pose = mbs.Pose(pose.position, pose.rotation[:, [1, 0, 2]])
        body = m.body(f"b{k}", parent, mbs.Compound(*kinds), mass=1, com=rng.normal(size=3), inertia=(1, 1, 1), at=pose)
        m.start(body, q=rng.normal(size=3) * 0.3, u=rng.normal(size=3))
        parent = body.name if rng.random() < 0.7 else "b0"
    classified = classify(m)
    assert len(classified.classes) <= MOST_CLASSES
    assert len(classified.tree.links) > len(m.bodies)  # compound joints were split into their motions
    plain, sweep = Plain(m), Plain(m, "sweep")
    rates = [v for v in plain.program.variables if v.role == "rate"]
    start = [v.start for v in rates]
    slots, names = [v.slot for v in rates], [v.name for v in rates]
    a, b = plain.rates(), sweep.rates()
    assert_close(plain.R[slots], start, 1e-8, "start", names)
    assert_close(b, a, 1e-8 * np.max(np.abs(a)), "rate of the sweep")


two_results = kernel(sincos)


def sine_and_cosine(R, x):  # type: ignore[no-untyped-def]
    """Store the results of `sincos`."""
    R[0], R[1] = two_results(x)


def test_sine_and_cosine_are_accurate() -> None:
    """The error of sincos is below 0.8 ulp up to 1.6e6, below the rounding of x beyond, and NaN if x is no angle."""
    call, results = in_machine_code(kernel(sine_and_cosine)), np.zeros(2)

    def both(x: float) -> tuple[float, float]:
        call(results, x)
        return float(results[0]), float(results[1])

    rng = np.random.default_rng(0)

    def worst(xs: np.ndarray) -> float:
        largest = 0.0
        with mpmath.workprec(200):
            for x in xs:
                for value, exact in zip(both(x), (mpmath.sin(mpmath.mpf(x)), mpmath.cos(mpmath.mpf(x))), strict=True):
                    largest = max(largest, float(abs(mpmath.mpf(value) - exact)) / float(np.spacing(abs(float(exact)))))
        return largest

    multiples = np.arange(-3000, 3000) * (np.pi / 2)
    assert worst(rng.uniform(-1e3, 1e3, 4000)) <= 0.8
    assert worst(multiples) <= 0.8
    assert worst(rng.uniform(-1.6e6, 1.6e6, 4000)) <= 0.8
    far = rng.uniform(-1e12, 1e12, 500)
    with mpmath.workprec(200):
        errors = [abs(float(mpmath.mpf(both(x)[0]) - mpmath.sin(mpmath.mpf(x)))) for x in far]
    assert_close(errors, 0.0, 2 * np.spacing(np.abs(far)), "error of the sine far away")
    assert np.isnan(both(np.nan)[0]) and np.isnan(both(np.inf)[1]) and np.isnan(both(1e20)[0])
    assert both(0.0) == (0.0, 1.0)


def test_tables_interpolate_linearly() -> None:
    """Interpolation equals numpy's; its slope is that of the segment, and zero outside."""
    assert segment(np.array([0.0, 1.0, 2.0]), 0, 3, 1.5) == 1
    xs, ys = np.array([0.0, 0.5, 2.0, 3.0]), np.array([1.0, -1.0, 4.0, 4.5])
    A = np.concatenate([[9.0], xs, ys])
    for x in np.linspace(-1, 4, 101):
        assert interpolate(A, 1, 4, x) == pytest.approx(np.interp(x, xs, ys), abs=1e-15)
    assert interpolated_slope(A, 1, 4, 1.0) == pytest.approx(5.0 / 1.5)
    assert interpolated_slope(A, 1, 4, -1.0) == interpolated_slope(A, 1, 4, 3.5) == 0.0


@pytest.mark.quick
def test_periodic_splines_equal_those_of_scipy() -> None:
    """Value and three derivatives agree for any number of periods; far away there is no value."""
    rng = np.random.default_rng(1)
    uneven = [np.append(np.sort(rng.uniform(0.3, 5.0, n)), 6.8) for n in (2, 3, 24)]
    for knots in (*uneven, np.linspace(0.1, 6.4, 49)):  # equal pieces are found without a search
        n, values = len(knots) - 1, rng.normal(size=len(knots) - 1)
        period = knots[-1] - knots[0]
        exact = CubicSpline(knots, [*values, values[0]], bc_type="periodic")
        coefficients = periodic_coefficients(knots, values)
        A, formula = np.concatenate([[9.0], knots, coefficients.ravel()]), periodic_spline(leaf("x"), knots, values)
        for order in range(4):
            size = np.abs(exact(np.linspace(knots[0], knots[-1], 200), order)).max()
            for x in [*np.linspace(-20.0, 20.0, 63), *knots[:-1]]:
                expected = exact(knots[0] + (x - knots[0]) % period, order)
                what = f"derivative {order} at {x} of the spline on {knots}"
                assert_close(spline(A, 1, n, order, x), expected, 1e-11 * size, what)
                assert_close(evaluate(formula, {"x": x}), expected, 1e-11 * size, what)
            formula = derivative([formula], lambda x: as_expression(1.0))[0]
        assert is_literal(formula, 0.0)
        assert all(np.isnan(spline(A, 1, n, 1, x)) for x in (np.nan, np.inf, 1e20))


def in_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "models"), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": path, **environment}, check=False,
    )  # fmt: skip


RUN = (
    "import time, mbs_fmu as mbs, governor; t = time.perf_counter();"
    "r = mbs.simulate(governor.governor(), 1, inputs={'torque': 0.1}, method='rk4', step=1e-3);"
    "print(repr(float(r['speed'][-1])), time.perf_counter() - t)"
)


@pytest.mark.slow
def test_a_second_process_loads_the_kernels(tmp_path: Path) -> None:
    """It loads the machine code of the first process, and computes the same numbers."""
    first = in_process(RUN, MBS_FMU_CACHE=str(tmp_path))
    made = {path: path.read_bytes() for path in (tmp_path / "kernels").iterdir()}
    second = in_process(RUN, MBS_FMU_CACHE=str(tmp_path))
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    (a, cold), (b, warm) = first.stdout.split(), second.stdout.split()
    assert a == b
    assert made and made == {path: path.read_bytes() for path in (tmp_path / "kernels").iterdir()}
    assert float(warm) < float(cold)


def test_the_text_of_the_governor_is_readable() -> None:
    """The text names the bodies and the equations, and is valid Python without numba."""
    text = compile_model(bundled_model("governor", "governor")).text
    assert "turnz on the world: shaft" in text and "(P4)" in text
    compile(text, "<generated>", "exec")


def test_repeated_runs_do_not_trace_or_compile() -> None:
    """An unchanged model is neither traced nor compiled again, and a changed one is."""
    m = moving_tree(Case("universal", 0), 3, ("revolute", "universal"))
    mbs.simulate(m, 0.01, method="rk4", step=0.01)
    compiled = list(runtimes(m).values())
    mbs.simulate(m, 0.02, method="rk4", step=0.01)
    assert list(runtimes(m).values()) == compiled
    m.output("t", mbs.time)
    assert "t" in mbs.simulate(m, 0.02, method="rk4", step=0.01)


@pytest.mark.usefixtures("in_plain_python")
def test_plain_kernels_return_their_module_each_time() -> None:
    """Two requests, as by two exports of a model, return the same module with the kernel."""
    model = bundled_model("solar_array", "solar_array_elastic")
    kernels = compiled(model, method="rk4", alone=True).kernels
    first, second = (kernels.source_with("exchange_rates_d") for _ in range(2))
    assert first.defines("exchange_rates_d") and first == second
