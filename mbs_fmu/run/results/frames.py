"""Results as data frames of pandas and data sets of xarray.

All functions raise ModelError if the package is missing. Arrays are (times,), or (members, times) for batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..extras import extra

Units = Mapping[str, str | None]  #: units by the names of columns and parameters


def data_frame(columns: Mapping[str, np.ndarray], time: np.ndarray, attributes: Mapping[str, Any]) -> Any:
    """Return a DataFrame with the time, s, as its index, or with member and time for arrays (members, times).

    attributes: copied to `DataFrame.attrs`.
    """
    pandas = extra("pandas", "pandas", "pandas", "to_pandas")
    members = next((x.shape[0] for x in columns.values() if x.ndim == 2), None)
    index = pandas.Index(time, name="time")
    if members is not None:
        index = pandas.MultiIndex.from_product([range(members), time], names=["member", "time"])
    frame = pandas.DataFrame({name: x.reshape(-1) for name, x in columns.items()}, index=index)
    frame.attrs.update(attributes)
    return frame


def data_set(
    name: str, columns: Mapping[str, np.ndarray], vectors: Mapping[str, list[str]], time: np.ndarray, units: Units,
    parameters: Mapping[str, float | np.ndarray],
) -> Any:  # fmt: skip
    """Return a Dataset with the dimension "time", s, and, for arrays (members, times), "member" before it.

    vectors: names of the columns of each vector, which become one variable with one more dimension, NAME_component.
    parameters: numbers, or arrays (members,), which become coordinates. Each variable has its unit as its attribute
    "units".
    """
    xarray = extra("xarray", "xarray", "xarray", "to_xarray")
    vector_of = {part: vector for vector, names in vectors.items() for part in names}
    dimensions = ("member", "time") if any(x.ndim == 2 for x in columns.values()) else ("time",)
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time": ("time", time, {"units": "s"})}
    for column, values in columns.items():
        vector = vector_of.get(column)
        if vector is None:
            variables[column] = dimensions, values, _unit_attribute(units.get(column))
        elif vector not in variables:
            names = vectors[vector]
            along = f"{vector}_component"
            stacked = np.stack([columns[x] for x in names], axis=-1)
            variables[vector] = (*dimensions, along), stacked, _unit_attribute(units.get(column))
            coordinates[along] = np.arange(1, len(names) + 1)
    for parameter, value in parameters.items():
        coordinates[parameter] = ("member" if np.ndim(value) else (), value, _unit_attribute(units.get(parameter)))
    if len(dimensions) == 2:
        coordinates["member"] = np.arange(next(iter(columns.values())).shape[0])
    return xarray.Dataset(variables, coordinates, {"name": name})


def _unit_attribute(unit: str | None) -> dict[str, str]:
    """Return the attributes of a variable with this unit."""
    return {} if unit is None else {"units": unit}


def member_frame(columns: Mapping[str, np.ndarray], members: np.ndarray, attributes: Mapping[str, Any]) -> Any:
    """Return a DataFrame of columns (members,), with the numbers of the members as its index."""
    pandas = extra("pandas", "pandas", "pandas", "to_pandas")
    frame = pandas.DataFrame(dict(columns), index=pandas.Index(members, name="member"))
    frame.attrs.update(attributes)
    return frame


def member_set(
    name: str, arrays: Mapping[str, np.ndarray], varied: Mapping[str, np.ndarray], members: np.ndarray, units: Units
) -> Any:
    """Return a Dataset of arrays (members, ...), whose further dimensions are NAME_1, NAME_2 and so on.

    varied: values (members,) of what the sweep varies; they become coordinates. members: numbers of the members.
    """
    xarray = extra("xarray", "xarray", "xarray", "to_xarray")
    coordinates = {
        each: ("member", x, _unit_attribute(units.get(each))) for each, x in varied.items() if each not in arrays
    }
    variables = {
        each: (("member", *(f"{each}_{k}" for k in range(1, x.ndim))), x)
        for each, x in arrays.items()
    }  # fmt: skip
    return xarray.Dataset(variables, {**coordinates, "member": members}, {"name": name})
