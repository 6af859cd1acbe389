"""Estimates of coefficients that a reduced file leaves out in whole groups.

MF-Tyre reads files with twelve numbers and estimates the rest. The values are the default ones of H. B. Pacejka, Tire
and Vehicle Dynamics, 3rd ed. 2012, appendix 3, which MFeval contains as a file.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...infrastructure.lazy_dataclasses import dataclass

STIFFNESS = 200000.0 * 0.3135 / 4000.0  #: VERTICAL_STIFFNESS times the unloaded radius over the nominal load


@dataclass(frozen=True)
class Group:
    """Coefficients that are estimated if none of a group is stated.

    thing: for notes. letters: beginnings of the names of the group. values: estimates by name.
    """

    thing: str
    letters: tuple[str, ...]
    values: Mapping[str, float]

    def missing_from(self, numbers: Mapping[str, float]) -> bool:
        return not any(name.startswith(self.letters) for name in numbers)


#: The shapes of the curves, without which the formula cannot be evaluated, with load and inclination.
SHAPES = (
    Group("shape of the longitudinal force", ("PCX",), {"PCX1": 1.6, "PDX2": -0.1}),
    Group("shape of the lateral force", ("PCY",), {"PCY1": 1.3, "PDY2": -0.05, "PKY6": -1.0}),
)
GROUPS = (
    Group("longitudinal force in combined slip", ("RBX", "RCX", "REX", "RHX"), {"RBX1": 8.3, "RBX2": 5.0, "RCX1": 0.9}),
    Group(
        "lateral force in combined slip", ("RBY", "RCY", "REY", "RHY", "RVY"),
        {"RBY1": 4.9, "RBY2": 2.2, "RCY1": 1.0, "RVY4": 20.0, "RVY5": 2.0, "RVY6": 10.0},
    ),
    Group(
        "aligning moment", ("QBZ", "QCZ", "QDZ", "QEZ", "QHZ", "SSZ"),
        {"QBZ1": 10.0, "QBZ9": 10.0, "QCZ1": 1.1, "QDZ1": 0.12, "QDZ8": -0.05},
    ),
    Group(
        "rolling resistance", ("QSY",), {"QSY1": 0.01, "QSY3": 0.0004, "QSY4": 4e-5, "QSY7": 0.85, "QSY8": -0.4},
    ),
    Group("effective radius", ("BREFF", "DREFF", "FREFF"), {"BREFF": 8.0, "DREFF": 0.24, "FREFF": 0.01}),
)  # fmt: skip


def estimate_missing(numbers: dict[str, float], version: int, has_curve: bool) -> list[str]:
    """Add estimates of missing groups to numbers by canonical name; return a note for each group.

    Files of version 5.2 are complete, where a missing coefficient is zero, unless they lack the shape of a curve. A
    number that a file states stays, also zero.
    """
    reduced = any(group.missing_from(numbers) for group in SHAPES)
    if version == 52 and not reduced:
        return []
    notes = []
    for group in (*SHAPES, *GROUPS):
        if group.missing_from(numbers):
            added = {name: value for name, value in group.values.items() if name not in numbers}
            numbers.update(added)
            listed = ", ".join(f"{name} {value:g}" for name, value in added.items())
            notes.append(f"no coefficients of the {group.thing}: estimates by Pacejka (2012), appendix 3: {listed}")
    spring = {"VERTICAL_STIFFNESS", "QFZ1"} & numbers.keys() or has_curve
    if not spring and numbers.get("FNOMIN", 0.0) > 0.0 and numbers.get("UNLOADED_RADIUS", 0.0) > 0.0:
        stiffness = STIFFNESS * numbers["FNOMIN"] / numbers["UNLOADED_RADIUS"]
        numbers["VERTICAL_STIFFNESS"] = stiffness
        notes.append(
            f"no VERTICAL_STIFFNESS: {stiffness:g} N/m is estimated from the tyre of Pacejka (2012), appendix 3, in "
            "proportion to FNOMIN over UNLOADED_RADIUS"
        )
    return notes
