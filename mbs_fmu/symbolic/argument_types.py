"""Types of numeric arguments of public functions, for editors and type checkers.

The functions check all values at run time, whatever their types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .expressions import Expression

#: Number of Python or numpy, or expression.
Number = float | np.integer[Any] | np.floating[Any] | Expression
#: Number, or text of a number and a unit such as "30 mm".
Quantity = Number | str
#: Components of a vector.
Components = Sequence[Quantity] | np.ndarray
#: One number for each degree of freedom of a joint; the number itself if there is only one.
JointNumbers = Quantity | Components
#: Principal moments, the numbers xx, xy, xz, yy, yz, zz, or a matrix, kg m².
Inertia = Components | Sequence[Components]
