"""Equations of motion of the free rigid body in matrix form, after Konoplev (1985), as functions of numpy arrays.

The equations are in quasi-velocities, in generalized coordinates, in Lagrange's form, and in a state form with its
exact Jacobian. They are independent of models and kernels, and serve the study of the equations, control and stability,
and checks of other programs. docs/free_body.md has the formulas; numbers in parentheses are those of the paper.

The conventions are those of the package. A twist is (velocity of the body's origin; angular velocity) and a wrench
(force; moment about the origin), linear part first, both in body axes unless stated otherwise. C maps body to base
coordinates: its columns are the body's axes. q = (o; alpha): position of the body's origin in base coordinates (m),
then three angles (rad) in the order of the rotations. x = (q; q_dot) is the state of the state form. Theta is the 6x6
inertia about the body's origin, which can be any point of the body.

All functions accept complex numbers, so that derivatives by a complex step are exact.

V. A. Konoplev: Matrix forms of the equations of motion of a free rigid body. Izv. AN SSSR, Mekhanika Tverdogo Tela
(Mechanics of Solids), 1985, in Russian; received 23 March 1984.
"""

from .angles import (
    CONVENTIONS,
    angle_rates,
    angles_from,
    axes_in_base,
    axes_in_base_rate,
    axes_in_body,
    rotation,
)
from .forms import (
    FORMS,
    acceleration,
    convective_matrix,
    explicit_form,
    generalized_forces,
    implicit_form,
    inertia_matrix,
    kinetic_energy,
    lagrange_explicit_form,
    lagrange_form,
    momentum,
    quasi_acceleration,
    quasi_convective_matrix,
    required_wrench,
    rotation_acceleration,
    shift_matrix,
    skew,
    sliding_vector_matrix,
    twist,
    twist_matrix,
    twist_matrix_rate,
    weight,
)
from .state import StateForm

__all__ = [
    "CONVENTIONS", "FORMS", "StateForm", "acceleration", "angle_rates", "angles_from", "axes_in_base",
    "axes_in_base_rate", "axes_in_body", "convective_matrix", "explicit_form", "generalized_forces", "implicit_form",
    "inertia_matrix", "kinetic_energy", "lagrange_explicit_form", "lagrange_form", "momentum", "quasi_acceleration",
    "quasi_convective_matrix", "required_wrench", "rotation", "rotation_acceleration", "shift_matrix", "skew",
    "sliding_vector_matrix", "twist", "twist_matrix", "twist_matrix_rate", "weight",
]  # fmt: skip
