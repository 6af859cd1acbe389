"""Forces: one module for each, with its dataclass, its builder method and the checks.

A force acts along a place (`AlongPlace`), such as a joint coordinate, or exerts wrenches on bodies (`OnBodies`); its
`effect` is written in references, and is all that the compiler uses.
"""

from ..gravity import PointGravity
from ..items import AlongPlace, Force, OnBodies
from ..tyres.road_tyre import RoadTyre
from .bushings import Bushing
from .characteristics import SpringLaw
from .contacts import Contact
from .drags import Drag
from .frictions import Friction
from .gears import ElasticMesh
from .involutes import InvoluteMesh
from .motors import Motor
from .places import expressions
from .pulls import Pull
from .ropes import Rope
from .rotational_springs import RotationalSpring
from .shafts import MasslessShaft
from .springs import PointSpring, Spring
from .wrenches import BodyForce

__all__ = [
    "AlongPlace",
    "BodyForce",
    "Bushing",
    "Contact",
    "Drag",
    "ElasticMesh",
    "Force",
    "Friction",
    "InvoluteMesh",
    "MasslessShaft",
    "Motor",
    "OnBodies",
    "PointGravity",
    "PointSpring",
    "Pull",
    "RoadTyre",
    "Rope",
    "RotationalSpring",
    "Spring",
    "SpringLaw",
    "expressions",
]
