"""The command `mbs-fmu check` on robot files."""

from __future__ import annotations

from pathlib import Path

import typer

from .options import FAILED, pairs


def check_robot(file: Path, mend: Path | None, packages: list[str] | None, as_json: bool) -> None:
    """Print the findings on a robot file; write the mended file, if one is named. Errors give exit code 1."""
    from ..importing.doctor.check import check_robot as check
    from ..importing.doctor.findings import counted

    folders = {name: folder for _, name, folder in pairs(packages)}
    report = check(file, packages=folders or None, mend=mend)
    if as_json:
        import json

        typer.echo(json.dumps(report.table(), indent=1))
    else:
        for line in report.lines():
            typer.echo(line)
    if mend is not None:
        left = f"; unchanged, since no other inertia is known: {', '.join(report.unmended)}" if report.unmended else ""
        links = counted(len(report.mended), "link")
        typer.echo(f"wrote {mend} with other inertias of {links}{left}", err=as_json)
    if report.errors:
        raise typer.Exit(FAILED)
