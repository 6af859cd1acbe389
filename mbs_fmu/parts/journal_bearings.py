"""`journal_bearing`: the oil film of a short plain bearing."""

from __future__ import annotations

from ..infrastructure.arguments import truth
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..model.forces.frame_pairs import shaft_in_housing
from ..model.forces.places import add_force
from ..model.forces.plain_bearings import MOST_ECCENTRIC, JournalFilm
from ..model.geometry.axes import Axis
from ..model.geometry.poses import Placement
from ..model.geometry.vectors import no_less_than_zero
from ..model.items import BodyOrName
from ..model.model import Model
from ..model.names import new_name
from ..symbolic.argument_types import Quantity
from ..symbolic.expressions import Expression, is_literal


@dataclass(frozen=True, eq=False)
class JournalBearing:
    """Quantities of a journal bearing, as expressions in SI units.

    eccentricity: distance of the centres over the clearance, 0 to 1. attitude: angle from the load to the line of
    centres, rad, about the bearing's axis; between -pi and pi. load: force that the film transmits, N. friction: torque
    of the film on the shaft about the axis, at the journal's centre, N.m. film: least thickness of the film, m.
    """

    eccentricity: Expression
    attitude: Expression
    load: Expression
    friction: Expression
    film: Expression


def journal_bearing(
    model: Model,
    name: str,
    shaft: BodyOrName,
    housing: BodyOrName,
    *,
    radius: Quantity,
    length: Quantity,
    clearance: Quantity,
    viscosity: Quantity,
    at_shaft: Placement = (0.0, 0.0, 0.0),
    at_housing: Placement = (0.0, 0.0, 0.0),
    axis: Axis = "z",
    stop: bool = True,
) -> JournalBearing:
    """Add the oil film of a short journal bearing (Q5), (Q6) and return its quantities.

    at_shaft, at_housing: centres of the journal and of the bush (m, body axes), or `Pose`s. axis: of the bearing, in
    these frames. radius: of the journal, length: of the bearing, clearance: radial, m; viscosity: dynamic, Pa s. They
    are positive and may be expressions.

    The film carries loads across the axis of the bush, without moments and without axial force: short bearing, at most
    half as long as its diameter, with the pressure cut off where it would be negative. It resists the spin of the
    shaft relative to the housing. The power of force and friction, `mbs.power(name)`, is never positive.

    The event `NAME_touches` ends a run when the eccentricity exceeds 0.999; with stop=False there is no such event, as
    batches require, and the film carries the journal however thin it is. A start at or beyond 0.999 raises ModelError.

    Raises ModelError for a name in use, unknown or equal bodies, an invalid pose or axis, and numbers that are not
    positive. Source: Capone, L'Energia Elettrica (1991); Adiletta, Guido, Rossi, Nonlinear Dynamics 10 (1996) 251.
    """
    new_name(model, name, "force")
    ends = truth(stop, f"stop of bearing {name!r}", ModelError)
    if ends:
        new_name(model, f"{name}_touches", "event")
    thing = f"bearing {name!r}"
    frames = shaft_in_housing(model, shaft, housing, at_shaft, at_housing, axis, thing)
    numbers = (
        no_less_than_zero(value, f"{what} of {thing}", unit, positive=True)
        for value, what, unit in (
            (radius, "radius", "m"), (length, "length", "m"), (clearance, "clearance", "m"),
            (viscosity, "viscosity", "Pa.s"),
        )
    )  # fmt: skip
    film = JournalFilm(name, frames, *numbers)
    _check_sizes(film)
    add_force(model, film, thing)
    if ends:
        model.event(f"{name}_touches", film.square - MOST_ECCENTRIC**2, direction=1, stop=True)
    thickness = film.clearance * (1.0 - film.eccentricity)
    return JournalBearing(film.eccentricity, film.attitude, film.load, film.friction, thickness)


def _check_sizes(film: JournalFilm) -> None:
    """Raise ModelError for literal sizes for which the film is not thin and short."""
    radius, length, clearance = (x.value if is_literal(x) else None for x in (film.radius, film.length, film.clearance))
    if radius is not None and clearance is not None and clearance >= radius:
        raise ModelError(
            f"clearance of {film.thing} is {clearance:g} m: it must be less than the radius of {radius:g} m, mostly a "
            'thousandth of it; with a unit, "50 um"'
        )
    if radius is not None and length is not None and length > 2.0 * radius:
        raise ModelError(
            f"length of {film.thing} is {length:g} m, more than its diameter of {2.0 * radius:g} m: the law is that of "
            "short bearings; use mbs.linear_bearing with the coefficients of a long one"
        )
