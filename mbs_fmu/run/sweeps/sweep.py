"""`sweep`: a parameter sweep in chunks, on any executor. Each finished chunk is written to disk at once."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.arguments import spread, whole
from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import Bar, shows_progress, watched
from ...model.model import Model
from ...record.program import Program
from ..batches.batch import Batch, Members
from ..batches.running import warn_of_faults
from ..errors import Interrupted, SimulationError
from ..inputs import inputs_without_names
from ..models import require_model
from ..momenta import momentum_columns
from ..plans import prepared
from ..recording import record, record_laws, record_members
from ..results.batches import BatchResult
from ..runtime import Runtime
from ..single import SLICE, first_record
from ..spec import RunSpec
from ..step_control import check_alpha
from .chunks import Keep, Made, find_chunk, run_chunk, write_chunk
from .manifest import Manifest, begun, marks_of
from .results import SweepResult, SweepRuns, read_sweep

Given = Mapping[str, Any]
OF_SIMULATE = (
    "start_time", "method", "step", "rtol", "atol", "output_interval", "max_step", "solver", "events", "momenta",
)  # fmt: skip


@with_clear_errors
def sweep(
    model: Model, stop_time: float, *, start: Given | None = None, inputs: Given | None = None,
    parameters: Given | None = None, keep: Keep | None = None, executor: Executor | None = None,
    folder: str | Path = "runs", chunk: int = 256, progress: bool | None = None, **how: Any,
) -> SweepResult | SweepRuns:  # fmt: skip
    """Run a model many times, in chunks of members, and keep the result of each chunk on disk.

    The same call continues where the last one ended, also after an interrupt or crash: nothing is run twice.

    parameters, start: by name, an array with one number for each member, or one number for all members.
    inputs: by name, the same; also (times, values) for all members or with a row of values for each, or a function of
    time for all members.
    keep: a function that reduces the `BatchResult` of a chunk to a dictionary of arrays with a row for each member; by
    default all columns are kept. It runs in the worker. Executors of processes need a function at the top level of a
    module.
    executor: any object with the interface of `concurrent.futures`, such as `ProcessPoolExecutor(4)`, dask's
    `client.get_executor()` or `mpi4py.futures.MPIPoolExecutor()`; None: all cores of this process.
    folder: folder for the chunks of this sweep.
    chunk: number of members in a chunk; a continued sweep keeps its first number.
    progress: show a bar; by default on terminals and in notebooks, after a second.
    how: start_time, method, step, rtol, atol, output_interval, max_step, solver, events, momenta, as in `simulate`.

    Returns a `SweepRuns`, or with `keep` a `SweepResult`; both read from disk when they are used. A member that fails
    does not stop others; `faults` names it. Raises ArgumentError for unusable arguments and if the folder contains
    another sweep, SimulationError if a worker has died and Interrupted at Ctrl-C, both with the finished chunks as
    `result`; the exceptions of `keep`; OSError.
    """
    _check(keep, executor, how)
    require_model(model)
    varied, common = _parted(model, parameters or {}, start or {}, inputs or {})
    alone = executor is None  # otherwise several workers would write to one line
    with watched(progress):
        runtime, spec = prepared(
            model, stop_time, batch=varied, progress=shows_progress(progress) and alone, **common, **how
        )
    check_alpha(model, spec.settings.control)
    planned = _planned(runtime, spec, varied, keep, whole(chunk, "chunk"))
    folder = Path(folder)
    work = _Work(folder, begun(folder, planned), runtime.program, spec, varied, keep)
    try:
        with watched(progress):
            _run(work, executor)
    except KeyboardInterrupt:
        results = read_sweep(folder)
        raise Interrupted(f"{_there(results)}; interrupted: the same call goes on from there", results) from None
    except BrokenExecutor as error:
        results = read_sweep(folder)
        reason = f"a worker of the executor has died ({error}): the same call with a new executor goes on from there"
        raise SimulationError(f"{_there(results)}; {reason}", results) from error
    results = read_sweep(folder)
    results.model = spec.model
    warn_of_faults(results.faults, results.size, results.which)
    return results


def _there(results: SweepResult | SweepRuns) -> str:
    return f"{results.name}: {len(results.members)} of {results.size} runs are in {str(results.folder)!r}"


# -- arguments ---------------------------------------------------------------------------------------------------


def _check(keep: Any, executor: Any, how: Mapping[str, Any]) -> None:
    if keep is not None and not callable(keep):
        raise ArgumentError(f"keep is {display(keep)}: give a function of the BatchResult of a chunk")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise ArgumentError(f"executor is {display(executor)}: give one of concurrent.futures, or one like these")
    for name in how:
        if name not in OF_SIMULATE:
            raise ArgumentError(
                f"sweep has no argument {name!r}: of those of simulate it takes {', '.join(OF_SIMULATE)}"
            )


def _parted(model: Model, parameters: Given, start: Given, inputs: Given) -> tuple[Batch, dict[str, Any]]:
    """Split the numbers: a batch of those that differ between members, and common ones for `simulate`."""
    common: dict[str, Any] = {}
    varied: dict[str, dict[str, Any]] = {}
    for what, values in (("parameters", parameters), ("start", start), ("inputs", inputs)):
        if not isinstance(values, Mapping):
            raise ArgumentError(f"{what} must be a dictionary by name, not {display(values)}")
        common[what], varied[what] = {}, {}
        if what == "parameters":
            values = spread(model.elements, values)
        if what == "inputs":
            values = inputs_without_names(model, values)
        for name, value in values.items():
            differs, value = _by_member(value, what == "inputs")
            (varied if differs else common)[what][name] = value
    if not any(varied.values()):
        raise ArgumentError("a sweep needs numbers that differ: give an array of parameters, start values or inputs")
    return Batch(parameters=varied["parameters"], start=varied["start"], inputs=varied["inputs"]), common


def _by_member(value: Any, is_input: bool) -> tuple[bool, Any]:
    """Return whether a value differs between members, and the value in the form of `Batch` or `simulate`."""
    if is_input and isinstance(value, tuple | list) and len(value) == 2 and _dimensions(value[0]) == 1:
        return _dimensions(value[1]) > 1, tuple(value)
    if is_input and hasattr(value, "to_numpy"):  # a pandas Series, which has times
        return False, value
    return not callable(value) and _dimensions(value) > 0, value


def _dimensions(value: Any) -> int:
    try:
        return np.ndim(value)
    except ValueError:  # rows of unequal length; `Batch` raises the error
        return 1


def _planned(runtime: Runtime, spec: RunSpec, varied: Batch, keep: Keep | None, chunk: int) -> Manifest:
    """Return the manifest of a sweep, after a check of all numbers of all members."""
    program, size = runtime.program, Members(runtime, varied).size
    assert size is not None
    R = first_record(program, spec.tables, spec.parameters, spec.start, spec.settings)
    runtime.require_numbers(R)
    none = np.zeros((size, 0, len(program.columns)))
    known = BatchResult(
        program.name, program.columns, none, spec.settings.times, np.zeros(size, dtype=int), {}, program.units,
        program.vectors, held=spec.held,
    )  # fmt: skip
    record(known, program, R, spec.tables)
    record_laws(known, spec.laws, spec.law_units)
    record_members(known, program, varied)
    columns = [*known.columns, *(momentum_columns(program) if spec.momenta else [])]
    about = {**known.about(), "columns": columns, "time": known.time, "varied": varied.numbers(size)}
    for of_runs in ("rows", "faults", "statistics"):
        del about[of_runs]
    return Manifest(marks_of(program, spec, varied, keep), size, chunk, keep is None, about)


# -- running ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Work:
    """A sweep to run, and its folder."""

    folder: Path
    manifest: Manifest
    program: Program
    spec: RunSpec
    varied: Batch
    keep: Keep | None

    def missing(self) -> list[int]:
        """Return the first member of each missing chunk."""
        mark = self.manifest.mark
        return [first for first in self.manifest.firsts if find_chunk(self.folder, mark, first) is None]

    def count(self, first: int) -> int:
        """Return the number of members in a chunk."""
        return min(self.manifest.chunk, self.manifest.size - first)

    def call(self, first: int, threads: int | None) -> Callable[[], Made]:
        """Return the call that computes a chunk, as data that can be sent to a worker."""
        part = self.varied.part(first, first + self.count(first))
        spec = replace(self.spec, batch=replace(part, threads=threads), model=None)
        return partial(run_chunk, self.program, spec, self.keep)

    def done(self, first: int, made: Made) -> int:
        """Store a chunk; return its number of members."""
        write_chunk(self.folder, self.manifest.mark, first, made)
        return self.count(first)

    def blamed(self, error: BaseException, first: int) -> BaseException:
        """Return the error of a chunk, with a note that names the chunk."""
        members = f"members {first} to {first + self.count(first) - 1}"
        if self.keep is not None and not _can_be_sent(self.keep) and not isinstance(error, Interrupted):
            error.add_note("keep can't be sent to other processes: define it at the top of a module")
        error.add_note(f"in {members} of the sweep; the chunks before it are kept in {str(self.folder)!r}")
        return error


def _can_be_sent(keep: Keep) -> bool:
    try:
        pickle.dumps(keep)
    except Exception:
        return False
    return True


def _run(work: _Work, executor: Executor | None) -> None:
    """Run all missing chunks, with a progress bar."""
    missing, manifest = work.missing(), work.manifest
    before = manifest.size - sum(map(work.count, missing))
    bar = Bar(work.program.name, manifest.size, "run", before)
    running = _here(work, missing) if executor is None else _in_executor(work, missing, executor)
    with bar, contextlib.closing(running) as going:
        for count in going:
            bar.update(count)


def _here(work: _Work, missing: list[int]) -> Generator[int, None, None]:
    for first in missing:
        try:
            made = work.call(first, threads=None)()
        except Exception as error:
            raise work.blamed(error, first) from None
        yield work.done(first, made)


def _in_executor(work: _Work, missing: list[int], executor: Executor) -> Generator[int, None, None]:
    """Submit all chunks at once, and at the end cancel those that have not begun."""
    calls: dict[Future[Made], int] = {}
    left: set[Future[Made]] = set()
    try:
        for first in missing:
            future = executor.submit(work.call(first, threads=1))
            calls[future] = first
            left.add(future)
        while left:
            done, left = wait(left, timeout=SLICE, return_when=FIRST_COMPLETED)
            yield sum(_harvest(work, {future: calls[future] for future in done}))
    finally:
        for future in left:
            future.cancel()


def _harvest(work: _Work, done: Mapping[Future[Made], int]) -> Iterator[int]:
    """Write finished chunks, then raise the first error, if there is one."""
    wrong: tuple[BaseException, int] | None = None
    for future, first in done.items():
        try:
            made = future.result()
        except BaseException as error:
            wrong = wrong or (error, first)
            continue
        yield work.done(first, made)
    if wrong:
        raise work.blamed(*wrong)
