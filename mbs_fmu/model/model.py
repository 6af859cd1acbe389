"""`Model`: a description of a mechanism, a controller, or both.

A model checks and stores its parts (`ModelData`); `mbs_fmu.compile` derives the equations from them. The methods of
`Model` are functions of `ModelData`, which the modules of `builders` and `forces` define by subject.
"""

from __future__ import annotations

from .builders import (
    bodies,
    chains,
    closures,
    composition,
    constraint_modes,
    contacts,
    electric_motors,
    events,
    fmus,
    followers,
    gears,
    hydraulics,
    lugre,
    parameters,
    ranges,
    signals,
    starts,
    terminals,
    tyres,
)
from .data import ModelData
from .forces import (
    bushings,
    drags,
    frictions,
    limits,
    motors,
    pulls,
    ropes,
    rotational_springs,
    shafts,
    springs,
    wrenches,
)


class Model(ModelData):
    """A mechanism, a controller, or both.

    name: an identifier. gravity: acceleration in world axes, m/s², or `mbs.PointGravity`; to make it depend on
    parameters, assign `m.gravity` after they are defined. description: one line for the FMU.
    """

    # -- bodies -------------------------------------------------------------------------------
    body = bodies.body
    chain = chains.chain
    drive = bodies.drive
    rotor = bodies.rotor
    follow = followers.follow
    start = starts.start
    range = ranges.range
    shape = bodies.shape

    # -- loops --------------------------------------------------------------------------------
    close = closures.close
    constrain = closures.constrain
    roll = closures.roll
    gear = gears.gear
    rack = gears.rack
    lock = constraint_modes.lock
    freewheel = constraint_modes.freewheel
    contact = contacts.contact
    ground = contacts.ground
    mutual_contact = contacts.mutual_contact
    stabilize = closures.stabilize

    # -- forces -------------------------------------------------------------------------------
    spring = springs.spring
    rotational_spring = rotational_springs.rotational_spring
    bushing = bushings.bushing
    motor = motors.motor
    friction = frictions.friction
    limit = limits.limit
    shaft = shafts.shaft
    force = wrenches.force
    pull = pulls.pull
    rope = ropes.rope
    cylinder = hydraulics.cylinder
    drag = drags.drag
    dc_motor = electric_motors.dc_motor
    lugre_friction = lugre.lugre_friction
    tyre = tyres.tyre

    # -- signals ------------------------------------------------------------------------------
    parameter = parameters.parameter
    set_parameter = parameters.set_parameter
    table = parameters.table
    input = signals.input
    state = signals.state
    sampled = events.sampled
    output = signals.output
    event = events.event
    flange = terminals.flange
    terminal = terminals.terminal

    # -- other models --------------------------------------------------------------------------
    include = composition.include
    fmu = fmus.fmu
