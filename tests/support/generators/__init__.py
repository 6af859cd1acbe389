"""Random mechanisms, bodies, kernels and invalid values, drawn by seed or by case."""
