"""Force laws, rates and outputs as assignments to record addresses, and their emission in groups.

Laws of equal form share one loop over a table of addresses, so that neither the size of the generated
text nor its compile time grows with the number of bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import ModelError
from ..expressions import Expression, as_expression, is_literal, leaf, max, sqrt, where
from ..graph import rebuild, topological
from ..layout import INERTIA, Closing, LinkConstants, Load
from ..model.forces import BodyForce, CoordinateSpring, Motor, PointSpring
from ..model.vectors import Vector
from ..trace.emit import Block, shared, with_tangents
from .resolve import Resolver
from .tree import rotate

KEPT_LITERALS = (0.0, 1.0, -1.0, 0.5, 2.0)  #: structure; any other number becomes an entry of the record
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
        if node.op in ("table", "slope") and isinstance(node.value[0], tuple):
            points, values = node.value
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


def joint_forces(resolve: Resolver) -> list[Law]:
    """tau and its part of p_dot, one law for each joint velocity that any force drives."""
    total: dict[tuple[str, int], Expression] = {}
    for force in resolve.model.forces.values():
        if isinstance(force, (Motor, CoordinateSpring)):
            if resolve.tree.u[force.body][force.k].driven:
                raise ModelError(
                    f"force {force.name!r} acts along a driven coordinate of body {force.body!r} and can't change its "
                    "motion: leave it out"
                )
            key = (force.body, force.k)
            total[key] = total.get(key, as_expression(0.0)) + _along_joint(force, resolve)
    laws = []
    for (body, k), expression in total.items():
        slot = resolve.tree.u[body][k].offset
        tau = Load("R", "", resolve.layout["tau"].start + slot)
        p_dot = Load("R", "", resolve.layout["p_dot"].start + slot)
        laws.append(Law([(tau, expression), (p_dot, leaf(p_dot) + expression)], f"joint of {body}"))
    return laws


def _along_joint(force: Motor | CoordinateSpring, resolve: Resolver) -> Expression:
    thing = f"force {force.name!r}"
    if isinstance(force, Motor):
        return resolve.one(force.law, thing)
    places = [where[force.body][force.k] for where in (resolve.tree.q, resolve.tree.u)]
    q, u = (leaf(Load("R", "", place.slot(resolve.layout))) for place in places)
    stiffness, damping, length = resolve([force.stiffness, force.damping, force.length], thing)
    return -(stiffness * (q - length)) - damping * u


def body_wrenches(resolve: Resolver) -> list[Law]:
    """Wrenches on links, in link axes about the link's origin, added to the wrench region."""
    laws: list[Law] = []
    for force in resolve.model.forces.values():
        if isinstance(force, BodyForce):
            laws.append(_body_force(force, resolve))
        elif isinstance(force, PointSpring):
            laws.append(_point_spring(force, resolve))
    return [law for law in laws if law.assignments]


def point_of(body: str, point: Vector, resolve: Resolver, thing: str) -> tuple[int, Vector]:
    """A point of a body in link axes."""
    frame = resolve.tree.frames[body]
    return frame.link, Vector(resolve.parameters_only(frame.origin + rotate(frame.rotation, point), thing))


def _wrench(
    link: int, point: Vector, force: Vector, torque: Vector, resolve: Resolver
) -> list[tuple[Load, Expression]]:
    """Assignments that add a force at a point and a torque, both in link axes."""
    if link < 0:
        return []
    start = resolve.layout["wrench"].start + 6 * link
    entries = [*force, *(torque + point.cross(force))]
    return [(Load("R", "", start + k), x) for k, x in enumerate(entries) if not is_literal(x, 0.0)]


def _body_force(force: BodyForce, resolve: Resolver) -> Law:
    thing = f"force {force.name!r}"
    link, point = point_of(force.body, force.at, resolve, thing)
    if link < 0:
        raise ModelError(f"{thing} acts on body {force.body!r}, which is welded to the world: remove it")
    f, n = Vector(resolve(force.force, thing)), Vector(resolve(force.torque, thing))
    frame = resolve.tree.frames[force.body]
    if force.in_world:
        f, n = resolve.to_link(link, f), resolve.to_link(link, n)
    else:
        f, n = rotate(frame.rotation, f), rotate(frame.rotation, n)
    return Law(_wrench(link, point, f, n, resolve), thing, accumulate=True)


def _line(spring: PointSpring, resolve: Resolver) -> tuple[Vector, Expression, list[tuple[int, Vector]]]:
    """Vector from a to b in world axes, its length, and both points in link axes."""
    thing = f"spring {spring.name!r}"
    ends = [point_of(body, at, resolve, thing) for body, at in ((spring.a, spring.at_a), (spring.b, spring.at_b))]
    a, b = (resolve.world_point(*end) for end in ends)
    return b - a, (b - a).norm(), ends


def _point_spring(spring: PointSpring, resolve: Resolver) -> Law:
    thing = f"spring {spring.name!r}"
    delta, distance, ends = _line(spring, resolve)
    stiffness, damping, length = resolve([spring.stiffness, spring.damping, spring.length], thing)
    safe = max(distance, as_expression(1e-300))
    per_metre = stiffness if is_literal(length, 0.0) else stiffness * (distance - length) / safe
    if not is_literal(damping, 0.0):
        va, vb = (_world_velocity(link, point, resolve) for link, point in ends)
        speed = delta.dot(vb - va) / safe
        per_metre = per_metre + damping * speed / safe
    pull = delta * per_metre  # on a, towards b
    assignments: list[tuple[Load, Expression]] = []
    for (link, point), force in zip(ends, (pull, -pull), strict=True):
        if link >= 0:
            assignments += _wrench(link, point, resolve.to_link(link, force), Vector((0.0, 0.0, 0.0)), resolve)
    return Law(assignments, thing, accumulate=True)


def _world_velocity(link: int, point: Vector, resolve: Resolver) -> Vector:
    if link < 0:
        return Vector((0.0, 0.0, 0.0))
    v, w = resolve.link_twist(link)
    local = v + w.cross(point)
    return Vector(row.dot(local) for row in resolve.link_rotation(link))


def energy_terms(resolve: Resolver) -> list[Law]:
    """½ pᵀu (P6), -m g.x of every link, ½ c (l - l0)² of every spring."""
    layout, tree, model = resolve.layout, resolve.tree, resolve.model
    target = Load("R", "", layout["energy"].start)
    laws = _kinetic_energy(resolve, target)
    gravity = Vector(
        as_expression(0.0) if is_literal(g, 0.0) else leaf(Load("R", "", layout["gravity"].start + k))
        for k, g in enumerate(model.gravity)
    )
    for i in range(len(tree.links)):
        block = layout["bodies"].start + i * layout["bodies"].stride
        mass, *moment = (leaf(Load("R", "", block + k)) for k in range(4))
        origin = resolve.world_point(i, Vector((0.0, 0.0, 0.0)))
        arm = Vector(row.dot(moment) for row in resolve.link_rotation(i))
        laws.append(Law([(target, -gravity.dot(origin * mass + arm))], "energy in gravity", accumulate=True))
    for force in model.forces.values():
        if isinstance(force, CoordinateSpring):
            q = leaf(Load("R", "", tree.q[force.body][force.k].slot(layout)))
            stretch = q - resolve.one(force.length, f"spring {force.name!r}")
        elif isinstance(force, PointSpring):
            stretch = _line(force, resolve)[1] - resolve.one(force.length, f"spring {force.name!r}")
        else:
            continue
        stiffness = resolve.one(force.stiffness, f"spring {force.name!r}")
        laws.append(Law([(target, 0.5 * stiffness * stretch * stretch)], f"energy in {force.name}", accumulate=True))
    return [law for law in laws if not is_literal(law.assignments[0][1], 0.0)]


def _kinetic_energy(resolve: Resolver, target: Load) -> list[Law]:
    """½ pᵀu (P6); where motions are given, ½ vᵀMv of every link instead."""
    layout, laws = resolve.layout, []
    if resolve.moves_by_itself:
        for i in range(len(resolve.tree.links)):
            block = layout["bodies"].start + i * layout["bodies"].stride
            c = [leaf(Load("R", "", block + k)) for k in range(LinkConstants.inertia[-1] + 1)]
            v, w = resolve.link_twist(i)
            J = dict(zip(INERTIA, c[LinkConstants.inertia[0] :], strict=True))
            J |= {(b, a): x for (a, b), x in J.items()}
            turned = Vector(Vector(J[a, b] for b in range(3)).dot(w) for a in range(3))
            twice = v.dot(v) * c[0] + 2.0 * v.dot(w.cross(c[1:4])) + w.dot(turned)
            laws.append(Law([(target, 0.5 * twice)], "kinetic energy", accumulate=True))
        return laws
    for k in range(layout["u"].size):
        p, u = (leaf(Load("R", "", layout[name].start + k)) for name in ("p", "u"))
        laws.append(Law([(target, 0.5 * p * u)], "kinetic energy", accumulate=True))
    return laws + _impulse_energy(resolve, target)


def _impulse_energy(resolve: Resolver, target: Load) -> list[Law]:
    """½ pᵀu is ½ (piᵀu - (gamma + alpha g)ᵀ Lambda): the momenta themselves are pi + Jᵀ Lambda (L2)."""
    layout, laws = resolve.layout, []
    for k in range(layout["multipliers"].size if "multipliers" in layout else 0):
        names = ("residual_rates", "residuals", "multipliers")
        drift, residual, impulse = (leaf(Load("R", "", layout[name].start + k)) for name in names)
        alpha = leaf(Load("R", "", layout["closing"].start + Closing.alpha))
        term = -0.5 * impulse * (drift + alpha * residual)
        laws.append(Law([(target, term)], "kinetic energy of the loops' impulses", accumulate=True))
    return laws


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


def coincident_ends(resolve: Resolver) -> list[tuple[Expression, str]]:
    """For each point spring of non-zero length: a number that must be positive at the start."""
    checks = []
    for force in resolve.model.forces.values():
        if isinstance(force, PointSpring) and not is_literal(force.length, 0.0):
            length = resolve.one(force.length, f"spring {force.name!r}")
            distance = _line(force, resolve)[1]
            slack = where(length * length <= 0.0, as_expression(1.0), distance - 1e-12 * sqrt(length * length))
            message = (
                f"spring {force.name!r}: its ends coincide at the start, so it has no direction; "
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


def emit_laws(laws: list[Law], prefix: str, tangent: Callable[[Load], bool] | None = None) -> Emitted:
    """Code for the laws in order of first appearance; with tangents where `tangent` tells what is constant."""
    groups: dict[object, list[tuple[Law, list[Load]]]] = {}
    for law in laws:
        key, addresses = _form(law, tangent)
        groups.setdefault(key, []).append((law, addresses))
    out = Emitted()
    for members in groups.values():
        if len(members) < LOOP_FROM:
            for law, _ in members:
                out.lines += [f"# {law.label}", *_block(law, law.assignments, tangent)]
        else:
            _emit_loop(members, f"{prefix}{len(out.tables)}", tangent, out)
    return out


def _form(law: Law, tangent: Callable[[Load], bool] | None) -> tuple[object, list[Load]]:
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
            entry: object = (node.value.array, slot, bool(tangent and tangent(node.value)))
        else:
            entry = (node.op, tuple(number[id(a)] for a in node.args), node.value)
        number[id(node)] = len(form)
        form.append(entry)
    targets = tuple(slots[t] for t, _ in law.assignments)
    return (tuple(form), targets, tuple(number[id(r)] for r in roots), law.accumulate), list(slots)


def _block(law: Law, assignments: list[tuple[Load, Expression]], tangent: Callable[[Load], bool] | None) -> list[str]:
    pairs = list(assignments) if tangent is None else with_tangents(list(assignments), tangent, law.accumulate)
    accumulate = frozenset(t for t, _ in pairs) if law.accumulate else frozenset()
    return Block(pairs, accumulate).parts()[0]


def _emit_loop(
    members: list[tuple[Law, list[Load]]], table: str, tangent: Callable[[Load], bool] | None, out: Emitted
) -> None:
    """One loop for laws of one form: row k of the table holds the addresses of the k-th law."""
    law, addresses = members[0]
    width = len(addresses)
    fixed = {slot for slot in range(width) if tangent is not None and tangent(addresses[slot])}
    generic = {address: Load(address.array, f"a{slot}", 0) for slot, address in enumerate(addresses)}
    roots = rebuild([e for _, e in law.assignments], lambda n: leaf(generic[n.value]) if n.op == "leaf" else None)
    assignments = [(generic[t], root) for (t, _), root in zip(law.assignments, roots, strict=True)]
    generic_tangent = None if tangent is None else (lambda load: int(load.base[1:]) in fixed)
    body = _block(law, assignments, generic_tangent)
    out.tables[table] = [address.offset for _, row in members for address in row]
    out.lines += [f"# {law.label} and {len(members) - 1} more of the same form", f"for k in range({len(members)}):"]
    out.lines += [f"    a{slot} = {table}[{width} * k + {slot}]" for slot in range(width)]
    out.lines += ["    " + line for line in body]
