"""The command `system`: coupled FMUs of an SSP package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..run.errors import Interrupted
from .options import INTERRUPTED, Parameters, Progress, Rtol, assignments, fail, numeric
from .results import show_result

if TYPE_CHECKING:
    from ..cosimulation.coupling import Coupling
    from ..cosimulation.packages.engines import Engine


def system(
    package: Annotated[Path, typer.Argument(metavar="FILE", help="package of a system: NAME.ssp")],
    stop: Annotated[float | None, numeric("-t", "--stop", help="stop time, s; by default that of the file")] = None,
    step: Annotated[float | None, numeric(help="communication step, s; by default that of the file")] = None,
    coupling: Annotated[str, typer.Option(help="hold, extrapolate, iterate or exchange")] = "hold",
    parameter: Parameters = None,
    method: Annotated[str, typer.Option(help="with --coupling exchange: rk4 or dopri5")] = "rk4",
    rtol: Rtol = None,
    engine: Annotated[str | None, typer.Option(help="libcosim or ecos; by default the own one")] = None,
    watch: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="columns, as element.variable; by default all outputs")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="write all columns to this file")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw all columns into this file")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="write the system instead of running it: NAME.ssp, "
                                  "FOLDER/OspSystemStructure.xml, or NAME.fmu")
    ] = None,
    progress: Progress = None,
) -> None:  # fmt: skip
    """Run the coupled FMUs of a file and print final values, or write them in another format."""
    from ..cosimulation.system import System

    s = System.read(package)
    for name, value in assignments(parameter).items():
        s.set(name, value)
    names = None if watch is None else [name.strip() for name in watch.split(",") if name.strip()]
    if output is not None:
        typer.echo(f"wrote {s.export(output, stop_time=stop, step=step, outputs=names, progress=progress)}")
        return
    interrupted = None
    try:
        result = s.run(
            stop, step, coupling=cast("Coupling", coupling), method=method, rtol=rtol, watch=names,
            engine=cast("Engine | None", engine), progress=progress,
        )  # fmt: skip
    except Interrupted as error:
        interrupted, result = error, cast(Any, error.result)
    show_result(result, result.columns[1:], csv, plot)
    if interrupted is not None:
        fail(f"{result.name}: interrupted; these are the results until then", INTERRUPTED)


def describe_system(file: Path) -> None:
    """Print the elements of a package with their start values, and its connections."""
    from ..cosimulation.system import System

    s = System.read(file)
    times = [f"{name} {x:g} s" for name, x in (("stop time", s.stop_time), ("step", s.step)) if x is not None]
    typer.echo(", ".join([f"{s.name}: {len(s.elements)} FMUs", *times]))
    for name, element in s.elements.items():
        start = ", ".join(f"{slot.name} = {value} {slot.variable.unit or ''}".rstrip() for slot, value in element.start)
        description = element.description
        typer.echo(f"  {name:24} {description.path.name:24} FMI {description.version}.0  {start}".rstrip())
    for target, link in s.links.items():
        changed = "" if (link.factor, link.offset) == (1.0, 0.0) else f" = {link.factor:g} x + {link.offset:g}"
        typer.echo(f"  {link.source[0]}.{link.source[1].name} -> {target}{changed}")
    for note in s.notes:
        typer.echo(note)
