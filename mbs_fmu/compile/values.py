"""Numbers of a model that enter its program without a new compilation: defaults and start values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model.builders.starts import start_values
from ..model.items import Range, Start
from ..model.model import Model
from ..record.program import GIVEN, Program, Variable
from ..symbolic.graph import evaluate
from .followers import by_outermost_leaders


def with_values(program: Program, model: Model, constants: np.ndarray | None = None) -> Program:
    """Return the program with the present defaults and start values of its model.

    constants: a record with the literal constants, by default the program's first record; it changes. Text and layout
    stay the same. Everything whose changes `Model.value_version` counts enters a program here.
    """
    values = {name: value + 0.0 for name, value in _by_name(model).items()}  # without -0.0
    variables = [
        replace(v, start=values[v.name]) if v.role in GIVEN and v.start != values[v.name] else v
        for v in program.variables
    ]
    variables = [_with_range(v, model) for v in variables]
    R = program.new_record() if constants is None else constants
    for v in variables:
        if v.role in GIVEN:
            R[v.slot] = v.start
    if program.calculated:
        R[program.region("calculated")] = 1.0
    if "loop_state" in program.regions:
        from .closures.loops import set_stabilization  # imported here, because it imports all modules of closures

        set_stabilization(R, program, model)
    return program.with_record(R, variables=variables)


def _with_range(v: Variable, model: Model) -> Variable:
    """Return a variable, with its range if it is a joint coordinate whose start value is in the range."""
    if v.role not in ("coordinate", "driven"):
        return v
    bounds = model.ranges.get(v.name, Range())
    if v.role == "coordinate" and not (
        (bounds.low is None or bounds.low <= v.start) and (bounds.high is None or v.start <= bounds.high)
    ):
        bounds = Range()
    return v if (v.low, v.high) == (bounds.low, bounds.high) else replace(v, low=bounds.low, high=bounds.high)


def _by_name(model: Model) -> dict[str, float]:
    """Return all values by name, including those of driven coordinates, which are not used by any variable."""
    values = {p.name: p.value for p in model.parameters.values()}
    values |= {signal.name: signal.start for signals in (model.inputs, model.states) for signal in signals.values()}
    values |= {name: x for s in model.sampled_signals.values() for name, x in zip(s.names, s.start, strict=True)}
    for body in model.bodies.values():
        start, joint = model.starts.get(body.name, Start()), body.joint
        still, straight = [0.0] * len(joint.rates), [0.0] * (len(body.rates) - len(joint.rates))
        q = [*(start.q or joint.rest), *(start.xi or straight)]
        u = [*(start.u or still), *(start.xi_dot or straight)]
        for names, numbers in ((body.coordinates, q), (body.rates, u)):
            for (suffix, _), value in zip(names, numbers, strict=True):
                values[f"{body.name}.{suffix}"] = float(value)
    values |= start_values(model)
    return values | _of_followers(model, values)


def _of_followers(model: Model, values: dict[str, float]) -> dict[str, float]:
    """Return coordinates and rates of followers, which are states if constraints replace the followers."""
    followed = {}
    for follower in by_outermost_leaders(model.followers).values():
        ratio, offset = (evaluate(x, lambda signal: values[signal.name]) for x in (follower.ratio, follower.offset))
        leader, own = model.bodies[follower.leader], model.bodies[follower.body]
        for part, add in (("coordinates", offset), ("rates", 0.0)):
            (first, _), (second, _) = getattr(leader.joint, part)[0], getattr(own.joint, part)[0]
            followed[f"{own.name}.{second}"] = ratio * values[f"{leader.name}.{first}"] + add
    return followed
