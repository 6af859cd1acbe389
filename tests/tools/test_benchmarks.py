"""Parts of the benchmarks: the comparison of two checkouts, and the excavator."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks import growth, printed, rollouts
from benchmarks.checkouts import Checkout, checkouts
from benchmarks.counted import ADD, DIVIDE, MULTIPLY, ROOT, work_of
from benchmarks.excavator import CYLINDERS, FORCES, excavator
from benchmarks.first_use import Medians
from benchmarks.legged import Robot, hopper, quadruped
from benchmarks.models import to_model, universal_chain
from benchmarks.page import separate
from benchmarks.printed import Printed
from benchmarks.solvers import SOLVERS, UNSYMMETRIC, Kernels, calm, check, errors
from mbs_fmu.codegen.c.costs import Costs
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.compile.build import compile_model
from support.paths import ROOT as PROJECT

GRAVITY = 9.81  #: m/s2, a model's default
ANGLES = np.radians([30.0, -100.0, -40.0])  #: angles of boom, stick and bucket at the start
HINGES = [(0.2, 0.0, 1.5), (5.2, 0.0, 0.0), (2.8, 0.0, 0.0)]  #: m, each on the body before
MULTIPLIER_RATES = [(1500.0, (2.5, 0.0, 0.4)), (800.0, (1.0, 0.0, 0.1)), (600.0, (0.6, 0.0, 0.1))]  #: kg, m
HOUSING, ROD = 60.0, 30.0  #: kg, with centres 0.5 m from the cylinder's ends
BODIES = ("boom", "stick", "bucket")


@pytest.mark.quick
@pytest.mark.parametrize("name", ["first_child", "start_child", "speed_child", "named", "excavator", "checkouts"])
def test_benchmarks_of_checkouts_use_public_names(name: str) -> None:
    """Benchmarks that run on another checkout import public names only, since modules move."""
    tree = ast.parse((PROJECT / "benchmarks" / f"{name}.py").read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    assert not [module for module in (*modules, *names) if str(module).startswith("mbs_fmu.")]


@pytest.mark.quick
def test_a_section_that_was_measured_separately_says_how() -> None:
    """The line follows the title; what was below the title stays."""
    found = separate("## Growth\n\nHow times grow.\n\n| a |", "python -m benchmarks --sections growth", "X")
    line = "Measured separately: `python -m benchmarks --sections growth`, on a processor X."
    assert found == f"## Growth\n\n{line}\n\nHow times grow.\n\n| a |"


@pytest.mark.quick
def test_tables_have_the_medians_of_each_side(tmp_path: Path) -> None:
    """A column for each checkout, the other one first; a dash for missing measurements."""
    sides = checkouts(PROJECT, tmp_path)
    medians = Medians()
    for side, seconds in zip(sides, ([3.0, 1.0, 2.0], [0.5, 0.7, 0.6])):
        for number in seconds:
            medians.add("chain", "s", side, number)
    medians.add("tree", "s", sides[0], 4.0)
    header, _, chain, tree = (
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in medians.table("model", {"s": "{:.1f}"}, sides).splitlines()
    )
    assert header == ["model", "s, before", "s, after"]
    assert chain == ["chain", "2.0", "0.6"] and tree == ["tree", "4.0", "-"]


@pytest.mark.quick
def test_processes_of_a_checkout_use_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes import the checkout's package and write byte code, with full optimisation only on request."""
    monkeypatch.setenv("MBS_FMU_TIER", "full")
    side = Checkout(PROJECT, tmp_path)
    quick, full = side.environment(tmp_path), side.environment(tmp_path, tier="full")
    assert "MBS_FMU_TIER" not in quick and full["MBS_FMU_TIER"] == "full"
    assert quick["PYTHONPATH"] == str(PROJECT) and not quick["PYTHONDONTWRITEBYTECODE"]


@dataclass
class Right:
    """Rates that a comparison of solvers takes as right, in place of kernels."""

    u: np.ndarray
    p: np.ndarray
    p_dot: np.ndarray

    def momenta(self, u: np.ndarray) -> np.ndarray:
        return self.p * u / self.u


@pytest.mark.parametrize("wrong", [None, "sweep", "cholesky"])
def test_a_wrong_solution_of_the_paper_is_found(wrong: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each printed solution has rates of its own, though all write to the same arrays."""
    mechanism = universal_chain(2)
    right = Right(*np.random.default_rng(1).uniform(1, 2, (3, 4)))
    printed = Printed(mechanism, np.zeros(4), right.p)

    def solved(name: str, _: int) -> None:
        printed.arrays["u"][:] = (right.u * (1.0 + 1e-6 * (name == wrong))).reshape(2, 2)
        printed.arrays["p_dot"][:] = right.p_dot.reshape(2, 2)

    runs = {name: partial(solved, name) for name in ("kinematics", *SOLVERS)}
    monkeypatch.setattr(Printed, "runs", lambda self, symmetric=True: runs)
    found = errors(dict.fromkeys(SOLVERS, right), printed)  # type: ignore[dict-item, misc]
    if wrong is None:
        check(found)
        return
    with pytest.raises(RuntimeError, match=f"rates of the printed {wrong}.* deviate by 1.0e-06"):
        check(found)


@pytest.mark.slow
def test_the_sweep_of_the_paper_needs_symmetric_inertias() -> None:
    """On 35 bodies all solutions agree to rounding, but the sweep as printed has no digit left."""
    mechanism = universal_chain(35)
    states = calm(mechanism)
    kernels = {solver: Kernels(mechanism, states, solver) for solver in SOLVERS}
    found = errors(kernels, Printed(mechanism, states.q[0], kernels["cholesky"].p))
    check(found)
    assert found[UNSYMMETRIC] > 1e-3


def test_counted_operations_of_a_chain() -> None:
    """Counts of `derive` grow by the same numbers with each body, do not exceed the bound that C sources state, and the
    longest chain is part of all operations."""
    works, unit = [], dict.fromkeys((ADD, MULTIPLY, DIVIDE, ROOT), 1.0)
    for bodies in (3, 4, 5):
        program = compile_model(to_model(universal_chain(bodies)))
        R = program.new_record()
        assert not load_plain(program.text).prepare(R)
        works.append(work_of(program.text, R, unit))
        bound = Costs().of(load_uncached(program.text).derive.kernel_function, ("array",))
        plain = works[-1].counts - works[-1].sines
        assert all(plain[kind] <= bound[kind] for kind in plain)
        assert 0 < works[-1].chain < works[-1].counts.total()
    first, second, third = (work.counts - work.sines for work in works)
    assert second - first == third - second


class Counted:
    """A number that counts the multiplications and divisions of all numbers of its class."""

    products = 0

    def __init__(self, value: float):
        self.value = float(value)

    def __mul__(self, other: Counted | float) -> Counted:
        Counted.products += 1
        return Counted(self.value * number(other))

    def __truediv__(self, other: Counted | float) -> Counted:
        Counted.products += 1
        return Counted(self.value / number(other))

    def __add__(self, other: Counted | float) -> Counted:
        return Counted(self.value + number(other))

    def __sub__(self, other: Counted | float) -> Counted:
        return Counted(self.value - number(other))

    def __rsub__(self, other: float) -> Counted:
        return Counted(other - self.value)

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    def sqrt(self) -> Counted:
        return Counted(np.sqrt(self.value))

    __rmul__, __radd__ = __mul__, __add__


def number(x: Counted | float) -> float:
    return x.value if isinstance(x, Counted) else x


@pytest.mark.quick
def test_operations_of_the_printed_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/papers.md: products for each further body. 3 and 2 products of 6x6 matrices are 648 and 432 of them."""
    for name, function in vars(printed).copy().items():
        if hasattr(function, "py_func"):
            monkeypatch.setattr(printed, name, function.py_func)
    found: dict[str, list[int]] = {"sweep": [], "cholesky": []}
    for bodies in (3, 4):
        chain = Printed(universal_chain(bodies), np.full((bodies, 2), 0.3), np.full((bodies, 2), 0.1))
        chain.runs()["kinematics"](1)
        chain.arrays = {name: np.vectorize(Counted, otypes=[object])(x) for name, x in chain.arrays.items()}
        for solver, products in found.items():
            Counted.products = 0
            chain.runs(symmetric=False)[solver](1)
            products.append(Counted.products)
    each = {solver: after - before for solver, (before, after) in found.items()}
    assert each == {"sweep": 1164, "cholesky": 917}


def placed(angles: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Origin and axes of boom, stick and bucket."""
    origin, axes, frames = np.zeros(3), np.eye(3), {"world": (np.zeros(3), np.eye(3))}
    for name, hinge, angle in zip(BODIES, HINGES, angles):
        c, s = np.cos(angle), np.sin(angle)
        origin = origin + axes @ hinge
        axes = axes @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        frames[name] = origin, axes
    return frames


def lengths_and_potential(angles: np.ndarray) -> tuple[np.ndarray, float]:
    """Lengths of the cylinders, m, and the total potential energy, J."""
    bodies, lengths, potential = placed(angles), [], 0.0
    for base, foot, moved, pin in CYLINDERS.values():
        (a, A), (b, B) = bodies[base], bodies[moved]
        start, end = a + A @ foot, b + B @ pin
        lengths.append(np.linalg.norm(end - start))
        half = 0.5 * (end - start) / lengths[-1]
        potential += GRAVITY * (HOUSING * (start + half)[2] + ROD * (end - half)[2])
    for name, (mass, com) in zip(BODIES, MULTIPLIER_RATES):
        origin, axes = bodies[name]
        potential += GRAVITY * mass * float((origin + axes @ com)[2])
    return np.array(lengths), potential


@pytest.mark.slow
@pytest.mark.usefixtures("in_plain_python")
def test_the_excavator_is_held_by_forces_of_virtual_work() -> None:
    """dV = sum F dl, by central differences of an independent description of the geometry."""
    h = 1e-5  # rad; V is 1e5 J: V' errs by eps V / h = 2e-6 J/rad and by V h^2 / 6 = 2e-6 J/rad
    slopes = [
        tuple((b - a) / (2.0 * h) for a, b in zip(lengths_and_potential(ANGLES - d), lengths_and_potential(ANGLES + d)))
        for d in h * np.eye(3)
    ]
    forces = np.linalg.solve([dl for dl, _ in slopes], [dv for _, dv in slopes])
    held = mbs.trim(excavator(), free=FORCES)
    actual = np.array([held.values[name] for name in FORCES])
    # over arms of at least 0.3 m: 1.3e-5 N of the least force, 1.7e3 N; trim ends at 1e-11 of the largest, 1e5
    assert actual == pytest.approx(forces, rel=1e-8)


def test_growth_is_that_of_a_body_at_ten_times_as_many() -> None:
    """A cost of n^a seconds grows by 10^(a - 1), whatever the sizes; sizes below 100 do not count."""
    sizes = (10, 99, 1000, 9999, 100_000)
    for power in (0.8, 1.0, 1.3):
        rows = [{"bodies": float(n), "step": n**power} for n in sizes]
        assert growth.growth(growth.each(rows, "step")) == pytest.approx(10.0 ** (power - 1.0))
    assert growth.growth([(10.0, 1.0), (100.0, 9.0), (1000.0, 9.0)]) == pytest.approx(1.0)
    assert growth.growth([(10.0, 1.0), (100.0, 2.0)]) is None


@pytest.mark.slow
@pytest.mark.parametrize("build", [hopper, quadruped])
def test_robots_with_loops_are_the_same_mechanisms_in_mujoco(build: Callable[[], Robot]) -> None:
    """Accelerations of closed, moving robots in the air are those that follow from MuJoCo's mass matrix and Jacobians.

    Differences of five velocities, 1e-5 s apart, have rounding errors of 1e-9 rad/s2, accelerations reach 1e3 rad/s2.
    """
    pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
    rollouts.check(build())
