"""Free bodies in compliant contact, of all shapes and laws."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.geometry.axes import unit_axis
from mbs_fmu.model.model import Model
from support.generators.mechanisms import random_inertia, random_rotation

Draw = Callable[[], float]  #: returns a number about 1

LAWS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "smooth": lambda gain: {"stiffness": gain * 700.0, "dissipation": 0.3},
    "sticking": lambda gain: {"stiffness": 900.0, "friction": 0.4 * gain, "settling": 0.02, "dissipation": 0.2},
    "static": lambda gain: {"stiffness": 800.0, "friction": 0.3, "static": 0.5 * gain, "speed": 0.4, "grip": 500.0},
    "spinning": lambda gain: {"stiffness": 900.0, "friction": 0.4 * gain, "pad": 0.05 * gain},
    "creeping": lambda gain: {"stiffness": 900.0, "friction": 0.4, "creep": 0.2 * gain, "dissipation": 2.0},
    "Hertz": lambda gain: {
        "stiffness": 9e3,
        "friction": 0.4,
        "exponent": 1.5,
        "grip": gain * 500.0,
        "dissipation": 0.1,
    },
    "rolling": lambda gain: {
        "stiffness": 900.0,
        "friction": 0.4,
        "grip": 500.0 * gain,
        "settling": 0.02,
        "roll": 0.03 * gain,
    },
    "braked": lambda gain: {"stiffness": 900.0, "friction": 0.4, "creep": 0.2, "roll": 0.03 * gain},
    "impeded": lambda gain: {
        "stiffness": mbs.Impedance(inverse_mass=0.6, solref=(0.2, 0.8), solimp=(0.1, 0.9, 0.8, 0.4, 2.5)),
        "dissipation": gain * 0.2,
        "friction": 0.4,
        "creep": 0.3,
    },
}
#: Uneven ground that is even: its distances and its power are exact.
FLAT = mbs.HeightField([-5.0, 0.0, 5.0], [-5.0, 0.0, 5.0], np.zeros((3, 3)).tolist())
SHAPES: dict[str, tuple[Any, Any]] = {
    "point on plane": (mbs.Plane("-x", at=(0.1, 0.2, 0.05)), None),
    "sphere on plane": (mbs.Plane(), mbs.Sphere(0.3, at=(0.1, -0.2, 0.1))),
    "capsule on plane": (mbs.Plane((1, 2, 3)), mbs.Capsule(0.2, 0.5, "x", at=(0.1, 0, 0))),
    "ring on plane": (mbs.Plane("y"), mbs.Ring(0.4, 0.1, (1, 2, 0))),
    "box on plane": (mbs.Plane(), mbs.Box(0.4, 0.5, 0.6)),
    "cylinder on plane": (mbs.Plane("x"), mbs.Cylinder(0.3, 0.4, "y")),
    "sphere on sphere": (mbs.Sphere(0.3), mbs.Sphere(0.4, at=(0, 0.1, 0))),
    "capsule on sphere": (mbs.Sphere(0.5, at=(0, 0.1, 0)), mbs.Capsule(0.4, 0.3)),
    "point in sphere": (mbs.Sphere(0.8), (0.1, 0.2, 0.3)),
    "sphere on capsule": (mbs.Capsule(0.3, 0.4, "x"), mbs.Sphere(0.4)),
    "point in capsule": (mbs.Capsule(0.5, 0.9), (0.1, 0.1, 0.2)),
    "sphere on box": (mbs.Box(0.5, 0.6, 0.7, at=(0.1, 0, 0)), mbs.Sphere(0.3)),
    "points in box": (mbs.Box(0.9, 1.0, 1.1), [(0.1, 0, 0), (0, 0.2, 0.1), mbs.Sphere(0.2)]),
    "points in sphere": (mbs.Sphere(0.8), mbs.Points([(0.1, 0.2, 0.3), (0.2, 0, 0)], at=(0, 0.1, 0))),
    "sphere on ground": (FLAT, mbs.Sphere(0.3, at=(0.1, -0.2, 0.1))),
    "ellipsoid on plane": (mbs.Plane("y"), mbs.Ellipsoid(0.3, 0.4, 0.5, at=(0.1, 0, 0.1))),
    "capsule on capsule": (mbs.Capsule(0.4, 0.5, "x"), mbs.Capsule(0.3, 0.6, (1, 1, 0), at=(0.1, 0, 0))),
    "capsule on box": (mbs.Box(0.3, 0.4, 0.3, at=(0.1, 0, 0)), mbs.Capsule(0.6, 0.6, (1, 1, 0.2), at=(0.1, 0.5, 0.4))),
    "sphere on cylinder": (mbs.Cylinder(0.3, 0.4, "x"), mbs.Sphere(0.4, at=(0.1, 0.3, 0))),
    "points in cylinder": (mbs.Cylinder(0.9, 1.2), mbs.Points([(0.1, 0.2, 0.3), (0.2, 0, 0)], at=(0, 0.1, 0))),
    "capsule on cylinder": (mbs.Cylinder(0.2, 0.3, "y"), mbs.Capsule(0.6, 0.6, (1, 1, 0), at=(0.1, 0.5, 0.4))),
}
ROCK = Path(__file__).parents[2] / "data" / "rock.obj"  #: a convex body of 14 vertices
SHAPES |= {
    "sphere on mesh": (mbs.Mesh(ROCK, scale=4.0), mbs.Sphere(0.4, at=(0.1, 0.3, 0))),
    "points in mesh": (
        mbs.Mesh(ROCK, scale=16.0, at=(-0.3, 0.2, -0.5)),
        mbs.Points([(0.1, 0.2, 0.1), (0.2, 0, 0)], at=(0, 0.1, 0)),
    ),
    "capsule on mesh": (mbs.Mesh(ROCK, scale=3.0), mbs.Capsule(0.6, 0.6, (1, 1, 0), at=(0.1, 0.5, 0.4))),
}
#: Solids that touch with the vertices of one or of both, and pairs in the other order than above.
SOLIDS: dict[str, tuple[Any, Any]] = {
    "cylinder on ground": (FLAT, mbs.Cylinder(0.3, 0.4, "y")),
    "cylinder on box": (mbs.Box(0.5, 0.6, 0.7, at=(0.1, 0, 0)), mbs.Cylinder(0.3, 0.4, (1, 1, 0))),
    "cylinder on cylinder": (mbs.Cylinder(0.4, 0.6, at=(0.1, 0, 0)), mbs.Cylinder(0.3, 0.5, (1, 1, 0))),
    "box on mesh": (mbs.Mesh(ROCK, scale=4.0), mbs.Box(0.3, 0.4, 0.5, at=(0.1, 0, 0))),
    "cylinder on mesh": (mbs.Mesh(ROCK, scale=5.0), mbs.Cylinder(0.3, 0.4, (1, 1, 0))),
    "box on capsule": (mbs.Capsule(0.6, 0.6, (1, 1, 0.2), at=(0.1, 0.5, 0.4)), mbs.Box(0.3, 0.4, 0.3, at=(0.1, 0, 0))),
}
#: Shapes that touch on an area.
AREAS: dict[str, tuple[Any, Any]] = {"box on box": (mbs.Box(0.5, 0.6, 0.7, at=(0.1, 0, 0)), mbs.Box(0.8, 0.3, 0.4))}
#: Curves that a point or a roller meets.
RIPPLES = mbs.Polar(np.linspace(0.0, 6.0, 20), 0.4 + 0.02 * np.cos(3.0 * np.linspace(0.0, 6.0, 20)), axis="x")
CURVES: dict[str, mbs.OnCurve] = {
    "point on circle": mbs.OnCurve(mbs.Circle(0.8, axis="y")),
    "roller on polar curve": mbs.OnCurve(RIPPLES, radius=0.5),
    "roller on ellipse": mbs.OnCurve(mbs.Ellipse(0.45, 0.4), radius=0.5),
    "roller in ring": mbs.OnCurve(mbs.Circle(0.7, axis=(1, 2, 2)), radius=0.66, inside=True),
    "roller on face": mbs.OnCurve(mbs.Flat(axis="x"), radius=0.7),
}
#: Every shape with two of the first laws, and some with the others.
CONTACTS = [f"{shape}, {list(LAWS)[k % 6]}" for k, shape in enumerate((*SHAPES, *SOLIDS) * 2)]
CONTACTS[1:1] = ["sphere on sphere, rolling", "sphere on sphere, impeded"]
CONTACTS += ["sphere on plane, braked", "capsule on capsule, braked"]
CONTACTS += [f"{shape}, impeded" for shape in ("box on plane", "sphere on box", "capsule on capsule")]
CONTACTS += [
    f"{shape}, rolling" for shape in ("sphere on plane", "box on plane", "points in box", "capsule on capsule")
]
CONTACTS += [f"{curve}, {law}" for curve, law in zip(CURVES, ("rolling", "static", "braked", "sticking", "Hertz"))]


def bodies_in_contact(kind: str, seed: int) -> Model:
    """Return two free bodies in motion whose shapes overlap, with deflected bristles."""
    return placed_bodies(kind, seed)[0]


def placed_bodies(kind: str, seed: int) -> tuple[Model, mbs.Pose, np.ndarray]:
    """Return the same with the frames of the shapes on both bodies; that on b has the axes of b."""
    shapes, law = kind.split(", ")
    rng = np.random.default_rng(seed)
    m = mbs.Model("touching", gravity=(0, 0, 0))
    for name in "ab":
        mass, com = 1 + rng.random(), 0.3 * rng.normal(size=3)
        m.body(name, joint=mbs.Free(), mass=mass, com=com, inertia=random_inertia(rng))
        turn = (1, *(0.4 * rng.normal(size=3)))
        m.start(name, q=(*(0.15 * rng.normal(size=3)), *turn), u=rng.normal(size=6))
    gain = m.parameter("gain", 1.2)
    rotation = random_rotation(rng)
    if shapes in CURVES:
        pose, at_b = mbs.Pose(0.1 * rng.normal(size=3), rotation), 0.1 * rng.normal(size=3)
        m.contact("x", "a", "b", CURVES[shapes], at_a=pose, at_b=at_b, **LAWS[law](gain))
        deflect(m, rng)
        return m, pose, at_b
    shape_a, shape_b = (SHAPES | SOLIDS | AREAS)[shapes]
    bounds = isinstance(shape_a, mbs.Plane | mbs.HeightField)  # the surface of a half-space, in effect
    normal = shape_a.normal if isinstance(shape_a, mbs.Plane) else "z"
    raised = 0.4 * rotation @ unit_axis(normal) if bounds else 0.0
    at_a, at_b = mbs.Pose(0.1 * rng.normal(size=3) + raised, rotation), 0.1 * rng.normal(size=3)
    m.contact("x", "a", "b", at_a=at_a, at_b=at_b, shape_a=shape_a, shape_b=shape_b, **LAWS[law](gain))
    deflect(m, rng)
    return m, at_a, at_b


def deflect(m: Model, rng: np.random.Generator) -> None:
    """Start the bristles of all contacts deflected by millimetres."""
    for name in list(m.states):
        if ".z" in name:
            m.states[name] = replace(m.states[name], start=0.004 * float(rng.normal()))


def thrown(seed: int) -> Model:
    """Return a random tree of bodies with shapes, thrown on a floor; output E is its energy."""
    rng = np.random.default_rng(seed)
    m = Model("thrown")
    shapes = [mbs.Sphere(0.1), mbs.Box(0.2, 0.3, 0.1), mbs.Capsule(0.06, 0.3, "x"), mbs.Ring(0.12, 0.04, "y")]
    shapes += [mbs.Cylinder(0.1, 0.2), mbs.Sphere(0.05, at=(0.1, 0.1, 0))]
    joints = [mbs.Revolute("x"), mbs.Spherical(), mbs.Universal(), mbs.Prismatic("z")]
    for k in range(4):
        parent, joint = ("world", mbs.Free()) if k == 0 else (f"b{rng.integers(k)}", joints[rng.integers(4)])
        inertia = 0.02 * np.array(random_inertia(rng))
        m.body(f"b{k}", parent, joint, mass=0.5 + rng.random(), inertia=inertia, at=0.3 * rng.normal(size=3) * (k > 0))
    m.start("b0", q=(0, 0, 0.8, *rng.normal(size=4)), u=2.0 * rng.normal(size=6))
    own = {f"b{k}": shapes[rng.integers(6)] for k in range(4)}
    m.ground("floor", own, stiffness=5e3, friction=0.5, static=0.6, speed=0.05, pad=0.01)
    m.output("E", mbs.energy())
    return m


def dragged() -> Model:
    """A box that falls on a slope and sticks, beside a ball that slides on its back."""
    m = Model("dragged", gravity=(2.0, 0.5, -9.6))
    pull = m.input("pull", start=0.0, unit="N")
    m.body("box", joint=mbs.Free(), mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.body("ball", joint=mbs.Free(), mass=0.2, inertia=(2e-4,) * 3)
    m.force("pull", on="box", force=(pull, 0, 0))
    grip = m.parameter("mu", 0.5)
    m.contact("floor", "world", "box", shape_b=mbs.Box(0.3, 0.3, 0.1), stiffness=2e4, friction=grip, static=0.6)
    m.contact(
        "back", "box", "ball", shape_a=mbs.Box(0.3, 0.3, 0.1), shape_b=mbs.Sphere(0.05), stiffness=5e3, friction=0.3
    )
    m.start("box", q=(0, 0, 0.06, 1, 0, 0.02, 0), u=(0.5, 0, 0, 0, 0, 0.3))
    m.start("ball", q=(0.05, 0, 0.17, 1, 0, 0, 0), u=(0.3, 0, 0, 1, 0, 0))
    m.output("load", mbs.contact_force("floor"))
    m.output("slip", mbs.slip("back"))
    m.output("E", mbs.energy())
    return m


#: Shapes of a heap, all of which a plane meets, and a sphere or capsule with each capsule, sphere and list of points.
HEAPED = {
    "egg": mbs.Ellipsoid(0.1, 0.07, 0.05),
    "pill": mbs.Capsule(0.05, 0.15, "x"),
    "log": mbs.Capsule(0.04, 0.2, (1, 1, 0), at=(0, 0.01, 0)),
    "ball": mbs.Sphere(0.06, at=(0.01, 0, 0)),
    "tetrahedron": mbs.Points(0.07 * np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])),
}
HEAPED_PAIRS = (("pill", "log"), ("ball", "pill"), ("ball", "log"), ("pill", "tetrahedron"), ("ball", "tetrahedron"))


def pile() -> Model:
    """Return two boxes on each other, the upper one across, that slide on a floor."""
    m = Model("pile")
    mu = m.parameter("mu", 0.5)
    for name, z, turn in (("lower", 0.06, 0.0), ("upper", 0.165, 0.8)):
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(2e-3, 3e-3, 4e-3))
        m.start(name, q=(0, 0.01, z, 1, 0, 0.02, turn), u=(0.4, 0, 0, 0, 0.5, 1))
    m.contact("floor", "world", "lower", shape_b=mbs.Box(0.2, 0.12, 0.1), stiffness=2e4, friction=mu)
    law = {"stiffness": 6e4, "friction": mu, "static": 1.2 * mu, "speed": 0.05}
    shapes = {"shape_a": mbs.Box(0.2, 0.12, 0.1), "shape_b": mbs.Box(0.25, 0.1, 0.1)}
    m.contact("top", "lower", "upper", **shapes, **law)
    m.output("E", mbs.energy())
    m.output("load", mbs.contact_force("top"))
    return m


def heap(seed: int = 0) -> Model:
    """Return bodies of many shapes that fall on each other and on a floor; output E is their energy."""
    rng = np.random.default_rng(seed)
    m = Model("heap")
    mu = m.parameter("mu", 0.5)
    for k, name in enumerate(HEAPED):
        m.body(name, joint=mbs.Free(), mass=0.5 + rng.random(), inertia=3e-3 * np.array(random_inertia(rng)))
        place = (*(0.03 * rng.normal(size=2)), 0.15 + 0.2 * k)
        m.start(name, q=(*place, *rng.normal(size=4)), u=rng.normal(size=6))
    m.ground("floor", HEAPED, stiffness=5e3, friction=mu, pad=0.01, roll=0.005)
    for a, b in HEAPED_PAIRS:
        law = {"stiffness": 4e3, "friction": mu, "static": 1.2 * mu, "speed": 0.05}
        m.contact(f"{a}_{b}", a, b, shape_a=HEAPED[a], shape_b=HEAPED[b], **law)
    m.output("E", mbs.energy())
    m.output("load", mbs.contact_force([f"floor.{name}" for name in HEAPED]))
    return m


#: Solids of a rubble heap, of which every two meet.
RUBBLE = {
    "slab": mbs.Box(0.3, 0.3, 0.06),
    "rock": mbs.Mesh(ROCK),
    "pill": mbs.Capsule(0.04, 0.12, "x"),
    "can": mbs.Cylinder(0.06, 0.1, "y"),
    "ball": mbs.Sphere(0.05),
}


def rubble(seed: int = 0) -> Model:
    """Return solids that fall on each other and on a floor; output E is their energy."""
    rng = np.random.default_rng(seed)
    m = Model("rubble")
    mu = m.parameter("mu", 0.5)
    for k, name in enumerate(RUBBLE):
        m.body(name, joint=mbs.Free(), mass=0.5 + rng.random(), inertia=3e-3 * np.array(random_inertia(rng)))
        place = (*(0.03 * rng.normal(size=2)), 0.1 + 0.2 * k)
        m.start(
            name, q=(*place, *rng.normal(size=4)) if k else (*place, 1, 0, 0, 0), u=(*rng.normal(size=2), 0, 0, 0, 0)
        )
    floor = m.ground("floor", RUBBLE, stiffness=5e3, friction=mu)
    names = m.mutual_contact("touch", RUBBLE, stiffness=4e3, friction=mu, dissipation=3.0)
    m.output("E", mbs.energy())
    m.output("load", mbs.contact_force(floor))
    m.output("loads", mbs.contact_force(names))
    return m


def cloud(count: int = 8, seed: int = 0) -> Model:
    """Return free balls of several radii that fly towards each other, without gravity; outputs P, L and E."""
    rng = np.random.default_rng(seed)
    m = Model("cloud", gravity=(0, 0, 0))
    mu = m.parameter("mu", 0.5)
    shapes = {f"ball{k}": mbs.Sphere(0.05 + 0.01 * (k % 3)) for k in range(count)}
    edge = round(count ** (1 / 3) + 0.5)
    for k, name in enumerate(shapes):
        place = 0.16 * np.array([k % edge, k // edge % edge, k // edge**2]) + 0.01 * rng.normal(size=3)
        m.body(name, joint=mbs.Free(), mass=0.1 + 0.1 * rng.random(), inertia=(1e-4,) * 3)
        towards = 0.16 * (edge - 1) / 2 - place
        m.start(name, q=(*place, *rng.normal(size=4)), u=(*(4.0 * towards), *rng.normal(size=3)))
    m.mutual_contact("hit", shapes, stiffness=2e3, friction=mu, dissipation=0.3)
    m.output("P", mbs.momentum())
    m.output("L", mbs.angular_momentum())
    m.output("E", mbs.energy())
    return m


FLOOR = mbs.Plane(at=(0, 0, 0.2))
#: Shapes of a crowd, drawn with numbers between 0.8 and 1.2, and the laws of their contacts.
CROWDED: dict[str, tuple[Callable[[Draw], Any], Callable[[Draw], Any], str]] = {
    "balls": (lambda x: mbs.Sphere(0.1 * x()), lambda x: mbs.Sphere(0.1 * x()), "sticking"),
    "capsules": (lambda x: _capsule(x), lambda x: _capsule(x), "spinning"),
    "ball on box": (lambda x: _box(x), lambda x: mbs.Sphere(0.1 * x(), at=(0.01 * x(), 0, 0)), "Hertz"),
    "capsule on ball": (lambda x: mbs.Sphere(0.1 * x()), lambda x: _capsule(x), "creeping"),
    "box on plane": (lambda x: mbs.Plane((0.1 * x(), 0, 1), at=(0, 0, 0.2 * x())), lambda x: _box(x), "smooth"),
    "cylinder on plane": (lambda x: FLOOR, lambda x: mbs.Cylinder(0.1 * x(), 0.2 * x()), "static"),
    "egg on plane": (lambda x: FLOOR, lambda x: mbs.Ellipsoid(0.1 * x(), 0.1 * x(), 0.15), "sticking"),
    "points in capsule": (lambda x: mbs.Capsule(0.3 * x(), 0.2), lambda x: _points(x), "sticking"),
    "boxes": (lambda x: _box(x), lambda x: _box(x), "static"),
}


def _points(x: Draw) -> list[tuple[float, float, float]]:
    return [(0.05 * x(), 0, 0), (0, 0, 0.05 * x())]


def _capsule(x: Draw) -> mbs.Capsule:
    return mbs.Capsule(0.08 * x(), 0.2 * x(), (0.3, 0.1 * x(), 1), at=(0, 0.02 * x(), 0))


def _box(x: Draw) -> mbs.Box:
    return mbs.Box(0.2 * x(), 0.15 * x(), 0.18 * x())


def crowd(
    kinds: Iterable[str] = tuple(CROWDED), seed: int = 0, each: int = 4, spread: float = 0.05, height: float = 0.1
) -> Model:
    """Return bodies with contacts of several kinds, `each` of each kind, which differ in all their numbers.

    Some bodies are welded to others. Some laws depend on a parameter, with a factor of their own. Outputs are E, the
    energy, the total load and the deepest of some contacts.
    """
    rng = np.random.default_rng(seed)
    m = Model("crowd", gravity=(0, 0, -2))
    gain = m.parameter("mu", 1.1)
    for k in range(5):
        m.body(f"b{k}", joint=mbs.Free(), mass=1.0 + rng.random(), inertia=0.02 * np.array(random_inertia(rng)))
        place = spread * np.array([k, (-1) ** k, 0.5 * k]) + (0, 0, height)
        m.start(f"b{k}", q=(*place, 1, *(0.3 * rng.normal(size=3))), u=(*(-4.0 * place), *rng.normal(size=3)))
    for k in (1, 3):
        at = mbs.Pose(0.03 * rng.normal(size=3), random_rotation(rng))
        m.body(f"w{k}", f"b{k}", mbs.Weld(), mass=0.3, inertia=(1e-3,) * 3, at=at)
    names = [name for name in m.bodies if name != "world"]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if a[1] != b[1]]
    contacts = []
    for kind in kinds:
        shape_a, shape_b, law = CROWDED[kind]
        for k in range(each):
            a, b = pairs[rng.integers(len(pairs))]
            a = "world" if "plane" in kind else a
            pose = mbs.Pose(0.03 * rng.normal(size=3), random_rotation(rng))
            places = {"at_b": pose} if "plane" in kind else {"at_a": pose, "at_b": 0.03 * rng.normal(size=3)}
            numbers = LAWS[law](gain * float(rng.uniform(0.5, 1.0)))
            contacts.append(f"{kind} {k}".replace(" ", "_"))
            draw = partial(rng.uniform, 0.8, 1.2)
            m.contact(contacts[-1], a, b, shape_a=shape_a(draw), shape_b=shape_b(draw), **places, **numbers)
    deflect(m, rng)
    m.output("E", mbs.energy())
    m.output("load", mbs.contact_force(contacts))
    m.output("strength", sum(mbs.strength(name) for name in contacts))
    for name in contacts[:2]:
        m.output(f"deepest {name}".replace(" ", "_"), mbs.penetration(name))
        m.output(f"place {name}".replace(" ", "_"), mbs.contact_point(name))
    return m


def gathering() -> Model:
    """Return a crowd, without pairs of boxes, that starts apart and meets."""
    return crowd([kind for kind in CROWDED if kind != "boxes"], 1, 3, spread=0.4, height=0.6)
