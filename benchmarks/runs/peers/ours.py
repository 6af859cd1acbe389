"""mbs_fmu."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs

from ..data import FREE, PRISMATIC, UNIVERSAL, Link, Setting, System, ladder

BRISTLES, CREEP, BEAMS = "bristles", "creep", "beams with modes"
FINE = 1e-6  #: tolerance of the strip that others are compared with


def version() -> str:
    return str(mbs.__version__)


def settings(system: System) -> list[Setting]:
    if system.rod:
        return [
            Setting(f"{method}, {modes} modes", rtol, {"method": method, "value": rtol}, {"modes": modes}, BEAMS, last)
            for method, modes, rtol, last in (
                ("dopri5", 2, 1e-4, False), ("dopri5", 3, 1e-4, False), ("dopri5", 4, 1e-5, False),
                ("ros34pw2", 2, 1e-3, False), ("ros34pw2", 4, 1e-3, False), ("rk4", 2, 2e-4, False),
                ("dopri5", 8, 1e-8, True),
            )
        ]  # fmt: skip
    if system.strip:
        return [
            Setting(
                f"{method}, {modes} modes a body, {rtol:g}", 1.0 / bodies, {"method": method, "value": rtol},
                {"bodies": bodies, "modes": modes}, BEAMS, rtol == FINE,
            )
            for method, modes, rtol, numbers in (
                ("dopri5", 2, 1e-4, (2, 4, 8)), ("dopri5", 3, 1e-4, (1, 2, 4)), ("ros34pw2", 3, 1e-3, (2, 4)),
                ("dopri5", 3, FINE, (8,)),
            )
            for bodies in numbers
        ]  # fmt: skip
    coarse = (1e-3, 1e-5, 1e-7, 1e-9, 1e-11)
    if system.ground:
        found = [
            *ladder("dopri5, bristles", coarse, BRISTLES, method="dopri5", reference=True),
            *ladder("rodas5p, bristles", coarse[:3], BRISTLES, method="rodas5p"),
            *ladder("rk4, bristles", (2e-3, 1e-3, 5e-4, 2e-4, 1e-4), BRISTLES, method="rk4"),
            *ladder("rodas5p, creep", coarse[:4], CREEP, method="rodas5p", reference=True),
            *ladder("dopri5, creep", coarse[:4], CREEP, method="dopri5"),
        ]
        for setting in found:
            setting.build["creep"] = system.ground.creep if setting.law == CREEP else None
        return found
    if system.stiff:
        return ladder("rodas5p", (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9), method="rodas5p", reference=True)
    return [
        *ladder("dopri5", coarse, method="dopri5"),
        *ladder("dop853", (*coarse, 1e-13), method="dop853", reference=True),
        *ladder("rk4", (1e-2, 3e-3, 1e-3), method="rk4"),
        *ladder("rodas5p", coarse[:2], method="rodas5p"),
    ]


def build(system: System, setting: Setting) -> Run:
    make = _strip if system.strip else _with_rod if system.rod else _model
    return Run(system, make(system, **setting.build))


def _strip(system: System, bodies: int, modes: int) -> mbs.Model:
    """A chain of elastic beams on hinges without play."""
    s = system.strip
    assert s is not None
    section = mbs.Rectangle(s.width, s.height)
    piece = mbs.beam(s.length / bodies, section, E=s.modulus, density=s.density, modes=modes, along="z")
    m = mbs.Model(system.name, gravity=system.gravity)
    last = m.chain("strip", "world", piece, bodies, mbs.Revolute("y"), damping=0.0)[-1]
    m.output("m0", mbs.position(last.node("tip")))
    m.output("energy", mbs.energy())
    return m


def _with_rod(system: System, modes: int) -> mbs.Model:
    """The rigid links, and the rod on the first of its two, at an angle that the closure of the loop finds."""
    r = system.rod
    assert r is not None
    section = mbs.Rectangle(r.width, r.height)
    beam = mbs.beam(r.length, section, E=r.modulus, density=r.density, modes=modes, along="z")
    m = _model(system)
    rod = m.body("rod", f"b{r.a}", mbs.Revolute(system.normal), at=r.at_a, elastic=beam, damping=0.0)
    m.start(rod, q=1.0, guess=True)
    m.close("pin", rod.node("tip"), f"b{r.b}", mbs.OnLine(system.normal), at_b=r.at_b)
    return m


def _model(system: System, creep: float | None = None) -> mbs.Model:
    """The model of rigid links."""
    m = mbs.Model(system.name, gravity=system.gravity)
    for i, link in enumerate(system.links):
        m.body(
            f"b{i}", f"b{link.parent}" if link.parent >= 0 else "world", _joint(link), mass=link.mass, com=link.com,
            inertia=np.array(link.inertia), at=mbs.Pose(link.position, np.array(link.rotation)), physical=False,
        )  # fmt: skip
        q = (*link.q, 1.0, 0.0, 0.0, 0.0) if link.joint == FREE else link.q
        m.start(f"b{i}", q=q if len(q) > 1 else q[0], u=link.u if len(link.u) > 1 else link.u[0])
    closure = mbs.OnLine(system.normal) if system.normal else mbs.Spherical()
    for k, c in enumerate(system.closures):
        m.close(f"loop{k}", f"b{c.a}", f"b{c.b}", closure, at_a=c.at_a, at_b=c.at_b)
    for k, s in enumerate(system.joint_springs):
        name = f"b{s.link}"
        m.motor(f"spring{k}", name, torque=s.k * (s.rest - mbs.coordinate(name)) - s.d * mbs.rate(name))
    for k, p in enumerate(system.point_springs):
        m.spring(f"line{k}", f"b{p.link}", "world", at_a=p.point, at_b=p.anchor, stiffness=p.k, length=p.length)
    for k, t in enumerate(system.torques):
        swing = mbs.cos(2.0 * np.pi * t.frequency * mbs.time + t.phase) if t.frequency else np.cos(t.phase)
        m.motor(f"torque{k}", on=f"b{t.link}", torque=t.value * swing)
    if system.ground:
        g = system.ground
        shapes: dict[str, list[mbs.Sphere]] = {}
        for ball in system.spheres:
            shapes.setdefault(f"b{ball.link}", []).append(mbs.Sphere(ball.radius, at=ball.centre))
        m.ground("floor", shapes, stiffness=g.k, dissipation=g.dissipation, friction=g.friction, creep=creep)
    for k, (i, point) in enumerate(system.markers):
        m.output(f"m{k}", mbs.position(f"b{i}", point), unit="m")
    m.output("energy", mbs.energy(), unit="J")
    return m


def _joint(link: Link) -> mbs.Joint:
    if link.joint == FREE:
        return mbs.Free()
    if link.joint == PRISMATIC:
        return mbs.Prismatic(link.axis)
    return mbs.Universal("xy") if link.joint == UNIVERSAL else mbs.Revolute(link.axis)


class Run:
    def __init__(self, system: System, model: mbs.Model) -> None:
        self.system, self.model = system, model

    def run(self, setting: Setting, stop: float) -> tuple[list[float], str]:
        method, value = setting.options["method"], setting.options["value"]
        tolerances = {"step": value * self.system.scale} if method == "rk4" else {"rtol": value, "atol": value / 100}
        self.result = r = mbs.simulate(
            self.model, stop, method=method, output_interval=stop, progress=False, **tolerances
        )
        places = np.concatenate([r[f"m{k}"][-1] for k in range(len(self.system.markers))])
        return places.tolist(), f"{r.statistics['steps']} steps"

    def energy(self) -> float:
        """Mechanical energy and that of the springs of joints, which motors are to the package."""
        r = mbs.simulate(self.model, 1e-6, method="rk4", step=1e-6, output_interval=1e-6, progress=False)
        return float(r["energy"][0]) + self.system.spring_energy()
