"""`simulate` and `compiled`; the modules that run a model are imported by the first run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from ..infrastructure.arguments import Events, Formulation, ParameterValues, Solver
from ..infrastructure.messages.calls import with_clear_errors
from ..model.model import Model
from .models import require_model as require_model

if TYPE_CHECKING:
    from ..codegen.engines import EngineName
    from .batches.batch import Batch
    from .inputs import InputValue
    from .results.batches import BatchResult
    from .results.results import Result
    from .runtime import Runtime
    from .variants import Variant

F = TypeVar("F", bound=Callable[..., Any])


def compiled(
    model: Model,
    solver: Solver = "cholesky",
    laws: Mapping[str, Callable[..., Any]] | None = None,
    method: str = "dopri5",
    alone: bool = False,
    engine: EngineName | None = None,
) -> Runtime:
    """Return the model's runtime, compiled once, and again only after the model's structure has changed.

    `laws` contains the inputs that are functions of time; each call traces them, because the data that they use may
    have changed. `method` is the method of the runs; the runtime also has the standard methods, unless `alone` is true.
    `engine` executes the kernels (`codegen.engines`). Raises ModelError.
    """
    from .inputs import traced_laws
    from .variants import compiled_variant

    require_model(model)
    return compiled_variant(model, solver, traced_laws(laws or {}), method, alone, engine)


def runtimes(model: Model) -> dict[Variant, tuple[int, Runtime]]:
    """Return the compiled variants of a model in memory, as `variants.runtimes` does."""
    from . import variants

    return variants.runtimes(model)


def beside_fmus(run: F) -> F:
    """Decorate `simulate`: FMUs of others that a model has (`Model.fmu`) run it beside them."""

    @functools.wraps(run)
    def chosen(model: Model, stop_time: float, **settings: Any) -> Any:
        require_model(model)
        if not model.fmus:
            return run(model, stop_time, **settings)
        return next(iter(model.fmus.values())).partner.simulate(model, stop_time, **settings)

    return cast(F, chosen)


# fmt: off
@overload
def simulate(
    model: Model, stop_time: float, *, start_time: float = ..., start: Mapping[str, float] | None = ...,
    inputs: Mapping[str, InputValue] | None = ..., parameters: ParameterValues | None = ..., method: str = ...,
    step: float | None = ..., rtol: float | None = ..., atol: float | None = ...,
    output_interval: float | None = ..., max_step: float | None = ..., solver: Solver = ...,
    progress: bool | None = ..., batch: None = ..., formulation: Formulation = ...,
    events: Events = ..., sensitivities: Sequence[str] | None = ..., momenta: bool = ...,
    engine: EngineName | None = ...,
) -> Result: ...


@overload
def simulate(
    model: Model, stop_time: float, *, start_time: float = ..., start: Mapping[str, float] | None = ...,
    inputs: Mapping[str, InputValue] | None = ..., parameters: ParameterValues | None = ..., method: str = ...,
    step: float | None = ..., rtol: float | None = ..., atol: float | None = ...,
    output_interval: float | None = ..., max_step: float | None = ..., solver: Solver = ...,
    progress: bool | None = ..., batch: Batch, formulation: Formulation = ...,
    events: Events = ..., sensitivities: Sequence[str] | None = ..., momenta: bool = ...,
    engine: EngineName | None = ...,
) -> BatchResult: ...
# fmt: on


@with_clear_errors
@beside_fmus
def simulate(
    model: Model, stop_time: float, *, start_time: float = 0.0, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None,
    method: str = "dopri5", step: float | None = None, rtol: float | None = None, atol: float | None = None,
    output_interval: float | None = None, max_step: float | None = None, solver: Solver = "cholesky",
    progress: bool | None = None, batch: Batch | None = None, formulation: Formulation = "tree",
    events: Events = "located", sensitivities: Sequence[str] | None = None, momenta: bool = False,
    engine: EngineName | None = None,
) -> Result | BatchResult:  # fmt: skip
    """Run a model and return its coordinates, rates, signal states and outputs over time.

    stop_time, start_time: s.
    start: start values that replace the model's, by the names of coordinates, joint velocities and signal states in the
    result ("rod.phi", "ball.q[1]"). The assembly of loops may change those that `Model.start` marks as guesses.
    inputs: a value for each input of the model, required if the input has no start value. It is a constant, a pair
    (times, values) that is interpolated linearly, a pandas Series with times as its index, or a function of time, which
    is traced once. A time given twice is a jump. Values of an enumeration may be names.
    parameters: values by name; the name of an array takes those of all its elements.
    method: "dopri5", "dop853", "tsit5", "rodas5p" or "ros34pw2", which have error control unless `step` is given; or
    "rk4", "abm6", "gauss2", "gauss4" or "gauss6", which need `step`. docs/methods.md compares them.
    step: s, for fixed steps. Each output interval is divided into equal steps of at most this size; they have exactly
    this size if the output interval is a multiple of it, as it is by default. Otherwise a note of
    `result.statistics["notes"]` states their size.
    rtol, atol: tolerances of error control for coordinates, rates and signal states; by default 1e-6 and rtol/100.
    max_step: s, the longest step with error control; in models with events or constraint modes it is two output
    intervals at most. Such steps also end at the times of input tables and where conditions on time switch, so that no
    pulse is missed.
    output_interval: s, by default a 500th of the run; with `step`, the next multiple of the step.
    solver: "cholesky" or "sweep".
    progress: show a bar, and the stages of compilation before it; by default on terminals and in notebooks, after
    two seconds.
    batch: run the model many times at once, with the numbers of the batch; returns a `BatchResult`.
    formulation: "absolute" frees every body and makes every joint a closure, at up to thirty times the cost. It is an
    independent check of the same model, with the same columns (docs/loops.md).
    events: "located" changes constraint modes and resets events at the located instants. "steps", for fixed steps, does
    so at step ends only, at a fixed cost and with an error of order one (docs/modes.md).
    sensitivities: names of parameters, start values and inputs. The result then has the derivatives of all columns with
    respect to these (`Result.sensitivity`; docs/identification.md).
    momenta: add columns for the Poisson impulses after all others, "arm.p" or "arm.p[1]", ... (N.s, N.m.s). They are
    the momenta of the velocities in the row (docs/impulses.md).
    engine: "own", or "numba" for the same numbers from kernels that numba compiles, which takes 11 to 44 times as long;
    by default that of the environment variable MBS_FMU_ENGINE, or "own".

    Raises ModelError for unusable arguments, and SimulationError if a run stops early, with the rows before that as its
    `result`. Ctrl-C raises Interrupted, a KeyboardInterrupt, with the rows before that as its `result`; during
    compilation and the assembly of loops, before the first row, it raises a plain KeyboardInterrupt.
    """
    from .running import run_model

    return run_model(
        model, stop_time, progress, formulation, sensitivities, start_time=start_time, start=start, inputs=inputs,
        parameters=parameters, method=method, step=step, rtol=rtol, atol=atol, output_interval=output_interval,
        max_step=max_step, solver=solver, batch=batch, events=events, momenta=momenta, engine=engine,
    )  # fmt: skip
