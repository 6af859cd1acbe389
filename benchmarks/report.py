"""Tables, the machine's description and progress messages."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

PACKAGES = ("numba", "llvmlite", "numpy", "pin", "mujoco", "fmpy", "pythonfmu")


class Unavailable(Exception):
    """A peer that is not available, with the reason."""


def progress(message: str) -> None:
    """Print a line on stderr before long work."""
    print(f"benchmarks: {message} ...", file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, first column left-aligned, numbers right-aligned, padded to be readable as plain text."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(cells, widths, strict=True))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if k == 0 else "-" * (w - 1) + ":" for k, w in enumerate(widths)]
    return "\n".join([line(header), line(rule), *(line(row) for row in rows)])


def number(value: float | None, pattern: str = "{:.0f}") -> str:
    """Text of a cell; a dash for missing numbers."""
    return "-" if value is None else pattern.format(value)


def cpu_name() -> str:
    """Model name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine(compiler: str | None) -> str:
    """Processor and versions, one line each."""
    lines = [
        f"- processor: {cpu_name()}, {os.cpu_count()} cores, {platform.machine()}, {platform.system()}",
        f"- Python {platform.python_version()}",
    ]
    for name in PACKAGES:
        try:
            lines.append(f"- {name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            lines.append(f"- {name} is not installed")
    return "\n".join([*lines, f"- C++ compiler of the peers: {compiler or 'none'}"])
