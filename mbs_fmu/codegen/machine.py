"""Machine code of kernels as it is kept: an object file, and a table of the functions that it has.

Of a C function, an array is a pointer to its first double, an integer has 64 bits; what a kernel returns is a double
or such an integer, truths too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Literal

FORMAT = 1  #: of the table

#: Of an argument: a record, numbers of the members of a batch side by side, a number, an integer.
ArgumentKind = Literal["array", "rows", "float", "int"]
ResultKind = Literal["float", "int"]


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
    """An object file for one processor. `needs`: the functions of the C library that it leaves to be found."""

    functions: tuple[Signature, ...]
    needs: tuple[str, ...]
    code: bytes

    def to_bytes(self) -> bytes:
        """The table as JSON in the first line, the object file behind it."""
        table = {"format": FORMAT, "functions": [asdict(f) for f in self.functions], "needs": self.needs}
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
            return cls(functions, tuple(table["needs"]), code)
        except (KeyError, TypeError, UnicodeDecodeError) as error:
            raise ValueError(f"no machine code of kernels: {error!r}") from None
