"""The commands `linearize` and `trim`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..infrastructure.progress import watched
from .options import (
    WRONG,
    Mode,
    ModelArgument,
    Numbers,
    Parameters,
    Progress,
    Starts,
    Time,
    Write,
    assignments,
    fail,
    numeric,
    pairs,
)

if TYPE_CHECKING:
    from ..analysis.linear.linear_model import LinearModel


def linearize(
    model: ModelArgument,
    parameter: Parameters = None,
    input: Numbers = None,
    start: Starts = None,
    time: Time = 0.0,
    output: Write = None,
    mode: Mode = None,
    progress: Progress = None,
) -> None:
    """Print eigenvalues of the linear model about a start, with frequency and damping; write its matrices."""
    from ..analysis.linear.linearize import linearize as linear
    from ..run.bundled import model_from

    numbers, inputs, starts = assignments(parameter), assignments(input), assignments(start)
    require_writable(output)
    with watched(progress):
        result = linear(model_from(model), start=starts, inputs=inputs, parameters=numbers, time=time)
    print_linear_model(result, output, mode)


def trim(
    model: ModelArgument,
    parameter: Parameters = None,
    input: Numbers = None,
    start: Starts = None,
    free: Annotated[
        list[str] | None, typer.Option("-f", "--free", metavar="NAME", help="a state or input to be determined")
    ] = None,
    settle: Annotated[float, numeric(help="duration of a run from the start before the search, s")] = 0.0,
    time: Time = 0.0,
    output: Write = None,
    mode: Mode = None,
    progress: Progress = None,
) -> None:
    """Find an equilibrium or steady motion near a start; print it, then what `linearize` prints there."""
    from ..analysis.linear.trim import trim as steady
    from ..run.bundled import model_from

    numbers, inputs, starts = assignments(parameter), assignments(input), assignments(start)
    require_writable(output)
    m = model_from(model)
    with watched(progress):
        result = steady(m, start=starts, inputs=inputs, free=free or None, parameters=numbers, time=time, settle=settle)
    for name, value in result.values.items():
        typer.echo(f"{name} = {value:.12g}")
    print_linear_model(result, output, mode)


def require_writable(output: Path | None) -> None:
    """Raise, before any work, the errors of `LinearModel.save` for an invalid file name."""
    from ..analysis.linear.linear_model import writable

    if output is not None:
        writable(output)


def print_linear_model(linear: LinearModel, output: Path | None, modes: list[str] | None) -> None:
    """Print eigenvalues and notes on frozen modes; write matrices and pages of eigenmodes as requested."""
    typer.echo(f"residual {linear.residual:.3g}; states: {', '.join(linear.states)}")
    typer.echo(f"mode {'eigenvalue (1/s)':>32} {'frequency (Hz)':>16} {'damping':>10}")
    for k, (value, frequency, damping) in enumerate(linear.damping()):
        typer.echo(f"{k:>4} {value.real + 0.0:>16.9g}{value.imag:>+15.9g}j {frequency:>16.9g} {damping + 0.0:>10.4g}")
    for note in linear.frozen:
        typer.echo(note)
    if output is not None:
        typer.echo(f"wrote {linear.save(output)}")
    for pair, name, page in pairs(modes):
        if not name.isdecimal() or not page:
            fail(f"{pair!r} is not NUMBER=FILE.html", WRONG)
        typer.echo(f"wrote {linear.animate(int(name), page)}")
