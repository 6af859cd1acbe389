"""Random kernels: texts of modules whose functions use every construct that a kernel may use, on all kinds of numbers.

Integers stay small: each assignment ends in a mask. Indices are masked to the array. Numbers may become infinite or
NaN; the size of a number is checked before it becomes an integer. Every name has an initial value, and loops end.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import types

import numpy as np

from mbs_fmu.codegen.modules import load_plain

SIZE = 16  #: elements of a program's array
HEAD = """\
import numpy as np
from numba import njit
from mbs_fmu.codegen.entries import kernel

LANES = np.int64({lanes})
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6])
FLAG = True
WIDTH = np.uintp(16)
THIRD = 1.0 / 3.0
PAIR = (0.5, -1.5)


@kernel
def where(condition, a, b):
    return a if condition else b


@kernel
def tail(R, start):
    return R[start:]


@kernel
def twist(R, i, x):
    k = i & 7
    R[k] += x
    if i & 1 == 0:
        return R[k + 1] - x
    for j in range(k, 0, -2):
        R[j] = R[j - 1] * 0.5
        if j == 3:
            return x
    return -x


@kernel
def bend(R, i, x):
    if x < R[i & 7] or R[2] > 1.0:
        R[3] = x
        return x * 0.5
    k = int(min(max(0.0, x), 5.0))
    R[k] -= 1.0
    return R[k + 1]


@kernel
def pair(R, x, y):
    R[15] -= 1.0
    return (x + y, x - R[14])


@kernel
def count(i, j):
    while i > j:
        i -= 3
    return i & 15
"""
LIMIT = 40  #: bits that an integer may have in intermediate results
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e300, -1e300, 5e-324, 0.1, 7.25)


class Writer:
    """Writes one function; `straight`: branches depend on integers only, so that lanes can run it together."""

    def __init__(self, rng: np.random.Generator, straight: bool):
        self.rng, self.straight = rng, straight
        self.numbers = ["x", "y", "z"]
        self.integers = ["n", "i", "j"]
        self.readable = [*self.integers]  #: loop counters too
        self.truths = ["s", "t"]
        self.counters = 0
        self.lines: list[str] = []

    def one(self, *choices: object) -> object:
        return choices[int(self.rng.integers(len(choices)))]

    # -- expressions ----------------------------------------------------------------------------------
    def number(self, depth: int = 3) -> str:
        """Text of a floating-point expression."""
        kind = int(self.rng.integers(13)) if depth else int(self.rng.integers(3))
        a, b = (lambda: self.number(depth - 1)), (lambda: self.number(depth - 1))
        match kind:
            case 0:
                return str(self.one(f"R[{self.index(depth)}]", f"A[{self.one(*self.readable)} & 7]"))
            case 1:
                return str(self.one(*self.numbers))
            case 2:
                return f"({self.one(*SPECIAL)})"
            case 3 | 4 | 5:
                return f"({a()} {self.one('+', '-', '*', '/')} {b()})"
            case 6:
                return f"({a()} {self.one('+', '-', '*')} {self.integer(depth - 1)[0]})"
            case 7:
                return f"(-{a()})"
            case 8:
                return f"{self.one('min', 'max')}({a()}, {b()}, {a()})"
            case 9:
                return f"({a()} if {self.truth(depth - 1)} else {b()})"
            case 10:
                return f"where({self.truth(depth - 1)}, {a()}, {b()})"
            case 11:
                return f"{self.one('abs', 'np.sqrt', 'np.ceil')}({a()})"
        if self.straight:  # a branch that only some lanes take must change nothing
            return f"(THIRD * {a()})"
        return f"twist(R, {self.common(self.integer(depth - 1)[0])}, {a()})"

    def common(self, integer: str) -> str:
        """Text of an integer at which arrays may be written."""
        return integer

    def integer(self, depth: int = 3) -> tuple[str, int]:
        """Text of an integer expression, and its largest number of bits."""
        kind = int(self.rng.integers(13)) if depth else int(self.rng.integers(3))
        if kind == 0:
            return str(self.one(*self.readable)), 13
        if kind == 1:
            return f"({int(self.rng.integers(-9, 10))})", 4
        if kind == 2:
            return f"TABLE[{self.one(*self.readable)} & 7]", 4
        a, p = self.integer(depth - 1)
        b, q = self.integer(depth - 1)
        match kind:
            case 3 | 4:
                return f"({a} {self.one('+', '-')} {b})", max(p, q) + 1
            case 5 if p + q < LIMIT:
                return f"({a} * {b})", p + q
            case 6 if not self.straight:
                return f"({a} // ({b} | 1))", p + 1
            case 7:
                return f"({a} // {self.one(2, 3, -2, 8, -7)})", p
            case 8:
                return f"({a} {self.one('&', '|')} {b})", max(p, q) + 1
            case 9:
                return f"({a} >> {self.one(1, 5, 70, f'({b} & 127)')})", p
            case 10 if p + 7 < LIMIT:
                return f"({a} << ({b} & 7))", p + 7
            case 11:
                return f"{self.one('min', 'max')}({a}, abs({b}), -{a})", max(p, q) + 1
            case 12 if not self.straight:
                x = self.number(depth - 1)
                return str(
                    self.one(
                        f"int({x} if abs(y) < 0.0 else 2.75)",
                        f"int(min(max(0.0, {x}), 99.0) * -1.5)",
                        f"count({a} & 63, {b} & 31)",
                    )
                ), 10
        return f"({a} if {self.decision(depth - 1)} else {b})", max(p, q)

    def index(self, depth: int) -> str:
        return str(
            self.one(
                str(int(self.rng.integers(SIZE))),
                f"{self.one(*self.readable)} & 15",
                f"({self.integer(max(depth - 1, 0))[0]}) & 7",
            )
        )

    def truth(self, depth: int = 2) -> str:
        """Text of a condition that may differ between lanes."""
        kind = int(self.rng.integers(7)) if depth else int(self.rng.integers(2))
        match kind:
            case 0:
                return str(self.one(*self.truths))
            case 1:
                return f"({self.number(0)} {self.one('<', '<=', '>', '>=', '==', '!=')} {self.number(0)})"
            case 2:
                last = f"{self.one('<', '<=', '!=')} {self.one(*self.numbers)}"
                return f"({self.number(depth - 1)} < {self.number(depth - 1)} {last})"
            case 3:
                return f"(not {self.truth(depth - 1)})"
            case 4 | 5:
                return f"({self.truth(depth - 1)} {self.one('and', 'or')} {self.truth(depth - 1)})"
        return self.whole(depth - 1)

    def whole(self, depth: int) -> str:
        """Text of a condition on integers."""
        a, b = self.integer(depth)[0], self.integer(depth)[0]
        return str(
            self.one(
                f"({a} {self.one('<', '==', '>=', '!=')} {b})",
                f"({a} <= {self.one(*self.readable)} < {self.one(*self.readable)})",
                f"({a} & 1 == 0 or {b} > 3)",
                "FLAG",
            )
        )

    def decision(self, depth: int = 2) -> str:
        """Text of a branch condition."""
        return self.whole(depth) if self.straight or self.rng.random() < 0.4 else self.truth(depth)

    # -- statements -----------------------------------------------------------------------------------
    def put(self, level: int, line: str) -> None:
        self.lines.append("    " * level + line)

    def block(self, level: int, size: int, loop: bool = False) -> None:
        for _ in range(size):
            self.statement(level, loop)

    def statement(self, level: int, loop: bool) -> None:
        kind = int(self.rng.integers(15 if level < 4 else 10))
        x, i, t = (str(self.one(*names)) for names in (self.numbers, self.integers, self.truths))
        match kind:
            case 0:
                self.put(level, f"{x} = {self.number()}")
            case 1 if self.straight:
                self.put(level, f"{x} = {self.number(2)} if {self.truth()} else {self.number(2)}")
            case 1:
                called = [
                    f"{self.one('twist', 'bend')}(R, {self.common(self.integer(1)[0])}, {self.number(1)})"
                    for _ in range(2)
                ]
                self.put(level, f"{x} = {called[0]} if {self.truth()} else {self.one(called[1], 'x')}")
            case 2:
                self.put(level, f"{i} = (({self.integer()[0]}) & 8191) - 4096")
            case 3:
                self.put(level, f"{t} = {self.truth()}")
            case 4:
                self.put(
                    level,
                    f"{self.one('R', 'A')}[{self.common(i)} & 7] = {self.one('', f'{x} = ', 'R[0] = ')}{self.number()}",
                )
            case 5:
                self.put(level, f"R[{self.common(self.index(2))}] {self.one('+', '-', '*', '/')}= {self.number()}")
            case 6:
                self.put(level, f"{x} {self.one('+', '-', '*', '/')}= {self.number()}")
            case 7:
                self.put(
                    level,
                    str(
                        self.one(
                            "x, y = y, x",
                            f"i, R[{self.common('i')} & 7] = j, z",
                            "x, z = PAIR",
                            f"x, y = pair(R, {self.number(1)}, z)",
                        )
                    ),
                )
            case 8:
                self.put(level, f"{i} {self.one('&', '|', '>>', '//')}= {self.one(7, 3, 5)}")
            case 9 if loop:
                self.put(level, f"if {self.decision()}:")
                self.put(level + 1, str(self.one("break", "continue")))
            case 9:
                self.put(
                    level, f"z = {self.one('twist', 'bend')}({self.part()}, {self.common(self.integer(1)[0])}, {x})"
                )
            case 10 | 11:
                self.put(level, f"if {self.decision()}:")
                self.block(level + 1, 2, loop)
                if self.rng.random() < 0.5:
                    self.put(level, "else:")
                    self.block(level + 1, 2, loop)
            case 12 | 13:
                self.loop(level)
            case 14:
                self.repeat(level)

    def part(self) -> str:
        """Text of an array with the first eight elements of `twist` and `bend`."""
        return f"tail(R, {self.one(0, 'i & 3')})"

    def loop(self, level: int) -> None:
        """Write a loop whose body may change the counter and whose final counter is read behind it."""
        self.counters += 1
        k = f"k{self.counters}"
        bounds = self.one("4", "n & 3", "i & 3, j & 7", "6, i & 3, -2", f"{self.integer(1)[0]} & 3, 9, 3", "3, -1, -1")
        self.put(level, f"for {k} in range({bounds}):")
        self.readable.append(k)
        self.block(level + 1, 2, True)
        if self.rng.random() < 0.3:
            self.put(level + 1, f"{k} = {k} + 5")

    def repeat(self, level: int) -> None:
        self.counters += 1
        c = f"c{self.counters}"
        self.put(level, f"{c} = {int(self.rng.integers(5))}")
        self.put(level, f"while {c} > 0 and {self.decision()}:")
        self.put(level + 1, f"{c} -= 1")
        self.block(level + 1, 2, True)

    def function(self, name: str) -> str:
        self.put(1, f"A = tail(R, {self.common(str(self.one(0, 3, 'n & 7')))})")
        self.put(1, "y, z = R[1], x * 0.5")
        self.put(1, "i = n - 2")
        self.put(1, "j = n // -2")
        self.put(1, "s = x < y")
        self.put(1, "t = n > 1")
        self.block(1, 8)
        end = f"return {self.number(2)}"
        if not self.straight and self.rng.random() < 0.4:
            self.put(1, f"if {self.decision()}:")
            self.put(2, f"return {self.number(1)}")
        self.put(1, end)
        counters = [f"    k{k} = 2" for k in range(1, self.counters + 1) if f"for k{k} in" in "".join(self.lines)]
        return "\n".join(["@kernel", f"def {name}(R, n, x):", *counters, *self.lines])


def programs(seed: int, count: int, straight: bool = False, lanes: int = 1) -> str:
    """Text of a module with `count` functions, and of `run(R, n, x)`, which runs each on its own part of R."""
    rng = np.random.default_rng(seed)
    functions = [Writer(rng, straight).function(f"program_{k}") for k in range(count)]
    run = ["@kernel", "def run(R, n, x):"]
    for k in range(count):
        run.append(f"    R[{count * SIZE + k}] = program_{k}(tail(R, {k * SIZE}), n, x)")
    return "\n\n\n".join([HEAD.format(lanes=lanes).rstrip(), *functions, "\n".join(run)]) + "\n"


def module_of(text: str) -> types.ModuleType:
    """Module compiled from text, registered so that `inspect` finds its source."""
    name = "programs_" + hashlib.sha256(text.encode()).hexdigest()[:16]
    module, filename = types.ModuleType(name), f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), module.__dict__)
    return module


class _Numpys(ast.NodeTransformer):
    """Replaces the text's numbers by numpy's, which divide by zero as machines do."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, float):
            return node
        return ast.Call(ast.Attribute(ast.Name("np", ast.Load()), "float64", ast.Load()), [node], [])


def as_python(text: str) -> types.ModuleType:
    """The module in plain Python on numpy's numbers."""
    tree = ast.fix_missing_locations(_Numpys().visit(ast.parse(text)))
    return load_plain(ast.unparse(tree))
