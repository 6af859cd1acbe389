"""An excavator: boom, stick and bucket, each moved by a hydraulic cylinder.

The cylinders close three loops. The mechanism moves in the x-z plane; hinges are about -y: positive angles raise.
"""

from __future__ import annotations

import mbs_fmu as mbs

HINGE = mbs.Revolute("-y")
LENGTH = 1.6  #: m, a guess of the cylinders' lengths at the start
#: For each cylinder: the body with its housing, the housing's place there, the moved body, the rod's pin there.
CYLINDERS = {
    "boom": ("world", (0.9, 0.0, 1.1), "boom", (2.4, 0.0, 0.7)),
    "stick": ("boom", (2.6, 0.0, 1.1), "stick", (-0.7, 0.0, 0.3)),
    "bucket": ("stick", (0.3, 0.0, 0.5), "bucket", (0.1, 0.0, 0.45)),
}
FORCES = [f"F_{name}" for name in CYLINDERS]  #: inputs


def excavator() -> mbs.Model:
    """Model with the cylinders' forces as inputs, and reactions in the rods' pins as outputs."""
    m = mbs.Model("excavator", description="Boom, stick, bucket and three hydraulic cylinders")
    load = m.parameter("bucket_mass", 600.0, unit="kg", description="mass of the filled bucket", min=1e-6)
    boom = m.body(
        "boom", joint=HINGE, mass=1500.0, com=(2.5, 0, 0.4), inertia=(200, 3500, 3500), at=(0.2, 0, 1.5),
    )  # fmt: skip
    stick = m.body("stick", boom, HINGE, mass=800.0, com=(1.0, 0, 0.1), inertia=(60, 600, 600), at=(5.2, 0, 0))
    bucket = m.body("bucket", stick, HINGE, mass=load, com=(0.6, 0, 0.1), inertia=(80, 120, 100), at=(2.8, 0, 0))
    for name in CYLINDERS:
        _cylinder(m, name)
    m.start(boom, q="30 deg")
    m.start(stick, q="-100 deg")
    m.start(bucket, q="-40 deg")
    m.output("tip", mbs.position(bucket, (1.2, 0, 0)), unit="m", description="tip of the bucket")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m


def _cylinder(m: mbs.Model, name: str) -> None:
    """Housing and rod of a cylinder, pinned to the moved body."""
    base, foot, moved, pin = CYLINDERS[name]
    housing = m.body(
        f"{name}_cylinder", base, HINGE, mass=60.0, com=(0.5, 0, 0), inertia=(1, 6, 6), at=foot,
    )  # fmt: skip
    rod = m.body(
        f"{name}_rod", housing, mbs.Prismatic("x"), mass=30.0, com=(-0.5, 0, 0), inertia=(0.1, 3, 3),
    )  # fmt: skip
    m.close(f"{name}_pin", rod, moved, mbs.Revolute("y"), at_b=pin)
    push = m.input(f"F_{name}", unit="N", start=0.0, description="force that lengthens the cylinder")
    m.motor(f"{name}_push", on=rod, force=push)
    m.output(f"{name}_pin", mbs.reaction(f"{name}_pin"))
    m.output(f"{name}_length", mbs.coordinate(rod), unit="m", description="length of the cylinder")
    m.output(f"{name}_speed", mbs.rate(rod), unit="m/s", description="its rate")
    m.start(rod, q=LENGTH, guess=True)
