"""rumoca, a compiler of Modelica, with the library Modelica.Mechanics.MultiBody.

The environment variable MODELICA_LIBRARY names the folder that contains the folder `Modelica` of the Modelica Standard
Library, reduced to its .mo files and package.order. Models are written as text, and each takes seconds to compile.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.metadata import version as version_of
from pathlib import Path

import numpy as np
import rumoca

from ..data import PRISMATIC, REVOLUTE, Link, Setting, System, Unsupported, ladder

FOLDER = "MODELICA_LIBRARY"
BODIES = 3  #: compilation of more takes minutes
JOINTS, PARTS = "Modelica.Mechanics.MultiBody.Joints", "Modelica.Mechanics.MultiBody.Parts"


def library() -> Path:
    """Folder of the library. Raises RuntimeError without the environment variable."""
    folder = Path(os.environ.get(FOLDER, ""))
    if not (folder / "Modelica" / "package.mo").exists():
        raise RuntimeError(f"{FOLDER} does not name a folder that contains Modelica/package.mo")
    return folder


def version() -> str:
    library()
    return version_of("rumoca")


def settings(system: System) -> list[Setting]:
    if system.elastic or system.ground:
        raise Unsupported("no elastic bodies or contact in this adapter")
    if system.modelica:
        return ladder("bdf", (1e-4, 1e-6, 1e-8), solver="bdf")
    if len(system.links) > BODIES:
        raise Unsupported(f"more than {BODIES} bodies take minutes to compile")
    forces = [*system.joint_springs, *system.point_springs, *system.torques]
    if forces or any(link.joint != REVOLUTE for link in system.links):
        raise Unsupported("forces and joints that this adapter does not write")
    found = ladder("bdf", (1e-4, 1e-6, 1e-8), solver="bdf")
    return found if system.closures else [*found, *ladder("rk", (1e-6, 1e-8), solver="rk-like")]


def build(system: System, setting: Setting) -> Run:
    return Run(system)


def braces(numbers: Sequence[float]) -> str:
    return "{" + ", ".join(repr(float(number)) for number in numbers) + "}"


def text(system: System) -> str:
    """The model in Modelica. States of loops are the angle and the velocity of the first joint."""
    gravity = np.array(system.gravity)
    size = float(np.linalg.norm(gravity))
    down = gravity / size if size else np.array([0.0, 0.0, -1.0])
    parts = [f"inner Modelica.Mechanics.MultiBody.World world(n={braces(down)}, g={size!r}, enableAnimation=false);"]
    joined: list[str] = []
    for i, link in enumerate(system.links):
        parts += _link(i, link, state=i == 0 or not system.closures)
        parent = "world.frame_b" if link.parent < 0 else f"body{link.parent}.frame_a"
        joined += [f"connect({parent}, place{i}.frame_a);", f"connect(place{i}.frame_b, joint{i}.frame_a);"]
        joined += [f"connect(joint{i}.frame_b, body{i}.frame_a);"]
    normal = braces(system.links[0].axis)
    for k, c in enumerate(system.closures):
        parts.append(f"{JOINTS}.RevolutePlanarLoopConstraint loop{k}(animation=false, n={normal});")
        for side, body, at in (("a", c.a, c.at_a), ("b", c.b, c.at_b)):
            parts.append(f"{PARTS}.FixedTranslation {side}{k}(animation=false, r={braces(at)});")
            joined += [f"connect(body{body}.frame_a, {side}{k}.frame_a);"]
            joined += [f"connect({side}{k}.frame_b, loop{k}.frame_{side});"]
    return "\n".join(["model M", *parts, "equation", *joined, "end M;"])


def _link(i: int, link: Link, state: bool) -> list[str]:
    moments = ", ".join(f"I_{k + 1}{k + 1}={link.inertia[k][k]!r}" for k in range(3))
    select = "stateSelect=StateSelect.always, " if state else ""
    fixed = f"fixed={str(state).lower()}"
    start = f"phi(start={link.q[0]!r}, {fixed}), w(start={link.u[0]!r}, {fixed})"
    return [
        f"{JOINTS}.Revolute joint{i}(animation=false, n={braces(link.axis)}, {select}{start});",
        f"{PARTS}.FixedTranslation place{i}(animation=false, r={braces(link.position)});",
        f"{PARTS}.Body body{i}(animation=false, m={link.mass!r}, r_CM={braces(link.com)}, {moments});",
    ]


def turned(axis: Sequence[float], angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


class Run:
    def __init__(self, system: System) -> None:
        self.system = system
        self.session = rumoca.Session(roots=[str(library())])
        example = f"model M extends {system.modelica}; end M;"
        self.model = self.session.loads(example if system.modelica else text(system), model="M")
        self.names = system.coordinates or [f"joint{i}.phi" for i in range(len(system.links))]

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        rtol = setting.value
        config = rumoca.SimConfig(solver=setting.options["solver"], rtol=rtol, atol=rtol / 100)
        r = self.model.simulate((0.0, stop), dt=stop, config=config)
        frames: list[tuple[np.ndarray, np.ndarray]] = []
        coordinates = iter([float(np.asarray(r[name])[-1]) for name in self.names])
        for link in self.system.links:
            origin, axes = frames[link.parent] if link.parent >= 0 else (np.zeros(3), np.eye(3))
            origin, axes = origin + axes @ link.position, axes @ link.rotation
            if link.joint == PRISMATIC:
                origin = origin + axes @ link.axis * next(coordinates)
            for axis in link.axes:
                axes = axes @ turned(axis, next(coordinates))
            frames.append((origin, axes))
        places = [frames[i][0] + frames[i][1] @ point for i, point in self.system.markers]
        return np.concatenate(places).tolist(), ""

    def energy(self) -> float | None:
        return None
