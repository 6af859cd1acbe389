"""Printing of results, and files that are made from them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from .options import fail


def show_result(result: Any, names: Iterable[str], csv: Path | None, plot: Path | None) -> None:
    """Print final values of columns, events and statistics; write the requested files."""
    for name in names:
        value = result[name][-1:]
        typer.echo(f"{name} = {value[0] if len(value) else 'nothing yet'} {result.unit(name) or ''}".rstrip())
    for name, times in result.events.items():
        first = ", ".join(f"{t:.9g}" for t in times[:10]) + (" ..." if len(times) > 10 else "")
        typer.echo(f"event {name}: {len(times)} times{', at ' if first else ''}{first}{' s' if first else ''}")
    for note in result.statistics.pop("notes", []):
        typer.echo(note)
    typer.echo(", ".join(f"{key} {value}" for key, value in result.statistics.items()))
    if csv is not None:
        typer.echo(f"wrote {result.to_csv(csv)}")
    if plot is not None:
        try:
            result.plot(path=plot)
        except ValueError as error:
            fail(f"{plot}: {error}")
        typer.echo(f"wrote {plot}")
