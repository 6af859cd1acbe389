"""numpy's functions of expressions and products of vectors give right results, or are refused with a message."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.symbolic.expressions import OF_NUMPY, leaf
from mbs_fmu.symbolic.graph import evaluate

pytestmark = pytest.mark.quick
X = leaf("x")


@pytest.mark.parametrize("name", sorted(set(OF_NUMPY) - {"equal", "not_equal"}))
def test_numpy_functions_of_expressions_equal_those_of_numbers(name: str) -> None:
    """np.f(x) of an expression has the value of np.f of the number, on either side of operators."""
    function = getattr(np, name)
    operands = [(X, np.float64(0.3))[:k] for k in (1, 2) if k == function.nin]
    for x in operands:
        for arguments in {x, x[::-1]}:
            computed = function(*arguments)
            if name.startswith(("less", "greater")):
                computed = mbs.where(computed, 1.0, 0.0)
            expected = function(*(0.7 if a is X else float(a) for a in arguments))
            # libm's functions and numpy's are within an ulp of each other
            assert evaluate(computed, {"x": 0.7}) == pytest.approx(float(expected), rel=4e-16)


def test_other_numpy_functions_are_refused() -> None:
    """The message names the function and the remedy."""
    with pytest.raises(TypeError, match=r"numpy's floor takes no expressions: use mbs.sin, mbs.where"):
        np.floor(X)
    with pytest.raises(TypeError, match="numpy's multiply of an array and an expression"):
        np.array([1.0, 2.0]) * X
    with pytest.raises(TypeError, match="an expression has no truth value"):
        np.clip(X, 0.0, 1.0)


def test_python_operators_do_not_combine_conditions() -> None:
    """The message says what does."""
    with pytest.raises(TypeError, match=r"conditions are not joined by & or \|.* mbs.min\(x, y\) > 0 is both"):
        operator.and_(X > 0.0, X < 1.0)
    with pytest.raises(TypeError, match="conditions are not inverted by ~: state the opposite"):
        operator.inv(X > 0.0)


@pytest.mark.parametrize("number", [0, 1.5, True, np.float64(2.0), np.int64(3), np.float32(0.5)], ids=repr)
def test_numbers_are_not_equal_to_expressions_nor_different(number: object) -> None:
    """The comparison would be False, or True, before the run, whatever the expression's value in it."""
    for compare in (operator.eq, operator.ne):
        for operands in ((X, number), (number, X)):
            with pytest.raises(
                TypeError, match=r"by == or !=, but .* before the run: compare by <, .* let m.event locate"
            ):
                compare(*operands)


def test_expressions_are_keys() -> None:
    """Equal means the same node: dictionaries, sets, lists and tuples find it, and compare it with anything else."""
    Y, double = leaf("y"), 2.0 * X
    assert X == X and X != Y and leaf("x") != X and X != "x" and X is not None and np.equal(X, X)
    assert {X: 1, Y: 2}[Y] == 2 and {X, Y, double} == {double, X, Y} and len({X, leaf("x")}) == 2
    assert [Y, X].index(X) == 1 and (X, Y) == (X, Y) and ("add", X) != ("add", Y) and Y not in [X, double]


def test_the_ambiguous_product_of_vectors_is_refused() -> None:
    """It could be the dot or the cross product."""
    v = mbs.Vector((1, 2, 3))
    for other in (v, (1.0, 2.0, 3.0), np.ones(3)):
        with pytest.raises(mbs.ModelError, match=r"a\.dot\(b\), a number, or a\.cross\(b\), a vector"):
            v * other
    assert [x.value for x in 2 * v] == [x.value for x in v * np.float64(2.0)] == [2.0, 4.0, 6.0]


def test_the_slope_of_a_table_is_its_derivative() -> None:
    """The slope is the quotient of differences between points and zero beyond them; its integral by simulate is the
    table.
    """
    points, values = (0.0, 1.0, 3.0), (2.0, 5.0, 1.0)
    for x, expected in ((-1.0, 0.0), (0.5, 3.0), (2.0, -2.0), (9.0, 0.0)):
        assert evaluate(mbs.slope(X, points, values), {"x": x}) == expected
    model = mbs.Model("m")
    model.state("y", mbs.slope(mbs.time, points, values), start=2.0)
    result = mbs.simulate(model, 2.0, method="dopri5", output_interval=0.5)
    # steps end at the table's points, and dopri5 is exact for constants between them
    assert np.allclose(result["y"], np.interp(result.time, points, values), rtol=1e-14, atol=0.0)
