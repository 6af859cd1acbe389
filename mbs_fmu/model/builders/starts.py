"""Method of `Model` for start values, which may be expressions of parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ...infrastructure.arguments import truth
from ...infrastructure.errors import ModelError
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.graph import evaluate, leaves
from ...symbolic.units import from_si
from ..checks import finite_number, start_numbers
from ..data import ModelData
from ..drives import check_start
from ..geometry.vectors import is_list, number
from ..items import Body, Start
from ..joints import Joint
from ..references.leaves import Signal
from .argument_types import BodyOrName, JointNumbers
from .followers import check_no_start


def start(
    model: ModelData,
    body: BodyOrName,
    q: JointNumbers | None = None,
    u: JointNumbers | None = None,
    guess: bool = False,
    *,
    xi: JointNumbers | Literal["static"] | None = None,
    xi_dot: JointNumbers | None = None,
) -> None:
    """Set start values of a body's joint: coordinates `q` (rad, m) and joint velocities `u` (rad/s, m/s).

    Without start values a joint starts at zero and at rest. q, u: numbers, or expressions of parameters, which are
    evaluated at each start unless the run sets the value; FMUs compute them. Ball joint: q is a quaternion, w first, u
    the angular velocity in body axes. Free joint: q = (position, quaternion), u = (v, w) in body axes. Quaternions are
    normalized. guess: True lets assembly change the values. xi, xi_dot: coordinates (m) and rates (m/s) of the
    vibration modes of an elastic body; missing ones at the end are zero. xi="static", in trees only: the deformation
    with which the modes have no initial acceleration for the start values of all joints.

    Raises ModelError for a wrong number of values, and for start values that a drive or a leader determines.
    """
    name = model.known_body(body, "start value")
    joint = model.bodies[name].joint
    entry = model.starts.get(name, Start())
    laws: dict[str, Expression | None] = {}  #: of the start values that this call gives; None: a number
    if q is not None:
        thing = f"start q of body {name!r}"
        numbers, own = _values_and_laws(model, q, joint.coordinates, thing)
        laws |= _by_name(name, joint.coordinates, own)
        entry = replace(entry, q=_unit_quaternions(numbers, joint, own, thing))
    if u is not None:
        numbers, own = _values_and_laws(model, u, joint.rates, f"start u of body {name!r}")
        laws |= _by_name(name, joint.rates, own)
        entry = replace(entry, u=numbers)
    if xi is not None:
        xi = _modal_values(model, model.bodies[name], xi)
    entry = replace(
        entry,
        guess=truth(guess, f"guess of body {name!r}", ModelError),
        **_modal_starts(model.bodies[name], xi=xi, xi_dot=xi_dot),
    )
    for drive in model.drives.on(name):
        check_start(drive, joint, entry)
    for follower in model.followers.on(name):
        check_no_start(follower, entry)
    model.starts[name] = entry
    model.value_version += 1
    if any(model.start_laws.get(what) is not law for what, law in laws.items()):
        for what in laws.keys() & model.start_laws.keys():
            del model.start_laws[what]
        model.start_laws |= {what: law for what, law in laws.items() if law is not None}
        model.version += 1


def start_number(model: ModelData, value: Any, unit: str | None, thing: str) -> tuple[float, Expression | None]:
    """Return a start value in its unit, and the expression of parameters that determines it, or None.

    With an expression, the value is that at the defaults of the parameters. value: a number in this unit, or an
    expression in SI units. Raises ModelError for anything else.
    """
    if not isinstance(value, Expression):
        return finite_number(value, thing, unit), None
    law = from_si(number(value, thing), unit)
    if is_literal(law):
        return finite_number(law, thing), None
    for reference in leaves([law]):
        if not (isinstance(reference, Signal) and reference.role == "parameter"):
            raise ModelError(f"{thing} depends on {reference}: it may depend on parameters only")
        if reference.name not in model.parameters:
            raise ModelError(f"{thing} depends on {reference}, which is not a parameter of model {model.name!r}")
    return _at_defaults(model, law, thing), law


def start_values(model: ModelData) -> dict[str, float]:
    """Return all start values that depend on parameters, by name, at the defaults of these. Raises ModelError."""
    return {name: _at_defaults(model, law, f"start value {name!r}") for name, law in model.start_laws.items()}


def _at_defaults(model: ModelData, law: Expression, thing: str) -> float:
    try:
        value = evaluate(law, lambda reference: model.parameters[reference.name].value)
    except (ArithmeticError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{thing} is {value} at the defaults of its parameters: change them, or the formula")
    return value


def _values_and_laws(
    model: ModelData, value: Any, named: Sequence[tuple[str, str]], thing: str
) -> tuple[tuple[float, ...], dict[int, Expression]]:
    """Return the start values of a joint, and by index the expressions of those that depend on parameters."""
    items = list(value) if is_list(value) else [value]
    laws: dict[int, Expression] = {}
    for k, item in enumerate(items):
        if isinstance(item, Expression) and not is_literal(item):
            items[k], law = start_number(model, item, None, thing)
            laws |= {} if law is None else {k: law}
    return start_numbers(items if laws else value, [unit for _, unit in named], thing), laws


def _by_name(body: str, named: Sequence[tuple[str, str]], own: dict[int, Expression]) -> dict[str, Expression | None]:
    """Return the expressions of a joint's start values by name; None for those that are numbers."""
    return {f"{body}.{suffix}": own.get(k) for k, (suffix, _) in enumerate(named)}


def _modal_values(model: ModelData, body: Body, xi: Any) -> Any:
    """Return the start values of the modes; none after a record in the model that they start in equilibrium."""
    static = isinstance(xi, str) and xi == "static" and body.elastic is not None
    if static != (body.name in model.static_starts):
        model.static_starts = {name: True for name in (*model.static_starts, body.name) if static or name != body.name}
        model.version += 1
    return () if static else xi


def _modal_starts(body: Body, **arguments: Any) -> dict[str, tuple[float, ...]]:
    """Return the start values of an elastic body's modes, by argument, padded with zeros; None is left out."""
    starts = {}
    for argument, value in arguments.items():
        if value is None:
            continue
        if body.elastic is None:
            raise ModelError(f"start {argument}: {body.no_modes('modes')}")
        thing = f"start {argument} of body {body.name!r}"
        named = body.elastic.named(argument, "m" if argument == "xi" else "m/s")
        items = list(value) if is_list(value) else [value]
        if len(items) > len(named):
            raise ModelError(f"{thing}: it has {len(named)} modes, {len(items)} are given")
        numbers = start_numbers(items, [unit for _, unit in named[: len(items)]], thing)
        starts[argument] = numbers + (0.0,) * (len(named) - len(items))
    return starts


def _unit_quaternions(
    q: tuple[float, ...], joint: Joint, laws: dict[int, Expression], thing: str
) -> tuple[float, ...]:  # fmt: skip
    """Return the coordinates with normalized quaternions; each start normalizes those that depend on parameters.

    Raises ModelError for a quaternion without a direction.
    """
    for k in joint.quaternions:
        norm = math.sqrt(sum(x * x for x in q[k : k + 4]))
        if norm < 1e-6:
            raise ModelError(f"{thing}: the quaternion {q[k : k + 4]} has no direction")
        if laws.keys() & set(range(k, k + 4)):
            continue
        q = tuple(x / norm if k <= i < k + 4 else x for i, x in enumerate(q))
    return q
