"""Runs whose crossings have an outcome in closed form, for all methods."""
