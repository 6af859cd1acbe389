"""Benchmarks of mbs_fmu against its peers: `python -m benchmarks` from the project's root."""
