"""Laws of drives, forces, signal rates, outputs and events."""

from __future__ import annotations

from functools import partial

from ...infrastructure.errors import ModelError
from ...model.items import Force
from ...record.blocks import ElasticBlock
from ...record.layout import Load
from ...symbolic.expressions import Expression, as_expression, is_literal, leaf
from ...symbolic.graph import leaves
from ..requests import OF_BALANCE
from .forces import Forces, LinkEffect
from .law import Law, Unless
from .resolve import Resolver


def drive_laws(resolve: Resolver) -> list[Law]:
    """Return laws for the coordinates and rates of all drives."""
    laws = []
    for drive in resolve.model.drives.values():
        addresses = [resolve.tree.q[drive.body][k] for k in drive.coordinates]
        addresses += [resolve.tree.u[drive.body][k] for k in drive.rates]
        values = resolve([*drive.position, *drive.rate], f"drive {drive.name!r}")
        targets = [address.load for address in addresses]
        laws.append(Law(list(zip(targets, values, strict=True)), f"drive {drive.name}"))
    return laws


def follower_laws(resolve: Resolver) -> list[Law]:
    """Return laws for the coordinates of followers; the passes compute their rates from the velocity of the group."""
    laws = []
    for follower in resolve.model.followers.values():
        ratio, offset = resolve.parameters_only([follower.ratio, follower.offset], follower.thing)
        address = resolve.tree.q[follower.body][0].load
        laws.append(Law([(address, ratio * resolve.coordinate(follower.leader, 0) + offset)], follower.thing))
    return laws


def joint_forces(resolve: Resolver, forces: Forces, drives: bool) -> list[Law]:
    """Return laws for tau and its contribution to p_dot, one for each joint velocity along which a force acts.

    `drives`: drive forces are requested, so that forces along driven velocities are added to region `drive_rests`;
    otherwise these forces change nothing.
    """
    total: dict[tuple[str, int], Expression] = {}
    followed = _followed(resolve)
    for force in forces.ungated():
        for along in (along for part in forces.parts(force.name) for along in part.effect.all_along):
            key, number = (along.body, along.k), along.number
            if along.body in followed:
                leader, ratio = followed[along.body]
                key, number = (leader, 0), ratio * number
            total[key] = total.get(key, as_expression(0.0)) + number
    laws = []
    for (body, k), expression in total.items():
        address = resolve.tree.u[body][k]
        if address.driven:
            rest = Load("R", "drive_rests", address.offset)
            laws += [Law([(rest, leaf(rest) + expression)], f"drive of {body}")] if drives else []
            continue
        slot = address.offset
        tau, p_dot = (Load("R", region, slot) for region in ("tau", "p_dot"))
        laws.append(Law([(tau, expression), (p_dot, leaf(p_dot) + expression)], f"joint of {body}"))
    return laws


def _followed(resolve: Resolver) -> dict[str, tuple[str, Expression]]:
    """Return for each body that follows another the leader and the ratio."""
    return {
        follower.body: (follower.leader, resolve.parameters_only([follower.ratio], follower.thing)[0])
        for follower in resolve.model.followers.values()
    }


def modal_factors(resolve: Resolver) -> list[Law]:
    """Return laws that write the factors of stiffness and damping of every elastic body to its data."""
    laws = []
    for name, link in resolve.tree.mean.items():
        elastic, block = resolve.tree.links[link].elastic, resolve.elastic.elastic_index[link]
        assert elastic is not None
        factors = [elastic.stiffness, elastic.damping]
        values = resolve.parameters_only(factors, f"stiffness or damping of body {name!r}")
        targets = [Load("R", "elastic", block + ElasticBlock.factors + k) for k in range(2)]
        laws.append(Law(list(zip(targets, values, strict=True)), f"stiffness and damping of {name}"))
    return laws


def body_wrenches(resolve: Resolver, forces: Forces) -> list[Law]:
    """Return laws that add the wrenches of forces on links to region `wrench`, in link axes about the link's origin.

    They also add the rates of states that belong to forces, so that a force and its states are one law.
    """
    pulls = [law_of_effect(resolve, f"gravity of {name}", pull) for name, pull in forces.pulls]
    return forces.laws(forces.ungated(), partial(_of_force, resolve)) + [pull for pull in pulls if pull is not None]


def gated_wrenches(resolve: Resolver, forces: Forces) -> tuple[list[Load], list[Law]]:
    """Return the gates of forces, and laws of these forces as `body_wrenches`; they vanish while all gates are zero."""
    gated = [(force, force.gated_by) for force in resolve.model.forces.values() if force.gated_by is not None]
    gates = {resolve.one(gate, f"gate of {force.thing}").value: None for force, gate in gated}
    return list(gates), forces.laws([force for force, _ in gated], partial(_of_force, resolve))


def _of_force(resolve: Resolver, force: Force, effect: LinkEffect) -> Law | None:
    return law_of_effect(resolve, force.thing, effect)


def law_of_effect(resolve: Resolver, thing: str, effect: LinkEffect) -> Law | None:
    """Return the law of an effect, whose rates replace the states' own; or None without wrenches and states."""
    assignments, replacing = [*_wrenches(effect, resolve), *effect.rates], len(effect.rates)
    if not assignments:
        return None
    if effect.depth is None:
        return Law(assignments, thing, accumulate=True, replacing=replacing)
    bound = None if effect.bound is None else leaf(effect.bound)
    return Law(assignments, thing, True, Unless(effect.depth, bound), replacing)


def _wrenches(effect: LinkEffect, resolve: Resolver) -> list[tuple[Load, Expression]]:
    """Return the nonzero entries of the wrenches of a force, by address."""
    assignments: list[tuple[Load, Expression]] = []
    for push in effect.all_pushes:
        if push.link >= 0:
            force, torque = push.force, push.torque
            if push.in_world:
                force, torque = resolve.to_link(push.link, force), resolve.to_link(push.link, torque)
            entries = [*force, *(torque + push.point.cross(force))]
            assignments += [
                (Load("R", "wrench", 6 * push.link + k), x) for k, x in enumerate(entries) if not is_literal(x, 0.0)
            ]
    return assignments


def signal_rates(resolve: Resolver) -> list[Law]:
    """Return laws for the derivatives of the signal states."""
    return [
        Law([(Load("R", "z_dot", k), resolve.one(s.rate, f"rate of state {s.name!r}"))], f"state {s.name}")
        for k, s in enumerate(resolve.model.states.values())
    ]


def output_laws(resolve: Resolver) -> list[Law]:
    """Return one assignment for each component of each output."""
    laws, start = [], 0
    for output in resolve.model.outputs.values():
        values = resolve(output.expressions, f"output {output.name!r}")
        laws.append(Law([(Load("R", "outputs", start + k), x) for k, x in enumerate(values)], f"output {output.name}"))
        start += len(values)
    return laws


def event_laws(resolve: Resolver) -> list[Law]:
    """Return one assignment for each event. Raises ModelError if one needs reactions or accelerations."""
    laws = []
    for k, event in enumerate(resolve.model.events.values()):
        if any(isinstance(r, OF_BALANCE) for r in leaves([event.expression])):
            raise ModelError(
                f"event {event.name!r}: reactions, accelerations, multipliers and drives' forces are for outputs only, "
                "no event can depend on them"
            )
        value = resolve.one(event.expression, f"event {event.name!r}")
        laws.append(Law([(Load("R", "indicators", k), value)], f"event {event.name}"))
    return laws
