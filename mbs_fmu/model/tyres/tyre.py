"""`Tyre`: forces of a tyre as functions of load and slip, from a file, from coefficients, or from a simple model."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import ZERO, Expression, abs, as_expression, is_literal, sin, sqrt, tan
from ..geometry.vectors import is_list, no_less_than_zero, number, number_array
from ..property_files import PropertyFile
from ..roads import Cams
from .coefficients import Coefficients, checked_coefficients
from .contact_size import cams_of
from .formula import Formula, Slip, SteadyForces, TurnSlip
from .keys import require_known, without_effect
from .magic_formula import MagicFormula
from .ranges import NO_RANGES, ranges_of
from .simple import Brush, Linear
from .tir import deflection_load_curve, read_tir
from .vertical import Proportional, Vertical, plain
from .vertical_law import Curve, vertical_law

SIDES = ("left", "right")
FILE_FORMATS = (
    "PAC2002", "MF_05", "MF05", "MF-TYRE", "MF-TIRE", "MF_TYRE", "MF-SWIFT", "MF52", "MF61", "MF62", "MF_52", "MF_61",
    "MF_62", "USER",
)  # fmt: skip
LOW_SPEED = 2.0  #: m/s, VXLOW of tyres without this coefficient
Number = Expression | float


@dataclass(frozen=True)
class TyreForces:
    """Forces and moments of the road on a tyre at the contact point, in W axes: x forward, y to the left, z up.

    fx, fy: N. mx: overturning, my: rolling resistance, mz: aligning moment, N.m. kappa_stiffness, alpha_stiffness:
    derivatives of fx with respect to kappa and of fy with respect to the slip angle in straight free rolling, N and
    N/rad. All are floats, expressions, or arrays of the shape of the loads and slips.
    """

    fx: Any
    fy: Any
    mx: Any
    my: Any
    mz: Any
    kappa_stiffness: Any
    alpha_stiffness: Any


class Tyre:
    """A tyre with forces by the Magic Formula (Pacejka 2012), version 5.2 (PAC2002) or 6.1; also with the load of 6.2.

    coefficients: numbers in SI units by their names in tyre property files, such as {"PCX1": 1.64, ...}. FITTYP selects
    the version, 52 by default. Missing coefficients are 0, missing scaling factors 1. side: "left" or "right", the
    side of the vehicle for which the coefficients hold; the default is TYRESIDE, or "left" without it. ranges: False
    to evaluate the formula beyond the ranges of slips, load and pressure that the coefficients state (KPUMAX, ALPMAX,
    FZMAX, ...); within them, forces beyond a range are those at its border. `Tyre.from_tir` reads a file, `Tyre.brush`
    and `Tyre.linear` are simple models.

    Raises ModelError for a value that is not a finite number, for missing coefficients that the formula needs, such as
    UNLOADED_RADIUS, FNOMIN or VERTICAL_STIFFNESS, and for misspelt names. docs/vehicles.md has a minimal list.
    """

    side: str | None  #: side of the vehicle on which it is mounted; None if the tyre is the same on both sides
    notes: list[str]  #: data of the file that the formula does not use
    radius: float  #: unloaded radius, m
    stiffness: float  #: vertical, N/m
    low_speed: float  #: speed below which a damper supports the relaxation, m/s

    def __init__(self, coefficients: Mapping[str, float], side: str | None = None, ranges: bool = True):
        thing = "tyre"
        numbers = dict(coefficients) if isinstance(coefficients, Mapping) else coefficients
        stated = numbers.pop("TYRESIDE", "LEFT") if isinstance(numbers, dict) else "LEFT"
        if isinstance(numbers, dict):
            require_known((name for name in numbers if isinstance(name, str)), thing)
        checked = checked_coefficients(numbers, thing)
        self._set_magic_formula(checked, thing, (), ranges)
        self._mount(_side(stated if side is None else side, thing))

    @classmethod
    def from_tir(
        cls,
        path: str | Path,
        side: str | None = None,
        changes: Mapping[str, float] | None = None,
        ranges: bool = True,
    ) -> Self:
        """Return the tyre of a tyre property file (.tir) of PAC2002, MF-Tyre 5.2, 6.1 or 6.2.

        side: "left" or "right", the side of the vehicle on which the tyre is mounted, by default that of the file. If
        the tyre was measured on the other side (TYRESIDE, by default left), it is mirrored. changes: coefficients in SI
        units that replace or complete those of the file, such as {"LMUY": 0.8}. ranges: False to evaluate the formula
        beyond the ranges of the file. Numbers are converted from the units of the file. A table of deflection and load
        replaces the vertical stiffness. A reduced file of version 6.1 may lack whole groups of coefficients, which are
        estimated. `notes` lists the data of the file that have no effect, and the estimates.

        Raises ModelError, with file and line, for a file that cannot be read, lines that cannot be parsed, unknown
        units and formats, missing numbers, and changes of numbers that neither the formula nor the file has.
        """
        file = read_tir(path)
        form = file.texts.get("PROPERTY_FILE_FORMAT", "PAC2002").upper()
        if form not in FILE_FORMATS:
            raise ModelError(
                f"{file.at('PROPERTY_FILE_FORMAT')}: PROPERTY_FILE_FORMAT is {form!r}, which is not the Magic Formula "
                f"5.2 or 6.1: give a file of {', '.join(FILE_FORMATS[:2])} or MF61"
            )
        thing = f"{file.at('FITTYP')}: tyre"
        tyre = cls.__new__(cls)
        if changes is not None and not isinstance(changes, Mapping):
            raise ModelError(f"{thing}: changes are {display(changes)}: give numbers by name, such as {{'LMUY': 0.8}}")
        curve = _curve(file)
        numbers = {**_fit_type(file), **file.numbers, **(changes or {})}
        checked = checked_coefficients(numbers, thing, bool(curve), may_be_reduced=True)
        if unknown := without_effect(name for name in changes or () if name.upper() not in file.numbers):
            raise ModelError(f"{thing}: changes: {unknown[0]}")
        tyre._set_magic_formula(checked, thing, curve, ranges)
        tyre.notes += file.notes
        stated = file.texts.get("TYRESIDE", "LEFT").lower()
        tyre._mount(None if stated == "symmetric" else stated if stated in SIDES else SIDES[0])
        if tyre.side and stated not in SIDES:
            tyre.notes.append(f"TYRESIDE is {stated.upper()}: the tyre is treated as a left one")
        return tyre if side is None else tyre.on(side)

    @classmethod
    def brush(
        cls,
        *,
        radius: Quantity,
        stiffness: Quantity,
        load: Quantity,
        slip_stiffness: Quantity,
        friction: float,
        damping: Quantity = 0.0,
        half_patch: Quantity = 0.06,
        relaxation: Quantity = 0.3,
    ) -> Self:
        """Return a tyre by the brush model, with equal longitudinal and lateral slip stiffness, in combined slip.

        radius: unloaded, m. stiffness: vertical, N/m. load: N, at which slip_stiffness, half_patch and relaxation hold.
        slip_stiffness: N per unit of slip. friction: coefficient. damping: vertical, N.s/m. half_patch: half the length
        of the contact patch, m. relaxation: length, m. Raises ModelError for numbers that are not positive.
        """
        n = _positive(
            "brush tyre", radius=(radius, "m"), stiffness=(stiffness, "N/m"), load=(load, "N"),
            friction=(friction, "1"), slip_stiffness=(slip_stiffness, "N"), half_patch=(half_patch, "m"),
            relaxation=(relaxation, "m"),
        )  # fmt: skip
        formula = Brush(n["load"], n["slip_stiffness"], n["friction"], n["half_patch"], n["relaxation"])
        return cls._simple(formula, n, damping)

    @classmethod
    def linear(
        cls,
        c_kappa: Quantity,
        c_alpha: Quantity,
        friction: float,
        *,
        radius: Quantity,
        stiffness: Quantity,
        damping: Quantity = 0.0,
        trail: Quantity = 0.0,
        relaxation: Quantity = 0.3,
    ) -> Self:
        """Return a tyre with forces proportional to slip, up to a friction limit in all directions.

        c_kappa, c_alpha: slip stiffnesses, N and N/rad, independent of the load. friction: coefficient. radius:
        unloaded, m. stiffness: vertical, N/m. damping: vertical, N.s/m. trail: pneumatic trail, m. relaxation: length,
        m. Raises ModelError for numbers that are not positive.
        """
        n = _positive(
            "linear tyre", c_kappa=(c_kappa, "N"), c_alpha=(c_alpha, None), friction=(friction, "1"),
            radius=(radius, "m"), stiffness=(stiffness, "N/m"), relaxation=(relaxation, "m"),
        )  # fmt: skip
        arm = _plain(number(trail, "trail of linear tyre", "m"), "trail of linear tyre")
        n["load"] = n["stiffness"] * n["radius"]
        return cls._simple(Linear(n["c_kappa"], n["c_alpha"], n["friction"], arm, n["relaxation"]), n, damping)

    @classmethod
    def _simple(cls, formula: Formula, n: Mapping[str, float], damping: Quantity) -> Self:
        tyre = cls.__new__(cls)
        d = _plain(no_less_than_zero(damping, "damping of tyre", "N.s/m"), "damping of tyre")
        tyre._set(formula, Vertical(n["radius"], Proportional(n["stiffness"]), n["stiffness"], d, n["load"]), [])
        return tyre

    def _set(self, formula: Formula, vertical: Vertical, notes: list[str]) -> None:
        self._formula, self._vertical, self.notes = formula, vertical, notes
        self.radius, self.stiffness, self.low_speed = vertical.radius, vertical.stiffness, LOW_SPEED
        self.side, self._pressure = None, ZERO
        self._nominal_pressure = self._reference_speed = 0.0
        self._coefficients = Coefficients({}, 52)

    def _set_magic_formula(self, c: Coefficients, thing: str, curve: Curve, limited: bool) -> None:
        ranges, notes = ranges_of(c.values) if limited else (NO_RANGES, [])
        pressure = ranges.within_pressures(c.relative_pressure)
        if pressure != c.relative_pressure:
            notes.append(f"INFLPRES is {c.INFLPRES:g}, beyond its range: {(1.0 + pressure) * c.NOMPRES:g} applies")
        vertical = vertical_law(c, curve, pressure, thing)
        self._set(MagicFormula(c, ranges), vertical, [*c.notes(bool(curve)), *notes])
        self._coefficients, self.low_speed = c, c.VXLOW or LOW_SPEED
        self._nominal_pressure, self._reference_speed = c.NOMPRES, c.LONGVL
        self._pressure = as_expression(pressure)

    def _mount(self, side: str | None) -> None:
        self.side = None if self._formula.mirrored() is self._formula else side

    def __repr__(self) -> str:
        kind = type(self._formula).__name__
        side = f", {self.side}" if self.side else ""
        return f"tyre ({kind}, radius {self.radius:g} m, {self.stiffness:g} N/m{side})"

    def on(self, side: str) -> Self:
        """Return this tyre mounted on a side of the vehicle, "left" or "right"; it is mirrored if it is for the other.

        For opposite slip and inclination angles, a mirrored tyre has the same forces along x, and opposite forces along
        y and moments about x and z. Raises ModelError for another side.
        """
        wanted = _side(side, repr(self))
        return self if self.side in (None, wanted) else self._mirrored

    @cached_property
    def _mirrored(self) -> Self:
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other._formula = self._formula.mirrored()
        other.side = SIDES[self.side == "left"]
        vars(other)["_mirrored"] = self
        return other

    def forces(
        self,
        fz: Any,
        kappa: Any = 0.0,
        alpha: Any = 0.0,
        gamma: Any = 0.0,
        pressure: Any = None,
        speed: Any = None,
        spin: Any = None,
    ) -> TyreForces:
        """Return the forces of the tyre in steady rolling; see `TyreForces`.

        fz: load, N; loads below 1e-6 N count as that load. kappa: longitudinal slip. alpha: slip angle, rad, within
        ±pi/2. gamma: inclination angle, rad. pressure: inflation pressure, Pa, by default that of the file. speed: m/s,
        for the rolling resistance and the decay of friction (LMUV), by default that at which the tyre was measured.
        spin: of the contact over the speed, 1/m, for turn slip, positive to the left; it contains that due to
        inclination, whose own terms then have no effect. Each is a number, an expression, or an array of numbers.

        Positive slip angles give negative lateral forces, positive kappa positive longitudinal forces. Raises
        ModelError for any other argument, for arrays whose shapes do not fit, for slip angles beyond ±pi/2, for a
        pressure without a nominal pressure (NOMPRES), and for a spin if the tyre has no turn slip.
        """
        given = {
            "fz": fz, "kappa": kappa, "alpha": alpha, "gamma": gamma,
            "speed": self._reference_speed if speed is None else speed,
            **({} if pressure is None else {"pressure": pressure}), **({} if spin is None else {"spin": spin}),
        }  # fmt: skip
        if any(is_list(x) for x in given.values()):
            return self._arrays(given)
        n = {name: number(x, f"{name} of {self!r}") for name, x in given.items()}
        if is_literal(n["alpha"]) and math.fabs(n["alpha"].value) > math.pi / 2:
            raise ModelError(f"alpha of {self!r} is {n['alpha'].value:g} rad: give a slip angle from -pi/2 to pi/2")
        relative = self._pressure if pressure is None else self._relative(n["pressure"])
        gamma, kappa, tan_alpha = n["gamma"], n["kappa"], tan(n["alpha"])
        if spin is not None:
            self.require_turn_slip(repr(self))
        sliding = abs(n["speed"]) * sqrt(kappa * kappa + tan_alpha * tan_alpha)
        slip = Slip(
            n["fz"], kappa, tan_alpha, gamma, sin(gamma), relative, n["speed"], spin=n.get("spin"), sliding=sliding
        )
        f = self.steady(slip)
        numbers = (f.fx, f.fy, f.mx, f.my, f.turning + f.mz_arm + f.mz_spin, f.kappa_stiffness, f.alpha_stiffness)
        return TyreForces(*map(plain, numbers))

    def _arrays(self, given: Mapping[str, Any]) -> TyreForces:
        """Return forces for arrays of numbers, element by element."""
        names = list(given)
        columns = [number_array(given[name], f"{name} of {self!r}") for name in names]
        try:
            arrays = np.broadcast_arrays(*columns)
        except ValueError:
            shapes = ", ".join(f"{name} {x.shape}" for name, x in zip(names, columns, strict=True) if x.ndim)
            raise ModelError(f"{self!r}: the shapes of {shapes} do not fit: give arrays of one shape") from None
        rows = [
            self.forces(**dict(zip(names, map(float, row), strict=True)))
            for row in zip(*(x.ravel() for x in arrays), strict=True)
        ]
        of = {entry.name: [getattr(row, entry.name) for row in rows] for entry in fields(TyreForces)}
        return TyreForces(**{name: np.reshape(column, arrays[0].shape) for name, column in of.items()})

    def _relative(self, pressure: Expression) -> Expression:
        """Return the relative deviation of a pressure (Pa) from the nominal one. Raises ModelError without NOMPRES."""
        if not self._nominal_pressure:
            raise ModelError(f"{self!r} does not depend on the pressure: leave pressure= out, or give NOMPRES")
        return (pressure - self._nominal_pressure) / self._nominal_pressure

    def require_turn_slip(self, thing: str) -> None:
        """Raise ModelError if the formula of this tyre has no turn slip; thing: for the message."""
        if reason := self._formula.no_turn_slip:
            raise ModelError(f"{thing}: {reason}")

    def turn_slip(self, fz: Expression) -> TurnSlip:
        """Return how spin follows the motion of a tyre with turn slip, under a load, N."""
        return self._formula.turn_slip(fz)

    def cams(self) -> Cams:
        """Return the tandem cams of the coefficients, at the nominal load (T16).

        Semi-axes ELLIPS_LENGTH R0 and ELLIPS_HEIGHT R0, order ELLIPS_ORDER; the distance is ELLIPS_SHIFT times the
        length of the contact by Q_RA1 and Q_RA2. The width is that of the contact by Q_RB1 and Q_RB2, zero without
        these and WIDTH. Raises ModelError for coefficients that are missing.
        """
        return cams_of(self._coefficients, self._vertical, repr(self))

    def steady(self, slip: Slip) -> SteadyForces:
        """Return the steady forces for a load and slips, as expressions."""
        return self._formula.steady(slip)

    def relaxation(
        self, fz: Expression, sin_gamma: Expression, grip: Expression
    ) -> tuple[Expression, Expression, SteadyForces]:
        """Return the longitudinal and lateral relaxation lengths of small slips, m, and the forces in free rolling.

        fz: load, N. grip: factor of friction.
        """
        free = self.steady(Slip(fz, ZERO, ZERO, pressure=self._pressure, grip=grip))
        along, across = self._formula.relaxation(
            Slip(fz, ZERO, ZERO, sin_gamma=sin_gamma, pressure=self._pressure), free
        )
        return along, across, free

    @property
    def pressure(self) -> Expression:
        """Relative deviation of the inflation pressure from the nominal one."""
        return self._pressure

    @property
    def vertical(self) -> Vertical:
        """The vertical spring."""
        return self._vertical

    def loaded_radius(self, fz: Any, omega: Any = 0.0) -> Any:
        """Return the height of an upright wheel's centre above a level road, m, under a static load, N.

        omega: angular velocity of the wheel, rad/s, on which the radius of version 6.1 depends; without forces along
        and across. Raises ModelError for a negative load, and for one that would press the centre onto the road.
        """
        load, omega = self._load(fz), number(omega, f"omega of {self!r}", "rad/s")
        return plain(self._vertical.loaded_radius(load, omega))

    def effective_radius(self, fz: Any, omega: Any = 0.0) -> Any:
        """Return the effective rolling radius, m, under a load, N: speed over angular velocity in free rolling.

        omega: angular velocity of the wheel, rad/s, with which the radius of version 6.1 grows. Raises ModelError as
        `loaded_radius`.
        """
        load, omega = self._load(fz), number(omega, f"omega of {self!r}", "rad/s")
        return plain(self._vertical.effective_radius(load, omega))

    def _load(self, fz: Any) -> Expression:
        """Return a load, N. Raises ModelError for a number that no tyre carries."""
        load = number(fz, f"load of {self!r}", "N")
        if is_literal(load):
            if load.value < 0.0:
                raise ModelError(f"load of {self!r} is {load.value:g} N: it must not be negative")
            if plain(self._vertical.loaded_radius(load)) <= 0.0:
                flat = f"would press its centre, {self.radius:g} m high, onto the road"
                raise ModelError(f"load of {self!r} is {load.value:g} N, which {flat}: give a smaller one")
        return load


def _side(side: Any, thing: str) -> str:
    """Return a side in lower case. Raises ModelError for a value other than left and right."""
    if not isinstance(side, str) or side.lower() not in SIDES:
        raise ModelError(f"{thing}: side {display(side)}: give 'left' or 'right'")
    return side.lower()


def _fit_type(file: PropertyFile) -> dict[str, float]:
    """Return FITTYP of a file that has it in quotes. Raises ModelError for another text."""
    text = file.texts.get("FITTYP", "")
    if text and not text.isdigit():
        raise ModelError(f"{file.at('FITTYP')}: FITTYP is {text!r}: give a number, such as 61")
    return {"FITTYP": float(text)} if text else {}


def _curve(file: PropertyFile) -> Curve:
    """Return the table of deflection (m) and load (N). Raises ModelError unless both increase, from zero or above."""
    rows: Sequence[tuple[float, float]] = deflection_load_curve(file)
    rising = all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(rows))
    if rows and (len(rows) < 2 or not rising or rows[0][0] < 0.0 or rows[0][1] < 0.0):
        raise ModelError(
            f"{file.path}: [DEFLECTION_LOAD_CURVE] must have two or more rows, in which both numbers increase"
        )
    return tuple(rows)


def _plain(value: Expression, thing: str) -> float:
    if not is_literal(value):
        raise ModelError(f"{thing} is an expression: give a number")
    return float(value.value)


def _positive(thing: str, **given: tuple[Any, str | None]) -> dict[str, float]:
    """Return numbers by name from values and units. Raises ModelError for an expression or a number not above zero."""
    checked = {}
    for name, (value, unit) in given.items():
        what = f"{name} of {thing}"
        checked[name] = _plain(no_less_than_zero(value, what, unit, positive=True), what)
    return checked
