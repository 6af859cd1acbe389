"""Multibody mechanisms in Poisson impulses: fast kernels, FMUs, co-simulation."""

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
from .model.joints import Compound, Free, Joint, Prismatic, Revolute, Spherical, Universal, Weld, slide, turn
from .model.measures import angular_velocity, coordinate, energy, orientation, position, rate, time, velocity
from .model.model import Model
from .model.parts import Body, Pose
from .model.vectors import Vector
from .results import Result
from .simulate import simulate

__version__ = "0.1.0"

from .fmi.export import export
