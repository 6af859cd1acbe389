"""Kernels that add the forces and energies of near pairs. Modules contain these functions and also their tangents."""

from __future__ import annotations

import numpy as np

from ..record.schema import N_LINKS, Record
from .declarations import constant
from .library import integer
from .linked import add_energy_of_pair, add_wrenches_of_pair
from .near_pairs import is_apart


def add_wrenches_of_near_pairs(R: Record) -> None:
    """Add the wrenches of all near pairs to region `wrench`; with a full list they are not finite."""
    if R.near_list.overflows != 0.0:
        for i in range(N_LINKS):
            R.wrench[i, 0] = constant(np.nan)
    for k in range(integer(R.near_list.count)):
        i = integer(R.near_pairs[k, 0])
        j = integer(R.near_pairs[k, 1])
        if not is_apart(R, i, j):
            add_wrenches_of_pair(R, i, j)


def add_energies_of_near_pairs(R: Record) -> None:
    """Add the energies that all near pairs store to the energy."""
    for k in range(integer(R.near_list.count)):
        i = integer(R.near_pairs[k, 0])
        j = integer(R.near_pairs[k, 1])
        if not is_apart(R, i, j):
            add_energy_of_pair(R, i, j)
