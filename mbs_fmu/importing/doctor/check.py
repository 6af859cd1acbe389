"""The check of a robot file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.disk.files import file_path
from ...infrastructure.errors import Argument, ArgumentError, ModelError
from ...infrastructure.messages.calls import with_clear_errors
from ..document import Document, FileError
from ..files import READERS, is_robot
from ..mjcf import from_mjcf
from ..mjcf_parts import mjcf_parts
from ..parts import LinkData, RobotParts
from ..sdf import from_sdf, sdf_parts
from ..urdf import from_urdf, urdf_parts
from .findings import LEVELS, Finding, Report
from .joints import MISSING, joint_findings
from .links import LinkChecks, found, out_of_reach
from .measuring import Ruler
from .mending import check_target, write_mended

PARTS: dict[Any, Any] = {from_urdf: urdf_parts, from_sdf: sdf_parts, from_mjcf: mjcf_parts}  #: by reader of the model


@with_clear_errors
def check_robot(
    path: str | PathLike[str],
    *,
    packages: Mapping[str, str | PathLike[str]] | None = None,
    model: str | None = None,
    mend: str | PathLike[str] | None = None,
) -> Report:
    """Return findings on a robot file: URDF, SDFormat or MJCF. Files that the readers refuse have findings too.

    Inertias are compared with each other and with the shapes of the links; docs/robots.md lists the findings. packages:
    folders of meshes, as of `mbs.from_urdf`. model: the model of an SDFormat file, as of `mbs.from_sdf`.

    mend: name of a file to write, in which links with errors of their inertia have that of their shapes, at their mass;
    all else is unchanged. A link without shapes gets the nearest possible inertia, as by `unphysical="mend"`, and so
    does one whose moments are wrong by less than 1 %.

    Raises ModelError if the file can't be read, is no robot file by its name, or has no content to mend; ArgumentError
    for invalid options.
    """
    file = file_path(path)
    if not is_robot(file.name):
        raise ModelError(f"{str(file)!r} is not a robot file: its name must end in {', '.join(READERS)}")
    faults: list[ModelError] = []
    read = PARTS[READERS[file.suffix.lower()]]
    options = {name: value for name, value in (("packages", packages), ("model", model)) if value is not None}
    unknown = [name for name in options if name not in signature(read).parameters]
    if unknown:
        formats = "SDFormat" if unknown == ["model"] else "URDF and SDFormat"
        raise ArgumentError(Argument(unknown[0]), f" is for {formats} files: leave it out for {file.name}")
    target = None if mend is None else file_path(mend, "mend")
    with np.errstate(all="ignore"):  # what overflows is reported
        try:
            document = Document(file, faults)
            if target is not None:
                check_target(document, target)
            parts = read(document, **options)
        except FileError as error:
            if target is not None:
                raise
            return Report(file.name, tuple(_refused([*faults, error], file)))
        return _report(document, parts, faults, target)


def _report(document: Document, parts: RobotParts, faults: list[ModelError], mend: Path | None) -> Report:
    """Return the findings on the content of a file, and write the mended file."""
    file, count = document.path, len(parts.links)
    wild = out_of_reach(parts.links)
    parts.links = {name: link for name, link in parts.links.items() if name not in wild}
    unmoved = {} if wild else _unmoved(parts, faults)
    checks = LinkChecks(Ruler(), parts.unstated, parts.moving(), set(unmoved.values()))
    findings = [*wild.values(), *joint_findings(parts.joints, unmoved), *checks.findings(parts.links)]
    findings += _meshes(parts, checks.ruler, file)
    if not wild and not faults and not any(finding.kind == MISSING for finding in findings):
        _load(parts, faults)
    findings += [*_refused(_unexplained(faults, findings, file), file), *_notes(parts, file)]
    mended = [] if mend is None else write_mended(document, parts.links, checks.broken, mend)
    unmended = [name for name in checks.broken if mend is not None and name not in mended]
    ordered = sorted(findings, key=lambda finding: (LEVELS.index(finding.level), finding.line or 0))
    joints = sum(joint.element is not None for joint in parts.joints.values())
    return Report(file.name, tuple(ordered), count, joints, tuple(mended), tuple(unmended))


def _unmoved(parts: RobotParts, faults: list[ModelError]) -> dict[str, str]:
    """Return the links of joints that move no inertia, by joint; add the reason if the links form no tree."""
    if faults:
        return {}
    try:
        return {name: parts.joints[name].child for name in parts.unmoved() if name in parts.joints}
    except ModelError as error:
        faults.append(error)
        return {}


def _load(parts: RobotParts, faults: list[ModelError]) -> None:
    """Read the robot as a model; add the reason if it is refused."""
    try:
        parts.load()
    except ModelError as error:
        faults.append(error)


def _unexplained(faults: list[ModelError], findings: list[Finding], file: Path) -> list[ModelError]:
    """Return the faults but for MuJoCo's refusal of inertias on which there are findings."""
    explained = any(finding.level == "error" for finding in findings) and READERS[file.suffix.lower()] is from_mjcf
    return [] if explained else faults


def _refused(faults: Iterable[ModelError], file: Path) -> Iterator[Finding]:
    for fault in faults:
        if isinstance(fault, FileError):
            yield Finding("error", "refused", "", fault.reason, file=fault.file, line=fault.line)
        else:
            yield Finding("error", "refused", "", str(fault), file=file.name)


def _meshes(parts: RobotParts, ruler: Ruler, file: Path) -> Iterator[Finding]:
    """Yield a warning on all meshes that are not found, and a note on all that can't be measured."""
    missing: dict[str, LinkData] = {
        link.name: link
        for link in parts.links.values()
        if any(shape.kind == "mesh" and shape.file is None for shape in link.shapes)
    }
    if missing:
        count = sum(shape.kind == "mesh" and shape.file is None for link in missing.values() for shape in link.shapes)
        value = f"{count} in all" if count > 1 else ""
        remedy = "give their folders by packages=, or put them where the file names them"
        yield found("warning", "mesh not found", next(iter(missing.values())), value, "", remedy)
    if ruler.unread:
        message = next(iter(ruler.unread.values()))
        more = f"; and {len(ruler.unread) - 1} more" if len(ruler.unread) > 1 else ""
        remedy = "none is needed: links are compared with their other shapes"
        yield Finding("note", "mesh not measured", "", message + more, "", remedy, file.name)


def _notes(parts: RobotParts, file: Path) -> Iterator[Finding]:
    """Yield notes on content that the readers leave out."""
    for note in parts.notes:
        if note.startswith("<xacro:"):
            remedy = "expand it first: xacro robot.xacro > robot.urdf"
            yield Finding("warning", "unexpanded macro", "", note, "", remedy, file.name)
        else:
            yield Finding("note", "left out", "", note, file=file.name)
