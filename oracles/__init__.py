"""Independent solutions of the models in models/: closed forms, and equations derived by hand.

Nothing here uses mbs_fmu. The models' numbers are read from their files; the equations are not. `python -m oracles`
writes the tables in models/reference, `python -m oracles --check` compares them.
"""
