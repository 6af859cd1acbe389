"""Constant tables of integers in generated modules: the names of their columns, and what each row is.

A table with one column has one integer in each row. The writer of a module supplies the entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from .fields import Column, Table, column, table

Row = TypeVar("Row")


def flat(rows: Iterable[Sequence[int]]) -> list[int]:
    """Return the entries of a table, row by row."""
    return [entry for row in rows for entry in row]


def rows_of(row: Callable[..., Row], entries: Sequence[int]) -> list[Row]:
    """Return the rows of a table from its entries; `row` is the class of the rows."""
    columns = len(row.__annotations__)
    return [row(*entries[k : k + columns]) for k in range(0, len(entries), columns)]


class End(NamedTuple):
    """An end of a row."""

    link: int
    y: int  #: index in `row_y`
    row: int


class Open(NamedTuple):
    """A row open at a link."""

    y: int
    parent_y: int  #: Y at the parent
    projection: int  #: first of its numbers in `row_w`, `row_b` and `row_d`
    row: int


class Pair(NamedTuple):
    """A pair of loops open at a link."""

    left: int  #: first projection of one loop
    right: int
    block: int
    rows: int
    columns: int
    rates: int  #: joint velocities


class LoopPair(NamedTuple):
    """The numbers of both loops of a pair."""

    first: int
    second: int


class Rooted(NamedTuple):
    """A loop rooted at a link, where its rows are eliminated."""

    loop: int
    rows: int
    first_row: int
    block: int
    factor: int
    y: int


class Later(NamedTuple):
    """A loop that shares a block of S with an eliminated loop, and is eliminated later."""

    first_row: int
    rows: int
    block: int
    y: int


class Update(NamedTuple):
    """A pair of later loops."""

    left: int  #: block of one loop with the eliminated one
    right: int
    block: int  #: of the pair
    rows: int
    columns: int


class LinksOfLoop(NamedTuple):
    """Begin and end, in SWITCHED_LINKS, of the links at which a loop with modes has rows."""

    first: int
    end: int


class SwitchedRow(NamedTuple):
    """A row of a loop with modes."""

    row: int
    mode: int
    loop: int


class Frontal(NamedTuple):
    """A frontal matrix, in the order of elimination."""

    rooted: int  #: index of its loop in ROOTED
    matrix: int
    size: int  #: number of its rows
    next: int  #: next loop in this order, or -1
    rows: int  #: index of its rows in FRONT_ROWS


class Node(NamedTuple):
    """A node of an elastic body."""

    block: int  #: place of its block in region `elastic`
    link: int  #: that of its body


class StaticMode(NamedTuple):
    """A vibration mode that starts in static equilibrium."""

    coordinate: int
    rate: int


class Knots(NamedTuple):
    """A table over time in the record."""

    first: int
    points: int


class Mode(NamedTuple):
    """A closure with constraint modes."""

    role: int  #: a value of `ModeRole`
    rated: int  #: 1 for a one-sided row that is open while its rate, not its residual, is positive
    first_row: int
    rows: int
    turned: int  #: 1 + index in `rotated_axes`, if a place is rotated when the closure engages, or 0
    held: int  #: 1 if the closure is engaged at every start
    here: int  #: 1 if the latch locks the position at which it engages
    equal: int  #: 1 if the latch's condition for release is true at equality


ENDS: Table[End] = table(End, "for each end of a constraint row: link, its Y, row")
OPEN: Table[Open] = table(
    Open, "for each row open at a link: its Y there and at the parent, its first entry in `row_w`, row"
)
PAIRS: Table[Pair] = table(Pair, "for each pair of loops open at a link: its block of S")
PAIR_LOOPS: Table[LoopPair] = table(LoopPair, "for each of these pairs the numbers of both loops")
ROOTED: Table[Rooted] = table(Rooted, "for each loop rooted at a link: its rows, S_cc, L and Y (L7)")
LATER: Table[Later] = table(
    Later, "for each loop that is eliminated later than a loop of ROOTED and shares a block of S with it"
)
UPDATES: Table[Update] = table(
    Update, "for each pair of such later loops: blocks with the eliminated loop, and block of the pair"
)
UPDATE_LOOPS: Table[LoopPair] = table(LoopPair, "for each of these pairs the numbers of both loops")
SWITCHED: Table[LinksOfLoop] = table(
    LinksOfLoop, "for each closure with constraint modes, first and end of its links in SWITCHED_LINKS"
)
SWITCHED_ROWS: Table[SwitchedRow] = table(SwitchedRow, "for each row of closures with constraint modes")
FRONTAL: Table[Frontal] = table(Frontal, "for each frontal matrix in the order of elimination (L16)")
NODES: Table[Node] = table(
    Node, "for each node of all elastic bodies, including the root: its block in region `elastic`, and link"
)
STATIC_MODES: Table[StaticMode] = table(
    StaticMode, "for each mode that starts in static equilibrium: its coordinate and joint velocity"
)
KNOTS: Table[Knots] = table(Knots, "for each table over time: address of its first point, and number of points")
MODE: Table[Mode] = table(
    Mode,
    "for each closure with constraint modes",
    separate={
        "role": "MODE_ROLE", "rated": "MODE_RATED", "first_row": "MODE_FIRST", "rows": "MODE_ROWS",
        "turned": "MODE_TURNED", "held": "MODE_HELD", "here": "MODE_HERE", "equal": "MODE_EQUAL",
    },
)  # fmt: skip
COLUMNS: Column = column("addresses of a result's columns in the record")
CLASS: Column = column("class of each link; links of a class share code")
PARENT: Column = column("parent of each link")
CHILDREN: Column = column("number of children of each link")
SLOT: Column = column("for each link with several children its row in region `branch`")
Q_INDEX: Column = column("first coordinate of each link")
U_INDEX: Column = column("first joint velocity of each link")
DRIVEN_Q_INDEX: Column = column("first prescribed coordinate of each link")
DRIVEN_U_INDEX: Column = column("first prescribed velocity of each link")
PACKED: Column = column("addresses of the constants that the links' classes use")
UNPACKED: Column = column("for each of these constants the address of its source")
QUATERNIONS: Column = column("address of the first component of each quaternion")
LOCKED: Column = column("address of the middle angle of each joint of three angles")
EVENT_DIRECTIONS: Column = column("direction of each event: 1 upwards, -1 downwards, 0 both")
STOPS: Column = column("for each event: 1 if it ends the run")
RESETS: Column = column("for each event: 1 if it has resets")
NEW_OWNER: Column = column("for each new value the index of its clock, or that of its event plus the number of clocks")
NEW_TARGET: Column = column("for each new value the address that it is assigned to")
NEW_MOVES: Column = column("for each new value: 1 if it is a coordinate or a joint velocity")
ROW_LOOP: Column = column("loop of each row")
ROW_ANGULAR: Column = column("for each row: 1 if its residual is an angle")
ROW_TURNED: Column = column("for each row: 1 if assembly may replace it by a component of a rotation vector")
ROW_BINDS: Column = column("for each row: 1 if it constrains positions, 0 for a rate constraint")
CONTACT: Column = column("for each contact parameter its number among the signal states")
ROW_MODE: Column = column("for each row the number of its closure's mode from 1, or 0")
LOOP_MODE: Column = column("for each loop the number of its closure's mode from 1, or 0")
ANGULAR: Column = column("for each joint velocity: 1 if it is angular")
RATES_OF: Column = column("number of joint velocities of each link")
RATE_INDEX: Column = column("first joint velocity of each link")
OPEN_FIRST: Column = column("for each link its first row in OPEN")
OPEN_PERMANENT_END: Column = column(
    "for each link the end of its rows of permanent closures (without constraint modes)"
)
PAIR_FIRST: Column = column("for each link its first pair")
PAIR_PERMANENT_END: Column = column("for each link the end of its pairs of permanent closures")
ROOTED_FIRST: Column = column("for each link its first loop in ROOTED")
ROOTED_PERMANENT_END: Column = column("for each link the end of its permanent closures in ROOTED")
LATER_FIRST: Column = column("for each entry of ROOTED its first entry of LATER")
LATER_PERMANENT_END: Column = column("for each entry of ROOTED the end of its permanent later loops")
UPDATE_FIRST: Column = column("for each entry of ROOTED its first entry of UPDATES")
UPDATE_PERMANENT_END: Column = column("for each entry of ROOTED the end of its pairs of permanent loops")
SWITCHED_LINKS: Column = column(
    "links at which closures with constraint modes have rows; the world has the number N_LINKS"
)
FRONT_ROWS: Column = column("for each row of a frontal matrix the constraint row")
FRONT_MAP: Column = column("for each row of a frontal matrix its index in the next one, 0 for the loop's own rows")
ELASTIC_LINKS: Column = column("links of elastic bodies")
ELASTIC_INDEX: Column = column("for each link: place of its block in region `elastic`")
ELASTIC_PARENT: Column = column("for each link: place of its parent's block")
U_PARENT: Column = column("for each link: first joint velocity of its parent")
SHAPES_INDEX: Column = column("for each link: place of its data in region `shapes`")
MASSES_INDEX: Column = column("for each elastic body: place of Me in `shapes`, behind which K and D lie")
COUPLINGS_INDEX: Column = column("for each elastic body: place of its matrix B in region `mode_couplings`")
NODE_COUNT: Column = column("for each elastic body: number of its nodes, including the root")
ROOTED_MODES: Column = column(
    "for each elastic body: 1 if its joint is at its first node (the root), 0 if at the mean frame"
)
MODE_COUNT: Column = column("for each link: number of its vibration modes; for a node, those of its body")
NEAR_LINK: Column = column("for each shape with a list of near pairs its link; -1 in the world")
NEAR_KIND: Column = column("for each of these shapes its kind")
NEAR_MEETING: Column = column(
    "for each kind of shape on a, and for each on b: 1 + number of the law of a pair; 0: none"
)
NEAR_NUMBER: Column = column("for each law of a pair, each side, and each shape: its numbers in `near_numbers`")
NEAR_APART_FIRST: Column = column("for each of these shapes its first entry of NEAR_APART, and the end of all")
NEAR_APART: Column = column("shapes of larger index that a shape does not touch: on bodies that are joined, and such")
FORM_INDEX: Column = column("for each link that is a node: place of its N (F4) in region `elastic`")
