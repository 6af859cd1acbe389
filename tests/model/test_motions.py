"""Elementary motions: what each says of itself agrees, what it leaves out is told, a new one is one class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from mechanisms import Plain, random_inertia, random_rotation

import mbs_fmu as mbs
from mbs_fmu.model import motions as elementary
from mbs_fmu.model.motions import Here, Motion
from mbs_fmu.model.motions.check import check
from mbs_fmu.symbolic.columns import Column
from mbs_fmu.symbolic.expressions import ZERO, Expression, as_expression
from mbs_fmu.symbolic.spatial import PLANE, FrameChange, FrameTwist, Translation
from mbs_fmu.symbolic.vectors import ORIGIN, Vector

pytestmark = pytest.mark.quick


def in_plane(axis: int, x: Expression, y: Expression) -> Vector:
    """A vector in the plane normal to an axis."""
    entries = dict(zip(PLANE[axis], (x, y), strict=True))
    return Vector(entries.get(k, ZERO) for k in range(3))


@dataclass(frozen=True)
class Circle(Motion):
    """A translation along a circle about `axis`, by its angle; the axes stay parallel."""

    axis: elementary.Axis
    radius: Expression = field(compare=False)
    name = "circle"
    sines = True
    alone = True
    units = ("rad",)

    @property
    def constants(self) -> tuple[Expression, ...]:
        return (self.radius,)

    def frame(self, here: Here) -> list[FrameChange]:
        r = here.constant(0)
        return [Translation(in_plane(here.axis, r * here.cosine, r * here.sine))]

    def columns(self, here: Here) -> list[Column]:
        r, s, c = here.constant(0), here.sine, here.cosine

        def rate(speeds: Sequence[Expression]) -> FrameTwist:
            return FrameTwist(in_plane(here.axis, -(r * c * speeds[0]), -(r * s * speeds[0])))

        return [here.column(in_plane(here.axis, -(r * s), r * c), ORIGIN, rate)]


MOTIONS = [
    elementary.Turn((0.0, 0.6, 0.8)), elementary.Slide((1.0, 0.0, 0.0)), elementary.Ball(), elementary.Free(),
    elementary.Screw((0.0, 0.0, 1.0), as_expression(0.3)), Circle((0.0, 1.0, 0.0), as_expression(0.7)),
]  # fmt: skip


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda m: m.name)
def test_what_a_motion_says_agrees(motion: Motion) -> None:
    check(motion)


def test_every_motion_of_the_package_is_here() -> None:
    ours = {c for c in Motion.__subclasses__() if c.__module__.startswith("mbs_fmu.")}
    assert ours - {type(m) for m in MOTIONS} == {elementary.Custom}  # of formulas: its columns are their derivatives


# -- a motion of one's own ---------------------------------------------------------------------------------


def chain(joint: object, axis: np.ndarray, seed: int) -> mbs.Model:
    """A hinge, a joint of one coordinate, a ball."""
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


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("seed", range(3))
def test_a_new_motion_moves_like_its_formulas(solver: str, seed: int) -> None:
    """Rates are those of a joint by formulas, whose columns are derived from its frame alone."""
    rng = np.random.default_rng(seed)
    axis = np.eye(3)[seed]
    x, y = (np.eye(3)[k] for k in PLANE[seed])
    r = float(rng.uniform(0.2, 1.0))
    own = mbs.Joint((Circle(tuple(axis), as_expression(r)),))  # type: ignore[arg-type]
    formulas = mbs.CustomJoint(
        ("rad",), lambda q, t: [r * (mbs.cos(q[0]) * a + mbs.sin(q[0]) * b) for a, b in zip(x, y, strict=True)]
    )
    rates = [Plain(chain(joint, axis, seed), solver).rates() for joint in (own, formulas)]
    assert np.allclose(*rates, rtol=1e-11, atol=1e-11)


def test_a_new_motion_keeps_energy_about_any_axis(in_plain_python: None) -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    model = chain(mbs.Joint((Circle(tuple(axis), as_expression(0.5)),)), axis, 1)  # type: ignore[arg-type]
    E = mbs.simulate(model, 0.2, method="rk4", step=5e-3, output_interval=0.1)["energy"]
    assert np.abs(E - E[0]).max() < 1e-6 * np.abs(E).max()


def test_a_new_motion_can_be_driven() -> None:
    model = chain(mbs.Joint((Circle((0.0, 0.0, 1.0), as_expression(0.5)),)), np.eye(3)[2], 1)
    del model.starts["b1"]
    model.drive("given", on="b1", position=mbs.sin(mbs.time))
    assert np.all(np.isfinite(Plain(model).rates()))


def test_a_motion_that_can_close_no_loop_says_so() -> None:
    m = chain(mbs.Revolute("x"), np.eye(3)[0], 0)
    with pytest.raises(mbs.ModelError, match="a circle joint can't close a loop"):
        m.close("loop", "world", "b2", mbs.Joint((Circle((0.0, 0.0, 1.0), as_expression(0.5)),)))


# -- what is left out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["name", "axis", "units", "frame", "columns"])
def test_what_a_motion_does_not_say_is_named(missing: str) -> None:
    said = {name: getattr(elementary.Ball, name) for name in ("name", "axis", "units", "frame", "columns")}
    del said[missing]
    with pytest.raises(TypeError, match=f"motion Half does not say {missing}"):
        type("Half", (Motion,), said)


@pytest.mark.parametrize("missing", ["rate_units", "coordinate_rates", "velocities"])
def test_velocities_of_its_own_are_said_in_all_places(missing: str) -> None:
    names = ("name", "axis", "units", "frame", "columns", "rate_units", "coordinate_rates", "velocities")
    said = {name: getattr(elementary.Ball, name) for name in names if name != missing}
    with pytest.raises(TypeError, match=f"does not say {missing}"):
        type("Half", (Motion,), said)


def wrong(**changed: object) -> Motion:
    """A circle of which something is said wrong."""
    return type("Wrong", (Circle,), changed)((0.0, 0.0, 1.0), as_expression(0.5))  # type: ignore[no-any-return]


def still(self: Circle, here: Here) -> list[Column]:
    """Columns that forget their own rate."""
    right = Circle.columns(self, here)[0].twist
    assert right is not None
    return [here.column(right.v, right.w, None)]


WRONG = {
    "its columns are not the twist of its frame": wrong(columns=lambda self, here: [here.linear(here.axis)]),
    "column 1 changes in the frame behind it": wrong(columns=still),
    "has 0 columns for 1 velocities": wrong(columns=lambda self, here: []),
    "does not go with its axis": wrong(
        frame=lambda self, here: [Translation(Vector([here.q[0], ZERO, ZERO]))],
        columns=lambda self, here: [here.linear(0)],
    ),
    "must say sines = True": wrong(sines=False),
    "says spins = True, but its frame is no turn": wrong(spins=True),
    "has 5 constants: at most 4": wrong(constants=property(lambda self: (self.radius,) * 5)),
    r"velocities\(\) is not the inverse": wrong(
        rate_units=("rad/s",),
        coordinate_rates=lambda self, q, u: u,
        velocities=lambda self, q, q_dot: q_dot * 2.0,
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_does_not_agree_is_named(message: str) -> None:
    """Where energy would grow, or an axis be ignored, a model does not compile."""
    model = chain(mbs.Joint((WRONG[message],)), np.eye(3)[2], 0)
    with pytest.raises(TypeError, match=message):
        Plain(model)
