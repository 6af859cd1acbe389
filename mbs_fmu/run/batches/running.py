"""Execution of a batch on all threads.

With fixed steps of explicit methods, members run in SIMD lanes (lanes.py): the same instructions compute as many
members at once as a vector of the processor contains doubles. Otherwise they run member by member. Both use all
threads, because kernels do not hold Python's lock.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping

import numpy as np

from ...infrastructure.progress import Bar
from ...integrate.lanes.module import NoLanes, fits_lanes, usual_lanes
from ..errors import Interrupted
from ..inputs import Table
from ..results.batches import BatchResult
from ..runtime import Runtime
from ..single import SLICE, RunSettings, cut_short
from .batch import Batch, Members
from .lanes import LaneRuns, kernel_key
from .members import MemberRuns

log = logging.getLogger("mbs_fmu")

#: Members times steps times numbers of a record, about nanoseconds, that batches compute one by one before lanes are
#: compiled, which takes one to three seconds; and before the cache is searched for compiled lanes. Whoever runs batches
#: of a tenth of a second will run more of them.
MOST_ALONE, LEAST_ALONE = 1e8, 1e7


def run_batch(
    runtime: Runtime, record: np.ndarray, batch: Batch, tables: Mapping[str, Table], settings: RunSettings
) -> BatchResult:
    """Run all members from a common record and common tables of inputs. Raises ModelError.

    A member that cannot start, or fails, ends there; `faults` of the result names it. Raises Interrupted, with the
    members and rows that were computed before.
    """
    members = Members(runtime, batch)
    runtime.require_numbers(record)
    assert members.size is not None
    threads = min(batch.threads or _cores(), members.size)
    lanes = batch.lanes or usual_lanes(runtime.program)
    fits = fits_lanes(settings.control.method, settings.control.fixed) and lanes > 1 and members.size > 1
    try:
        in_lanes = fits and (batch.lanes is not None or _pays(runtime, members.size, settings, lanes))
        run_class = LaneRuns if in_lanes else MemberRuns
        run = run_class(runtime, record, members, tables, settings, lanes)
    except NoLanes as reason:
        log.info("%s runs member by member: %s", runtime.program.name, reason)
        run = MemberRuns(runtime, record, members, tables, settings, 1)
    _run_all(run, threads)
    result = run.result
    result.faults = dict(sorted(result.faults.items()))
    result.statistics["threads"] = min(threads, len(run.groups()))
    if run.interrupted:
        run.end_unbegun()
        raise Interrupted(f"{runtime.program.name}: {cut_short(result)}", result)
    return result


def _pays(runtime: Runtime, size: int, settings: RunSettings, lanes: int) -> bool:
    """True if runs should use lanes, unless the caller has decided.

    That is the case for models whose lanes compile fast, if lanes are compiled already, or if the batches of the model
    up to now have computed for some time.
    """
    program, method = runtime.program, settings.control.method
    if program.is_straight:
        return True
    steps = (settings.stop - settings.start) / settings.control.step
    runtime.computed_alone += size * steps * program.regions["end"][0]
    if runtime.computed_alone < LEAST_ALONE:
        return False
    return runtime.computed_alone > MOST_ALONE or runtime.in_lanes(lanes, method).is_compiled(kernel_key(method))


def warn_of_faults(faults: Mapping[int, str], size: int, which: Callable[[int], str] = str) -> None:
    """Log a warning if some of `size` members have ended early; `which` gives the name of a member."""
    if faults:
        first, reason = min(faults.items())
        log.warning("%d of %d members ended early; member %s: %s", len(faults), size, which(first), reason)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_all(run: MemberRuns, threads: int) -> None:
    """Run all groups in the threads; an error or Ctrl-C ends all groups."""
    with Bar(run.result.name, run.settings.rows * len(run.result), "row") as bar:
        try:
            with contextlib.closing(_in_this_thread(run) if threads == 1 else _in_threads(run, threads)) as going:
                for _ in going:
                    bar.update(run.rows_done - bar.n)
        except KeyboardInterrupt:
            run.interrupt()
        finally:
            run.stop.set()


def _in_this_thread(run: MemberRuns) -> Generator[None, None, None]:
    for group in run.groups():
        if run.stop.is_set():
            return
        run.run(group)
        yield


def _in_threads(run: MemberRuns, threads: int) -> Generator[None, None, None]:
    from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

    def work(groups: Iterator[range], lock: threading.Lock) -> None:
        while not run.stop.is_set():
            with lock:
                group = next(groups, None)
            if group is None:
                return
            run.run(group)

    with ThreadPoolExecutor(threads) as pool:
        groups, lock = iter(run.groups()), threading.Lock()
        left = {pool.submit(work, groups, lock) for _ in range(threads)}
        try:
            while left:
                done, left = wait(left, timeout=SLICE, return_when=FIRST_COMPLETED)
                for spec in done:
                    spec.result()
                yield
        finally:
            run.stop.set()
