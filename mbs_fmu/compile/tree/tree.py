"""Conversion of bodies to links: their order, welds, and link frames in which motions are about principal axes.

The kernels loop over links. A link consists of a placement on its parent link, elementary motions about principal
axes, and one rigid body. A body with its joint becomes one link, or several if a constant rotation separates two
motions. A welded body is part of its parent's link. Link frames need not coincide with body frames; a `Frame` locates
a body in its link. An elastic body has a further link outboard of its joint: its frame is the body's mean frame, and
its motions are the vibration modes. Outboard of that link there is one link for each node.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.suggestions import did_you_mean
from ...mechanics.links import LinkMotion
from ...model.drives import driven_coordinates
from ...model.elastic_parts import ElasticPart
from ...model.geometry.axes import SNAP
from ...model.geometry.vectors import Vector
from ...model.items import WORLD, Body
from ...model.model import Model
from ...model.motions.check import check
from ...record.layout import INERTIA
from ...symbolic.expressions import as_expression, is_literal
from ...symbolic.spatial import PLANE
from .coupled_joints import coupled_columns, coupled_joints_of
from .elastic_slopes import mode_offsets
from .link_frames import with_chosen_frames
from .links import Frame, Link, Tree
from .rotations import rotate, rotate_matrix, sine, snapped


def build_tree(model: Model, split: bool = False) -> Tree:
    """Return the links and frames of a model.

    `split`: every elementary motion gets a link of its own, which reduces the number of classes. Raises ModelError for
    an unknown parent, a cycle, or a massless last link.
    """
    order = _ordered(model)
    tree = Tree(
        [], {WORLD: Frame(-1, np.eye(3), Vector((0.0, 0.0, 0.0)))}, order, coupled_joints=coupled_joints_of(model)
    )
    _add_ground(tree)
    for body in order:
        motions = _motions(model, body)
        _add_addresses(tree, body, motions)
        _add_coupled_joints(tree, body.name)
        frame = _add_links(tree, body, motions, split) if body.attachment is None else _add_attachment(tree, body)
        tree.frames[body.name] = frame
        for follower in model.followers.on(body.name):  # at most one
            tree.links[frame.link].ratio = follower.ratio
        if body.elastic is not None:
            _add_modes(tree, body, body.elastic)
    tree = _with_masses(with_chosen_frames(tree))
    _check_ends(tree)
    return _with_coupled_columns(tree)


def _ordered(model: Model) -> list[Body]:
    """Return the bodies depth first from the world, so that a link's first child follows it directly."""
    children: dict[str, list[Body]] = {WORLD: []}
    for body in model.bodies.values():
        children[body.name] = []
    for body in model.bodies.values():
        if body.parent not in children:
            known = ", ".join(model.bodies)
            problem = f"body {body.name!r}: unknown parent {body.parent!r}{did_you_mean(body.parent, children)}"
            raise ModelError(f"{problem}; use 'world' or one of {known}")
        children[body.parent].append(body)
    order: list[Body] = []
    stack = list(reversed(children[WORLD]))
    while stack:
        body = stack.pop()
        order.append(body)
        # welded children first: they are part of this link and must not separate it from its first child link
        stack.extend(sorted(children[body.name], key=lambda child: bool(child.joint.motions))[::-1])
    if len(order) < len(model.bodies):
        reached = {body.name for body in order}
        circle = [name for name in model.bodies if name not in reached]
        raise ModelError(
            f"bodies {', '.join(circle)} form a cycle of parents: one of them needs 'world' "
            "or a body outside the cycle as its parent"
        )
    return order


def rotor_rates(model: Model, body: str) -> set[int]:
    """Return the indices of the joint velocities of a body that have rotors."""
    return {rotor.k for rotor in model.rotors.on(body)}


def _add_ground(tree: Tree) -> None:
    """Add a fixed link inboard of all others if columns of coupled joints meet at the world."""
    if tree.grounded:
        tree.links.append(Link("ground", -1, np.eye(3), Vector((0.0, 0.0, 0.0)), []))
        _add_coupled_joints(tree, WORLD)


def _add_coupled_joints(tree: Tree, root: str) -> None:
    """Add the velocities of the groups of coupled joints whose columns meet at a body."""
    for group in (group for group in tree.coupled_joints if group.root == root):
        tree.add_addresses(group.leader, "u", range(1))


def _with_coupled_columns(tree: Tree) -> Tree:
    """Return the tree with the columns of coupled joints at the links on their paths."""
    if not tree.coupled_joints:
        return tree
    links = {body: max(frame.link, 0) for body, frame in tree.frames.items()}
    of_link, group_at = coupled_columns(tree.coupled_joints, links, [link.parent for link in tree.links])
    coupled = [replace(link, coupled=columns) for link, columns in zip(tree.links, of_link, strict=True)]
    return replace(tree, links=coupled, group_at=group_at)


def leader_velocities(tree: Tree) -> list[list[int]]:
    """Return, by channel and link, the index of the joint velocity of the group there; 0 if there is none."""
    velocities = [tree.u[group.leader][0].offset for group in tree.coupled_joints]
    return [[velocities[at[i]] if i in at else 0 for i in range(len(tree.links))] for at in tree.group_at]


def _motions(model: Model, body: Body) -> list[LinkMotion]:
    """Return the joint's motions, with drives and rotors marked; their axes are still given in joint axes."""
    following = bool(model.followers.on(body.name))
    joined = following or bool(model.followers.on(body.name, "leader"))
    driven, rotors_on = driven_coordinates(model.drives, body.name), rotor_rates(model, body.name)
    motions, q, u = [], 0, 0
    for motion in body.joint.motions:
        check(motion)
        rotors = frozenset(k - u for k in rotors_on if 0 <= k - u < len(motion.rate_units))
        motions.append(LinkMotion(motion, 0, following or q in driven, rotors, joined))
        q, u = q + motions[-1].coordinates, u + motions[-1].rates
    return motions


def _add_addresses(tree: Tree, body: Body, motions: list[LinkMotion]) -> None:
    modes = [] if body.elastic is None else mode_offsets(body.elastic)
    for name, count in (("q", "coordinates"), ("u", "rates")):
        for motion in motions:
            if name == "u" and motion.joined and not motion.driven:
                continue  # its velocity is that of the group
            tree.add_addresses(body.name, f"driven_{name}" if motion.driven else name, range(getattr(motion, count)))
        tree.add_addresses(body.name, name, modes)


def _add_links(tree: Tree, body: Body, motions: list[LinkMotion], split: bool) -> Frame:
    """Add the links of a body's joint; return the body's frame."""
    parent = tree.frames[body.parent]
    position = parent.origin + rotate(parent.rotation, body.position)
    rotation = parent.rotation @ body.rotation
    if not motions:
        return Frame(parent.link, rotation, position)
    segments, internal = _segments(rotation, motions, split)
    link = 0 if parent.link < 0 and tree.grounded else parent.link
    for number, (placement, members) in enumerate(segments):
        name = body.name if number == len(segments) - 1 else f"{body.name} (part {number + 1})"
        origin = position if number == 0 else Vector((0.0, 0.0, 0.0))
        own = tuple(x for member in members for x in member.motion.constants)
        tree.links.append(Link(name, link, snapped(placement), origin, members, own))
        link = len(tree.links) - 1
    return Frame(link, snapped(internal.T), Vector((0.0, 0.0, 0.0)))


Segment = tuple[np.ndarray, list[LinkMotion]]  #: the rotation inboard of a link's motions, and the motions


def _segments(rotation: np.ndarray, motions: list[LinkMotion], split: bool) -> tuple[list[Segment], np.ndarray]:
    """Return each link's motions with the rotation inboard of them, and the axes of the last link in body axes."""
    segments: list[Segment] = [(rotation, [])]
    internal = np.eye(3)  # axes of the link, in body axes at zero coordinates
    for link_motion in motions:
        if link_motion.motion.axis is not None:
            axis, turn = _principal(internal.T @ np.array(link_motion.motion.axis))
        else:  # the motion's formulas are in joint axes
            axis, turn = 0, None if np.array_equal(internal, np.eye(3)) else internal.T
        apart = split or link_motion.motion.alone or any(m.motion.alone for m in segments[-1][1])
        if segments[-1][1] and (apart or turn is not None):
            segments.append((np.eye(3), []))
        if turn is not None:
            internal = internal @ turn if link_motion.motion.axis is not None else np.eye(3)
            segments[-1] = (segments[-1][0] @ turn, [])
        segments[-1][1].append(replace(link_motion, axis=axis))
    return segments, internal


def _principal(axis: np.ndarray) -> tuple[int, np.ndarray | None]:
    """Return a principal axis and the rotation that maps it to a unit vector; None if no rotation is needed."""
    largest = int(np.argmax(np.abs(axis)))
    aligned = sine(axis, largest) < SNAP
    if aligned and axis[largest] > 0.0:
        return largest, None
    if aligned:  # opposite to a principal axis: half a turn about another axis
        half = -np.eye(3)
        other = PLANE[largest][0]
        half[other, other] = 1.0
        return largest, half
    z = axis / np.linalg.norm(axis)
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= np.linalg.norm(x)
    return 2, np.column_stack([x, np.cross(z, x), z])


def _with_masses(tree: Tree) -> Tree:
    """Return the tree with the inertias of rigid bodies in its links, and with the numbers of children."""
    children = Counter(link.parent for link in tree.links)
    rigid: list[list[Body]] = [[] for _ in tree.links]
    for body in tree.order:
        if body.elastic is None and tree.frames[body.name].link >= 0:
            rigid[tree.frames[body.name].link].append(body)
    links = [_with_bodies(tree, link, bodies, children[i]) for i, (link, bodies) in enumerate(zip(tree.links, rigid))]
    return replace(tree, links=links)


def _with_bodies(tree: Tree, link: Link, bodies: list[Body], children: int) -> Link:
    """Return a link with its number of children and the inertias of rigid bodies, about its origin and in its axes."""
    mass, moment, inertia = link.mass, link.moment, [list(row) for row in link.inertia]
    for body in bodies:
        frame = tree.frames[body.name]
        c = frame.origin + rotate(frame.rotation, body.com)
        J = rotate_matrix(frame.rotation, body.inertia)
        square = c.dot(c)
        mass, moment = mass + body.mass, moment + c * body.mass
        for i, j in INERTIA:
            parallel = (square if i == j else as_expression(0.0)) - c[i] * c[j]
            inertia[i][j] = inertia[j][i] = inertia[i][j] + J[i][j] + body.mass * parallel
    return replace(link, mass=mass, moment=moment, inertia=inertia, children=children)


def _add_modes(tree: Tree, body: Body, elastic: ElasticPart) -> None:
    """Add the link of an elastic body's mean frame, which is attached to the body's own frame at the root."""
    frame, inertia = tree.frames[body.name], elastic.modes.inertia
    axes = np.eye(3) if elastic.root is None else elastic.modes.node(elastic.root).axes.T
    link = Link(f"{body.name} (modes)", frame.link, snapped(frame.rotation @ axes), frame.origin, [], elastic=elastic)
    link.mass, link.moment = as_expression(inertia.mass), Vector(inertia.S0.tolist())
    link.inertia = [[as_expression(x) for x in row] for row in inertia.J0.tolist()]
    tree.mean[body.name] = len(tree.links)
    tree.links.append(link)


def _add_attachment(tree: Tree, body: Body) -> Frame:
    """Add the link of a node of an elastic body; return its frame."""
    assert body.attachment is not None
    parent = tree.mean[body.parent]
    elastic = tree.links[parent].elastic
    assert elastic is not None
    node = elastic.modes.node(body.attachment)
    origin = Vector(node.position.tolist())
    tree.links.append(Link(body.name, parent, snapped(node.axes), origin, [], attachment=body.attachment))
    return Frame(len(tree.links) - 1, np.eye(3), Vector((0.0, 0.0, 0.0)))


def _check_ends(tree: Tree) -> None:
    """Check that links without children have inertia along their last motion, as far as the values are literals."""
    for link in tree.links:
        last = link.motions[-1] if link.motions else None
        if link.children or last is None or last.driven or last.rotors or last.joined:
            continue
        # J includes m(c² - c cᵀ), so an entry of zero means that neither mass nor inertia resists the motion
        effective_inertia = last.motion.effective_inertia(link.mass, link.inertia, last.axis)
        if all(is_literal(x, 0.0) for x in effective_inertia):
            raise ModelError(
                f"body {link.name!r} can move but has no {last.motion.missing_inertia}, and carries nothing: "
                "give it a mass and an inertia, or weld it (a rod without mass in a loop is mbs.Distance)"
            )
