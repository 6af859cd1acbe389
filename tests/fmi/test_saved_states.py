"""Saved states from outside: damaged or forged ones are refused, or do no harm."""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.python_slave import ModelSlave
from mbs_fmu.fmi.saved import CHECKSUM, HEADER, rules, whole_numbers
from mbs_fmu.kernels.records import fits
from mbs_fmu.record.blocks import HeadNumbers, History, LoopNumbers, Watched
from support.hosts.python_slaves import Slaves, everything, messages, start
from support.models.fmu_models import MODELS, inputs_of_loops

FORGED = (1e300, -1e300, -1.0, 0.5, 255.0, 2.0**31, math.nan, math.inf, -math.inf, 5e-324)
CASES = [
    pytest.param("linkage", "rk4", {"step": 5e-3}, id="closed-loop"),
    pytest.param("linkage", "dopri5", {"rtol": 1e-6, "atol": 1e-8}, id="closed-loop-adaptive"),
    pytest.param("gyro", "abm6", {"step": 5e-3}, id="history"),
    pytest.param("overturned", "rodas5p", {"rtol": 1e-6, "atol": 1e-8}, id="locks-and-pivots"),
    pytest.param("boom", "rk4", {"step": 2.5e-3}, id="elastic", marks=pytest.mark.slow),
]


@pytest.fixture
def slaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slaves:
    return Slaves(tmp_path, monkeypatch)


def started(slaves: Slaves, model: str, method: str, settings: dict[str, float]) -> ModelSlave:
    slave = slaves(MODELS[model](), method, **settings)
    start(slave, inputs_of_loops(model) if model in ("linkage", "boom") else {})
    for k in range(3):
        assert slave.do_step(0.01 * k, 0.01)
    return slave


def refused(slave: ModelSlave, state: bytes) -> bool:
    """True if a state is refused with a message."""
    slave.log_queue.clear()
    slave._set_fmu_state(slave._fmu_state_from_bytes(state))
    if "restored" in messages(slave):
        return False
    assert "the state to restore is" in messages(slave)
    return True


# -- Python FMUs -----------------------------------------------------------------------------------------


def test_every_flipped_bit_is_detected(slaves: Slaves) -> None:
    """A serialized state with any single bit flipped, truncated or extended is refused; the original is accepted."""
    slave = started(slaves, "swing", "rk4", {"step": 5e-3})
    state = slave._fmu_state_to_bytes(slave._get_fmu_state())
    for at in range(len(state)):
        for bit in range(8):
            turned = bytearray(state)
            turned[at] ^= 1 << bit
            assert refused(slave, bytes(turned)), (at, bit)
    for other in (state[:-8], state + bytes(8), b"", state[1:]):
        assert refused(slave, other)
    assert not refused(slave, state)
    assert slave.do_step(0.03, 0.01)


def places_of(slaves: Slaves, model: str) -> dict[int, str]:
    """Slots of a record that kernels use as indices, counts and choices."""
    program = slaves.programs[model]
    slots = {slot: "whole" for slot, _, _ in whole_numbers(program)}
    for region in ("ranks", "pivots"):
        first, size = program.regions.get(region, (0, 0))
        slots |= dict.fromkeys(range(first, first + size), region)
    return slots


def test_indices_and_choices_are_checked(slaves: Slaves) -> None:
    """The numbers that a kernel turns into an index or a choice are among the checked ones."""
    started(slaves, "linkage", "rk4", {"step": 5e-3})
    started(slaves, "gyro", "abm6", {"step": 5e-3})
    started(slaves, "overturned", "rodas5p", {"rtol": 1e-6, "atol": 1e-8})
    closed, history, pivots = (slaves.programs[name].regions for name in ("linkage", "gyro", "overturned"))
    assert {HeadNumbers.fault, HeadNumbers.fresh, closed["loop_state"][0] + LoopNumbers.row_selection} <= places_of(
        slaves, "linkage"
    ).keys()
    assert set(range(*_span(closed["pivots"]))) <= places_of(slaves, "linkage").keys()
    assert history["history"][0] + History.newest in places_of(slaves, "gyro")
    assert set(range(*_span(pivots["swaps"]))) <= places_of(slaves, "overturned").keys()
    assert pivots["locks"][0] + 1 in places_of(slaves, "overturned")


@pytest.mark.quick
def test_contacts_of_events_are_checked() -> None:
    """The contact on whose surface an event is held is an index of constraint modes, or zero; sides are signs."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.5)
    m.event("low", mbs.coordinate(ball))
    program = compile_model(m)
    R, checked = program.new_record(), np.array(rules(program))
    R[HeadNumbers.step] = 1e-3
    assert fits(R, checked)  # type: ignore[arg-type]
    first, size = program.regions["watched"]
    assert size == 2 * Watched.size
    for place, allowed in ((Watched.contact, (0.0, 1.0)), (Watched.side, (-1.0, 0.0, 1.0)), (Watched.open, (0.0, 1.0))):
        for value in (-1e9, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 1e9, math.nan):
            forged = R.copy()
            forged[first + Watched.size + place] = value
            assert fits(forged, checked) == (value in allowed), (place, value)  # type: ignore[arg-type]


def test_numbers_of_elastic_bodies_are_those_of_the_program(slaves: Slaves) -> None:
    """Numbers of elastic bodies, among them indices, must equal the program's, even if other values are integers."""
    slave = started(slaves, "boom", "rk4", {"step": 2.5e-3})
    state = slave._get_fmu_state()
    for slot in range(*_span(slaves.programs["boom"].regions["shapes"])):
        for value in (slave._record[slot] + 1.0, math.nan):
            assert refused(slave, forged(state, slot, value)), slot
    assert not refused(slave, state)


def _span(region: tuple[int, int]) -> tuple[int, int]:
    return region[0], sum(region)


def forged(state: bytes, slot: int, value: float) -> bytes:
    """A state with a changed number in the record and a valid checksum."""
    content = bytearray(state[: -CHECKSUM.size])
    struct.pack_into("<d", content, HEADER.size + 8 * slot, value)
    return bytes(content) + CHECKSUM.pack(zlib.crc32(bytes(content)))


@pytest.mark.parametrize(("model", "method", "settings"), CASES)
def test_forged_numbers_do_no_harm(slaves: Slaves, model: str, method: str, settings: dict[str, float]) -> None:
    """With a valid checksum, invalid indices, counts and choices are refused; with other numbers changed a step ends,
    and nothing is raised, which would be fmi2Fatal.
    """
    slave = started(slaves, model, method, settings)
    state, known = slave._get_fmu_state(), places_of(slaves, model)
    rng = np.random.default_rng(1)
    rest = [k for k in rng.choice(len(slave._record), 40, replace=False) if k not in known]
    if "loop_state" in slaves.programs[model].regions:
        rest.append(slaves.programs[model].regions["loop_state"][0] + LoopNumbers.residual_bound)
    for slot in [*known, HeadNumbers.time, HeadNumbers.step, *rest]:
        for value in FORGED if slot in known else (1e300, -1.0, math.nan):
            taken = not refused(slave, forged(state, slot, value))
            whole = slot in known and not (value == int(value) if math.isfinite(value) else False)
            assert not (taken and whole), (slot, value)
            assert not (taken and slot == HeadNumbers.step and not value >= 0.0)
            if taken:
                with np.errstate(all="ignore"):  # machine code warns of nothing
                    slave.do_step(slave._view[HeadNumbers.time], 0.01)
                    everything(slave)
                slave._get_fmu_state()
    assert not refused(slave, state)
    assert slave.do_step(0.03, 0.01)


def test_repeated_pivots_are_refused(slaves: Slaves) -> None:
    """Equal pivots among the independent rows of a loop, or more of them than rows, are refused."""
    slave = started(slaves, "four_bar", "rk4", {"step": 5e-3})
    program, state = slaves.programs["four_bar"], slave._get_fmu_state()
    ranks, pivots = (program.regions[name][0] for name in ("ranks", "pivots"))
    record = slave._record
    assert record[ranks] >= 2.0
    assert refused(slave, forged(state, pivots, record[pivots + 1]))
    assert refused(slave, forged(state, ranks, len(program.loops[0]["labels"]) + 1.0))
    assert not refused(slave, forged(state, ranks, record[ranks] - 1.0))


def test_a_state_carries_its_tolerance(slaves: Slaves) -> None:
    """Restored in an instance without a tolerance, the run goes on with the first one's tolerance, bit for bit."""
    one = slaves(MODELS["gyro"](), "dopri5", rtol=1e-4, atol=1e-6)
    other = slaves(MODELS["gyro"](), "dopri5", rtol=1e-4, atol=1e-6)
    one.setup_experiment(0.0, tolerance=1e-9)
    one.exit_initialization_mode()
    start(other)
    assert one.do_step(0.0, 0.05)
    assert not refused(other, one._get_fmu_state())
    ends = []
    for slave in (one, other):
        assert slave.do_step(0.05, 0.05)
        ends.append(everything(slave))
    assert ends[0] == ends[1]


@pytest.mark.quick
@pytest.mark.parametrize("tolerance", [1e308, 5e-324])
def test_a_tolerance_that_overflows_is_ignored(slaves: Slaves, tolerance: float) -> None:
    """If its absolute tolerance would not be finite, the FMU keeps its own, and its states can be restored."""
    slave = slaves(MODELS["swing"](), "dopri5", rtol=1e-6, atol=1e-8)
    slave.setup_experiment(0.0, tolerance=tolerance)
    slave.exit_initialization_mode()
    assert not refused(slave, slave._get_fmu_state())
    assert slave.do_step(0.0, 0.05)
