"""Options of the command line, and parsers of their values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from ..infrastructure.errors import ArgumentError, ModelError
from ..run.results.csv_tables import read_table

if TYPE_CHECKING:
    from ..model.model import Model

UsageError: Any = typer.BadParameter.__base__  #: of click, of which some versions of typer contain a copy


class NoNumber(typer.BadParameter):
    """Error for an option whose value is not a number."""


def numeric(*names: str, help: str, kind: Any = float) -> Any:
    """Return an option whose value is a number of type `kind`, float or int."""
    description = {float: "number", int: "whole number"}[kind]

    def parsed(text: Any) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise NoNumber(f"{text!r}: give a {description}") from None

    return typer.Option(*names, help=help, parser=parsed, metavar=description.split()[-1].upper())


ModelArgument = Annotated[
    str, typer.Argument(metavar="MODEL", help="file.py[:function], module:function, robot.urdf, .sdf or .xml")
]
Parameters = Annotated[
    list[str] | None, typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="set a parameter, in its unit")
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "-i",
        "--input",
        metavar="NAME=VALUE|FILE.csv[:COLUMN]",
        help="hold an input constant, or take times and values of a file",
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option(
        "--package", metavar="NAME=FOLDER", help="of a robot: folder of package://NAME/... or model://NAME/..."
    ),
]
Numbers = Annotated[list[str] | None, typer.Option("-i", "--input", metavar="NAME=VALUE", help="value of an input")]
Starts = Annotated[
    list[str] | None,
    typer.Option("-s", "--start", metavar="NAME=VALUE", help="start value of a coordinate, joint velocity or state"),
]
Method = Annotated[
    str,
    typer.Option(help="dopri5, dop853, tsit5, rodas5p, ros34pw2; with --step also rk4, abm6, gauss2, gauss4, gauss6"),
]
PageMethod = Annotated[
    str | None, typer.Option(help="as for simulate; default dopri5, or ros34pw2 for models with elastic bodies")
]
Step = Annotated[float | None, numeric(help="fixed step, s")]
When = Annotated[
    str, typer.Option("--events", help="located, or steps: with --step, changes at the ends of steps only")
]
Progress = Annotated[
    bool | None,
    typer.Option("--progress/--no-progress", help="show the progress; by default on a terminal", show_default=False),
]
Time = Annotated[float, numeric(help="time of the point, s")]
Mode = Annotated[
    list[str] | None,
    typer.Option("--mode", metavar="NUMBER=FILE.html", help="write a page that shows this eigenmode, numbered from 0"),
]
Write = Annotated[Path | None, typer.Option("-o", "--output", help="write matrices and names: .npz, .mat or .csv")]
Rtol = Annotated[float | None, numeric(help="relative tolerance of an adaptive method")]

FAILED, WRONG, INTERRUPTED = 1, 2, 130  #: exit codes


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Print one line on standard error and exit with the code."""
    typer.secho(f"mbs-fmu: {message}", err=True, fg="red")
    raise SystemExit(code)


def misused(error: Any) -> str:
    """Return one line about an invalid command line: the option, its value and the remedy."""
    if isinstance(error, NoNumber):
        option: Any = error.param
        return f"{max(option.opts, key=len)} is {error.message} ({option.help})"
    message = " ".join(error.format_message().split()).rstrip(".")
    command = error.ctx.command_path if error.ctx is not None else "mbs-fmu"
    return f"{message}; see {command} --help"


def pairs(texts: list[str] | None) -> Iterator[tuple[str, str, str]]:
    """Yield each NAME=VALUE with its name and its value; an invalid one ends the command."""
    for pair in texts or []:
        name, sign, value = pair.partition("=")
        if not sign or not name.strip():
            fail(f"{pair!r} is not NAME=VALUE", WRONG)
        yield pair, name.strip(), value.strip()


def assignments(texts: list[str] | None) -> dict[str, float]:
    """Return NAME=VALUE pairs as a dictionary; an invalid one ends the command."""
    return {name: number(value, pair, "a number") for pair, name, value in pairs(texts)}


def number(value: str, pair: str, description: str) -> float:
    """Return a value as a number; an invalid one ends the command."""
    try:
        return float(value)
    except ValueError:
        fail(f"{pair!r} is not NAME=VALUE with {description}", WRONG)


def input_values(texts: list[str] | None) -> dict[str, Any]:
    """Return numbers, or (times, values) from files, by the names of inputs; an invalid pair ends the command."""
    values: dict[str, Any] = {}
    for pair, name, value in pairs(texts):
        file, dot, column = value.partition(".csv:") if ".csv:" in value else (value, "", "")
        path = file + dot.removesuffix(":")
        if not path.lower().endswith(".csv"):
            values[name] = number(value, pair, "a number or FILE.csv")
        elif Path(path).is_file():
            values[name] = read_table(path, column or name, bool(column))
        else:
            fail(f"{pair!r}: no file {path!r}", WRONG)
    return values


def with_parameters(model: str, given: list[str] | None) -> Model:
    """Return the model with the parameters of the command line. Raises ArgumentError for an invalid one."""
    from ..run.bundled import model_from

    m = model_from(model)
    for name, value in assignments(given).items():
        try:
            m.set_parameter(name, value)
        except ModelError as error:
            raise ArgumentError(*error.parts) from None
    return m
