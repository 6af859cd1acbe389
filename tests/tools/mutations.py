"""Mutation testing: single-character changes of the package, tried in a copy: python -m tests.tools.mutations

Signs, operators, comparisons and indices are changed one at a time, chosen by a fixed seed. The quick tests run on each
change up to the first failure, and the default tests on those that survive. A table names the test that found each.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
AREAS = {  #: areas and the patterns of their files
    "motions": ("model/joints.py", "model/motions/*.py", "symbolic/spatial.py"),
    "steps": ("mechanics/steps.py", "mechanics/solvers.py"),
    "closures": ("compile/closures/closures.py", "model/closures/*.py"),
    "rows": ("kernels/closures/loops.py", "kernels/closures/elimination.py", "kernels/closures/rows.py"),
    "drivers": (
        "integrate/stepping/drivers.py",
        "integrate/stepping/adaptive.py",
        "integrate/methods/explicit.py",
        "integrate/methods/gauss.py",
        "integrate/methods/multistep.py",
    ),
    "description": (
        "fmi/description*.py",
        "fmi/description/variables.py",
        "fmi/description/dependencies.py",
        "fmi/description/elements.py",
    ),
}
#: equivalent mutants: the line before and after, and the reason
EQUIVALENT: dict[tuple[str, str], str] = {}
OPERATORS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
COMPARISONS = {ast.Lt: ("<", ">"), ast.Gt: (">", "<")}
TIERS = {"seconds": ("-m", "quick"), "minutes": ()}
LONGEST = {"seconds": 600, "minutes": 3600}  #: s; a tier that takes longer counts as a failure


@dataclass(frozen=True)
class Mutant:
    """One change: `old` at a position in a file (line from 1, column from 0) becomes `new`."""

    area: str
    path: Path
    line: int
    column: int
    old: str
    new: str

    def lines(self, text: str) -> tuple[str, str]:
        """The line before and after."""
        before = text.splitlines()[self.line - 1]
        after = before[: self.column] + self.new + before[self.column + len(self.old) :]
        return before.strip(), after.strip()

    def apply(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        assert line[self.column :].startswith(self.old)
        lines[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old) :]
        return "".join(lines)


# -- what can be changed -------------------------------------------------------------------------------


def mutants(area: str, path: Path) -> Iterator[Mutant]:
    """All changes of a file's code, without annotations, messages and bare strings."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in code(ast.parse(text)):
        for row, column, old, new in changes(node, lines):
            if lines[row - 1].isascii():  # ast counts columns in bytes
                yield Mutant(area, path, row, column, old, new)


def code(node: ast.AST) -> Iterator[ast.AST]:
    """Tree without nodes that have no effect on numbers."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(
            node, ast.Raise | ast.Assert | ast.JoinedStr
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from code(child)


def changes(node: ast.AST, lines: list[str]) -> Iterator[tuple[int, int, str, str]]:
    """Line, column, text and new text of the changes of one node."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield from between(node.left, node.right, *OPERATORS[type(node.op)], lines)
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        yield from between(node.target, node.value, *OPERATORS[type(node.op)], lines)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield from between(node.left, node.comparators[0], *COMPARISONS[type(node.ops[0])], lines)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.lineno, node.col_offset, "-", "+"
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        index = node.slice.value
        yield node.slice.lineno, node.slice.col_offset, str(index), str(index + 1)


def between(
    left: ast.expr, right: ast.expr, old: str, new: str, lines: list[str]
) -> Iterator[tuple[int, int, str, str]]:
    """Operator between operands on one line."""
    assert left.end_lineno is not None and left.end_col_offset is not None
    if left.end_lineno == right.lineno:
        column = lines[right.lineno - 1].find(old, left.end_col_offset, right.col_offset)
        if column >= 0:
            yield right.lineno, column, old, new


def chosen(count: int, seed: int) -> list[Mutant]:
    """Random selection of `share` changes of each area by the seed, without equivalent mutants."""
    selection = []
    for k, (area, patterns) in enumerate(AREAS.items()):
        files = sorted({path for pattern in patterns for path in (ROOT / "mbs_fmu").glob(pattern)})
        if not files:
            sys.exit(f"no file for {area}: its patterns in AREAS match nothing")
        candidates = [m for path in files for m in mutants(area, path)]
        candidates = [m for m in candidates if m.lines(m.path.read_text(encoding="utf-8")) not in EQUIVALENT]
        share = count // len(AREAS) + (k < count % len(AREAS))
        selection += random.Random(f"{seed} {area}").sample(candidates, min(share, len(candidates)))
    return selection


# -- trying them ---------------------------------------------------------------------------------------


def copy_of_the_tree(folder: Path) -> Path:
    """Copy of the current state of all files under version control."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def found_by(tier: str, tree: Path, cache: Path) -> str:
    """First test of a tier that fails in the tree, or an empty string."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", "--no-header", *TIERS[tier]]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "MBS_FMU_CACHE": str(cache)}
    try:
        run = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, text=True, timeout=LONGEST[tier], check=False
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    if run.returncode == 0:
        return ""
    named = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return named[1] if named else "pytest cannot begin"


def tried(mutant: Mutant, tree: Path, cache: Path, tiers: list[str]) -> tuple[str, str]:
    """Tier and name of the first failing test; empty if the mutant survives."""
    path = tree / mutant.path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    path.write_text(mutant.apply(text), encoding="utf-8")
    try:
        for tier in tiers:
            if test := found_by(tier, tree, cache):
                return tier, test
        return "", ""
    finally:
        path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.mutations", description=__doc__)
    parser.add_argument("--count", type=int, default=30, help="how many changes (30)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds-only", action="store_true", help="leave the minutes tier out")
    parser.add_argument("--list", action="store_true", help="show the changes, try none")
    options = parser.parse_args()
    tiers = ["seconds"] if options.seconds_only else list(TIERS)
    some = chosen(options.count, options.seed)
    with tempfile.TemporaryDirectory(prefix="mutations_") as folder:
        tree, cache = copy_of_the_tree(Path(folder) / "tree"), Path(folder) / "cache"
        if not options.list and (test := found_by("seconds", tree, cache)):
            sys.exit(f"{test} fails without any change")
        survivors = 0
        for mutant in some:
            place = f"{mutant.path.relative_to(ROOT)}:{mutant.line}"
            before, after = mutant.lines(mutant.path.read_text(encoding="utf-8"))
            print(f"{mutant.area:12} {place}\n    - {before}\n    + {after}")
            if options.list:
                continue
            begun = time.monotonic()
            tier, test = tried(mutant, tree, cache, tiers)
            survivors += not tier
            print(f"    {tier or 'SURVIVES'} {test} ({time.monotonic() - begun:.0f} s)", flush=True)
    if not options.list:
        print(f"{len(some) - survivors} of {len(some)} changes are found")


if __name__ == "__main__":
    main()
