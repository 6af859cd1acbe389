"""Batches in SIMD lanes: their module and their time loop."""
