"""Models from the links and joints of a robot file: tree of the links, correction of inertias, bodies and forces."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..infrastructure.arguments import is_one_of, truth
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.checks import readable
from ..model.geometry.poses import Pose
from ..model.geometry.vectors import no_less_than_zero
from ..model.items import WORLD
from ..model.joints import Joint, Weld
from ..model.model import Model
from .document import Document, Element
from .drawing import draw
from .imported import Imported, ImportedJoint, ImportedShape, Limits, Mimic, Names, add_ranges, bound, identifier
from .inertias import Inertia, Mounting, massless_branches, mended, why_unphysical
from .stops import check_stops

log = logging.getLogger("mbs_fmu")

UNPHYSICAL = ("refuse", "keep", "mend")
MASSLESS = ("refuse", "weld")


@dataclass(frozen=True)
class LinkData:
    """A link of the file."""

    name: str
    element: Element | None
    inertia: Inertia
    shapes: list[ImportedShape]


@dataclass(frozen=True)
class JointData:
    """A joint of the file. place: position and rotation matrix of the joint frame in axes of the parent link."""

    name: str
    kind: str
    element: Element
    parent: str
    child: str
    place: tuple[np.ndarray, np.ndarray]
    joint: Joint
    limits: Limits
    mimic: Mimic | None
    damping: float
    friction: float

    @property
    def has_one_dof(self) -> bool:
        """True if the joint has one degree of freedom."""
        return len(self.joint.rates) == 1

    @property
    def is_prismatic(self) -> bool:
        """True if the joint's only degree of freedom is a translation."""
        return self.joint.forces[0][1] == "N"


@dataclass(frozen=True)
class ImportOptions:
    """Options of `from_urdf`. Raises ArgumentError for invalid ones."""

    name: str | None
    base: Joint
    efforts: bool
    stops: tuple[float, float] | None
    dynamics: bool
    unphysical: str
    massless: str

    def __post_init__(self) -> None:
        if not isinstance(self.base, Joint):
            raise ArgumentError(f"base must be a joint such as mbs.Free(), not {display(self.base)}")
        for what, names in (("unphysical", UNPHYSICAL), ("massless", MASSLESS)):
            if not is_one_of(getattr(self, what), names):
                raise ArgumentError(f"{what} is {display(getattr(self, what))}: use {' or '.join(map(repr, names))}")
        for what in ("efforts", "dynamics"):
            truth(getattr(self, what), what)
        check_stops(self.stops)


class Assembling:
    """Builder of a model from the links and joints of a file. Raises ModelError that states the line of the file."""

    def __init__(
        self, document: Document, links: Mapping[str, LinkData], joints: Mapping[str, JointData], options: ImportOptions
    ):
        self.document = document
        self.options = options
        self.links = dict(links)
        self.joints = dict(joints)
        name = options.name or identifier(document.root.get("name") or document.path.stem)
        self.model = Model(name, description=f"from {readable(document.path.name)}")
        self.chains = {name: self._chain(name) for name in self.joints}  #: of leaders, by joint
        self.bodies: dict[str, str] = {}
        self.names, self.forces, self.inputs = Names(), Names(), Names()

    def imported(self) -> Imported:
        """Return the model with the other data of the file."""
        root, order = self._root_and_order()
        self.links = self._physical_links()
        welded = self._massless_joints(order)
        self._add_root(root)
        for name in order:
            joint = self.joints[name]
            self._add_body(joint.child, self.bodies[joint.parent], Weld() if name in welded else joint.joint, joint)
        joints = {name: self._imported_joint(joint, name in welded) for name, joint in self.joints.items()}
        add_ranges(self.model, joints.values(), self.document.note)
        shapes = {self.bodies[name]: link.shapes for name, link in self.links.items() if link.shapes}
        draw(self.model, shapes, self.document.note)
        for note in self.document.notes:
            log.info("%s: %s", self.document.path.name, note)
        return Imported(self.model, self.bodies, joints, shapes, self.document.notes)

    # -- the tree ----------------------------------------------------------------------------------------
    def _root_and_order(self) -> tuple[str, list[str]]:
        """Return the root link and the joints, parents first. Raises ModelError if the links do not form a tree."""
        if not self.links:
            self.document.fail(self.document.root, "the file has no <link>")
        parent_joints = self._parent_joints()
        roots = [name for name in self.links if name not in parent_joints]
        if len(roots) != 1:
            names = listed(map(repr, roots))
            reason = f"{len(roots)} links have no joint to a parent: {names}" if roots else "every link has a parent"
            self.document.fail(None, f"the links do not form a tree: {reason}; exactly one link must be the root")
        child_joints: dict[str, list[str]] = {}
        for name, joint in self.joints.items():
            child_joints.setdefault(joint.parent, []).append(name)
        order = list(child_joints.get(roots[0], []))
        for name in order:  # the list grows during this loop
            order += child_joints.get(self.joints[name].child, [])
        if len(order) < len(self.joints):
            cyclic = next(joint for name, joint in self.joints.items() if name not in order)
            self.document.fail(cyclic.element, f"joint {cyclic.name!r} is in a kinematic loop: links must form a tree")
        return roots[0], order

    def _parent_joints(self) -> dict[str, JointData]:
        """Return the parent joint of each link except the root. Adds Drake's implicit link "world"."""
        parent_joints: dict[str, JointData] = {}
        for joint in self.joints.values():
            for tag, link in (("parent", joint.parent), ("child", joint.child)):
                if link == WORLD and tag == "parent":
                    self.links.setdefault(WORLD, LinkData(WORLD, None, Inertia(), []))
                if link not in self.links:
                    self.document.fail(joint.element, f"joint {joint.name!r}: its {tag} {link!r} is not a link")
            if joint.child in parent_joints:
                other = parent_joints[joint.child]
                self.document.fail(
                    joint.element,
                    f"link {joint.child!r} is already the child of joint {other.name!r}: links form a tree",
                )
            parent_joints[joint.child] = joint
        return parent_joints

    # -- correction --------------------------------------------------------------------------------------
    def _physical_links(self) -> dict[str, LinkData]:
        """Return the links with inertias treated by the option `unphysical`. Raises ModelError for refused ones."""
        links, refused = {}, []
        for name, link in self.links.items():
            reason = why_unphysical(link.inertia)
            if reason and self.options.unphysical == "refuse":
                refused.append(f"{name!r} ({reason})")
            if reason and self.options.unphysical == "keep":
                link = replace(link, inertia=replace(link.inertia, physical=False))
                self.document.note(f"link {name!r} keeps its unphysical inertia: {reason}")
            if reason and self.options.unphysical == "mend":
                link = replace(link, inertia=mended(link.inertia))
                self.document.note(f"link {name!r}: its unphysical inertia is corrected: {reason}")
            links[name] = link
        if refused:
            self.document.fail(
                next(link.element for link in self.links.values() if why_unphysical(link.inertia)),
                f"unphysical inertia of link {listed(refused)}: correct the file, or give unphysical='keep' or 'mend'",
            )
        return links

    def _massless_joints(self, order: list[str]) -> set[str]:
        """Return the joints to weld because they move no inertia. Raises ModelError if such joints are refused."""
        mountings = {}
        for name in order:
            joint = self.joints[name]
            twists = np.zeros((0, 6)) if self._is_held(name) else _twists(joint.joint)
            mountings[joint.child] = Mounting(joint.parent, *joint.place, twists)
        inertias = {name: link.inertia for name, link in self.links.items()}
        massless_links = set(massless_branches(mountings, inertias, self._led()))
        massless = [name for name in order if self.joints[name].child in massless_links]
        if massless and self.options.massless == "refuse":
            links = [f"{name!r} (link {self.joints[name].child!r})" for name in massless]
            self.document.fail(
                self.joints[massless[0]].element,
                f"no mass or inertia moves with joint {listed(links)}: give its link some, or give massless='weld'",
            )
        if massless:
            self.document.note(f"no mass or inertia moves with joint {', '.join(massless)}: welded")
        return set(massless)

    def _is_held(self, name: str) -> bool:
        """Return whether a joint mimics one that does not move."""
        chain, _ = self.chains[name]
        leading = self.joints.get(chain[-1])
        return len(chain) > 1 and leading is not None and not leading.joint.motions

    def _led(self) -> dict[str, tuple[str, float]]:
        """Return for the child link of each mimic joint that of the leader at the end of its chain, and the ratio.

        Invalid chains, and leaders without one degree of freedom, are left out: `_add_follower` treats them.
        """
        led = {}
        for name, joint in self.joints.items():
            chain, ratio = self.chains[name]
            leading = self.joints.get(chain[-1])
            if len(chain) > 1 and leading is not None and leading.mimic is None and leading.has_one_dof:
                led[joint.child] = leading.child, ratio
        return led

    def _chain(self, name: str) -> tuple[list[str], float]:
        """Return a joint, its leader, the leader's leader and so on, and the ratio to the last; the last is unknown, or
        occurs twice, if the chain is invalid."""
        chain, ratio = [name], 1.0
        while chain[-1] in self.joints and chain[-1] not in chain[:-1]:
            mimic = self.joints[chain[-1]].mimic
            if mimic is None:
                break
            chain, ratio = [*chain, mimic.leader], ratio * mimic.multiplier
        return chain, ratio

    # -- the model ---------------------------------------------------------------------------------------
    def _add_root(self, root: str) -> None:
        if root == WORLD and not self.options.base.motions:
            self.bodies[WORLD] = WORLD
        else:
            self._add_body(root, WORLD, self.options.base, None)

    def _add_body(self, link: str, parent: str, joint: Joint, joint_data: JointData | None) -> None:
        data, place = self.links[link], (np.zeros(3), np.eye(3)) if joint_data is None else joint_data.place
        name = self.bodies[link] = self.names.new(link)
        inertia = data.inertia
        with self.document.at(data.element, f"link {link!r}"):
            self.model.body(
                name, parent, joint, inertia.mass, inertia.com, inertia.tensor, Pose(*place), physical=inertia.physical
            )

    def _imported_joint(self, joint: JointData, welded: bool) -> ImportedJoint:
        """Add the forces along a joint to the model; return the joint's data."""
        body, effort = self.bodies[joint.child], None
        coordinate = 1 if self.model.bodies[body].joint.motions else None
        if joint.has_one_dof and not welded:
            with self.document.at(joint.element, f"joint {joint.name!r}"):
                effort = self._add_joint_forces(joint, body)
        elif not welded:
            self._add_losses(joint, body)
        return ImportedJoint(joint.name, joint.kind, body, coordinate, joint.limits, joint.mimic, effort)

    def _add_joint_forces(self, joint: JointData, body: str) -> str | None:
        """Add the forces along a joint with one degree of freedom; return the name of its input, or None."""
        model, options, name = self.model, self.options, joint.name
        along = "force" if joint.is_prismatic else "torque"
        if joint.damping and options.dynamics:
            model.spring(
                self.forces.new(f"{name}_damping"), on=body, damping=no_less_than_zero(joint.damping, "damping")
            )
        if joint.friction and options.dynamics:
            law: dict[str, Any] = {along: joint.friction}
            model.friction(self.forces.new(f"{name}_friction"), on=body, **law)
        low, high = joint.limits.lower, joint.limits.upper
        if options.stops is not None and not (math.isinf(low) and math.isinf(high)) and low < high:
            stiffness, damping = options.stops
            model.limit(
                self.forces.new(f"{name}_stops"), on=body, lower=bound(low), upper=bound(high), stiffness=stiffness,
                damping=damping,
            )  # fmt: skip
        if joint.mimic is not None:
            self._add_follower(joint, body)
            return None
        if not options.efforts:
            return None
        max_effort = joint.limits.effort if 0.0 < joint.limits.effort < math.inf else None
        signal = self.inputs.new(f"{name}_effort")
        unit = "N" if joint.is_prismatic else "N.m"
        law = {along: model.input(signal, unit=unit, start=0.0, min=max_effort and -max_effort, max=max_effort)}
        model.motor(self.forces.new(f"{name}_motor"), on=body, **law)
        return signal

    def _add_losses(self, joint: JointData, body: str) -> None:
        """Add damping and friction along each velocity of a joint with several degrees of freedom."""
        if not self.options.dynamics or not (joint.damping or joint.friction):
            return
        for k, (_, unit) in enumerate(joint.joint.forces, start=1):
            law: dict[str, Any] = {"force" if unit == "N" else "torque": joint.friction, "viscous": joint.damping}
            with self.document.at(joint.element, f"joint {joint.name!r}"):
                self.model.friction(self.forces.new(f"{joint.name}_losses"), on=body, coordinate=k, **law)
        if joint.joint.motions:
            self.document.note(f"damping and friction of {joint.kind} joint {joint.name!r} act along each velocity")

    def _add_follower(self, joint: JointData, body: str) -> None:
        """Make a mimic joint follow its leader. If the leader is fixed, its coordinate counts as zero."""
        mimic = joint.mimic
        assert mimic is not None
        *chain, last = self.chains[joint.name][0]
        if last not in self.joints:
            raise ModelError(f"it mimics {last!r}, which is not a joint")
        if last in chain:
            raise ModelError(f"it mimics itself, through {' and '.join(map(repr, chain[1:]))}")
        leading = self.joints[mimic.leader]
        count = len(leading.joint.rates)
        if count > 1:
            raise ModelError(f"it mimics {leading.name!r}, which has {count} degrees of freedom: it must have one")
        if self.model.bodies[self.bodies[self.joints[last].child]].joint.motions:
            leader = self.bodies[leading.child]
            self.model.follow(self.names.new(f"{joint.name}_mimic"), body, leader, mimic.multiplier, mimic.offset)
            return
        position = 0.0
        for name in reversed(chain):
            following = self.joints[name].mimic
            assert following is not None
            position = following.multiplier * position + following.offset
        self.model.drive(self.forces.new(f"{joint.name}_mimic"), body, position=position, rate=0.0)


def _twists(joint: Joint) -> np.ndarray:
    """Motion subspace of a joint of rotations and translations at zero coordinates, a row (v; w) for each degree of
    freedom; the identity for a free joint."""
    if len(joint.rates) == 6:
        return np.eye(6)
    degrees_of_freedom = [f for motion in joint.motions for f in motion.degrees_of_freedom or ()]
    zero = (0.0, 0.0, 0.0)
    return np.array([(*zero, *f.axis) if f.angular else (*f.axis, *zero) for f in degrees_of_freedom]).reshape(-1, 6)
