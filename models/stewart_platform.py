"""A Stewart platform: a plate on six legs with variable length.

Each leg is a tube on a universal joint at the ground and a rod that slides in the tube; a ball joint connects the rod's
end to the plate. The plate is a free body, so its position and attitude are coordinates of the model, and the six ball
joints close the loops. The model states start values of the plate; assembly computes those of the legs.
"""

import math

import mbs_fmu as mbs

BASE_RADIUS, TOP_RADIUS, HEIGHT = 1.2, 0.7, 1.0  #: m
PAIRING = 0.3  #: rad, by which the joints of a pair are moved together (plate) or apart (ground)


def stewart_platform() -> mbs.Model:
    """Return the platform, with a spring and a damper in each leg; inputs leg1 ... leg6 are forces along the legs."""
    m = mbs.Model("stewart_platform", description="Stewart platform: a plate on six driven legs")
    c = m.parameter("c", 1e4, unit="N/m", description="stiffness of each leg", min=0.0)
    d = m.parameter("d", 200.0, unit="N.s/m", description="damping of each leg", min=0.0)
    rest = m.parameter("rest", 1.25, unit="m", description="length of the legs without load", min=0.0)
    plate_mass = m.parameter("plate_mass", 5.0, unit="kg", description="mass of the plate", min=1e-6)
    plate = m.body("plate", joint=mbs.Free(), mass=plate_mass, inertia=(0.6, 0.6, 1.2))
    rods = []
    for k in range(6):
        force = m.input(f"leg{k + 1}", unit="N", description=f"force that lengthens leg {k + 1}")
        rod = _leg(m, k, plate)
        m.motor(f"drive{k + 1}", on=rod, force=force)
        m.spring(f"spring{k + 1}", on=rod, stiffness=c, damping=d, length=rest)
        rods.append(rod)
    m.output("length", [mbs.coordinate(rod) for rod in rods], unit="m", description="lengths of the legs")
    m.output("length_rate", [mbs.rate(rod) for rod in rods], unit="m/s", description="their rates")
    m.output("place", mbs.position(plate), unit="m", description="place of the plate's centre")
    m.output("attitude", mbs.orientation(plate), unit="1", description="attitude of the plate: quaternion, w first")
    m.output("velocity", mbs.velocity(plate), unit="m/s", description="velocity of the plate's centre")
    m.output("turning", mbs.angular_velocity(plate), unit="rad/s", description="angular velocity of the plate")
    m.output("force1", mbs.reaction("ball1").f, unit="N", description="force of leg 1 on the plate")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loops stand open")
    m.start(plate, q=(0, 0, HEIGHT, 1, 0, 0, 0), u=(0,) * 6)
    return m


def _leg(m: mbs.Model, k: int, plate: mbs.Body) -> mbs.Body:
    """Add leg k: tube, rod and closure with the plate; return the rod, whose coordinate is the length of the leg."""
    side = PAIRING if k % 2 == 0 else -PAIRING
    foot = _on_circle(BASE_RADIUS, k * math.pi / 3 + side)
    head = _on_circle(TOP_RADIUS, k * math.pi / 3 - side)
    tube = m.body(
        f"tube{k + 1}", joint=mbs.Universal("xy"),
        mass=2.0, com=(0, 0, 0.3), inertia=(0.06, 0.06, 0.002), at=foot,
    )  # fmt: skip
    rod = m.body(
        f"rod{k + 1}", tube, mbs.Prismatic("z"),
        mass=1.0, com=(0, 0, -0.3), inertia=(0.03, 0.03, 0.001),
    )  # fmt: skip
    m.close(f"ball{k + 1}", rod, plate, mbs.Spherical(), at_b=head)
    m.start(rod, q=HEIGHT, guess=True)
    return rod


def _on_circle(radius: float, angle: float) -> tuple[float, float, float]:
    return radius * math.cos(angle), radius * math.sin(angle), 0.0
