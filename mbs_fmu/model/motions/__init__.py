"""Elementary motions, a page each: what joints are made of."""

from .ball import Ball
from .custom import Custom
from .free import Free
from .motion import Axis, Freedom, Here, Motion, link_load
from .screw import Screw
from .slide import Slide
from .turn import Turn

__all__ = ["Axis", "Ball", "Custom", "Free", "Freedom", "Here", "Motion", "Screw", "Slide", "Turn", "link_load"]
