"""Content of an MJCF for the check of robot files, as MuJoCo's compiler resolves it, with lines of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.errors import ModelError
from ..model.items import WORLD
from .document import Document, Element, FileError
from .inertias import Inertia, rows
from .mjcf import Compiled, compile_file, from_mjcf, reading_of, the_package
from .mjcf_joints import limits_of
from .mjcf_reading import Reading, rotation_of
from .mjcf_shapes import by_body, shapes_of
from .parts import AxisData, JointEnds, LinkData, RobotParts

SYMMETRIC = (0, 3, 4, 3, 1, 5, 4, 5, 2)  #: places of xx, xy, xz, yx, ... in MuJoCo's xx, yy, zz, xy, xz, yz


def mjcf_parts(document: Document) -> RobotParts:
    """Return the content of an MJCF, for `check_robot`.

    If MuJoCo refuses it, the reason is added to the faults of the document, and the content is that of a file with
    corrected inertias, or empty if there is none. Raises ModelError if MuJoCo is not installed.
    """
    mujoco, file, faults = the_package(), document.path, document.faults
    try:
        compiled, is_corrected = compile_file(mujoco, file), False
    except ModelError as error:
        if faults is None:
            raise
        faults.append(_with_line(file, error))
        try:
            compiled, is_corrected = compile_file(mujoco, file, is_lenient=True), True
        except ModelError:
            return RobotParts({}, {}, set(), list, list)
    reading = reading_of(mujoco, compiled, file)
    names = _names(compiled.mj)
    shapes = by_body(shapes_of(compiled.mj, compiled.spec, file.parent, names, True))
    lines = _Lines(document)
    links = {}
    for number, body in _numbered(compiled.spec.bodies, compiled.mj.body):
        if number:
            name = names[number]
            given = is_corrected and body.explicitinertial
            inertia = _given_inertia(compiled.mj, number, body) if given else _inertia(compiled.mj, number)
            links[name] = LinkData(name, lines.of("body", body), inertia, shapes.get(name, []))
    joints = _joints(compiled, reading, names, lines)
    return RobotParts(links, joints, {WORLD}, list, lambda: from_mjcf(file), notes=compiled.warned)


def _with_line(file: Path, error: ModelError) -> FileError:
    """Return MuJoCo's refusal with the line that it states."""
    reason = str(error).removeprefix(f"{file.name}: ")
    found = re.search(r"\bline (\d+)", reason)
    return FileError.at(file.name, int(found[1]) if found else None, reason)


def _names(mj: Any) -> dict[int, str]:
    return {number: mj.body(number).name or f"body{number}" for number in range(mj.nbody)}


def _inertia(mj: Any, number: int) -> Inertia:
    R = rotation_of(mj.body_iquat[number])
    tensor = (R * mj.body_inertia[number]) @ R.T
    return Inertia(float(mj.body_mass[number]), tuple(mj.body_ipos[number].tolist()), rows(0.5 * (tensor + tensor.T)))


def _numbered(items: Iterable[Any], named: Callable[[str], Any]) -> Iterator[tuple[int, Any]]:
    """Yield items of a specification with MuJoCo's numbers.

    In older versions they have no `id`: those with a name are found by it, others by their place. named: returns the
    compiled item of a name.
    """
    for place, item in enumerate(items):
        yield item.id if hasattr(item, "id") else named(item.name).id if item.name else place, item


def _given_inertia(mj: Any, number: int, body: Any) -> Inertia:
    """Return the inertia that a body has in the file, not corrected."""
    R = rotation_of(mj.body_iquat[number])
    tensor = (R * body.inertia) @ R.T
    if np.isfinite(body.fullinertia[0]):
        tensor = body.fullinertia[list(SYMMETRIC)].reshape(3, 3)
    return Inertia(float(body.mass), tuple(mj.body_ipos[number].tolist()), rows(0.5 * (tensor + tensor.T)))


def _joints(compiled: Compiled, reading: Reading, names: dict[int, str], lines: _Lines) -> dict[str, JointEnds]:
    """Return the joints by name, and the welds of bodies without joints."""
    mj, joints = compiled.mj, {}
    elements = {number: lines.of("joint", joint) for number, joint in _numbered(compiled.spec.joints, mj.joint)}
    for number, joint in reading.mounted.items():
        child = int(mj.jnt_bodyid[number])
        parent, is_slide = names[int(mj.body_parentid[child])], joint.kind == "slide"
        axes = (AxisData(joint.name, limits=limits_of(reading, number)),) if reading.is_single(number) else ()
        joints[joint.name] = JointEnds(
            joint.name, elements.get(number), parent, names[child], True, axes, (is_slide,) * len(axes)
        )
    for body in range(1, mj.nbody):
        if not mj.body_jntnum[body]:
            name = f"weld of {names[body]}"
            joints[name] = JointEnds(name, None, names[int(mj.body_parentid[body])], names[body], False)
    return joints


class _Lines:
    """Elements of bodies and joints in the file itself; included files are not searched."""

    def __init__(self, document: Document):
        self.elements: dict[tuple[str, str, int], Element] = {}
        pending = [document.root]
        while pending:
            element = pending.pop()
            self.elements[element.tag, element.get("name"), element.line] = element
            pending += element.children

    def of(self, tag: str, item: Any) -> Element | None:
        """Return the element of a body or joint of MuJoCo's specification; None if it is in another file."""
        found = re.search(r"\bline (\d+)", item.info)
        return self.elements.get((tag, item.name, int(found[1]))) if found else None
