"""Coefficients of the Magic Formula by the names that files use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from .keys import DEFAULTS, EVEN_IN_61, NEEDED, ODD, TURN_SLIP, YAW_STIFFNESS, canonical, ignored
from .reduced import estimate_missing

DECIMALS = (5.2, 6.1, 6.2)  #: versions that some files state in place of FITTYP
UNUSUAL = 5.0  #: ratio of the inflation pressure to the nominal one, or its inverse, beyond which units may differ
VERSIONS = {5: 52, 6: 52, 21: 52, 52: 52, 60: 61, 61: 61, 62: 61}  #: version of the formula by FITTYP


class Coefficients:
    """Coefficients of the Magic Formula as attributes; those that are missing have the defaults of the standard.

    version: 52 or 61. values: numbers in SI units by upper-case names; LFZ0 and Q_RE0 are other names of LFZO and QRE0.
    estimated: notes about those that are estimates.
    """

    def __init__(self, values: Mapping[str, float], version: int, estimated: Sequence[str] = ()):
        self.values = dict(values)
        self.version = version
        self.estimated = list(estimated)

    def __getattr__(self, name: str) -> float:
        if not name.isupper():
            raise AttributeError(name)
        return float(self.values.get(name, DEFAULTS.get(name, 0.0)))

    @property
    def nominal_load(self) -> float:
        """Nominal load with its scale, F0 = LFZO FNOMIN, N."""
        return self.LFZO * self.FNOMIN

    @property
    def release(self) -> int:
        """Version of the vertical law: 52, 61 or 62."""
        return 62 if self.values.get("FITTYP") == 62.0 else self.version

    @property
    def relative_pressure(self) -> float:
        """Deviation of the inflation pressure from the nominal one, over the latter; zero without both."""
        return (self.INFLPRES - self.NOMPRES) / self.NOMPRES if self.NOMPRES and self.INFLPRES else 0.0

    def mirrored(self) -> Coefficients:
        """Return the coefficients of the same tyre on the other side of the vehicle (T14)."""
        even = EVEN_IN_61 if self.version == 61 else ()
        changed = {k: -self.values[k] for k in ODD if k in self.values and k not in even}
        return Coefficients(self.values | changed, self.version, self.estimated)

    @property
    def symmetric(self) -> bool:
        """True if the tyre is the same on both sides of a vehicle."""
        return self.mirrored().values == self.values

    def notes(self, has_curve: bool = False) -> list[str]:
        """Return what the formula leaves out of these coefficients; has_curve: see `ignored`."""
        notes = list(self.estimated)
        if not any(k.startswith("R") and len(k) == 4 and k[3].isdigit() and v for k, v in self.values.items()):
            notes.append("no coefficients of combined slip (RBX1, RCX1, RBY1, ...): forces of pure slip apply")
        if not (self.version == 52 and self.PTX1 or self.LONGITUDINAL_STIFFNESS):
            notes.append("no relaxation length of longitudinal slip: that of a carcass of 3e5 N/m applies")
        if not (self.version == 52 and self.PTY1 or self.LATERAL_STIFFNESS):
            notes.append("no relaxation length of lateral slip: that of a carcass of 1.5e5 N/m applies")
        if self.version == 61 and self.QDZ8:
            notes += self._turn_slip_notes()
        if self.NOMPRES > 0.0 and self.INFLPRES and not 1.0 / UNUSUAL <= self.INFLPRES / self.NOMPRES <= UNUSUAL:
            ratio = self.INFLPRES / self.NOMPRES
            notes.append(f"INFLPRES is {ratio:.3g} times NOMPRES: check the unit of both, by default Pa")
        return [*notes, *ignored(self.values, self.release, has_curve)]

    def _turn_slip_notes(self) -> list[str]:
        """Return a note about the coefficients of turn slip that are estimates."""
        missing = [f"{name} {value:g}" for name, value in TURN_SLIP.items() if name not in self.values]
        missing += [] if self.YAW_STIFFNESS else [f"YAW_STIFFNESS {YAW_STIFFNESS:g} FNOMIN UNLOADED_RADIUS"]
        reason = "with turn_slip=True of m.tyre, estimated by appendix 3 of Pacejka (2012)"
        return [f"{reason}: {', '.join(missing)}"] if missing else []


def checked_coefficients(
    values: Any, thing: str, has_curve: bool = False, may_be_reduced: bool = False
) -> Coefficients:
    """Return coefficients from numbers by name, in SI units.

    FITTYP states the version: 5, 6, 21 or 52 for 5.2, which is the default, 60 to 62 for 6.1. has_curve: a table of
    loads replaces the vertical stiffness. may_be_reduced: groups that are missing are estimated. Raises ModelError for
    anything but finite numbers, and for coefficients that the formula needs and that are missing or zero; the message
    names all of them.
    """
    numbers = _finite_numbers(values, thing)
    fit = numbers.get("FITTYP", 52.0)
    if fit in DECIMALS:
        fit = numbers["FITTYP"] = float(round(10.0 * fit))
    if fit not in VERSIONS:
        known = ", ".join(map(str, VERSIONS))
        raise ModelError(f"{thing}: FITTYP {fit:g} is not a version of the formula that is available: {known}")
    version = VERSIONS[int(fit)]
    estimated = estimate_missing(numbers, version, has_curve) if may_be_reduced else []
    missing = [name for name in NEEDED if not numbers.get(name, 0.0)]
    if missing:
        has_spring = has_curve or numbers.get("VERTICAL_STIFFNESS") or numbers.get("QFZ1")
        missing += [] if has_spring else ["VERTICAL_STIFFNESS"]
        raise ModelError(
            f"{thing} has no {', '.join(missing)}, or they are zero: the formula needs them; docs/vehicles.md has a "
            f"minimal list"
        )
    for name in ("FNOMIN", "UNLOADED_RADIUS", "LFZO"):
        if numbers.get(name, 1.0) <= 0.0:
            raise ModelError(f"{thing}: {name} is {numbers[name]:g}: it must be positive")
    if numbers.get("LMUV", 0.0) < 0.0:
        raise ModelError(f"{thing}: LMUV is {numbers['LMUV']:g}: friction must decrease with sliding; give 0 or more")
    return Coefficients(numbers, version, estimated)


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
