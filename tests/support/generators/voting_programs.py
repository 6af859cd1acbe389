"""Random kernels of modules in which lanes agree on branches (codegen/llvm/agreement.py).

Each program has its own record of `ROWS` rows: the numbers of kernel_programs.py, the program's result, the rows of
votes, and one row that is the same in all active lanes. Programs branch on numbers, count with them, convert them to
integers common to all lanes (`int`) or of each lane (`each`), and call functions of their record and others.
"""

from __future__ import annotations

import re

import numpy as np

from .kernel_programs import HEAD, SIZE, Writer

RESULT, ACTIVE, LEAVING, SAME, ROWS = range(SIZE, SIZE + 5)
MORE = """\
ACTIVE = np.int64({active})


@kernel
def common(x):
    return x


@kernel
def each(x):
    return int(x)


@kernel
def dent(A, i, x):
    if x < A[i & 3]:
        A[3] = x
        return A[1] - x
    k = int(min(max(0.0, x), 3.0))
    A[k] -= 1.0
    return A[k + 1]


@kernel
def digit(x):
    if x < 1.5:
        return 1
    return int(min(max(0.0, x), 7.0))


@kernel
def higher(R, i, x):
    return x > R[i & 7] or R[i & 3] == 0.0


@kernel
def level(R, x):
    if x < R[1]:
        return 2
    while x > R[2] and R[2] < 9.0:
        R[2] += 1.0 + abs(R[2])
        if higher(R, 3, x):
            return 5
    return each(min(max(0.0, x), 9.0))
"""


class VotingWriter(Writer):
    """Writes a function that lanes run together although they differ in its branches."""

    def __init__(self, rng: np.random.Generator):
        super().__init__(rng, straight=False)

    def common(self, integer: str) -> str:
        return f"int({integer})"

    def part(self) -> str:
        return "R"  # the rows of votes have fixed places in the first argument

    def number(self, depth: int = 3) -> str:
        if depth and self.rng.random() < 0.1:
            start, integer = self.one("0", "4", "int(n) & 3"), self.common(self.integer(depth - 1)[0])
            return str(self.one(f"dent(tail(R, {start}), {integer}, {self.number(depth - 1)})", f"common(R[{SAME}])"))
        return super().number(depth)

    def integer(self, depth: int = 3) -> tuple[str, int]:
        if depth and self.rng.random() < 0.25:
            x = self.number(depth - 1)
            return str(self.one(f"each(min(max(0.0, {x}), 9.0))", f"digit({x})", f"level(R, {x})")), 4
        return super().integer(depth)

    def truth(self, depth: int = 2) -> str:
        if depth and self.rng.random() < 0.2:
            return f"higher(R, {self.integer(depth - 1)[0]}, {self.number(depth - 1)})"
        return super().truth(depth)


def voting_programs(seed: int, count: int, lanes: int, leaving: bool = False) -> str:
    """Text of a module with `count` functions, and of `run(A, n, x)`, which runs each on its own record in A.

    leaving: votes drop lanes at random too.
    """
    rng = np.random.default_rng([29, seed])
    functions = [VotingWriter(rng).function(f"program_{k}") for k in range(count)]
    run = ["@kernel", "def run(A, n, x):"]
    for k in range(count):
        run.append(f"    A[{k * ROWS + RESULT}] = program_{k}(tail(A, {k * ROWS}), n, x)")
    more = MORE + (f"\n\nLEAVING = np.int64({LEAVING})\n" if leaving else "")
    head = HEAD.format(lanes=lanes) + more.format(active=ACTIVE)
    return re.sub(r"\n{3,}", "\n\n\n", "\n\n\n".join([head.rstrip(), *functions, "\n".join(run)])) + "\n"
