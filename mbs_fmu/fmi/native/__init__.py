"""FMUs that need no Python: the model's kernels compiled ahead of time, behind a small C wrapper."""
