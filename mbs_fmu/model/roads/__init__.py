"""Roads: surfaces with coordinates of their own, whose heights and slopes are functions of these."""

from .curved_grids import CurvedGrid
from .height_fields import HeightField
from .profiles import Profile
from .road import Cartesian, Chart, Level, Relief, Road, Uneven, level

__all__ = ["Cartesian", "Chart", "CurvedGrid", "HeightField", "Level", "Profile", "Relief", "Road", "Uneven", "level"]
