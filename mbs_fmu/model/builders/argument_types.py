"""Types of the arguments of builder methods, for editors and type checkers.

The methods check all values at run time, whatever their types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...symbolic.argument_types import Components as Components
from ...symbolic.argument_types import Inertia as Inertia
from ...symbolic.argument_types import JointNumbers as JointNumbers
from ...symbolic.argument_types import Number as Number
from ...symbolic.argument_types import Quantity as Quantity
from ...symbolic.expressions import Expression
from ..bodies.shapes import Shape
from ..forces.contact_shapes import Points
from ..forces.impedance import Impedance
from ..geometry.poses import Placement as Placement
from ..items import BodyOrName as BodyOrName

if TYPE_CHECKING:
    from ...elastic.modes import Modes

    ElasticModes = Modes
else:
    ElasticModes = Any  # few processes need the module

#: New value of a signal, or a function of its present value, an expression or a `Vector`, that returns the new one.
Update = Number | Sequence[Number] | np.ndarray | Callable[[Any], Any]
#: Function of the phase of a mesh of teeth (rad, 0 to 2 pi for each tooth) that returns an expression.
OfPhase = Callable[[Expression], Any]
#: Comparison such as `mbs.coordinate(panel) >= 1.57`.
Condition = Expression
#: Shapes for pictures.
Shapes = Shape | Sequence[Shape]
#: Shape, point (m), or a list of shapes and points, for contacts.
ContactShapes = Shape | Points | Components | Sequence[Shape | Points | Components]
#: Stiffness of contact points: a number (N/m), or that of MuJoCo's contacts.
Stiffness = Quantity | Impedance
