"""Whole runs of mechanisms, compared with other programs at equal error: `python -m benchmarks.runs`.

`python -m benchmarks.runs.environments FOLDER` installs the peers, each in an environment of its own, and
`python -m benchmarks.runs --environments FOLDER` measures them. Points, table and figure go to the folder of
`--output`, with `--write` also to docs and README.md. Peers that are absent are left out; rumoca also needs the
Modelica Standard Library (`peers/rumoca.py`). `--report` repeats the report of points that have been measured.

To add a system, write a function in `systems.py` that returns a `System`, the plain data of `data.py`, and name it in
`SYSTEMS`. Adapters raise `Unsupported` for what they have no elements for; a new kind of joint or force needs a field
in `data.py` and a few lines in each adapter that has it.

To add a peer, write `peers/NAME.py` with `version`, `settings` and `build` (see `peers`) and `requirements/NAME.txt`,
and name it in `programs.PROGRAMS`. Before any times, check the energies at the start and the distance of the finest
runs, which the report has.
"""
