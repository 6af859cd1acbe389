"""The data of elastic bodies: inertia to second order, stiffness, damping, nodes; see `Modes`."""
