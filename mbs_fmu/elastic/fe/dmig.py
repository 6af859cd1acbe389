"""Matrices on DMIG cards: entries with the numbers of a grid or scalar point and of a component, 0 for scalar points.

Source: the description of DMIG in Nastran's Quick Reference Guide. A header DMIG, NAME, 0, form, type has the form 1
(square), 6 (symmetric: each pair of entries occurs once) or 2 and 9 (rectangular); types 3 and 4 are complex. A column
DMIG, NAME, grid, component has the grid, the component and the value of each entry.
"""

from __future__ import annotations

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.failures import display
from ..shapes import Array
from .cards import Card

Label = tuple[int, int]  #: grid or scalar point, and component
SYMMETRIC = 6
FORMS, TYPES = (1, 2, SYMMETRIC, 9), (1, 2, 3, 4)
COMPONENTS = range(7)


class Dmig:
    """A matrix, while its cards are added."""

    def __init__(self, card: Card, name: str):
        self.name, self.where = name, card.where
        self.form: int | None = None
        self.is_complex = False
        self.i: list[Label] = []
        self.j: list[Label] = []
        self.values: list[float] = []

    def add(self, card: Card) -> None:
        """Add a header or a column. Raises ModelError."""
        if card.whole(1, 0) == 0:
            self._head(card)
            return
        if self.form is None:
            raise ModelError(f"{card.where} {self.name} has a column before its header, DMIG {self.name} 0: add it")
        column = self._label(card, 1)
        fields = card.fields
        for k in range(4, len(fields), 4):
            if not fields[k] and not any(fields[k : k + 4]):
                continue
            if not any(fields[k + 2 : k + 4]):
                raise ModelError(
                    f"{card.where} {self.name} has no value for its row of point {fields[k]}: the file is cut, or "
                    "the card; write it again"
                )
            self.i.append(self._label(card, k))
            self.j.append(column)
            self.values.append(card.real(k + 2))

    def _head(self, card: Card) -> None:
        form, kind = card.whole(2), card.whole(3, 1)
        if form not in FORMS or kind not in TYPES:
            raise ModelError(
                f"{card.where} {self.name} has form {form} and type {kind}: forms are {', '.join(map(str, FORMS))}, "
                f"types {', '.join(map(str, TYPES))}"
            )
        self.form, self.is_complex = form, kind > 2

    def _label(self, card: Card, k: int) -> Label:
        point, component = card.whole(k), card.whole(k + 1, 0)
        if point < 1 or component not in COMPONENTS:
            raise ModelError(f"{card.where} {self.name} has a row of point {point}, component {component}: none exists")
        return point, component

    @property
    def is_square(self) -> bool:
        """True if rows and columns have the same labels."""
        return self.form in (1, SYMMETRIC)

    def labels(self) -> set[Label]:
        """Return the labels of all rows and columns."""
        return {*self.i, *self.j}

    def entries(self, at: dict[Label, int]) -> tuple[Array, Array, Array]:
        """Return rows, columns and values of a square matrix, both triangles; at: places of the labels.

        Raises ModelError for a rectangular matrix, for labels without a place, and entries that contradict each other.
        """
        if not self.is_square:
            raise ModelError(f"{self.where}: {self.name} has form {display(self.form)}: give a square matrix, 1 or 6")
        if self.is_complex:
            raise ModelError(f"{self.where}: {self.name} is complex: write the real matrices of stiffness and mass")
        unknown = next((label for label in [*self.i, *self.j] if label not in at), None)
        if unknown is not None:
            raise ModelError(
                f"{self.where}: {self.name} has a row of point {unknown[0]}, component {unknown[1]}, which is no row "
                "of the model: read the files of one run"
            )
        known: dict[tuple[int, int], float] = {}
        for a, b, value in zip(self.i, self.j, self.values, strict=True):
            place = at[a], at[b]
            pair = (max(place), min(place)) if self.form == SYMMETRIC else place
            if known.setdefault(pair, value) != value:
                raise ModelError(f"{self.where}: {self.name} has two values for the row {a} and column {b}: keep one")
        i, j = np.array(list(known), dtype=np.int64).reshape(-1, 2).T
        values = np.array(list(known.values()), dtype=float)
        if self.form != SYMMETRIC:
            return i, j, values
        low = i != j
        return np.concatenate([i, j[low]]), np.concatenate([j, i[low]]), np.concatenate([values, values[low]])
