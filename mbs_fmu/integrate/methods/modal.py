"""W-methods that are implicit in the modes of elastic bodies: coefficients, methods, and the functions of their steps.

A W-method is a Rosenbrock method that has its order with any matrix W in the place of the Jacobian. Here W contains
only derivatives that belong to the vibration modes: stiffness, damping, and B, the derivatives of the modal momenta by
the modal coordinates (docs/equations_elastic.md, W1 to W4). The solution of a linear system therefore costs as much as
that of M u = p for the joint velocities. It uses the second record, `R.second`: a copy of the record at the start of
the step, with other modal masses. The region `stages` contains the rates at the start of the step, the stages and the
estimated errors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.hooks import momentum_derivatives
from ...kernels.linked import evaluate
from ...record.schema import Inputs, Record
from ..stepping.hooks import METHOD_arrive, METHOD_dense, METHOD_error, METHOD_stages
from . import coefficients as decimals
from .method import Function, Method, Parts
from .orders import Conditions, Row, check_dense, check_error, check_finite, check_order, check_safety, differs, dot
from .texts import BETWEEN, ESTIMATING, sources, stage, weighted, written

MOST_ORDER = 3  #: up to this order, W occurs only in the conditions of unbranched trees, which `check_inexact` checks


@dataclass(frozen=True)
class ModalRosenbrock(Method):
    """A W-method whose stages solve

        (E / (gamma h) - W) U_i = f(t + c_i h, x + sum_j a_ij U_j) + sum_j (d_ij / h) U_j,

    where E is the unit matrix, a = alpha Gamma⁻¹ and d = E / gamma - Gamma⁻¹. `alpha` and `coupling` contain the rows
    below the diagonals of alpha and Gamma; the diagonal of Gamma is `gamma`. c_i is the sum of a row of alpha. The new
    state is x + sum_j b_j h k_j with h k = Gamma⁻¹ U; the error estimate is the difference to the state with the
    weights `embedded`. In the dense output at the fraction theta of a step, the weight of h k_j is theta (b_j + (1 -
    theta) dense_j). Raises ValueError if the order conditions do not hold for every W.
    """

    name: str
    order: int
    error_order: int
    gamma: float
    alpha: tuple[Row, ...]
    coupling: tuple[Row, ...]
    b: Row
    embedded: Row
    dense: Row
    source: str
    safety: float = 0.8  #: less than that of Rosenbrock methods: errors of order 3 exceed their estimate more often

    def __post_init__(self) -> None:
        for part, rows in (("alpha", self.alpha), ("coupling", self.coupling)):
            check_finite(self.name, part, rows)
        for part, row in (("gamma", (self.gamma,)), ("b", self.b), ("embedded", self.embedded), ("dense", self.dense)):
            check_finite(self.name, part, [row])
        alpha, coupling = self._square(self.alpha, 0.0), self._square(self.coupling, self.gamma)
        full = [tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(alpha, coupling, strict=True)]
        conditions = Conditions(alpha, sole=full)
        check_order(self.name, self.order, self.b, conditions)
        check_inexact(self.name, self.order, self.b, alpha, coupling)
        check_inexact(self.name, self.error_order - 1, self.embedded, alpha, coupling)
        check_safety(self.name, self.safety)
        check_error(self.name, self.error_order, self.order + 1, self._error, conditions)
        check_dense(self.name, self.order, list(zip(self.b, self.dense, strict=True)), [[1], [1, -1]], conditions)

    def _square(self, rows: Sequence[Row], diagonal: float) -> list[Row]:
        """Return rows below a diagonal as a square matrix."""
        return [(*row, diagonal, *[0.0] * (self.stages - i - 1)) for i, row in enumerate(rows)]

    @property
    def stages(self) -> int:
        """Number of linear systems of a step."""
        return len(self.b)

    @property
    def slots(self) -> int:
        """Number of stored vectors: rates at the start of a step, stages, errors."""
        return self.stages + 2

    @property
    def adaptive(self) -> bool:
        return True

    @property
    def implicit_modes(self) -> bool:
        return True

    @property
    def _error(self) -> Row:
        """Weights of the vectors h k_j in the error estimate."""
        return tuple(float(x - y) for x, y in zip(self.b, self.embedded, strict=True))

    @property
    def _inverse(self) -> list[list[float]]:
        """Gamma⁻¹."""
        n, rows = self.stages, self._square(self.coupling, self.gamma)
        inverse = [[0.0] * n for _ in range(n)]
        for j in range(n):
            for i in range(j, n):
                known = sum(float(rows[i][k]) * inverse[k][j] for k in range(j, i))
                inverse[i][j] = (float(i == j) - known) / self.gamma
        return inverse

    def _of_stages(self, weights: Row) -> Row:
        """Return weights of the vectors h k_j as weights of the stages U_j: the row times Gamma⁻¹."""
        inverse = self._inverse
        return tuple(float(dot(weights, [row[j] for row in inverse])) for j in range(self.stages))

    def parts(self, loops: bool) -> Parts:
        formulas = (
            self._stages(loops),
            self._arrive(),
            written(METHOD_error, ESTIMATING, [f"return {stage(self.stages + 1, 'k')}"]),
            self._dense(),
        )
        numbers = {"METHOD_ORDER": float(self.error_order), "METHOD_SAFETY": self.safety}
        return Parts({**sources(METHOD_jacobian, METHOD_again), **{f.name: f for f in formulas}}, numbers=numbers)

    def _stages(self, loops: bool) -> Function:
        """Return METHOD_stages: a linear system for each stage, then the new state."""
        # In trees `error_velocities`, which `solve_modes` calls, uses elimination factors of the last evaluation of the
        # second record. In models with loops it computes the factors itself.
        lines = [f"s = {self.gamma!r} * h", "effective_modal_masses(R, s)", *([] if loops else ["derive(R.second)"])]
        inverse = self._inverse
        for i in range(self.stages):
            rates = stage(0, "k")
            if i:
                lines += [
                    "for k in range(NX):",
                    f"    R.x[k] = R.step_start[k] + ({weighted(self._of_stages(self.alpha[i]), first=1)})",
                    f"R.time = time + {float(sum(self.alpha[i]))!r} * h",
                    "evaluate(R, U)",
                ]
                rates = f"R.x_dot[k] + ({weighted([-x for x in inverse[i][:i]], first=1)}) / h"
            lines += ["for k in range(NX):", f"    {stage(i + 1, 'k')} = s * ({rates})"]
            lines.append(f"solve_modes(R, {stage(i + 1)}, s)")
        lines += [
            "for k in range(NX):",
            f"    R.x[k] = R.step_start[k] + ({weighted(self._of_stages(self.b), first=1)})",
        ]
        doc = f"Make a step from `step_start` and the rates there to the new state in `x`. {self.source}."
        return written(METHOD_stages, doc, lines)

    def _arrive(self) -> Function:
        """Return METHOD_arrive."""
        errors = self.stages + 1
        total = weighted(self._of_stages(self._error), first=1)
        lines = ["evaluate(R, U)", "for k in range(NX):", f"    {stage(errors, 'k')} = {total}"]
        doc = "Evaluate the rates at the end of the step, and estimate its errors."
        return written(METHOD_arrive, doc, [*lines, f"subtract_coupling(R, {stage(errors)})"])

    def _dense(self) -> Function:
        """Return METHOD_dense."""
        ends, parts = self._of_stages(self.b), self._of_stages(self.dense)
        lines = [
            f"b{j} = theta * ({x!r} + (1.0 - theta) * {y!r})" for j, (x, y) in enumerate(zip(ends, parts, strict=True))
        ]
        total = " + ".join(f"b{j} * {stage(j + 1, 'k')}" for j in range(self.stages))
        lines += ["for k in range(NX):", f"    R.x[k] = R.step_start[k] + ({total})"]
        return written(METHOD_dense, BETWEEN, lines)


def check_inexact(name: str, order: int, weights: Row, alpha: Sequence[Row], coupling: Sequence[Row]) -> None:
    """Raise ValueError unless the weights have their order with any matrix W (Hairer, Wanner, section IV.7).

    For up to `MOST_ORDER`, the conditions beside those of the explicit method `alpha` are that weights times a product
    of matrices alpha and Gamma, with Gamma at least once, have the sum zero.
    """
    if order > MOST_ORDER:
        raise ValueError(f"method {name}: order is {order}: conditions for any W are known up to {MOST_ORDER}")
    explicit = Conditions(alpha)
    for n in range(1, order + 1):
        if not explicit.hold(weights, n):
            raise ValueError(f"method {name}: without W the weights fail a condition of order {n}")
        for product in itertools.product((alpha, coupling), repeat=n - 1):
            if coupling not in product:
                continue
            row: Row = weights
            for matrix in product:
                row = tuple(dot(row, column) for column in zip(*matrix, strict=True))
            if differs(row, 0.0):
                raise ValueError(f"method {name}: with an inexact W the weights fail a condition of order {n}")


def _ros34pw2() -> ModalRosenbrock:
    return ModalRosenbrock(
        name="ros34pw2",
        order=3,
        error_order=3,
        gamma=decimals.ROS34PW2_GAMMA,
        alpha=decimals.ROS34PW2_ALPHA,
        coupling=decimals.ROS34PW2_COUPLING,
        b=decimals.ROS34PW2_WEIGHTS,
        embedded=decimals.ROS34PW2_EMBEDDED,
        dense=decimals.ROS34PW2_DENSE,
        source="J. Rang, L. Angermann, BIT Numerical Mathematics 45 (2005) 761-787",
    )


#: Constructors by name, called at the first use.
MODAL: Mapping[str, Callable[[], ModalRosenbrock]] = {"ros34pw2": _ros34pw2}


# -- steps, as text ------------------------------------------------------------------------------------------


def METHOD_jacobian(R: Record, U: Inputs) -> None:
    """Copy the record at the start of the step, with the derivatives of the modal momenta, to the second record."""
    momentum_derivatives(R)
    S = R.second
    for k in range(R.step_start.address):  # a step reads nothing of the second record from `step_start` on
        S[k] = R[k]


def METHOD_again(R: Record, U: Inputs) -> None:
    """Compute the second record again: the search for mode ends has written tangents of the record to its place."""
    evaluate(R, U)
    METHOD_jacobian(R, U)
