"""The words of a model for closed loops."""

from __future__ import annotations

from typing import Any, TypeVar

from ...arguments import truth
from ...errors import ModelError
from ...messages.failures import display
from ...symbolic.expressions import leaf
from ..checks import finite_number
from ..closures import Equations, KnifeEdge, Mode, Pair, PairClosure, Rolling, Side, Stabilization, contact_names
from ..closures.equations import checked_equations
from ..closures.modes import armed
from ..data import ModelData
from ..geometry.poses import placed
from ..items import WORLD, Body, State, said
from ..names import known_in, new_name, place
from ..references.leaves import ContactRate

M = TypeVar("M", bound=Mode | None)


def close(
    model: ModelData,
    name: str,
    a: str | Body,
    b: str | Body,
    joint: Any,
    *,
    at_a: Any = (0.0, 0.0, 0.0),
    at_b: Any = (0.0, 0.0, 0.0),
    when: Any = None,
    until: Any = None,
) -> None:
    """Close a loop: a joint between two bodies of the tree.

    joint: any joint (with the motions it allows from a to b), `mbs.Distance`, `mbs.OnLine`, `mbs.OnPlane`, or of plane
    curves `mbs.OnCurve` or `mbs.CurveOnCurve`.
    at_a, at_b: the joint's place on both bodies, positions (m, body axes) or `Pose`s; with all its coordinates
    zero both places coincide. Conditions that others imply already are found at the start, and left out.
    when, until: conditions such as mbs.coordinate(panel) >= 1.57. The joint holds from when the one becomes true (None:
    from the start) until the other does (None: for ever), wherever it finds its bodies when it takes hold. < and > are
    false at equality; conditions may be made of modes and impulses too.

    Raises ModelError for a name that is taken, an unknown body, a joint that closes nothing, what is no condition.
    """
    new_name(model, name, "loop")
    thing = f"loop {name!r}"
    a_side, b_side = sides(model, a, b, at_a, at_b, thing)
    pair = checked_pair(joint, thing)
    mode = known_mode(model, armed(when, until, thing), thing)
    add_closure(model, PairClosure(name, a_side, b_side, pair, mode=mode))


def add_closure(model: ModelData, closure: PairClosure) -> None:
    """A pair's closure, and its contact parameters as states."""
    name = closure.name
    model.loops[name] = closure
    names, units = contact_names(name, closure.pair.contacts), closure.pair.contact_units
    for k, (state, unit) in enumerate(zip(names, units, strict=True)):
        said = f"contact parameter {k + 1} of {name}, found where it starts"
        model.states[state] = State(state, leaf(ContactRate(name, k)), 0.0, unit, said)
    model.version += 1


def sides(model: ModelData, a: str | Body, b: str | Body, at_a: Any, at_b: Any, thing: str) -> tuple[Side, Side]:
    """The places of a pair. ModelError for an unknown body, and for a body with itself."""
    ends = place(model, a, thing), place(model, b, thing)
    places = placed(at_a, f"at_a of {thing}"), placed(at_b, f"at_b of {thing}")
    if ends[0] == ends[1]:
        raise ModelError(f"{thing} joins {said(ends[0])} with itself: give two bodies")
    return Side(ends[0], *places[0]), Side(ends[1], *places[1])


def known_mode(model: ModelData, mode: M, thing: str) -> M:
    """The mode; ModelError where it measures what the model doesn't have."""
    if mode is not None:
        known_in(model, mode.numbers, thing)
    return mode


def checked_pair(joint: Any, thing: str) -> Pair:
    """The pair, if it may close a loop; ModelError for anything else."""
    if not isinstance(joint, Pair):
        raise ModelError(
            f"{thing}: joint must be a joint such as mbs.Revolute('z'), or mbs.Distance, OnLine, OnPlane, OnCurve, not "
            f"{display(joint)}"
        )
    return joint.checked(thing)


def roll(
    model: ModelData,
    name: str,
    wheel: str | Body,
    on: str | Body = WORLD,
    *,
    radius: Any = None,
    axis: Any = "y",
    normal: Any = "z",
    crown: Any = 0.0,
    at: Any = (0.0, 0.0, 0.0),
    at_on: Any = (0.0, 0.0, 0.0),
    when: Any = None,
    until: Any = None,
) -> None:
    """Let a wheel or a ball roll without slipping on a plane, of the world or of another body.

    radius: of the wheel's rim, m; None: no wheel but a knife edge, whose point slides along the edge and not along
    `axis`. axis: the wheel's, in its own axes (of the place `at`); None: a ball. normal: of the plane, in the axes of
    `on` (of the place `at_on`), towards the wheel. crown: radius of the rim's rounding, m; the rim is the circle of its
    centres. at: the wheel's centre, or the edge's point; at_on: a point of the plane; positions (m, body axes) or
    `Pose`s. A wheel is also kept on the plane; an edge is not. See `mbs.Rolling` and `mbs.KnifeEdge`. when, until: as
    for `close`.

    Raises ModelError for a name that is taken, an unknown body, a radius that is not positive.
    """
    if radius is None:
        if axis is None:
            raise ModelError(f"roll {display(name)}: give radius= of a ball or wheel, or axis= across a knife edge")
        pair: Pair = KnifeEdge(axis)
    else:
        pair = Rolling(radius, axis, normal, crown)
    close(model, name, on, wheel, pair, at_a=at_on, at_b=at, when=when, until=until)


def constrain(model: ModelData, name: str, equations: Any, *, when: Any = None, until: Any = None) -> None:
    """Expressions that stay zero: of coordinates, positions, orientations, parameters and time, or of rates.

    equations: one expression or a list. One with joint velocities, velocities or angular velocities in it must be
    linear in them; it binds motions, and no position (a nonholonomic condition). They may not depend on inputs: what
    moves a closed loop must be known with its rate, as a function of time. when, until: as for `close`.

    Raises ModelError for a name that is taken, for what they can't depend on, for one that is not linear in rates.
    """
    new_name(model, name, "loop")
    found = checked_equations(equations, f"loop {name!r}")
    known_in(model, found, f"loop {name!r}")
    mode = known_mode(model, armed(when, until, f"loop {name!r}"), f"loop {name!r}")
    model.loops[name] = Equations(name, found, mode=mode)
    model.version += 1


def stabilize(
    model: ModelData,
    alpha: float | None = None,
    projection: bool = True,
    rebasing: bool = True,
    bound: float | None = None,
) -> None:
    """How closed loops are kept closed, see `Stabilization`; the defaults suit nearly all."""
    for value, what, least in ((alpha, "alpha", 0.0), (bound, "bound", 1e-300)):
        if value is not None and not finite_number(value, f"{what} of the stabilization") >= least:
            raise ModelError(f"{what} of the stabilization is {display(value)}: it must be positive")
    projected = truth(projection, "projection of the stabilization", ModelError)
    rebased = truth(rebasing, "rebasing of the stabilization", ModelError)
    model.stabilization = Stabilization(alpha, projected, rebased, bound)
    model.value_version += 1
