"""Superelements as other programs write them: the reduction of Craig and Bampton (1968), dense and independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

import mbs_fmu as mbs
from mbs_fmu.elastic.modes import Modes

from .finite_elements import Full

Array = np.ndarray


def reduction(full: Full, interface: list[int], q: int) -> Array:
    """Return T (Craig and Bampton 1968, dense) from the dofs of interface nodes and q fixed modes to all dofs."""
    dofs = np.concatenate([full.dofs * k + np.arange(full.dofs) for k in interface])
    inner = np.setdiff1d(np.arange(len(full.M)), dofs)
    K, M = (A[np.ix_(inner, inner)] for A in (full.K, full.M))
    T = np.zeros((len(full.M), len(dofs) + q))
    T[dofs, : len(dofs)] = np.eye(len(dofs))
    T[inner, : len(dofs)] = -np.linalg.solve(K, full.K[np.ix_(inner, dofs)])
    T[inner, len(dofs) :] = scipy.linalg.eigh(K, M)[1][:, :q]
    return T


class Handed:
    """A model that an independent reduction made a superelement: what a user receives, and the full model."""

    def __init__(self, full: Full, interface: list[int], q: int) -> None:
        self.full, self.interface, self.q = full, interface, q
        self.T = reduction(full, interface, q)
        self.M, self.K = (self.T.T @ A @ self.T for A in (full.M, full.K))
        self.places = full.nodes[interface]
        self.names = [f"n{k}" for k in interface]

    def body(self, **options: Any) -> Modes:
        options = {"modal": self.q, "names": self.names} | options
        return mbs.Modes.superelement(self.places, self.M, self.K, **options)

    def recovered(self, nodes: list[int]) -> dict[str, Array]:
        """Return displacements and places of further nodes."""
        rows = np.concatenate([self.T[self.full.dofs * k :][:3] for k in nodes])
        return {"recovery": rows, "at": self.full.nodes[nodes]}
