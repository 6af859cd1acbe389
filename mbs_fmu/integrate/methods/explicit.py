"""Explicit Runge-Kutta methods: the tableau, the functions written from it, and the methods."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as F

from ...infrastructure.lazy_dataclasses import dataclass
from ...kernels.sources import Kernel
from ..stepping.hooks import METHOD_damping, METHOD_dense, METHOD_dense_stages, METHOD_error, METHOD_stages
from . import coefficients as decimals
from .method import Function, Method, Parts
from .orders import (
    Conditions,
    Number,
    Row,
    check_dense,
    check_error,
    check_finite,
    check_order,
    check_rows,
    check_safety,
    differs,
)
from .texts import BETWEEN, ESTIMATING, horner, stage, weighted, written


@dataclass(frozen=True)
class Tableau(Method):
    """An explicit Runge-Kutta method.

    `order` is the order of the solution. `a` contains the rows of the lower triangle, `b` the weights, `c` the nodes.
    `error` contains the weights of the solution minus the embedded weights (None: fixed steps only). `error_order` is
    the exponent of h in the error estimate, which is the order of the embedded weights + 1. `damping` contains the
    weights of a second estimate, which scales the first as in DOP853. `safety` is a factor that shortens proposed
    steps.

    `dense` contains the coefficients of each stage's weight in the dense output, a polynomial b_i(theta) = theta *
    sum_k dense[i][k] theta^k. With `nested` it is theta * (dense[i][0] + (1 - theta) * (dense[i][1] + theta *
    (dense[i][2] + ...))), with alternating factors. `extra` contains rows and nodes of stages that only dense output
    needs.

    Raises ValueError if the coefficients do not fulfil the order conditions or do not fit together.
    """

    name: str
    order: int
    a: tuple[Row, ...]
    b: Row
    c: Row
    source: str
    error: Row | None = None
    error_order: int = 0
    dense: tuple[Row, ...] | None = None
    nested: bool = False
    extra: tuple[tuple[Row, Number], ...] = ()
    damping: Row | None = None
    safety: float = 0.9

    def __post_init__(self) -> None:
        stages = len(self.b)
        if len(self.a) != stages or len(self.c) != stages:
            raise ValueError(f"method {self.name}: {stages} weights need as many rows and nodes")
        rows = [*self.a, *(row for row, _ in self.extra)]
        nodes = (*self.c, *(node for _, node in self.extra))
        for i, row in enumerate(rows):
            if len(row) != i:
                raise ValueError(f"method {self.name}: row {i} must have {i} entries with the sum c[{i}]")
        for part, numbers in (("a", rows), ("b", [self.b]), ("c", [nodes])):
            check_finite(self.name, part, numbers)
        check_rows(self.name, rows, nodes)
        conditions = Conditions(rows)
        check_order(self.name, self.order, self.b, conditions)
        self._check_error(conditions)
        self._check_dense(conditions)

    def _check_error(self, conditions: Conditions) -> None:
        """Raise ValueError unless the error estimate fits the method."""
        if self.error is None:
            if self.damping is not None or self.error_order:
                raise ValueError(f"method {self.name}: damping and error_order need error weights: give them too")
            return
        for part, weights in (("error", self.error), ("damping", self.damping)):
            if weights is not None and len(weights) != self.stages:
                raise ValueError(
                    f"method {self.name}: {len(weights)} {part} weights: give {self.stages}, for each stage"
                )
            check_finite(self.name, part, [weights or ()])
        if not self.first_same_as_last:
            raise ValueError(f"method {self.name}: error control needs a last stage at the end of the step")
        check_safety(self.name, self.safety)
        check_error(self.name, self.error_order, self.order + 1, self.error, conditions, self.damping)

    def _check_dense(self, conditions: Conditions) -> None:
        """Raise ValueError unless the dense output fits the method and ends at the new state."""
        if self.dense is None:
            return
        ends = (*self.b, *[F(0)] * len(self.extra))
        if len(self.dense) != len(ends):
            raise ValueError(f"method {self.name}: {len(ends)} stages need as many dense weights")
        check_finite(self.name, "dense", self.dense)
        for i, (row, end) in enumerate(zip(self.dense, ends, strict=True)):
            if not row or len(row) != len(self.dense[0]):
                raise ValueError(f"method {self.name}: dense weight {i} must have as many entries as the others")
            if differs(row[:1] if self.nested else row, end):
                raise ValueError(f"method {self.name}: dense weight {i} must end at the solution's weight")
        check_dense(self.name, self.order, self.dense, _basis(len(self.dense[0]), self.nested), conditions)

    @property
    def stages(self) -> int:
        """Number of evaluations in a step; the next step may reuse the last one."""
        return len(self.b)

    @property
    def slots(self) -> int:
        return self.stages + len(self.extra)

    @property
    def adaptive(self) -> bool:
        return self.error is not None

    @property
    def fits_lanes(self) -> bool:
        return True

    @property
    def first_same_as_last(self) -> bool:
        """True if the last stage is at the end of the step: its row equals the weights, up to rounding."""
        return not any(differs([x], end) for x, end in zip((*self.a[-1], F(0)), self.b, strict=True))

    def parts(self, loops: bool) -> Parts:
        own = [self.stages_function()]
        numbers: dict[str, int | float] = {}
        if self.error is not None:
            own.append(written(METHOD_error, ESTIMATING, [f"return h * ({weighted(self.error)})"]))
            numbers = {"METHOD_ORDER": float(self.error_order), "METHOD_SAFETY": self.safety}
        if self.dense is not None:
            own.append(_dense(self.dense, _nested if self.nested else horner))
        if self.extra:
            own.append(self._extra())
        if self.damping is not None:
            own.append(_damping(self.damping))
        return Parts({f.name: f for f in own}, numbers=numbers)

    def stages_function(self, stub: Kernel = METHOD_stages) -> Function:
        """Return the function that makes a step, in the place of `stub`."""
        lines = [line for i in range(1, self.stages) for line in _stage(self.a[i], self.c[i], i)]
        if not self.first_same_as_last:
            lines += ["for k in range(NX):", f"    R.x[k] = R.step_start[k] + h * ({weighted(self.b)})"]
        return written(
            stub, f"Make a step from `step_start` and stage 0 to the new state in `x`. {self.source}.", lines
        )

    def _extra(self) -> Function:
        """Return METHOD_dense_stages."""
        doc = "Evaluate the stages for dense output; return True, since they overwrite state and rates."
        lines = [line for i, (row, c) in enumerate(self.extra) for line in _stage(row, c, self.stages + i)]
        return written(METHOD_dense_stages, doc, [*lines, "return True"])


# -- text ----------------------------------------------------------------------------------------------------


def _stage(row: Row, c: Number, place: int) -> list[str]:
    """Return the lines of a stage: its state and time, then its rates, which are stored in slot `place`."""
    return [
        "for k in range(NX):",
        f"    R.x[k] = R.step_start[k] + h * ({weighted(row)})",
        f"R.time = time + {float(c)!r} * h",
        "evaluate(R, U)",
        f"{stage(place)} = R.x_dot",
    ]


def _damping(weights: Row) -> Function:
    """Return the factor |e5| / sqrt(|e5|² + 0.01 |e3|²) of DOP853: the estimate then decreases as h to the power 8."""
    return written(
        METHOD_damping,
        "Return the factor of the error, from coordinates and signal states, whose units both estimates share.",
        [
            "first = 0.0",
            "second = 0.0",
            "for k in range(NX):",
            "    if not FIRST_P <= k < FIRST_P + NV:",
            "        allowed = R.absolute + max(abs(R.step_start[k]), abs(R.x[k]))",
            "        first += (R.work[0, k] / allowed) ** 2",
            f"        second += (h * ({weighted(weights)}) / allowed) ** 2",
            "return np.sqrt(first / (first + 0.01 * second)) if first > 0.0 else 1.0",
        ],
    )


def _dense(rows: Sequence[Row], polynomial: Callable[[Row], str]) -> Function:
    """Return METHOD_dense; `polynomial` writes the polynomial of a row of coefficients as text."""
    used = [(j, row) for j, row in enumerate(rows) if any(row)]
    lines = [f"b{j} = h * theta * ({polynomial(row)})" for j, row in used]
    total = " + ".join(f"b{j} * {stage(j, 'k')}" for j, _ in used)
    lines += ["for k in range(NX):", f"    R.x[k] = R.step_start[k] + {total}"]
    return written(METHOD_dense, BETWEEN, lines)


def _nested(row: Row) -> str:
    """Return the text of r0 + (1 - theta) * (r1 + theta * (r2 + ...)), with alternating factors."""
    text = repr(float(row[-1]))
    for place in range(len(row) - 2, -1, -1):
        factor = "theta" if place % 2 else "(1.0 - theta)"
        text = f"{float(row[place])!r} + {factor} * ({text})"
    return text


def _basis(count: int, nested: bool) -> list[list[int]]:
    """Return the basis of the weights of dense output: `count` polynomials, as coefficients of theta, theta^2 ..."""
    basis = [[1]]
    for place in range(1, count):
        raised = [0, *basis[-1]]
        basis.append([x - y for x, y in zip((*basis[-1], 0), raised, strict=True)] if nested and place % 2 else raised)
    return basis


# -- tableaus ------------------------------------------------------------------------------------------------


def rk4() -> Tableau:
    """Return the classical method of order four."""
    return Tableau(
        name="rk4",
        order=4,
        a=((), (F(1, 2),), (F(0), F(1, 2)), (F(0), F(0), F(1))),
        b=(F(1, 6), F(1, 3), F(1, 3), F(1, 6)),
        c=(F(0), F(1, 2), F(1, 2), F(1)),
        source="W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453",
    )


@functools.cache
def dopri5() -> Tableau:
    """Return the method of Dormand and Prince of order five."""
    b5 = (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84), F(0))
    b4 = (F(5179, 57600), F(0), F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40))
    return Tableau(
        name="dopri5",
        order=5,
        a=(
            (),
            (F(1, 5),),
            (F(3, 40), F(9, 40)),
            (F(44, 45), F(-56, 15), F(32, 9)),
            (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
            (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
            b5[:-1],
        ),
        b=b5,
        c=(F(0), F(1, 5), F(3, 10), F(4, 5), F(8, 9), F(1), F(1)),
        source="J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980) 19-26; dense output by L. F. Shampine",
        error=tuple(x - y for x, y in zip(b5, b4, strict=True)),
        error_order=5,
        dense=(
            (F(1), F(-8048581381, 2820520608), F(8663915743, 2820520608), F(-12715105075, 11282082432)),
            (F(0), F(0), F(0), F(0)),
            (F(0), F(131558114200, 32700410799), F(-68118460800, 10900136933), F(87487479700, 32700410799)),
            (F(0), F(-1754552775, 470086768), F(14199869525, 1410260304), F(-10690763975, 1880347072)),
            (F(0), F(127303824393, 49829197408), F(-318862633887, 49829197408), F(701980252875, 199316789632)),
            (F(0), F(-282668133, 205662961), F(2019193451, 616988883), F(-1453857185, 822651844)),
            (F(0), F(40617522, 29380423), F(-110615467, 29380423), F(69997945, 29380423)),
        ),
    )


def _dop853() -> Tableau:
    *stages, solution = decimals.DOP853_A[:13]
    b = (*solution, 0.0)
    first, last = (tuple(float(k == place) for k in range(16)) for place in (0, 12))
    weights = (*b, 0.0, 0.0, 0.0)
    dense = zip(
        weights,
        (x - w for x, w in zip(first, weights, strict=True)),
        (2.0 * w - x - y for w, x, y in zip(weights, first, last, strict=True)),
        *decimals.DOP853_DENSE,
        strict=True,
    )
    return Tableau(
        name="dop853",
        order=8,
        a=(*stages, solution),
        b=b,
        c=decimals.DOP853_C[:13],
        source="E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, 2nd ed. (1993), II.5 and II.6",
        error=decimals.DOP853_ERROR5,
        error_order=8,  # error decreases as h^6, damping as h^4: error²/damping as h^8
        dense=tuple(dense),
        nested=True,
        extra=tuple(zip(decimals.DOP853_A[13:], decimals.DOP853_C[13:], strict=True)),
        damping=decimals.DOP853_ERROR3,
        safety=0.83,  # errors of longer steps are harder to predict from the last ones
    )


def _tsit5() -> Tableau:
    *_, last = rows = decimals.TSIT5_A
    return Tableau(
        name="tsit5",
        order=5,
        a=rows,
        b=(*last, 0.0),
        c=decimals.TSIT5_C,
        source="Ch. Tsitouras, Computers & Mathematics with Applications 62 (2011) 770-775",
        error=decimals.TSIT5_ERROR,
        error_order=5,
        dense=decimals.TSIT5_DENSE,
    )


#: Constructors by name, called at the first use.
TABLEAUS: Mapping[str, Callable[[], Tableau]] = {
    "rk4": rk4,
    "dopri5": dopri5,
    "dop853": _dop853,
    "tsit5": _tsit5,
}
