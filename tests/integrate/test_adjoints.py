"""Adjoints of kernels, with the loops of the kernels, against complex steps: w . (J v) = (J' w) . v."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.integrate.adjoints.groups import AdjointGroup
from mbs_fmu.integrate.adjoints.places import Irreversible
from mbs_fmu.record.kernel_module import KernelModule, ModuleFunction
from models.boom_with_load import boom_with_load
from models.quadruped import quadruped
from support.cases import Case, each, some_quick
from support.generators.mechanisms import JOINTS, Plain, add_drives
from support.generators.trees import add_forces, add_sensors, moving_tree
from support.models.changing_tables import motor_curve
from support.oracles.complex_steps import STEP

pytestmark = pytest.mark.quick


def addresses(part: slice) -> list[int]:
    """Addresses of a part of the record."""
    return list(range(part.start, part.stop))


class Scene:
    """Adjoints of kernels of a program, at its first record or at another one."""

    def __init__(self, plain: Plain, kernels: Sequence[str], given: Sequence[int], module: KernelModule | None = None):
        self.plain, self.kernels, self.given = plain, kernels, given
        module = module or plain.program.module
        self.group = AdjointGroup(plain.program, module, kernels, given)
        self.functions = self.group.functions()
        self.real = load_plain(module.with_functions(self.functions))

    def check(self, results: Sequence[int], seed: int, complex_kernels: Any = None) -> None:
        """Compare both sides of the law in random directions. The bound belongs to sums of thousands of products."""
        rng, R = np.random.default_rng(seed), self.plain.R
        v, w = rng.normal(size=len(self.given)), rng.normal(size=len(results))
        C = R.astype(complex)
        C[self.given] += 1j * STEP * v
        for kernel in self.kernels:
            getattr(complex_kernels or self.plain.complex, kernel)(C)
        J_v = C[results].imag / STEP
        B, A, R = np.zeros_like(R), np.zeros(self.group.size), R.copy()
        B[results] = w
        for kernel in self.kernels:
            getattr(self.real, f"{kernel}_kept")(R, A)
        for kernel in reversed(self.kernels):
            getattr(self.real, f"{kernel}_b")(R, A, B)
        J_w = B[self.given]
        left, right = w @ J_v, J_w @ v
        size = np.abs(w) @ np.abs(J_v) + np.abs(J_w) @ np.abs(v)
        assert abs(left - right) <= 1e-11 * size, f"{left} forwards, {right} in reverse"
        B[self.given] = 0.0
        assert not B[results][J_v != 0.0].any(), "adjoints of results remain"


def rates_scene(plain: Plain) -> tuple[Scene, list[int]]:
    """The adjoints of rates and outputs by states, inputs and parameters, and the addresses of the results."""
    program = plain.program
    given = addresses(program.state_slice)
    given += [address for name in ("inputs", "parameters") for address in addresses(program.region(name))]
    results = [address for name in ("u", "outputs") for address in addresses(program.region(name))]
    return Scene(plain, ["derive", "outputs"], given), addresses(program.rate_slice) + results


@each(JOINTS, rounds=2, usual=3, quick=1)
def test_adjoints_of_trees_are_transposed_derivatives(case: Case) -> None:
    """Trees of all joints with forces and measures of all kinds, by either solver."""
    m = moving_tree(case)
    add_forces(m, np.random.default_rng(case.seed))
    add_sensors(m, list(m.bodies.values())[-1])
    scene, results = rates_scene(Plain(m, ("cholesky", "sweep")[case.seed % 2]))
    scene.check(results, case.seed)


@each(JOINTS, rounds=1, usual=1)
def test_adjoints_of_driven_trees_are_transposed_derivatives(case: Case) -> None:
    """Drives in time move some joints."""
    m = moving_tree(case)
    add_drives(m, np.random.default_rng(case.seed))
    scene, results = rates_scene(Plain(m))
    scene.check(results, case.seed)


@each(JOINTS, rounds=1, usual=1)
def test_adjoints_of_momenta_are_transposed_derivatives(case: Case) -> None:
    """The momenta of joint velocities."""
    plain = Plain(moving_tree(case))
    program = plain.program
    given = addresses(program.state_slice) + addresses(program.region("u"))
    Scene(plain, ["momenta"], given).check(addresses(program.region("p")), case.seed)


def chain(count: int, forks: bool = False) -> mbs.Model:
    """Hinged bodies with springs and dampers; with forks, every fifth one hangs on the body before the last."""
    m = mbs.Model("chain")
    push = m.input("push")
    bodies: list[Any] = ["world", "world"]
    for k in range(count):
        parent = bodies[-2 if forks and k % 5 == 4 else -1]
        at = (0.0, 0.0, -0.3) if k else (0.0, 0.0, 0.0)
        body = m.body(f"b{k}", parent, mbs.Revolute("xyz"[k % 3]), 1.0, (0.0, 0.01, -0.15), (0.01, 0.011, 0.002), at)
        m.spring(f"s{k}", on=body, force=lambda x, v: 5.0 * x + x**3 + 0.1 * v * mbs.abs(v))
        m.start(body, q=0.1 * (k % 4) - 0.1, u=0.3 * (k % 3))
        bodies.append(body)
    m.motor("motor", on=bodies[-1], torque=push)
    m.output("tip", mbs.position(bodies[-1], (0, 0, -0.3)))
    return m


@pytest.mark.parametrize("forks", some_quick([True, False], 1))
def test_the_adjoint_of_a_chain_of_sixty_bodies(forks: bool) -> None:
    """The loops of long chains and of trees, whose laws are loops too."""
    scene, results = rates_scene(Plain(chain(60, forks)))
    scene.check(results, 60)


def test_the_text_of_adjoints_does_not_grow_with_the_number_of_bodies() -> None:
    """Functions of chains differ in numbers only."""
    texts = [rates_scene(Plain(chain(count)))[0].functions for count in (12, 24)]
    lines = [[(f.name, len(f.text.splitlines())) for f in functions] for functions in texts]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("height", some_quick([0.3, 0.6, 0.4], 0, 1))
def test_adjoints_pass_branches_of_contacts(height: float) -> None:
    """Feet that touch the ground, and feet in the air, whose laws are left out."""
    m = quadruped()
    plain = Plain(m)
    start = plain.program.state_slice.start
    plain.R[start + 2] = height
    scene, results = rates_scene(plain)
    scene.check(results, 5)


def test_adjoints_of_tables_whose_values_change_are_transposed_derivatives() -> None:
    """The values of a table are parameters."""
    plain = Plain(motor_curve())
    plain.R[plain.program.state_slice] += 0.05
    scene, results = rates_scene(plain)
    scene.check(results, 4)


# -- small kernels ---------------------------------------------------------------------------------------------

HELPER = """
@kernel
def scaled(R, a, b):
    factor = R[a] * R[a]
    for k in range(3):
        R[b + k] += factor * R[a + k + 1]
"""
#: Bodies of kernels of eight numbers x and eight numbers y; X and Y stand for their addresses.
KERNELS = {
    "numbers that change": "for k in range(7):\n    R[X + 1 + k] = R[X + 1 + k] * R[X + k]",
    "sums": "for k in range(8):\n    for j in range(3):\n        R[Y + j] += R[X + k] * R[X + j]",
    "products": "for k in range(8):\n    R[Y] = R[Y] * R[X + k]",
    "a branch": "if R[X] < R[X + 1]:\n    R[Y] = R[X] * R[X]\nelse:\n    R[Y] = R[X + 1] / R[X]",
    "branches": "for k in range(8):\n    if R[X + k] > 0.0:\n        R[Y + k] = exp(R[X + k]) * R[Y + k]",
    "a local": "x = R[X] + 2.0\nfor k in range(4):\n    R[X + k] = R[X + k] / x",
    "a call": "scaled(R, X, Y)\nscaled(R, Y, X)",
    "exchange": "x = R[X]\nR[X] = R[Y] * x\nR[Y] = x * x",
    "reading again": "R[X] = R[X] * R[Y]\nR[Y] = R[X] * R[X]",
    "a selection": "x = R[X] if R[X] < R[Y] else R[Y]\nR[X] = x * abs(R[X + 1])\nR[Y] -= min(x, 0.5) * R[X + 2]",
}


def kernel_of(body: str, plain: Plain) -> KernelModule:
    """The module with a kernel `tried` with these statements, and a helper."""
    x, y = (plain.program.region(name).start for name in ("q", "u"))
    lines = ["@kernel", "def tried(R):", *("    " + line for line in body.splitlines())]
    text = "\n".join(lines).replace("X", str(x)).replace("Y", str(y))
    functions = [ModuleFunction("scaled", HELPER.strip()), ModuleFunction("tried", text)]
    return plain.program.module.with_functions(functions)


@pytest.fixture(scope="module")
def eight() -> Plain:
    """A program whose record has regions of eight numbers."""
    plain = Plain(chain(8))
    rng = np.random.default_rng(1)
    for name in ("q", "u"):
        plain.R[plain.program.region(name)] = rng.normal(size=8)
    return plain


@pytest.mark.parametrize("kind", KERNELS)
def test_adjoints_of_small_kernels_are_transposed_derivatives(kind: str, eight: Plain) -> None:
    """Numbers that kernels overwrite, sums, branches, and calls."""
    module = kernel_of(KERNELS[kind], eight)
    given = [address for name in ("q", "u") for address in addresses(eight.program.region(name))]
    others = {"exp": np.exp, "abs": lambda x: -x if x.real < 0.0 else x, "min": lambda *x: min(x, key=lambda y: y.real)}
    of_complex = load_plain(module, others)
    for seed in range(3):
        Scene(eight, ["tried"], given, module).check(given, seed, of_complex)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("x = 0.0\nfor k in range(20):\n    x += R[X] * R[X]\nR[Y] = x", "x comes from another iteration or branch"),
        ("if R[X] > 0.0:\n    x = R[X]\nelse:\n    x = R[Y]\nR[Y] = x", "x comes from another iteration or branch"),
        ("for k in range(int(R[X])):\n    R[Y] += R[X]", "bounds of range"),
        ("while R[X] > 1.0:\n    R[X] = R[X] / 2.0", "while"),
        ("R[integer(R[X])] = R[Y]", "an address in the record that follows from integer"),
    ],
)  # fmt: skip
def test_unknown_forms_of_kernels_are_refused(body: str, message: str, eight: Plain) -> None:
    """Such kernels have adjoints without loops only."""
    with pytest.raises(Irreversible, match=message):
        Scene(eight, ["tried"], [], kernel_of(body, eight))


@pytest.mark.usual
def test_elastic_bodies_have_adjoints_without_loops_only() -> None:
    """Their kernels factorize matrices in place."""
    with pytest.raises(Irreversible, match="call of mode_columns"):
        rates_scene(Plain(boom_with_load()))
