"""Forces: one module for each, with its dataclass, its builder method and the checks.

A force acts along a joint velocity (`OnJoint`) or exerts wrenches on bodies (`OnBodies`); its `effect` is written in
references, and is all that the compiler uses.
"""

from ..gravity import PointGravity
from ..items import Force, OnBodies, OnJoint
from ..tyres.road_tyre import RoadTyre
from .bushings import Bushing
from .characteristics import SpringLaw
from .contacts import Contact
from .drags import Drag
from .frictions import Friction
from .gears import ElasticMesh, ElasticRatio
from .limits import Limit
from .motors import Motor
from .places import expressions
from .pulls import Pull
from .ropes import Rope
from .rotational_springs import RotationalSpring
from .shafts import MasslessShaft
from .springs import CoordinateSpring, PointSpring
from .wrenches import BodyForce

__all__ = [
    "BodyForce",
    "Bushing",
    "Contact",
    "CoordinateSpring",
    "Drag",
    "ElasticMesh",
    "ElasticRatio",
    "Force",
    "Friction",
    "Limit",
    "MasslessShaft",
    "Motor",
    "OnBodies",
    "OnJoint",
    "PointGravity",
    "PointSpring",
    "Pull",
    "RoadTyre",
    "Rope",
    "RotationalSpring",
    "SpringLaw",
    "expressions",
]
