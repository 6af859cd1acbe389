"""Machine elements, each a function of a model: belts, chains, bearings. They call methods of `Model`, and add forces
of `model/forces` that have no such method.

A new element is one file here and a line in `mbs_fmu/__init__.py`; no other package knows of it.
"""
