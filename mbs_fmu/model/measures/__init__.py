"""Measures: expressions of positions, velocities, forces and energies, for outputs and laws."""
