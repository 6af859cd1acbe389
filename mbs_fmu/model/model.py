"""`Model`: a mechanism or a controller in the user's words.

A model only records and checks its parts (`ModelData`); `mbs_fmu.compile` gives it meaning. Its words are functions
that stand with what they add: a page of `forces` for each force, the files of words for bodies, loops and signals.
"""

from __future__ import annotations

from .builders import (
    bodies as body_words,
)
from .builders import (
    closures as loop_words,
)
from .builders import (
    composition,
)
from .builders import (
    constraint_modes as mode_words,
)
from .builders import (
    events as jump_words,
)
from .builders import (
    followers as follow_words,
)
from .builders import (
    gears as gear_words,
)
from .builders import (
    ranges as range_words,
)
from .builders import (
    signals as signal_words,
)
from .builders import (
    starts as start_words,
)
from .data import ModelData
from .forces import bushings, drags, frictions, limits, motors, rotational_springs, springs, wrenches


class Model(ModelData):
    """A mechanism, a controller, or both.

    name: an identifier. gravity: acceleration in world axes, m/s², or `mbs.PointGravity`; assign `m.gravity` later
    to make it depend on parameters. description: one line for the FMU.
    """

    # -- bodies -------------------------------------------------------------------------------
    body = body_words.body
    drive = body_words.drive
    rotor = body_words.rotor
    follow = follow_words.follow
    start = start_words.start
    range = range_words.range
    shape = body_words.shape

    # -- loops --------------------------------------------------------------------------------
    close = loop_words.close
    constrain = loop_words.constrain
    roll = loop_words.roll
    gear = gear_words.gear
    rack = gear_words.rack
    lock = mode_words.lock
    contact = mode_words.contact
    stabilize = loop_words.stabilize

    # -- forces -------------------------------------------------------------------------------
    spring = springs.spring
    rotational_spring = rotational_springs.rotational_spring
    bushing = bushings.bushing
    motor = motors.motor
    friction = frictions.friction
    limit = limits.limit
    force = wrenches.force
    drag = drags.drag

    # -- signals ------------------------------------------------------------------------------
    parameter = signal_words.parameter
    set_parameter = signal_words.set_parameter
    input = signal_words.input
    state = signal_words.state
    sampled = jump_words.sampled
    output = signal_words.output
    event = jump_words.event

    # -- other models --------------------------------------------------------------------------
    include = composition.include
