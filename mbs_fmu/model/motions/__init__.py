"""Elementary motions, of which joints consist; one module for each."""

from .ball import Ball
from .constant_velocity import ConstantVelocity
from .custom import Custom
from .free import Free
from .motion import Axis, DegreeOfFreedom, Motion, MotionContext, link_load
from .screw import Screw
from .slide import Slide
from .turn import Turn

__all__ = [
    "Axis",
    "Ball",
    "ConstantVelocity",
    "Custom",
    "DegreeOfFreedom",
    "Free",
    "Motion",
    "MotionContext",
    "Screw",
    "Slide",
    "Turn",
    "link_load",
]
