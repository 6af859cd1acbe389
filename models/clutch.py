"""An engine and a load with a friction clutch between them, which slips, locks and slips again.

The clutch closes in the first second, while the engine rotates fast and the load, a fan, is at rest. When both speeds
are equal, the clutch locks. The torque of the engine increases until it exceeds the capacity of the locked clutch,
which is larger than that of the slipping clutch. Angles are about x, relative to the world.
"""

import mbs_fmu as mbs

ENGINE, LOAD = 0.2, 0.6  #: kg m2, about the shaft
SPEED = 120.0  #: rad/s, of the engine at the start
TORQUE, RISE = 20.0, 15.0  #: N m at the start, N m/s
BEARING = 0.05  #: N m s/rad, of the engine
FAN, FAN_SPEED = 40.0, 100.0  #: N m, torque of the fan at this speed, rad/s
CAPACITY, STATIC = 60.0, 1.25  #: N m, fully closed and slipping; ratio of the capacity of the locked clutch to that
PRESSING, PRESSING_TIME = 0.4, 0.2  #: s, instant at which it is half closed; s, time scale of closing


def clutch() -> mbs.Model:
    """Return engine, clutch and fan; the input `press` is the force on the clutch relative to the full force."""
    m = mbs.Model("clutch", description="Engine and fan with a friction clutch between them", gravity=(0, 0, 0))
    press = m.input("press", unit="1", start=1.0, description="force on the clutch, of the full one", min=0.0)
    capacity = m.parameter("capacity", CAPACITY, unit="N.m", description="of the clutch, slipping", min=0.0)
    static = m.parameter("static", STATIC, unit="1", description="capacity at rest over that slipping", min=1.0)
    torque = m.parameter("torque", TORQUE, unit="N.m", description="of the engine at the start")
    rise = m.parameter("rise", RISE, unit="N.m/s", description="of the engine's torque")
    shafts = [
        m.body(name, joint=mbs.Revolute("x"), mass=mass, inertia=(inertia, inertia, inertia))
        for name, mass, inertia in (("engine", 20.0, ENGINE), ("load", 30.0, LOAD))
    ]
    engine, load = shafts
    for shaft, x in zip(shafts, (-1, 1), strict=True):
        m.shape(
            shaft,
            [
                mbs.Cylinder(0.14, 0.03, "x", at=(0.018 * x, 0, 0)),
                mbs.Cylinder(0.02, 0.3, "x", at=(0.17 * x, 0, 0)),
                mbs.Box(0.034, 0.02, 0.1, at=(0.018 * x, 0, 0.08), color="dimgray"),
            ],
        )
    m.shape(load, [mbs.Box(0.02, wide, high, at=(0.3, 0, 0)) for wide, high in ((0.5, 0.07), (0.07, 0.5))])
    m.shape("world", mbs.Box(0.25, 0.24, 0.24, at=(-0.38, 0, 0), color="dimgray"))
    m.motor("drive", on=engine, torque=torque + rise * mbs.time)
    m.spring("bearing", on=engine, damping=BEARING)
    speed = mbs.rate(load) / FAN_SPEED
    m.motor("fan", on=load, torque=-FAN * speed * abs(speed))
    grip = capacity * press * (1.0 + mbs.tanh((mbs.time - PRESSING) / PRESSING_TIME)) / 2
    m.friction("clutch", on=load, against=engine, torque=grip, static=static * grip, stick=True)
    m.start(engine, u=SPEED)
    m.output("angle", [mbs.coordinate(shaft) for shaft in shafts], unit="rad", description="engine and load")
    m.output("speed", [mbs.rate(shaft) for shaft in shafts], unit="rad/s", description="engine and load")
    bears = mbs.strength("clutch") + mbs.multiplier("clutch")
    m.output("torque_on_load", bears, unit="N.m", description="of the clutch, slipping or locked")
    slip = mbs.rate(engine) - mbs.rate(load)
    m.output("heating", mbs.strength("clutch") * slip, unit="W", description="power lost in the clutch")
    m.output(
        "mode",
        mbs.constraint_mode("clutch"),
        description="0 where it is locked, else the sign of its torque on the load",
    )
    m.output("energy", mbs.energy(), unit="J", description="kinetic energy")
    return m
