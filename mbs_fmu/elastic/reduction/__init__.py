"""From the matrices of a finite element model to few modes: interfaces, loads, reduction, stress stiffness."""
