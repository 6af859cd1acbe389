"""Benchmarks of mbs_fmu against its peers: `python -m benchmarks` from the project's root.

They need the extras `peers`, `plot`, `mjcf` (MuJoCo) and `robots`; the C++ loop around Pinocchio also needs Eigen's
headers (the package cmeel-eigen, or the system's). Missing peers are left out, with a note.
"""
