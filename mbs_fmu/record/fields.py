"""Declarations of which a schema of arrays consists: numbers, vectors, matrices, blocks, dimensions, tables.

A declaration is the value of a class attribute. A block of numbers is a class derived from `Struct`; an array, such as
the record, is a class with the attribute `is_array`. No objects of these classes exist: kernels get plain arrays, and
the classes state what these contain. Two readers look at a declaration:

- type checkers and editors: `R.reduced_rows[k, h]` is a float, `R.reduced_rows[k]` a `Vector`, `ROOTED[z].rows` an int;
- layout, ranges, documentation and text of modules: shape, order, unit, meaning, range, condition.

On its class, a number of a block is its index in the block: `Clock.first` is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar, Unpack, cast, overload

from ..infrastructure.lazy_dataclasses import dataclass
from .counts import Counted
from .sizes import Sizes

Size = Callable[[Sizes], int]
Condition = Callable[[Sizes], bool]
#: The greatest value of a number in a program, or of each number of a region.
Greatest = Callable[[Counted], float | Sequence[float]]

#: Names with a meaning of their own on views of an array, which no declaration can have.
RESERVED = frozenset({
    "flat", "packed", "address", "matrix", "part", "at", "like", "second", "tangents", "elastic_block", "node_block",
    "size", "indices",
})  # fmt: skip


# -- types of the attributes, for type checkers ----------------------------------------------------------------


class Array(Protocol):
    """Any array of numbers that is read."""

    def __getitem__(self, index: int, /) -> float: ...


class Numbers(Protocol):
    """An array whose numbers have no names."""

    def __getitem__(self, index: int, /) -> float: ...
    def __setitem__(self, index: int, value: float, /) -> None: ...


class Vector(Protocol):
    """Numbers in a row: a region, a part of one, or a row or column of a matrix. Slices are views, as in numpy."""

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> Vector: ...
    @overload
    def __setitem__(self, index: int, value: float) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Vector) -> None: ...
    def matrix(self, at: int, columns: int) -> Matrix:
        """Return the numbers from index `at` on as rows of `columns` numbers."""
        ...

    @property
    def address(self) -> int:
        """The address of the first number in its array."""
        ...


class Matrix(Protocol):
    """Rows of numbers. `A[i, j]` is a number, `A[i]` and `A[:, j]` are vectors, `A[:, j:]` is a matrix."""

    @overload
    def __getitem__(self, index: tuple[int, int]) -> float: ...
    @overload
    def __getitem__(self, index: int) -> Vector: ...
    @overload
    def __getitem__(self, index: tuple[int, slice]) -> Vector: ...
    @overload
    def __getitem__(self, index: tuple[slice, int]) -> Vector: ...
    @overload
    def __getitem__(self, index: slice | tuple[slice, slice]) -> Matrix: ...
    @overload
    def __setitem__(self, index: tuple[int, int], value: float) -> None: ...
    @overload
    def __setitem__(self, index: int | tuple[int, slice], value: Vector) -> None: ...
    @overload
    def __setitem__(self, index: slice, value: Matrix) -> None: ...
    @property
    def flat(self) -> Vector:
        """All numbers, row by row."""
        ...

    @property
    def address(self) -> int:
        """The address of the first number in its array."""
        ...


class Symmetric(Protocol):
    """The upper triangle of a symmetric 3x3 matrix: xx, xy, xz, yy, yz, zz; indices are literals, i <= j."""

    def __getitem__(self, index: tuple[int, int]) -> float: ...
    def __setitem__(self, index: tuple[int, int], value: float) -> None: ...
    @property
    def packed(self) -> Vector:
        """Its six numbers."""
        ...


Block = TypeVar("Block", bound="Struct")
Row = TypeVar("Row", covariant=True)
View = TypeVar("View", covariant=True)


class Structs(Protocol[View]):
    """Blocks of named numbers, one after the other."""

    def __getitem__(self, index: int) -> View: ...
    @property
    def flat(self) -> Vector:
        """The numbers of all blocks."""
        ...

    @property
    def address(self) -> int:
        """The address of the first number in its array."""
        ...


# -- declarations ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """Range of a number that kernels use as index, count or choice.

    low: least value; None for minus the greatest one.
    high: greatest value, or a function of the program.
    is_bound_by_others: its bounds depend on numbers of other regions too, which `kernels.records.fits` compares.
    """

    low: float | None
    high: float | Greatest
    is_bound_by_others: bool = False


class Unchanged:
    """Range of whole numbers that never change: each has the value of the program's first record."""


class Role(Enum):
    """Role of a region in a step, for regions that differ from the others on their side of the mark `scratch`.

    Steps change regions before the mark, and later steps read them. Regions behind the mark are workspace of one step.
    """

    CONSTANT = "no step changes it"
    REMEMBERED = "workspace that later steps read"
    EVALUATED = "every evaluation of the rates writes it before it is read"


class Declaration:
    """A number, vector, matrix or block: its shape, unit, meaning, range and place.

    shape: numbers or `Dimension`s; () for one number, or one block.
    only: condition without which an array does not have the region.
    when: condition without which the region is empty.
    whole: range of numbers that kernels use as integers.
    block: class of the blocks of which a region consists.
    overlay: for a further name of declared numbers, the name of the first region, number or member.
    region: name of the region, if it is not the attribute's, or if the region consists of several declarations.
    role: what steps do with the region; the first declaration of a region states it.
    index: the index variable that locates a link's numbers in generated loops (layout.py).
    flat: name in flat text, if it is not the attribute's.
    packed: the numbers are the upper triangle of a symmetric 3x3 matrix.
    repeats: the region is this many times as long as all regions before it together.
    """

    def __init__(
        self,
        shape: tuple[int | Dimension, ...],
        meaning: str,
        unit: str = "",
        *,
        only: Condition | None = None,
        when: Condition | None = None,
        whole: Whole | Unchanged | None = None,
        block: type[Struct] | None = None,
        overlay: str = "",
        region: str = "",
        index: str = "",
        flat: str = "",
        role: Role | None = None,
        packed: bool = False,
        repeats: int | Dimension = 0,
    ):
        self.shape, self.meaning, self.unit = shape, meaning, unit
        self.only, self.when, self.whole, self.block, self.overlay = only, when, whole, block, overlay
        self.region, self.index, self.flat, self.role = region, index, flat, role
        self.packed, self.repeats = packed, repeats
        self.name, self.offset = "", 0
        self.owner: type = object
        self.is_region = False

    def __set_name__(self, owner: type, name: str) -> None:
        if name in RESERVED:
            raise ValueError(f"{owner.__name__}.{name}: views have an attribute of this name, choose another one")
        self.owner, self.name, self.is_region = owner, name, is_array(owner)
        self.region = self.region or name
        self.flat = self.flat or name

    @property
    def count(self) -> int:
        """Number of numbers of a block's member, which has a literal shape."""
        count = 1
        for n in self.shape:
            assert isinstance(n, int)
            count *= n
        return count

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if self.is_region else self.offset


def is_array(owner: type) -> bool:
    """Return whether the declarations of a class are regions of an array, not members of a block."""
    return "is_array" in vars(owner)


def members(owner: type) -> dict[str, Declaration]:
    """Return the declarations of a class itself, in their order."""
    return {name: d for name, d in vars(owner).items() if isinstance(d, Declaration)}


class Struct:
    """Base of blocks of named numbers; `size` is their number. On the class, a member is its index in the block."""

    size: int

    def __init_subclass__(cls) -> None:
        if is_array(cls):
            return
        cls.size = 0
        for d in members(cls).values():
            if d.overlay:
                d.offset = members(cls)[d.overlay].offset
            else:
                d.offset = cls.size
                cls.size += d.count

    @classmethod
    def indices(cls, name: str) -> range:
        """Return the indices of a member in the block, one for each of its numbers."""
        d = members(cls)[name]
        return range(d.offset, d.offset + d.count)

    if TYPE_CHECKING:

        def part(self, at: int) -> Vector:
            """Return the numbers of the block from index `at` on."""
            ...

        def matrix(self, at: int, columns: int) -> Matrix:
            """Return the numbers of the block from index `at` on as rows of `columns` numbers."""
            ...


# For type checkers, a declaration has the type of its attribute on a view; a member of a block is an int on its class.
class _Number:
    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> int: ...
        @overload
        def __get__(self, instance: object, owner: type) -> float: ...
        def __get__(self, instance: object | None, owner: type) -> float: ...
        def __set__(self, instance: object, value: float) -> None: ...


class _Part(Generic[View]):
    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> int: ...
        @overload
        def __get__(self, instance: object, owner: type) -> View: ...
        def __get__(self, instance: object | None, owner: type) -> int | View: ...


class Options(TypedDict, total=False):
    """Keyword arguments of declarations of regions, see `Declaration`."""

    only: Condition
    when: Condition
    whole: Whole | Unchanged
    region: str
    index: str
    flat: str
    role: Role


# -- members of blocks -----------------------------------------------------------------------------------------


def number(meaning: str, unit: str = "", *, whole: Whole | Unchanged | None = None) -> _Number:
    """Declare a number."""
    return cast(_Number, Declaration((), meaning, unit, whole=whole))


def numbers(size: int, meaning: str, unit: str = "") -> _Part[Vector]:
    """Declare a vector of numbers."""
    return cast("_Part[Vector]", Declaration((size,), meaning, unit))


def table_of(rows: int, columns: int, meaning: str, unit: str = "") -> _Part[Matrix]:
    """Declare a matrix of numbers, row by row."""
    return cast("_Part[Matrix]", Declaration((rows, columns), meaning, unit))


def symmetric(meaning: str, unit: str = "") -> _Part[Symmetric]:
    """Declare the six numbers of a symmetric 3x3 matrix."""
    return cast("_Part[Symmetric]", Declaration((6,), meaning, unit, packed=True))


def also(first: str, size: int, meaning: str, unit: str = "") -> _Part[Vector]:
    """Declare another name for `size` numbers of the block, from member `first` on."""
    return cast("_Part[Vector]", Declaration((size,), meaning, unit, overlay=first))


# -- regions of arrays -----------------------------------------------------------------------------------------


def vector(size: int, meaning: str, unit: str = "", **options: Unpack[Options]) -> Vector:
    """Declare a region of `size` numbers."""
    return cast(Vector, Declaration((size,), meaning, unit, **options))


def matrix(rows: int, columns: int, meaning: str, unit: str = "", **options: Unpack[Options]) -> Matrix:
    """Declare a region of `rows` times `columns` numbers, row by row."""
    return cast(Matrix, Declaration((rows, columns), meaning, unit, **options))


def structs(size: int, block: type[Block], meaning: str, **options: Unpack[Options]) -> Structs[Block]:
    """Declare a region of `size` blocks, one behind the other."""
    return cast("Structs[Block]", Declaration((size,), meaning, block=block, **options))


def struct(block: type[Block], meaning: str, **options: Unpack[Options]) -> Block:
    """Declare a region of one block."""
    return cast(Block, Declaration((), meaning, block=block, **options))


def mark(meaning: str) -> int:
    """Declare a place between regions: a region without numbers."""
    return cast(int, Declaration((0,), meaning))


def repetition(times: int, meaning: str, *, only: Condition) -> int:
    """Declare a region that is `times` as long as all regions before it together."""
    return cast(int, Declaration((), meaning, only=only, repeats=times))


def within(first: str, size: int, meaning: str, unit: str = "") -> Vector:
    """Declare another name for `size` numbers: those from region or number `first` on."""
    return cast(Vector, Declaration((size,), meaning, unit, overlay=first))


def block_within(first: str, block: type[Block], meaning: str) -> Block:
    """Declare another name for a region, as one block."""
    return cast(Block, Declaration((), meaning, block=block, overlay=first))


# -- dimensions and tables -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dimension:
    """A number of things in a model, which kernels use as an integer.

    size: its value from the sizes of a model; None if the writer of a module supplies it.
    """

    meaning: str
    size: Size | None

    def __mul__(self, other: int | Dimension) -> Dimension:
        return Dimension(f"{self} × {other}", lambda sizes: size_of(self, sizes) * size_of(other, sizes))

    __rmul__ = __mul__

    def __add__(self, other: int | Dimension) -> Dimension:
        return Dimension(f"{self} + {other}", lambda sizes: size_of(self, sizes) + size_of(other, sizes))

    __radd__ = __add__

    def __str__(self) -> str:
        return self.meaning


def size_of(n: int | Dimension, sizes: Sizes) -> int:
    """Return the value of a dimension, or of a literal number."""
    if not isinstance(n, Dimension):
        return n
    if n.size is None:
        raise ValueError(f"the sizes of a model do not determine the number of {n}")
    return n.size(sizes)


def dimension(meaning: str, size: Size | None = None) -> int:
    """Declare a number of things; without `size`, the writer of the module supplies it."""
    return cast(int, Dimension(meaning, size))


class Table(Protocol[Row]):
    """A constant table: rows of named integers."""

    def __getitem__(self, index: int) -> Row: ...


class Column(Protocol):
    """A constant table with one integer in each row."""

    def __getitem__(self, index: int) -> int: ...


@dataclass(frozen=True)
class DeclaredTable:
    """A constant table.

    row: the class whose annotated attributes are the columns; None for one column.
    separate: the names of tables that contain one column each, by column, if the columns are not in one table.
    """

    row: type | None
    meaning: str
    separate: dict[str, str] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in their order."""
        return tuple(self.row.__annotations__) if self.row else ()


def table(row: type[Row], meaning: str, separate: dict[str, str] | None = None) -> Table[Row]:
    """Declare a table of which `row` has the columns as annotated attributes; see `DeclaredTable`."""
    return cast("Table[Row]", DeclaredTable(row, meaning, separate))


def column(meaning: str) -> Column:
    """Declare a table with one column."""
    return cast(Column, DeclaredTable(None, meaning))
