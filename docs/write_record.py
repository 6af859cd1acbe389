"""Write docs/record.md, the tables of the record's numbers, from the schema. Run from the top of the project:

python docs/write_record.py
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path

from mbs_fmu.record import dimensions
from mbs_fmu.record.fields import Condition, Declaration, Dimension, Greatest, Struct, Unchanged, Whole, members
from mbs_fmu.record.schema import BLOCKS, TABLES, Record

PAGE = Path(__file__).with_name("record.md")
INTRODUCTION = """# Numbers of the record

*Reference, for developers. `python docs/write_record.py` writes this page from `record/schema.py`.*

The [record](architecture.md#the-record) consists of the following regions, in this order. Kernels use the names:
`R.q[k]`, `R.reduced_rows[k, h]`, `R.resets[j].last`. The numbers of `HeadNumbers` and `LoopNumbers` are attributes of
the record itself: `R.time`, `R.alpha`. Symbols, and numbers such as (L7), are those of the equations of
[trees](equations.md), [loops](equations_loops.md) and [elastic bodies](equations_elastic.md).

- "region": the name that kernels use; "in `scales`" is the region's name in programs, where it differs.
- "numbers": a region of "links × 12" numbers has twelve for each link.
- "if": a region exists, and is not empty, only if these [conditions](#conditions) hold.
- "range": least and greatest value of numbers that kernels use as an index, a count or a choice. A saved state that an
  importer restores must be in these ranges.
- "role": steps change the regions before `scratch`, and later steps read them, except those with the role "constant",
  which no step changes, and "evaluated", which each evaluation of the rates computes anew. The regions behind
  `scratch` are workspace of one step, except those with the role "remembered", which later steps read.
"""


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def table(*head: str, rows: Iterable[str]) -> str:
    return "\n".join([row(*head), row(*("---" for _ in head)), *rows]) + "\n"


def shape(d: Declaration) -> str:
    """The lengths of a declaration; the name of the blocks of which it consists."""
    lengths = [str(n) for n in d.shape]
    lengths += [f"`{d.block.__name__}`"] if d.block else []
    return " × ".join(lengths) if lengths else "like the first record" if d.repeats else "1"


def bound(value: float | Greatest) -> str:
    if callable(value):
        return f"`{value.__name__}`"
    return "2⁵³" if value == 2.0**53 else f"{value:g}"


def whole(d: Declaration) -> str:
    """The range of whole numbers."""
    if isinstance(d.whole, Unchanged):
        return "never changes"
    if not isinstance(d.whole, Whole):
        return ""
    return f"{'minus ' + bound(d.whole.high) if d.whole.low is None else bound(d.whole.low)} to {bound(d.whole.high)}"


def region(name: str, d: Declaration) -> str:
    conditions = ", ".join(f"`{condition.__name__}`" for condition in (d.only, d.when) if condition)
    place = f"`{name}`" + (f", in `{d.region}`" if d.region != name else "")
    return row(place, shape(d), d.unit, conditions, whole(d), d.role.name.lower() if d.role else "", d.meaning)


def overlay(name: str, d: Declaration) -> str:
    return row(f"`{name}`", f"`{d.overlay}`", shape(d), d.meaning)


def block_table(block: type[Struct]) -> str:
    rows = (
        row(str(d.offset), f"`{name}`", shape(d), d.unit, whole(d), d.meaning) for name, d in members(block).items()
    )
    head = f"### {block.__name__}\n\n{inspect.cleandoc(block.__doc__ or '')}\n\n"
    return head + table("index", "name", "numbers", "unit", "range", "meaning", rows=rows)


def conditions() -> dict[str, Condition]:
    return {
        name: f
        for name, f in vars(dimensions).items()
        if inspect.isfunction(f) and name.startswith(("has_", "shares_"))
    }


def greatest() -> list[Callable[..., object]]:
    """The functions of a program that bound its numbers, in the order of their first uses."""
    declared = [d for block in (Record, *BLOCKS.values()) for d in members(block).values()]
    bounds = [d.whole.high for d in declared if isinstance(d.whole, Whole)]
    return list(dict.fromkeys(bound for bound in bounds if callable(bound)))


def page() -> str:
    """The text of the page."""
    declared = members(Record)
    regions = [region(name, d) for name, d in declared.items() if not d.overlay]
    others = [overlay(name, d) for name, d in declared.items() if d.overlay]
    lengths = (row(f"`{name}`", str(n)) for name, n in vars(dimensions).items() if isinstance(n, Dimension))
    known = (row(f"`{name}`", inspect.getdoc(f) or "") for name, f in conditions().items())
    tables = (
        row(f"`{name}`", ", ".join(f"`{column}`" for column in t.columns), t.meaning) for name, t in TABLES.items()
    )
    bounds = (row(f"`{f.__name__}`", (inspect.getdoc(f) or "").removeprefix("Return ")) for f in greatest())
    parts = [
        INTRODUCTION,
        table("region", "numbers", "unit", "if", "range", "role", "content", rows=regions),
        "## Other names of the same numbers\n",
        table("name", "from", "numbers", "content", rows=others),
        "## Conditions\n",
        table("condition", "meaning", rows=known),
        "## Greatest values\n",
        table("value", "meaning", rows=bounds),
        "## Blocks of numbers\n",
        *(block_table(block) for block in BLOCKS.values()),
        "## Lengths and tables of integers\n",
        "Kernels use these names as constants.\n",
        table("length", "number of", rows=lengths),
        table("table", "columns", "content", rows=tables),
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
