"""Tyres: steady forces by slip (Magic Formula, brush, linear), files of tyres, and the class `Tyre`.

`forces/tyres.py` puts a tyre between a wheel and a road.
"""
