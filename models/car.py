"""A car on four Magic Formula tyres: double wishbones, steering rack, anti-roll bars, 16 closed conditions.

The axes of the chassis are x forward, y to the left, z upward; the origin is the centre of mass of the chassis. Each
corner has a lower and an upper wishbone about axes along x, an upright between their ball joints, and a tie rod, in
front to the rack, at the rear to the chassis. The driver turns the steering wheel, a servo moves the rack. Motors in
the hubs of the rear wheels drive and brake. The tyres are of the size 205/60 R15, with coefficients of the Magic
Formula 6.1 after H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. 2012, appendix 3.

`car` drives on a plane. `car_on_blocks` follows a curved road of stone blocks by itself; its tyres sense the blocks by
two cams.
"""

from typing import Any

import numpy as np

import mbs_fmu as mbs

G = 9.81  #: m/s²
FRONT, REAR, TRACK, HEIGHT = 1.2, -1.5, 1.5, 0.55  #: m: axles before the origin, track, origin above the road
CHASSIS, CHASSIS_INERTIA = 1340.0, (480.0, 1900.0, 2100.0)  #: kg, kg m²
LOWER, UPPER, ARM_INERTIA = 4.0, 3.0, (0.03, 0.01, 0.03)  #: kg, kg, kg m²: wishbones
UPRIGHT, UPRIGHT_INERTIA = 18.0, (0.3, 0.3, 0.3)  #: kg, kg m²
WHEEL, WHEEL_INERTIA = 16.0, (0.5, 1.0, 0.5)  #: kg, kg m²
RACK = 3.0  #: kg
INNER, BALL = 0.35, 0.68  #: m from the middle: axes of the wishbones, ball joints
BELOW, ABOVE = 0.12, 0.15  #: m: lower and upper ball joint from the height of the wheel's centre
TIE_X, TIE_Y, TIE = -0.12, 0.66, 0.31  #: m: tie rods from the wheel's centre, their outer ends from the middle, length
SPRING, DAMPER, SPRING_Y, SPRING_TOP = 45e3, 3500.0, 0.60, 0.28  #: N/m, N s/m, m from the middle, m above the centre
BAR = {"front": 1.5e4, "rear": 0.8e4}  #: N m/rad: anti-roll bars, by the angles of the lower wishbones
RATIO = -0.008  #: m/rad: way of the rack, behind the axle, by the angle of the steering wheel
SERVO, SERVO_DAMPING = 4e5, 9e3  #: N/m, N s/m
SPEED = 22.0  #: m/s, at the start
TYRE = {
    "FITTYP": 61, "LONGVL": 16.7, "VXLOW": 2.0, "FNOMIN": 4000.0, "UNLOADED_RADIUS": 0.313,
    "VERTICAL_STIFFNESS": 209651.0, "VERTICAL_DAMPING": 500.0, "BREFF": 8.386, "DREFF": 0.25826, "FREFF": 0.07394,
    "LONGITUDINAL_STIFFNESS": 358066.0, "LATERAL_STIFFNESS": 102673.0,
    "PCX1": 1.579, "PDX1": 1.0422, "PDX2": -0.08285, "PEX1": 0.11113, "PEX2": 0.3143, "PKX1": 21.687, "PKX2": 13.728,
    "PKX3": -0.4098, "PHX1": 2.1615e-4, "PHX2": 0.0011598, "PVX1": 2.0283e-5, "PVX2": 1.0568e-4,
    "RBX1": 13.046, "RBX2": 9.718, "RCX1": 0.9995, "REX1": -0.4403, "REX2": -0.4663, "RHX1": -9.968e-5,
    "QSX1": -0.007764, "QSX2": 1.1915, "QSX3": 0.013948,
    "PCY1": 1.338, "PDY1": 0.8785, "PDY2": -0.06452, "PEY1": -0.8057, "PEY2": -0.6046, "PEY3": 0.09854,
    "PEY4": -6.697, "PKY1": -15.324, "PKY2": 1.715, "PKY3": 0.3695, "PKY4": 2.0005, "PKY6": -0.8987, "PKY7": -0.23303,
    "PHY1": -0.001806, "PHY2": 0.00352, "PVY1": -0.00661, "PVY2": 0.03592, "PVY3": -0.162, "PVY4": -0.4864,
    "RBY1": 10.622, "RBY2": 7.82, "RBY3": 0.002037, "RCY1": 1.0587, "REY1": 0.3148, "REY2": 0.004867,
    "RHY1": 0.009472, "RHY2": 0.009754, "RVY1": 0.05187, "RVY2": 4.853e-4, "RVY4": 94.63, "RVY5": 1.8914, "RVY6": 23.8,
    "QSY1": 0.00702, "QSY3": 0.001515, "QSY4": 8.514e-5, "QSY7": 0.9008,
    "QBZ1": 12.035, "QBZ2": -1.33, "QBZ5": -0.14853, "QBZ9": 34.5, "QCZ1": 1.2923, "QDZ1": 0.09068,
    "QDZ2": -0.00565, "QDZ3": 0.3778, "QDZ6": 0.0017015, "QDZ7": -0.002091, "QDZ8": -0.1428, "QDZ9": 0.00915,
    "QEZ1": -1.7924, "QEZ2": 0.8975, "QEZ4": 0.2895, "QEZ5": -0.6786, "QHZ1": 0.0014333, "QHZ2": 0.0024087,
    "QHZ3": 0.24973, "QHZ4": -0.21205,
    "WIDTH": 0.205, "ELLIPS_SHIFT": 0.8335, "ELLIPS_LENGTH": 1.471, "ELLIPS_HEIGHT": 0.9622, "ELLIPS_ORDER": 1.5174,
    "Q_RA1": 0.671, "Q_RA2": 0.733, "Q_RB1": 1.059, "Q_RB2": -1.1878,
}  # fmt: skip
AXLES = {"front": FRONT, "rear": REAR}
SIDES = {"left": 1.0, "right": -1.0}
SLOW = 10.0  #: m/s, on blocks
AWAY, TURNED, HOLD = -6.0, -20.0, 2000.0  #: rad/m, rad/rad, N.m per m/s: the driver on blocks
BLOCK, GAP, UNEVEN = (0.2, 0.12), 0.012, 0.004  #: m: length and width of blocks, depth of joints, rms of their heights
BEND, LENGTH, WIDE = 40.0, 45.0, 2.88  #: m: radius, length and width of the road
GRID = (0.025, 0.06)  #: m: distances of its lines along and across


def load(axle: str) -> float:
    """Return the static load of one wheel of an axle, N."""
    corner = LOWER + UPPER + UPRIGHT + WHEEL
    lever = (-REAR if axle == "front" else FRONT) / (FRONT - REAR)
    return 0.5 * G * ((CHASSIS + RACK) * lever + 2.0 * corner)


def center_height(tyre: mbs.Tyre, axle: str) -> float:
    """Return the height of the wheels' centres in the axes of the chassis, m."""
    return float(tyre.loaded_radius(load(axle))) - HEIGHT


def corner(m: mbs.Model, tyre: mbs.Tyre, axle: str, side: str, speed: float, contact: dict[str, Any]) -> None:
    """Add wishbones, upright, tie rod, spring, wheel and tyre of one corner.

    speed: at the start, m/s. contact: further arguments of `Model.tyre`.
    """
    x, y, z, name = AXLES[axle], SIDES[side], center_height(tyre, axle), f"{axle}_{side}"
    reach = (0.0, (BALL - INNER) * y, 0.0)
    half = tuple(0.5 * c for c in reach)
    for level, mass, height in (("lower", LOWER, z - BELOW), ("upper", UPPER, z + ABOVE)):
        m.body(
            f"{level}_{name}", "chassis", mbs.Revolute("x"), mass=mass, com=half, inertia=ARM_INERTIA,
            at=(x, INNER * y, height), shape=[mbs.Line([(dx, 0, 0), reach], 0.02) for dx in (-0.15, 0.15)],
        )  # fmt: skip
    ball = (0.0, 0.0, BELOW + ABOVE)
    arm = (TIE_X, (TIE_Y - BALL) * y, BELOW)
    m.body(
        f"upright_{name}", f"lower_{name}", mbs.Spherical(), mass=UPRIGHT, com=(0, 0, BELOW), inertia=UPRIGHT_INERTIA,
        at=reach, shape=[mbs.Line([(0, 0, 0), ball], 0.025), mbs.Line([(0, 0, BELOW), arm], 0.02)],
    )  # fmt: skip
    m.close(f"ball_{name}", f"upper_{name}", f"upright_{name}", mbs.Spherical(), at_a=reach, at_b=ball)
    inner = (TIE_Y - TIE) * y
    base, place = ("rack", (0.0, inner, 0.0)) if axle == "front" else ("chassis", (x + TIE_X, inner, z))
    m.close(f"tie_{name}", base, f"upright_{name}", mbs.Distance(TIE), at_a=place, at_b=arm)
    m.body(
        f"wheel_{name}", f"upright_{name}", mbs.Revolute("y"), mass=WHEEL, inertia=WHEEL_INERTIA,
        at=(0, (TRACK / 2 - BALL) * y, BELOW),
        shape=[mbs.Ring(tyre.radius - 0.06, 0.06, "y", color="dimgray"), mbs.Cylinder(0.19, 0.16, "y")],
    )  # fmt: skip
    lever = (SPRING_Y - INNER) / (BALL - INNER)  # the way of the spring over that of the wheel
    force = (load(axle) - (LOWER + UPPER + UPRIGHT + WHEEL) * G) / lever
    m.spring(
        f"spring_{name}", "chassis", f"lower_{name}", at_a=(x, SPRING_Y * y, z + SPRING_TOP),
        at_b=(0, (SPRING_Y - INNER) * y, 0), stiffness=SPRING, damping=DAMPER,
        length=SPRING_TOP + BELOW + force / SPRING,
    )  # fmt: skip
    m.tyre(f"tyre_{name}", f"wheel_{name}", tyre, side=side, **contact)
    m.start(f"wheel_{name}", u=speed / tyre.effective_radius(load(axle)))


def car() -> mbs.Model:
    """Return the car at 22 m/s, straight ahead, a moment before its springs settle.

    Inputs: angle of the steering wheel (rad, positive to the left), torque of the rear wheels together (N.m).
    """
    m = mbs.Model("car", gravity=(0, 0, -G), description="Car with double wishbones on Magic Formula tyres")
    steering = m.input("steering", unit="rad", description="angle of the steering wheel, positive to the left")
    torque = m.input("torque", unit="N.m", description="of the rear wheels together; negative: braking")
    grip = m.parameter("grip", 1.0, description="factor of the friction of all tyres", min=0.05)
    add_car(m, steering, torque, SPEED, grip=grip)
    return m


def car_on_blocks() -> mbs.Model:
    """Return the car at 10 m/s on a road of stone blocks that bends to the left; its driver follows the road."""
    m = mbs.Model("car_on_blocks", gravity=(0, 0, -G), description="Car with double wishbones on a road of blocks")
    place = mbs.along("tyre_front_left")
    steering = AWAY * (place.v - TRACK / 2) + TURNED * place.heading
    speed = mbs.velocity("chassis").dot(mbs.position("chassis", (1, 0, 0)) - mbs.position("chassis"))
    add_car(m, steering, HOLD * (SLOW - speed), SLOW, road=blocks(), envelope=True)
    m.output("place", place)
    m.output("acceleration", mbs.acceleration("chassis"), unit="m/s2")
    return m


def blocks() -> mbs.CurvedGrid:
    """Return a road of blocks in rows, each half a block further than the one beside it, after seven even metres."""
    u, v = (np.arange(a, b + step / 2, step) for a, b, step in ((-5, LENGTH, GRID[0]), (-WIDE / 2, WIDE / 2, GRID[1])))
    row = np.floor(v / BLOCK[1] + 0.5)
    along = u[:, None] / BLOCK[0] + 0.5 * (row % 2.0)
    sides = 2.0 * (along % 1.0) - 1.0, 2.0 * ((v / BLOCK[1] + 0.5) % 1.0) - 1.0
    random = np.random.Generator(np.random.PCG64(1)).normal(size=(500, 100))
    own = UNEVEN * random[np.floor(along).astype(int) % 500, (row % 100).astype(int)]
    height = own - GAP * (sides[0] ** 8 + sides[1] ** 8)
    even = np.clip((u - 2.0) / 2.0, 0.0, 1.0)[:, None]
    heading = np.clip(u - 15.0, 0.0, None) / BEND
    x, y = (GRID[0] * np.append(0.0, np.cumsum(f(heading[1:]))) for f in (np.cos, np.sin))
    return mbs.CurvedGrid(u, v, even * height, x + u[0], y)


def add_car(m: mbs.Model, steering: mbs.Expression, torque: mbs.Expression, speed: float, **contact: Any) -> None:
    """Add a car at a speed, m/s. torque: of the rear wheels together, N.m. contact: further arguments of `Model.tyre`.

    steering: angle of the steering wheel, rad, positive to the left.
    """
    tyre = mbs.Tyre(TYRE)
    body = m.body(
        "chassis", joint=mbs.Free(), mass=CHASSIS, inertia=CHASSIS_INERTIA,
        shape=[mbs.Box(4.2, 0.66, 0.25, at=(-0.15, 0, 0.0), color="steelblue"),
               mbs.Box(1.8, 0.66, 0.5, at=(-0.4, 0, 0.35))],
    )  # fmt: skip
    ends = [(0, s * (TIE_Y - TIE), 0) for s in (-1, 1)]
    m.body(
        "rack", body, mbs.Prismatic("y"), mass=RACK, inertia=(0.1, 0.01, 0.1),
        at=(FRONT + TIE_X, 0, center_height(tyre, "front")), shape=mbs.Line(ends, 0.02),
    )  # fmt: skip
    servo = SERVO * (RATIO * steering - mbs.coordinate("rack")) - SERVO_DAMPING * mbs.rate("rack")
    m.motor("servo", on="rack", force=servo)
    for axle in AXLES:
        for side in SIDES:
            corner(m, tyre, axle, side, speed, contact)
        twist = mbs.coordinate(f"lower_{axle}_left") + mbs.coordinate(f"lower_{axle}_right")
        for side in SIDES:
            m.motor(f"bar_{axle}_{side}", on=f"lower_{axle}_{side}", torque=-BAR[axle] * twist)
    for side in SIDES:
        m.motor(f"hub_{side}", on=f"wheel_rear_{side}", torque=0.5 * torque)
    m.start(body, q=(0, 0, HEIGHT, 1, 0, 0, 0), u=(speed, 0, 0, 0, 0, 0))
    add_outputs(m)


def add_outputs(m: mbs.Model) -> None:
    """Add the outputs that drivers and diagrams use."""
    forward = mbs.position("chassis", (1, 0, 0)) - mbs.position("chassis")
    left = mbs.position("chassis", (0, 1, 0)) - mbs.position("chassis")
    m.output("position", mbs.position("chassis"), unit="m")
    m.output("yaw", mbs.atan2(forward[1], forward[0]), unit="rad")
    m.output("roll", mbs.asin(left[2]), unit="rad")
    m.output("yaw_rate", mbs.angular_velocity("chassis")[2], unit="rad/s")
    m.output("speed", mbs.velocity("chassis").dot(forward), unit="m/s")
    m.output("rack", mbs.coordinate("rack"), unit="m")
    wheels = [mbs.wheel(f"tyre_{axle}_{side}") for axle in AXLES for side in SIDES]
    m.output("load", [wheel.fz for wheel in wheels], unit="N")
    m.output("side_force", [wheel.fy for wheel in wheels], unit="N")
    m.output("slip_angle", [wheel.alpha for wheel in wheels], unit="rad")
