"""Findings on joints: limits, leaders, and joints that move no inertia."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..parts import AxisData, JointEnds
from .findings import Finding

MISSING = "leader is missing"


def joint_findings(joints: Mapping[str, JointEnds], unmoved: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the findings on all joints. unmoved: links of joints that move no inertia, by joint."""
    names = {axis.name for joint in joints.values() for axis in joint.axes} | set(joints)
    for joint in joints.values():
        if joint.name in unmoved:
            yield _found(
                "error", "joint moves no inertia", joint, f"link {unmoved[joint.name]!r} and all that it carries",
                remedy="give them mass and inertia, or read the file with massless='weld'",
            )  # fmt: skip
        for axis, is_along in zip(joint.axes, joint.is_along, strict=True):
            if joint.moves:
                yield from _limits(joint, axis, is_along)
            if axis.mimic is not None and axis.mimic.leader not in names:
                value = f"it mimics {axis.mimic.leader!r}, which is not a joint"
                yield _found("error", MISSING, joint, value, remedy="name a joint, or remove <mimic>")


def _limits(joint: JointEnds, axis: AxisData, is_along: bool) -> Iterator[Finding]:
    limits, unit = axis.limits, "m" if is_along else "rad"
    low, high = limits.lower, limits.upper
    if low > high:
        value = f"{low:g} above {high:g} {unit}"
        yield _found("warning", "lower limit above the upper one", joint, value, remedy="exchange them")
    elif not low <= 0.0 <= high and axis.mimic is None:
        value = f"{low:g} to {high:g} {unit}"
        remedy = "give a start value within them: joints start at zero"
        yield _found("note", "zero is outside the limits", joint, value, remedy=remedy)
    units = {"effort": "N" if is_along else "N.m", "velocity": f"{unit}/s"}
    for name, limit in (("effort", limits.effort), ("velocity", limits.velocity)):
        if limit <= 0.0 and math.isfinite(limit):
            remedy = "give the largest one, or leave it out if the joint has none"
            yield _found("note", f"{name} limit is zero", joint, f"{limit:g} {units[name]}", remedy=remedy)


def _found(
    level: str, kind: str, joint: JointEnds, value: str = "", cause: str = "", remedy: str = ""
) -> Finding:  # fmt: skip
    file, line = ("", None) if joint.element is None else (joint.element.path.name, joint.element.line)
    return Finding(level, kind, f"joint {joint.name!r}", value, cause, remedy, file, line)
