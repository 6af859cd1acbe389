"""`mbs.fe`: matrices and nodes of finite element programs, from their files."""

from .abaqus import abaqus
from .data import Data
from .matrix_market import matrix_market
from .nastran_models import nastran
from .stresses import stress

__all__ = ["Data", "abaqus", "matrix_market", "nastran", "stress"]
