"""Native FMUs: the model's kernels compiled ahead of time, with a C implementation of FMI. They need no Python."""
