"""Machine code of kernels as it is kept: an object file, and a table of the functions that it has.

Of a C function, an array is a pointer to its first double, an integer has 64 bits; what a kernel returns is a double
or such an integer, truths too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, field
from typing import Any, Literal

from ..lazy_dataclasses import dataclass

FORMAT = 3  #: of the table

MachineFunction = Callable[..., Any]  #: TypeError for arguments of other kinds than its own

#: Of an argument: a record, numbers of the members of a batch side by side, a number, an integer.
ArgumentKind = Literal["array", "rows", "float", "int"]
ResultKind = Literal["float", "int"]

#: Quick code is made in a tenth of the time that full code takes, and three times as slow.
Tier = Literal["quick", "full"]

PLAIN = "kernel_"  #: what the name of a C function begins with, before that of its kernel
PYTHON = "python_"  #: the same of a function that Python calls


@dataclass(frozen=True)
class Signature:
    """A kernel as a function that others call, for one sequence of kinds of arguments."""

    kernel: str
    arguments: tuple[ArgumentKind, ...]
    result: ResultKind


@dataclass(frozen=True)
class MachineCode:
    """An object file for one processor, and a table of what it has and needs.

    needs: functions of the C library that it leaves to be found. Quick code shares functions with what was compiled
    before it. offers: names of those that it has; behind: the entries of the cache that have others, and these; cost:
    about how many seconds of processor time full code would take.
    """

    functions: tuple[Signature, ...]
    needs: tuple[str, ...]
    code: bytes
    offers: tuple[str, ...] = ()
    behind: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cost: float = 0.0

    def to_bytes(self) -> bytes:
        """The table as JSON in the first line, the object file behind it."""
        table = {
            "format": FORMAT, "functions": [asdict(f) for f in self.functions], "needs": self.needs,
            "offers": self.offers, "behind": dict(self.behind), "cost": self.cost,
        }  # fmt: skip
        return json.dumps(table, sort_keys=True).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> MachineCode:
        """The inverse of `to_bytes`; ValueError for bytes that are none of these."""
        head, _, code = data.partition(b"\n")
        try:
            table = json.loads(head)
            if table["format"] != FORMAT:
                raise ValueError(f"format {table['format']!r}")
            functions = tuple(Signature(f["kernel"], tuple(f["arguments"]), f["result"]) for f in table["functions"])
            behind = {place: tuple(names) for place, names in table["behind"].items()}
            shared = tuple(table["offers"]), behind, float(table["cost"])
            return cls(functions, tuple(table["needs"]), code, *shared)
        except (AttributeError, KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"no machine code of kernels: {error!r}") from None
