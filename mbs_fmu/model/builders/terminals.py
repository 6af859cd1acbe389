"""Methods of `Model` for terminals: variables that importers of an FMU connect together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ...symbolic.expressions import leaf
from ..checks import OUTPUT_NAME, text
from ..data import ModelData
from ..forces.motors import motor
from ..forces.places import scalar_joint
from ..items import Input, Member, Range, Terminal
from ..measures.measures import coordinate as coordinate_of
from ..measures.measures import rate as rate_of
from ..names import new_name, not_taken
from ..references.leaves import Signal
from .argument_types import BodyOrName
from .signals import output

RULES = ("plug", "bus", "sequence", "none")  #: the standard's rules by which members of two terminals match
SIGNAL, INFLOW = "signal", "inflow"  #: the standard's kinds of members
#: Of flanges by the unit of their effort: position, effort, unit of the position, velocity, its unit, Modelica class.
FLANGES = {
    "N.m": ("phi", "tau", "rad", "w", "rad/s", "Modelica.Mechanics.Rotational.Interfaces.Flange_a"),
    "N": ("s", "f", "m", "v", "m/s", "Modelica.Mechanics.Translational.Interfaces.Flange_a"),
}


def flange(
    model: ModelData, name: str, on: BodyOrName, coordinate: int | None = None, *, description: str = ""
) -> None:
    """Add a flange on a degree of freedom of a joint, as Modelica has it: a terminal to which importers attach a shaft.

    A hinge gives the input `name.tau`, a torque (N.m) on the body along its joint velocity, whose reaction acts on the
    parent, and the outputs `name.phi` (rad) and `name.w` (rad/s); a slide gives `name.f` (N), `name.s` (m) and `name.v`
    (m/s). In FMUs the angle and the torque (the position and the force) form the terminal `name`, with the torque as
    inflow: the torques of connected terminals add up to zero.

    coordinate: number of the joint velocity, from 1, required if the joint has several.

    Raises ModelError for a name that is taken, an unknown body, and a joint without scalar coordinates.
    """
    new_name(model, name, "terminal")
    thing = f"flange {name!r}"
    body, k = scalar_joint(model, on, coordinate, thing, "flange")
    unit = model.bodies[body].joint.forces[k][1]
    position, effort, position_unit, velocity, velocity_unit, kind = FLANGES[unit]
    for what, variable in (("output", position), ("input", effort), ("output", velocity)):
        not_taken(model, f"{name}.{variable}", what)
    line = text(description, f"description of {thing}")
    law = leaf(Signal("input", f"{name}.{effort}"))
    torque, force = (law, None) if unit == "N.m" else (None, law)
    motor(model, name, body, torque, force, k + 1)
    model.inputs[f"{name}.{effort}"] = Input(f"{name}.{effort}", unit, 0.0, line, Range(), True)
    output(model, f"{name}.{position}", coordinate_of(body, k + 1), position_unit, line)
    output(model, f"{name}.{velocity}", rate_of(body, k + 1), velocity_unit, line)
    members = (Member(f"{name}.{position}", position, SIGNAL), Member(f"{name}.{effort}", effort, INFLOW))
    model.terminals[name] = Terminal(name, members, kind, "plug")
    model.version += 1


def terminal(
    model: ModelData, name: str, members: Mapping[str, str], kind: str = "", *, rule: str = "plug",
    inflows: Collection[str] = (),
) -> None:  # fmt: skip
    """Group inputs, outputs and parameters of the model as a terminal of its FMUs.

    members: names of the variables by the names of the members. kind: type of the connector, such as a class of
    Modelica; importers connect terminals of one kind. rule: how the members of two terminals match: "plug" (all, by
    name), "bus" (those with equal names), "sequence" (by order), "none". inflows: members whose sum over connected
    terminals is zero, such as a torque, positive into this model; each must be a scalar input, output or parameter. The
    standard has no such rule for forces in space, so a terminal for the frame of a body has signals only.

    Raises ModelError for a name that is taken, unknown variables, members and rules.
    """
    new_name(model, name, "terminal")
    thing = f"terminal {name!r}"
    if not is_one_of(rule, RULES):
        raise ModelError(f"rule of {thing} is {display(rule)}: use {', '.join(RULES)}")
    if not isinstance(members, Mapping) or not members:
        raise ModelError(f"members of {thing} are {display(members)}: give names of variables, {{'phi': 'angle'}}")
    elements = {element for names in model.elements.values() for element in names}
    known = [*model.inputs, *model.outputs, *(x for x in model.parameters if x not in elements), *model.arrays]
    for member, variable in members.items():
        if not isinstance(member, str) or not OUTPUT_NAME.match(member):
            raise ModelError(f"{thing}: member {display(member)} must be an identifier")
        if not is_one_of(variable, known):
            hint = did_you_mean(variable, known) if isinstance(variable, str) else ""
            unknown = f"{thing}: no input, output or parameter {display(variable)}{hint}"
            raise ModelError(f"{unknown}; there are {listed(known)}")
    flows = _checked_inflows(model, members, inflows, thing)
    kinds = {member: INFLOW if member in flows else SIGNAL for member in members}
    model.terminals[name] = Terminal(
        name, tuple(Member(variable, member, kinds[member]) for member, variable in members.items()),
        text(kind, f"kind of {thing}"), rule,
    )  # fmt: skip
    model.version += 1


def _checked_inflows(model: ModelData, members: Mapping[str, str], inflows: Any, thing: str) -> set[str]:
    """Return the names of the members that flow. Raises ModelError for unknown ones and for vectors."""
    if isinstance(inflows, str) or not isinstance(inflows, Iterable) or getattr(inflows, "shape", None) == ():
        raise ModelError(f"inflows of {thing} are {display(inflows)}: give a list of names of members")
    flows = set()
    for member in inflows:
        if not is_one_of(member, members):
            raise ModelError(f"inflows of {thing}: no member {display(member)}; there are {listed(members)}")
        variable = members[member]
        if variable in model.arrays or variable in model.outputs and model.outputs[variable].vector:
            raise ModelError(f"inflow {member!r} of {thing} is the vector {variable!r}: give a scalar")
        flows.add(member)
    return flows
