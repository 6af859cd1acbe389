"""Rosenbrock methods: coefficients, methods, and the functions of their steps.

A step computes the Jacobian, factorises a matrix, and solves one linear system for each stage. The Jacobian is exact:
it consists of one tangent of the rates for each component of the state; one more tangent gives the derivatives with
respect to time. The region `stages` contains the rates at the start of the step, the stages, the rates at its end, the
derivatives with respect to time and the filtered error estimate.

Along a direction in which J changes by J', the tangents U_i' of the stages solve linear systems with the same factors:

    (1 / (gamma h) - J) U_i' = right side' + J' U_i.

J' U_i is a second tangent of the rates at the start of the step, along the direction and the stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.declarations import apart
from ...kernels.library import abreast, slope_beside, tail
from ...kernels.linked import derive_d, derive_dd
from ...record.fields import Vector
from ...record.schema import N_INPUTS, N_VALUES, NX, TAIL, HeadNumbers, Inputs, Record
from ..stepping.drivers import evaluate
from ..stepping.hooks import METHOD_LAST, METHOD_STAGES, METHOD_dense, METHOD_error, METHOD_stages
from . import coefficients as decimals
from .method import Function, Functions, Method, Parts
from .orders import Conditions, Row, check_dense, check_error, check_finite, check_order, check_rows, check_safety, dot
from .texts import BETWEEN, ESTIMATING, horner, sources, stage, weighted, written

TIME = HeadNumbers.time  #: address of the time
MOST_DENSE = 2000  #: largest number of states of a model, whose Jacobian and factors are dense


@dataclass(frozen=True)
class Rosenbrock(Method):
    """A linearly implicit (Rosenbrock) method, whose stages solve

        (1 / (gamma h) - J) U_i = f(t + c_i h, x + sum_j a_ij U_j) + sum_j (k_ij / h) U_j + h d_i df/dt,

    with J the exact Jacobian. `k` contains the rows of k_ij. The new state is x + sum_j m_j U_j. The error estimate is
    (I - gamma h J)^-1 times the last stage, which is the difference from an embedded solution. It leaves out most of
    the errors of fast motions, which decay within the next step (Shampine and Baca, J. Comp. Appl. Math. 11 (1984) 197;
    Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8; Hosea and Shampine, Appl. Num. Math. 20 (1996)
    21). `dense` has, for each polynomial of the dense output, a weight of every stage. Raises ValueError if the order
    conditions do not hold.
    """

    name: str
    order: int
    error_order: int
    gamma: float
    a: tuple[Row, ...]
    k: tuple[Row, ...]
    m: Row
    c: Row
    d: Row
    dense: tuple[Row, ...]
    source: str
    safety: float = 0.9

    def __post_init__(self) -> None:
        for part, rows in (("a", self.a), ("k", self.k), ("dense", self.dense)):
            check_finite(self.name, part, rows)
        for part, row in (("gamma", (self.gamma,)), ("m", self.m), ("c", self.c), ("d", self.d)):
            check_finite(self.name, part, [row])
        a, coupling = self._classical()
        n = self.stages
        full = [tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, coupling, strict=True)]
        b = tuple(dot(self.m, [row[j] for row in coupling]) for j in range(n))
        check_rows(self.name, a, self.c)
        check_rows(self.name, coupling, self.d)
        conditions = Conditions(a, sole=full)
        check_order(self.name, self.order, b, conditions)
        check_safety(self.name, self.safety)
        check_error(self.name, self.error_order, self.order + 1, coupling[-1], conditions)
        if not all(abs(float(x - y)) <= 1e-13 for x, y in zip(full[-1], b, strict=True)):
            raise ValueError(f"method {self.name}: its last stage is not its end, so it is not stiffly accurate")
        ends = [[dot(row, [inner[j] for inner in coupling]) for j in range(n)] for row in (self.m, *self.dense)]
        basis = [[1], *([*[0] * k, 1, -1] for k in range(len(self.dense)))]
        check_dense(self.name, self.order, list(zip(*ends, strict=True)), basis, conditions)

    def _classical(self) -> tuple[list[Row], list[Row]]:
        """Return alpha and Gamma of the form with products by J: Gamma = (1/gamma - K)^-1, alpha = a Gamma."""
        coupling: list[Row] = []
        for i in range(self.stages):
            row = [self.gamma * dot(self.k[i], [coupling[j][n] for j in range(i)]) for n in range(i)]
            coupling.append((*row, self.gamma, *[0.0] * (self.stages - i - 1)))
        columns = list(zip(*coupling, strict=True))
        return [tuple(dot(row, column) for column in columns) for row in self.a], coupling

    @property
    def stages(self) -> int:
        """Number of linear systems of a step."""
        return len(self.m)

    @property
    def slots(self) -> int:
        """Number of stored vectors: rates at start and end, stages, time derivatives of the rates, error estimate."""
        return self.stages + 4

    @property
    def adaptive(self) -> bool:
        return True

    @property
    def needs_jacobian(self) -> bool:
        return True

    @property
    def most_states(self) -> int | None:
        return MOST_DENSE

    @property
    def tangents(self) -> Functions:
        return sources(METHOD_jacobian_d, substitute_d, second_tangents)

    def parts(self, loops: bool) -> Parts:
        error = f"{stage(self.stages + 3, 'k')} / ({self.gamma!r} * h)"
        formulas = (
            self._stages(),
            written(METHOD_error, ESTIMATING, [f"return {error}"]),
            self._dense(),
        )
        numbers = {
            "METHOD_STAGES": self.stages, "METHOD_LAST": self.stages + 1,
            "METHOD_ORDER": float(self.error_order), "METHOD_SAFETY": self.safety,
        }  # fmt: skip
        own = sources(METHOD_jacobian, METHOD_arrive)
        shared = sources(set_column, input_slope, in_lane, decompose, substitute)
        return Parts({**own, **{f.name: f for f in formulas}}, shared, numbers)

    def _stages(self) -> Function:
        """Return METHOD_stages: a linear system for each stage, then the new state."""
        lines = [f"decompose(R, 1.0 / ({self.gamma!r} * h))"]
        for i in range(self.stages):
            rates = stage(0, "k")
            if i:
                lines += [
                    "for k in range(NX):",
                    f"    R.x[k] = R.step_start[k] + ({weighted(self.a[i], first=1)})",
                    f"R.time = time + {self.c[i]!r} * h",
                    "evaluate(R, U)",
                ]
                rates = f"R.x_dot[k] + ({weighted(self.k[i], first=1)}) / h"
            if self.d[i]:
                rates += f" + h * {self.d[i]!r} * {stage(self.stages + 2, 'k')}"
            lines += ["for k in range(NX):", f"    {stage(i + 1, 'k')} = {rates}", f"substitute(R, {stage(i + 1)})"]
        lines += ["for k in range(NX):", f"    R.x[k] = R.step_start[k] + ({weighted(self.m, first=1)})"]
        doc = f"Make a step from `step_start` and the rates there to the new state in `x`. {self.source}."
        return written(METHOD_stages, doc, lines)

    def _dense(self) -> Function:
        """Return METHOD_dense."""
        lines = [
            f"b{j} = theta * ({m!r} + (1.0 - theta) * ({horner([row[j] for row in self.dense])}))"
            for j, m in enumerate(self.m)
        ]
        total = " + ".join(f"b{j} * {stage(j + 1, 'k')}" for j in range(self.stages))
        lines += ["for k in range(NX):", f"    R.x[k] = R.step_start[k] + ({total})"]
        return written(METHOD_dense, BETWEEN, lines)


def _rodas5p() -> Rosenbrock:
    *_, last = a = decimals.RODAS5P_A
    return Rosenbrock(
        name="rodas5p",
        order=5,
        error_order=5,
        gamma=decimals.RODAS5P_GAMMA,
        a=(*a, (*last, 1.0), (*last, 1.0, 1.0)),
        k=decimals.RODAS5P_C,
        m=(*last, 1.0, 1.0, 1.0),
        c=decimals.RODAS5P_NODES,
        d=decimals.RODAS5P_TIME,
        dense=decimals.RODAS5P_DENSE,
        source="G. Steinebach, BIT Numerical Mathematics 63 (2023) 27",
    )


#: Constructors by name, called at the first use.
ROSENBROCK: Mapping[str, Callable[[], Rosenbrock]] = {"rodas5p": _rodas5p}


# -- steps, as text ------------------------------------------------------------------------------------------


def METHOD_jacobian(R: Record, U: Inputs) -> None:
    """Compute the derivatives of all rates: by the state, in `jacobian`; by time, in a vector of `stages`.

    A column for each component of the state, and one for time, are computed in groups, as many at once as there are
    SIMD lanes.
    """
    D = R.tangents
    numbers = R.second
    for k in range(D.values.address):  # the tangents of numbers and tables of laws are zero already
        D[k] = 0.0
    for k in range(D.values.address + N_VALUES, TAIL):
        D[k] = 0.0
    for group in range(NX // abreast() + 1):
        first = group * abreast()
        last = min(first + abreast(), NX + 1)
        for j in range(first, last):
            set_column(R, U, j, j - first, 1.0)
        derive_d(R, D)
        for j in range(first, last):
            set_column(R, U, j, j - first, 0.0)
            column = R.jacobian.address + j * NX if j < NX else R.stages.address + (METHOD_STAGES + 2) * NX
            for k in range(NX):
                R[column + k] = numbers[in_lane(R.x_dot.address + k, j - first)]
    R.jacobians += 1.0


def set_column(R: Record, U: Inputs, j: int, lane: int, size: float) -> None:
    """Set the tangents of column j of the Jacobian in one lane: those of a component of the state, or of time."""
    D = R.second
    if j < NX:
        D[in_lane(R.x.address + j, lane)] = size
        return
    D[in_lane(TIME, lane)] = size
    for k in range(N_INPUTS):
        D[in_lane(R.inputs.address + k, lane)] = size * input_slope(R, U, k)


def input_slope(R: Record, U: Inputs, k: int) -> float:
    """Return the derivative of input k with respect to time: the slope of its table; zero without a table."""
    slope = 0.0
    if U.tables[k].points > 0.0:
        slope = slope_beside(U, int(U.tables[k].first), int(U.tables[k].points), R.time, R.side)
    return slope


def in_lane(place: int, lane: int) -> int:
    """Return the address in the second record of the number at address `place` of `tangents`, in one lane."""
    return place * abreast() + lane


def METHOD_arrive(R: Record, U: Inputs) -> None:
    """Evaluate the rates at the end of the step, and filter the last stage for the error estimate."""
    evaluate(R, U)
    R.stages[METHOD_LAST] = R.x_dot
    R.stages[METHOD_STAGES + 3] = R.stages[METHOD_STAGES]
    substitute(R, R.stages[METHOD_STAGES + 3])


def decompose(R: Record, diagonal: float) -> None:
    """Factorise `diagonal` I - J with partial pivoting, into `factored`; `swaps` receives the row exchanges.

    Columns are eliminated from the last one to the first. Columns of signal states and friction come first, which have
    few entries: a signal state affects few rates. Zeros of a pivot's row or column need no work.
    """
    for k in apart(range(NX * NX)):
        R.factored.flat[k] = -R.jacobian.flat[k]
    for k in range(NX):
        R.factored[k, k] += diagonal
    for c in range(NX - 1, -1, -1):
        best = c
        first = c
        for i in range(c - 1, -1, -1):
            if R.factored[c, i] != 0.0:
                first = i
            if abs(R.factored[c, i]) > abs(R.factored[c, best]):
                best = i
        R.swaps[c] = best
        if best != c:
            for k in range(NX):
                number = R.factored[k, c]
                R.factored[k, c] = R.factored[k, best]
                R.factored[k, best] = number
        pivot = 1.0 / R.factored[c, c]
        R.factored[c, c] = pivot
        for i in apart(range(first, c)):
            R.factored[c, i] *= pivot
        for k in range(c):
            factor = R.factored[k, c]
            if factor != 0.0:
                for i in apart(range(first, c)):
                    R.factored[k, i] -= factor * R.factored[c, i]


def substitute(R: Record, x: Vector) -> None:
    """Solve a linear system with the factors in `factored`; x contains the right side, then the solution."""
    for c in range(NX - 1, -1, -1):
        best = int(R.swaps[c])
        number = x[best]
        x[best] = x[c]
        x[c] = number
    for c in range(NX - 1, 0, -1):
        number = x[c]
        for i in apart(range(c)):
            x[i] -= R.factored[c, i] * number
    for c in range(NX):
        number = x[c] * R.factored[c, c]
        x[c] = number
        for i in apart(range(c + 1, NX)):
            x[i] -= R.factored[c, i] * number


# -- steps with tangents ---------------------------------------------------------------------------------------


def METHOD_jacobian_d(R: Record, D: Record, U: Inputs) -> None:
    """Compute the Jacobian, and the derivatives of the rates by time with tangents.

    The place of the Jacobian's tangents receives the four arrays of `second_tangents`.
    """
    METHOD_jacobian(R, U)
    S = R.second
    for k in range(TAIL):
        S[k] = R[k]
        S[TAIL + k] = D[k]
        S[2 * TAIL + k] = 0.0
        S[3 * TAIL + k] = 0.0
    S[2 * TAIL + TIME] = 1.0
    for k in range(N_INPUTS):
        S[2 * TAIL + R.inputs.address + k] = input_slope(R, U, k)
    second_tangents(R)
    for k in range(NX):
        D.stages[METHOD_STAGES + 2, k] = S[3 * TAIL + R.x_dot.address + k]
    S[2 * TAIL + TIME] = 0.0
    for k in range(N_INPUTS):
        S[2 * TAIL + R.inputs.address + k] = 0.0


def substitute_d(R: Record, D: Record, x: Vector) -> None:
    """`substitute` with tangents: that of the solution x solves a system with the tangent of the right side + J' x."""
    S = R.second
    substitute(R, x)
    for k in range(NX):
        S[2 * TAIL + R.x.address + k] = x[k]
    second_tangents(R)
    for k in range(NX):
        R.work[0, k] = D.like(x)[k] + S[3 * TAIL + R.x_dot.address + k]
    substitute(R, R.work[0])
    for k in range(NX):
        D.like(x)[k] = R.work[0, k]


def second_tangents(R: Record) -> None:
    """Compute second tangents of the rates at the start of the step.

    Behind R are the record there, its tangents along the direction, those along a second one, and second tangents.
    """
    derive_dd(tail(R, TAIL), tail(R, 2 * TAIL), tail(R, 3 * TAIL), tail(R, 4 * TAIL))
