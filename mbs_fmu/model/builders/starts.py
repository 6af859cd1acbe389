"""The word of a model for start values, which may follow from parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...errors import ModelError
from ...symbolic.expressions import Expression, is_literal
from ...symbolic.graph import evaluate, leaves
from ..checks import finite_number, start_numbers
from ..data import ModelData
from ..drives import check_start
from ..geometry.vectors import is_list, number
from ..items import Body, Start
from ..joints import Joint
from ..references.leaves import Signal
from ..units import from_si
from .followers import check_no_start


def start(
    model: ModelData,
    body: str | Body,
    q: Any = None,
    u: Any = None,
    guess: bool = False,
    *,
    xi: Any = None,
    xi_dot: Any = None,
) -> None:
    """Start values of a body's joint: coordinates `q` and joint velocities `u`; zero (or rest) otherwise.

    `q` and `u` may be numbers or expressions of parameters: these are evaluated at every start, unless a run gives
    another start value; in FMUs they are calculated.
    Ball joint: q a quaternion, w first, u the angular velocity in body axes. Free joint: q = (position,
    quaternion), u = (v, w) in body axes. Quaternions are normalised. `guess=True` marks the values as free
    for assembly. xi, xi_dot: of an elastic body's modes, m and m/s; those that are left out at the end are zero.
    xi="static" (in trees): so bent that the modes do not begin to move while all joints start as they do.

    Raises ModelError for numbers that are not as many as the joint has, and for those that a drive gives.
    """
    name = model.known_body(body, "start value")
    joint = model.bodies[name].joint
    entry = model.starts.get(name, Start())
    laws = dict(model.start_laws)
    if q is not None:
        thing = f"start q of body {name!r}"
        numbers, own = _told(model, q, joint.coordinates, thing)
        laws = _with_laws(laws, name, joint.coordinates, own)
        entry = replace(entry, q=_unit_quaternions(numbers, joint, own, thing))
    if u is not None:
        numbers, own = _told(model, u, joint.rates, f"start u of body {name!r}")
        laws = _with_laws(laws, name, joint.rates, own)
        entry = replace(entry, u=numbers)
    if xi is not None:
        xi = _settled(model, model.bodies[name], xi)
    entry = replace(entry, guess=guess, **_bent(model.bodies[name], xi=xi, xi_dot=xi_dot))
    for given in model.drives.values():
        if given.body == name:
            check_start(given, joint, entry)
    for follower in model.followers.values():
        if follower.body == name:
            check_no_start(follower, entry)
    model.starts[name] = entry
    model.value_version += 1
    if laws != model.start_laws:  # by the identity of expressions
        model.start_laws = laws
        model.version += 1


def start_number(model: ModelData, value: Any, unit: str | None, thing: str) -> tuple[float, Expression | None]:
    """A start value in its unit, and the formula of parameters that gives it, if there is one; then the number is that
    of their defaults.

    value: a number in this unit, or an expression in SI units. Raises ModelError.
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
            raise ModelError(f"{thing} depends on {reference}, which is no parameter of model {model.name!r}")
    return _at_defaults(model, law, thing), law


def start_values(model: ModelData) -> dict[str, float]:
    """All start values that follow from parameters, by name, at the parameters' defaults. Raises ModelError."""
    return {name: _at_defaults(model, law, f"start value {name!r}") for name, law in model.start_laws.items()}


def _at_defaults(model: ModelData, law: Expression, thing: str) -> float:
    try:
        value = evaluate(law, lambda reference: model.parameters[reference.name].value)
    except (ArithmeticError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{thing} is {value} at the defaults of its parameters: change them, or the formula")
    return value


def _told(
    model: ModelData, value: Any, named: Sequence[tuple[str, str]], thing: str
) -> tuple[tuple[float, ...], dict[int, Expression]]:
    """The start values of a joint, and by their places those that are expressions of parameters."""
    items = list(value) if is_list(value) else [value]
    found: dict[int, Expression] = {}
    for k, item in enumerate(items):
        if isinstance(item, Expression) and not is_literal(item):
            items[k], law = start_number(model, item, None, thing)
            found |= {} if law is None else {k: law}
    return start_numbers(items if found else value, [unit for _, unit in named], thing), found


def _with_laws(
    laws: dict[str, Expression], body: str, named: Sequence[tuple[str, str]], own: dict[int, Expression]
) -> dict[str, Expression]:
    """Formulas of start values, with those of a body in the place of what it was before."""
    names = [f"{body}.{suffix}" for suffix, _ in named]
    kept = {name: law for name, law in laws.items() if name not in names}
    return kept | {names[k]: law for k, law in own.items()}


def _settled(model: ModelData, body: Body, xi: Any) -> Any:
    """Start values of the modes, none for those that start in equilibrium, which is noted."""
    static = isinstance(xi, str) and xi == "static" and body.elastic is not None
    if static != (body.name in model.static_starts):
        model.static_starts = {name: True for name in (*model.static_starts, body.name) if static or name != body.name}
        model.version += 1
    return () if static else xi


def _bent(body: Body, **told: Any) -> dict[str, tuple[float, ...]]:
    """Start values of an elastic body's modes, those that are given."""
    out = {}
    for word, value in told.items():
        if value is None:
            continue
        if body.elastic is None:
            raise ModelError(f"start {word}: {body.no_modes('modes')}")
        named = body.elastic.named(word, "m" if word == "xi" else "m/s")
        some = list(value) if is_list(value) else [value]
        if len(some) > len(named):
            raise ModelError(f"start {word} of body {body.name!r}: it has {len(named)} modes, {len(some)} are given")
        found = start_numbers(some, [unit for _, unit in named[: len(some)]], f"start {word} of body {body.name!r}")
        out[word] = found + (0.0,) * (len(named) - len(some))
    return out


def _unit_quaternions(
    q: tuple[float, ...], joint: Joint, laws: dict[int, Expression], thing: str
) -> tuple[float, ...]:  # fmt: skip
    """The coordinates with quaternions of length one, but those that have laws, which every start makes so.

    ModelError for one that has no direction.
    """
    for k in joint.quaternions:
        norm = math.sqrt(sum(x * x for x in q[k : k + 4]))
        if norm < 1e-6:
            raise ModelError(f"{thing}: the quaternion {q[k : k + 4]} has no direction")
        if laws.keys() & set(range(k, k + 4)):
            continue
        q = tuple(x / norm if k <= i < k + 4 else x for i, x in enumerate(q))
    return q
