"""Independent computations of what the package computes."""
