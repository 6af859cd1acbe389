"""Models from the links and joints of a robot file: tree of the links, correction of inertias, bodies and closures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..infrastructure.arguments import is_one_of, truth
from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.checks import readable
from ..model.geometry.poses import Pose
from ..model.items import WORLD
from ..model.joints import Joint, Weld
from ..model.model import Model
from .document import Document
from .drawing import draw
from .imported import Imported, ImportedJoint, Names, add_ranges, identifier
from .inertias import Inertia, Mounting, massless_branches, mended, why_unphysical
from .joint_laws import JointLaws
from .parts import ClosureData, JointData, LinkData
from .stops import check_stops

UNPHYSICAL = ("refuse", "keep", "mend")
MASSLESS = ("refuse", "weld")


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


#: Options with which a reader refuses no inertia.
ANYTHING = ImportOptions(None, Weld(), False, None, True, "keep", "weld")


class Assembling:
    """Builder of a model from the links and joints of a file. Raises ModelError that states the line of the file."""

    def __init__(
        self,
        document: Document,
        links: Mapping[str, LinkData],
        joints: Mapping[str, JointData],
        options: ImportOptions,
        closures: Sequence[ClosureData] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        name: str = "",
    ):
        self.document = document
        self.options = options
        self.links = dict(links)
        self.joints = dict(joints)
        self.closures = closures
        own_name = options.name or identifier(name or document.root.get("name") or document.path.stem)
        self.model = Model(own_name, gravity, f"from {readable(document.path.name)}")
        self.bodies: dict[str, str] = {}
        self.names = Names()
        self.laws = JointLaws(document, self.model, self.joints, self.bodies, self.names, options)

    def imported(self) -> Imported:
        """Return the model with the other data of the file."""
        root, order = self._root_and_order()
        self.links = self._physical_links()
        welded = self._massless_joints(order)
        self._add_root(root)
        for name in order:
            joint = self.joints[name]
            self._add_body(joint.child, self.bodies[joint.parent], Weld() if name in welded else joint.joint, joint)
        for closure in self.closures:
            self._close(closure)
        joints: dict[str, ImportedJoint] = {}
        for name, joint in self.joints.items():
            joints |= self.laws.imported(joint, name in welded)
        add_ranges(self.model, joints.values(), self.document.note)
        shapes = {self.bodies[name]: link.shapes for name, link in self.links.items() if link.shapes}
        draw(self.model, shapes, self.document.note)
        bodies = {name: body for name, body in self.bodies.items() if not self.links[name].is_auxiliary}
        return Imported(self.model, bodies, joints, shapes, self.document.notes)

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

    def unmoved(self) -> list[str]:
        """Return the joints that move no inertia. Raises ModelError if the links form no tree."""
        return self._unmoved(self._root_and_order()[1])

    def _unmoved(self, order: list[str]) -> list[str]:
        mountings = {}
        for name in order:
            joint = self.joints[name]
            twists = np.zeros((0, 6)) if self.laws.is_held(joint) else _twists(joint.joint)
            mountings[joint.child] = Mounting(joint.parent, *joint.place, twists)
        inertias = {name: link.inertia for name, link in self.links.items()}
        massless_links = set(massless_branches(mountings, inertias, self.laws.led()))
        return [name for name in order if self.joints[name].child in massless_links]

    def _massless_joints(self, order: list[str]) -> set[str]:
        """Return the joints to weld because they move no inertia. Raises ModelError if such joints are refused."""
        massless = self._unmoved(order)
        if massless and self.options.massless == "refuse":
            links = [f"{name!r} (link {self.joints[name].child!r})" for name in massless]
            self.document.fail(
                self.joints[massless[0]].element,
                f"no mass or inertia moves with joint {listed(links)}: give its link some, or give massless='weld'",
            )
        if massless:
            self.document.note(f"no mass or inertia moves with joint {', '.join(massless)}: welded")
        return set(massless)

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

    def _close(self, closure: ClosureData) -> None:
        a, b = (self.bodies[link] for link in closure.links)
        frame_a, frame_b = (Pose(*frame) for frame in closure.frames)
        with self.document.at(closure.element, f"loop {closure.name!r}"):
            self.model.close(self.names.new(closure.name), a, b, closure.joint, at_a=frame_a, at_b=frame_b)


def _twists(joint: Joint) -> np.ndarray:
    """Motion subspace of a joint of rotations and translations at zero coordinates, a row (v; w) for each degree of
    freedom; the identity for a free joint."""
    if len(joint.rates) == 6:
        return np.eye(6)
    degrees_of_freedom = [f for motion in joint.motions for f in motion.degrees_of_freedom or ()]
    zero = (0.0, 0.0, 0.0)
    return np.array([(*zero, *f.axis) if f.angular else (*f.axis, *zero) for f in degrees_of_freedom]).reshape(-1, 6)
