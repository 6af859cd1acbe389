"""Methods of `Model` for parameters: numbers, arrays, and tables whose values are arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from ...infrastructure.arguments import spread
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...symbolic.expressions import Expression, leaf
from ...symbolic.tables import is_open, known_period, table_data
from ...symbolic.units import known_unit, to_si
from ..checks import check_range, finite_number, signal_range, text
from ..data import ModelData
from ..geometry.vectors import Vector, is_list
from ..items import Parameter, ParameterArray, Range
from ..names import new_name
from ..references.leaves import Signal
from ..tables import Table

Values = list[Any] | tuple[Any, ...] | np.ndarray


@overload
def parameter(
    model: ModelData,
    name: str,
    value: float | str,
    unit: str | None = None,
    description: str = "",
    *,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
) -> Expression: ...
@overload
def parameter(
    model: ModelData,
    name: str,
    value: Values,
    unit: str | None = None,
    description: str = "",
    *,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
) -> Vector: ...
def parameter(
    model: ModelData,
    name: str,
    value: float | str | Values,
    unit: str | None = None,
    description: str = "",
    *,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
) -> Expression | Vector:
    """Add a parameter, a number that runs and FMUs can change without recompilation; return it as an expression.

    value: default, a number or a text such as "5 mm". unit: unit of the value, of min, max and nominal, and of the
    values in runs and FMUs. The expression is in SI units: with unit="mm" and value 5 it is 0.005. Runs refuse values
    outside min .. max. nominal: typical magnitude. description: one line for the FMU.

    With a sequence of n numbers, such as (0.0, 0.1, 0.0), the parameter is an array, and the method returns a vector of
    n expressions. Its elements are name[1], ..., name[n] in FMUs; runs take all values, as `name`, or single elements.
    Unit, range and description are those of all elements. The length is fixed.

    Raises ModelError for a name that is taken, an unknown unit, an empty array, and a value that is not finite or
    outside its range.
    """
    new_name(model, name, "parameter")
    thing = f"parameter {name!r}"
    unit = known_unit(unit, thing)
    limits = signal_range(min, max, nominal, unit, thing)
    line = text(description, f"description of {thing}")
    if not is_list(value):
        _add(model, name, finite_number(value, thing, unit), unit, line, limits)
        return to_si(leaf(Signal("parameter", name)), unit)
    return Vector(to_si(x, unit) for x in _array(model, name, list(value), unit, line, limits))  # type: ignore[arg-type]


def table(
    model: ModelData,
    name: str,
    points: Sequence[float] | np.ndarray,
    values: Values,
    unit: str | None = None,
    description: str = "",
    *,
    period: float | None = None,
    min: float | str | None = None,
    max: float | str | None = None,
    nominal: float | str | None = None,
) -> Table:
    """Add a piecewise linear table with values that runs and FMUs can change without recompilation; return the table.

    The table is a function: `curve(x)` is its value at x as an expression, as that of `mbs.table`, `curve.slope(x)` its
    derivative and `curve.area(x)` its integral from the first point. points: n strictly increasing numbers, in the unit
    of x; they and their number are fixed. values: n defaults. They are an array `parameter` with this name; unit,
    description, min, max and nominal as there. period: that of x for a periodic table, as in `mbs.table`.

    Raises ModelError for a name that is taken, an unknown unit, points and values that `mbs.table` would refuse, and a
    value outside min .. max.
    """
    new_name(model, name, "parameter")
    thing = f"table {name!r}"
    unit = known_unit(unit, thing)
    limits = signal_range(min, max, nominal, unit, thing)
    line = text(description, f"description of {thing}")
    numbers = [_default(x, k, thing, unit) for k, x in enumerate(_listed(values, thing, "values"), start=1)]
    places = [_point(x, k, thing) for k, x in enumerate(_listed(points, thing, "points"), start=1)]
    places = list(table_data(places, numbers, thing)[0])
    period = known_period(period, thing)
    if period is not None:
        is_open(places, period, thing)
    entries = _array(model, name, numbers, unit, line, limits)
    return Table(name, tuple(places), tuple(entries), unit, period)


def _listed(value: Any, thing: str, what: str) -> list[Any]:
    """Return the points or values of a table. Raises ModelError for anything but a sequence."""
    if not is_list(value):
        raise ModelError(f"the {what} of {thing} are {display(value)}: give a list of numbers")
    return list(value)


def _default(value: Any, k: int, thing: str, unit: str | None) -> float:
    if isinstance(value, Expression):
        raise ModelError(f"value {k} of {thing} is an expression: give its default, a number that runs may change")
    return finite_number(value, f"value {k} of {thing}", unit)


def _point(value: Any, k: int, thing: str) -> float:
    if isinstance(value, Expression):
        raise ModelError(f"point {k} of {thing} is an expression: give a number, only the values of a table may change")
    return finite_number(value, f"point {k} of {thing}")


def _array(
    model: ModelData, name: str, values: Sequence[Any], unit: str | None, line: str, limits: Range
) -> list[Expression]:
    """Add an array of parameters and return its elements, in the unit of the array."""
    if not values:
        raise ModelError(f"parameter {name!r} has no numbers: give one, or several such as (0.0, 0.1, 0.0)")
    array = ParameterArray.of(name, len(values))
    numbers = [finite_number(x, f"parameter {own!r}", unit) for own, x in zip(array.names, values, strict=True)]
    for own, x in zip(array.names, numbers, strict=True):
        check_range(x, limits, unit, "parameter", own)
    for own, x in zip(array.names, numbers, strict=True):
        _add(model, own, x, unit, line, limits)
    model.arrays[name] = array
    return [leaf(Signal("parameter", own)) for own in array.names]


def _add(model: ModelData, name: str, value: float, unit: str | None, line: str, limits: Range) -> None:
    check_range(value, limits, unit, "parameter", name)
    model.parameters[name] = Parameter(name, value, unit, line, limits)
    model.version += 1


def set_parameter(model: ModelData, name: str, value: float | str | Values) -> None:
    """Change the default of a parameter. value: in the unit of the parameter, or a text of a number and a unit.

    An array parameter, and so the values of a table, take as many numbers as the array has; a single element name[k]
    takes one number.

    Raises ModelError for an unknown parameter, a value outside its range, and another number of values.
    """
    if not isinstance(name, str) or name not in model.arrays and name not in model.parameters:
        elements = {x for names in model.elements.values() for x in names}
        known = [*model.arrays, *(x for x in model.parameters if x not in elements)]
        wrong = f"unknown parameter {display(name)}{did_you_mean(name, known)}"
        raise ModelError(f"{wrong}; parameters of model {model.name!r}: {', '.join(known) or 'none'}")
    given = spread(model.elements, {name: value})
    changed = {own: _changed(model.parameters[own], x) for own, x in given.items()}
    model.parameters.update(changed)
    model.value_version += 1


def _changed(parameter: Parameter, value: Any) -> Parameter:
    """Return a parameter with another default. Raises ModelError for a value outside its range."""
    number = finite_number(value, f"parameter {parameter.name!r}", parameter.unit)
    check_range(number, parameter.range, parameter.unit, "parameter", parameter.name)
    return replace(parameter, value=number)
