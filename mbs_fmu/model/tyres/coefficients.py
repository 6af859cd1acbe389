"""Coefficients of the Magic Formula by the names that files use."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean

#: Coefficients that change their sign between the left and the right mounting of a tyre: (T14) of docs/vehicles.md.
ODD = (
    "RHX1", "QSX1", "PEY3", "PHY1", "PHY2", "PVY1", "PVY2", "RBY3", "RVY1", "RVY2", "QBZ4", "QDZ3", "QDZ6", "QDZ7",
    "QEZ4", "QHZ1", "QHZ2", "SSZ1",
)  # fmt: skip
EVEN_IN_61 = ("QDZ3",)  #: those of ODD that multiply the absolute value of the inclination in version 6.1
#: Factors of the formula, 1 unless a file states them.
SCALES = (
    "LFZO", "LCZ", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LKYC", "LKZC",
    "LTR", "LRES", "LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY", "LMP",
    "LGAX", "LGAY", "LGAZ",
)  # fmt: skip
#: Coefficients of turn slip that files may omit, of the tyre in appendix 3 of Pacejka (2012).
TURN_SLIP = {
    "PDXP1": 0.4, "PKYP1": 1.0, "PDYP1": 0.4, "PHYP1": 1.0, "PHYP2": 0.15, "PHYP4": -4.0, "PECP1": 0.5, "QDTP1": 10.0,
    "QCRP1": 0.2, "QCRP2": 0.1, "QBRP1": 0.1, "QDRP1": 1.0,
}  # fmt: skip
#: All others are 0 by default.
DEFAULTS = {"PKY4": 2.0, "QSY7": 1.0, "LONGVL": 16.7} | TURN_SLIP | dict.fromkeys(SCALES, 1.0)
NOT_IN_FORMULA = ("LMUV", "QTZ1")  #: left out, with a note
#: Other names of the standard's files, which are not misspelt: turn slip, vertical force, ranges of validity, rim.
OTHERS = (
    "QV1", "QV2", "QFCX", "QFCX1", "QFCY",
    "QFCY1", "QFCG", "QFCG1", "QFCG2", "QFZ3", "PFZ1", "QRE0", "QCAM", "QCAM1", "QCAM2", "QCAM3", "QFYS1", "QFYS2",
    "QFYS3", "QRA1", "QRA2", "QRB1", "QRB2", "QBVX", "QBVT", "MASS", "IXX", "IYY", "IZZ", "WIDTH", "ASPECT_RATIO",
    "RIM_RADIUS", "RIM_WIDTH", "BOTTOM_OFFST", "BOTTOM_STIFF", "LONGITUDINAL_DAMPING", "LATERAL_DAMPING",
    "YAW_DAMPING", "FZMIN", "FZMAX", "KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX",
    "PRESMIN", "PRESMAX", "USE_MODE",
)  # fmt: skip
#: Those by which the formula divides.
NEEDED = (
    "UNLOADED_RADIUS",
    "FNOMIN",
    "PCX1",
    "PDX1",
    "PKX1",
    "PCY1",
    "PDY1",
    "PKY1",
    "PKY2",
)
#: Numbered coefficients, and the largest number of each: PDX1 to PDX3.
NUMBERED = {
    "PCX": 1, "PDX": 3, "PEX": 4, "PKX": 3, "PHX": 2, "PVX": 2, "PPX": 4, "PTX": 3, "RBX": 3, "RCX": 1, "REX": 2,
    "RHX": 1, "QSX": 14, "PPMX": 1, "PCY": 1, "PDY": 3, "PEY": 5, "PKY": 7, "PHY": 3, "PVY": 4, "PPY": 5, "PTY": 2,
    "RBY": 4, "RCY": 1, "REY": 2, "RHY": 2, "RVY": 6, "QSY": 8, "QBZ": 10, "QCZ": 1, "QDZ": 11, "QEZ": 5, "QHZ": 4,
    "PPZ": 2, "SSZ": 4, "QFZ": 2,
    "PDXP": 3, "PKYP": 1, "PDYP": 4, "PHYP": 4, "PECP": 2, "QDTP": 1, "QCRP": 2, "QBRP": 1, "QDRP": 2,
}  # fmt: skip
UNNUMBERED = (
    "FITTYP", "UNLOADED_RADIUS", "FNOMIN", "NOMPRES", "INFLPRES", "LONGVL", "VXLOW", "VERTICAL_STIFFNESS",
    "VERTICAL_DAMPING", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "YAW_STIFFNESS", "BREFF", "DREFF", "FREFF",
)  # fmt: skip
#: Names that have an effect.
KNOWN = frozenset((*SCALES, *UNNUMBERED, *(f"{name}{k + 1}" for name, n in NUMBERED.items() for k in range(n))))
VERSIONS = {5: 52, 6: 52, 52: 52, 60: 61, 61: 61, 62: 61}  #: version of the formula by FITTYP


class Coefficients:
    """Coefficients of the Magic Formula as attributes; those that are missing have the defaults of the standard.

    version: 52 or 61. values: numbers in SI units by upper-case names; LFZ0 and Q_RE0 are other names of LFZO and QRE0.
    """

    def __init__(self, values: Mapping[str, float], version: int):
        self.values = dict(values)
        self.version = version

    def __getattr__(self, name: str) -> float:
        if not name.isupper():
            raise AttributeError(name)
        return float(self.values.get(name, DEFAULTS.get(name, 0.0)))

    @property
    def nominal_load(self) -> float:
        """Nominal load with its scale, F0 = LFZO FNOMIN, N."""
        return self.LFZO * self.FNOMIN

    def mirrored(self) -> Coefficients:
        """Return the coefficients of the same tyre on the other side of the vehicle (T14)."""
        even = EVEN_IN_61 if self.version == 61 else ()
        changed = {k: -self.values[k] for k in ODD if k in self.values and k not in even}
        return Coefficients(self.values | changed, self.version)

    @property
    def symmetric(self) -> bool:
        """True if the tyre is the same on both sides of a vehicle."""
        return self.mirrored().values == self.values

    def notes(self) -> list[str]:
        """Return what the formula leaves out of these coefficients."""
        left = [k for k in NOT_IN_FORMULA if self.values.get(k, 0.0)]
        notes = [f"the formula has no {k}, its value {self.values[k]:g} has no effect" for k in left]
        if not any(k.startswith("R") and len(k) == 4 and k[3].isdigit() and v for k, v in self.values.items()):
            notes.append("no coefficients of combined slip (RBX1, RCX1, RBY1, ...): forces of pure slip apply")
        if any(v for k, v in self.values.items() if k.startswith(("PDXP", "PDYP", "QDTP"))):
            notes.append("turn slip (PDXP1, ...) has an effect with turn_slip=True of m.tyre only")
        if not (self.version == 52 and self.PTX1 or self.LONGITUDINAL_STIFFNESS):
            notes.append("no relaxation length of longitudinal slip: that of a carcass of 3e5 N/m applies")
        if not (self.version == 52 and self.PTY1 or self.LATERAL_STIFFNESS):
            notes.append("no relaxation length of lateral slip: that of a carcass of 1.5e5 N/m applies")
        return notes


def without_effect(names: Iterable[str]) -> list[str]:
    """Return a sentence about each name that is not one of a coefficient, with similar names."""
    return [
        f"no coefficient of the formula is named {name!r}{did_you_mean(canonical(name), KNOWN)}"
        for name in names
        if canonical(name) not in (*KNOWN, *NOT_IN_FORMULA)
    ]


def require_known(names: Iterable[str], thing: str) -> None:
    """Raise ModelError for names of coefficients that are similar to one of the formula, each with what was meant."""
    unknown = [name for name in names if canonical(name) not in OTHERS]
    misspelt = [sentence for sentence in without_effect(unknown) if "did you mean" in sentence]
    if misspelt:
        raise ModelError(f"{thing}: {'; '.join(misspelt)}: leave out coefficients that the formula does not use")


def canonical(name: str) -> str:
    """Return the name of a coefficient in upper case; LFZ0 is another name of LFZO, and Q_RE0 one of QRE0."""
    name = name.upper().replace("LFZ0", "LFZO")
    return name.replace("_", "", 1) if name.startswith("Q_") else name


def checked_coefficients(values: Any, thing: str, has_curve: bool = False) -> Coefficients:
    """Return coefficients from numbers by name, in SI units.

    FITTYP states the version: 5, 6 or 52 for 5.2, which is the default, 60 to 62 for 6.1. has_curve: a table of loads
    replaces the vertical stiffness. Raises ModelError for anything but finite numbers, and for coefficients that the
    formula needs and that are missing or zero; the message names all of them.
    """
    numbers = _finite_numbers(values, thing)
    fit = numbers.get("FITTYP", 52.0)
    if fit not in VERSIONS:
        known = ", ".join(map(str, VERSIONS))
        raise ModelError(f"{thing}: FITTYP {fit:g} is not a version of the formula that is available: {known}")
    missing = [name for name in NEEDED if not numbers.get(name, 0.0)]
    if missing:
        has_spring = has_curve or numbers.get("VERTICAL_STIFFNESS") or numbers.get("QFZ1")
        missing += [] if has_spring else ["VERTICAL_STIFFNESS"]
        raise ModelError(
            f"{thing} has no {', '.join(missing)}, or they are zero: the formula needs them; docs/vehicles.md has a "
            f"minimal list"
        )
    for name in ("FNOMIN", "UNLOADED_RADIUS"):
        if numbers[name] < 0.0:
            raise ModelError(f"{thing}: {name} is {numbers[name]:g}: it must be positive")
    return Coefficients(numbers, VERSIONS[int(fit)])


def _finite_numbers(values: Any, thing: str) -> dict[str, float]:
    """Return numbers by canonical names. Raises ModelError for anything but finite numbers by name."""
    if not isinstance(values, Mapping):
        raise ModelError(f"{thing}: coefficients are {display(values)}: give numbers by name, such as {{'PCX1': 1.6}}")
    numbers: dict[str, float] = {}
    for key, value in values.items():
        if not isinstance(key, str) or isinstance(value, (bool, str, bytes)):
            raise ModelError(f"{thing}: coefficient {display(key)} is {display(value)}: give a number by its name")
        name = canonical(key)
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise ModelError(f"{thing}: coefficient {key} is {display(value)}: give a number") from None
        if not math.isfinite(numbers[name]):
            raise ModelError(f"{thing}: coefficient {key} is {display(value)}: give a finite number")
    return numbers
