"""Tyres: steady forces by slip (Magic Formula, brush, linear), files of tyres, and the class `Tyre`.

`road_tyre.py` puts a tyre between a wheel and a road.
"""
