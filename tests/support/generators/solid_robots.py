"""Random robots of homogeneous solids, written as URDF, SDFormat or MJCF, and faults that are planted into them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import mbs_fmu as mbs

FORMATS = ("urdf", "sdf", "xml")
NUMBERS = {"box": 3, "cylinder": 2, "sphere": 1}
SOLIDS: dict[str, Callable[..., mbs.Solid]] = {"box": mbs.box, "cylinder": mbs.cylinder, "sphere": mbs.sphere}


@dataclass(frozen=True)
class Shape:
    """A solid at a place (m) with roll, pitch and yaw in link axes. scale: of a box that is a mesh in mm, else None."""

    kind: str
    size: tuple[float, ...]
    place: tuple[float, ...]
    angles: tuple[float, ...]
    scale: float | None = None


@dataclass(frozen=True)
class Part:
    """A link and its joint. mass: kg. com: m, and tensor about it, kg m2, (3, 3), in link axes. turn: roll, pitch and
    yaw of the axes in which the file has the inertia. limits: lower, upper, effort, velocity."""

    name: str
    parent: str
    shapes: tuple[Shape, ...]
    mass: float
    com: np.ndarray
    tensor: np.ndarray
    turn: tuple[float, ...]
    kind: str = "revolute"
    limits: tuple[float, float, float, float] = (-1.0, 1.5, 20.0, 3.0)
    mimic: str = ""


@dataclass
class SolidRobot:
    """Links of a robot, parents first."""

    parts: list[Part] = field(default_factory=list)

    def change(self, number: int, **more: object) -> None:
        """Change a link."""
        self.parts[number] = replace(self.parts[number], **more)

    def write(self, suffix: str, folder: Path) -> Path:
        """Write the file and the meshes; return its path."""
        folder.mkdir(exist_ok=True)
        for part in self.parts:
            for number, shape in enumerate(part.shapes):
                if shape.scale is not None:
                    write_box(folder / mesh_name(part, number), 1e3 * np.array(shape.size))
        path = folder / f"robot.{suffix}"
        path.write_text(WRITERS[suffix](self.parts))
        return path


def numbers(values: Sequence[float] | np.ndarray) -> str:
    return " ".join(f"{x:.17g}" for x in values)


def mesh_name(part: Part, number: int) -> str:
    return f"{part.name}_{number}.obj"


def write_box(path: Path, edges: np.ndarray) -> None:
    """A box of twelve triangles, as OBJ."""
    lines = []
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        for side in (-0.5, 0.5):
            ring = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)][:: 1 if side > 0 else -1]
            corners = np.zeros((4, 3))
            corners[:, axis], corners[:, [b, c]] = side, ring
            lines += [*(f"v {numbers(corner)}" for corner in corners * edges), "f -4 -3 -2", "f -4 -2 -1"]
    path.write_text("\n".join([*lines, ""]))


# -- random robots -------------------------------------------------------------------------------------------
def random_shape(rng: np.random.Generator) -> Shape:
    kind = str(rng.choice([*NUMBERS, "mesh"]))
    size = tuple(rng.uniform(0.04, 0.2, NUMBERS.get(kind, 3)).tolist())
    place = rng.normal(size=3)
    place *= rng.uniform(0.03, 0.2) / np.linalg.norm(place)
    angles = tuple(rng.uniform(-1.4, 1.4, 3).tolist())
    return Shape(
        "box" if kind == "mesh" else kind, size, tuple(place.tolist()), angles, 1e-3 if kind == "mesh" else None
    )


def solid_part(name: str, parent: str, shapes: Sequence[Shape], density: float, rng: np.random.Generator) -> Part:
    """A link of homogeneous solids."""
    solids = [
        SOLIDS[shape.kind](*shape.size, density=density, at=mbs.Pose(shape.place, mbs.rpy(*shape.angles)))
        for shape in shapes
    ]
    solid = sum(solids[1:], solids[0])
    xx, xy, xz, yy, yz, zz = (x.value for x in solid.inertia)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    com = np.array([x.value for x in solid.com])
    turn = tuple(rng.uniform(-1.4, 1.4, 3).tolist())
    kind = str(rng.choice(["revolute", "prismatic"]))
    return Part(name, parent, tuple(shapes), float(solid.mass.value), com, tensor, turn, kind)


def random_robot(rng: np.random.Generator, count: int = 5) -> SolidRobot:
    robot = SolidRobot()
    for k in range(count):
        parent = "" if k == 0 else f"link{rng.integers(k)}"
        shapes = [random_shape(rng) for _ in range(rng.integers(1, 3))]
        robot.parts.append(solid_part(f"link{k}", parent, shapes, rng.uniform(500.0, 3000.0), rng))
    return robot


# -- URDF ----------------------------------------------------------------------------------------------------
def entries(part: Part) -> dict[str, float]:
    """Entries of the inertia in its own axes."""
    R = np.array(mbs.rpy(*part.turn), dtype=float)
    J = R.T @ part.tensor @ R
    return {"ixx": J[0, 0], "ixy": J[0, 1], "ixz": J[0, 2], "iyy": J[1, 1], "iyz": J[1, 2], "izz": J[2, 2]}


def urdf(parts: list[Part]) -> str:
    return "\n".join(
        ['<robot name="solids">', '<link name="base"/>', *map(urdf_link, parts), *map(urdf_joint, parts), "</robot>"]
    )


def urdf_link(part: Part) -> str:
    inertia = " ".join(f'{name}="{x:.17g}"' for name, x in entries(part).items())
    shapes = "\n".join(urdf_shape(part, number, shape) for number, shape in enumerate(part.shapes))
    return (
        f'<link name="{part.name}">\n  <inertial>\n    <origin xyz="{numbers(part.com)}" rpy="{numbers(part.turn)}"/>\n'
        f'    <mass value="{part.mass:.17g}"/>\n    <inertia {inertia}/>\n  </inertial>\n{shapes}\n</link>'
    )  # fmt: skip


def urdf_shape(part: Part, number: int, shape: Shape) -> str:
    names = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}[shape.kind]
    values = [numbers(shape.size)] if shape.kind == "box" else [f"{x:.17g}" for x in shape.size]
    geometry = f"<{shape.kind} " + " ".join(f'{n}="{v}"' for n, v in zip(names, values, strict=True)) + "/>"
    if shape.scale is not None:
        geometry = f'<mesh filename="{mesh_name(part, number)}" scale="{numbers([shape.scale] * 3)}"/>'
    origin = f'<origin xyz="{numbers(shape.place)}" rpy="{numbers(shape.angles)}"/>'
    return "".join(f"  <{role}>{origin}<geometry>{geometry}</geometry></{role}>" for role in ("visual", "collision"))


def urdf_joint(part: Part) -> str:
    lower, upper, effort, velocity = part.limits
    mimic = f'<mimic joint="{part.mimic}"/>' if part.mimic else ""
    return (
        f'<joint name="{part.name}_joint" type="{part.kind}"><parent link="{part.parent or "base"}"/>'
        f'<child link="{part.name}"/><origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>{mimic}</joint>'
    )


# -- SDFormat ------------------------------------------------------------------------------------------------
def sdf(parts: list[Part]) -> str:
    inner = "\n".join([*map(sdf_link, parts), *map(sdf_joint, parts)])
    return f'<sdf version="1.9">\n<model name="solids">\n{inner}\n</model>\n</sdf>'


def sdf_link(part: Part) -> str:
    inertia = "".join(f"<{name}>{x:.17g}</{name}>" for name, x in entries(part).items())
    shapes = "\n".join(sdf_shape(part, number, shape) for number, shape in enumerate(part.shapes))
    return (
        f'<link name="{part.name}">\n  <inertial>\n    <pose>{numbers([*part.com, *part.turn])}</pose>\n'
        f"    <mass>{part.mass:.17g}</mass>\n    <inertia>{inertia}</inertia>\n  </inertial>\n{shapes}\n</link>"
    )


def sdf_shape(part: Part, number: int, shape: Shape) -> str:
    names = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}[shape.kind]
    values = [numbers(shape.size)] if shape.kind == "box" else [f"{x:.17g}" for x in shape.size]
    inside = "".join(f"<{n}>{v}</{n}>" for n, v in zip(names, values, strict=True))
    geometry = f"<{shape.kind}>{inside}</{shape.kind}>"
    if shape.scale is not None:
        geometry = f"<mesh><uri>{mesh_name(part, number)}</uri><scale>{numbers([shape.scale] * 3)}</scale></mesh>"
    inside = f"<pose>{numbers([*shape.place, *shape.angles])}</pose><geometry>{geometry}</geometry>"
    return "".join(f'  <{role} name="s{number}">{inside}</{role}>' for role in ("visual", "collision"))


def sdf_joint(part: Part) -> str:
    names = zip(("lower", "upper", "effort", "velocity"), part.limits, strict=True)
    limit = "".join(f"<{n}>{x}</{n}>" for n, x in names)
    mimic = f'<mimic joint="{part.mimic}"><multiplier>1</multiplier></mimic>' if part.mimic else ""
    axis = "" if part.kind == "fixed" else f"<axis><xyz>0 1 0</xyz><limit>{limit}</limit>{mimic}</axis>"
    return (
        f'<joint name="{part.name}_joint" type="{part.kind}"><parent>{part.parent or "world"}</parent>'
        f"<child>{part.name}</child>{axis}</joint>"
    )


# -- MJCF ----------------------------------------------------------------------------------------------------
def mjcf(parts: list[Part]) -> str:
    assets = "\n".join(
        f'<mesh name="{mesh_name(part, k)}" file="{mesh_name(part, k)}" scale="{numbers([shape.scale] * 3)}"/>'
        for part in parts
        for k, shape in enumerate(part.shapes)
        if shape.scale is not None
    )
    bodies = mjcf_bodies(parts, "")
    compiler = '<compiler angle="radian" eulerseq="XYZ"/>'
    return f"<mujoco>{compiler}<asset>\n{assets}\n</asset>\n<worldbody>\n{bodies}\n</worldbody></mujoco>"


def mjcf_bodies(parts: list[Part], parent: str) -> str:
    return "\n".join(mjcf_body(part, parts) for part in parts if part.parent == parent)


def mjcf_body(part: Part, parts: list[Part]) -> str:
    J = part.tensor
    full = numbers([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    kind = {"revolute": "hinge", "prismatic": "slide"}.get(part.kind)
    lower, upper, effort, _ = part.limits
    joint = f'<joint name="{part.name}_joint" type="{kind}" axis="0 1 0" range="{lower} {upper}" limited="true" '
    joint += f'actuatorfrcrange="{-effort} {effort}" actuatorfrclimited="true"/>'
    geoms = "".join(mjcf_geom(part, number, shape) for number, shape in enumerate(part.shapes))
    return (
        f'<body name="{part.name}" pos="0.1 0 0.2">\n'
        f'<inertial pos="{numbers(part.com)}" mass="{part.mass:.17g}" fullinertia="{full}"/>\n'
        f"{joint if kind else ''}\n{geoms}\n{mjcf_bodies(parts, part.name)}</body>"
    )


def mjcf_geom(part: Part, number: int, shape: Shape) -> str:
    half = np.array(shape.size) * {"box": 0.5, "sphere": 1.0, "cylinder": np.array([1.0, 0.5])}[shape.kind]
    form = f'type="{shape.kind}" size="{numbers(half)}"'
    if shape.scale is not None:
        form = f'type="mesh" mesh="{mesh_name(part, number)}"'
    return f'<geom {form} pos="{numbers(shape.place)}" euler="{numbers(shape.angles)}"/>'


WRITERS: dict[str, Callable[[list[Part]], str]] = {"urdf": urdf, "sdf": sdf, "xml": mjcf}


# -- faults --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Fault:
    """A fault. plant: function that plants it into link 2 of a robot. kind, cause: beginnings of those of the finding
    that names it. level: of the finding, empty if it depends on sizes. formats: of files that can have the fault."""

    plant: Callable[[SolidRobot, np.random.Generator], None]
    kind: str
    cause: str = ""
    level: str = "error"
    on: str = "link 'link2'"
    formats: tuple[str, ...] = FORMATS


def mesh_in_mm(robot: SolidRobot, rng: np.random.Generator) -> None:
    edges = tuple(rng.uniform(0.04, 0.2, 3).tolist())
    part = solid_part(
        "link2", robot.parts[2].parent, [Shape("box", edges, (0.02, 0.0, 0.01), (0.3, 0, 0), 1e-3)], 1e3, rng
    )
    robot.parts[2] = replace(part, shapes=(replace(part.shapes[0], scale=1.0),))


def exchange(robot: SolidRobot, rng: np.random.Generator) -> None:
    rod = Shape("cylinder", (0.01, rng.uniform(0.2, 0.4)), (0.0, 0.1, 0.05), (0.0, 0.0, 0.0))
    part = solid_part("link2", robot.parts[2].parent, [rod], 2700.0, rng)
    robot.parts[2] = replace(part, tensor=part.tensor[np.ix_((2, 1, 0), (2, 1, 0))])


def moments(change: Callable[[np.ndarray], None]) -> Callable[[SolidRobot, np.random.Generator], None]:
    """Plant other principal moments, in ascending order."""

    def plant(robot: SolidRobot, rng: np.random.Generator) -> None:
        values, axes = np.linalg.eigh(robot.parts[2].tensor)
        change(values)
        tensor = (axes * values) @ axes.T
        robot.change(2, tensor=0.5 * (tensor + tensor.T))

    return plant


def break_triangle(values: np.ndarray) -> None:
    values[2] = 1.4 * (values[0] + values[1])


def make_negative(values: np.ndarray) -> None:
    values[0] *= -0.3


def times(**factors: float) -> Callable[[SolidRobot, np.random.Generator], None]:
    """Plant multiples of mass, com or tensor."""

    def plant(robot: SolidRobot, rng: np.random.Generator) -> None:
        robot.change(2, **{name: getattr(robot.parts[2], name) * factor for name, factor in factors.items()})

    return plant


def on_leaf(**values: object) -> Callable[[SolidRobot, np.random.Generator], None]:
    """Plant values into link 2 as a leaf of the tree."""

    def plant(robot: SolidRobot, rng: np.random.Generator) -> None:
        for k, part in enumerate(robot.parts):
            robot.change(k, parent="link1" if part.parent == "link2" else part.parent)
        robot.change(2, **values)

    return plant


def equal_inertias(robot: SolidRobot, rng: np.random.Generator) -> None:
    cube = solid_part("", "", [Shape("box", (0.1, 0.1, 0.1), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))], 1e3, rng)
    for k in range(1, 5):
        box = Shape("box", (0.1, 0.1, 0.08 + 0.02 * k), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        robot.change(k, shapes=(box,), mass=cube.mass, com=cube.com, tensor=cube.tensor)


#: Faults that are errors of the inertia; their mended files have that of the shapes.
MENDED = ("inertia in g mm2", "inertia in kg mm2", "triangle", "negative")
JOINT = "joint 'link2_joint'"
NOTHING = {"mass": 0.0, "tensor": np.zeros((3, 3))}
FAULTS = {
    "mesh in mm": Fault(mesh_in_mm, "", "meshes in mm", "warning"),
    "inertia in g mm2": Fault(times(tensor=1e9), "radius of gyration beyond", "inertia in g mm2"),
    "inertia in kg mm2": Fault(times(tensor=1e6), "radius of gyration beyond", "inertia in kg mm2"),
    "com in mm": Fault(times(com=1e3), "centre of mass outside", "centre of mass in mm", "warning"),
    "mass in g": Fault(times(mass=1e3), "", "mass in g", ""),
    "all in g and mm": Fault(times(mass=1e3, com=1e3, tensor=1e9), "", "mass in g and centre of mass in mm and", ""),
    "exchanged axes": Fault(exchange, "inertia of exchanged axes", "axes x and z", "warning"),
    "placeholder": Fault(
        lambda robot, rng: robot.change(2, tensor=np.eye(3), turn=(0.0, 0.0, 0.0)),
        "radius of gyration beyond", "a placeholder: 1 kg m2", "",
    ),
    "triangle": Fault(moments(break_triangle), "triangle inequality"),
    "negative": Fault(moments(make_negative), "negative principal moment", formats=("urdf", "sdf")),
    "massless joint": Fault(on_leaf(**NOTHING, shapes=()), "joint moves no inertia", on=JOINT, formats=("urdf", "sdf")),
    "no mass": Fault(
        on_leaf(**NOTHING, kind="fixed", parent="link1"), "shape but no mass", level="warning", formats=("urdf", "sdf")
    ),
    "concentrated": Fault(times(tensor=1e-5), "radius of gyration near zero", level="warning"),
    "heavy": Fault(times(mass=400.0, tensor=400.0), "density of the box of the shapes too high", level="warning"),
    "light": Fault(times(mass=1e-3, tensor=1e-3), "density too low", level="warning"),
    "equal inertias": Fault(equal_inertias, "equal inertias", "a placeholder?", "note", "4 links"),
    "limits": Fault(
        lambda robot, rng: robot.change(2, limits=(1.0, -0.5, 20.0, 3.0)),
        "lower limit above", level="warning", on=JOINT, formats=("urdf", "sdf"),
    ),
    "zero outside": Fault(
        lambda robot, rng: robot.change(2, limits=(0.5, 1.0, 20.0, 3.0)), "zero is outside", level="note", on=JOINT
    ),
    "no effort": Fault(
        lambda robot, rng: robot.change(2, limits=(-1.0, 1.0, 0.0, 3.0)),
        "effort limit is zero", level="note", on=JOINT, formats=("urdf", "sdf"),
    ),
    "no velocity": Fault(
        lambda robot, rng: robot.change(2, limits=(-1.0, 1.0, 2.0, 0.0)),
        "velocity limit is zero", level="note", on=JOINT, formats=("urdf", "sdf"),
    ),
    "no leader": Fault(
        lambda robot, rng: robot.change(2, mimic="absent"), "leader is missing", on=JOINT, formats=("urdf",)
    ),
}  # fmt: skip


# -- one box ------------------------------------------------------------------------------------------------
BOXES = """<robot name="boxes">
<link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
 <visual><geometry><box size="0.3 0.3 0.3"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="a"/></joint>
</robot>
"""


def boxes(folder: Path, *changes: tuple[str, str]) -> Path:
    text = BOXES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "boxes.urdf"
    path.write_text(text)
    return path


WRONG_INERTIA = ('ixx="0.01"', 'ixx="3"'), ('izz="0.01"', 'izz="3"')
