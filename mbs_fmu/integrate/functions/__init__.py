"""A model as functions of arrays: rates, outputs and maps of steps, with their Jacobians."""
