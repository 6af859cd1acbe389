"""Roads: surfaces with coordinates of their own, whose heights and slopes are functions of these."""

from .cams import Cams
from .curved_grids import CurvedGrid
from .envelopes import Envelope, envelope
from .height_fields import HeightField
from .profiles import Profile
from .road import Cartesian, Chart, Level, Relief, Road, Uneven, level

__all__ = [
    "Cams", "Cartesian", "Chart", "CurvedGrid", "Envelope", "HeightField", "Level", "Profile", "Relief", "Road",
    "Uneven", "envelope", "level",
]  # fmt: skip
