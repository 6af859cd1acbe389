"""Reads and writes of a kernel (`python -m tests.tools.effects KERNEL`), or the kernels that access `R.row_bias`.

The names after R are those of the schema (record/schema.py). A kernel's own effects include those of functions to which
it gives views. `--all` adds those of all kernels that it calls; generated functions, whose effects depend on the model
or the method, are listed by name. `--flat` prints the flat text of a kernel instead.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parents[1]))

from mbs_fmu.kernels.sources import source_of
from mbs_fmu.record.schema import Record
from support.effects import Effect, Kernel, all_effects, own_effects
from support.kernels import named
from support.shared_numbers import overlap

WIDTH = 118


def lines_of_kernel(kernel: FunctionType, found: Kernel) -> Iterator[str]:
    """Yield lines about one kernel."""
    yield f"{named(kernel)}:"
    for access in ("reads", "writes", "as integer"):
        numbers = sorted({str(e) for e in found.effects if e.access == access})
        yield from wrapped(f"  {access}:", numbers)
    yield from wrapped("  calls generated:", sorted(found.generated))


def flat_text(kernel: FunctionType) -> Iterator[str]:
    """Yield the text of a kernel in generated modules."""
    yield ast.unparse(source_of(kernel).tree)


def lines_of_number(number: str, kernels: Mapping[FunctionType, Kernel]) -> Iterator[str]:
    """Yield lines about the kernels that access a number of any record."""
    for access, word in (("writes", "written by:"), ("reads", "read by:")):
        accessing = [k for k, found in kernels.items() if any(touches(k, e, access, number) for e in found.effects)]
        yield from wrapped(word, sorted(map(named, accessing)))


def touches(kernel: FunctionType, effect: Effect, access: str, number: str) -> bool:
    """True if an effect is an access of numbers of a record; kernels get other arrays too."""
    is_of_record = kernel.__annotations__[effect.array.partition(".")[0]] in (Record, "Record")
    return is_of_record and effect.access == access and overlap(effect.name, number)


def wrapped(head: str, words: list[str]) -> Iterator[str]:
    """Yield lines that begin with a head and contain words."""
    line = head
    for word in words:
        if len(line) + len(word) >= WIDTH:
            yield line
            line = " " * 4
        line += f" {word}"
    if words:
        yield line


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.effects", description=__doc__.partition("\n")[0])
    parser.add_argument("what", help="a kernel, or numbers of the record such as R.row_bias")
    parser.add_argument("--all", action="store_true", help="include the kernels that are called")
    parser.add_argument("--flat", action="store_true", help="print the flat text of a kernel")
    given = parser.parse_args()
    kernels = all_effects() if given.all else own_effects()
    if given.what.startswith("R."):
        lines = lines_of_number(given.what.removeprefix("R."), kernels)
    else:
        asked = [k for k in kernels if given.what in (k.__name__, named(k))]
        lines = (line for k in asked for line in (flat_text(k) if given.flat else lines_of_kernel(k, kernels[k])))
    try:
        print("\n".join(lines) or "none")
    except KeyError as error:
        parser.error(f"the record has no {error}")


if __name__ == "__main__":
    main()
