"""Pieces of C text: expressions with their precedence, comments, lines of bounded length, names that C permits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

#: Precedence of C's operators, from the loosest to the tightest.
CHOICE, OR, AND, EQUAL, LESS, SHIFT, PLUS, TIMES, UNARY, ATOM = range(10)
WIDTH = 110  #: greatest length of a line, if it can be broken at a space

KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true
false"""
KEYWORDS_OF_CPP = """asm and and_eq bitand bitor catch class compl delete explicit export friend mutable namespace new
not not_eq operator or or_eq private protected public template this throw try typeid typename using virtual xor"""
MATHEMATICS = """acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh div erf erfc exp exp2 expm1 fabs
fdim floor
fma fmax fmin fmod frexp gamma hypot ilogb isfinite isinf isnan j0 j1 jn ldexp lgamma log log10 log1p log2 logb
lrint lround modf nan nearbyint pow remainder remquo rint round scalb scalbln scalbn signbit significand signgam sin
sinh sqrt tan tanh tgamma trunc y0 y1 yn abs DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS HUGE HUGE_VAL NAN INFINITY"""
SYSTEM = """asm clock close errno exit far free index interface link linux malloc main near pipe read rindex select
signal small tail time unix write EOF NULL OK TRUE FALSE ERROR"""
#: Names with a meaning in C, C++, <math.h>, or some system's headers.
RESERVED = frozenset(f"{KEYWORDS} {KEYWORDS_OF_CPP} {MATHEMATICS} {SYSTEM} real integer".split())


class Text(NamedTuple):
    """An expression in C and the precedence of its outermost operator."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator that needs at least this precedence."""
        return self.text if self.level >= level else f"({self.text})"


def comment(text: str) -> str:
    """Return a text as the inside of a C comment, whatever characters it contains."""
    return re.sub(r"\*(?=/)|/(?=\*)|\?(?=\?)|\\(?=\s|$)", r"\g<0> ", text)


def identifier(name: str) -> str:
    """Return a name of a model, such as `arm.q[1]`, as an identifier of C."""
    made = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_") or "x"
    made = f"_{made}"[made[0].isalpha() :]
    return f"{made}_" if made in RESERVED else made


def wrapped(line: str, indent: int = 0) -> str:
    """Return an indented line, broken at spaces where it is too long."""
    lines: list[str] = []
    pad, rest = " " * indent, line
    while len(rest) + len(pad) > WIDTH:
        cut = rest.rfind(" ", 20, WIDTH - len(pad) - (8 if lines else 0))
        if cut < 0:
            break
        lines.append(rest[:cut])
        rest = rest[cut + 1 :]
    return pad + f"\n{pad}        ".join([*lines, rest])


class Lines:
    """The lines of a function's body, with their indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 1

    def emit(self, line: str) -> None:
        self.lines.append(wrapped(line, 4 * self._depth))

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Indent lines by one level."""
        self._depth += 1
        yield
        self._depth -= 1

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        """Collect lines, indented by one level, in a list instead."""
        kept, self.lines = self.lines, []
        collected = self.lines
        with self.nested():
            yield collected
        self.lines = kept
