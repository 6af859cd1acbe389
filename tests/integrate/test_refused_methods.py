"""Inconsistent methods are refused when they are created, or when a module is made of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction as F
from typing import Any

import pytest

from mbs_fmu.infrastructure.syntax import parsed
from mbs_fmu.integrate.features import Features
from mbs_fmu.integrate.methods.explicit import Tableau, dopri5, rk4
from mbs_fmu.integrate.methods.gauss import Gauss
from mbs_fmu.integrate.methods.method import Functions, Method, Parts
from mbs_fmu.integrate.methods.rosenbrock import Rosenbrock
from mbs_fmu.integrate.methods.table import METHODS, joined, made, method
from mbs_fmu.integrate.methods.texts import generated
from mbs_fmu.integrate.write import stepping_of
from mbs_fmu.model.checks import finite_number

pytestmark = pytest.mark.quick

NAN = float("nan")
RK4, DOPRI5 = rk4(), dopri5()
ERROR = DOPRI5.error or ()
DENSE = DOPRI5.dense or ()
SMALL = F(1, 10**15)


def with_entry(rows: tuple[Any, ...], number: Any) -> tuple[Any, ...]:
    """Rows with another first number in the last one."""
    return (*rows[:-1], (number, *rows[-1][1:]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"a": with_entry(DOPRI5.a, NAN)}, r"a\[6\]\[0\] is nan"),
        ({"b": (NAN, *DOPRI5.b[1:])}, r"b\[0\] is nan"),
        ({"c": (*DOPRI5.c[:-1], NAN)}, r"c\[6\] is nan"),
        ({"error": (NAN, *ERROR[1:])}, r"error\[0\] is nan"),
        ({"error": (float("inf"), *ERROR[1:])}, r"error\[0\] is inf"),
        ({"damping": (NAN,) * 7}, r"damping\[0\] is nan"),
        ({"dense": with_entry(DENSE, NAN)}, r"dense\[6\]\[0\] is nan"),
        ({"order": 4}, "order is 4, but the weights fulfil those of 5 too"),
        ({"order": 6}, "order is 6, but the weights fail a condition of order 6"),
        ({"order": 0}, "order is 0: it is at least 1"),
        ({"error": ERROR[:-1]}, "6 error weights: give 7"),
        ({"error": (*ERROR, F(1), F(-1))}, "9 error weights: give 7"),
        ({"damping": (F(1), F(-1))}, "2 damping weights: give 7"),
        ({"error": (ERROR[0] + SMALL, *ERROR[1:])}, "the error weights must sum to zero"),
        ({"error": (ERROR[2], ERROR[1], ERROR[0], *ERROR[3:])}, "error_order is 5, but should be 2"),
        ({"error": (F(0),) * 7}, "the error weights see no error up to order 6"),
        ({"error_order": 4}, "error_order is 4, but should be 5: the order of the embedded weights"),
        ({"error_order": 0}, "error_order is 0, but should be 5"),
        ({"error_order": -3}, "error_order is -3, but should be 5"),
        ({"damping": (F(1), F(-1), *[F(0)] * 5)}, r"error_order is 5, but should be 8: 2 \* power of error"),
        ({"error": None}, "damping and error_order need error weights"),
        ({"safety": 0.0}, "safety is 0.0: give a number between 0 and 1"),
        ({"safety": 1.0}, "safety is 1.0"),
        ({"safety": NAN}, "safety is nan"),
        ({"dense": ((DENSE[0][0] + SMALL, DENSE[0][1] - SMALL, *DENSE[0][2:]), *DENSE[1:])}, "condition of order 1"),
        ({"dense": tuple((F(0), x) for x in DOPRI5.b)}, "dense weights, entries 0, fail a condition of order 1"),
        ({"dense": tuple((x,) for x in DOPRI5.b)}, r"dense weights end at theta\^1: order 2 needs theta\^2"),
        ({"dense": (DENSE[0][:-1], *DENSE[1:])}, "dense weight 0 must end|dense weight 1 must have as many entries"),
        ({"extra": (((F(1, 2),), F(1, 2)),)}, "row 7 must have 7 entries"),
    ],
)  # fmt: skip
def test_wrong_tableaus_are_refused(changes: dict[str, Any], message: str) -> None:
    """One wrong number or part in dopri5 would change its order or error estimate."""
    with pytest.raises(ValueError, match=f"method dopri5: .*{message}"):
        replace(DOPRI5, **changes)


def test_fractions_go_with_decimals() -> None:
    """The last stage is at the step end although its row and the weights differ by their rounding."""
    mixed = replace(DOPRI5, b=tuple(map(float, DOPRI5.b)))
    assert mixed.first_same_as_last
    assert replace(DOPRI5, a=(*DOPRI5.a[:-1], tuple(map(float, DOPRI5.a[-1])))).first_same_as_last
    assert not RK4.first_same_as_last


@pytest.mark.parametrize("name", ["dop853", "tsit5"])
def test_decimals_of_dense_output_are_told_from_rounding(name: str) -> None:
    """Weights that end at the solution's, but with two coefficients off by 1e-9, are refused."""
    m = method(name)
    assert isinstance(m, Tableau) and m.dense is not None
    row = m.dense[0]
    moved = (row[0], row[1] + 1e-9, row[2] - 1e-9, *row[3:])
    with pytest.raises(ValueError, match=rf"method {name}: dense weights, entries 1, fail a condition of order 1"):
        replace(m, dense=(moved, *m.dense[1:]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"error_order": 4}, "error_order is 4, but should be 5"),
        ({"safety": 2.0}, "safety is 2.0"),
        ({"order": 4}, "fulfil those of 5 too"),
        ({"gamma": NAN}, "gamma.* is nan"),
        ({"m": (NAN,) * 8}, r"m\[0\] is nan"),
    ],
)
def test_wrong_rosenbrock_methods_are_refused(changes: dict[str, Any], message: str) -> None:
    """Wrong coefficients of a Rosenbrock method are refused."""
    m = method("rodas5p")
    assert isinstance(m, Rosenbrock)
    with pytest.raises(ValueError, match=f"method rodas5p: .*{message}"):
        replace(m, **changes)
    wrong = with_entry(m.dense, float(m.dense[-1][0]) + 1e-9)
    with pytest.raises(ValueError, match="method rodas5p: dense weights, entries 3, fail a condition of order 1"):
        replace(m, dense=wrong)


def test_nan_in_a_gauss_method_is_refused() -> None:
    """NaN in a Gauss method is refused."""
    m = method("gauss6")
    assert isinstance(m, Gauss)
    with pytest.raises(ValueError, match="method gauss6: "):
        replace(m, a=with_entry(m.a, NAN))


@pytest.mark.parametrize(
    ("name", "own", "message"),
    [
        ("rk5", "rk4", "method rk5: its own name is 'rk4'"),
        ("r k", "r k", "method 'r k': its functions' names begin with it"),
        ("é4", "é4", "method 'é4'"),
    ],
)
def test_names_of_methods(name: str, own: str, message: str) -> None:
    """A name in the table belongs to its method only, and is a valid prefix of function names."""
    with pytest.raises(ValueError, match=message):
        made(name, lambda: replace(RK4, name=own))
    with pytest.raises(ValueError, match="method rk4: there are two of this name"):
        joined({"rk4": lambda: RK4}, {"rk4": lambda: RK4})


# -- user-defined classes of methods ---------------------------------------------------------------------------


EULER = ("for k in range(NX):", "    R.x[k] = R.step_start[k] + h * R.stages[0, k]")


def function(name: str = "METHOD_stages", arguments: str = "R: Record, U, time, h", *lines: str) -> Functions:
    (head,) = parsed(f"def {name}({arguments}): pass").body
    assert isinstance(head, ast.FunctionDef)
    return {name: generated(head, "A step.", lines or EULER)}


@dataclass(frozen=True)
class Stated(Method):
    """A method with arbitrary declarations."""

    own: Functions
    shared: Functions = field(default_factory=dict)
    numbers: dict[str, float] = field(default_factory=dict)
    slots: int = 1  # type: ignore[misc]
    adaptive: bool = False  # type: ignore[misc]
    history: int = 0  # type: ignore[misc]
    name: str = "mine"
    order: int = 1
    source: str = "a test"

    def __hash__(self) -> int:
        return id(self)

    def parts(self, loops: bool) -> Parts:
        return Parts(self.own, self.shared, self.numbers)


ESTIMATED = {**function(), **function("METHOD_error", "R: Record, k, h", "return 0.0")}


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        (lambda: Stated(function("METHOD_stage")), ValueError, "nothing calls METHOD_stage: .*METHOD_stages"),
        (lambda: Stated({**function(), **function("METHOD_dens")}), ValueError, "nothing calls METHOD_dens: "),
        (
            lambda: Stated({"METHOD_stages": function("METHOD_step_to")["METHOD_step_to"]}),
            ValueError,
            "is METHOD_step_to",
        ),
        (lambda: Stated(function("stages")), ValueError, "own function 'stages'"),
        (
            lambda: Stated(function("METHOD_stages", "R: Record, U, h")),
            ValueError,
            r"METHOD_stages\(R, U, h\) must have the arguments of METHOD_stages\(R, U, time, h\)",
        ),
        (lambda: Stated(function("METHOD_stages", "R: Record, U, h, time")), ValueError, "must have the arguments"),
        (lambda: Stated({}), NotImplementedError, "no function METHOD_stages, which METHOD_advance uses"),
        (lambda: Stated(function(), adaptive=True), NotImplementedError, "no function METHOD_error"),
        (lambda: Stated(ESTIMATED, adaptive=True), NotImplementedError, "no number METHOD_(ORDER|SAFETY), which METH"),
        (lambda: Stated(function(), numbers={"METHOD_ORDER": NAN}), ValueError, "number METHOD_ORDER is nan"),
        (lambda: Stated(function(), numbers={"ORDER": 2.0}), ValueError, "number ORDER is 2.0"),
        (lambda: Stated(function(), history=2), NotImplementedError, "has history 2, but no function METHOD_enter"),
        (lambda: Stated(function(), function("finite", "R: Record")), ValueError, "shared function finite differs"),
        (lambda: Stated(function(), slots=0), ValueError, "uses R.stages.0.: .* at least 1, it is 0"),
        (
            lambda: Stated(
                function("METHOD_stages", "R: Record, U, time, h", "R.stages[METHOD_LAST + 1] = R.x_dot"),
                numbers={"METHOD_LAST": 1},
            ),
            ValueError,
            "uses R.stages.2.: .* at least 3, it is 1",
        ),
    ],
)  # fmt: skip
def test_wrong_classes_are_refused(wrong: Callable[[], Method], kind: type[Exception], message: str) -> None:
    """Functions that are uncalled, called otherwise or missing, a missing number and too little memory are refused."""
    with pytest.raises(kind, match=f"method mine.*{message}"):
        stepping_of([wrong()], Features(loops=False, events=False))


@pytest.mark.parametrize("name", METHODS)
def test_slots_are_what_functions_use(name: str) -> None:
    """With one vector less every method is refused."""
    m = method(name)

    class Smaller(type(m)):  # type: ignore[misc]
        slots = m.slots - 1

    smaller = object.__new__(Smaller)
    smaller.__dict__.update(vars(m))
    with pytest.raises(ValueError, match=f"slots must be at least {m.slots}, it is {m.slots - 1}"):
        stepping_of([smaller], Features(loops=False, events=False))


@pytest.mark.parametrize("value", [1.0, "1 pc"])
def test_units_that_cannot_be_read(value: object) -> None:
    """A force whose page has an unknown unit names the file to extend."""
    with pytest.raises(
        LookupError, match=r"reach of bumper 'b': unit 'pc' .* define its parts in mbs_fmu/symbolic/units.py"
    ):
        finite_number(value, "reach of bumper 'b'", "pc")
