"""What kernels read and write: `python -m tests.tools.effects KERNEL`; who does: `... R.row_v`, `... R.resets.last`.

The names after R are those of the schema (record/schema.py). A kernel's own effects include those of functions to which
it gives views. `--all` adds those of all kernels that it calls; generated functions, whose effects depend on the model
or the method, are listed by name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FunctionType

sys.path.insert(0, str(Path(__file__).parents[1]))

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


def lines_of_number(number: str, kernels: Mapping[FunctionType, Kernel]) -> Iterator[str]:
    """Yield lines about the kernels that access a number of any record."""
    for access, word in (("writes", "written by:"), ("reads", "read by:")):
        accessing = [k for k, found in kernels.items() if any(touches(e, access, number) for e in found.effects)]
        yield from wrapped(word, sorted(map(named, accessing)))


def touches(effect: Effect, access: str, number: str) -> bool:
    return effect.access == access and overlap(effect.name, number)


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
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", help="a kernel, or a number of the record such as R.row_v")
    parser.add_argument("--all", action="store_true", help="include the kernels that are called")
    given = parser.parse_args()
    kernels = all_effects() if given.all else own_effects()
    if given.what.startswith("R."):
        print("\n".join(lines_of_number(given.what.removeprefix("R."), kernels)))
        return
    for kernel, found in kernels.items():
        if kernel.__name__ == given.what or named(kernel).endswith(f".{given.what}"):
            print("\n".join(lines_of_kernel(kernel, found)))


if __name__ == "__main__":
    main()
