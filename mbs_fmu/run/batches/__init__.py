"""Batches: many runs of one model at once."""
