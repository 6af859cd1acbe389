"""Forces, a page for each, with its dataclass, its word of a model and the checks.

A force acts along a joint velocity (`OnJoint`) or puts wrenches on bodies (`OnBodies`); its `effect` is written in
references. All that compiles models knows of a force is that.
"""

from ..gravity import PointGravity
from ..items import Force, OnBodies, OnJoint
from .bushings import Bushing
from .characteristics import Elastic
from .drags import Drag
from .frictions import Friction
from .gears import ElasticMesh, ElasticRatio
from .limits import Limit
from .motors import Motor
from .places import expressions
from .rotational_springs import RotationalSpring
from .springs import CoordinateSpring, PointSpring
from .wrenches import BodyForce

__all__ = [
    "BodyForce",
    "Bushing",
    "CoordinateSpring",
    "Drag",
    "Elastic",
    "ElasticMesh",
    "ElasticRatio",
    "Force",
    "Friction",
    "Limit",
    "Motor",
    "OnBodies",
    "OnJoint",
    "PointGravity",
    "PointSpring",
    "RotationalSpring",
    "expressions",
]
