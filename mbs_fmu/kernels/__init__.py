"""Computations around the steps, as functions that generated modules contain: loops, start, stabilization."""
