"""Methods as data. Every one checks its own order when it is made.

Four kinds: explicit Runge-Kutta pairs (`Tableau`), collocation (`Gauss`), multistep (`Multistep`), linearly implicit
(`Rosenbrock`). kernels/methods.py turns each into text.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F

from . import coefficients as decimals

Number = F | float
Row = tuple[Number, ...]
Tree = tuple["Tree", ...]  #: a rooted tree: the subtrees that hang on its root

# -- order conditions ----------------------------------------------------------------------------------------


@functools.cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with so many vertices."""

    def forests(size: int, largest: Tree | None) -> Iterator[Tree]:
        if size == 0:
            yield ()
        for first in range(1, size + 1):
            for tree in rooted_trees(first):
                if largest is None or (first, tree) <= (_size(largest), largest):
                    for rest in forests(size - first, tree):
                        yield (tree, *rest)

    return tuple(forests(order - 1, None))


def _size(tree: Tree) -> int:
    return 1 + sum(map(_size, tree))


def _density(tree: Tree) -> int:
    return _size(tree) * math.prod(map(_density, tree))


def check_order(name: str, order: int, a: Sequence[Row], b: Row, sole: Sequence[Row] | None = None) -> None:
    """ValueError unless sum b_i Phi_i(t) = 1 / gamma(t) for every tree t of at most `order` vertices.

    a: rows of the matrix. sole: another matrix, for vertices with one branch only (Rosenbrock methods; Hairer, Wanner,
    Solving Ordinary Differential Equations II, Theorem IV.7.6). Fractions must agree exactly, decimals up to their
    rounding.
    """
    sole = a if sole is None else sole

    @functools.cache
    def weights(tree: Tree) -> tuple[Number, ...]:
        matrix = sole if len(tree) == 1 else a
        products: list[Number] = [F(1)] * len(b)
        for branch in tree:
            inner = weights(branch)
            products = [p * _dot(row, inner) for p, row in zip(products, matrix, strict=True)]
        return tuple(products)

    for size in range(1, order + 1):
        for tree in rooted_trees(size):
            terms = [x * y for x, y in zip(b, weights(tree), strict=True)]
            if abs(float(sum(terms, F(0)) - F(1, _density(tree)))) > _rounding(terms):
                raise ValueError(f"method {name}: the weights fail a condition of order {size}")


def _dot(x: Sequence[Number], y: Sequence[Number]) -> Number:
    """Sum of products, up to the shorter one's end."""
    return sum((a * b for a, b in zip(x, y, strict=False) if a), F(0))


def _rounding(terms: Sequence[Number]) -> float:
    """How far a sum may be off: not at all with fractions."""
    return 0.0 if all(isinstance(x, F) for x in terms) else 1e-14 * (1.0 + sum(abs(float(x)) for x in terms))


def _check_rows(name: str, a: Sequence[Row], c: Row) -> None:
    for i, row in enumerate(a):
        if abs(float(sum(row, F(0)) - c[i])) > _rounding(row):
            raise ValueError(f"method {name}: row {i} must have the sum c[{i}]")


# -- explicit ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

    `a` holds the rows of the lower triangle, `b` the weights, `c` the nodes. `error` are the weights of
    the solution minus those of the embedded one (None: fixed step only). `dense` gives each stage's
    weight polynomial b_i(theta) = theta * sum_k dense[i][k] theta^k, or with `nested` theta * (dense[i][0] + (1 -
    theta) * (dense[i][1] + theta * (dense[i][2] + ...))), factors in turn. `extra` are rows and nodes of
    stages that only dense output needs. `damping`: weights of a second estimate, by which the first is scaled as in
    DOP853. `order` is that of the solution, `error_order` the exponent of h in the error estimate. `safety`: by which
    proposed steps are shorter than the last errors allow.
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
        for i, row in enumerate(self.a):
            if len(row) != i:
                raise ValueError(f"method {self.name}: row {i} must have {i} entries with the sum c[{i}]")
        _check_rows(self.name, self.a, self.c)
        _check_rows(self.name, [row for row, _ in self.extra], tuple(node for _, node in self.extra))
        check_order(self.name, self.order, self.a, self.b)
        for weights in (self.error, self.damping):
            if weights is not None and abs(float(sum(weights, F(0)))) > 1e-14:
                raise ValueError(f"method {self.name}: the error weights must sum to zero")
        if self.dense is not None:
            ends = tuple(row[0] if self.nested else sum(row, F(0)) for row in self.dense)
            if ends != (*self.b, *[F(0)] * len(self.extra)):
                raise ValueError(f"method {self.name}: the dense weights must end at the solution's weights")

    @property
    def stages(self) -> int:
        return len(self.b)

    @property
    def slots(self) -> int:
        """State vectors that a step keeps."""
        return self.stages + len(self.extra)

    @property
    def adaptive(self) -> bool:
        return self.error is not None

    @property
    def first_same_as_last(self) -> bool:
        """Whether the last stage is the derivative at the end of the step."""
        return self.a[-1] == self.b[:-1] and self.b[-1] == 0


RK4 = Tableau(
    name="rk4",
    order=4,
    a=((), (F(1, 2),), (F(0), F(1, 2)), (F(0), F(0), F(1))),
    b=(F(1, 6), F(1, 3), F(1, 3), F(1, 6)),
    c=(F(0), F(1, 2), F(1, 2), F(1)),
    source="W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453",
)

_B5 = (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84), F(0))
_B4 = (F(5179, 57600), F(0), F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40))

DOPRI5 = Tableau(
    name="dopri5",
    order=5,
    a=(
        (),
        (F(1, 5),),
        (F(3, 40), F(9, 40)),
        (F(44, 45), F(-56, 15), F(32, 9)),
        (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
        (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
        _B5[:-1],
    ),
    b=_B5,
    c=(F(0), F(1, 5), F(3, 10), F(4, 5), F(8, 9), F(1), F(1)),
    source="J. R. Dormand, P. J. Prince, J. Comp. Appl. Math. 6 (1980) 19-26; dense output by L. F. Shampine",
    error=tuple(x - y for x, y in zip(_B5, _B4, strict=True)),
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
        error_order=8,
        dense=tuple(dense),
        nested=True,
        extra=tuple(zip(decimals.DOP853_A[13:], decimals.DOP853_C[13:], strict=True)),
        damping=decimals.DOP853_ERROR3,
        safety=0.83,  # longer steps meet with other errors than the last ones
    )


# -- symplectic ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gauss:
    """Collocation at Gauss-Legendre points: symmetric and symplectic, of order twice the number of stages.

    `past`: steps whose stages are extrapolated as starting values of the next step's.
    """

    name: str
    a: tuple[Row, ...]
    b: Row
    c: Row
    past: int
    source: str

    def __post_init__(self) -> None:
        _check_rows(self.name, self.a, self.c)
        check_order(self.name, self.order, self.a, self.b)
        for i in range(self.stages):
            for j in range(self.stages):
                defect = self.b[i] * self.a[i][j] + self.b[j] * self.a[j][i] - self.b[i] * self.b[j]
                if abs(float(defect)) > 1e-16:
                    raise ValueError(f"method {self.name}: the weights and rows {i}, {j} are not symplectic")

    @property
    def order(self) -> int:
        return 2 * len(self.b)

    @property
    def stages(self) -> int:
        return len(self.b)

    @property
    def slots(self) -> int:
        """State vectors that a step keeps: the rates at its start, and the stages'."""
        return 1 + self.stages

    @property
    def history(self) -> int:
        """State vectors kept from step to step: what the last sum lost, and stages of past steps."""
        return 1 + self.past * self.stages

    adaptive = False

    @property
    def predictor(self) -> list[list[float]]:
        """For each stage the weights of past stages, oldest first, that extrapolate to it (Lagrange)."""
        nodes = [float(c) - self.past + step for step in range(self.past) for c in self.c]
        return [
            [math.prod((float(c) - m) / (n - m) for m in nodes if m != n) for n in nodes]
            for c in self.c
        ]  # fmt: skip


def _gauss4() -> Gauss:
    """The off-diagonal entries 1/4 -+ s add up to 1/2 exactly also as doubles: s has two digits less."""
    s = round(math.sqrt(3.0) / 6.0 * 2.0**52) / 2.0**52
    a: tuple[Row, ...] = ((F(1, 4), 0.25 - s), (0.25 + s, F(1, 4)))
    return Gauss("gauss4", a, (F(1, 2), F(1, 2)), (0.5 - s, 0.5 + s), 2, _GAUSS)


def _gauss6() -> Gauss:
    r = math.sqrt(15.0)
    a = (
        (F(5, 36), 2 / 9 - r / 15, 5 / 36 - r / 30),
        (5 / 36 + r / 24, F(2, 9), 5 / 36 - r / 24),
        (5 / 36 + r / 30, 2 / 9 + r / 15, F(5, 36)),
    )
    return Gauss("gauss6", a, (F(5, 18), F(4, 9), F(5, 18)), (0.5 - r / 10, F(1, 2), 0.5 + r / 10), 2, _GAUSS)


_GAUSS = "E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed. (2006), II.1.3 and VIII.6"

# -- multistep -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Multistep:
    """Adams-Bashforth prediction, one evaluation, Adams-Moulton correction: PEC.

    predictor: weights of the rates at the present time and before. corrector: the first one of the predicted rates.
    starter: makes the first steps.
    """

    name: str
    order: int
    predictor: Row
    corrector: Row
    starter: Tableau
    source: str

    def __post_init__(self) -> None:
        for weights, newest in ((self.predictor, 0), (self.corrector, 1)):
            for k in range(1, self.order + 1):
                if sum(w * F(newest - j) ** (k - 1) for j, w in enumerate(weights)) != F(1, k):
                    raise ValueError(f"method {self.name}: the weights do not integrate t^{k - 1} exactly")
        if self.starter.order < self.order - 1:
            raise ValueError(f"method {self.name}: {self.starter.name} is not good enough for the first steps")

    @property
    def slots(self) -> int:
        return self.starter.slots

    @property
    def history(self) -> int:
        """State vectors kept from step to step."""
        return len(self.predictor)

    adaptive = False


ABM6 = Multistep(
    name="abm6",
    order=6,
    predictor=tuple(F(k, 1440) for k in (4277, -7923, 9982, -7298, 2877, -475)),
    corrector=tuple(F(k, 1440) for k in (475, 1427, -798, 482, -173, 27)),
    starter=DOPRI5,
    source="E. Hairer, S. P. Norsett, G. Wanner, Solving ODEs I, 2nd ed. (1993), III.1",
)

# -- linearly implicit ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rosenbrock:
    """A linearly implicit method whose stages solve

        (1 / (gamma h) - J) U_i = f(t + c_i h, x + sum_j a_ij U_j) + sum_j (k_ij / h) U_j + h d_i df/dt,

    with J the exact Jacobian; it ends at x + sum_j m_j U_j, its last stage is the error. dense: for each polynomial of
    the dense output a weight of every stage.
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
        a, coupling = self._classical()
        n = self.stages
        full = [tuple(x + y for x, y in zip(p, q, strict=True)) for p, q in zip(a, coupling, strict=True)]
        b = tuple(_dot(self.m, [row[j] for row in coupling]) for j in range(n))
        _check_rows(self.name, a, self.c)
        _check_rows(self.name, coupling, self.d)
        check_order(self.name, self.order, a, b, sole=full)
        if any(abs(float(x - y)) > 1e-13 for x, y in zip(full[-1], b, strict=True)):
            raise ValueError(f"method {self.name}: its last stage is not its end, so it is not stiffly accurate")

    def _classical(self) -> tuple[list[Row], list[Row]]:
        """alpha and gamma of the form with products by the Jacobian: Gamma = (1/gamma - K)^-1, alpha = a Gamma."""
        coupling: list[Row] = []
        for i in range(self.stages):
            row = [self.gamma * _dot(self.k[i], [coupling[j][n] for j in range(i)]) for n in range(i)]
            coupling.append((*row, self.gamma, *[0.0] * (self.stages - i - 1)))
        columns = list(zip(*coupling, strict=True))
        return [tuple(_dot(row, column) for column in columns) for row in self.a], coupling

    @property
    def stages(self) -> int:
        return len(self.m)

    @property
    def slots(self) -> int:
        """State vectors that a step keeps: rates at its start, stages, rates at its end, derivative by time."""
        return self.stages + 3

    adaptive = True


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


# -- by name -------------------------------------------------------------------------------------------------

Method = Tableau | Gauss | Multistep | Rosenbrock
STANDARD = ("rk4", "dopri5")  #: methods that every model's module has

_MAKERS: dict[str, Callable[[], Method]] = {
    "rk4": lambda: RK4,
    "dopri5": lambda: DOPRI5,
    "dop853": _dop853,
    "rodas5p": _rodas5p,
    "abm6": lambda: ABM6,
    "gauss2": lambda: Gauss("gauss2", ((F(1, 2),),), (F(1),), (F(1, 2),), 6, _GAUSS),
    "gauss4": _gauss4,
    "gauss6": _gauss6,
}
METHODS = tuple(_MAKERS)  #: their names
_made = functools.cache(lambda name: _MAKERS[name]())


def method(name: str) -> Method:
    """The method of that name, made when first asked for; ValueError with the known names."""
    if name not in _MAKERS:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}")
    return _made(name)


def methods_with(name: str) -> tuple[str, ...]:
    """The methods of a module that has the standard ones and this one."""
    return STANDARD if name in STANDARD else (*STANDARD, name)
