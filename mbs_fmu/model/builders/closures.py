"""Methods of `Model` for closures: loops, rolling wheels, equations, and their stabilization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...symbolic.expressions import leaf
from ..checks import finite_number
from ..closures import Equations, KnifeEdge, Mode, Pair, PairClosure, Rolling, Side, Stabilization, contact_names
from ..closures.equations import checked_equations
from ..closures.modes import armed
from ..data import ModelData
from ..geometry.axes import Axis
from ..geometry.poses import placed
from ..items import WORLD, State, body_label
from ..names import known_in, new_name, place
from ..references.leaves import ContactRate
from .argument_types import BodyOrName, Condition, Number, Placement, Quantity

M = TypeVar("M", bound=Mode | None)


def close(
    model: ModelData,
    name: str,
    a: BodyOrName,
    b: BodyOrName,
    joint: Pair,
    *,
    at_a: Placement = (0.0, 0.0, 0.0),
    at_b: Placement = (0.0, 0.0, 0.0),
    when: Condition | None = None,
    until: Condition | None = None,
) -> None:
    """Close a loop by a joint between two bodies of the tree.

    joint: any joint (its motions lead from a to b), `mbs.Distance`, `mbs.OnLine`, `mbs.OnPlane`, or for plane curves
    `mbs.OnCurve` or `mbs.CurveOnCurve`.
    at_a, at_b: joint frames on both bodies, positions (m, body axes) or `Pose`s; they coincide while all
    coordinates of the joint are zero. Redundant conditions are detected at the start and left out.
    when, until: conditions such as mbs.coordinate(panel) >= 1.57. The joint engages when the first becomes true (None:
    at the start) and releases when the second does (None: never). It engages at the current configuration, whose
    residual becomes the new zero. < and > are false at equality; conditions may depend on modes and impulses too.

    Raises ModelError for a name that is taken, an unknown body, a joint that cannot close a loop, and anything but a
    condition as `when` or `until`.
    """
    new_name(model, name, "loop")
    thing = f"loop {name!r}"
    a_side, b_side = sides(model, a, b, at_a, at_b, thing)
    pair = checked_pair(joint, thing)
    mode = known_mode(model, armed(when, until, thing), thing)
    add_closure(model, PairClosure(name, a_side, b_side, pair, mode=mode))


def add_closure(model: ModelData, closure: PairClosure) -> None:
    """Add the closure of a pair, and its contact parameters as states."""
    name = closure.name
    model.loops[name] = closure
    names, units = contact_names(name, closure.pair.contacts), closure.pair.contact_units
    for k, (state, unit) in enumerate(zip(names, units, strict=True)):
        description = f"contact parameter {k + 1} of {name}, found where it starts"
        model.states[state] = State(state, leaf(ContactRate(name, k)), 0.0, unit, description)
    model.version += 1


def sides(
    model: ModelData, a: BodyOrName, b: BodyOrName, at_a: Placement, at_b: Placement, thing: str
) -> tuple[Side, Side]:
    """Return the frames of a pair. Raises ModelError for an unknown body, and if both are the same body."""
    ends = place(model, a, thing), place(model, b, thing)
    frames = placed(at_a, f"at_a of {thing}"), placed(at_b, f"at_b of {thing}")
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {body_label(ends[0])} with itself: give two bodies")
    return Side(ends[0], *frames[0]), Side(ends[1], *frames[1])


def known_mode(model: ModelData, mode: M, thing: str) -> M:
    """Return the mode; ModelError if it depends on a body or closure that the model does not have."""
    if mode is not None:
        known_in(model, mode.numbers, thing)
    return mode


def checked_pair(joint: object, thing: str) -> Pair:
    """Return the pair with checked numbers; ModelError if it cannot close a loop."""
    if not isinstance(joint, Pair):
        raise ModelError(
            f"{thing}: {display(joint)} closes no loop: give a joint such as mbs.Revolute('z'), or mbs.Distance, "
            "OnLine, OnPlane, OnCurve; shapes such as mbs.Sphere are for shape_a= and shape_b= of a contact"
        )
    return joint.checked(thing)


def roll(
    model: ModelData,
    name: str,
    wheel: BodyOrName,
    on: BodyOrName = WORLD,
    *,
    radius: Quantity | None = None,
    axis: Axis | None = "y",
    normal: Axis = "z",
    crown: Quantity = 0.0,
    at: Placement = (0.0, 0.0, 0.0),
    at_on: Placement = (0.0, 0.0, 0.0),
    when: Condition | None = None,
    until: Condition | None = None,
) -> None:
    """Let a wheel or a ball roll without slipping on a plane of the world or of another body.

    radius: radius of the wheel's rim or of the ball, m; None: a knife edge, whose point does not move along `axis`.
    axis: axis of the wheel, in the axes of the frame `at`; None: a ball. normal: normal of the plane towards the wheel,
    in the axes of the frame `at_on`. crown: radius of the rounding of the rim, m, centred on the rim. at: centre of the
    wheel, or point of the edge; at_on: point of the plane; positions (m, body axes) or `Pose`s. A wheel also stays on
    the plane; an edge does not. See `mbs.Rolling` and `mbs.KnifeEdge`. when, until: as for `close`.

    Raises ModelError for a name that is taken, an unknown body, and a radius that is not positive.
    """
    if radius is None:
        if axis is None:
            raise ModelError(f"roll {display(name)}: give radius= of a ball or wheel, or axis= across a knife edge")
        pair: Pair = KnifeEdge(axis)
    else:
        pair = Rolling(radius, axis, normal, crown)
    close(model, name, on, wheel, pair, at_a=at_on, at_b=at, when=when, until=until)


def constrain(
    model: ModelData,
    name: str,
    equations: Number | Sequence[Number],
    *,
    when: Condition | None = None,
    until: Condition | None = None,
) -> None:
    """Constrain expressions of coordinates, positions, orientations, parameters and time, or of rates, to be zero.

    equations: one expression or a list. An expression of joint velocities, velocities or angular velocities must be
    linear in them; it is a rate constraint, which restricts no position (nonholonomic). Inputs are not allowed: a
    prescribed motion of a closed loop must be known with its rate, as a function of time. when, until: as for `close`.

    Raises ModelError for a name that is taken, a dependence that is not allowed, and an expression that is not linear
    in rates.
    """
    thing = f"loop {name!r}"
    new_name(model, name, "loop")
    expressions = checked_equations(equations, thing)
    known_in(model, expressions, thing)
    mode = known_mode(model, armed(when, until, thing), thing)
    model.loops[name] = Equations(name, expressions, mode=mode)
    model.version += 1


def stabilize(
    model: ModelData,
    alpha: float | None = None,
    projection: bool = True,
    rebasing: bool = True,
    bound: float | None = None,
) -> None:
    """Set the stabilization of constraint residuals, see `Stabilization`; the defaults suit nearly all models.

    alpha: decay rate of residuals, 1/s. projection: project after steps that leave large residuals. rebasing: transfer
    constraint impulses to the momenta at each step. bound: largest residual (m, rad) of a successful step. Raises
    ModelError for values out of range.
    """
    for value, what, least in ((alpha, "alpha", 0.0), (bound, "bound", 1e-300)):
        if value is not None and not finite_number(value, f"{what} of the stabilization") >= least:
            raise ModelError(f"{what} of the stabilization is {display(value)}: it must be positive")
    projected = truth(projection, "projection of the stabilization", ModelError)
    rebased = truth(rebasing, "rebasing of the stabilization", ModelError)
    model.stabilization = Stabilization(alpha, projected, rebased, bound)
    model.value_version += 1
