"""The numbers that a program takes from its model and that are no structure: they change without compiling anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.builders.followers import led
from ..model.builders.starts import start_values
from ..model.items import Range, Start
from ..model.model import Model
from ..record.program import GIVEN, Program, Variable
from ..symbolic.graph import evaluate


def with_values(program: Program, model: Model) -> Program:
    """The program with the defaults and start values that its model has at present.

    Its text stays, and where everything lies. Whatever `Model.value_version` counts ends up here.
    """
    values = {name: value + 0.0 for name, value in _by_name(model).items()}  # with one zero: equal values are the same
    variables = [
        replace(v, start=values[v.name]) if v.role in GIVEN and v.start != values[v.name] else v
        for v in program.variables
    ]
    variables = [_with_range(v, model) for v in variables]
    R = program.new_record()
    for v in variables:
        if v.role in GIVEN:
            R[v.slot] = v.start
    if program.calculated:
        R[program.region("calculated")] = 1.0
    if "loop_state" in program.regions:
        from .closures.loops import set_stabilization  # and with it all that closes loops

        set_stabilization(R, program, model)
    return replace(program, variables=variables, record=np.trim_zeros(R, "b").tolist())


def _with_range(v: Variable, model: Model) -> Variable:
    """A variable with its range, where it is a joint coordinate that starts within."""
    if v.role not in ("coordinate", "driven"):
        return v
    told = model.ranges.get(v.name, Range())
    if v.role == "coordinate" and not (
        (told.low is None or told.low <= v.start) and (told.high is None or v.start <= told.high)
    ):
        told = Range()
    return v if (v.low, v.high) == (told.low, told.high) else replace(v, low=told.low, high=told.high)


def _by_name(model: Model) -> dict[str, float]:
    """Every value by the name of its variable; of driven coordinates too, which no variable takes."""
    out = {p.name: p.value for p in model.parameters.values()}
    out |= {signal.name: signal.start for signals in (model.inputs, model.states) for signal in signals.values()}
    out |= {name: x for s in model.sampled_signals.values() for name, x in zip(s.names, s.start, strict=True)}
    for body in model.bodies.values():
        start, joint = model.starts.get(body.name, Start()), body.joint
        still, straight = [0.0] * len(joint.rates), [0.0] * (len(body.rates) - len(joint.rates))
        q = [*(start.q or joint.rest), *(start.xi or straight)]
        u = [*(start.u or still), *(start.xi_dot or straight)]
        for named, numbers in ((body.coordinates, q), (body.rates, u)):
            for (suffix, _), value in zip(named, numbers, strict=True):
                out[f"{body.name}.{suffix}"] = float(value)
    out |= start_values(model)
    return out | _of_followers(model, out)


def _of_followers(model: Model, values: dict[str, float]) -> dict[str, float]:
    """Coordinates and rates of joints that follow, which are states where loops are closed beside them."""
    out = {}
    for follower in model.followers.values():
        told = led(model.followers, follower.body)
        ratio, offset = (evaluate(x, lambda signal: values[signal.name]) for x in (told.ratio, told.offset))
        leader, own = model.bodies[told.leader], model.bodies[follower.body]
        for part, add in (("coordinates", offset), ("rates", 0.0)):
            (first, _), (second, _) = getattr(leader.joint, part)[0], getattr(own.joint, part)[0]
            out[f"{own.name}.{second}"] = ratio * values[f"{leader.name}.{first}"] + add
    return out
