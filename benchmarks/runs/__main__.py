"""Command line of the whole runs: `python -m benchmarks.runs` from the project's root."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..checkouts import ROOT
from ..page import PAGE, rewritten
from ..report import Unavailable, progress
from . import text
from .compare import Comparison
from .figure import draw
from .first import SYSTEMS as FIRST
from .first import first_use
from .measure import Measured, measured
from .programs import BY_NAME, OURS, Interpreters, Worker
from .systems import SYSTEMS

PEERS = [name for name in BY_NAME if name != OURS]
FIRST_FILE = "first.json"
README = ROOT / "README.md"
BEGIN, END = "<!-- by python -m benchmarks.runs --write -->", "<!-- end -->"  #: around the passage of README.md


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.runs",
        description="Whole runs of mechanisms, compared with other programs at equal error.",
    )
    parser.add_argument(
        "--systems",
        nargs="+",
        choices=SYSTEMS,
        default=list(SYSTEMS),
        metavar="NAME",
        help=f"of {', '.join(SYSTEMS)}; by default all, which takes long",
    )
    parser.add_argument(
        "--peers",
        nargs="+",
        choices=PEERS,
        default=PEERS,
        metavar="NAME",
        help=f"of {', '.join(PEERS)}; by default all. Those that are not installed are left out",
    )
    parser.add_argument(
        "--rounds", type=int, default=3, metavar="N", help="rounds, in which programs take turns (default 3)"
    )
    parser.add_argument(
        "--environments",
        type=Path,
        metavar="FOLDER",
        help="of environments with the peers' names, as python -m benchmarks.runs.environments makes them",
    )
    parser.add_argument(
        "--python", nargs="+", default=[], metavar="PEER=PATH", help="interpreters of peers; by default this one"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("build/runs"),
        metavar="FOLDER",
        help="for points, table and figure (default build/runs)",
    )
    parser.add_argument(
        "--report", action="store_true", help="only report what the output folder has, without measuring"
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"also rewrite the section of docs/{PAGE.name}, docs/{text.FIGURE} and the passage of README.md",
    )
    options = parser.parse_args()
    if wrong := [pair for pair in options.python if "=" not in pair]:
        parser.error(f"--python takes PEER=PATH, such as mujoco=/usr/bin/python3, but got {wrong[0]!r}")
    options.python = dict(pair.split("=", 1) for pair in options.python)
    if not set(options.python) <= set(BY_NAME):
        parser.error(
            f"--python names no peer: {', '.join(set(options.python) - set(BY_NAME))}; peers are {', '.join(BY_NAME)}"
        )
    return options


def started(options: argparse.Namespace, interpreters: Interpreters) -> dict[str, Worker]:
    """Processes of all programs that are available."""
    workers = {}
    for name in [OURS, *options.peers]:
        try:
            workers[name] = Worker(name, interpreters, options.output)
            progress(f"{BY_NAME[name].title} {workers[name].version}")
        except Unavailable as reason:
            progress(f"{BY_NAME[name].title} is left out ({interpreters.of(name)}): {reason}")
    return workers


def measure(options: argparse.Namespace) -> None:
    """Write a file of points for each system, and one of first uses."""
    interpreters = Interpreters(options.python, options.environments)
    workers = started(options, interpreters)
    try:
        for name in options.systems:
            found = measured(SYSTEMS[name](), workers, options.rounds)
            write(options.output / f"{name}.json", found.to_json())
            if name in FIRST:
                stored = read(options.output / FIRST_FILE)
                stored[name] = first_use(found, interpreters, options.output, min(options.rounds, 3))
                write(options.output / FIRST_FILE, stored)
    finally:
        for worker in workers.values():
            worker.close()


def write(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main() -> None:
    """Measure, print the section, and write the files."""
    options = arguments()
    options.output = options.output.resolve()
    options.output.mkdir(parents=True, exist_ok=True)
    files = {name: options.output / f"{name}.json" for name in SYSTEMS}
    measures = [] if options.report else options.systems
    lacking = [name for name, path in files.items() if name not in measures and not path.exists()]
    if options.write and lacking:
        raise SystemExit(f"--write needs points of all systems: {options.output} has none of {', '.join(lacking)}")
    if measures:
        measure(options)
    comparisons = [Comparison(Measured.from_json(read(path))) for path in files.values() if path.exists()]
    if not comparisons:
        raise SystemExit(f"{options.output} has no points: run without --report first")
    section = text.section(comparisons, read(options.output / FIRST_FILE))
    print(section)
    (options.output / "table.md").write_text(section + "\n", encoding="utf-8")
    draw(comparisons, options.output / text.FIGURE)
    if options.write:
        PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8"), [section]), encoding="utf-8")
        (PAGE.parent / text.FIGURE).write_bytes((options.output / text.FIGURE).read_bytes())
        README.write_text(between(README.read_text(encoding="utf-8"), text.passage(comparisons)), encoding="utf-8")


def between(page: str, passage: str) -> str:
    """The page with a new passage between its marks. Raises ValueError without marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{passage}\n{END}{after}"


if __name__ == "__main__":
    main()
