"""Types of the arguments of public methods, for editors and type checkers.

The methods check all values at run time, whatever their types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...symbolic.expressions import Expression
from ..bodies.shapes import Shape
from ..geometry.poses import Pose
from ..items import Body

if TYPE_CHECKING:
    from ...elastic.modes import Modes

    ElasticModes = Modes
else:
    ElasticModes = Any  # few processes need the module

#: Number of Python or numpy, or expression.
Number = float | np.integer[Any] | np.floating[Any] | Expression
#: Number, or text of a number and a unit such as "30 mm".
Quantity = Number | str
#: Components of a vector.
Components = Sequence[Quantity] | np.ndarray
#: Position (m), or position and rotation.
Placement = Components | Pose
#: Principal moments, the numbers xx, xy, xz, yy, yz, zz, or a matrix, kg m².
Inertia = Components | Sequence[Components]
#: One number for each degree of freedom of a joint; the number itself if there is only one.
JointNumbers = Quantity | Components
#: New value of a signal, or a function of its present value, an expression or a `Vector`, that returns the new one.
Update = Number | Sequence[Number] | np.ndarray | Callable[[Any], Any]
#: Comparison such as `mbs.coordinate(panel) >= 1.57`.
Condition = Expression
#: Body of the model, or its name.
BodyOrName = Body | str
#: Shapes for pictures.
Shapes = Shape | Sequence[Shape]
#: Shape, point (m), or a list of shapes and points, for contacts.
ContactShapes = Shape | Components | Sequence[Shape | Components]
