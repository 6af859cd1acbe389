"""Slopes of the forms that are linear in the modes, arranged as `add_linear_terms` in kernels/elastic/shapes.py reads
them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...model.elastic_parts import ElasticPart
from ...record.elastic_layout import mode_columns
from ...record.layout import INERTIA

if TYPE_CHECKING:
    from ...elastic.modes import Modes


class Slopes(NamedTuple):
    """The numbers, and the mode at each offset of the body's modes in the record."""

    numbers: np.ndarray
    order: list[int]


def nodes_of(elastic: ElasticPart) -> list[str]:
    """Names of the nodes, the root first."""
    return ([] if elastic.root is None else [elastic.root]) + elastic.attachments


def mode_offsets(elastic: ElasticPart) -> list[int]:
    """Offset of each mode in the record, from the first of its body."""
    order = slopes_of(elastic.modes, nodes_of(elastic)).order
    return [order.index(mode) for mode in range(len(order))]


def slopes_of(modes: Modes, nodes: Sequence[str]) -> Slopes:
    """Slopes of dJ/dxi, Cr and N of the nodes; entries of the size of rounding of their row's largest become zero."""
    of_nodes = [modes.node(name).Y2 for name in nodes]
    rows = np.concatenate([modes.inertia.J2[tuple(np.array(INERTIA).T)], -modes.inertia.C1, *of_nodes])
    by_forms = rows.swapaxes(1, 2)
    large = np.abs(by_forms) > np.finfo(float).eps * np.abs(rows).max(axis=(1, 2), keepdims=True, initial=0.0)
    return _arranged(np.where(large, by_forms, 0.0).tobytes(), modes.count)


@functools.lru_cache(maxsize=64)
def _arranged(numbers: bytes, modes: int) -> Slopes:
    """Slopes in the order of modes with the fewest nonzero blocks: modes that are coupled are adjacent."""
    rows = np.frombuffer(numbers).reshape(-1, modes, modes)
    orders = [list(range(modes)), *(_together(row) for row in rows)]
    order = min(orders, key=lambda order: np.count_nonzero(_blocks(rows, order).any(axis=(2, 4))))
    blocks = _blocks(rows, order)
    parts: list[Any] = [[blocks.shape[3]]]
    for k in range(blocks.shape[3]):
        row, group = np.nonzero(blocks[:, :, :, k].any(axis=(2, 3)))
        last = np.argsort(row < len(INERTIA), kind="stable")
        row, group = row[last], group[last]
        sources = [mode if mode < modes else 0 for mode in range(4 * k, 4 * k + 4)]
        parts += [sources, [len(row), np.count_nonzero(row >= len(INERTIA))]]
        parts += [row * mode_columns(modes) + 4 * group, blocks[row, group, :, k].swapaxes(1, 2).ravel()]
    return Slopes(np.concatenate(parts).astype(float), order)


def _blocks(rows: np.ndarray, order: list[int]) -> np.ndarray:
    """Rows as blocks, indexed by row, group of four forms, form, group of four modes, mode."""
    count, n = len(rows), len(order)
    fours = mode_columns(n) // 4
    padded = np.zeros((count, 4 * fours, 4 * fours))
    padded[:, :n, :n] = rows[:, order][:, :, order]
    return padded.reshape(count, fours, 4, fours, 4)


def _together(row: np.ndarray) -> list[int]:
    """The modes ordered such that directly or indirectly coupled ones are adjacent."""
    n = len(row)
    near = (row != 0.0) | (row.T != 0.0) | np.eye(n, dtype=bool)
    for _ in range(n.bit_length()):
        near = near.astype(float) @ near > 0.0
    return sorted(range(n), key=lambda mode: (int(np.argmax(near[mode])), mode))
