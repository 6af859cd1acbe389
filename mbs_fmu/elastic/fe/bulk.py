"""Grids, sets and matrices of Nastran's bulk data files: .asm, .bdf, .dat, .pch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ..shapes import Array
from .cards import Card, cards
from .dmig import Dmig
from .systems import DEEPEST, System, Systems

ALL = "123456"
SETS = ("ASET", "BSET", "CSET", "QSET")  #: pairs of a point and components; with 1: components and points
TABLE = "TUG1"  #: DTI table with the grids of the rows of the recovery matrix MUG1
GROUP, HEADING = 4, "TYPE"  #: fields of a row of such a table (type, number, count of components, first row)
A_GRID = 1  #: type of such a row
BLANK = -1  #: system of a blank field, until all cards are read
REAL_DOFS = 6


@dataclass(frozen=True)
class Grid:
    """A grid: its coordinates in the system `of`, and the system `out` of its displacements."""

    where: str
    of: int
    coordinates: tuple[float, ...]
    out: int


@dataclass(frozen=True)
class Bulk:
    """Contents of bulk data files: grids, rows of matrices, and matrices.

    grids: by number. scalars: numbers of scalar points. sets: for each of `SETS` the components by point. rows: points
    of the rows of reduced matrices in their order, with components ("" for scalar points; None: all that the point
    has), or empty. matrices: of DMIG cards, by name. recovered: grids of MUG1 in the order of its rows, six each.
    """

    source: str
    grids: dict[int, Grid] = field(default_factory=dict)
    scalars: dict[int, None] = field(default_factory=dict)
    systems: dict[int, System] = field(default_factory=dict)
    sets: dict[str, dict[int, str]] = field(default_factory=dict)
    external: list[tuple[int, str]] = field(default_factory=list)
    connected: list[int] = field(default_factory=list)
    matrices: dict[str, Dmig] = field(default_factory=dict)
    recovered: list[int | None] = field(default_factory=list)

    @property
    def places(self) -> Places:
        """Places and axes of all grids."""
        return Places(self)

    def rows(self) -> list[tuple[int, str]]:
        """Return the points of the rows of matrices with their components, "0" for scalar points.

        The order is that of EXTRN, else of SECONCT, else of the sets ASET to QSET by ascending numbers, else of all
        grids and scalar points. Raises ModelError for a point that no card defines.
        """
        if self.external:
            listed_rows = self.external
        elif self.connected:
            listed_rows = [(point, self._all(point)) for point in self.connected]
        else:
            of_sets: dict[int, str] = {}
            for name in SETS:
                for point, components in self.sets.get(name, {}).items():
                    of_sets[point] = "".join(sorted({*of_sets.get(point, ""), *components}))
            points = of_sets or {point: self._all(point) for point in (*self.grids, *self.scalars)}
            listed_rows = sorted(points.items())
        unknown = [point for point, _ in listed_rows if point not in self.grids and point not in self.scalars]
        if unknown:
            raise ModelError(
                f"{self.source} has rows of {listed(unknown)}, without a card GRID or SPOINT: give their file too"
            )
        return [(point, components if point in self.grids else "0") for point, components in listed_rows]

    def _all(self, point: int) -> str:
        return ALL if point in self.grids else "0"


class Places:
    """Places of grids in basic coordinates, and the axes of their displacements."""

    def __init__(self, bulk: Bulk):
        self.bulk = bulk
        self.systems = Systems(bulk.systems, self._place)

    def place(self, number: int) -> Array:
        """Return the place of a grid, (3). Raises ModelError."""
        return self._place(number, self.bulk.source, 0)

    def axes(self, number: int) -> Array:
        """Return the axes (columns) of a grid's displacements in basic coordinates, (3, 3). Raises ModelError."""
        grid = self.bulk.grids[number]
        return np.eye(3) if grid.out == 0 else self.systems.axes(grid.out, self.place(number), grid.where)

    def _place(self, number: int, where: str, depth: int) -> Array:
        grid = self.bulk.grids.get(number)
        if grid is None:
            raise ModelError(f"{where} refers to grid {number}, which no card GRID defines: give the file with it too")
        if depth > DEEPEST:
            raise ModelError(f"{grid.where}: grids and coordinate systems refer to each other in a circle")
        if grid.of == 0:
            return np.array(grid.coordinates)
        return self.systems.place(grid.of, np.array(grid.coordinates), grid.where, depth + 1)


def read_bulk(paths: str | Path | Iterable[str | Path]) -> Bulk:
    """Return the bulk data of one file or several. Raises ModelError."""
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    reading = _Reading(Bulk(", ".join(map(str, files))))
    for path in files:
        for card in cards(path, reading.readers):
            reading.readers[card.name](card)
    return reading.finished()


class _Reading:
    """Readers of cards by their names."""

    def __init__(self, bulk: Bulk):
        self.bulk = bulk
        self.of, self.out = 0, 0  # defaults of GRDSET
        self.readers = {
            "GRID": self._grid, "GRDSET": self._defaults, "SPOINT": self._scalars, "EXTRN": self._external,
            "SECONCT": self._connected, "DMIG": self._matrix, "DTI": self._table,
            **{f"CORD2{kind}": self._points for kind in "RCS"}, **{f"CORD1{kind}": self._grids for kind in "RCS"},
            **dict.fromkeys(SETS, self._pairs), **{f"{name}1": self._set for name in SETS},
        }  # fmt: skip

    def finished(self) -> Bulk:
        """Return what the cards said, with the defaults of GRDSET in place of blank fields."""
        for number, grid in self.bulk.grids.items():
            of, out = (
                default if system == BLANK else system for system, default in ((grid.of, self.of), (grid.out, self.out))
            )
            self.bulk.grids[number] = replace(grid, of=of, out=out)
        return self.bulk

    def _grid(self, card: Card) -> None:
        number = card.whole(0)
        of, out = (card.whole(k, BLANK) for k in (1, 5))
        grid = Grid(card.where, of, tuple(card.reals(2, 3)), out)
        before = self.bulk.grids.setdefault(number, grid)
        if (before.of, before.coordinates, before.out) != (grid.of, grid.coordinates, grid.out):
            raise ModelError(f"{card.where} {number} differs from that of {before.where}: read the files of one model")
        if card.text(5) == "-1":
            raise ModelError(f"{card.where} {number} is a grid of a fluid (CD -1), which bodies have not: leave it out")

    def _defaults(self, card: Card) -> None:
        self.of, self.out = card.whole(1, 0), card.whole(5, 0)

    def _scalars(self, card: Card) -> None:
        self.bulk.scalars.update(dict.fromkeys(card.ids(0)))

    def _points(self, card: Card) -> None:
        points = tuple(tuple(card.reals(k, 3)) for k in (2, 5, 8))
        self._define(card, card.whole(0), System(card.where, card.name[-1], card.whole(1, 0), points))

    def _grids(self, card: Card) -> None:
        for k in (0, 4):
            if card.text(k):
                grids = tuple(card.whole(i) for i in range(k + 1, k + 4))
                self._define(card, card.whole(k), System(card.where, card.name[-1], 0, grids=grids))

    def _define(self, card: Card, number: int, system: System) -> None:
        before = self.bulk.systems.setdefault(number, system)
        if (before.kind, before.of, before.points, before.grids) != (
            system.kind, system.of, system.points, system.grids,
        ):  # fmt: skip
            raise ModelError(f"{card.where} {number} differs from that of {before.where}: read the files of one model")

    def _pairs(self, card: Card) -> None:
        for k in range(0, len(card.fields), 2):
            if card.text(k):
                self._put(card, card.name, [card.whole(k)], card.text(k + 1))

    def _set(self, card: Card) -> None:
        if card.text(1).upper() == "ALL":  # of the run that wrote the matrices; its files list the rows
            return
        self._put(card, card.name[:-1], card.ids(1), card.text(0))

    def _put(self, card: Card, name: str, points: Iterable[int], components: str) -> None:
        components = _components(card, components)
        known = self.bulk.sets.setdefault(name, {})
        for point in points:
            known[point] = "".join(sorted({*known.get(point, ""), *components}))

    def _external(self, card: Card) -> None:
        words = [word for word in card.fields if word]
        k = 0
        while k < len(words):
            count = 3 if k + 1 < len(words) and words[k + 1].upper() == "THRU" else 1
            points = card.range(words[k : k + 3]) if count == 3 else [card.integer(words[k])]
            k += count
            if k >= len(words):
                raise ModelError(f"{card.where} ends without the components of {points[-1]}: write the file again")
            components = _components(card, words[k])
            self.bulk.external.extend((point, components) for point in points)
            k += 1

    def _connected(self, card: Card) -> None:
        words = [word for word in card.fields[8:] if word]
        k = 0
        while k < len(words):
            count = 3 if k + 1 < len(words) and words[k + 1].upper() == "THRU" else 1
            points = card.range(words[k : k + 3]) if count == 3 else [card.integer(words[k])]
            self.bulk.connected.extend(points)
            k += 2 * count

    def _matrix(self, card: Card) -> None:
        name = card.text(0).upper()
        if not name:
            raise ModelError(f"{card.where} has no name of a matrix: write the file again")
        self.bulk.matrices.setdefault(name, Dmig(card, name)).add(card)

    def _table(self, card: Card) -> None:
        """Read record 2 of the table of MUG1's rows: in groups of four fields after the heading."""
        if card.text(0).upper() != TABLE or card.whole(1, 0) != 2:
            return
        words = [word for word in card.fields[2:] if word]
        while words[:1] == [HEADING]:
            words = words[GROUP:]
        for k in range(0, len(words) - GROUP + 1, GROUP):
            if words[k].upper() == "ENDREC":
                break
            kind, number, count, row = (card.integer(word) for word in words[k : k + GROUP])
            if count != REAL_DOFS or row != REAL_DOFS * len(self.bulk.recovered) + 1:
                raise ModelError(
                    f"{card.where} {TABLE} has the row {row} with {count} components of {number}, where row "
                    f"{REAL_DOFS * len(self.bulk.recovered) + 1} with six belongs: write the file again"
                )
            self.bulk.recovered.append(number if kind == A_GRID else None)


def _components(card: Card, text: str) -> str:
    """Return components such as "123", or "0" of scalar points. Raises ModelError."""
    components = text or "0"
    if not set(components) <= set("0123456"):
        raise ModelError(f"{card.where} has the components {display(text)}: they are digits from 1 to 6")
    return "".join(sorted(set(components)))
