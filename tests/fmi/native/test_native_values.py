"""Reads and writes of every variable of native FMUs, in all forms, through fmpy and from a C host: all bundled models,
others with vectors, loops and contacts, and random ones. fmpy's validation reports nothing for each FMU.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import mbs_fmu as mbs
from mbs_fmu.fmi.native.platforms import ALL, host
from support.generators.vector_signals import random_vectors, vectors
from support.hosts.c_hosts import execute, library, place, token, valgrind
from support.hosts.fmu_forms import FORMS, Described, Two, forms_of, instance
from support.hosts.native_instances import Guest
from support.hosts.quick_exports import STEP, draft
from support.models.bundled import builders, built
from support.models.fmu_models import MODELS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(host() not in ALL, reason="no native FMUs for this platform")]
ROUNDED = 1e-10  #: for velocities, computed from momenta: round-off, 1e-16, times the condition of mass matrices


class Reader:
    """An instance, and the values set for each of its variables."""

    def __init__(self, host: Guest | Two, described: Described):
        self.host, self.described, self.settable = host, described, described.settable
        self.rng = np.random.default_rng(4)
        self.begin()

    def begin(self) -> None:
        """Expect the description's start values for all variables, as at first and after a reset."""
        self.known = {name: one.start for name, one in self.settable.items()}
        self.check()

    def check(self, started: bool = False) -> None:
        """Read all settable variables together in random order and one by one. Variables that move after the start must
        only be readable.
        """
        fixed = self.described.of_kinds("a" if started else "ae")
        order = [str(name) for name in self.rng.permutation(fixed)]
        if order:
            assert np.array_equal(self.host.get(*order), np.concatenate([self.known[name] for name in order]))
        for name in fixed:
            assert np.array_equal(self.host.get(name), self.known[name]), name
        for name in self.described.of_kinds("r"):
            close = started or np.allclose(self.host.get(name), self.known[name], rtol=ROUNDED, atol=ROUNDED)
            assert close, name

    def read_computed(self) -> None:
        """Read each computed variable alone and with all others; each must be a number."""
        for name in self.described.computed:
            assert np.all(np.isfinite(self.host.get(name))), name
        assert np.all(np.isfinite(self.host.get(*self.host.references)))

    def drawn(self, names: list[str]) -> dict[str, np.ndarray]:
        ones = ((name, self.settable[name]) for name in names)
        return {name: one.start + self.rng.random(one.start.size) * (one.other - one.start) for name, one in ones}

    def put_some(self, kinds: str, started: bool = False) -> None:
        """Set a random choice of variables; reads return the new values, and all other settable values stay."""
        names = self.described.of_kinds(kinds)
        if not names:
            return
        values = self.drawn([str(n) for n in self.rng.permutation(names)[: self.rng.integers(1, len(names) + 1)]])
        self.host.put(values)
        self.known |= values
        self.check(started)

    def refuse(self, names: list[str], started: bool = False) -> None:
        """Each invalid write is refused with a message, and the valid entry beside it is not set."""
        good = self.described.of_kinds("a" if started else "aerm")[:1]
        for name in names:
            count = len(self.host.messages)
            same = [x for x in good if self.described.types[x] == self.described.types[name]]  # set by the same call
            with pytest.raises(FMICallException):
                self.host.put({**self.drawn(same), name: np.full(self.host.lengths[name], 0.5)})
            assert f"'{name}" in self.host.messages[count] and "can't be set in" in self.host.messages[count]
        self.check(started)


def through_fmpy(path: Path, form: str, described: Described) -> None:
    """Reads and writes before and in initialization, after a reset, between steps."""
    with instance(path, form) as host:
        reader = Reader(host, described)
        reader.read_computed()
        for round_ in range(12):
            if round_ == 8:
                host.slave.enterInitializationMode()
            reader.put_some("aerm")
        reader.refuse(described.computed)
        reader.read_computed()
        host.slave.reset()
        reader.begin()
        host.slave.enterInitializationMode()
        host.slave.exitInitializationMode()
        reader.read_computed()
        for _ in range(3):
            reader.put_some("a", started=True)
            reader.read_computed()
            host.step(STEP)
            reader.check(started=True)
        reader.refuse([*described.computed, *described.of_kinds("erm")], started=True)


def arguments(program: Callable[..., Path], path: Path, form: str, described: Described, folder: Path) -> list[object]:
    """Arguments of a C host (hosts/values.h)."""
    fmi, _ = FORMS[form]
    with instance(path, form) as host:
        options = described.for_c(host.lengths, host.references)
    return [program(f"values{fmi[0]}"), library(path, folder / place(fmi)), token(path), *options]


def check_all(model: mbs.Model, program: Callable[..., Path], folder: Path) -> None:
    """Check a model in all forms that differ."""
    for form in forms_of(model):
        place_ = folder / form.replace(" ", "_")
        path = draft(model, place_, *FORMS[form])
        assert validate_fmu(str(path)) == [], form
        described = Described(path, model)
        through_fmpy(path, form, described)
        execute(*arguments(program, path, form, described, place_))


@pytest.mark.apart
@pytest.mark.parametrize("function", builders())
def test_values_of_all_models(program: Callable[..., Path], tmp_path: Path, function: str) -> None:
    """For all bundled models reads return written values, nothing else changes, and fmpy reports nothing."""
    check_all(built(function), program, tmp_path)


@pytest.mark.parametrize("name", ["vectors", "gyro", "top", "linkage", "pounder"])
def test_values_of_others(program: Callable[..., Path], tmp_path: Path, name: str) -> None:
    """The same for models with arrays of all kinds, mass as a parameter, a spatial loop, a contact with samples."""
    check_all(MODELS[name](), program, tmp_path)


@pytest.mark.parametrize("number", range(20))
def test_values_of_random_vectors(program: Callable[..., Path], tmp_path: Path, number: int) -> None:
    """The same for random trees with vectors among inputs, parameters, states, samples and outputs."""
    check_all(random_vectors(number), program, tmp_path)


def test_values_from_c_touch_no_other_memory(program: Callable[..., Path], tmp_path: Path) -> None:
    """Reads and writes of vectors from C are clean under valgrind."""
    model = vectors()
    path = draft(model, tmp_path / "vectors", "3.0", arrays=True)
    execute(*valgrind(), *arguments(program, path, "3.0", Described(path, model), tmp_path))
