"""The command line: mbs-fmu demo | simulate | linearize | trim | view | live | export | c | modelica | equations |
system | import | info | check | cache.

Exit codes: 0 success; 1 the model, FMU or run failed; 2 invalid command line, such as an unknown option or an unusable
value; 130 Ctrl-C (`simulate` then writes the rows computed so far).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ..infrastructure.arguments import Events
from ..infrastructure.errors import Argument, ArgumentError, ModelError
from ..infrastructure.version import VERSION
from ..run.errors import Interrupted, SimulationError
from .linear import linearize, trim
from .options import (
    INTERRUPTED,
    WRONG,
    Inputs,
    Method,
    ModelArgument,
    Numbers,
    Packages,
    PageMethod,
    Parameters,
    Progress,
    Rtol,
    Starts,
    Step,
    UsageError,
    When,
    assignments,
    fail,
    input_values,
    misused,
    numeric,
    with_parameters,
)
from .results import show_result
from .systems import describe_system, system
from .texts import c, equations, modelica

if TYPE_CHECKING:
    from ..fmi.naming import Naming

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


#: Options whose names differ from those of their arguments.
OPTIONS = {
    "stop_time": "--stop",
    "output_interval": "--interval",
    "version": "--model-version",
    "packages": "--package",
    "program": "--for",
}


def option(argument: Argument) -> str:
    """Return the option of an argument, with the value that a message states."""
    name = OPTIONS.get(argument.name, f"--{argument.name.replace('_', '-')}")
    return f"{name} {argument.value}" if argument.value else name


def show_version(is_requested: bool) -> None:
    """Print the version and exit, if requested."""
    if is_requested:
        typer.echo(f"mbs-fmu {VERSION}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version and leave")
    ] = False,
) -> None:
    """Simulate multibody mechanisms, and export them as FMUs."""


def check_kind(
    native: bool, fmi: str, platforms: str, cpu: str, arrays: bool, sources: bool = False, binaries: bool = True
) -> None:
    """Check --native and the options that depend on it; a contradiction ends the command."""
    from ..fmi.export import VERSIONS

    if fmi not in VERSIONS["native"]:
        fail(f"--fmi {fmi}: give 2.0, or 3.0 with --native", WRONG)
    if not arrays and fmi != "3.0":
        fail(f"--no-arrays is for --fmi 3.0: FMI {fmi} has no arrays, leave it out", WRONG)
    if not binaries and not (sources and native):
        missing = [option for option, given in (("--native", native), ("--sources", sources)) if not given]
        fail(f"--no-binaries is for native FMUs with sources: give {' and '.join(missing)} too, or leave it out", WRONG)
    if native:
        return
    if sources:
        fail("--sources is for native FMUs: give --native too, or leave it out", WRONG)
    if fmi not in VERSIONS["python"]:
        fail(f"--fmi {fmi} is for native FMUs: give --native too, or leave it out", WRONG)
    for option, value, default in (("--platforms", platforms, "all"), ("--cpu", cpu, "baseline")):
        if value != default:
            fail(f"{option} {value} is for native FMUs: give --native too, or leave it out", WRONG)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option("-o", "--output", help="where the files go")] = Path("demo"),
    native: Annotated[bool, typer.Option("--native", help="FMUs that need no Python")] = False,
) -> None:
    """Build the governor and its regulator as FMUs, validate and co-simulate them; write a plot and a csv."""
    from .demo import run_demo

    began = time.perf_counter()
    for path in run_demo(folder, typer.echo, "native" if native else "python").values():
        typer.echo(f"   {path}")
    typer.echo(f"Done in {time.perf_counter() - began:.1f} s.")


@app.command()
def simulate(
    model: ModelArgument,
    stop: Annotated[float, numeric("-t", "--stop", help="stop time, s")] = 10.0,
    parameter: Parameters = None,
    input: Inputs = None,
    start: Starts = None,
    method: Method = "dopri5",
    step: Step = None,
    rtol: Rtol = None,
    events: When = "located",
    interval: Annotated[float | None, numeric(help="output interval, s")] = None,
    csv: Annotated[Path | None, typer.Option(help="write all columns to this file")] = None,
    plot: Annotated[Path | None, typer.Option(help="draw the outputs into this file")] = None,
    momenta: Annotated[bool, typer.Option("--momenta", help="also the Poisson impulses of the joints")] = False,
    progress: Progress = None,
) -> None:
    """Run a model and print the final values of its outputs; other inputs keep their start values."""
    from ..run.bundled import model_from
    from ..run.momenta import momentum_columns
    from ..run.simulate import compiled
    from ..run.simulate import simulate as run

    m = model_from(model)
    inputs = {name: i.start for name, i in m.inputs.items()} | input_values(input)
    interrupted = None
    try:
        result = run(
            m, stop, inputs=inputs, parameters=assignments(parameter), start=assignments(start), method=method,
            step=step, rtol=rtol, output_interval=interval, events=cast(Events, events), momenta=momenta,
            progress=progress,
        )  # fmt: skip
    except Interrupted as error:
        interrupted, result = error, cast(Any, error.result)
    columns = [*m.outputs, *momentum_columns(compiled(m).program)] if momenta else m.outputs
    show_result(result, columns if m.outputs else result.columns[1:], csv, plot)
    if interrupted is not None:
        fail(f"{result.name}: interrupted; these are the results until then", INTERRUPTED)


app.command()(linearize)
app.command()(trim)


@app.command()
def export(
    model: ModelArgument,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="default fmus/<name>.fmu")] = None,
    parameter: Parameters = None,
    method: Method = "dopri5",
    step: Step = None,
    rtol: Rtol = None,
    events: When = "located",
    stop: Annotated[float, numeric(help="default stop time for importers, s")] = 10.0,
    communication_step: Annotated[float | None, numeric(help="default communication step, s")] = None,
    max_internal_steps: Annotated[
        int | None,
        numeric(help="largest number of internal steps in a communication step, default 10 million", kind=int),
    ] = None,
    native: Annotated[bool, typer.Option("--native", help="an FMU that needs no Python")] = False,
    fmi: Annotated[str, typer.Option(help="2.0, or with --native 3.0")] = "2.0",
    platforms: Annotated[
        str, typer.Option(help="of a native FMU: all, host, or some of linux64,win64,darwin64,... with commas")
    ] = "all",
    cpu: Annotated[str, typer.Option(help="of a native FMU: baseline, or x86-64-v3 for newer processors")] = "baseline",
    arrays: Annotated[
        bool, typer.Option("--arrays/--no-arrays", help="vectors as arrays in FMI 3.0, or as scalars as in FMI 2.0")
    ] = True,
    sources: Annotated[bool, typer.Option("--sources", help="of a native FMU: the model as C sources too")] = False,
    binaries: Annotated[
        bool, typer.Option("--binaries/--no-binaries", help="with --sources: libraries too, or sources alone")
    ] = True,
    naming: Annotated[
        str, typer.Option(help="structured names of variables such as arm.xi[1], or flat ones such as arm_xi_1")
    ] = "structured",
    variables: Annotated[
        str, typer.Option(help="that the FMU lists: all, outputs, or patterns of names with commas, such as 'arm.*'")
    ] = "all",
    author: Annotated[str, typer.Option(help="author of the model")] = "",
    model_version: Annotated[str, typer.Option(help="version of the model")] = "",
    copyright: Annotated[str, typer.Option(help="copyright of the model")] = "",
    license: Annotated[str, typer.Option(help="licence of the model, in a few words")] = "",
    license_file: Annotated[Path | None, typer.Option(help="text of the licence: .txt, .html or .spdx")] = None,
    progress: Progress = None,
) -> None:
    """Write a model as an FMU, with a reference result beside it."""
    from ..compile.tree.elastic_bodies import elastic_bodies
    from ..fmi.about import About
    from ..fmi.audience import form_of, keep_quiet
    from ..fmi.documentation import elastic_texts
    from ..fmi.export import export as write

    check_kind(native, fmi, platforms, cpu, arrays, sources, binaries)
    about = About(author, model_version, copyright, license, license_file)
    m = with_parameters(model, parameter)
    path = output or Path("fmus") / f"{m.name}.fmu"
    keep_quiet()
    write(
        m, path, "native" if native else "python", fmi=fmi, method=method, step=step, rtol=rtol, stop_time=stop,
        communication_step=communication_step, max_internal_steps=max_internal_steps, cpu=cpu,
        platforms=platforms if binaries else [], sources=sources, arrays=arrays,
        events=cast(Events, events), naming=cast("Naming", naming), about=about, progress=progress,
        variables=variables if variables in ("all", "outputs") else variables.split(","),
    )  # fmt: skip
    for text in elastic_texts(elastic_bodies(m), cast("Naming", naming)):
        typer.echo(text)
    typer.echo(f"wrote {path} and {path.with_name(path.stem + '_ref.csv')}")
    typer.echo(form_of(path).line(path.name))


app.command()(c)
app.command()(modelica)
app.command()(equations)
app.command()(system)


@app.command("import")
def import_(
    robot: Annotated[Path, typer.Argument(metavar="FILE", help="robot.urdf, robot.sdf, or robot.xml of MJCF")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="also write it as this FMU")] = None,
    native: Annotated[bool, typer.Option("--native", help="an FMU that needs no Python")] = False,
    fmi: Annotated[str, typer.Option(help="2.0, or with --native 3.0")] = "2.0",
    platforms: Annotated[str, typer.Option(help="of a native FMU, as of export")] = "all",
    free: Annotated[bool, typer.Option("--free", help="for a URDF: the root moves freely, as in an SDF")] = False,
    unphysical: Annotated[str | None, typer.Option(help="inertias of no body: refuse, keep or mend")] = None,
    massless: Annotated[str | None, typer.Option(help="joints that move nothing: refuse or weld")] = None,
    progress: Progress = None,
) -> None:
    """Show a robot's bodies, joints and limits, and the ignored parts of the file; write it as an FMU."""
    from ..fmi.export import export as write
    from ..importing.files import from_file
    from ..model.joints import Free

    check_kind(native, fmi, platforms, "baseline", True)
    options = {"base": Free() if free else None, "unphysical": unphysical, "massless": massless}
    imported = from_file(str(robot), **{name: value for name, value in options.items() if value is not None})
    for line in imported.lines():
        typer.echo(line)
    if output is not None:
        kind = "native" if native else "python"
        write(imported.model, output, kind, fmi=fmi, platforms=platforms, progress=progress)
        typer.echo(f"wrote {output}")


@app.command()
def view(
    model: ModelArgument,
    result: Annotated[
        Path | None,
        typer.Argument(metavar="[RESULT]", help="of a run: .csv, .npz, .parquet or .hdf5; default the start"),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="default <model>.html")] = None,
    parameter: Parameters = None,
    start: Starts = None,
    follow: Annotated[str | None, typer.Option(help="body that the camera follows")] = None,
) -> None:
    """Write a page that shows a model in 3D: in the rows of a result, or at its start."""
    from ..pages.showing import show
    from ..run.bundled import model_from
    from ..run.results.results import Result

    m = model_from(model)
    rows = None if result is None else Result.read(result)
    path = output or Path(f"{m.name}.html")
    show(m, rows, path, parameters=assignments(parameter), start=assignments(start), follow=follow)
    typer.echo(f"wrote {path}")


@app.command()
def live(
    model: ModelArgument,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="default <model>.html")] = None,
    parameter: Parameters = None,
    input: Numbers = None,
    start: Starts = None,
    method: PageMethod = None,
    step: Step = None,
    rtol: Rtol = None,
    follow: Annotated[str | None, typer.Option(help="body that the camera follows")] = None,
    play: Annotated[bool, typer.Option("--play", help="the model runs as soon as the page is open")] = False,
    show: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="write the page again after each change of the model's file, until Ctrl-C")
    ] = False,
    progress: Progress = None,
) -> None:
    """Write a page in which the model runs in any browser, with sliders and bodies that can be pulled."""
    from ..pages.living import live as write
    from ..run.bundled import model_from

    if watch:
        rewrite(model)
        return
    numbers, inputs, starts = assignments(parameter), assignments(input), assignments(start)
    m = model_from(model)
    path = output or Path(f"{m.name}.html")
    write(
        m, path, method=method, step=step, rtol=rtol, parameters=numbers, inputs=inputs, start=starts, follow=follow,
        play=play, progress=progress,
    )  # fmt: skip
    typer.echo(f"wrote {path}, {path.stat().st_size / 1e6:.2f} MB")
    if show:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())


def rewrite(model: str) -> None:
    """Run this command line without --watch, now and after each change of the model's file; --open acts once."""
    import sys

    from ..command_line.watching import run_on_changes

    file = Path(model.rpartition(":")[0] or model) if not Path(model).is_file() else Path(model)
    if not file.is_file():
        fail(f"--watch: no file {str(file)!r}; give MODEL as file.py[:function], robot.urdf, .sdf or .xml", WRONG)
    command = [sys.executable, "-m", "mbs_fmu", *(x for x in sys.argv[1:] if x != "--watch")]
    run_on_changes(file, command, [x for x in command if x != "--open"])


@app.command()
def info(
    model: Annotated[str, typer.Argument(metavar="MODEL, FMU or SSP", help="file.py[:function], an .fmu or an .ssp")],
) -> None:
    """List the variables of a model or an FMU, or the FMUs and connections of a system."""
    if model.endswith((".ssp", ".ssd")):
        describe_system(Path(model))
        return
    if model.endswith(".fmu"):
        from ..fmi.listing import describe_fmu

        lines = describe_fmu(Path(model))
    else:
        from ..fmi.listing import describe_model
        from ..run.bundled import model_from

        lines = describe_model(model_from(model))
    for line in lines:
        typer.echo(line)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="an .fmu file, robot.urdf, robot.sdf, or robot.xml of MJCF")],
    reference: Annotated[Path | None, typer.Option(help="of an FMU: default <name>_ref.csv beside <name>.fmu")] = None,
    tolerance: Annotated[
        float | None, numeric(help="of an FMU: largest difference over the output's range, default 1e-4")
    ] = None,
    mend: Annotated[
        Path | None, typer.Option(help="of a robot: write this file with the inertias of shapes in place of wrong ones")
    ] = None,
    packages: Packages = None,
    json: Annotated[bool, typer.Option("--json", help="of a robot: print the findings as JSON")] = False,
    program: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="PROGRAM", help="of an FMU: can this program load it? simulink, openmodelica, ..."
        ),
    ] = None,
) -> None:
    """Check an FMU: validate it, run it, and compare it with its reference result. Or report findings on a robot."""
    from ..importing.files import is_robot
    from .robots import check_robot

    is_fmu = not is_robot(file.name)
    for option, given, wanted in (
        ("--reference", reference, True), ("--tolerance", tolerance, True), ("--for", program, True),
        ("--mend", mend, False), ("--package", packages, False), ("--json", json, False),
    ):  # fmt: skip
        if given and is_fmu is not wanted:
            fail(f"{option} is for {'FMUs' if wanted else 'robot files'}: leave it out for {file.name}", WRONG)
    if not is_fmu:
        check_robot(file, mend, packages, json)
        return
    from .fmus import check_fmu

    check_fmu(file, reference, 1e-4 if tolerance is None else tolerance, program)


@app.command()
def cache(clear: Annotated[bool, typer.Option("--clear", help="remove all entries")] = False) -> None:
    """Show the cache of compiled models: its folder, size and bound; or clear it."""
    from ..infrastructure.disk import cache as disk_cache

    if clear:
        disk_cache.clear()
    names = {
        "kernels": "kernels", "programs": "models as programs", "objects": "kernels of FMUs, live pages",
        "numba": "kernels compiled by numba",
        "zig": "C libraries of zig",
    }  # fmt: skip
    typer.echo(f"{disk_cache.cache_directory()} (another folder: {disk_cache.CACHE_VARIABLE})")
    for folder, sizes in disk_cache.sizes().items():
        if folder in names:
            typer.echo(f"  {names[folder]:26} {len(sizes):6} files {sum(sizes) / 1e6:9.1f} MB")
    bound = f"{disk_cache.bound() / 1e6:g} MB"
    typer.echo(f"  at most {bound} but for C libraries (another bound: {disk_cache.SIZE_VARIABLE})")


def main() -> None:
    """Run the command line; errors of the package become one line and an exit code.

    Raises KeyboardInterrupt after Ctrl-C without results.
    """
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:  # typer's code for Ctrl-C
            raise KeyboardInterrupt
        raise SystemExit(code or 0)
    except UsageError as error:
        if not error.format_message():  # without arguments typer has printed its help
            raise SystemExit(WRONG) from None
        fail(misused(error), WRONG)
    except ArgumentError as error:
        fail(error.worded(option), WRONG)
    except ModelError as error:
        fail(error.worded(option))
    except (SimulationError, OSError) as error:
        fail(str(error))
