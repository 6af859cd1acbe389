"""The first stage of compilation: followers by the outermost leaders of their chains, or in another form.

Later stages read leader, ratio and offset of the remaining followers; these have no chains.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TypeVar

from ..model.closures import Equations
from ..model.data import ModelData
from ..model.drives import CarriedDrive, Drive
from ..model.geometry.vectors import Vector
from ..model.items import Follower
from ..model.on_bodies import OnBodies
from ..model.references.leaves import JointNumber
from ..symbolic.expressions import leaf

M = TypeVar("M", bound=ModelData)


def with_resolved_followers(model: M) -> M:
    """Return the model with each follower in terms of its outermost leader, which follows no other joint.

    Drives replace the followers of driven leaders. Beside elastic bodies, conditions replace all others.
    """
    if not model.followers:
        return model
    resolved = by_outermost_leaders(model.followers)
    drives = {x.name: _carried(drive, x) for x in resolved.values() for drive in model.drives.on(x.leader)}
    is_elastic = any(body.elastic is not None for body in model.bodies.values())
    left = model.followers if is_elastic else resolved  # conditions between neighbours of a chain have fewer terms
    result = copy.copy(model)
    result.drives.update({drive.name: drive for drive in drives.values()})
    result.followers = OnBodies({name: x for name, x in left.items() if name not in drives})
    return as_conditions(result) if is_elastic else result


def by_outermost_leaders(followers: OnBodies[Follower]) -> OnBodies[Follower]:
    """Return the followers by name, each in terms of the outermost leader of its chain."""
    return OnBodies({x.name: _by_outermost_leader(followers, x) for x in followers.values()})


def _by_outermost_leader(followers: OnBodies[Follower], follower: Follower) -> Follower:
    ratio, offset, leader = follower.ratio, follower.offset, follower.leader
    while following := followers.on(leader):
        (outer,) = following
        ratio, offset, leader = ratio * outer.ratio, ratio * outer.offset + offset, outer.leader
    return replace(follower, leader=leader, ratio=ratio, offset=offset)


def _carried(drive: Drive, follower: Follower) -> CarriedDrive:
    """Return the drive of a follower whose outermost leader has a drive."""
    return CarriedDrive(
        name=f"{drive.name}.{follower.name}",
        body=follower.body,
        coordinates=range(1),
        rates=range(1),
        position=Vector([follower.ratio * drive.position[0] + follower.offset]),
        rate=Vector([follower.ratio * drive.rate[0]]),
        leader=follower.leader,
        ratio=follower.ratio,
    )


def as_conditions(model: M) -> M:
    """Return the model with equations in place of followers, whose coordinates become states."""
    if not model.followers:
        return model
    result = copy.copy(model)
    result.followers = OnBodies()
    for x in model.followers.values():
        own, lead = (leaf(JointNumber("coordinate", body, -1)) for body in (x.body, x.leader))
        result.loops[x.name] = Equations(x.name, Vector([own - (x.ratio * lead + x.offset)]))
    return result
