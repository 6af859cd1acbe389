"""Method of `Model` for followers: joints whose coordinate is a fixed ratio times that of a leader."""

from __future__ import annotations

from ...infrastructure.errors import ModelError
from ...symbolic.graph import leaves
from ..data import ModelData
from ..geometry.vectors import number
from ..items import Follower, Start
from ..joints import Joint
from ..names import known_in, new_name
from ..on_bodies import OnBodies
from ..references.leaves import Signal
from .argument_types import BodyOrName, Number, Quantity


def follow(
    model: ModelData, name: str, on: BodyOrName, leader: BodyOrName, ratio: Number = 1.0, offset: Quantity = 0.0
) -> None:
    """Let a joint follow another: its coordinate is `ratio` times that of the leader, plus `offset`.

    on, leader: bodies whose joints have one coordinate each: a turn, a slide or a screw. ratio: rad/rad, m/rad, rad/m
    or m/m; offset: rad or m; numbers, or expressions of parameters. The coordinate is not a state and needs no
    constraint row; examples are gears and mimic joints of robots. A leader may itself follow another joint. Generalized
    forces and rotors on the joint act on the leader through the ratio. Only the leader has start values.

    A leader may have a drive, whose force then includes that of its followers, through the ratio.

    Raises ModelError for a joint without exactly one coordinate, a joint that already follows or has a drive, a joint
    that would follow itself, start values of the follower, and a ratio or offset that depends on anything but
    parameters.
    """
    new_name(model, name, "follower")
    thing = f"follower {name!r}"
    own, leads = (_single(model, body, thing) for body in (on, leader))
    for other in model.followers.on(own):
        raise ModelError(f"{thing}: body {own!r} follows {other.leader!r} already, by {other.name!r}: keep one")
    if _outermost_leader(model.followers, leads) == own:
        by = "itself" if own == leads else f"itself, since {leads!r} follows it"
        raise ModelError(f"{thing}: body {own!r} would follow {by}: one must lead")
    for drive in model.drives.on(own):
        raise ModelError(f"{thing}: {_drive_message(drive.name, own, leads)}")
    follower = Follower(
        name, own, leads,
        number(ratio, f"ratio of {thing}"), number(offset, f"offset of {thing}", _unit(model, own)),
    )  # fmt: skip
    _check_parameters(model, follower)
    check_no_start(follower, model.starts.get(own, Start()))
    model.followers[name] = follower
    model.version += 1


def _single(model: ModelData, body: BodyOrName, thing: str) -> str:
    """Return the name of a body; ModelError unless its joint has one coordinate."""
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


def _check_parameters(model: ModelData, follower: Follower) -> None:
    for what, expression in (("ratio", follower.ratio), ("offset", follower.offset)):
        known_in(model, [expression], f"{what} of {follower.thing}")
        for reference in leaves([expression]):
            if not (isinstance(reference, Signal) and reference.role == "parameter"):
                raise ModelError(f"{what} of {follower.thing} depends on {reference}: it may depend on parameters only")


def _drive_message(drive: str, body: str, leader: str) -> str:
    return f"drive {drive!r} and {leader!r} would both give the motion of body {body!r}: drive {leader!r} instead"


def check_no_drive(model: ModelData, drive: str, body: str) -> None:
    """Raise ModelError for a drive on a joint that follows another."""
    for follower in model.followers.on(body):
        leader = _outermost_leader(model.followers, body)
        raise ModelError(f"{follower.thing}: {_drive_message(drive, body, leader)}")


def check_no_start(follower: Follower, start: Start) -> None:
    """Raise ModelError for start values of a follower, which follow from those of the leader."""
    for what, values in (("q", start.q), ("u", start.u)):
        if values is not None:
            raise ModelError(
                f"start {what} of body {follower.body!r} would be ignored, it follows {follower.leader!r}: leave it "
                "out, or give that of the leader"
            )


def _outermost_leader(followers: OnBodies[Follower], body: str) -> str:
    """Return the body at the end of a body's chain of leaders; the body itself if it follows none."""
    while following := followers.on(body):
        (follower,) = following
        body = follower.leader
    return body
