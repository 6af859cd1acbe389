"""Native FMUs in all forms (FMI 2.0, FMI 3.0, FMI 3.0 without arrays) behind one interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fmpy import read_model_description

import mbs_fmu as mbs
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.record.blocks import LoopNumbers
from mbs_fmu.run.simulate import compiled
from support.hosts.fmus import Host
from support.hosts.native_instances import Guest, guest

FORMS = {"2.0": ("2.0", True), "3.0": ("3.0", True), "3.0 without arrays": ("3.0", False)}  #: version, arrays


def forms_of(model: mbs.Model) -> list[str]:
    """Names of the forms that differ: without vectors no variable is an array."""
    return [form for form, (_, arrays) in FORMS.items() if arrays or compiled(model).program.vectors]


class Two:
    """An FMI 2.0 instance with the interface of a `Guest`."""

    def __init__(self, host: Host):
        self.host, self.slave, self.references = host, host.slave, host.references
        self.lengths = dict.fromkeys(host.references, 1)

    @property
    def messages(self) -> list[str]:
        return [text for _, _, text in self.host.log]

    def get(self, *names: str) -> np.ndarray:
        return np.array(self.host.get(*names))

    def put(self, values: Mapping[str, np.ndarray]) -> None:
        self.host.set({name: float(np.ravel(value)[0]) for name, value in values.items()})

    def step(self, size: float) -> None:
        self.host.step(size)


@contextmanager
def instance(path: Path, form: str) -> Iterator[Guest | Two]:
    """An instance before its initialization."""
    if FORMS[form][0] == "2.0":
        with Host(path) as host:
            yield Two(host)
    else:
        with guest(path) as host:
            yield host


@dataclass(frozen=True)
class Settable:
    """A variable with start values: other values for each element, and how it is set and read.

    kind: "a" can be set at any time, "e" before the start, both are read bit for bit; "r" a velocity, computed from
    momenta; "m" the start changes it: guesses, and quaternions, which are normalised. Coordinates and velocities that
    are held and that closed loops tie to each other get their start values only.
    """

    kind: str
    start: np.ndarray
    other: np.ndarray


def further(v: Any, start: np.ndarray) -> np.ndarray:
    """Other values than the start values of a variable, near them and within its bounds."""
    low, high = (end if x is None else float(x) for x, end in ((v.min, -np.inf), (v.max, np.inf)))
    return np.clip(np.where(start == 0.0, 1e-3, start * (1.0 + 1e-3)), low, high)


class Described:
    """The variables that the description of a model's FMU announces to importers."""

    def __init__(self, path: Path, model: mbs.Model):
        self.variables = read_model_description(str(path)).modelVariables
        self.types = {v.name: v.type for v in self.variables}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
            self._runtime = compiled(for_importers(model))
        self._program = self._runtime.program

    @cached_property
    def settable(self) -> dict[str, Settable]:
        turned = {slot + k for slot in self._program.quaternions.values() for k in range(4)}
        moved = {v.name for v in self.variables if v.initial == "approx"}
        moved |= {v.name for v in self._program.variables if v.slot in turned}
        tied = self._tied()
        settable = {}
        for v in self.variables:
            if v.start is None:
                continue
            always = v.causality == "input" or v.variability == "tunable"
            kind = "m" if v.name in moved else "r" if v.name in self._names("rate") else "a" if always else "e"
            start = np.array(str(v.start).split(), float)
            settable[v.name] = Settable(kind, start, start if v.name in tied - moved else further(v, start))
        return settable

    def _names(self, *roles: str) -> set[str]:
        return {v.name for v in self._program.of_role(*roles)}

    def _tied(self) -> set[str]:
        """Held coordinates or velocities that loops would move, or could not close, with all other values."""
        if not self._program.loops:
            return set()
        starts = {v.name: v for v in self.variables if v.start is not None}
        R = self._program.new_record()
        for v in self._program.of_role("coordinate", "rate"):
            if v.name in starts:
                R[v.slot] = further(starts[v.name], np.array([float(starts[v.name].start)]))[0]
        try:
            self._runtime.initialize(R, 1e-6, 1e-8)
            which = int(R[self._program.regions["loop_state"][0] + LoopNumbers.changed_starts])
        except mbs.ModelError:
            which = 3
        return (self._names("coordinate") if which & 1 else set()) | (self._names("rate") if which & 2 else set())

    @property
    def computed(self) -> list[str]:
        """Names of all variables that can only be read."""
        return [v.name for v in self.variables if v.name not in self.settable]

    def of_kinds(self, kinds: str) -> list[str]:
        return [name for name, one in self.settable.items() if one.kind in kinds]

    def for_c(self, lengths: Mapping[str, int], references: Mapping[str, int]) -> list[str]:
        """Arguments of tests/fmi/native/hosts/values.h, which reads and sets real numbers."""
        real = [name for name in self.computed if self.types[name] in ("Real", "Float64")]
        arguments = [f"{references[name]}:{lengths[name]}:c" for name in real]
        for name, one in self.settable.items():
            numbers = (",".join(map(float.hex, map(float, values))) for values in (one.start, one.other))
            arguments.append(f"{references[name]}:{lengths[name]}:{one.kind}:{':'.join(numbers)}")
        return arguments
