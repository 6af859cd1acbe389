"""Models of up to 100 000 bodies: time, memory and size of files, each model in a separate process."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from .checkouts import ROOT, Checkout
from .report import progress, table

ABOUT = """\
A chain of hinges about y, and a tree of bodies of different masses and shapes, whose joints are hinges about principal
and other axes, slides, universal, cylindrical and ball joints. Each row is one process with an empty cache. Times are
processor time, s, and include the imports that a call needs. To measure this section alone,
run `python -m benchmarks --sections large`.

- model: the calls of `m.body`.
- first result: the first `mbs.simulate`, one step of rk4, with tracing and compilation.
- step: one further step of rk4 (four evaluations) in a call of `simulate`, ms; [growth](#growth) has steps alone.
- memory: largest resident size of the process up to then, MB.
- export: a Python FMU, after that run, with its reference run of ten steps.
- XML: the size of its `modelDescription.xml`, MB.
- load: fmpy extracts the FMU, reads its description, and creates and initializes an instance, s."""
SIZES = {"chain": (100, 1000, 10000, 100000), "tree": (100, 1000, 10000)}
QUICK = 1000  #: largest number of bodies of a quick run
COLUMNS = {
    "model": "{:.2f}", "first result": "{:.1f}", "step": "{:.3g}", "memory": "{:.0f}", "export": "{:.1f}",
    "XML": "{:.2f}", "load": "{:.1f}",
}  # fmt: skip


def section(quick: bool) -> str:
    """Report section."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        side = Checkout(ROOT, Path(folder))
        side.keep_byte_code()
        for shape, sizes in SIZES.items():
            for bodies in sizes:
                if quick and bodies > QUICK:
                    continue
                progress(f"large models, {shape} of {bodies}")
                cache = Path(folder) / f"{shape}{bodies}"
                figures = json.loads(side.printed("large_child", f"measure({shape!r}, {bodies})", cache))
                rows.append([f"{shape}, {bodies}", *(form.format(figures[name]) for name, form in COLUMNS.items())])
    header = ["bodies", *(f"{name}, ms" if name == "step" else name for name in COLUMNS)]
    return "\n\n".join(["## Large models", ABOUT, table(header, rows)])
