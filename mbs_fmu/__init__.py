"""Multibody mechanisms in Poisson impulses: fast kernels, FMUs, co-simulation."""

from . import free_body
from .batch import Batch
from .errors import ModelError, SimulationError
from .expressions import (
    Expression,
    abs,
    acos,
    asin,
    atan,
    atan2,
    clip,
    cos,
    exp,
    log,
    max,
    min,
    sign,
    sin,
    sqrt,
    table,
    tan,
    tanh,
    where,
)
from .model.forces import PointGravity
from .model.joints import (
    Compound,
    CustomJoint,
    Cylindrical,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
    Weld,
    slide,
    turn,
)
from .model.loops import Distance, OnLine, OnPlane
from .model.measures import (
    acceleration,
    angular_acceleration,
    angular_momentum,
    angular_velocity,
    applied,
    center_of_mass,
    coordinate,
    drive_force,
    energy,
    momentum,
    multiplier,
    orientation,
    pose,
    position,
    power,
    rate,
    reaction,
    relative_angular_velocity,
    relative_orientation,
    relative_position,
    relative_velocity,
    residual,
    strength,
    time,
    twist,
    velocity,
)
from .model.model import Model
from .model.parts import Body
from .model.poses import Pose
from .model.vectors import Vector
from .results import BatchResult, Result
from .simulate import simulate

__version__ = "0.1.0"

from .analysis import inverse_dynamics
from .fmi.export import export
