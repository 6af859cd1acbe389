"""Machine code of kernels as stored in the cache: an object file and a table of its functions.

In C, an array is a pointer to its first double, and integers have 64 bits. Kernels return a double or such an integer,
which also represents truth values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, field
from typing import Any, Literal

from ..infrastructure.lazy_dataclasses import dataclass

FORMAT = 4  #: format of the table

MachineFunction = Callable[..., Any]  #: raises TypeError for arguments of other kinds than its own

#: Kind of an argument: a record, the records of a batch (one column for each member), a number, an integer.
ArgumentKind = Literal["array", "rows", "float", "int"]
ResultKind = Literal["float", "int"]

#: Quick code compiles in a tenth of the time of full code and runs three times as long.
Tier = Literal["quick", "full"]

PLAIN = "kernel_"  #: prefix of the names of C functions
PYTHON = "python_"  #: prefix of the names of functions for Python


class NoLanes(Exception):
    """A text cannot be compiled for lanes; the message states the reason."""


@dataclass(frozen=True)
class Signature:
    """A kernel as a function in machine code, for one sequence of kinds of arguments."""

    kernel: str
    arguments: tuple[ArgumentKind, ...]
    result: ResultKind


@dataclass(frozen=True)
class MachineCode:
    """An object file for one processor, and a table of the functions that it defines and needs.

    `needs` are the undefined functions of the C library.

    Quick code shares functions with code that was compiled before. `offers` are the names of the shared functions that
    it defines. `dependencies` are the names of the shared functions that it calls, by the cache entry that defines
    them. `cost` is the approximate processor time for full code, s.
    """

    functions: tuple[Signature, ...]
    needs: tuple[str, ...]
    code: bytes
    offers: tuple[str, ...] = ()
    dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cost: float = 0.0

    def to_bytes(self) -> bytes:
        """Return the table as one line of JSON, followed by the object file."""
        table = {
            "format": FORMAT, "functions": [asdict(f) for f in self.functions], "needs": self.needs,
            "offers": self.offers, "dependencies": dict(self.dependencies), "cost": self.cost,
        }  # fmt: skip
        return json.dumps(table, sort_keys=True).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, data: bytes) -> MachineCode:
        """Return machine code from the result of `to_bytes`. Raises ValueError for other bytes."""
        head, _, code = data.partition(b"\n")
        try:
            table = json.loads(head)
            if table["format"] != FORMAT:
                raise ValueError(f"format {table['format']!r}")
            functions = tuple(Signature(f["kernel"], tuple(f["arguments"]), f["result"]) for f in table["functions"])
            dependencies = {entry: tuple(names) for entry, names in table["dependencies"].items()}
            shared = tuple(table["offers"]), dependencies, float(table["cost"])
            return cls(functions, tuple(table["needs"]), code, *shared)
        except (AttributeError, KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"no machine code of kernels: {error!r}") from None
