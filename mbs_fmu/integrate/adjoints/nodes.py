"""Kernels as data: blocks of assignments, loops, branches and calls."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...record.layout import Load
from ...symbolic.expressions import Expression
from .places import Extent


@dataclass
class Store:
    """An assignment to the record. added: the value is added to the number."""

    target: Load
    value: Expression
    added: bool
    extent: Extent


@dataclass
class Block:
    """Assignments, whose values are those before the block. results: values that a function returns.

    begin: number of assignments of the function before the block.
    """

    begin: int = 0
    stores: list[Store] = field(default_factory=list)
    results: list[Expression] = field(default_factory=list)
    reads: dict[Load, Extent] = field(default_factory=dict)

    @property
    def extents(self) -> dict[Load, Extent]:
        """Numbers of the record that the block reads or writes."""
        return {**self.reads, **{store.target: store.extent for store in self.stores}}


@dataclass
class Body:
    """Statements with the integers that they use, each with its text."""

    integers: list[tuple[str, str]] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)


@dataclass
class Loop:
    """A loop over the values of a range."""

    variable: str
    values: range
    body: Body


@dataclass
class Branch:
    """A branch: by the text of a condition that also holds later, or by a condition on numbers.

    reads: numbers of the record in the condition.
    """

    test: str | Expression
    body: Body
    otherwise: Body
    reads: dict[Load, Extent] = field(default_factory=dict)


@dataclass
class Call:
    """A call of another kernel. carried: name of the tuple that is an argument, "" if there is none.

    assigned: the tuple is the result, too.
    """

    name: str
    integers: list[str]
    carried: str = ""
    assigned: bool = False


@dataclass
class Zero:
    """The assignment of zeros to a carried tuple."""

    carried: str
    text: str


Node = Block | Loop | Branch | Call | Zero


@dataclass
class Function:
    """A kernel. integers: its arguments that are integers. carried: locals that its last argument contains."""

    name: str
    integers: list[str]
    carried: list[str]
    body: Body
