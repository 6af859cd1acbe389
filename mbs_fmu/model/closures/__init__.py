"""What closes loops, a page each: pairs of bodies that the tree does not join, and equations."""

from .closure import Closure, Pair, PairClosure, Side
from .conditions import Conditions, Symbol
from .distance import Distance
from .equations import Equations
from .guides import OnLine, OnPlane
from .stabilization import Stabilization

__all__ = [
    "Closure",
    "Conditions",
    "Distance",
    "Equations",
    "OnLine",
    "OnPlane",
    "Pair",
    "PairClosure",
    "Side",
    "Stabilization",
    "Symbol",
]
