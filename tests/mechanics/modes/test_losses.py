"""Energies in the log of mode changes, against the energy before and after each change."""

from __future__ import annotations

import types
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import Instants, LogEntry
from mbs_fmu.record.kernel_module import KernelModule
from support.cases import tiers
from support.generators.elastic_mechanisms import random_modes
from support.generators.loops import LOOP_COMPANIONS, loop_joint, world_poses
from support.generators.mechanisms import random_rotation

Change = tuple[float, float, float]  #: energies before and after all mode changes of one choice, and their entries' sum


@pytest.fixture
def changes(monkeypatch: pytest.MonkeyPatch) -> list[Change]:
    """Run plain Python and return a list that all later mode changes of models with an output "E" extend."""
    seen: list[Change] = []

    def load(module: KernelModule, engine: object = None) -> types.ModuleType:
        kernels = load_plain(module)
        if hasattr(kernels, "choose_modes"):
            kernels.choose_modes = _watched(kernels, kernels.choose_modes, seen)  # type: ignore[attr-defined]
        return kernels

    monkeypatch.setattr("mbs_fmu.run.runtime.load_kernels", load)
    return seen


def _watched(
    kernels: types.ModuleType, choose: Callable[[np.ndarray, float], int], seen: list[Change]
) -> Callable[[np.ndarray, float], int]:
    def energy(R: np.ndarray) -> float:
        R = R.copy()
        kernels.outputs(R)
        return float(R[kernels.OUTPUTS])

    def call(R: np.ndarray, rest: float) -> int:
        logged = kernels.INSTANTS + Instants.logged
        first, before = int(R[logged]), energy(R)
        status = choose(R, rest)
        log = R[kernels.LOG :][LogEntry.size * first : LogEntry.size * int(R[logged])].reshape(-1, LogEntry.size)
        if log.size:
            seen.append((before, energy(R), float(log[:, LogEntry.lost].sum())))
        return status

    return call


def changing(seed: int) -> Model:
    """A random tree whose closures engage, strike, stick and release while drives move it and resets push it."""
    rng = np.random.default_rng([43, seed])
    m = Model("changing", gravity=(0, 0, -9.81 * rng.integers(2)))
    m.output("E", mbs.energy())
    names: list[str | Body] = ["world"]
    plain = []  # bodies with a single coordinate
    for k in range(int(rng.integers(2, 5))):
        axis, other = rng.normal(size=(2, 3))
        joints = mbs.Revolute(axis), mbs.Prismatic(axis), mbs.Universal((axis, other)), mbs.Spherical(), mbs.Free()
        kind = int(rng.choice([0, 0, 1, 1, 2, 3, 4]))
        R, (x, y, z) = random_rotation(rng), rng.uniform(0.1, 1.0, size=3)
        body = m.body(
            f"b{k}", names[int(rng.integers(len(names)))], joints[kind], mass=rng.uniform(1, 3),
            com=0.2 * rng.normal(size=3), inertia=R @ np.diag([y + z, z + x, x + y]) @ R.T, at=rng.normal(size=3),
        )  # fmt: skip
        m.start(body, u=rng.normal(size=len(body.rates)))
        names.append(body)
        if kind < 2:
            plain.append(body)
    is_driven = bool(plain) and rng.random() < 0.4
    if is_driven:
        driven = plain.pop()
        del m.starts[driven.name]
        names.append(m.body("free", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.2, 0.2)))
        m.drive("drive", on=driven, position=rng.normal() * mbs.sin(5.0 * mbs.time) + 0.2 * mbs.time)
    begin, end = sorted(rng.uniform(0.01, 0.09, 2))
    for k in range(1 if is_driven else int(rng.integers(1, 3))):
        a, b = (names[i] for i in rng.choice(len(names), 2, replace=False))
        if is_driven:  # otherwise there may be no motion that both allow
            a, b = names[int(rng.integers(len(names) - 1))], names[-1]
        pair = loop_joint(rng, str(rng.choice(LOOP_COMPANIONS[:9])))
        m.close(
            f"dock{k}", a, b, pair, at_a=rng.normal(size=3), at_b=rng.normal(size=3), when=mbs.time >= begin + 0.01 * k,
            until=mbs.time >= end + 0.01 * k,
        )  # fmt: skip
    for body in plain:
        kind = rng.choice(["lock", "limit", "friction", "none"])
        speed = m.starts[body.name].u[0]  # type: ignore[index]
        if kind == "lock":
            m.lock(f"lock_{body.name}", on=body, when=mbs.time >= begin, until=mbs.time >= 0.05)
        elif kind == "limit":
            ends = {"upper": 0.02 * speed} if speed > 0.0 else {"lower": 0.02 * speed}
            m.limit(f"stop_{body.name}", on=body, restitution=float(rng.choice([0.0, 0.6, 1.0])), **ends)
        elif kind == "friction":
            unit = "torque" if body.rates[0][1].startswith("rad") else "force"
            m.friction(f"rub_{body.name}", on=body, stick=True, **{unit: float(rng.uniform(5.0, 50.0))})
    if plain and rng.random() < 0.5:
        rate = mbs.rate(plain[0])
        m.event("kick", mbs.time - 0.04, direction=1, reset={f"{plain[0].name}.{plain[0].rates[0][0]}": rate + 1.0})
    return m


def striking(seed: int) -> Model:
    """Random bodies, one of them elastic, that strike planes and each other, overrun freewheels, and change by resets
    of velocities, from signals."""
    rng = np.random.default_rng([44, seed])
    m = Model("striking")
    m.output("E", mbs.energy())
    count = m.state("count", rate=0.0, start=0.0)
    arm = m.body("arm", joint=mbs.Revolute(rng.normal(size=3)), elastic=random_modes(rng), root="root")
    m.start(arm, u=rng.normal(), xi=0.05 * rng.normal(size=3), xi_dot=rng.normal(size=3))
    parents: list[str | Body | mbs.ElasticNode] = ["world", arm.node("a")]
    wheels = []
    for k in range(int(rng.integers(1, 4))):
        joint = mbs.Revolute(rng.normal(size=3)) if k % 2 == 0 else mbs.Free()
        body = m.body(
            f"b{k}", parents[int(rng.integers(len(parents)))] if k % 2 == 0 else "world", joint,
            mass=rng.uniform(1, 3), com=0.2 * rng.normal(size=3), inertia=(0.3, 0.4, 0.5), at=rng.normal(size=3),
        )  # fmt: skip
        m.start(body, u=rng.normal(size=len(body.rates)))
        parents.append(body)
        if k % 2 == 0:
            wheels.append(body)
    restitution = float(rng.choice([0.0, 0.5, 1.0]))
    normal = rng.normal(size=3)
    place = world_poses(m)[body.name][1] - 0.01 * normal
    m.contact("floor", "world", body, mbs.OnPlane(normal), at_a=place, restitution=restitution)
    m.limit("stop", on=wheels[0], upper=0.05, restitution=restitution)
    m.freewheel("hub", on=wheels[-1], against=arm if rng.random() < 0.5 else None)
    for k, time in enumerate(rng.uniform(0.01, 0.09, 2)):
        reset = {f"{wheels[k % len(wheels)].name}.w": mbs.rate(wheels[0]) - 1.0 - count, "count": count + 1.0}
        m.event(f"kick{k}", mbs.time - float(time), direction=1, reset=reset)
    return m


@pytest.mark.parametrize("seed", tiers(range(20), usual=1))
def test_lost_counts_contacts_freewheels_and_elastic_bodies(changes: list[Change], seed: int) -> None:
    """The law holds for impacts of contacts, freewheels that engage, and bodies with vibration modes."""
    mbs.simulate(striking(seed), 0.1, method="rk4", step=0.005, output_interval=0.1)
    assert changes
    for before, after, lost in changes:
        # the bound of the law above, for the same reason
        assert abs(before - after - lost) <= 1e-10 * (abs(before) + abs(after) + abs(lost)) + 1e-14


@pytest.mark.parametrize("seed", tiers(range(60), usual=4, quick=1))
def test_lost_is_the_energy_before_less_that_after(changes: list[Change], seed: int) -> None:
    """The law holds at each engagement, impact and release, with drives and resets, for all closures."""
    mbs.simulate(changing(seed), 0.1, method="rk4", step=0.01, output_interval=0.1)
    assert changes
    for before, after, lost in changes:
        # rounding of some thousand operations, in terms that are at most a thousand times the energies
        assert abs(before - after - lost) <= 1e-10 * (abs(before) + abs(after) + abs(lost)) + 1e-14, (
            before,
            after,
            lost,
        )
