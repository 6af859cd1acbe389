"""The commands that write models as text: `c`, `modelica` and `equations`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from ..infrastructure.arguments import Events
from .options import ModelArgument, Parameters, Progress, numeric, with_parameters


def c(
    model: ModelArgument,
    folder: Annotated[Path, typer.Argument(help="gets <name>.c and <name>.h")] = Path(),
    parameter: Parameters = None,
    method: Annotated[str, typer.Option(help="method of the steps")] = "rk4",
    real: Annotated[str, typer.Option(help="type of numbers: double, or float for trees of rigid bodies")] = "double",
    index: Annotated[str, typer.Option(help="type of integers: int64_t or int32_t")] = "int64_t",
    events: Annotated[
        str,
        typer.Option(help="steps: constraint modes, samples and resets act where steps begin"),
    ] = "located",
    poses: Annotated[bool, typer.Option("--poses", help="a function for the poses of bodies")] = False,
    progress: Progress = None,
) -> None:
    """Write a model as C for firmware, without FMI."""
    from ..firmware.export import export_c

    m, when = with_parameters(model, parameter), cast(Events, events)
    header = export_c(m, folder, method=method, real=real, index=index, events=when, poses=poses, progress=progress)
    typer.echo(f"wrote {header.with_suffix('.c')} and {header}")


def modelica(
    model: ModelArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="default <Name>.mo, which names the model")
    ] = None,
    parameter: Parameters = None,
    keep: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="parameters that stay parameters; by default all")
    ] = None,
    outputs: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="outputs that the text has; by default all")
    ] = None,
    progress: Progress = None,
) -> None:
    """Write a model as text in the language Modelica."""
    from ..modelica.export import export_modelica

    m = with_parameters(model, parameter)
    path = output or Path(f"{''.join(part.capitalize() for part in m.name.split('_'))}.mo")
    export_modelica(m, path, parameters=_listed(keep), outputs=_listed(outputs), progress=progress)
    typer.echo(f"wrote {path}")


def equations(
    model: ModelArgument,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="write them to this file")] = None,
    hamilton: Annotated[bool, typer.Option("--hamilton", help="momenta and their rates instead")] = False,
    limit: Annotated[int, numeric(help="largest number of degrees of freedom", kind=int)] = 5,
    progress: Progress = None,
) -> None:
    """Print the symbolic equations of motion of a model as LaTeX."""
    from ..analysis.symbolic_equations.equations import equations as symbolic
    from ..run.bundled import model_from

    made = symbolic(model_from(model), limit=limit, progress=progress)
    text = made.hamilton().latex() if hamilton else made.latex()
    if output is None:
        typer.echo(text)
        return
    output.write_text(f"{text}\n", encoding="utf-8", newline="\n")
    typer.echo(f"wrote {output}")


def _listed(text: str | None) -> list[str] | None:
    """Return the names of a text with commas; None without a text."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
