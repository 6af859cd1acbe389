"""Analyses of a mechanism other than simulation."""

from .inverse import inverse_dynamics as inverse_dynamics
from .linearize import linearize as linearize
from .trim import trim as trim
