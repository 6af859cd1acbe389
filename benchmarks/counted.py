"""Operations of kernels, counted in runs as plain Python on numbers that count operations and add up latencies.

The counts are those of the text that is compiled, at one state.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mbs_fmu.codegen.modules import load_plain

ADD, MULTIPLY, DIVIDE, ROOT = "additions", "multiplications", "divisions", "square roots"


def _operation(kind: str, function: Callable[[float, float], float]) -> tuple[Any, Any]:
    """Return an operation of two numbers, and the one for a number on its right side only."""

    def operation(a: Number, b: Any) -> Number:
        return a.after(kind, function(a.value, float(b)), b)

    def reflected(a: Number, b: Any) -> Number:
        return a.after(kind, function(float(b), a.value), b)

    return operation, reflected


def _comparison(function: Callable[[float, float], bool]) -> Any:
    return lambda a, b: function(a.value, float(b))


class Number:
    """A number, and the time at which its operations are done if nothing but their latencies takes time."""

    __slots__ = ("ready", "tally", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tally: Tally, value: float, ready: float = 0.0):
        self.tally, self.value, self.ready = tally, float(value), ready

    def after(self, kind: str, value: float, *others: object) -> Number:
        """Return the result of an operation on this number and others."""
        self.tally.counts[kind] += 1
        begin = max([self.ready, *(o.ready for o in others if isinstance(o, Number))])
        return Number(self.tally, value, begin + self.tally.latency[kind])

    def __float__(self) -> float:
        return self.value

    def __neg__(self) -> Number:
        return Number(self.tally, -self.value, self.ready)

    __add__, __radd__ = _operation(ADD, operator.add)
    __sub__, __rsub__ = _operation(ADD, operator.sub)
    __mul__, __rmul__ = _operation(MULTIPLY, operator.mul)
    __truediv__, __rtruediv__ = _operation(DIVIDE, operator.truediv)
    __lt__, __le__, __gt__, __ge__, __eq__, __ne__ = map(
        _comparison, (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
    )


@dataclass
class Tally:
    """Operations of all its numbers, by kind; `latency` is that of each kind in any unit of time."""

    latency: dict[str, float]
    counts: Counter[str]


@dataclass(frozen=True)
class Work:
    """Operations of one evaluation, those of sines and cosines among them, and the longest chain in units of time."""

    counts: Counter[str]
    sines: Counter[str]
    chain: float


def work_of(text: str, R: np.ndarray, latency: dict[str, float]) -> Work:
    """Count the operations of `derive` at the state of a record. R: (n,)."""
    counts, chain = _counted(text, "derive", R, latency)
    return Work(counts, _counted(text, "sines", R, latency)[0], chain)


def _counted(text: str, kernel: str, R: np.ndarray, latency: dict[str, float]) -> tuple[Counter[str], float]:
    """Return the operations of a kernel and the time of their longest chain."""
    tally = Tally(latency, Counter())
    record = np.array([Number(tally, x) for x in R], dtype=object)
    getattr(load_plain(text, {"sqrt": _root}), kernel)(record)
    return tally.counts, max(x.ready for x in record if isinstance(x, Number))


def _root(x: Any) -> Any:
    return x.after(ROOT, math.sqrt(x.value)) if isinstance(x, Number) else math.sqrt(x)
