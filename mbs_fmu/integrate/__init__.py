"""Integration: methods with their coefficients and checks, the functions that they provide, and the drivers."""
