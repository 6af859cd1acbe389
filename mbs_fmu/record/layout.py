"""Addresses of numbers: symbolic ones, before the layout of a model is known, and their places in the layout.

A second record `D` of the same layout as the record `R` contains tangents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..infrastructure.lazy_dataclasses import dataclass
from .blocks import HeadNumbers
from .fields import members
from .schema import Record
from .sizes import Sizes

#: Upper triangle of a symmetric 3x3 matrix, in storage order xx, xy, xz, yy, yz, zz.
INERTIA = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Load:
    """A symbolic address of a number: its array (such as R or D), its region, and its offset there.

    `base` is the index variable of a generated loop: it locates the block of a link or row in the region. If it is "",
    `offset` counts from the region's start. In a loop over a table of addresses, `base` is the whole address and
    `region` is "". The function `bound` returns the index in the record.
    """

    array: str
    region: str
    offset: int
    base: str = ""

    def __str__(self) -> str:
        return f"{self.region}[{self.base}+{self.offset}]" if self.base else f"{self.region}[{self.offset}]"


@dataclass(frozen=True)
class Local:
    """A local variable that generated code carries from one link to the next."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Direction:
    """A direction along which tangents are taken.

    `arrays` gives for each array the one with its tangents; `prefix` begins the names of tangents of local variables.
    """

    arrays: Mapping[str, str]
    prefix: str

    def of(self, target: Load | Local) -> Load | Local:
        """Return the address of the tangent of a number."""
        if isinstance(target, Local):
            return Local(self.prefix + target.name)
        return replace(target, array=self.arrays[target.array])


Directions = Sequence[Direction]
#: Kernels exist without tangents, with tangents along one direction (..._d), and along two at once (..._dd). For two, E
#: contains the tangents of R along the second direction, and F the tangents of D along it.
DIRECTIONS: Directions = (Direction({"R": "D"}, "d_"), Direction({"R": "E", "D": "F"}, "e_"))


def arrays(along: Directions) -> list[str]:
    """Return the names of the arrays of a kernel with tangents along these directions."""
    return ["R", *(array for direction in along for array in direction.arrays.values())]


@dataclass(frozen=True)
class Region:
    """A section of the record: `size` doubles from `start`; blocks of `stride` doubles if each link has a block."""

    name: str
    start: int
    size: int
    stride: int = 0

    @property
    def stop(self) -> int:
        return self.start + self.size


Layout = Mapping[str, Region]

#: The index variable that locates a link's numbers, by region.
BASES = {d.region: d.index for d in members(Record).values() if d.index}
ROW_INDICES = ("y", "up", "o", "row")  #: index variables of an open row: Y here and at the parent, projections, row
CHANNEL_INDICES = ("z", "z_up")  #: index variables of an open row for coupled joints: Z here and at the parent


class RecordLayout(Layout):
    """The regions of a model's record by their names, in their order; `sizes` are those of the model."""

    def __init__(self, sizes: Sizes, regions: Mapping[str, Region]):
        self.sizes = sizes
        self._regions = regions

    def __getitem__(self, name: str) -> Region:
        return self._regions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._regions)

    def __len__(self) -> int:
        return len(self._regions)


def bound(load: Load, layout: Layout) -> int:
    """Return the index of a number in its record, to be added to `load.base` if that is not empty.

    Raises IndexError for an offset outside the region, or outside a link's block if all blocks have the same size.
    """
    region = layout[load.region]
    size = region.stride if load.base and region.stride else region.size
    # Code for open rows exists for every class of links, also if no row is open at them and the region is empty.
    is_of_row = load.base in (*ROW_INDICES, *CHANNEL_INDICES)
    if not 0 <= load.offset < size and not is_of_row:
        raise IndexError(f"{load} lies outside of its region, which has {region.size} numbers, {region.stride} a link")
    return region.start + load.offset


#: Addresses of `HeadNumbers.time`, `HeadNumbers.side` and `HeadNumbers.still`.
TIME = Load("R", "head", HeadNumbers.time)
SIDE = Load("R", "head", HeadNumbers.side)
STILL = Load("R", "head", HeadNumbers.still)
