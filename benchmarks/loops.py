"""Time of one evaluation with closed loops against Pinocchio, after a check that all compute the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

import mbs_fmu as mbs

from .loop_cases import CASES
from .loop_peers import DENSE, SPARSE, WHEEL, LoopsPython, Proximal, loop_peers
from .models import Mechanism, States
from .ours import Ours, relative
from .peers import Peer
from .report import number, progress, table
from .timing import Effort, Run, interleaved

PINS, HINGES = "ours, pins", "ours, hinges"
CLOSURES: Mapping[str, mbs.Joint | mbs.OnLine] = {PINS: mbs.OnLine("y"), HINGES: mbs.Revolute("y")}
PEERS = (DENSE, SPARSE, WHEEL)
TOLERANCES = {SPARSE: 1e-5}  #: largest deviation; of the others
TOLERANCE = 1e-7
REFERENCE: Proximal = (1e-12, 3)  #: of the constraintDynamics with which all are compared
US = 1e6
GROWTH = 5  #: smallest number of four-bars in the fit of growth
EXPLANATION = """\
Planar mechanisms of uniform rods: `four-bars N`, N + 1 parallel upright rods whose tops are connected by horizontal
rods (N loops, 2N+1 bodies, one degree of freedom; problem A02 of IFToMM), and scissors of 5, 20 and 80 stages (2 bodies
a stage, a loop between two stages), cut such that the cost grows with their size only.

One evaluation of this package is `derive(R)` as above. It computes the rates of coordinates and momenta, including the
impulses of the loops, from the coordinates, the momenta and the torques. "Pins" closes each loop with `mbs.OnLine`,
whose two constraint rows are those that a planar loop needs; "hinges" closes it with `mbs.Revolute`, which has five
rows, three of them redundant. The rows are selected at the first state, as at the beginning of a step.

Pinocchio closes a loop with a point constraint (`CONTACT_3D`, of whose three rows one vanishes) and computes the
accelerations.

- "Pinocchio C++": `constraintDynamics` (mu 1e-12; one iteration for the four-bars, two for the scissors, which need
  them), compiled and called as above.
- "Pinocchio wheel": the same from Python.
- "Pinocchio C++ lcaba": its sparse elimination (mu 1e-6 and two iterations for the four-bars, 1e-8 and three for the
  scissors, about the most accurate settings there).

States are consistent: all loops are closed, in position and velocity. Before the timing, the velocities of this package
are checked against those from which the momenta were computed, and the accelerations of all programs against those of
`constraintDynamics` with three iterations. The accelerations a of this package are differences of the velocities along
the computed rates, and are compared as momenta M a; the accelerations of the peers are compared directly. The listed
deviations are relative to the largest component."""


@dataclass
class LoopsResult:
    """Medians in µs, ratios of times, and deviations from the reference."""

    title: str
    name: str
    bodies: int
    loops: int
    us: dict[str, float]
    ratios: dict[tuple[str, str], float]  #: (a, b): time of a over time of b
    deviations: dict[str, float]
    notes: list[str] = field(default_factory=list)


def section(effort: Effort, quick: bool) -> str:
    """Report section; quick: without the largest cases."""
    names = [name for name, case in CASES.items() if not quick or case.count <= 20]
    results = []
    for k, name in enumerate(names):
        progress(f"loops of {name} ({k + 1} of {len(names)})")
        results.append(run_case(name, effort))
    notes = [f"- {note}" for result in results for note in result.notes]
    parts = ["## Closed loops", EXPLANATION, "Times of one evaluation, µs:", _times(results)]
    parts += ["Speed ratios (second time over first):", _ratios(results)]
    parts += ["Deviations:", _deviations(results), _growth(results), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def run_case(name: str, effort: Effort) -> LoopsResult:
    """Check and time one case. Raises RuntimeError when the contenders disagree."""
    case = CASES[name]
    mechanism, states = case.build(case.count)
    ours = {key: Ours(mechanism, states, closure) for key, closure in CLOSURES.items()}
    contenders, notes = loop_peers(mechanism, states, case.dense, case.sparse)
    deviations = check(mechanism, states, ours, contenders)
    runs: dict[str, Run] = {"copy": ours[PINS].run_copy, **{key: one.run for key, one in ours.items()}}
    runs |= {key: peer.run for key, peer in contenders.items()}
    seconds = interleaved(runs, effort)
    for key in ours:
        seconds[key] = seconds[key] - seconds["copy"]
    return LoopsResult(
        title=case.title,
        name=name,
        bodies=len(mechanism.links),
        loops=len(mechanism.closures),
        us={key: US * float(np.median(values)) for key, values in seconds.items()},
        ratios={(a, b): float(np.median(seconds[a] / seconds[b])) for a in seconds for b in seconds if a != b},
        deviations=deviations,
        notes=notes,
    )


def check(mechanism: Mechanism, states: States, ours: dict[str, Ours], contenders: dict[str, Peer]) -> dict[str, float]:
    """Largest relative deviation of each contender. Raises RuntimeError when one is too large."""
    deviations = {key: one.velocity_error() for key, one in ours.items()}
    if WHEEL in contenders:
        reference = LoopsPython(mechanism, states, REFERENCE).accelerations()
        for key, one in ours.items():
            deviations[key] = max(deviations[key], one.loop_acceleration_error(reference))
        for key, peer in contenders.items():
            deviations[key] = relative(peer.accelerations(), reference)
    for key, deviation in deviations.items():
        if not deviation < TOLERANCES.get(key, TOLERANCE):
            raise RuntimeError(f"{mechanism.name}: {key} deviates by {deviation:.1e}: not the same mechanism")
    return deviations


def _times(results: Sequence[LoopsResult]) -> str:
    header = ["case", "bodies", "loops", PINS, HINGES, "pins, per body", "copy", *PEERS]
    rows = []
    for r in results:
        own = [number(r.us[key], "{:.2f}") for key in (PINS, HINGES)]
        per_body = number(r.us[PINS] / r.bodies, "{:.3f}")
        others = [number(r.us.get(key), "{:.2f}") for key in ("copy", *PEERS)]
        rows.append([r.title, str(r.bodies), str(r.loops), *own, per_body, *others])
    return table(header, rows)


def _ratios(results: Sequence[LoopsResult]) -> str:
    pairs = [(peer, one) for one in (PINS, HINGES) for peer in PEERS]
    rows = [[r.title, *(number(r.ratios.get(pair), "{:.2f}") for pair in pairs)] for r in results]
    return table(["case", *(f"{fast} to {slow}" for slow, fast in pairs)], rows)


def _deviations(results: Sequence[LoopsResult]) -> str:
    keys = (PINS, HINGES, *PEERS)
    return table(
        ["case", *keys], [[r.title, *(number(r.deviations.get(key), "{:.0e}") for key in keys)] for r in results]
    )


def _growth(results: Sequence[LoopsResult]) -> str:
    """Exponents of the growth with the number of four-bars."""
    rows = [r for r in results if r.name.startswith("four-bars") and r.loops >= GROWTH]
    if len(rows) < 3:
        return ""
    sizes = np.log([r.loops for r in rows])
    exponents = [
        f"{key} {np.polyfit(sizes, np.log([r.us[key] for r in rows]), 1)[0]:.2f}"
        for key in (PINS, HINGES, *PEERS)
        if all(key in r.us for r in rows)
    ]
    return (
        f"Exponent of the time as a power of the number of four-bars, from {rows[0].loops} to {rows[-1].loops} "
        f"(linear: 1): {', '.join(exponents)}."
    )
