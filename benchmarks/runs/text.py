"""The section of docs/benchmarks.md and the passage of README.md."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..page import RUNS
from ..report import cpu_name, number, table
from .compare import Comparison
from .first import COLD, KEPT
from .measure import BRIEF, CAP, LIMIT
from .programs import BY_NAME, OURS, PROGRAMS
from .systems import SYSTEMS

FIGURE = "whole_runs.png"
CAPTION = "Errors at the end of runs against processor time"
EXPLANATION = f"""\
Whole runs of mechanisms, compared with other programs at equal error, by `python -m benchmarks.runs --write` on a
processor {{processor}}. `benchmarks/runs/__init__.py` tells how to install the programs. All of them get one
description of each system (`benchmarks/runs/systems.py`). Each runs in a process of its own, with one thread. A run is
one call that integrates from the start to the end of a system's time, with models already built and compiled; code of
this package is fully optimised. The error is the largest distance, in m, of a marker at the end from the reference
solution: the mean of the finest runs, by methods of high order, of the two programs that agree best.

Programs take turns. Each setting runs twice or, if it is short, until 20 ms have passed; the first run is not
counted. Times are medians of processor time over rounds, factors medians of the ratios within the rounds, for the best
method of each program, interpolated in logarithms between its settings. A setting that takes more than {LIMIT:g} s of
processor time is the finest one of its method, and runs of more than {CAP:g} s are broken off.

- Pinocchio: `aba`, or `constraintDynamics` with stabilisation after Baumgarte, under scipy's DOP853, or Radau where
  springs are stiff.
- MuJoCo: RK4 and implicitfast, in contact Euler too. Loops are soft constraints, as stiff as the step allows.
- Drake: rk3, rk5 and CENIC with error control. Continuous plants have no constraints: loops use discrete steps (SAP).
- OpenSim: Merson, Feldberg and CPodes.
- DART: its steps of semi-implicit Euler. rumoca: Modelica text with the multibody library of the Modelica Standard
  Library, by bdf and rk-like.
- Exudyn: DOPRI5 and RK67 on trees, generalised alpha and the trapezoidal rule on loops.

Versions: {{versions}}."""
FACTORS = 'Time of this package in ms per simulated second, and times of the others over it ("-": not reached):'
LAWS = """\
Laws of contact, and discretisations of elastic bodies, differ from program to program. Errors are therefore measured
from the finest runs of the same law, and the factors, to the first law of this package, compare different physics. The
distances are those of a law's reference from the references of this package's laws, in their order.

- This package has [friction](contact.md) with bristles, or with `creep=`, which is smooth.
- MuJoCo has its default contacts with elliptic cones.
- Drake has point contact, whose force grows with the depth as in this package; with SAP or TAMSI in discrete steps, or
  continuous with dissipation after Hunt and Crossley.
- OpenSim has smoothed contacts after Hertz and Hunt and Crossley, as strong as the others at a depth of 1 mm.
- The strip consists of beams with vibration modes on hinges, the rod of the slider-crank of one beam, which does not
  stretch. In Exudyn both consist of elements of absolute nodal coordinates (ANCF)."""
COSTS = f"""\
Fixed costs. The shortest call runs for {BRIEF:g} of the system's time, with the coarsest setting. First use is the
processor time of a fresh process, from its start to the result of its first run, at an error of at most 1e-4 m; this
package without any compiled code (cold) and with that of an earlier process (kept):"""
REFERENCES = """\
The two programs whose finest runs agree best, the largest distance of a marker between them, and the largest deviation
of a peer's energy at the start from this package's, relative to the larger of it and 1 J:"""
BRANCHES = """\
At singular positions a mechanism can change its branch. Least distance of a program's runs from the reference:"""
PASSAGE = """\
**Whole runs at equal error**, models already compiled, on a processor {processor}: time of mbs_fmu in ms per simulated
second, and times of the others over it ("-": not reached), each with its best method (`python -m benchmarks.runs`).
[First use, shortest calls and runs with contact](docs/benchmarks.md#whole-runs) are listed separately."""


def meters(level: float) -> str:
    """A power of ten as text."""
    return f"{level:.0e}".replace("e-0", "e-")


def figures(value: float | None) -> str:
    """Text of a cell with three significant digits; a dash for missing numbers."""
    return "-" if value is None else f"{float(f'{value:.3g}'):g}"


def titles(comparisons: Sequence[Comparison]) -> list[str]:
    """Names of the peers that have been measured, in order."""
    return [p.name for p in PROGRAMS if p.name != OURS and any(p.name in c.measured.versions for c in comparisons)]


def plain(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Systems that have one law for all programs."""
    return [c for c in comparisons if len(c.references) == 1]


def section(comparisons: Sequence[Comparison], first: dict[str, dict[str, float]]) -> str:
    """The section of docs/benchmarks.md."""
    versions = {name: version for c in comparisons for name, version in c.measured.versions.items()}
    named = ", ".join(f"{BY_NAME[name].title} {version}" for name, version in versions.items())
    others = [c for c in comparisons if len(c.references) > 1]
    about = filled(EXPLANATION.format(processor=cpu_name(), versions=named))
    parts = [RUNS, about, described(comparisons), FACTORS, factors(plain(comparisons))]
    parts += [LAWS, laws(others)] if others else []
    parts += [f"![{CAPTION}]({FIGURE})"]
    parts += [COSTS, costs(comparisons, first)] if first else []
    parts += [REFERENCES, references(plain(comparisons))]
    through = [c for c in comparisons if c.measured.system.branches]
    parts += [BRANCHES, branches(through)] if through else []
    return "\n\n".join([*parts, missing(comparisons)])


def described(comparisons: Sequence[Comparison]) -> str:
    """The systems in words, from their functions."""
    lines = []
    for c in comparisons:
        words = " ".join((SYSTEMS[c.measured.system.name].__doc__ or "").split())
        lines.append(filled(f"- {c.measured.system.title}, {c.measured.system.stop:g} s: {words}"))
    return "\n".join(lines)


def factors(comparisons: Sequence[Comparison], all_levels: bool = True) -> str:
    """A row for each system and level, a column for each peer that reaches any."""
    found: dict[str, list[float | None]] = {peer: [] for peer in titles(comparisons)}
    rows = []
    for c in comparisons:
        system = c.measured.system
        for level in system.levels if all_levels else system.levels[:1]:
            ours = c.per_second(OURS, level)
            rows.append([f"{system.title}, {meters(level)} m", figures(ours and 1e3 * ours)])
            for peer, column in found.items():
                column.append(c.factor(peer, level))
    shown = {peer: column for peer, column in found.items() if any(column)}
    for k, row in enumerate(rows):
        row += [figures(column[k]) for column in shown.values()]
    return table(["system, error", BY_NAME[OURS].title, *(BY_NAME[peer].title for peer in shown)], rows)


def laws(comparisons: Sequence[Comparison]) -> str:
    """A row for each system, program and law."""
    rows = []
    for c in comparisons:
        system = c.measured.system
        title = f"{system.title}, {' and '.join(map(meters, system.levels))} m"
        for program in PROGRAMS:
            for law in c.laws(program.name):
                cells = []
                for level in system.levels:
                    time = c.per_second(program.name, level, law)
                    factor = c.factor(program.name, level, law)
                    cells.append(f"{figures(time and 1e3 * time)} / {figures(factor)}")
                rows.append([title, f"{program.title}: {law}", *cells, " / ".join(f"{x:.0e}" for x in c.apart(law))])
    header = [
        "system, errors",
        "program: law",
        *(f"ms per s / factor, {which}" for which in ("first", "second")),
        "distances, m",
    ]
    return table(header, rows)


def costs(comparisons: Sequence[Comparison], first: dict[str, dict[str, float]]) -> str:
    """A row for each program: floors and first use on some systems."""
    shown = [c for c in comparisons if c.measured.system.name in first]
    names = [c.measured.system.name for c in shown]
    rows = []
    for program in [OURS, *titles(comparisons)]:
        states = (COLD, KEPT) if program == OURS else ("",)
        cells = [figures(c.measured.floors.get(program, 0.0) * 1e3 or None) for c in shown]
        for c in shown:
            seconds = first[c.measured.system.name]
            known = [seconds.get(f"{program} {state}".strip()) for state in states]
            cells.append(" / ".join(number(x, "{:.2f}") for x in known))
        rows.append([BY_NAME[program].title, *cells])
    header = [f"{what}: {name}" for what in ("call, ms", "first use, s") for name in names]
    return table(["program", *header], rows)


def references(comparisons: Sequence[Comparison]) -> str:
    rows = []
    for c in comparisons:
        reference = next(iter(c.references.values()))
        pair = " and ".join(BY_NAME[name].title for name in reference.programs)
        energies = dict(c.measured.energies)
        ours = energies.pop(OURS, None)
        apart = [abs(E - ours) / max(abs(ours), 1.0) for E in energies.values()] if ours is not None else []
        rows.append(
            [c.measured.system.title, pair, f"{reference.difference:.0e}", number(max(apart, default=None), "{:.0e}")]
        )
    return table(["system", "programs", "distance, m", "energy"], rows)


def branches(comparisons: Sequence[Comparison]) -> str:
    peers = [OURS, *titles(comparisons)]
    rows = []
    for c in comparisons:
        have = set(c.measured.versions)
        cells = [number(c.closest(name), "{:.0e}") if name in have and c.curves(name) else "-" for name in peers]
        rows.append([c.measured.system.title, *cells])
    return table(["system, distance in m", *(BY_NAME[name].title for name in peers)], rows)


def missing(comparisons: Sequence[Comparison]) -> str:
    """Return the settings and systems that programs leave out, with the reasons."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for c in comparisons:
        for name, reason in c.measured.missing.items():
            reasons.setdefault((name, reason), []).append(c.measured.system.title)
    lines = [
        f"- {BY_NAME[name].title}, {', '.join(where)}: {reason}" for (name, reason), where in sorted(reasons.items())
    ]
    return "\n".join(["Left out:", "", *map(filled, lines)]) if lines else ""


def filled(text: str) -> str:
    """Paragraphs and points of lists with lines of the documentation's length."""
    parts = [textwrap.fill(part, 120, subsequent_indent="  " * part.startswith("- ")) for part in _parts(text)]
    return "\n".join(parts)


def _parts(text: str) -> list[str]:
    """Paragraphs, points and the empty lines between them, each in one line."""
    parts: list[str] = []
    for line in text.splitlines():
        if not parts or not line or not parts[-1] or line.startswith("- "):
            parts.append(line)
        else:
            parts[-1] += f" {line.strip()}"
    return parts


def passage(comparisons: Sequence[Comparison]) -> str:
    """The passage of README.md."""
    about = filled(PASSAGE.format(processor=cpu_name()))
    return "\n\n".join([about, factors(plain(comparisons), all_levels=False), f"![{CAPTION}](docs/{FIGURE})"])
