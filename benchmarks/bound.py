"""Lower bounds of the time of an evaluation on this processor, from its operations, beside the measured time.

The processor's rates and latencies are measured by loops in machine code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mbs_fmu.codegen.machine import ArgumentKind

from .batches import Lanes
from .cases import CASES
from .counted import ADD, DIVIDE, MULTIPLY, ROOT, Work, work_of
from .kernel_loops import kernel_loop
from .models import States
from .ours import Ours
from .report import cpu_name, number, progress, table
from .timing import Effort, interleaved

NS = 1e9
LANES = 8
COPIES = ("copy", "lanes copy")
#: Length of the chains of each form, their number and their lanes: enough chains to hide latencies, few enough for the
#: registers, and short ones, which the processor sees at once.
FORMS = {"latency": (64, 1, 1), "scalar": (8, 12, 1), "vector": (8, 10, LANES)}
#: A line that computes a new a{k} from the old one, x and y, and stays at ordinary numbers.
LINES = {ADD: "a{k} = x - a{k}", MULTIPLY: "a{k} = a{k} * y", DIVIDE: "a{k} = x / a{k}", ROOT: "a{k} = sqrt(a{k})"}
EXPLANATION = """\
The least time of an evaluation, from its operations and from the latencies and rates of this processor, which loops in
machine code measure in the same run (their least time over the rounds). The operations are those of the compiled text:
the kernels run once as plain Python on numbers that count. "Of sines" are those of sines and cosines among them. The
compiler may neither contract nor reorder operations, since results have the same bits on every processor; it may
compute several at a time in a vector.

- "Chain": the longest chain of operations that depend on each other, at their latencies, without loads and stores.
- "Scalar rate": all operations as independent scalar instructions, those of sines as vectors of {lanes} numbers.
- "Vector rate": all operations as independent vectors of {lanes} numbers.
- "Single": the measured evaluation of one record, as in the section "Evaluation", without the copy. Its bound is the
  larger of chain and scalar rate. "{lanes} lanes": the measured evaluation of {lanes} records at once, per record, as
  in the section "Batches". Its bound is the vector rate, since {lanes} records share one chain.
- "Share": bound over measured time. It can exceed 1 for a single record where the compiler finds vectors or where the
  processor begins the next evaluation before the end of the last one.

With a share near 1, a single evaluation becomes faster only by fewer operations, or by several of them in a vector, as
in lanes. In lanes, what is left is memory: the numbers of {lanes} records of a large model do not fit into the first
cache.

{processor}, ns per operation:"""
CASE_NAMES = ("ur5", "universal-10", "revolute-50", "universal-100", "tree-30", "anymal", "talos")


@dataclass(frozen=True)
class Processor:
    """Measured times, ns: `latency` of an operation that waits for the one before, the others of independent ones.

    `vector` is the time of a vector of `LANES` numbers over their number.
    """

    latency: dict[str, float]
    scalar: dict[str, float]
    vector: dict[str, float]


def processor(effort: Effort) -> Processor:
    """Measure this processor."""
    loops = {(form, kind): _repeated(line, *FORMS[form]) for form in FORMS for kind, line in LINES.items()}
    seconds = interleaved({key: run for key, (run, _) in loops.items()}, effort)
    times = {key: NS * float(np.min(seconds[key])) / operations for key, (_, operations) in loops.items()}
    return Processor(*({kind: times[form, kind] for kind in LINES} for form in FORMS))


def _repeated(line: str, length: int, chains: int, lanes: int) -> tuple[Callable[[int], object], int]:
    """Return a loop of independent chains of operations, and the operations of one repetition.

    The chains are stored apart, so that the compiler does not put several into a vector.
    """
    names = range(chains)
    body = ["x = R[0]", "y = R[2]", *(f"a{k} = R[{4 + 2 * k}]" for k in names)]
    body += [line.format(k=k) for _ in range(length) for k in names]
    body += [f"R[{4 + 2 * k}] = a{k}" for k in names]
    head = "from math import sqrt\n\nimport numpy as np\n\nfrom mbs_fmu.codegen.entries import kernel\n"
    kind: ArgumentKind = "rows" if lanes > 1 else "array"
    loop = kernel_loop(f"{head}LANES = {lanes}\n", "R", "\n".join(body), kind)
    R = np.full((4 + 2 * chains, lanes), 1.25)
    R[2] = 1.0
    record = R if lanes > 1 else R[:, 0].copy()
    return (lambda repetitions: loop(record, repetitions)), length * chains * lanes


@dataclass(frozen=True)
class CaseResult:
    """Operations of a case, and measured times, ns."""

    title: str
    work: Work
    single: float
    lanes: float


def section(effort: Effort) -> str:
    """Report section."""
    progress("rates and latencies of the processor")
    measured = processor(effort)
    results = []
    for name in CASE_NAMES:
        if name in CASES:
            progress(f"bound of {name}")
            results.append(run_case(name, measured, effort))
    rates = [[form, *(f"{times[kind]:.3f}" for kind in LINES)] for form, times in vars(measured).items()]
    text = EXPLANATION.format(lanes=LANES, processor=cpu_name())
    parts = ["## Share of the machine's bound", text, table(["", *LINES], rates)]
    return "\n\n".join([*parts, "Operations, and times of one evaluation in ns:", _table(results, measured)])


def run_case(name: str, measured: Processor, effort: Effort) -> CaseResult:
    """Count and time one case."""
    case = CASES[name]
    mechanism = case.build(case.count)
    ours = Ours(mechanism, States.random(mechanism))
    wide = Lanes(mechanism, ours, LANES)
    runs = {"single": ours.run, "copy": ours.run_copy, "lanes": wide.run, "lanes copy": wide.run_copy}
    seconds = interleaved(runs, effort)
    single, lanes = (NS * float(np.median(seconds[a] - seconds[b])) for a, b in zip(("single", "lanes"), COPIES))
    return CaseResult(case.title, work_of(ours.text, ours.R, measured.latency), single, lanes / LANES)


def _table(results: Sequence[CaseResult], measured: Processor) -> str:
    header = ["case", "operations", "of sines", "chain", "scalar rate", "vector rate", "single", "share"]
    rows = []
    for r in results:
        plain, vector = r.work.counts - r.work.sines, _time(r.work.counts, measured.vector)
        scalar = _time(plain, measured.scalar) + _time(r.work.sines, measured.vector)
        cells = [r.work.counts.total(), r.work.sines.total(), r.work.chain, scalar, vector, r.single]
        shares = [max(r.work.chain, scalar) / r.single, vector / r.lanes]
        rows.append([r.title, *map(number, cells), f"{shares[0]:.2f}", f"{r.lanes:.1f}", f"{shares[1]:.2f}"])
    return table([*header, f"{LANES} lanes", "share"], rows)


def _time(counts: Counter[str], times: dict[str, float]) -> float:
    """Return the time of independent operations, ns."""
    return sum(count * times[kind] for kind, count in counts.items())
