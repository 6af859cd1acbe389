"""A pendulum on a cart, the standard example of control courses.

A force moves the cart along x. A uniform rod is attached to the cart by a hinge about y; its angle is measured from the
upright position, towards +x. Values are those of a teaching rig: a cart of 1 kg, a rod of 0.6 m and 0.2 kg.
"""

import mbs_fmu as mbs

CART, ROD, LENGTH = 1.0, 0.2, 0.6  #: kg, kg, m
CART_FRICTION, HINGE_FRICTION = 0.5, 2e-3  #: N s/m, N m s/rad
START = 0.3  #: rad


def pendulum_on_cart() -> mbs.Model:
    """Return cart and rod; the input is the force on the cart. The rod starts near its upright position."""
    m = mbs.Model("pendulum_on_cart", description="Pendulum on a cart, pushed by a force")
    force = m.input("force", unit="N", description="on the cart, along x")
    cart_mass = m.parameter("cart_mass", CART, unit="kg", description="mass of the cart", min=1e-6)
    rod_mass = m.parameter("rod_mass", ROD, unit="kg", description="mass of the rod", min=1e-6)
    length = m.parameter("length", LENGTH, unit="m", description="length of the rod", min=1e-6)
    b = m.parameter("b", CART_FRICTION, unit="N.s/m", description="friction of the cart", min=0.0)
    c = m.parameter("c", HINGE_FRICTION, unit="N.m.s/rad", description="friction of the hinge", min=0.0)
    wheels = [mbs.Cylinder(0.035, 0.2, "y", at=(x, 0, -0.075), color="dimgray") for x in (-0.09, 0.09)]
    box = mbs.Box(0.28, 0.16, 0.07, at=(0, 0, -0.035))
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=cart_mass, shape=[box, *wheels])
    m.shape("world", [mbs.Box(1.6, 0.03, 0.02, at=(0, y, -0.12), color="lightgray") for y in (-0.085, 0.085)])
    inertia = rod_mass * length * length / 12
    rod = m.body(
        "rod", cart, mbs.Revolute("y"), mass=rod_mass, com=(0, 0, length / 2), inertia=(inertia, inertia, 0),
        shape=[mbs.Line([(0, 0, 0), (0, 0, length)], 0.01), mbs.Cylinder(0.016, 0.18, "y", color="dimgray")],
    )  # fmt: skip
    m.motor("push", on=cart, force=force)
    m.spring("cart_friction", on=cart, damping=b)
    m.spring("hinge_friction", on=rod, damping=c)
    m.output("position", mbs.coordinate(cart), unit="m", description="of the cart")
    m.output("speed", mbs.rate(cart), unit="m/s", description="of the cart")
    m.output("angle", mbs.coordinate(rod), unit="rad", description="of the rod from the upright position")
    m.output("angular_speed", mbs.rate(rod), unit="rad/s", description="of the rod")
    m.output("tip", mbs.position(rod, (0, 0, length)), unit="m", description="free end of the rod")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.start(rod, q=START)
    return m
