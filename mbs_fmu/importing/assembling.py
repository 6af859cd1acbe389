"""From links and joints as a file tells them to a model: their order, what is mended, the words of the model."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import finite, is_one_of, truth
from ..errors import ArgumentError, ModelError
from ..messages.failures import display
from ..model.checks import readable
from ..model.geometry.poses import Pose
from ..model.items import WORLD
from ..model.joints import Joint, Weld
from ..model.model import Model
from .document import Document, Element
from .drawing import draw
from .imported import Imported, ImportedJoint, ImportedShape, Limits, Mimic, Names, bound, identifier, tell_ranges
from .inertias import Inertia, Mounting, mended, moves_nothing, why_unphysical

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
    """A joint of the file; place: position and rotation on the parent link."""

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
    def single(self) -> bool:
        """Whether it has one freedom."""
        return len(self.joint.rates) == 1

    @property
    def slides(self) -> bool:
        """Of a single freedom, whether that is a translation."""
        return self.joint.forces[0][1] == "N"


@dataclass(frozen=True)
class Wishes:
    """How a file is to be taken; see `from_urdf`. ArgumentError for what can't be so."""

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
        if self.stops is not None:
            if not isinstance(self.stops, (tuple, list)) or len(self.stops) != 2:
                raise ArgumentError(f"stops is {display(self.stops)}: give two numbers, stiffness and damping")
            for number, what in zip(self.stops, ("stiffness of stops", "damping of stops"), strict=True):
                finite(number, what)


class Assembling:
    """The model of links and joints that a file tells. Raises ModelError with their lines."""

    def __init__(
        self, document: Document, links: Mapping[str, LinkData], joints: Mapping[str, JointData], wishes: Wishes
    ):
        self.document = document
        self.wishes = wishes
        self.links = dict(links)
        self.joints = dict(joints)
        name = wishes.name or identifier(document.root.get("name") or document.path.stem)
        self.model = Model(name, description=f"from {readable(document.path.name)}")
        self.bodies: dict[str, str] = {}
        self.names, self.forces, self.inputs = Names(), Names(), Names()

    def imported(self) -> Imported:
        """The model, with what the file says beyond it."""
        root, order = self._ordered()
        self.links = self._possible(order)
        welded = self._moving_nothing(root, order)
        self._add_root(root)
        for name in order:
            joint = self.joints[name]
            self._add(joint.child, self.bodies[joint.parent], Weld() if name in welded else joint.joint, joint)
        told = {name: self._told(joint, name in welded) for name, joint in self.joints.items()}
        tell_ranges(self.model, told.values(), self.document.note)
        shapes = {self.bodies[name]: link.shapes for name, link in self.links.items() if link.shapes}
        draw(self.model, shapes, self.document.note)
        for note in self.document.notes:
            log.info("%s: %s", self.document.path.name, note)
        return Imported(self.model, self.bodies, told, shapes, self.document.notes)

    # -- the tree ----------------------------------------------------------------------------------------
    def _ordered(self) -> tuple[str, list[str]]:
        """The root link, and the joints, parents first. ModelError for what is no tree."""
        if not self.links:
            self.document.fail(self.document.root, "it has no <link>")
        above = self._joints_above()
        roots = [name for name in self.links if name not in above]
        if len(roots) != 1:
            some = ", ".join(map(repr, roots[:5])) + (" ..." if len(roots) > 5 else "")
            why = f"{len(roots)} links hang on no joint: {some}" if roots else "every link hangs on another"
            self.document.fail(None, f"the links make no tree, {why}; one link must be the root of all")
        below: dict[str, list[str]] = {}
        for name, joint in self.joints.items():
            below.setdefault(joint.parent, []).append(name)
        order = list(below.get(roots[0], []))
        for name in order:  # it grows meanwhile
            order += below.get(self.joints[name].child, [])
        if len(order) < len(self.joints):
            lost = next(joint for name, joint in self.joints.items() if name not in order)
            self.document.fail(lost.element, f"joint {lost.name!r} is in a ring of joints: the links must make a tree")
        return roots[0], order

    def _joints_above(self) -> dict[str, JointData]:
        """Of each link but the root the joint that it hangs on. Drake's implicit link "world" is added."""
        above: dict[str, JointData] = {}
        for joint in self.joints.values():
            for tag, link in (("parent", joint.parent), ("child", joint.child)):
                if link == WORLD and tag == "parent":
                    self.links.setdefault(WORLD, LinkData(WORLD, None, Inertia(), []))
                if link not in self.links:
                    self.document.fail(joint.element, f"joint {joint.name!r}: its {tag} {link!r} is no link")
            if joint.child in above:
                other = above[joint.child]
                self.document.fail(
                    joint.element, f"link {joint.child!r} hangs on joint {other.name!r} already: links make a tree"
                )
            above[joint.child] = joint
        return above

    # -- what is mended ----------------------------------------------------------------------------------
    def _possible(self, order: list[str]) -> dict[str, LinkData]:
        """The links with inertias as `unphysical` says. ModelError that names all that are refused."""
        out, refused = {}, []
        for name, link in self.links.items():
            why = why_unphysical(link.inertia)
            if why and self.wishes.unphysical == "refuse":
                refused.append(f"{name!r} ({why})")
            if why and self.wishes.unphysical == "keep":
                link = replace(link, inertia=replace(link.inertia, physical=False))
                self.document.note(f"link {name!r} is taken as it is, though no body is so: {why}")
            if why and self.wishes.unphysical == "mend":
                link = replace(link, inertia=mended(link.inertia))
                self.document.note(f"link {name!r}: its inertia is cut to the next possible one: {why}")
            out[name] = link
        if refused:
            self.document.fail(
                next(link.element for link in self.links.values() if why_unphysical(link.inertia)),
                f"no body has the inertia of link {_some(refused)}: mend the file, or give unphysical='keep' or 'mend'",
            )
        return out

    def _moving_nothing(self, root: str, order: list[str]) -> set[str]:
        """The joints that are welded since nothing resists them. ModelError that names them where they are refused."""
        mountings = {}
        for name in order:
            joint = self.joints[name]
            mountings[joint.child] = Mounting(joint.parent, *joint.place, _twists(joint.joint))
        nothing = set(moves_nothing(mountings, {name: link.inertia for name, link in self.links.items()}))
        found = [name for name in order if self.joints[name].child in nothing]
        if found and self.wishes.massless == "refuse":
            links = [f"{name!r} (link {self.joints[name].child!r})" for name in found]
            self.document.fail(
                self.joints[found[0]].element,
                f"no mass or inertia resists joint {_some(links)}: give it some, or massless='weld'",
            )
        if found:
            self.document.note(f"no mass or inertia resists joint {_some(found, len(found))}: welded")
        return set(found)

    # -- the words of the model --------------------------------------------------------------------------
    def _add_root(self, root: str) -> None:
        if root == WORLD and not self.wishes.base.motions:
            self.bodies[WORLD] = WORLD
        else:
            self._add(root, WORLD, self.wishes.base, None)

    def _add(self, link: str, parent: str, joint: Joint, hung: JointData | None) -> None:
        data, place = self.links[link], (np.zeros(3), np.eye(3)) if hung is None else hung.place
        name = self.bodies[link] = self.names.new(link)
        inertia = data.inertia
        with self.document.at(data.element, f"link {link!r}"):
            self.model.body(
                name, parent, joint, inertia.mass, inertia.com, inertia.tensor, Pose(*place), physical=inertia.physical
            )

    def _told(self, joint: JointData, welded: bool) -> ImportedJoint:
        """A joint as data, once what acts along it is in the model."""
        body, effort = self.bodies[joint.child], None
        first = 1 if self.model.bodies[body].joint.motions else None
        if joint.single and not welded:
            with self.document.at(joint.element, f"joint {joint.name!r}"):
                effort = self._laws(joint, body)
        return ImportedJoint(joint.name, joint.kind, body, first, joint.limits, joint.mimic, effort)

    def _laws(self, joint: JointData, body: str) -> str | None:
        """What acts along a joint of one freedom; the name of its input, where it has one."""
        model, wishes, name = self.model, self.wishes, joint.name
        along = "force" if joint.slides else "torque"
        if joint.damping and wishes.dynamics:
            model.spring(self.forces.new(f"{name}_damping"), on=body, damping=joint.damping)
        if joint.friction and wishes.dynamics:
            law: dict[str, Any] = {along: joint.friction}
            model.friction(self.forces.new(f"{name}_friction"), on=body, **law)
        low, high = joint.limits.lower, joint.limits.upper
        if wishes.stops is not None and not (math.isinf(low) and math.isinf(high)) and low < high:
            stiffness, damping = wishes.stops
            model.limit(
                self.forces.new(f"{name}_stops"), on=body, lower=bound(low), upper=bound(high), stiffness=stiffness,
                damping=damping,
            )  # fmt: skip
        if joint.mimic is not None:
            self._follow(joint, body)
            return None
        if not wishes.efforts:
            return None
        most = joint.limits.effort if 0.0 < joint.limits.effort < math.inf else None
        signal = self.inputs.new(f"{name}_effort")
        unit = "N" if joint.slides else "N.m"
        law = {along: model.input(signal, unit=unit, start=0.0, min=most and -most, max=most)}
        model.motor(self.forces.new(f"{name}_motor"), on=body, **law)
        return signal

    def _follow(self, joint: JointData, body: str) -> None:
        """A joint that mimics another follows it. Where the leader does not move, its coordinate is zero."""
        mimic = joint.mimic
        assert mimic is not None
        chain = [joint.name]
        while self.joints[chain[-1]].mimic is not None:
            leader = self.joints[chain[-1]].mimic.leader  # type: ignore[union-attr]
            if leader not in self.joints:
                raise ModelError(f"it mimics {leader!r}, which is no joint")
            if leader in chain:
                raise ModelError(f"it mimics itself, by {' and '.join(map(repr, chain[1:]))}")
            chain.append(leader)
        leads = self.joints[mimic.leader]
        if len(leads.joint.rates) > 1:
            raise ModelError(f"it mimics {leads.name!r}, which has {len(leads.joint.rates)} freedoms: it must have one")
        leader = self.bodies[leads.child]
        if self.model.bodies[leader].joint.motions:
            self.model.follow(self.names.new(f"{joint.name}_mimic"), body, leader, mimic.multiplier, mimic.offset)
        else:
            self.model.drive(self.forces.new(f"{joint.name}_mimic"), body, position=mimic.offset, rate=0.0)


def _some(names: list[str], most: int = 8) -> str:
    """Names in a message, the first of them where they are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _twists(joint: Joint) -> np.ndarray:
    """The columns of a joint of turns and slides at zero coordinates, a row (v; w) for each; all six of a free one."""
    if len(joint.rates) == 6:
        return np.eye(6)
    degrees_of_freedom = [freedom for motion in joint.motions for freedom in motion.degrees_of_freedom or ()]
    zero = (0.0, 0.0, 0.0)
    return np.array([(*zero, *f.axis) if f.angular else (*f.axis, *zero) for f in degrees_of_freedom]).reshape(-1, 6)
