"""Arrays of kernels beside the record: inputs over time, and descriptions of what functions of arrays are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .blocks import InputTable
from .dimensions import N_INPUTS
from .fields import members, number, structs, vector


class Inputs:
    """U: the tables of inputs over time, and the times of results."""

    is_array = True

    tables = structs(N_INPUTS, InputTable, "the table of each input")
    start = number("time of the first result", "s")
    interval = number("interval of the results", "s")
    rows = number("number of results; 0 in calls of importers")
    stop = number("time of the last result", "s")

    if TYPE_CHECKING:

        def __getitem__(self, index: int) -> float: ...


#: Numbers of U behind the entries of `U.tables` and in front of the tables: start, interval, rows, stop of the results.
CLOCK_SIZE = sum(d.shape == () for d in members(Inputs).values())


class Description:
    """G of integrate/functions/values.py: what the numbers of X are."""

    is_array = True

    count = number("length of X")
    states = number("number of states")
    prepares = number("1: constants follow from the parameters in X")
    of_velocities = number("1: the states contain joint velocities, 0: momenta")
    places = vector(0, "addresses of the numbers in X, the states after the time")


class ClosedDescription:
    """G of integrate/functions/closed.py: what the numbers of X are."""

    is_array = True

    count = number("length of X")
    length = number("length of the record")
    positions = number("number of positions among the states")
    velocities = number("number of joint velocities among the states, behind the positions")
    states = number("number of states")
    prepares = number("1: constants follow from the parameters in X")
    places = vector(0, "addresses of the numbers in X; then the joint velocities that belong to the positions")

    if TYPE_CHECKING:

        def __getitem__(self, index: int) -> float: ...


__all__ = ["CLOCK_SIZE", "ClosedDescription", "Description", "Inputs"]
