"""Integration methods: coefficients, order conditions, checks, and the functions they provide."""
