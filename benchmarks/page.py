"""The page docs/benchmarks.md, whose sections commands rewrite one by one."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from . import speed

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
#: Kind of page, on its first line.
KIND = "*Reference, for readers who compare the package's speed with that of its peers or with an earlier version.*"
#: What holds for the figures of all sections, below the versions.
TIMES = """\
Sections that name a processor or say "measured separately" were measured at other times, on that processor. Compare
figures within a table: between tables the version of the package, the load and the processor may differ. The commands
run in the folder of the project, after `pip install -e '.[dev,robots]'`. Peers that are not installed are left out."""
RUNS = "## Whole runs"  #: by a command of its own, benchmarks.runs
TITLES = (
    "## Evaluation", "## Share of the machine's bound", "## Batches", "## Steppers", "## Rollouts with closed loops",
    "## Sweep against block Cholesky", "## Closed loops", "## Closure at velocity level",
    "## Released closures", RUNS, "## Contact", "## Near pairs", "## Machine elements",
    "## Vehicles", "## Roads",
    "## First use", "## First export", "## Engines", "## Large models", "## Large tables", "## Growth",
    "## Floor of a call", "## Changed values", "## Python FMU", "## Native FMU", "## Systems of FMUs", "## C text",
    "## Longest step", "## Model exchange", "## Methods", "## Stiff models", "## Elastic bodies", "## Sensitivities",
    "## Gradients of runs", "## Jacobians", speed.TITLE,
)  # fmt: skip


def rewritten(page: str, sections: Sequence[str], head: str = "") -> str:
    """The page with new sections in place of the old ones.

    head: beginning of a page that is written as a whole; of its old sections only `RUNS` remains.
    """
    first, *old = ("\n" + page).split("\n## ")
    kept = {f"## {text.splitlines()[0]}": f"## {text.strip()}" for text in old}
    if head:
        kept = {title: text for title, text in kept.items() if title == RUNS}
    found = {**dict.fromkeys(TITLES, ""), **kept, **{text.splitlines()[0]: text.strip() for text in sections}}
    return "\n\n".join([head or first.strip(), *(text for text in found.values() if text)]) + "\n"


def separate(section: str, command: str, processor: str) -> str:
    """Return a section with a line below its title that tells how it was measured without the others."""
    title, rest = section.split("\n", 1)
    words = f"Measured separately: `{command}`, on a processor {processor}."
    return f"{title}\n\n{textwrap.fill(words, 118, break_on_hyphens=False)}\n{rest}"
