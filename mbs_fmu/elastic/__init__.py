"""What is known of elastic bodies, as numbers: inertia to second order, stiffness, damping, nodes; see `Modes`."""
