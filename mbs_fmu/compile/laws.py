"""Force laws, rates and outputs as assignments to record addresses, and their emission in groups.

Laws of equal form share one loop over a table of addresses, so that neither the size of the generated
text nor its compile time grows with the number of bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import ModelError
from ..expressions import Expression, areas, as_expression, is_literal, leaf, sqrt, where
from ..graph import leaves, rebuild, topological
from ..layout import Along, Head, Load
from ..model.forces import OnBodies, OnJoint, PointSpring
from ..model.references import DriveForce, Multiplier, ReactionNumber, TwistRate
from ..trace.emit import Block, shared, with_tangents
from .forces import Effect, attracted, line, point_gravity, thing_of
from .resolve import Resolver

KEPT_LITERALS = (0.0, 1.0, -1.0, 0.5, 2.0)  #: structure; any other number becomes an entry of the record
OF_BALANCE = (DriveForce, Multiplier, ReactionNumber, TwistRate)  #: references that outputs alone may have
STEPS_BEFORE = 30.0  #: a pull that changes within so many steps is what they failed at
LEAST_TIME = 1e-11  #: part of the time by which steps can go on, with as many of them as error control makes
LOOP_FROM = 3  #: this many laws of one form are written as a loop


@dataclass
class Law:
    """Assignments that belong together; `accumulate` adds to the addresses instead of setting them."""

    assignments: list[tuple[Load, Expression]]
    label: str
    accumulate: bool = False


@dataclass
class Values:
    """Numbers of the laws and data of their tables, moved from the text into the record."""

    start: int
    numbers: list[float] = field(default_factory=list)
    known: dict[object, int] = field(default_factory=dict)

    def place(self, key: object, data: Sequence[float]) -> int:
        if key not in self.known:
            self.known[key] = self.start + len(self.numbers)
            self.numbers += data
        return self.known[key]

    def lift(self, laws: list[Law]) -> list[Law]:
        """The laws with their numbers replaced by addresses."""
        out = []
        for law in laws:
            roots = rebuild([e for _, e in law.assignments], self._replace)
            pairs = [(target, root) for (target, _), root in zip(law.assignments, roots, strict=True)]
            out.append(Law(pairs, law.label, law.accumulate))
        return out

    def _replace(self, node: Expression) -> Expression | None:
        if node.op == "const" and node.value not in KEPT_LITERALS:
            return leaf(Load("R", "", self.place(node.value, [node.value])))
        if node.op in ("table", "slope", "area") and isinstance(node.value[0], tuple):
            points, values = node.value
            if node.op == "area":
                start = self.place(("area", node.value), [*points, *values, *areas(points, values)])
            else:
                start = self.place(node.value, [*points, *values])
            argument = rebuild([node.args[0]], self._replace)[0]
            return Expression(node.op, (argument,), (start, len(points)))
        return None


# -- the laws of a model -------------------------------------------------------------------------------


def drive_laws(resolve: Resolver) -> list[Law]:
    """Coordinates and rates of every drive."""
    laws = []
    for drive in resolve.model.drives.values():
        places = [resolve.tree.q[drive.body][k] for k in drive.coordinates]
        places += [resolve.tree.u[drive.body][k] for k in drive.rates]
        values = resolve([*drive.position, *drive.rate], f"drive {drive.name!r}")
        targets = [Load("R", "", place.slot(resolve.layout)) for place in places]
        laws.append(Law(list(zip(targets, values, strict=True)), f"drive {drive.name}"))
    return laws


def drive_directions(resolve: Resolver) -> list[tuple[Expression, str]]:
    """For each quaternion that a drive gives: a number that is positive where it has a direction."""
    checks = []
    for drive in resolve.model.drives.values():
        joint = resolve.model.bodies[drive.body].joint
        for k in joint.quaternions if len(drive.coordinates) == len(joint.coordinates) else ():
            places = resolve.tree.q[drive.body][k : k + 4]
            square = sum((leaf(Load("R", "", p.slot(resolve.layout))) ** 2 for p in places), start=as_expression(0.0))
            message = (
                f"drive {drive.name!r}: its quaternion has no direction, all its numbers are zero: give "
                "its inputs start values such as 1, 0, 0, 0"
            )
            checks.append((square, message))
    return checks


def joint_forces(resolve: Resolver) -> list[Law]:
    """tau and its part of p_dot, one law for each joint velocity that any force drives."""
    total: dict[tuple[str, int], Expression] = {}
    for force in resolve.model.forces.values():
        if isinstance(force, OnJoint):
            if resolve.tree.u[force.body][force.k].driven:
                raise ModelError(
                    f"{thing_of(force)} acts along a driven coordinate of body {force.body!r} and can't change its "
                    "motion: leave it out"
                )
            strength = resolve.effect(force.name).strength
            assert strength is not None
            key = (force.body, force.k)
            total[key] = total.get(key, as_expression(0.0)) + strength
    laws = []
    for (body, k), expression in total.items():
        slot = resolve.tree.u[body][k].offset
        tau = Load("R", "", resolve.layout["tau"].start + slot)
        p_dot = Load("R", "", resolve.layout["p_dot"].start + slot)
        laws.append(Law([(tau, expression), (p_dot, leaf(p_dot) + expression)], f"joint of {body}"))
    return laws


def body_wrenches(resolve: Resolver) -> list[Law]:
    """Wrenches on links, in link axes about the link's origin, added to the wrench region."""
    laws = [
        Law(_wrenches(resolve.effect(force.name), resolve), thing_of(force), accumulate=True)
        for force in resolve.model.forces.values()
        if isinstance(force, OnBodies)
    ]
    for name, pull in point_gravity(resolve):
        laws.append(Law(_wrenches(pull, resolve), f"gravity of {name}", accumulate=True))
    return [law for law in laws if law.assignments]


def _wrenches(effect: Effect, resolve: Resolver) -> list[tuple[Load, Expression]]:
    """Assignments that add what a force does to the links."""
    out: list[tuple[Load, Expression]] = []
    for push in effect.pushes:
        if push.link >= 0:
            force, torque = push.force, push.torque
            if push.in_world:
                force, torque = resolve.to_link(push.link, force), resolve.to_link(push.link, torque)
            start = resolve.layout["wrench"].start + 6 * push.link
            entries = [*force, *(torque + push.point.cross(force))]
            out += [(Load("R", "", start + k), x) for k, x in enumerate(entries) if not is_literal(x, 0.0)]
    return out


def signal_rates(resolve: Resolver) -> list[Law]:
    """The derivatives of the signal states."""
    start = resolve.layout["z_dot"].start
    return [
        Law([(Load("R", "", start + k), resolve.one(s.rate, f"rate of state {s.name!r}"))], f"state {s.name}")
        for k, s in enumerate(resolve.model.states.values())
    ]


def output_laws(resolve: Resolver) -> list[Law]:
    """One assignment for each component of each output."""
    start = resolve.layout["outputs"].start
    laws = []
    for output in resolve.model.outputs.values():
        values = resolve(output.expressions, f"output {output.name!r}")
        laws.append(Law([(Load("R", "", start + k), x) for k, x in enumerate(values)], f"output {output.name}"))
        start += len(values)
    return laws


def event_laws(resolve: Resolver) -> list[Law]:
    """One assignment for each event's expression; ModelError where it needs reactions or accelerations."""
    start = resolve.layout["indicators"].start
    laws = []
    for k, event in enumerate(resolve.model.events.values()):
        if any(isinstance(r, OF_BALANCE) for r in leaves([event.expression])):
            raise ModelError(
                f"event {event.name!r}: reactions, accelerations, multipliers and drives' forces are for outputs only, "
                "no event can depend on them"
            )
        value = resolve.one(event.expression, f"event {event.name!r}")
        laws.append(Law([(Load("R", "", start + k), value)], f"event {event.name}"))
    return laws


def at_center(resolve: Resolver) -> list[tuple[Expression, str]]:
    """For each body in point gravity: a number that is positive away from the centre.

    After a failed step also where the pull changes, in times of about sqrt(r³/mu), within some of such steps or so fast
    that times can't tell.
    """
    checks = []
    step, time = (leaf(Load("R", "", slot)) for slot in (Head.failed_step, Head.time))
    near = where(step > 0.0, STEPS_BEFORE * step + LEAST_TIME * abs(time), 0.0)
    for body in attracted(resolve):
        square = body.r.dot(body.r)
        message = (
            f"body {body.name!r}: its centre of mass is at the centre of the point gravity, where the pull has no "
            "bound: start it elsewhere, or stop it before"
        )
        checks.append((square * sqrt(square) - abs(body.mu) * near * near, message))
    return checks


def coincident_ends(resolve: Resolver) -> list[tuple[Expression, str]]:
    """For each point spring of non-zero length: a number that is positive where it has a direction."""
    checks = []
    for force in resolve.model.forces.values():
        if isinstance(force, PointSpring) and not is_literal(force.elastic.length, 0.0):
            length = resolve.one(force.elastic.length, thing_of(force))
            distance = line(force, resolve)[0].norm()
            slack = where(length * length <= 0.0, as_expression(1.0), distance - 1e-12 * sqrt(length * length))
            message = (
                f"spring {force.name!r}: its ends coincide, so it has no direction; "
                "move an attachment point or a start value, or give it length=0"
            )
            checks.append((slack, message))
    return checks


# -- emission --------------------------------------------------------------------------------------------


@dataclass
class Emitted:
    """Lines of code (unindented) and the address tables they use."""

    lines: list[str] = field(default_factory=list)
    tables: dict[str, list[int]] = field(default_factory=dict)


def emit_laws(laws: list[Law], prefix: str, constant: Callable[[Load], bool], along: Along = ()) -> Emitted:
    """Code for the laws in order of first appearance, with tangents; `constant` tells the addresses that have none."""
    groups: dict[object, list[tuple[Law, list[Load]]]] = {}
    for law in laws:
        key, addresses = _form(law, constant if along else None)
        groups.setdefault(key, []).append((law, addresses))
    out = Emitted()
    for members in groups.values():
        if len(members) < LOOP_FROM:
            for law, _ in members:
                out.lines += [f"# {law.label}", *_block(law, law.assignments, constant, along)]
        else:
            _emit_loop(members, f"{prefix}{len(out.tables)}", constant, along, out)
    return out


def _form(law: Law, constant: Callable[[Load], bool] | None) -> tuple[object, list[Load]]:
    """A key that laws of the same form share, and the law's addresses in the form's order."""
    roots = shared([e for _, e in law.assignments])
    slots: dict[Load, int] = {}
    for target, _ in law.assignments:
        slots.setdefault(target, len(slots))
    number: dict[int, int] = {}
    form: list[object] = []
    for node in topological(roots):
        if node.op == "leaf":
            slot = slots.setdefault(node.value, len(slots))
            entry: object = (node.value.array, slot, bool(constant and constant(node.value)))
        else:
            entry = (node.op, tuple(number[id(a)] for a in node.args), node.value)
        number[id(node)] = len(form)
        form.append(entry)
    targets = tuple(slots[t] for t, _ in law.assignments)
    return (tuple(form), targets, tuple(number[id(r)] for r in roots), law.accumulate), list(slots)


def _block(
    law: Law, assignments: list[tuple[Load, Expression]], constant: Callable[[Load], bool], along: Along
) -> list[str]:
    pairs = with_tangents(assignments, constant, along, law.accumulate)
    accumulate = frozenset(t for t, _ in pairs) if law.accumulate else frozenset()
    return Block(pairs, accumulate).parts()[0]


def _emit_loop(
    members: list[tuple[Law, list[Load]]], table: str, constant: Callable[[Load], bool], along: Along, out: Emitted
) -> None:
    """One loop for laws of one form: row k of the table holds the addresses of the k-th law."""
    law, addresses = members[0]
    width = len(addresses)
    fixed = {slot for slot in range(width) if constant(addresses[slot])}
    generic = {address: Load(address.array, f"a{slot}", 0) for slot, address in enumerate(addresses)}
    roots = rebuild([e for _, e in law.assignments], lambda n: leaf(generic[n.value]) if n.op == "leaf" else None)
    assignments = [(generic[t], root) for (t, _), root in zip(law.assignments, roots, strict=True)]
    body = _block(law, assignments, lambda load: int(load.base[1:]) in fixed, along)
    out.tables[table] = [address.offset for _, row in members for address in row]
    out.lines += [f"# {law.label} and {len(members) - 1} more of the same form", f"for k in range({len(members)}):"]
    out.lines += [f"    a{slot} = {table}[{width} * k + {slot}]" for slot in range(width)]
    out.lines += ["    " + line for line in body]
