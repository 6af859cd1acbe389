"""Laws of many contacts with their own numbers: those of contacts that are traced and evaluated alone."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np
import pytest

import mbs_fmu as mbs
from benchmarks.contacts import many_pairs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.laws import contact_measures, part_kinds
from mbs_fmu.model.forces import contacts
from mbs_fmu.record.program import Program, Variable
from support.cases import tiers
from support.generators.contacts import CROWDED, crowd
from support.generators.mechanisms import Plain
from support.oracles.complex_steps import compare_tangents, outputs

ALONE = 10**9  #: more parts than any kind has
#: Share of the largest number: round-off of some hundred operations of numbers of about 1, in a different order where
#: bodies are welded, times the ratio of the stiffness times the size of a shape to the force.
ROUNDING = 1e-11
CHEAP = [kind for kind in CROWDED if kind != "boxes"]
KINDS = tiers(list(CROWDED), usual=4, quick=3)
BOUND = ["capsules", "box on plane", "cylinder on plane", "boxes"]  #: kinds of which each contact has one bound


def numbers(model: mbs.Model | Program) -> dict[str, np.ndarray]:
    """Return the rates and outputs of a model at its start, by plain Python."""
    plain = Plain(model)
    values = outputs(plain)
    return {"rates": plain.R[plain.program.rate_slice], **values}


def assert_near(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, values in one.items():
        bound = ROUNDING * max(1.0, np.abs(other[name]).max())
        assert np.abs(values - other[name]).max() <= bound, name


# -- shared traces -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", tiers(range(3), usual=1, quick=1))
@pytest.mark.parametrize("kind", KINDS)
def test_contacts_of_a_kind_have_the_numbers_of_single_traces(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rates, energy and measures; bodies are welded to others, and laws depend on a parameter with own factors."""
    shared = compile_model(crowd([kind], seed))
    monkeypatch.setattr(part_kinds, "SHARED_FROM", ALONE)
    single = compile_model(crowd([kind], seed))
    assert shared.regions["part_numbers"][1] > 0 == single.regions["part_numbers"][1]
    values = numbers(shared)
    assert values["strength"] > 1.0
    assert_near(values, numbers(single))


@pytest.mark.slow
def test_forces_of_a_crowd_are_the_sums_of_single_contacts() -> None:
    """The rates of all momenta are those without contacts, plus what each contact adds if it is the only one."""

    def rates(kept: Iterable[str]) -> np.ndarray:
        m = crowd(CHEAP[:3], each=3)
        m.forces = {name: m.forces[name] for name in kept}
        m.outputs.clear()
        plain = Plain(m)
        plain.real.derive(plain.R)
        return plain.R[plain.slice("p_dot")].copy()

    names, free = list(crowd(CHEAP[:3], each=3).forces), rates([])
    added = [rates([name]) - free for name in names]
    whole = rates(names) - free
    assert np.abs(whole).max() > 10.0
    # each difference from the free motion has the round-off of the latter, and so has the sum
    assert np.abs(whole - sum(added)).max() < 1e-12 * sum(np.abs(x).max() for x in [free, *added])


@pytest.mark.parametrize("kind", tiers(list(CROWDED), usual=1, quick=1))
def test_tangents_of_shared_traces_equal_complex_steps(kind: str) -> None:
    """Of rates and outputs, along states and the parameter; measures of contacts are part of the outputs."""
    plain = Plain(crowd([kind], 5))
    (slot,) = (v.slot for v in plain.program.of_role("parameter"))
    compare_tangents(plain, 1, [plain.program.state_slice, slice(slot, slot + 1)], "outputs")


@pytest.mark.quick
def test_equal_tyres_on_roads_with_other_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts without numbers of their own share a trace too; only the frames of welded roads differ."""

    def wheels() -> mbs.Model:
        rng = np.random.default_rng(4)
        m = mbs.Model("wheels", gravity=(0, 0, 0))
        tyre = mbs.Tyre.linear(900.0, 700.0, 0.8, radius=0.5, stiffness=700.0)
        m.body("ground", joint=mbs.Free(), mass=9.0, inertia=(1.0, 1.0, 1.0))
        for k in range(4):
            m.body(f"carrier{k}", joint=mbs.Free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
            m.start(f"carrier{k}", q=(k, 0, 0.25, 1, *(0.1 * rng.normal(size=3))), u=rng.normal(size=6))
            m.body(f"wheel{k}", f"carrier{k}", mbs.Revolute("y"), mass=0.5, inertia=(0.1, 0.2, 0.1))
            at = mbs.Pose((k, 0, -0.02 * k), mbs.rpy(0.05 * k, 0.0, 0.1))
            m.body(f"road{k}", "ground", mbs.Weld(), mass=0.1, inertia=(1e-3,) * 3, at=at)
            m.tyre(f"tyre{k}", f"wheel{k}", tyre, on=f"road{k}")
            m.output(f"fz{k}", mbs.wheel(f"tyre{k}").fz)
        return m

    shared = compile_model(wheels())
    monkeypatch.setattr(part_kinds, "SHARED_FROM", ALONE)
    single = compile_model(wheels())
    assert shared.regions["part_numbers"][1] > 0 == single.regions["part_numbers"][1]
    values = numbers(shared)
    assert values["fz3"] > 1.0
    assert_near(values, numbers(single))


@pytest.mark.slow
def test_linear_models_of_shared_traces(monkeypatch: pytest.MonkeyPatch, in_plain_python: None) -> None:
    """All matrices are those of a model whose contacts are traced alone."""
    one = mbs.linearize(crowd(["capsules", "balls"], 2, 3))
    monkeypatch.setattr(part_kinds, "SHARED_FROM", ALONE)
    m = crowd(["capsules", "balls"], 2, 3)
    m.name = "alone"
    other = mbs.linearize(m)
    for name in "AC":
        own, same = getattr(one, name), getattr(other, name)
        assert np.abs(own - same).max() < ROUNDING * np.abs(same).max(), name


@pytest.mark.quick
def test_text_does_not_grow_with_contacts_that_differ() -> None:
    """Only tables and numbers of the record grow."""
    lengths = []
    for count in (6, 12):
        m = crowd(["capsules", "balls"], 0, count)
        m.outputs = {"E": m.outputs["E"]}
        text = compile_model(m).text
        lengths.append(text[text.index("def derive(R)") :].count("\n"))
    assert lengths[0] == lengths[1]


# -- measures ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_measures_in_the_record_have_the_bits_of_formulas(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs of many contacts read numbers of laws; formulas in the outputs give the same bits.

    The outputs have the dependencies of the formulas, and others if a component of a force is always zero.
    """
    monkeypatch.setattr(part_kinds, "SHARED_FROM", ALONE)
    tabled = compile_model(crowd([kind], 3))
    monkeypatch.setattr(contact_measures, "TABLED_FROM", ALONE)
    formulas = compile_model(crowd([kind], 3))
    assert tabled.regions["measures"][1] > 0 == formulas.regions["measures"][1]
    one, other = numbers(tabled), numbers(formulas)
    for name, values in one.items():
        assert np.array_equal(values, other[name]), name
    names = [[x for x in program.variables if x.role == "output"] for program in (tabled, formulas)]
    for x, y in zip(*names, strict=True):
        assert _read(tabled, x) >= _read(formulas, y), x.name


def _read(program: Program, output: Variable) -> set[str]:
    """Return the names of the variables on which an output depends."""
    assert output.reads is not None
    return {v.name for v in program.variables if v.slot in output.reads}


# -- bounds --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("spread", "kinds"),
    [
        (0.5, CHEAP),
        pytest.param(0.09, CHEAP, marks=pytest.mark.slow),
        *(pytest.param(x, list(CROWDED), marks=pytest.mark.slow) for x in (0.09, 0.2, 0.5)),
    ],
)
def test_bounds_change_no_bit(spread: float, kinds: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """While shapes are apart, none of their points is evaluated; rates have the bits of evaluated points."""
    program = compile_model(crowd(kinds, spread=spread))
    plain = Plain(program)
    plain.real.derive(plain.R)
    near = plain.R[plain.slice("bounds")] > 0.0
    assert near.any() if spread < 0.4 else not near.all()
    monkeypatch.setattr(contacts, "bounds_of", lambda pairs: [None] * len(pairs))
    whole = Plain(compile_model(crowd(kinds, spread=spread)))
    assert not whole.slice("bounds").stop - whole.slice("bounds").start
    whole.real.derive(whole.R)
    assert np.array_equal(plain.R[program.rate_slice], whole.R[whole.program.rate_slice])


@pytest.mark.parametrize("kind", tiers(BOUND, usual=1, quick=1))
def test_bounds_contain_shapes(kind: str) -> None:
    """Wherever bodies are, a contact with a penetration has a positive bound."""
    m = crowd([kind], 1, each=3)
    m.outputs.clear()
    for name in m.forces:
        m.output(name, mbs.penetration(name))
    plain, rng = Plain(m), np.random.default_rng(0)
    q, start = plain.slice("q"), plain.R.copy()
    touching = 0
    for _ in range(40):
        plain.R[q] = start[q] + 0.2 * rng.normal(size=q.stop - q.start)
        values = outputs(plain)
        for bound, name in zip(plain.R[plain.slice("bounds")], m.forces, strict=True):
            touching += values[name] > 0.0
            assert values[name] <= 0.0 or bound > 0.0, name
    assert touching > 10


# -- times ---------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_first_run_of_many_contacts(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot with 123 contacts that all differ starts within seconds: four times what it takes on an idle core."""
    monkeypatch.setenv("MBS_FMU_CACHE", str(tmp_path))
    m, contacts_of = many_pairs()
    m.output("load", mbs.contact_force(contacts_of))
    begin = time.process_time()
    mbs.simulate(m, 1e-3, method="rk4", step=1e-3)
    assert time.process_time() - begin < 20.0
