"""The command `mbs-fmu check` on FMUs."""

from __future__ import annotations

from pathlib import Path

import typer

from .options import FAILED


def check_fmu(file: Path, reference: Path | None, tolerance: float, program: str | None) -> None:
    """Print who can load an FMU, and the findings; with a program only what keeps that one from loading it.

    What keeps it gives exit code 1.
    """
    from ..fmi.check import check_fmu as check
    from ..fmi.check import check_for

    if program is None:
        for line in check(file, reference, tolerance):
            typer.echo(line)
        return
    line, obstacles, notes = check_for(file, program)
    typer.echo(line)
    for text in [*obstacles, *notes]:
        typer.echo(f"  {text}")
    if obstacles:
        raise typer.Exit(FAILED)
    typer.echo(f"  nothing {'else ' if notes else ''}keeps {program} from loading it")
