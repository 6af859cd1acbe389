"""Closed loops of URDF files, which the format lacks: arguments of `from_urdf` and files of example-parallel-robots."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.names import listed
from ..model.closures import Pair
from ..model.geometry.poses import Placement, Pose, placed
from ..model.joints import Joint, Spherical, Universal, Weld
from .document import Document, Element
from .parts import ClosureData, Frame

#: Ends of loops, their joint, and its places on both: two, three or five items.
Closure = Sequence[Any]
Closures = Sequence[Closure] | Mapping[str, Closure] | str | PathLike[str]
ADVICE = "give (link, other link, joint), and two places if these are not the links' frames"
MOST_BYTES = 1_000_000
LOOPS: dict[str, Callable[[], Joint]] = {"6d": Weld, "3d": Spherical}
JOINTS: dict[str, Callable[[], Joint]] = {"SPHERICAL": Spherical, "FIXED": Weld}


@dataclass
class Loops:
    """Closures by name, joints that replace those of the file, and joints with motors (None: all).

    source: the file that lists them, which may also name joints that the URDF lacks; empty for arguments.
    """

    closures: dict[str, Closure] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    motors: list[str] | None = None
    source: str = ""

    def read(self, document: Document) -> list[ClosureData]:
        """Return the closures between links of a URDF. An end may be a joint: then it is its child link.

        Raises ArgumentError for invalid closures, and for links and joints that the file does not have.
        """
        joints, links = document.named("joint"), list(document.named("link"))
        unknown = [name for name in dict.fromkeys((*self.joints, *(self.motors or ()))) if name not in joints]
        if unknown and not self.source:
            raise ArgumentError(f"there is no joint {display(unknown[0])}: the file has {listed(map(repr, joints))}")
        if unknown:
            document.note(f"{self.source} names joints that the file does not have: {listed(map(repr, unknown))}")
            self.joints = {name: joint for name, joint in self.joints.items() if name in joints}
        return [self._closure(document, name, joints, links) for name in self.closures]

    def _closure(self, document: Document, name: str, joints: Mapping[str, Element], links: list[str]) -> ClosureData:
        closure, thing = self.closures[name], f"closure {name!r}"
        if isinstance(closure, str) or not isinstance(closure, Sequence) or len(closure) not in (3, 5):
            raise ArgumentError(f"{thing} is {display(closure)}: {ADVICE}")
        ends = []
        for end in closure[:2]:
            child = document.one(joints[end], "child") if end in joints and end not in links else None
            link = end if child is None else child.get("link")
            if link not in links:
                raise ArgumentError(f"{thing} leads to {display(end)}: it is no link or joint of the file")
            ends.append(link)
        if not isinstance(closure[2], Pair):
            raise ArgumentError(f"{thing} has the joint {display(closure[2])}: {ADVICE}")
        at_a, at_b = (_frame(place, thing) for place in (closure[3:] or (Pose(), Pose())))
        return ClosureData(name, None, (ends[0], ends[1]), (at_a, at_b), closure[2])


def loops_of(closures: Closures, joints: Mapping[str, Joint]) -> Loops:
    """Return the loops of the arguments of `from_urdf`. Raises ArgumentError, and ModelError for an invalid file."""
    loops = Loops()
    if isinstance(closures, str | PathLike):
        loops = _of_file(Path(closures))
    elif isinstance(closures, Mapping):
        loops.closures = dict(closures)
    elif isinstance(closures, Sequence):
        loops.closures = {f"loop{k}": closure for k, closure in enumerate(closures, start=1)}
    else:
        raise ArgumentError(f"closures is {display(closures)}: give a list, or the name of a .yaml file")
    for name, joint in joints.items():
        if not isinstance(joint, Joint):
            raise ArgumentError(f"joint {name!r} is to become {display(joint)}: give a joint such as mbs.Spherical()")
    loops.joints |= joints
    return loops


def _frame(place: Placement, thing: str) -> Frame:
    position, rotation = placed(place, f"place of {thing}")
    return np.array([x.value for x in position]), rotation


# -- files of example-parallel-robots ---------------------------------------------------------------------


def _of_file(path: Path) -> Loops:
    """Return the loops of a .yaml file, which lists links by `closed_loop`, and joints by `type` (6d or 3d)."""
    content = _parsed(path)
    pairs = content.get("closed_loop", [])
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelError(f"{path.name}: closed_loop is {display(pairs)}: give a list of pairs of links")
    types = _texts(path, content, "type")
    if len(types) == 1:
        types = types * len(pairs)
    if len(types) != len(pairs):
        raise ModelError(f"{path.name}: {len(types)} entries of type for {len(pairs)} loops: give one for each")
    closures: dict[str, Closure] = {
        f"loop{k}": (*pair, _known(path, kind.lower(), LOOPS)())
        for k, (pair, kind) in enumerate(zip(pairs, types, strict=True), start=1)
    }
    names, kinds = _texts(path, content, "joint_name"), _texts(path, content, "joint_type")
    if len(names) != len(kinds):
        raise ModelError(f"{path.name}: {len(kinds)} entries of joint_type for {len(names)} of joint_name")
    joints = {name: _joint(path, kind) for name, kind in zip(names, kinds, strict=True)}
    motors = _texts(path, content, "name_mot") if "name_mot" in content else None
    return Loops(closures, joints, motors, path.name)


def _parsed(path: Path) -> dict[str, Any]:
    """Return the content of a YAML file. Raises ModelError."""
    try:
        import yaml
    except ImportError:
        raise ModelError(f"{path.name} is read by the package PyYAML: pip install pyyaml") from None
    try:
        too_large = os.path.getsize(path) > MOST_BYTES
        content = None if too_large else yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: of bytes that are no text, or a path
        reason = " ".join(str(error).split())
        raise ModelError(f"{path.name}: this is no YAML: {reason}") from None
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from None
    if too_large:
        raise ModelError(f"{path.name}: the file is larger than {MOST_BYTES // 1_000_000} MB: it describes no loops")
    if not isinstance(content, dict):
        raise ModelError(f"{path.name}: it has no closed_loop: give the links at both ends of each loop")
    return content


def _texts(path: Path, content: Mapping[str, Any], key: str) -> list[str]:
    """Return a list of texts; an empty one if the key is missing."""
    values = content.get(key) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ModelError(f"{path.name}: {key} is {display(values)}: give a list of names")
    return values


def _known(path: Path, kind: str, table: Mapping[str, Callable[[], Joint]]) -> Callable[[], Joint]:
    if kind not in table:
        raise ModelError(f"{path.name}: a loop of type {display(kind)}: use {_choices(table)}")
    return table[kind]


def _joint(path: Path, kind: str) -> Joint:
    """Return the joint of a name such as SPHERICAL, FIXED or UJOINT_XY."""
    axes = kind.removeprefix("UJOINT_").lower()
    if kind.startswith("UJOINT_") and len(axes) == 2 and axes[0] != axes[1] and set(axes) <= set("xyz"):
        return Universal(axes)
    if kind not in JOINTS:
        raise ModelError(f"{path.name}: a joint of type {display(kind)}: use {_choices(JOINTS)} or UJOINT_XY")
    return JOINTS[kind]()


def _choices(table: Iterable[str]) -> str:
    return ", ".join(table)
