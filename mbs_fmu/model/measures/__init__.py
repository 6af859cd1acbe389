"""Measures for outputs and laws."""
