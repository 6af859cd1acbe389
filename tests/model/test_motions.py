"""Elementary motions: their definitions are consistent, gaps are reported, and a new motion is one class."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model import motions as elementary
from mbs_fmu.model.motions import DegreeOfFreedom, Motion, MotionContext
from mbs_fmu.model.motions.check import check
from mbs_fmu.symbolic.columns import Column
from mbs_fmu.symbolic.expressions import ZERO, Expression, as_expression, sqrt
from mbs_fmu.symbolic.quaternions import rotation_rows
from mbs_fmu.symbolic.spatial import PLANE, FrameChange, FrameTwist, Rotation, Translation
from mbs_fmu.symbolic.vectors import ORIGIN, UNIT, Matrix, Vector
from support.cases import tiers
from support.generators.mechanisms import Plain, random_inertia, random_rotation

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class Circle(Motion):
    """A translation along a circle by its angle; the axes stay parallel.

    plane: unit quaternion of axes of which the third is normal to the circle and the first points at the start.
    """

    plane: tuple[float, float, float, float]
    radius: Expression = field(compare=False)
    name = "circle"
    axis = None
    sines = True
    alone = True
    units = ("rad",)

    @property
    def constants(self) -> tuple[Expression, ...]:
        return tuple(x * sqrt(self.radius) for x in self.plane)

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Translation(in_plane(context, context.cosine - 1.0, context.sine))]

    def columns(self, context: MotionContext) -> list[Column]:
        def rate(speeds: Sequence[Expression]) -> FrameTwist:
            return FrameTwist(in_plane(context, -context.cosine, -context.sine) * speeds[0])

        return [context.column(in_plane(context, -context.sine, context.cosine), ORIGIN, rate)]


def in_plane(context: MotionContext, x: Expression, y: Expression) -> Vector:
    """Return the radius times a vector of the circle's plane: a quaternion of squared length r turns, and stretches by
    r.
    """
    a, b, c, d = (context.constant(k) for k in range(4))
    first = Vector((a * a + b * b - c * c - d * d, 2.0 * (b * c + a * d), 2.0 * (b * d - a * c)))
    second = Vector((2.0 * (b * c - a * d), a * a - b * b + c * c - d * d, 2.0 * (c * d + a * b)))
    return first * x + second * y


UPRIGHT = (1.0, 0.0, 0.0, 0.0)


MOTIONS = [
    elementary.Turn((0.0, 0.6, 0.8)), elementary.Slide((1.0, 0.0, 0.0)), elementary.Ball(), elementary.Free(),
    elementary.Screw((0.0, 0.0, 1.0), as_expression(0.3)), Circle((0.5, -0.5, 0.5, 0.5), as_expression(0.7)),
    elementary.ConstantVelocity((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    elementary.ConstantVelocity((0.6, 0.8, 0.0), (-0.64, 0.48, 0.6)),
]  # fmt: skip


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda m: m.name)
def test_definitions_of_every_motion_are_consistent(motion: Motion) -> None:
    check(motion)


def test_every_motion_of_the_package_is_covered() -> None:
    ours = {c for c in Motion.__subclasses__() if c.__module__.startswith("mbs_fmu.")}
    assert ours - {type(m) for m in MOTIONS} == {elementary.Custom}  # by formulas: its columns are their derivatives


# -- a new motion ---------------------------------------------------------------------------------


def chain(joint: object, seed: int) -> mbs.Model:
    """Return a hinge, a joint of one coordinate and a ball."""
    rng = np.random.default_rng(seed)
    m = mbs.Model("chain")
    parent = "world"
    for k, own in enumerate((mbs.Revolute(rng.normal(size=3)), joint, mbs.Spherical())):
        parent = m.body(
            f"b{k}", parent, own, mass=1.0 + k, com=rng.normal(size=3) * 0.2, inertia=random_inertia(rng),
            at=mbs.Pose(rng.normal(size=3), random_rotation(rng)),
        )  # fmt: skip
    m.start("b1", q=[0.4], u=[0.7])
    m.start("b0", q=[0.3], u=[-0.5])
    m.output("energy", mbs.energy())
    return m


def circular(plane: Sequence[float], radius: float) -> mbs.Joint:
    return mbs.Joint((Circle(tuple(plane), as_expression(radius)),))  # type: ignore[arg-type]


@pytest.mark.usual
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("seed", tiers(range(3), usual=1))
def test_a_new_motion_equals_a_joint_by_formulas(solver: str, seed: int) -> None:
    """Rates equal those of a joint by formulas, whose columns are derived from its frame alone."""
    rng = np.random.default_rng(seed)
    plane = rng.normal(size=4)
    plane /= np.linalg.norm(plane)
    x, y, _ = np.array(rotation_rows(plane)).T
    r = float(rng.uniform(0.2, 1.0))
    formulas = mbs.CustomJoint(
        ("rad",), lambda q, t: [r * ((mbs.cos(q[0]) - 1.0) * a + mbs.sin(q[0]) * b) for a, b in zip(x, y, strict=True)]
    )
    rates = [Plain(chain(joint, seed), solver).rates() for joint in (circular(plane.tolist(), r), formulas)]
    assert np.allclose(*rates, rtol=1e-11, atol=1e-11)


def test_a_new_motion_conserves_energy(in_plain_python: None) -> None:
    model = chain(circular((0.1, 0.7, -0.5, 0.5), 0.5), 1)
    E = mbs.simulate(model, 0.2, method="rk4", step=5e-3, output_interval=0.1)["energy"]
    assert np.abs(E - E[0]).max() < 1e-6 * np.abs(E).max()


def test_a_new_motion_can_be_driven() -> None:
    model = chain(circular(UPRIGHT, 0.5), 1)
    del model.starts["b1"]
    model.drive("given", on="b1", position=mbs.sin(mbs.time))
    assert np.all(np.isfinite(Plain(model).rates()))


def test_a_loop_by_a_motion_without_conditions_is_refused() -> None:
    m = chain(mbs.Revolute("x"), 0)
    with pytest.raises(mbs.ModelError, match="a circle joint can't close a loop"):
        m.close("loop", "world", "b2", circular(UPRIGHT, 0.5))


# -- incomplete definitions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["name", "axis", "units", "frame", "columns"])
def test_missing_definitions_of_a_motion_are_named(missing: str) -> None:
    definitions = {name: getattr(elementary.Ball, name) for name in ("name", "axis", "units", "frame", "columns")}
    del definitions[missing]
    with pytest.raises(TypeError, match=f"motion Half does not define {missing}"):
        type("Half", (Motion,), definitions)


@pytest.mark.parametrize("missing", ["rate_units", "coordinate_rates", "velocities"])
def test_motions_with_own_velocities_define_all_of_them(missing: str) -> None:
    names = ("name", "axis", "units", "frame", "columns", "rate_units", "coordinate_rates", "velocities")
    definitions = {name: getattr(elementary.Ball, name) for name in names if name != missing}
    with pytest.raises(TypeError, match=f"does not define {missing}"):
        type("Half", (Motion,), definitions)


# -- inconsistent definitions -----------------------------------------------------------------------------------


def wrong(base: type[Motion] = Circle, *arguments: object, **changed: object) -> Motion:
    """Return a motion with some definitions replaced by wrong ones."""
    values = arguments or ((UPRIGHT, as_expression(0.5)) if base is Circle else ())
    return type("Wrong", (base,), changed)(*values)  # type: ignore[no-any-return]


def slide(**changed: object) -> Motion:
    return wrong(elementary.Slide, (0.0, 0.0, 1.0), **changed)


def free(**changed: object) -> Motion:
    return wrong(elementary.Free, **changed)


def columns_with(
    rate: Callable[[Circle, MotionContext], object], sign: float = 1.0
) -> Callable[[Circle, MotionContext], list[Column]]:
    """Return a circle's column with another rate."""

    def columns(self: Circle, context: MotionContext) -> list[Column]:
        twist = Circle.columns(self, context)[0].twist
        assert twist is not None
        return [context.column(twist.v * sign, twist.w, rate(self, context))]  # type: ignore[arg-type]

    return columns


def backwards(self: Circle, context: MotionContext) -> Callable[[Sequence[Expression]], FrameTwist]:
    right = Circle.columns(self, context)[0].rate
    assert right is not None
    return lambda speeds: right(speeds) * as_expression(-1.0)


def frame_of(vector: Callable[[Circle, MotionContext], Vector]) -> Callable[[Circle, MotionContext], list[FrameChange]]:
    return lambda self, context: [Translation(vector(self, context))]


def across(context: MotionContext) -> Vector:
    """Return a circle about context.axis without a defined start."""
    directions = dict(zip(PLANE[context.axis], (context.cosine - 1.0, context.sine), strict=True))
    return Vector(directions.get(k, ZERO) for k in range(3))


def across_columns(self: Motion, context: MotionContext) -> list[Column]:
    c = across(context)
    b, d = PLANE[context.axis]
    v = Vector({b: -c[d], d: c[b] + 1.0}.get(k, ZERO) for k in range(3))
    w = Vector({b: -c[b] - 1.0, d: -c[d]}.get(k, ZERO) for k in range(3))
    return [context.column(v, ORIGIN, lambda speeds: FrameTwist(w * speeds[0]))]


def rates(changed: Callable[[Any], Any], back: Callable[[Any], Any]) -> dict[str, object]:
    """Return rates of a free motion and their inverse, with both results changed."""
    return {
        "coordinate_rates": lambda self, q, u: changed(elementary.Free.coordinate_rates(self, q, u)),
        "velocities": lambda self, q, q_dot: back(elementary.Free.velocities(self, q, q_dot)),
    }


def unit_only(self: elementary.Ball, context: MotionContext) -> list[FrameChange]:
    return [Rotation(Matrix(rotation_rows(context.q)))]


SAME_RATES = {"coordinate_rates": lambda self, q, u: u, "velocities": lambda self, q, q_dot: q_dot}
KEPT = {"coordinate_rates": elementary.Free.coordinate_rates, "velocities": elementary.Free.velocities}
ABOUT_Z = {"axis": (0.0, 0.0, 1.0), "constants": (), "name": "circle"}

WRONG: dict[str, Callable[[], Motion]] = {
    # units and places
    r"circle: units = \(\): a tuple with \"rad\" or \"m\"": lambda: wrong(units=()),
    "circle: units = 'rad': a tuple with": lambda: wrong(units="rad"),
    r"circle: units = \('deg',\): a tuple with": lambda: wrong(units=("deg",)),
    r"circle: rate_units = \('rpm',\): a tuple with": lambda: wrong(rate_units=("rpm",), **SAME_RATES),
    'circle: sines = True, but its first coordinate is in "m"': lambda: wrong(units=("m",)),
    "free: quaternion = 0, but its units": lambda: free(quaternion=0),
    "free: quaternion = 5, but its units": lambda: free(quaternion=5),
    "circle: quaternion = 0, but its units": lambda: wrong(quaternion=0),
    'free: units "1" are those of .* set quaternion = 3': lambda: free(quaternion=None),
    'circle: velocity 1 is the rate of coordinate 1: its unit is "rad/s", not "m/s"': lambda: wrong(
        rate_units=("m/s",), **SAME_RATES
    ),
    'free: column 1 is that of a velocity in m/s, but rate_units has "rad/s"': lambda: free(
        rate_units=("rad/s",) * 3 + ("m/s",) * 3, **KEPT
    ),
    # columns
    "free: column 1 has j = 2: .* give j = 0": lambda: free(
        columns=lambda self, context: [
            *(context.linear(a, 2 - a) for a in range(3)),
            *(context.angular(a, 3 + a) for a in range(3)),
        ]
    ),
    "free: column 2 has j = 0: .* give j = 1": lambda: free(
        columns=lambda self, context: [*(context.linear(a) for a in range(3)), *(context.angular(a) for a in range(3))]
    ),
    "free: column 1 has j = 5": lambda: free(
        columns=lambda self, context: elementary.Free.columns(self, context)[::-1]
    ),
    "slide has a column with j = 1, but 1 velocities": lambda: slide(
        columns=lambda self, context: [context.linear(2, 1)]
    ),
    "slide: column 1 must be made by context.linear": lambda: slide(
        columns=lambda self, context: [Column(False, context.axis, context.first_rate)]
    ),
    "circle: 0 entries in its columns for 1 velocities": lambda: wrong(columns=lambda self, context: []),
    "slide: its columns are not the twist of its frame: .* they give": lambda: slide(
        frame=frame_of(lambda self, context: context.along(context.q[0] * -1.0))
    ),
    "circle: column 1 changes in the frame behind it: give its rate": lambda: wrong(
        columns=columns_with(lambda self, context: None)
    ),
    "circle: the rate of column 1 is not its time derivative": lambda: wrong(columns=columns_with(backwards)),
    "must set alone = True, since column 1 has a rate": lambda: wrong(
        constants=Motion.constants,
        alone=False,
        columns=across_columns,
        frame=frame_of(lambda self, context: across(context)),
    ),
    # coordinates
    "free: 6 entries in its coordinate_rates for 7 coordinates": lambda: free(**rates(lambda x: x[:6], lambda x: x)),
    "free: 5 entries in its velocities for 6 velocities": lambda: free(**rates(lambda x: x, lambda x: x[:5])),
    r"free: velocities\(\) is not the inverse": lambda: free(**rates(lambda x: x, lambda x: x * 2.0)),
    "ball: its frame must not depend on the length": lambda: wrong(elementary.Ball, frame=unit_only),
    "circle: its frame must coincide with the one before it at zero coordinates": lambda: wrong(
        frame=frame_of(lambda self, context: in_plane(context, context.cosine, context.sine))
    ),
    # the axis
    "circle: its frame is not invariant under rotations about its axis: set axis = None": lambda: wrong(
        **ABOUT_Z, frame=frame_of(lambda self, context: across(context)), columns=across_columns
    ),
    "slide: its frame does not follow its axis: use context.axis": lambda: slide(
        frame=frame_of(lambda self, context: Vector([ZERO, ZERO, context.q[0]])),
        columns=lambda self, context: [context.linear(2)],
    ),
    "slide: its formulas depend on its axis": lambda: slide(
        frame=frame_of(lambda self, context: context.along(context.q[0] * self.axis[2])),  # type: ignore[index]
        columns=lambda self, context: [context.column(context.along(as_expression(self.axis[2])), ORIGIN, None)],
    ),
    "sets spins = True, but its frame is not a rotation": lambda: slide(spins=True),
    # what formulas may read
    "circle must set sines = True": lambda: wrong(sines=False),
    "turn must set sines = True": lambda: wrong(elementary.Turn, (0.0, 0.0, 1.0), sines=False),
    "has 5 constants: at most 4": lambda: wrong(constants=property(lambda self: (self.radius,) * 5)),
    r"circle: constant 0 is 0.5: write as_expression\(x\)": lambda: wrong(constants=(0.5,) * 4),
    r"circle reads context.constant\(1\), but has 1 constants": lambda: wrong(
        constants=property(lambda self: (self.radius,))
    ),
    "slide: its frame reads time, but may read": lambda: slide(
        frame=frame_of(lambda self, context: context.along(context.q[0] * mbs.time))
    ),
    "slide: its frame reads stretch, but may read": lambda: slide(
        frame=frame_of(lambda self, context: context.along(context.q[0] * mbs.Model("m").parameter("stretch", 1.0)))
    ),
    "slide: its frame can't be evaluated: .*IndexError": lambda: slide(
        frame=frame_of(lambda self, context: context.along(context.q[1]))
    ),
    # freedoms
    "slide: its degrees_of_freedom, in this order, can't give its frame": lambda: slide(
        degrees_of_freedom=(DegreeOfFreedom(False, (0.0, 1.0, 0.0)),)
    ),
    "slide: its degrees_of_freedom, .* or omit degrees_of_freedom": lambda: slide(
        degrees_of_freedom=(DegreeOfFreedom(True, (0.0, 0.0, 1.0)),)
    ),
    "slide has 0 degrees_of_freedom for 1 velocities": lambda: slide(degrees_of_freedom=()),
    "free: its degrees_of_freedom, in this order": lambda: free(
        degrees_of_freedom=elementary.Free.degrees_of_freedom[3:] + elementary.Free.degrees_of_freedom[3:]
    ),
    "free: its degrees_of_freedom are joined, but": lambda: free(
        degrees_of_freedom=tuple(replace(x, joined=True) for x in elementary.Free.degrees_of_freedom)
    ),
    # equality
    "slide: its structure or a field .* can't be hashed": lambda: slide(structure=[1]),
    "slide: its structure or a field of .*axis=.* can't be hashed": lambda: elementary.Slide([0.0, 0.0, 1.0]),
}


@pytest.mark.parametrize("message", WRONG)
def test_inconsistent_definitions_of_a_motion_are_refused(message: str) -> None:
    """A motion is refused if energy would grow or a definition would be ignored."""
    with pytest.raises(TypeError, match=message) as refused:
        check(WRONG[message]())
    assert "np.float64" not in str(refused.value)


def test_a_model_with_an_inconsistent_motion_does_not_compile() -> None:
    with pytest.raises(TypeError, match="motion circle: the rate of column 1"):
        Plain(chain(mbs.Joint((wrong(columns=columns_with(backwards)),)), 0))


def test_a_loop_with_an_inconsistent_motion_is_refused() -> None:
    with pytest.raises(TypeError, match="motion slide: its degrees_of_freedom"):
        joint = mbs.Joint((slide(degrees_of_freedom=(DegreeOfFreedom(True, (0.0, 0.0, 1.0)),)),))
        chain(mbs.Revolute("x"), 0).close("loop", "world", "b2", joint)


@dataclass(frozen=True)
class Signed(elementary.Slide):
    """A slide along its axis, or against it."""

    sign: float = 1.0

    def frame(self, context: MotionContext) -> list[FrameChange]:
        return [Translation(context.along(context.q[0] * self.sign))]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.column(context.along(as_expression(self.sign)), ORIGIN, None)]

    degrees_of_freedom = None


def test_formulas_that_structure_does_not_distinguish_are_refused() -> None:
    """Motions of equal structure share code, in any order of their use."""
    check(Signed((1.0, 0.0, 0.0)))
    with pytest.raises(
        TypeError, match="motion slide: its formulas differ from those of another motion of equal `struct"
    ):
        check(Signed((1.0, 0.0, 0.0), -1.0))


def test_structure_distinguishes_formulas() -> None:
    class BySign(Signed):
        @property
        def structure(self) -> Hashable:
            return type(self), self.sign

    check(BySign((1.0, 0.0, 0.0)))
    check(BySign((1.0, 0.0, 0.0), -1.0))


@dataclass(frozen=True)
class Hinge(Motion):
    """A turn about the unit vector in its constants."""

    direction: tuple[float, float, float]
    name = "hinge"
    axis = None
    sines = True
    alone = True
    units = ("rad",)

    @property
    def constants(self) -> tuple[Expression, ...]:
        return Vector(self.direction)

    def frame(self, context: MotionContext) -> list[FrameChange]:
        e = Vector(context.constant(k) for k in range(3))
        K = Matrix.columns([e.cross(v) for v in UNIT.rows])
        s, c = context.sine, context.cosine
        square = K @ K
        return [Rotation(Matrix.of(lambda i, j: UNIT[i, j] + s * K[i, j] + (1.0 - c) * square[i, j]))]

    def columns(self, context: MotionContext) -> list[Column]:
        return [context.column(ORIGIN, Vector(context.constant(k) for k in range(3)), None)]


def test_dependent_constants_are_checked_together() -> None:
    """A direction has length one: another length is refused, also after a valid direction."""
    check(Hinge((0.6, 0.0, 0.8)))
    with pytest.raises(TypeError, match="motion hinge: its columns are not the twist"):
        check(Hinge((0.6, 0.0, 0.9)))
