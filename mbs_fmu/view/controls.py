"""Data of a live page's controls: sliders of parameters, inputs and start values, and the curves of its plots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ..infrastructure.arguments import elements_of
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display, refusal
from ..infrastructure.messages.names import listed
from ..infrastructure.messages.suggestions import did_you_mean
from ..model.geometry.vectors import is_list, number_array
from ..record.codes import ModeRole
from ..record.kinds import DEMANDED, REAL, numbered
from ..record.program import STARTED, Program, Variable

Ranges = Mapping[str, tuple[float, float]]

FEW = 3  #: largest number of elements of an array parameter for which all have sliders by default
LEAST = 0.2  #: least value of a slider of a mass or length, relative to its start
MODES = {
    ModeRole.latch: {0: "holds", -1: "free"},
    ModeRole.contact: {0: "in touch", -1: "apart"},
    ModeRole.friction: {0: "sticks", 1: "slips", -1: "slips"},
    ModeRole.freewheel: {0: "drives", -1: "overruns"},
}  #: words for the modes of closures, by their role


class Controls:
    """The variables of a program that a page lets its user change.

    hidden: names of variables that the page has added to the model. values: the record at the start.
    """

    def __init__(self, program: Program, hidden: Collection[str], values: np.ndarray):
        self.program, self.hidden, self.values = program, hidden, values

    def variables(self) -> dict[str, list[Variable]]:
        """Return the variables with a control, by the word for them in messages."""
        return {
            "parameter": self.program.of_role("parameter"),
            "input": [v for v in self.program.of_role("input") if v.name not in self.hidden],
            "start value": self._starts(),
        }

    def _starts(self) -> list[Variable]:
        """Return the start values that are held: of joints and signals, not of vibration modes."""
        program = self.program
        free = {
            program.regions[region][0] + k
            for region, flags in (("q", "free"), ("u", "free_rates"))
            for k, is_free in enumerate(self.values[program.region(flags)] if flags in program.regions else ())
            if is_free
        }
        variables = [v for v in program.of_role(*STARTED) if v.role != "sampled" and v.slot not in free]
        return [v for v in variables if v.name not in program.solved and v.name not in program.modal]

    def data(self, ranges: Any, wanted: Any) -> dict[str, Any]:
        """Return the controls by kind. Raises ArgumentError for unusable `ranges` and `wanted` (see `mbs.live`)."""
        found = self.variables()
        variables = {v.name: v for group in found.values() for v in group}
        there = list(variables)
        arrays = {name: names for name, names in self.program.vectors.items() if names[0] in there}
        ends = _checked_ranges({} if ranges is None else ranges, variables)
        if wanted is None:
            many = {x for names in arrays.values() if len(names) > FEW for x in names}
            shown = {name for name in there if name not in many or name in ends}
        else:
            shown = set(elements_of(arrays, _known(wanted, [*there, *arrays], "controls")))
        keys = {"parameter": "parameters", "input": "inputs", "start value": "starts"}
        return {
            keys[what]: [self._control(what, v, ends) for v in group if v.name in shown]
            for what, group in found.items()
        }

    def _control(self, what: str, v: Variable, ends: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
        start = float(self.values[v.slot])
        low, high = ends.get(v.name) or _range(v, start)
        bounds = v.range if v.role == "parameter" or v.kind != REAL else (-np.inf, np.inf)
        items = ", ".join(f"{value} {item}" for item, value in numbered(v.items, v.low).items())
        return {
            "name": v.name, "what": what, "slot": v.slot, "unit": "" if v.unit in (None, "1") else v.unit,
            "kind": v.kind, "said": ": ".join(filter(None, (v.description, items))), "start": start,
            "fixed": v.fixed, "low": low, "high": high,
            "least": _finite(bounds[0]), "most": _finite(bounds[1]), "flag": self.program.calculated_place(v.name),
        }  # fmt: skip


def mode_data(program: Program) -> list[dict[str, Any]]:
    """Return name, slot and words of each closure with constraint modes."""
    first = program.regions["modes"][0]
    return [
        {"name": mode["name"], "slot": first + k, "said": MODES.get(mode["role"], {})}
        for k, mode in enumerate(program.modes)
    ]


def curves(program: Program, plots: Sequence[tuple[str, list[str]]]) -> list[dict[str, Any]]:
    """Return title and series of each plot, from titles and columns."""
    slots = {"time": 0, **{v.name: v.slot for v in program.variables}}
    return [{"title": title, "series": [{"label": c, "slot": slots[c]} for c in columns]} for title, columns in plots]


def _finite(bound: float) -> float | None:
    return float(bound) if np.isfinite(bound) else None


def _range(v: Variable, start: float) -> tuple[float, float]:
    """Return the ends of a slider: the model's bounds, or values around the start.

    Masses and lengths have a least value well above zero, where a motion would have no inertia.
    """
    size = max(abs(start), abs(v.nominal or 0.0)) or 1.0
    positive = v.role == "parameter" and start > 0.0
    low = v.low if v.low is not None else (0.0 if positive else -2.0 * size)
    high = v.high if v.high is not None else 2.0 * size
    if positive and v.fixed and 0.0 <= low < 0.1 * LEAST * start:
        low = LEAST * start
    return (min(low, start), max(high, start)) if low < high else (start - size, start + size)


def _known(names: Any, there: Sequence[str], argument: str) -> list[str]:
    """Return a list of names. Raises ArgumentError for unknown ones, and for anything but a list."""
    if isinstance(names, str) or not (is_list(names) or isinstance(names, Mapping)):
        raise ArgumentError(f"{argument} is {display(names)}: give a list of names")
    for name in names:
        if name not in there:
            suggestion = did_you_mean(name, there) if isinstance(name, str) else ""
            raise ArgumentError(f"{argument}: no control {display(name)}{suggestion}; there are {listed(there)}")
    return list(names)


def _checked_ranges(ranges: Any, variables: Mapping[str, Variable]) -> dict[str, tuple[float, float]]:
    """Return the ends of sliders by name. Raises ArgumentError."""
    if not isinstance(ranges, Mapping):
        raise ArgumentError(f"ranges must be a dictionary of pairs by name, not {display(ranges)}")
    _known(ranges, list(variables), "ranges")
    return {name: _ends(variables[name], pair) for name, pair in ranges.items()}


def _ends(variable: Variable, pair: Any) -> tuple[float, float]:
    """Return the ends of a slider; those of variables that are no real numbers are values of theirs."""
    name, is_real = variable.name, variable.kind == REAL
    bounds = (-np.inf, np.inf) if is_real else variable.range
    wanted = "give its least and its largest value, such as (-1, 1)"
    if not is_list(pair) or len(pair) != 2:
        raise ArgumentError(f"range of {name!r} is {display(pair)}: {wanted}")
    low, high = number_array(pair, f"range of {name!r}").tolist()
    for value in (low, high):
        reason = refusal("range of", name, value, *bounds, wanted=DEMANDED.get(variable.kind))
        if reason is not None:
            raise ArgumentError(reason)
    if not low < high:
        raise ArgumentError(f"range of {name!r} is {display(pair)}: {wanted}")
    return low, high
