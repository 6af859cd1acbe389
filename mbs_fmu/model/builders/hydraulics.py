"""Method of `Model` for hydraulic cylinders with their valves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.argument_types import Components, Quantity
from ...symbolic.expressions import Expression, clip, exp, is_literal, leaf, max, sqrt
from ...symbolic.sides import parts
from ..data import ModelData
from ..forces.characteristics import Ends
from ..forces.lines import Span, span
from ..forces.places import add_force, two_bodies
from ..forces.pulls import Pull
from ..geometry.vectors import no_less_than_zero, number, numbers
from ..items import BodyOrName, State
from ..names import known_in, new_name, not_taken
from ..references.leaves import Signal
from .signals import add_state

MODULUS = 1.4e9  #: Pa, bulk modulus of mineral oil with hoses
ROUNDING = 1e-6  #: share of the stroke by which a start may lie outside of it
LAMINAR = 1e4  #: Pa, difference of pressures below which the flow through an edge is about proportional to it


class HydraulicCylinder(NamedTuple):
    """Quantities of a cylinder, as expressions in SI units.

    pressure_a, pressure_b: of the chambers at the piston's full face and at the rod, Pa. flow_a, flow_b: into the
    chambers, m³/s at the pressure of the chamber. stroke: m, zero while retracted; speed: its rate, m/s. force: that of
    the pressures and of friction on the ends, N, positive if it pushes them apart. supply: flow from the supply, m³/s.
    inflow: power that the oil brings into the chambers, W, which is the work of the pressures plus the rate of the
    energy stored in the oil.
    """

    pressure_a: Expression
    pressure_b: Expression
    flow_a: Expression
    flow_b: Expression
    stroke: Expression
    speed: Expression
    force: Expression
    supply: Expression
    inflow: Expression


@dataclass(frozen=True, eq=False)
class Chamber:
    """A volume of oil, V = max(dead + area x, dead / 2), under the pressure p (A1); x: m, v: its rate, m/s."""

    area: Expression
    dead: Expression
    x: Expression
    v: Expression
    pressure: Expression
    modulus: Expression

    @property
    def volume(self) -> Expression:
        """m³."""
        return max(self.dead + self.area * self.x, 0.5 * self.dead)

    def pressure_rate(self, flow: Expression) -> Expression:
        """Return p' = beta / V (Q - A v), Pa/s."""
        return self.modulus / self.volume * (flow - self.area * self.v)

    @property
    def enthalpy(self) -> Expression:
        """Work of bringing oil into the chamber, per volume: beta (exp(p / beta) - 1), J/m³ (A3)."""
        return self.modulus * (exp(self.pressure / self.modulus) - 1.0)

    @property
    def energy(self) -> Expression:
        """Energy of compression: V (beta (exp(p / beta) - 1) - p), about V p² / (2 beta), J (A3)."""
        return self.volume * (self.enthalpy - self.pressure)


@dataclass(frozen=True, eq=False)
class Valve:
    """Spool valve with four equal edges, and leakage past the piston (A2).

    opening: -1 to 1; flow: of a fully open edge, m³/s per root of Pa; leak: m³/s per Pa.
    """

    opening: Expression
    flow: Expression
    leak: Expression
    supply: Expression
    tank: Expression

    def flows(self, pa: Expression, pb: Expression) -> tuple[Expression, Expression, Expression]:
        """Return the flows into both chambers and from the supply, m³/s."""
        up, down = parts(self.opening)
        from_a, from_b = (up * _root(self.supply - pa), down * _root(self.supply - pb))
        leaking = self.leak * (pa - pb)
        a = self.flow * (from_a - down * _root(pa - self.tank)) - leaking
        b = self.flow * (from_b - up * _root(pb - self.tank)) + leaking
        return a, b, self.flow * (from_a + from_b)


def _root(difference: Expression) -> Expression:
    """Return x / (x² + p0²)^(1/4): the signed root of a difference of pressures, smooth at zero."""
    return difference / sqrt(sqrt(difference * difference + LAMINAR * LAMINAR))


def cylinder(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    *,
    bore: Quantity,
    stroke: Quantity,
    closed: Quantity,
    opening: Quantity,
    flow: Quantity,
    supply: Quantity,
    rod: Quantity = 0.0,
    at_a: Components = (0.0, 0.0, 0.0),
    at_b: Components = (0.0, 0.0, 0.0),
    tank: Quantity = 0.0,
    modulus: Quantity = MODULUS,
    dead: Quantity | None = None,
    leak: Quantity = 0.0,
    viscous: Quantity = 0.0,
    stop: Quantity | None = None,
    stop_damping: Quantity = 0.0,
    start: tuple[Quantity, Quantity] = (0.0, 0.0),
) -> HydraulicCylinder:
    """Add a hydraulic cylinder between two points, with a four-way valve; return its quantities.

    at_a, at_b: the ends of the cylinder on bodies a and b, m, body axes. bore, rod: diameters, m. closed: distance of
    the ends when retracted, stroke: largest extension beyond it, m. The pressures of both chambers are states with the
    names `NAME.pressure_a` (at the full face of the piston) and `NAME.pressure_b` (at the rod), gauge pressures in Pa;
    start: their values at the start.

    opening: position of the spool, limited to -1 .. 1. A positive one connects chamber a to the supply and b to the
    tank, so that the cylinder extends; at zero the valve is closed. flow: through a fully open edge, m³/s per root of
    Pa of pressure difference. supply, tank: pressures, Pa. modulus: bulk modulus of the oil, Pa. dead: volume of each
    chamber at its end of the stroke, m³, by default a tenth of the largest. leak: past the piston, m³/s per Pa.
    viscous: friction, N.s/m. stop: stiffness of end stops at both ends of the stroke, N/m, with stop_damping, N.s/m; by
    default there are none. All numbers may be expressions.

    A start at which the piston lies outside of its stroke raises ModelError; with a stop, one at which it compresses
    the stop until a chamber has less than half of its dead volume.

    `mbs.strength(name)` is the tension in the cylinder, N, negative while it pushes; `mbs.energy()` includes the energy
    of the compressed oil.

    Raises ModelError for names in use, unknown or equal bodies, numbers out of range, and a rod as thick as the bore.
    """
    new_name(model, name, "force")
    thing = f"cylinder {name!r}"
    ends = two_bodies(model, a, b, thing, "two bodies")
    places = numbers(at_a, 3, f"at_a of {thing}", "m"), numbers(at_b, 3, f"at_b of {thing}", "m")
    states = f"{name}.pressure_a", f"{name}.pressure_b"
    for state in states:
        not_taken(model, state, "state")
    starts = numbers(start, 2, f"start of {thing}", "Pa")
    areas = _areas(bore, rod, thing)
    lengths = _positive(closed, f"closed of {thing}", "m"), _positive(stroke, f"stroke of {thing}", "m")
    valve = _valve(opening, flow, leak, supply, tank, thing)
    line = span(ends[0], places[0], ends[1], places[1])
    beta = _positive(modulus, f"modulus of {thing}", "Pa")
    dead_volumes = _dead(dead, areas, lengths[1], thing)
    chambers = _chambers(areas, lengths, dead_volumes, line, states, beta)
    friction = no_less_than_zero(viscous, f"viscous of {thing}", "N.s/m")

    pa, pb = (chamber.pressure for chamber in chambers)
    pushed = pa * areas[0] - pb * areas[1]
    qa, qb, from_supply = valve.flows(pa, pb)
    stops = _stops(lengths, stop, stop_damping, thing)
    slack = [0.5 * volume / area for volume, area in zip(dead_volumes, areas, strict=True)]
    allowed = _starts(lengths, [ROUNDING * lengths[1]] * 2 if stops is None else slack)
    force = Pull(name, ends[0], places[0], ends[1], places[1], -pushed, friction, stops, "cylinder", allowed)
    items = [
        State(state, chamber.pressure_rate(q), 0.0, "Pa", f"pressure of chamber {side} of {thing}", chamber.energy)
        for state, chamber, q, side in zip(states, chambers, (qa, qb), "ab", strict=True)
    ]
    known_in(model, [item.rate for item in items], thing)
    for item, value in zip(items, starts, strict=True):
        add_state(model, item, value)
    add_force(model, force, thing)
    inflow = chambers[0].enthalpy * qa + chambers[1].enthalpy * qb
    return HydraulicCylinder(
        pa, pb, qa, qb, line.distance - lengths[0], line.speed, pushed - friction * line.speed, from_supply, inflow
    )


def _positive(value: Quantity, thing: str, unit: str) -> Expression:
    return no_less_than_zero(value, thing, unit, positive=True)


def _valve(opening: Quantity, flow: Quantity, leak: Quantity, supply: Quantity, tank: Quantity, thing: str) -> Valve:
    """Return the checked valve, with an opening limited to -1 .. 1."""
    return Valve(
        clip(number(opening, f"opening of {thing}"), -1.0, 1.0),
        no_less_than_zero(flow, f"flow of {thing}"),
        no_less_than_zero(leak, f"leak of {thing}"),
        number(supply, f"supply of {thing}", "Pa"),
        number(tank, f"tank of {thing}", "Pa"),
    )


def _stops(lengths: tuple[Expression, Expression], stop: Quantity | None, damping: Quantity, thing: str) -> Ends | None:
    """Return the stops at both ends of the stroke, or None. Raises ModelError for a damper without a stop."""
    damper = no_less_than_zero(damping, f"stop_damping of {thing}", "N.s/m")
    if stop is not None:
        return Ends(lengths[0], lengths[0] + lengths[1], _positive(stop, f"stop of {thing}", "N/m"), damper)
    if not is_literal(damper, 0.0):
        raise ModelError(f"{thing}: stop_damping= has no effect without a stop: give stop= (N/m) too")
    return None


def _starts(
    lengths: tuple[Expression, Expression], slack: Sequence[Expression]
) -> tuple[tuple[Expression, str], tuple[Expression, str]]:
    """Return the distances within which the ends may start, m, with messages on others; slack: at both ends, m."""
    remedy = "move an attachment point or a start value, or change closed= or stroke="
    retracted, extended = lengths[0], lengths[0] + lengths[1]
    return (
        (
            retracted - slack[0],
            f"its piston starts before its stroke: its ends are closer than closed={_metres(retracted)}; {remedy}",
        ),
        (
            extended + slack[1],
            "its piston starts beyond its stroke: its ends are further apart than closed= and stroke= together"
            f"{_metres(extended)}; {remedy}",
        ),
    )


def _metres(length: Expression) -> str:
    """Return a length for a message, or nothing if it depends on parameters."""
    return f", {length.value:g} m" if is_literal(length) else ""


def _areas(bore: Quantity, rod: Quantity, thing: str) -> tuple[Expression, Expression]:
    """Return the area of the piston and the annular area around the rod, m². Raises ModelError if that is zero."""
    outer, inner = _positive(bore, f"bore of {thing}", "m"), no_less_than_zero(rod, f"rod of {thing}", "m")
    if is_literal(outer) and is_literal(inner) and inner.value >= outer.value:
        raise ModelError(f"rod of {thing} is {inner.value:g} m: it must be thinner than the bore, {outer.value:g} m")
    return math.pi / 4 * outer * outer, math.pi / 4 * (outer * outer - inner * inner)


def _dead(
    dead: Quantity | None, areas: tuple[Expression, Expression], reach: Expression, thing: str
) -> tuple[Expression, Expression]:
    """Return the dead volumes of both chambers, m³."""
    if dead is None:
        return 0.1 * areas[0] * reach, 0.1 * areas[1] * reach
    both = no_less_than_zero(dead, f"dead of {thing}", positive=True)
    return both, both


def _chambers(
    areas: tuple[Expression, Expression],
    lengths: tuple[Expression, Expression],
    dead: tuple[Expression, Expression],
    line: Span,
    states: tuple[str, str],
    modulus: Expression,
) -> tuple[Chamber, Chamber]:
    """Return both chambers; lengths: shortest distance of the ends, and stroke, m."""
    out = line.distance - lengths[0]
    pa, pb = (leaf(Signal("state", state)) for state in states)
    return (
        Chamber(areas[0], dead[0], out, line.speed, pa, modulus),
        Chamber(areas[1], dead[1], lengths[1] - out, -line.speed, pb, modulus),
    )
