"""Runs: simulations and batches, their arguments and their results."""
