"""One-step methods as data. Every tableau checks its own consistency when it is made."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as F

Row = tuple[F, ...]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

    `a` holds the rows of the lower triangle, `b` the weights, `c` the nodes. `error` are the weights of
    the solution minus those of the embedded one (None: fixed step only). `dense` gives each stage's
    weight polynomial b_i(theta) = theta * sum_k dense[i][k] theta^k. `order` is that of the solution,
    `error_order` the exponent of h in the error estimate.
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

    def __post_init__(self) -> None:
        stages = len(self.b)
        if len(self.a) != stages or len(self.c) != stages:
            raise ValueError(f"method {self.name}: {stages} weights need as many rows and nodes")
        for i, row in enumerate(self.a):
            if len(row) != i or sum(row, F(0)) != self.c[i]:
                raise ValueError(f"method {self.name}: row {i} must have {i} entries with the sum c[{i}]")
        for k in range(1, self.order + 1):  # quadrature conditions
            if sum((b * c ** (k - 1) for b, c in zip(self.b, self.c, strict=True)), F(0)) != F(1, k):
                raise ValueError(f"method {self.name}: the weights do not integrate t^{k - 1} exactly")
        if self.error is not None and sum(self.error) != 0:
            raise ValueError(f"method {self.name}: the error weights must sum to zero")
        if self.dense is not None and tuple(sum(row, F(0)) for row in self.dense) != self.b:
            raise ValueError(f"method {self.name}: the dense weights must end at the solution's weights")

    @property
    def stages(self) -> int:
        return len(self.b)

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

METHODS: dict[str, Tableau] = {method.name: method for method in (RK4, DOPRI5)}


def method(name: str) -> Tableau:
    """The method of that name; ValueError with the known names."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"unknown method {name!r}: choose one of {', '.join(METHODS)}") from None
