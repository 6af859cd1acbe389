"""Analyses of a mechanism other than simulation."""

from .inverse import inverse_dynamics as inverse_dynamics
from .linear.linearize import linearize as linearize
from .linear.trim import trim as trim
