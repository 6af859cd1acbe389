"""A satellite that unfolds its solar array: a yoke and two panels on one side of a free hub, folded like an accordion.

Springs in the hinges unfold the array. Two closed cables over drums synchronise the hinges: the inner panel rotates on
the yoke twice as fast as the yoke on the hub, in the opposite direction, and the outer panel rotates on the inner one
with the same rate, in the opposite direction again. A latch engages in each hinge when it is unfolded, all three at the
same instant; this impact dissipates nearly all kinetic energy and preserves linear and angular momentum. With elastic
cables the latches engage one after the other. Yudintsev (2024) unfolds panels of this kind in redundant coordinates.

A digital attitude controller (`attitude_controller`) restores the attitude of the satellite by reaction wheels:
`steered_solar_array` takes their torque as an input, and `controlled_solar_array` includes the controller, with the
delay of a co-simulation.

In `flexible_solar_array` yoke and panels are plates (`mbs.plate`) that bend and twist, each on a hinge at the far edge
of the one before. The latches then stop the hinges, not the panels: these swing, and the wheels of
`steered_flexible_array` and `controlled_flexible_array` hold the attitude against them.

All hinges are about y, and the array unfolds along the hub's x. The hub's centre of mass is not at its origin.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mbs_fmu as mbs

HUB, HUB_COM, HUB_INERTIA = 300.0, (0.02, 0.0, 0.01), (90.0, 110.0, 100.0)  #: kg, m, kg m2
WIDTH, LENGTH, MASS = 1.2, 1.5, 8.0  #: m outward, m along the hinges, kg: of the yoke and of each panel
HINGE = (0.5, 0.0, 0.4)  #: m, the first hinge on the hub
NAMES = ("yoke", "inner", "outer")
FOLDED, UNFOLDED = (0.02, math.pi - 0.04, -math.pi + 0.04), (math.pi / 2, 0.0, 0.0)  #: rad, angles of the hinges
STIFFNESS, REST, DAMPING = (0.8, 0.5, 0.5), (2.2, -0.5, 0.5), 0.3  #: N m/rad, rad, N m s/rad: spring motors
TURNING = (0.004, 0.01, -0.003)  #: rad/s, angular velocity of all bodies at the start, in the hub's axes
PERIOD, GAIN, RATE_GAIN, MOST = 0.1, 20.0, 80.0, 4.0  #: s, N m, N m s, N m: of the attitude controller
THICKNESS, E, NU = 0.02, 8e8, 0.3  #: m, Pa, 1: of a plate with the stiffness and the mass of a sandwich panel
ELEMENTS, MODES, KEPT = (12, 12), 10, 12  #: of each plate; vibrations; modes of the plate held at its hinge that remain
PLATE_DAMPING, PLATE_TURNING = (
    0.01,
    (0.0, 0.01, 0.0),
)  #: part of critical, of each mode; rad/s, with plates
ELASTIC, ELASTIC_DAMPING = 300.0, 5.0  #: N m/rad, N m s/rad, of a cable, with respect to the angle that it stretches


def solar_array() -> mbs.Model:
    """Return the satellite with inextensible cables."""
    m, array = _array("solar_array", "Satellite that unfolds a solar array")
    m.constrain("cables", _slack(array.panels))
    _outputs(m, array)
    return m


def solar_array_elastic() -> mbs.Model:
    """Return the satellite with elastic cables."""
    m, array = _array("solar_array_elastic", "Satellite that unfolds a solar array with elastic cables")
    yoke, inner, outer = array.panels
    one, two = mbs.rate(inner) + 2.0 * mbs.rate(yoke), mbs.rate(outer) + mbs.rate(inner)
    first, second = (
        -ELASTIC * slack - ELASTIC_DAMPING * rate for slack, rate in zip(_slack(array.panels), (one, two), strict=True)
    )
    for panel, torque in zip(array.panels, (2.0 * first, first + second, second), strict=True):
        m.motor(f"{panel.name}_cables", on=panel, torque=torque)
    _outputs(m, array)
    return m


def flexible_solar_array() -> mbs.Model:
    """Return the satellite with plates and inextensible cables, which turns about the axis of the hinges only."""
    m, array = _array("flexible_solar_array", "Satellite that unfolds a solar array of plates", _plate, PLATE_TURNING)
    m.constrain("cables", _slack(array.panels))
    _outputs(m, array)
    return m


def steered_solar_array() -> mbs.Model:
    """Return the satellite with reaction wheels on the hub; their torque, in world axes, is an input."""
    m, array = _array("steered_solar_array", "Satellite that unfolds a solar array, with reaction wheels")
    _steer(m, array, _torque(m))
    return m


def steered_flexible_array() -> mbs.Model:
    """Return the satellite with plates and reaction wheels, as `steered_solar_array`."""
    m, array = _array("steered_flexible_array", "Satellite that unfolds plates, with reaction wheels", _plate)
    _steer(m, array, _torque(m))
    return m


def attitude_controller() -> mbs.Model:
    """Return a digital controller, which reads attitude and angular velocity of the hub and updates the torque of the
    reaction wheels ten times per second."""
    m = mbs.Model("attitude_controller", description="Digital attitude controller of a satellite")
    q = [m.input(f"q{k}", start=float(k == 0), description="number of the hub's quaternion") for k in range(4)]
    turning = [m.input(f"w_{axis}", unit="rad/s", description="the hub's angular velocity") for axis in "xyz"]
    for axis, torque in zip("xyz", _controller(m, q, turning), strict=True):
        m.output(f"torque_{axis}", torque, unit="N.m", description="of the wheels on the hub, world axes")
    return m


def controlled_solar_array() -> mbs.Model:
    """Return the satellite with its controller, whose torque acts one sample late, as it does if both are FMUs that
    exchange values once per period."""
    m, array = _array("controlled_solar_array", "Satellite that unfolds a solar array, with its attitude controller")
    _steer(m, array, _late(m))
    return m


def controlled_flexible_array() -> mbs.Model:
    """Return the satellite with plates and its controller, as `controlled_solar_array`."""
    m, array = _array("controlled_flexible_array", "Satellite that unfolds plates, with its controller", _plate)
    _steer(m, array, _late(m))
    return m


def _torque(m: mbs.Model) -> list[mbs.Expression]:
    """Return the inputs of the wheels."""
    return [m.input(f"torque_{axis}", unit="N.m", start=0.0, description="of the wheels on the hub") for axis in "xyz"]


def _late(m: mbs.Model) -> list[mbs.Expression]:
    """Return the controller's torque one sample late."""
    torque = _controller(m, mbs.orientation("hub"), mbs.angular_velocity("hub"))
    late = m.sampled("late", PERIOD, torque, start=(0.0, 0.0, 0.0), unit="N.m", description="torque that acts")
    return list(late)


def _controller(m: mbs.Model, q: Sequence[mbs.Expression], turning: Sequence[mbs.Expression]) -> list[mbs.Expression]:
    """Return the sampled torque towards zero attitude: proportional to the vector part of the quaternion, the sine of
    half the angle, and to the angular velocity."""
    side = mbs.where(q[0] >= 0.0, 1.0, -1.0)  # q and -q are the same attitude
    wanted = [mbs.clip(-GAIN * side * x - RATE_GAIN * w, -MOST, MOST) for x, w in zip(q[1:], turning, strict=True)]
    torque = m.sampled("command", PERIOD, wanted, start=(0.0, 0.0, 0.0), unit="N.m", description="torque of the wheels")
    return list(torque)


def _steer(m: mbs.Model, array: Array, torque: Sequence[mbs.Expression]) -> None:
    """Cables, wheels and outputs."""
    m.constrain("cables", _slack(array.panels))
    m.force("wheels", on="hub", torque=torque)
    _outputs(m, array)


def _slack(panels: list[mbs.Body]) -> list[mbs.Expression]:
    """Return the combinations of angles that the cables keep at zero, rad."""
    yoke, inner, outer = (mbs.coordinate(panel) for panel in panels)
    return [inner + 2.0 * yoke - math.pi, outer + inner]


class Place(NamedTuple):
    """Where the next body, or nothing more, is attached."""

    body: mbs.Body
    at: Any


class Array(NamedTuple):
    """The bodies of the array and its end."""

    panels: list[mbs.Body]
    end: Place


def _rigid(m: mbs.Model, part: str, at: Place) -> Place:
    """Add a rigid body of the array; return its far edge."""
    across, along = MASS * WIDTH**2 / 12, MASS * LENGTH**2 / 12
    inertia = (across + along, across, along)
    panel = m.body(part, at.body, mbs.Revolute("y"), mass=MASS, com=(0, 0, WIDTH / 2), inertia=inertia, at=at.at)
    return Place(panel, (0, 0, WIDTH))


def _plate(m: mbs.Model, part: str, at: Place) -> Place:
    """Add a plate, whose x is the z of a rigid body; return its far edge."""
    first = at.at == HINGE
    place = mbs.Pose(at.at, mbs.rpy(0, -math.pi / 2, 0)) if first else at.at
    half = WIDTH / 2
    panel = m.body(
        part, at.body, mbs.Revolute("y"), at=place, elastic=plate(), root="root", damping=PLATE_DAMPING,
        shape=mbs.Box(half, LENGTH, THICKNESS, at=(half / 2, 0, 0), color="steelblue"),
    )  # fmt: skip
    tip = panel.node("tip")
    m.shape(tip, mbs.Box(half, LENGTH, THICKNESS, at=(-half / 2, 0, 0), color="steelblue"))
    return Place(tip, (0, 0, 0))


@functools.cache
def plate() -> mbs.Modes:
    """Return the data of yoke and panels: a plate with rigid edges at its hinges."""
    density = MASS / (WIDTH * LENGTH * THICKNESS)
    modes = mbs.plate(WIDTH, LENGTH, THICKNESS, E, NU, density, elements=ELEMENTS, modes=MODES)
    return modes.keep(count=KEPT, held="root")


def _array(
    name: str, description: str, add: Callable[..., Place] = _rigid, turning: tuple[float, float, float] = TURNING
) -> tuple[mbs.Model, Array]:
    """Return the model without cables, and the array; `add` adds one of its bodies."""
    m = mbs.Model(name, description=description, gravity=(0, 0, 0))
    hub = m.body("hub", joint=mbs.Free(), mass=HUB, com=HUB_COM, inertia=HUB_INERTIA)
    m.start(hub, u=(0, 0, 0, *turning))
    end, panels = Place(hub, HINGE), []
    for k, part in enumerate(NAMES):
        end = add(m, part, end)
        panel = m.bodies[part]
        m.spring(f"{part}_motor", on=panel, stiffness=STIFFNESS[k], damping=DAMPING, length=REST[k])
        left = mbs.coordinate(panel) - UNFOLDED[k]
        m.lock(f"{part}_latch", on=panel, when=left >= 0.0 if FOLDED[k] < UNFOLDED[k] else left <= 0.0)
        m.start(panel, q=FOLDED[k])
        panels.append(panel)
    return m, Array(panels, end)


def _outputs(m: mbs.Model, array: Array) -> None:
    """Add the outputs of the array."""
    angles = [mbs.coordinate(panel) for panel in array.panels]
    m.output("place", mbs.position("hub"), unit="m", description="the hub's origin")
    m.output("attitude", mbs.orientation("hub"), unit="1", description="quaternion of the hub")
    m.output("turning", mbs.angular_velocity("hub"), unit="rad/s", description="of the hub, world axes")
    m.output("angle", angles, unit="rad", description="of the hinges: yoke, inner and outer panel")
    m.output("speed", [mbs.rate(panel) for panel in array.panels], unit="rad/s", description="of the hinges")
    m.output("tip", mbs.position(*array.end), unit="m", description="end of the outer panel")
    m.output("momentum", mbs.momentum(), unit="N.s", description="of all")
    m.output("angular_momentum", mbs.angular_momentum(), unit="N.m.s", description="of all, about the world's origin")
    wound = sum((k * (q - rest) ** 2 / 2 for k, q, rest in zip(STIFFNESS, angles, REST, strict=True)), start=0.0)
    plates = [panel for panel in array.panels if panel.elastic]
    energy, meaning = ("energy", "of motion and of bending") if plates else ("kinetic_energy", "of all")
    m.output(energy, mbs.energy() - wound, unit="J", description=meaning)
    if plates:
        bend = [mbs.deformation(panel, "tip").d[2] for panel in plates]
        m.output("bend", bend, unit="m", description="deflection of each plate's far edge against its hinge")
    modes = [mbs.constraint_mode(f"{part}_latch") for part in NAMES]
    m.output("latched", modes, description="modes of the latches: 0 closed, -1 open")
