"""Time of one evaluation of (q_dot, p_dot) against the peers, after a check that all compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .cases import CASES
from .models import Mechanism, States
from .ours import Ours
from .peers import MUJOCO, PINOCCHIO, WHEEL, Peer, PinocchioPython, peers
from .report import number, progress, table
from .timing import Effort, interleaved

TOLERANCE = 1e-7
NS = 1e9
PEERS = (PINOCCHIO, WHEEL, MUJOCO)
EXPLANATION = """\
One evaluation of this package is `derive(R)`, called from a loop in machine code. It computes the rates of coordinates
and momenta from the coordinates, the momenta and one torque input per joint velocity. One evaluation of a peer computes
accelerations from coordinates, velocities and torques. All programs run alternately in one process, in repeated rounds,
on the same 16 random states. Times are medians over the rounds, in processor time; ratios are medians of the ratios
within each round. The time to copy a state into the record is subtracted and listed.

- "Pinocchio C++": `aba` in the LOCAL convention, compiled header-only with `-O3 -march=native -DNDEBUG`, in a C++ loop.
- "Pinocchio wheel": the same from Python with the installed package.
- "MuJoCo": its smooth dynamics (`mj_kinematics` to `mj_fwdAcceleration`, no contacts, constraints or sensors) in a C++
  loop.

The number in the name of a case is the number of bodies. A universal chain has universal joints. A revolute chain has
hinges: "aligned" is about x and y in turn, "generic places" about z at random positions and rotations, "generic places
and axes" about random axes. A free-base tree has branches of hinges about x, y or z. The other cases are robots. Notes
name the cases in short: universal-500 is the universal chain of 500 bodies.

Before the timing, three results of this package are checked: the velocities against those from which the momenta were
computed, the momenta against Pinocchio's M u, and the rates of the momenta against those that follow from each peer's
accelerations. The last column is the largest relative deviation."""


@dataclass
class CaseResult:
    """Medians in ns, relative speeds, and deviations between contenders."""

    title: str
    bodies: int
    ns: dict[str, float]
    ratios: dict[tuple[str, str], float]  #: (a, b): time of a over time of b
    error: float
    notes: list[str] = field(default_factory=list)


def section(names: Sequence[str], effort: Effort) -> str:
    """Report section: run all named cases."""
    results = []
    for k, name in enumerate(names):
        progress(f"evaluation of {name} ({k + 1} of {len(names)})")
        results.append(run_case(name, effort))
    notes = [f"- {note}" for result in results for note in result.notes]
    parts = ["## Evaluation", EXPLANATION, "Times of one evaluation, ns:", _times(results)]
    parts += ["Speed ratios (second time over first):", _ratios(results), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def run_case(name: str, effort: Effort) -> CaseResult:
    """Check and time one case. Raises RuntimeError when the contenders disagree."""
    case = CASES[name]
    mechanism = case.build(case.count)
    states = States.random(mechanism)
    ours = Ours(mechanism, states)
    contenders, notes = peers(mechanism, states)
    error = check(mechanism, ours, contenders)
    runs = {"ours": ours.run, "copy": ours.run_copy, **{key: peer.run for key, peer in contenders.items()}}
    seconds = interleaved(runs, effort)
    seconds["ours"] = seconds["ours"] - seconds["copy"]
    return CaseResult(
        title=case.title,
        bodies=len(mechanism.links),
        ns={key: NS * float(np.median(values)) for key, values in seconds.items()},
        ratios={(a, b): float(np.median(seconds[a] / seconds[b])) for a in seconds for b in seconds if a != b},
        error=error,
        notes=notes,
    )


def check(mechanism: Mechanism, ours: Ours, contenders: dict[str, Peer]) -> float:
    """Largest relative deviation between the contenders. Raises RuntimeError when they disagree."""
    errors = {"velocities": ours.velocity_error()}
    for name, peer in contenders.items():
        errors[f"accelerations of {name}"] = ours.acceleration_error(peer.accelerations())
        if isinstance(peer, PinocchioPython):
            errors[f"momenta of {name}"] = ours.momentum_error(peer.momenta())
    worst = max(errors, key=lambda key: errors[key])
    if not errors[worst] < TOLERANCE:
        raise RuntimeError(
            f"{mechanism.name}: {worst} deviate by {errors[worst]:.1e}: these are not the same mechanism"
        )
    return errors[worst]


def _times(results: Sequence[CaseResult]) -> str:
    header = ["case", "ours", "ours per body", "copy", *PEERS, "deviation"]
    rows = []
    for r in results:
        cells = [number(r.ns.get(key)) for key in ("copy", *PEERS)]
        rows.append(
            [r.title, number(r.ns["ours"]), number(r.ns["ours"] / r.bodies, "{:.1f}"), *cells, f"{r.error:.0e}"]
        )
    return table(header, rows)


def _ratios(results: Sequence[CaseResult]) -> str:
    pairs = [*((peer, "ours") for peer in PEERS), (PINOCCHIO, MUJOCO), (PINOCCHIO, WHEEL)]
    rows = [[r.title, *(number(r.ratios.get(pair), "{:.2f}") for pair in pairs)] for r in results]
    return table(["case", *(f"{fast} to {slow}" for slow, fast in pairs)], rows)
