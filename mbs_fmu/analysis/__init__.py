"""Questions to a mechanism that are not simulations."""

from .inverse import inverse_dynamics as inverse_dynamics
from .linearize import linearize as linearize
from .trim import trim as trim
