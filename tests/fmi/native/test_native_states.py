"""Saved states of native FMUs: damaged or forged ones are refused, or do no harm."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fmpy import read_model_description
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.fmi.native.platforms import host
from mbs_fmu.fmi.saved import whole_numbers
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.simulate import compiled
from support.hosts.c_hosts import execute, library, place, token, zig
from support.hosts.fmus import Builder, Host
from support.models.fmu_models import MODELS, inputs_of_loops
from support.paths import HOSTS

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")

pytestmark = pytest.mark.slow


@contextmanager
def native_state(fmu: Builder, model: str, method: str) -> Iterator[tuple[Host, bytes]]:
    """An instance in the middle of a run, and its state as bytes."""
    with Host(fmu(model, method, "native")) as guest:
        guest.start(inputs_of_loops(model)).run(3)
        state = guest.slave.getFMUstate()
        yield guest, bytes(guest.slave.serializeFMUstate(state))
        guest.slave.freeFMUstate(state)


def test_every_flipped_bit_is_detected_by_native_fmus(fmu: Builder) -> None:
    """A serialized state with any single bit flipped is refused with a message; the original is accepted."""
    with native_state(fmu, "swing", "rk4") as (guest, state):
        for at in range(len(state)):
            for bit in range(8):
                turned = bytearray(state)
                turned[at] ^= 1 << bit
                with pytest.raises(FMICallException):
                    guest.slave.deSerializeFMUstate(bytes(turned))
        assert all("saved state" in text for _, _, text in guest.log)
        guest.slave.freeFMUstate(guest.slave.deSerializeFMUstate(state))


def summed(state: bytes) -> bytes:
    """A native state with a valid checksum."""
    total = 0
    for (word,) in struct.iter_unpack("<Q", state[:-8]):
        total = (total ^ word) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
        total ^= total >> 29
    return state[:-8] + struct.pack("<Q", total)


def test_forged_indices_are_refused_by_native_fmus(fmu: Builder) -> None:
    """Invalid indices, counts and choices in a native record are refused even with a valid checksum."""
    program = compiled(MODELS["linkage"](), method="rk4", alone=True).program
    slots = {slot for slot, _, _ in whole_numbers(program)} | {HeadNumbers.time, HeadNumbers.step}
    slots |= {k for name in ("ranks", "pivots") for k in range(program.regions[name][0], sum(program.regions[name]))}
    with native_state(fmu, "linkage", "rk4") as (guest, state):
        assert summed(state) == state
        first = len(state) - 8 - 16 * program.regions["end"][0]
        for slot in slots:
            for value in (math.nan, math.inf, *(() if slot == HeadNumbers.time else (-1e300, -2.5))):
                changed = bytearray(state)
                struct.pack_into("<d", changed, first + 8 * slot, value)
                with pytest.raises(FMICallException):
                    guest.slave.deSerializeFMUstate(summed(bytes(changed)))


@pytest.mark.parametrize(
    ("model", "method"), [("linkage", "rk4"), ("linkage", "dopri5"), ("gyro", "abm6"), ("overturned", "rodas5p")]
)
def test_forged_states_do_no_harm_to_native_fmus(tmp_path: Path, model: str, method: str) -> None:
    """A state with any word replaced by fifteen unusual ones, with a valid checksum, is refused or the calls after it
    return a status. The host is a C program, which a crash would end with a signal.
    """
    options = {"step": 5e-3} if method in ("rk4", "abm6") else {}
    path = tmp_path / f"{model}.fmu"
    mbs.export(
        MODELS[model](), path, "native", method=method, platforms="host", stop_time=0.5, max_internal_steps=50,
        reference=False, **options,
    )  # fmt: skip
    variables = read_model_description(str(path)).modelVariables
    references = {v.name: v.valueReference for v in variables if v.type == "Real"}
    set_before = [f"{references[name]}={value}" for name, value in inputs_of_loops(model).items()]
    program = zig(host(), HOSTS / "forge.c", tmp_path / "forge.exe")
    text = execute(
        program, library(path, tmp_path / place()), token(path), 0.01, 3, *set_before, *list(references.values())[:50]
    )
    taken, refused_ones = (int(word) for word in text.split() if word.isdigit())
    assert taken > 1000 and refused_ones > 100
