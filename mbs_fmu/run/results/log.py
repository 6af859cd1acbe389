"""The log of a run: what happened at its instants, in superdense order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...record.blocks import LogEntry
from ...record.codes import LogKind

ENTRY = np.dtype([
    ("time", float), ("n", int), ("kind", object), ("name", object), ("before", float), ("after", float),
    ("lost", float),
])  # fmt: skip
SWITCH = np.dtype([("time", float), ("name", object), ("before", float), ("after", float), ("lost", float)])
KINDS = {value: name for name, value in vars(LogKind).items() if not name.startswith("_")}  #: words of kinds of entries
PLACES = {
    "time": LogEntry.time, "n": LogEntry.round, "before": LogEntry.before, "after": LogEntry.after,
    "lost": LogEntry.lost,
}  # fmt: skip


@dataclass
class Log:
    """Entries of a run; their words are looked up when `table`, `switches` or `events` is first read.

    parts: arrays of `LogEntry` numbers, (entries, numbers), in order.
    event_names, mode_names, sampled_names: names of the owners of entries, by their numbers.
    """

    parts: Sequence[np.ndarray] = ()
    event_names: Sequence[str] = ()
    mode_names: Sequence[str] = ()
    sampled_names: Sequence[str] = ()

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]], event_names: Sequence[str]) -> Self:
        """Return a log from the rows of its `table`."""
        log = cls(event_names=event_names)
        log.table = np.array([tuple(row) for row in rows], ENTRY)
        return log

    @cached_property
    def table(self) -> np.ndarray:
        """All entries, with names, as `ENTRY`."""
        numbers = np.concatenate([np.zeros((0, LogEntry.size)), *self.parts])
        kind = numbers[:, LogEntry.kind].astype(int)
        table = np.zeros(len(numbers), ENTRY)  # np.empty fills fields of objects one by one
        for name, place in PLACES.items():
            table[name] = numbers[:, place]
        owners = {LogKind.mode: self.mode_names, LogKind.sample: self.sampled_names}
        for k, word in KINDS.items():
            own = kind == k
            names = np.array([*owners.get(k, self.event_names)], object)
            table["kind"][own] = word
            table["name"][own] = names[numbers[own, LogEntry.owner].astype(int)]
        return table

    @cached_property
    def switches(self) -> np.ndarray:
        """The changes of constraint modes, as `SWITCH`."""
        changes = self.table[self.table["kind"] == "mode"]
        switches = np.zeros(len(changes), SWITCH)
        for name in SWITCH.names or ():
            switches[name] = changes[name]
        return switches

    @cached_property
    def events(self) -> dict[str, np.ndarray]:
        """The times of each event, s."""
        if not self.event_names:
            return {}
        is_event = (self.table["kind"] != "mode") & (self.table["kind"] != "sample")
        table = self.table[is_event]
        return {name: table["time"][table["name"] == name] for name in self.event_names}
