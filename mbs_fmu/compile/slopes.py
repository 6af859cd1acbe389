"""What modes add to forms that are linear in them, as `linear` and `linear_groups` in kernels/bending.py read it."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..elastic.modes import Modes
from ..model.elastic_parts import Elastic
from ..record.layout import INERTIA

#: Products that take as long as what each group, and each form of one, takes besides.
GROUP, FORM = 100, 8
Groups = dict[frozenset[int], list[int]]  #: by their modes which forms they have


class Slopes(NamedTuple):
    """The numbers, and whether they are in groups."""

    numbers: np.ndarray
    grouped: bool


def nodes_of(elastic: Elastic) -> list[str]:
    """The root first."""
    return ([] if elastic.root is None else [elastic.root]) + elastic.seats


def slopes_of(modes: Modes, order: Sequence[str]) -> Slopes:
    """Of dJ/dxi, Cr and N of the nodes in this order; zero is what is rounding of the largest number of its row."""
    nodes = [modes.node(name).Y2 for name in order]
    rows = np.concatenate([modes.inertia.J2[tuple(np.array(INERTIA).T)], -modes.inertia.C1, *nodes])
    largest = np.abs(rows).max(axis=(1, 2), keepdims=True, initial=0.0)
    by_forms = np.where(np.abs(rows) > np.finfo(float).eps * largest, rows, 0.0).swapaxes(1, 2).reshape(-1, modes.count)
    return _arranged(by_forms.tobytes(), modes.count)


@functools.lru_cache(maxsize=64)
def _arranged(numbers: bytes, modes: int) -> Slopes:
    """In groups where that is less work."""
    slopes = np.frombuffer(numbers).reshape(-1, modes)
    groups = _joined(slopes)
    if slopes.size <= sum(_work(len(group), len(forms)) for group, forms in groups.items()):
        return Slopes(slopes.T.ravel(), False)
    parts: list[Any] = [[len(groups)]]
    for group, forms in groups.items():
        inputs = sorted(group) + [0] * (-len(group) % 4)
        forms = sorted(forms, key=lambda form: (form < 6 * modes, form))
        matrix = np.zeros((len(inputs), _filled(len(forms))))
        matrix[: len(group), : len(forms)] = slopes[np.ix_(forms, sorted(group))].T
        parts += [[len(inputs), len(forms), sum(form >= 6 * modes for form in forms)], inputs, forms, matrix.ravel()]
    return Slopes(np.concatenate(parts).astype(float), True)


def _joined(slopes: np.ndarray) -> Groups:
    """Forms with the same modes, and groups together where that is less work."""
    groups: Groups = {}
    for k, row in enumerate(slopes):
        if row.any():
            groups.setdefault(frozenset(np.flatnonzero(row).tolist()), []).append(k)
    while len(groups) > 1:
        (a, b), gain = max(((pair, _gain(groups, *pair)) for pair in itertools.combinations(groups, 2)), key=_second)
        if gain <= 0:
            break
        forms = groups.pop(a) + groups.pop(b)
        groups[a | b] = forms + groups.pop(a | b, [])
    return groups


def _second(item: tuple[Any, float]) -> float:
    return item[1]


def _gain(groups: Groups, a: frozenset[int], b: frozenset[int]) -> float:
    """The work that is spared where two groups are one."""
    apart = _work(len(a), len(groups[a])) + _work(len(b), len(groups[b]))
    return apart - _work(len(a | b), len(groups[a]) + len(groups[b]))


def _work(modes: int, forms: int) -> float:
    """Of a group, in products."""
    return GROUP + FORM * forms + _filled(modes) * _filled(forms)


def _filled(count: int) -> int:
    """The next multiple of four."""
    return (count + 3) // 4 * 4
