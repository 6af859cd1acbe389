"""Adapters, one a program; each runs in the environment of its program and imports nothing else of the package.

An adapter has `version()`, `settings(system)` (coarse to fine for each method), and `build(system, setting)`, which
returns an object with `run(setting, stop)` (places of the markers in one list, and a note) and `energy()` (J, at the
start). `build` and `settings` raise `Unsupported` for systems that the program has no elements for.
"""
