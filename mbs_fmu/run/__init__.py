"""Runs: simulations and batches, what goes into them and what comes out."""
