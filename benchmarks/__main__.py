"""Command line of the benchmarks."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from . import (
    batches,
    bound,
    c_text,
    closure,
    contacts,
    elastic,
    engines,
    evaluation,
    exchange,
    first_use,
    floor,
    fmus,
    gradients,
    growth,
    jacobians,
    lanes,
    large,
    loops,
    machine_elements,
    modes,
    native_fmus,
    near_pairs,
    roads,
    rollouts,
    sensitivities,
    solvers,
    speed,
    steppers,
    stepping,
    stiff,
    systems,
    values,
    vehicles,
    worst_step,
)
from .cases import CASES
from .checkouts import TIER
from .first_use import Options
from .native import compiler_version
from .page import KIND, PAGE, TIMES, rewritten, separate
from .report import Unavailable, cpu_name, machine, progress
from .timing import Effort

SECTIONS = (
    "evaluation", "bound", "batches", "lanes", "steppers", "rollouts", "solvers", "loops", "closure", "modes",
    "contact", "near-pairs", "machine-elements", "vehicles", "roads", "first-use", "first-export", "engines", "large",
    "growth", "floor", "values", "fmu", "native", "systems", "c-text", "longest-step", "exchange", "methods", "stiff",
    "elastic", "sensitivities", "gradients", "jacobians",
)  # fmt: skip
DESCRIPTION = """\
Benchmarks of mbs_fmu and its peers: the sections of docs/benchmarks.md, apart from "Whole runs", which `python -m
benchmarks.runs` measures. All together take long; --sections chooses some. Tables go to the standard output, progress
to the standard error. Peers that are not installed are left out.
"""
AGAINST = "speed-against"  #: a section that needs another checkout


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=DESCRIPTION)
    parser.add_argument("--quick", action="store_true", help="few repeats, and no evaluation case of over 100 bodies")
    parser.add_argument("--cases", nargs="+", choices=CASES, metavar="NAME",
        help=f"of the sections evaluation and batches: of {', '.join(CASES)}",
    )  # fmt: skip
    parser.add_argument(
        "--sections", nargs="+", choices=(*SECTIONS, AGAINST), default=SECTIONS, metavar="NAME",
        help=f"of {', '.join((*SECTIONS, AGAINST))}; by default all but {AGAINST}",
    )  # fmt: skip
    parser.add_argument("--write", action="store_true", help=f"rewrite these sections of docs/{PAGE.name}")
    about = parser.add_argument_group(f"first-use, first-export, {AGAINST}")
    about.add_argument("--against", type=Path, metavar="PATH", help="another checkout, which takes turns with this one")
    about.add_argument("--repeats", type=int, metavar="N", help="processes of each sort; rounds of speeds")
    about.add_argument(
        "--only", nargs="+", default=[""], metavar="NAME", help="models whose name contains one of these"
    )
    about.add_argument(
        "--all-platforms", action="store_true", help="first-export: the excavator for all, which takes long"
    )
    options = parser.parse_args()
    if AGAINST in options.sections and not options.against:
        parser.error(f"{AGAINST} compares with another checkout: give --against PATH")
    if options.against and not (options.against / "mbs_fmu" / "__init__.py").is_file():
        parser.error(f"{options.against} is no checkout of mbs_fmu")
    return options


def of_first_use(options: argparse.Namespace) -> Options:
    """Sections that can compare two checkouts."""
    repeats = options.repeats or (1 if options.quick else 3)
    return Options(repeats, options.against, tuple(options.only), options.all_platforms)


def main() -> None:
    """Run the chosen sections, print them, and write the page on request."""
    options = arguments()
    effort = Effort.of(options.quick)
    cases = options.cases or [name for name, case in CASES.items() if not options.quick or case.count <= 100]
    run: dict[str, Callable[[], str]] = {
        "evaluation": lambda: evaluation.section(cases, effort),
        "bound": lambda: bound.section(effort),
        "batches": lambda: batches.section([name for name in cases if CASES[name].count <= 100], effort, options.quick),
        "lanes": lambda: lanes.section(Effort(9, effort.batch)),
        "steppers": lambda: steppers.section(effort),
        "rollouts": lambda: rollouts.section(effort, options.quick),
        "solvers": lambda: solvers.section(effort, options.quick),
        "loops": lambda: loops.section(effort, options.quick),
        "closure": lambda: closure.section(effort, options.quick),
        "modes": lambda: modes.section(effort),
        "contact": lambda: contacts.section(effort),
        "near-pairs": lambda: near_pairs.section(effort, options.quick),
        "machine-elements": lambda: machine_elements.section(effort, options.quick),
        "vehicles": lambda: vehicles.section(effort),
        "roads": lambda: roads.section(effort),
        "first-use": lambda: first_use.section(of_first_use(options)),
        "first-export": lambda: first_use.exports(of_first_use(options)),
        "engines": engines.section,
        "large": lambda: large.section(options.quick),
        "growth": lambda: growth.section(options.quick),
        "floor": floor.section,
        "values": lambda: values.section(effort),
        "fmu": lambda: fmus.section(effort),
        "native": lambda: native_fmus.section(effort),
        "systems": lambda: systems.section(effort),
        "c-text": lambda: c_text.section(effort),
        "longest-step": lambda: worst_step.section(options.quick),
        "exchange": lambda: exchange.section(effort),
        "methods": lambda: stepping.section(options.quick),
        "stiff": lambda: stiff.section(effort, options.quick),
        "elastic": lambda: elastic.section(effort, options.quick),
        "sensitivities": lambda: sensitivities.section(effort, options.quick),
        "gradients": lambda: gradients.section(effort, options.quick),
        "jacobians": lambda: jacobians.section(effort, options.quick),
        AGAINST: lambda: speed.section(of_first_use(options)),
    }
    command = command_of(options)
    parts = [head(command)]
    print(parts[0], flush=True)
    complete = set(options.sections) == set(SECTIONS)
    for name in run:
        if name in options.sections:
            try:
                parts.append(run[name]())
            except ImportError as missing:
                complete = False
                progress(f"section {name} is left out: {missing}")
            else:
                print(f"\n{parts[-1]}", flush=True)
    if options.write:
        old = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
        whole = complete or not old
        sections = parts[1:] if whole else [separate(part, command, cpu_name()) for part in parts[1:]]
        PAGE.write_text(rewritten(old, sections, parts[0] if whole else ""), encoding="utf-8")


def head(command: str) -> str:
    """Description of the run: machine, versions, commits."""
    try:
        compiler = compiler_version()
    except Unavailable:
        compiler = None
    parts = ["# Benchmarks", KIND, f"Made by `{command}`, while other programs ran:", machine(compiler), TIMES]
    return "\n\n".join(parts)


def command_of(options: argparse.Namespace) -> str:
    """The command that runs, with the variable that selects fully optimised code, and without a user's path."""
    tier = [f"{TIER}={os.environ[TIER]}"] if TIER in os.environ else []
    words = ["CHECKOUT" if word == str(options.against) else word for word in sys.argv[1:]]
    return " ".join([*tier, "python -m benchmarks", *words])


if __name__ == "__main__":
    main()
