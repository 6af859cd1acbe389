"""Mutation testing: faults planted at random in a copy of the package: python -m tests.tools.mutations

Signs, operands, indices, comparisons, terms, constants and minima are changed one at a time, chosen by a fixed seed.
The quick tests run on each fault up to the first failure, and the default tests on the faults that survive. A table
names the tier and the test that found each, and the time this took.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from .faults import ROOT, Fault, chosen

TIERS = {"quick": ("-m", "quick"), "default": ()}
LONGEST = {"quick": 900, "default": 5400}  #: s; a tier that takes longer counts as a failure
#: Folders of tests that run first, by area of the fault: the first failure ends a tier.
FIRST = {
    "kernels": ("kernels", "mechanics/loops", "mechanics/modes", "mechanics/trees", "crossings", "integrate"),
    "mechanics": ("mechanics/trees", "mechanics", "elastic"),
    "integrate": ("integrate", "crossings", "run", "analysis"),
    "compile": ("compile", "mechanics", "model", "fmi/description"),
    "C": ("fmi/native", "fmi", "firmware"),
}


@dataclass(frozen=True)
class Outcome:
    """How the tests met a fault; `tier` is empty if it survives."""

    fault: Fault
    tier: str
    test: str
    seconds: float


def copy_of_the_tree(folder: Path) -> Path:
    """Copy the current state of all files under version control."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def in_order(tree: Path, area: str, near: bool) -> list[str]:
    """Return all test files, those first that concern the area; `near`: only these."""
    files = sorted(str(path.relative_to(tree)) for path in (tree / "tests").rglob("test_*.py"))
    folders = [f"tests/{folder}/" for folder in FIRST[area]]
    place = {f: next((k for k, name in enumerate(folders) if f.startswith(name)), len(folders)) for f in files}
    return sorted((f for f in files if not near or place[f] < len(folders)), key=place.__getitem__)


def found_by(tier: str, tree: Path, area: str, near: bool) -> str:
    """Return the first test of a tier that fails in the tree, or an empty string."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--no-header", "-q", *TIERS[tier]]
    paths = {"PYTHONPATH": f"{tree}:{tree / 'tests'}", "MBS_FMU_CACHE": str(tree.parent / "cache")}
    environment = {**os.environ, **paths, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        run = subprocess.run(
            [*command, *in_order(tree, area, near)], cwd=tree, env=environment, capture_output=True, text=True,
            timeout=LONGEST[tier], check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "does not end"
    if run.returncode == 0:
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return named[1] if named else "pytest cannot begin"


def tried(fault: Fault, tree: Path, tiers: list[str], near: bool) -> Outcome:
    """Plant a fault in a tree, run the tiers up to the first failure, and take the fault out again."""
    begun, path = time.monotonic(), tree / fault.path
    text = path.read_text(encoding="utf-8")
    path.write_text(fault.apply(text), encoding="utf-8")
    try:
        for tier in tiers:
            if test := found_by(tier, tree, fault.area, near):
                return Outcome(fault, tier, test, time.monotonic() - begun)
        return Outcome(fault, "", "", time.monotonic() - begun)
    finally:
        path.write_text(text, encoding="utf-8")


def printed(number: int, fault: Fault) -> str:
    """Return a fault as text: its place, and the line before and after."""
    before, after = fault.lines((ROOT / fault.path).read_text(encoding="utf-8"))
    return f"{number:3} {fault.kind:10} {fault.place}\n    - {before}\n    + {after}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=30, help="how many faults (30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, nargs="+", metavar="N", help="numbers of the faults to try, from 0")
    parser.add_argument("--tiers", nargs="+", choices=TIERS, default=list(TIERS), help="quick default")
    parser.add_argument("--near", action="store_true", help="only the folders of tests that concern the area")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="faults tried at once")
    parser.add_argument("--list", action="store_true", help="show the faults, try none")
    options = parser.parse_args()
    numbered = [(k, f) for k, f in enumerate(chosen(options.count, options.seed)) if k in (options.only or [k])]
    texts = {k: printed(k, fault) for k, fault in numbered}  # of the files as they are now
    if options.list:
        print("\n".join(texts.values()))
        return
    with tempfile.TemporaryDirectory(prefix="mutations_") as folder:
        trees: Queue[Path] = Queue()
        for k in range(options.processes):
            trees.put(copy_of_the_tree(Path(folder) / str(k) / "tree"))

        def outcome(item: tuple[int, Fault]) -> Outcome:
            tree = trees.get()
            try:
                found = tried(item[1], tree, options.tiers, options.near)
            finally:
                trees.put(tree)
            print(f"{texts[item[0]]}\n    {found.tier or 'SURVIVES'} {found.test} ({found.seconds:.0f} s)", flush=True)
            return found

        with ThreadPoolExecutor(options.processes) as pool:
            outcomes = list(pool.map(outcome, numbered))
    for tier, number in Counter(found.tier or "survive" for found in outcomes).items():
        print(f"{tier:8} {number:4} of {len(outcomes)}")


if __name__ == "__main__":
    main()
