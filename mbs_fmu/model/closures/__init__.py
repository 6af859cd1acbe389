"""Closures: one module for each kind of constraint between two bodies, and for equations."""

from .closure import Closure, Pair, PairClosure, Side, contact_names
from .conditions import Conditions, ContactParameter, Row, Symbol
from .curves import CurveOnCurve, OnCurve
from .distance import Distance
from .equations import Equations
from .guides import OnLine, OnPlane
from .mesh import Mesh
from .modes import Armed, Mode, OneSided, Overrunning, Sticking
from .rolling import KnifeEdge, Rolling
from .stabilization import Stabilization

__all__ = [
    "Armed",
    "Closure",
    "Conditions",
    "ContactParameter",
    "CurveOnCurve",
    "Distance",
    "Equations",
    "KnifeEdge",
    "Mesh",
    "Mode",
    "OnCurve",
    "OnLine",
    "OnPlane",
    "OneSided",
    "Overrunning",
    "Pair",
    "PairClosure",
    "Rolling",
    "Row",
    "Side",
    "Stabilization",
    "Sticking",
    "Symbol",
    "contact_names",
]
