"""Elastic mechanisms for tests of FMUs and batches: a boom with a load, a slider crank with a rod, a plank."""

from __future__ import annotations

import numpy as np

import mbs_fmu as mbs

STEEL, DENSITY = 2.1e11, 7800.0  #: Young's modulus, Pa; kg/m³


def boom() -> mbs.Model:
    """A boom of five vibration modes on a hinge, a load that swings at its tip and a stay to its middle; no loop."""
    m = mbs.Model("boom", description="Elastic boom with a swinging load")
    torque = m.input("torque", unit="N.m", description="torque of the hinge")
    stiffness = m.parameter("stiffness", 1.0, description="part of the beam's stiffness", min=1e-3)
    damping = m.parameter("damping", 0.02, description="damping ratio of the modes", min=0.0)
    beam = mbs.beam(2.0, mbs.Rectangle(0.02, 0.01), STEEL, DENSITY, modes=10, nodes={"root": 0, "mid": 1, "tip": 2})
    arm = m.body(
        "arm", joint=mbs.Revolute("y"), elastic=beam.keep(count=5, held="root"), stiffness=stiffness, damping=damping
    )
    load = m.body(
        "load", arm.node("tip"), mbs.Universal("xy"), 1.0, (0, 0, -0.3), inertia=(0.02, 0.02, 0.01), at=(0, 0, -0.1)
    )
    m.spring("hinge", on=arm, stiffness=300.0, damping=2.0)
    m.spring("stay", "world", arm.node("mid"), at_a=(0, 0.5, 1.0), stiffness=400.0, damping=3.0, length=1.0)
    m.motor("drive", on=arm, torque=torque)
    m.start(arm, q=0.1, xi=(0.01, 0.005, 0, 0, 0), xi_dot=(0, 0.1, 0, 0, 0))
    m.start(load, q=(0.2, -0.1), u=(0.5, 0))
    m.output("sag", mbs.deformation(arm, "tip").d, unit="m", description="of the boom's tip")
    m.output("first", mbs.modal(arm, 1), unit="m", description="coordinate of the first mode")
    m.output("hook", mbs.position(load, (0, 0, -0.3)), unit="m", description="place of the load")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m


def slider_crank() -> mbs.Model:
    """A rigid crank, a rod with six vibration modes, and a slider pinned to its tip by a loop; skew gravity."""
    m = mbs.Model("slider_crank", gravity=(0, -3, -9), description="Slider crank with an elastic rod")
    torque = m.input("torque", unit="N.m", description="torque on the crank")
    stiffness = m.parameter("stiffness", 1.0, description="part of the rod's stiffness", min=1e-3)
    damping = m.parameter("damping", 0.02, description="damping ratio of the modes", min=0.0)
    beam = mbs.beam(1.0, mbs.Rectangle(0.01, 0.006), STEEL, DENSITY, 6, {"big": 0, "small": 1.0}, along="yz")
    crank = m.body("crank", joint=mbs.Revolute("y"), mass=2.0, com=(0.05, 0, 0), inertia=(0.01, 0.02, 0.02))
    rod = m.body(
        "rod", crank, mbs.Revolute("y"), at=(0.2, 0, 0), elastic=beam, root="big", stiffness=stiffness, damping=damping
    )
    slider = m.body("slider", joint=mbs.Prismatic("x"), mass=0.5)
    m.close("pin", rod.node("small"), slider, mbs.Spherical())
    m.motor("drive", on=crank, torque=torque)
    m.spring("drag", on=slider, damping=2.0)
    m.start(crank, q=0.4, u=8.0)
    m.start(rod, q=-0.5, guess=True)
    m.start(slider, q=1.1, guess=True)
    m.output("bend", mbs.deformation(rod, "small").d, unit="m", description="of the rod against the crank's pin")
    m.output("stroke", mbs.coordinate(slider), unit="m", description="place of the slider")
    m.output("bearing", mbs.reaction(rod).f, unit="N", description="force of the crank on the rod")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    m.output("residual", mbs.residual(), unit="m", description="how far the loop stands open")
    return m


def plank() -> mbs.Model:
    """A clamped plank of two modes in static equilibrium, with a weight on its tip and an input that acts there."""
    m = mbs.Model("plank", description="Clamped plank that starts in equilibrium")
    push = m.input("push", unit="N", description="on the tip, down")
    stiffness = m.parameter("stiffness", 1.0, description="part of the plank's stiffness", min=1e-3)
    weight = m.parameter("weight", 2.0, unit="kg", description="mass on the tip", min=0.0)
    beam = mbs.beam(1.0, mbs.Rectangle(0.04, 0.01), 7e10, 2700.0, modes=2, along="z")
    board = m.body("board", joint=mbs.Weld(), elastic=beam, stiffness=stiffness)
    m.body("load", board.node("tip"), mass=weight, com=(0.1, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.force("push", on=board.node("tip"), force=(0, 0, -push))
    m.start(board, xi="static")
    m.output("sag", -mbs.deformation(board, "tip").d[2], unit="m", description="of the tip, down")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m


def two_rods(free: bool = False, speeds: tuple[float, float] = (1.0, -2.0)) -> mbs.Model:
    """A double pendulum of two elastic rods on hinges, a weight at its end, and a torque at its first hinge.

    speeds: angular velocities of both rods, rad/s. free: in absolute coordinates, both rods free and both hinges
    closures, as Gorobtsov (2005) writes mechanisms.
    """
    m = mbs.Model("two_rods", description="Double pendulum of elastic rods")
    torque = m.input("torque", unit="N.m", description="torque of the first hinge")
    stiffness = m.parameter("stiffness", 1.0, description="part of the first rod's stiffness", min=1e-3)
    beam = mbs.beam(1.0, mbs.Rectangle(0.03, 0.01), STEEL, DENSITY, 4, {"root": 0, "tip": 1.0}, along="yz")
    hinge, angles = mbs.Revolute("y"), (0.3, 0.5)
    elastic = {"elastic": beam, "root": "root", "damping": 0.01}
    if free:
        a, b = (m.body(name, joint=mbs.Free(), stiffness=k, **elastic) for name, k in (("a", stiffness), ("b", 1.0)))
        m.close("hinge", "world", a, hinge)
        m.close("elbow", a.node("tip"), b, hinge)
        turns = [(np.cos(0.5 * x), 0, np.sin(0.5 * x), 0) for x in angles]
        end, bend = (np.cos(angles[0]), 0, -np.sin(angles[0])), angles[1] - angles[0]
        m.start(a, q=(0, 0, 0, *turns[0]), u=(0, 0, 0, 0, speeds[0], 0))
        tip = speeds[0] * np.array([np.sin(bend), 0, -np.cos(bend)])  # velocity of the elbow, in the axes of b
        m.start(b, q=(*end, *turns[1]), u=(*tip, 0, speeds[1], 0))
    else:
        a = m.body("a", joint=hinge, stiffness=stiffness, **elastic)
        b = m.body("b", a.node("tip"), hinge, stiffness=1.0, **elastic)
        m.start(a, q=angles[0], u=speeds[0])
        m.start(b, q=angles[1] - angles[0], u=speeds[1] - speeds[0])
    m.body("load", b.node("tip"), mass=0.5, com=(0.05, 0, 0.1), inertia=(1e-3, 2e-3, 2e-3))
    m.force("turn", on=a, torque=(0, torque, 0))
    m.spring("stay", "world", b.node("tip"), at_a=(0, 0.5, -1.0), stiffness=20.0, damping=0.5, length=1.0)
    m.output("place", mbs.position(b.node("tip")), unit="m", description="place of the tip")
    m.output("bend", mbs.deformation(a, "tip").d, unit="m", description="of the first rod's tip")
    m.output("elbow.force", mbs.reaction("elbow" if free else b).f, unit="N", description="of the elbow")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
