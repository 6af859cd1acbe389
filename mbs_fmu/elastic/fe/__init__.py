"""`mbs.fe`: matrices and nodes of finite element programs, from their files."""

from .data import Data

__all__ = ["Data"]
