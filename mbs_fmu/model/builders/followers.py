"""The word of a model for joints that follow others, and its conditions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ...errors import ModelError
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import leaves
from ..closures import Equations
from ..data import ModelData
from ..geometry.vectors import Vector, number
from ..items import Body, Follower, Start
from ..joints import Joint
from ..names import known_in, new_name
from ..references.leaves import JointNumber, Signal

M = TypeVar("M", bound=ModelData)


def follow(
    model: ModelData, name: str, on: str | Body, leader: str | Body, ratio: Any = 1.0, offset: Any = 0.0
) -> None:
    """Let a joint follow another: its coordinate is `ratio` times that of the leader, plus `offset`.

    on, leader: bodies whose joints have one coordinate each: a turn, a slide, a screw. ratio: rad/rad, m/rad, rad/m or
    m/m; offset: rad or m; numbers, or expressions of parameters. The coordinate is no state then, and costs no
    condition: gears, mimic joints of robots. A leader may follow another in its turn. What acts along the joint, and a
    rotor on it, acts on the leader by way of the ratio. The leader alone has start values.

    Raises ModelError for a joint with several coordinates or none, one that follows already or has a drive, one that
    would follow itself, start values of the follower, a ratio that is no function of parameters.
    """
    new_name(model, name, "follower")
    thing = f"follower {name!r}"
    own, leads = (_single(model, body, thing) for body in (on, leader))
    for other in model.followers.values():
        if other.body == own:
            raise ModelError(f"{thing}: body {own!r} follows {other.leader!r} already, by {other.name!r}: keep one")
    chain = [own, leads, led(model.followers, leads).leader]
    if chain[2] == own:
        by = "itself" if own == leads else f"itself, since {leads!r} follows it"
        raise ModelError(f"{thing}: body {own!r} would follow {by}: one must lead")
    for drive in model.drives.values():
        if drive.body in chain:
            raise ModelError(f"{thing}: {_driven(drive.name, drive.body)}")
    told = Follower(
        name, own, leads,
        number(ratio, f"ratio of {thing}"), number(offset, f"offset of {thing}", _unit(model, own)),
    )  # fmt: skip
    _check_parameters(model, told)
    check_no_start(told, model.starts.get(own, Start()))
    model.followers[name] = told
    model.version += 1


def _single(model: ModelData, body: str | Body, thing: str) -> str:
    """The name of a body with a joint of one coordinate."""
    name = model.known_body(body, thing)
    joint: Joint = model.bodies[name].joint
    if len(joint.coordinates) != 1 or len(joint.rates) != 1:
        raise ModelError(
            f"{thing}: the joint of body {name!r} has {len(joint.coordinates)} coordinates: leader and follower are "
            "turns or slides, with one each"
        )
    return name


def _unit(model: ModelData, body: str) -> str:
    return model.bodies[body].joint.coordinates[0][1]


def _check_parameters(model: ModelData, told: Follower) -> None:
    for what, expression in (("ratio", told.ratio), ("offset", told.offset)):
        known_in(model, [expression], f"{what} of {told.thing}")
        for reference in leaves([expression]):
            if not (isinstance(reference, Signal) and reference.role == "parameter"):
                raise ModelError(f"{what} of {told.thing} depends on {reference}: it may depend on parameters only")


def _driven(drive: str, body: str) -> str:
    return f"body {body!r} has drive {drive!r}, and what follows a drive is driven too: give the follower a drive"


def check_no_drive(model: ModelData, drive: str, body: str) -> None:
    """ModelError for a drive on a joint that follows or leads."""
    for follower in model.followers.values():
        if body in (follower.body, follower.leader):
            raise ModelError(f"{follower.thing}: {_driven(drive, body)}")


def check_no_start(told: Follower, start: Start) -> None:
    """ModelError where a start value is given, which the leader gives."""
    for what, given in (("q", start.q), ("u", start.u)):
        if given is not None:
            raise ModelError(
                f"start {what} of body {told.body!r} would be ignored, it follows {told.leader!r}: leave it out, or "
                "give that of the leader"
            )


class Led(NamedTuple):
    """How a joint follows the last of its leaders: its coordinate is ratio times the leader's, plus offset."""

    leader: str
    ratio: Expression
    offset: Expression


def led(followers: Mapping[str, Follower], body: str) -> Led:
    """How a body's joint follows; one that follows none leads itself."""
    by_body = {follower.body: follower for follower in followers.values()}
    ratio, offset = as_expression(1.0), as_expression(0.0)
    while body in by_body:
        told = by_body[body]
        ratio, offset, body = ratio * told.ratio, ratio * told.offset + offset, told.leader
    return Led(body, ratio, offset)


def follows(followers: Mapping[str, Follower], body: str) -> bool:
    """True if a body's joint follows another."""
    return any(follower.body == body for follower in followers.values())


def as_conditions(model: M) -> M:
    """The model with conditions in place of followers, whose coordinates are states then."""
    if not model.followers:
        return model
    out = copy.copy(model)
    out.followers = {}
    for told in model.followers.values():
        q, lead = (leaf(JointNumber("coordinate", body, -1)) for body in (told.body, told.leader))
        out.loops[told.name] = Equations(told.name, Vector([q - (told.ratio * lead + told.offset)]))
    return out
