"""Guessed start velocities that open the loops: the result of an impact of all closures."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import LoopNumbers
from mbs_fmu.record.codes import Status
from support.cases import Case, each
from support.comparisons import assert_close
from support.generators.loops import LOOP_JOINTS, PlainLoops, closed, loops_of, state
from support.generators.mechanisms import Plain
from support.models.kernel_coverage import struck
from support.oracles.dense import Dense
from support.oracles.impacts import behind_impact

pytestmark = pytest.mark.usefixtures("plain_by_default")


def started(plain: PlainLoops, dense: Dense, guesses: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return the joint velocities of a start from guesses, without the held ones."""
    slots = {v.name: v.slot for v in plain.program.of_role("rate")}
    places = np.array([slots[name] for name in dense.rates])
    R = plain.program.new_record()
    R[places] = guesses
    R[places - plain.slice("u").start + plain.slice("free_rates").start] = ~held
    assert plain.real.initialise(R) == 0
    return R[places]


@each(LOOP_JOINTS, rounds=1, usual=1, quick=1)
def test_guesses_change_with_the_least_kinetic_energy(case: Case) -> None:
    """v = v_guess + M⁻¹ Wᵀ λ along the velocities that are not held: none, one, half, or nearly all of them.

    Held velocities are rates that the loops allow; momenta carry them to the first instant, with an error of eps times
    the condition of M. Conjugate gradients stop at a residual of 1e-13, which M increases by the same factor.
    """
    plain, dense = closed(case), Dense(loops_of(case))
    q, _ = state(plain, dense)
    rng = np.random.default_rng(case.seed)
    guesses = rng.normal(size=dense.n)
    bound = 1e-13 * np.linalg.cond(dense.mass_matrix(q)) * (1.0 + np.abs(guesses).max())
    allowed = started(plain, dense, guesses, np.zeros(dense.n, dtype=bool))
    allowed[np.abs(allowed) < 1e-13] = (
        0.0  # rates that must be zero: held ones are compared with the others in their rows
    )
    for share in (0.0, 1 / dense.n, 0.5, 0.9):
        held = rng.permutation(dense.n) < share * dense.n
        guesses = np.where(held, allowed, rng.normal(size=dense.n))
        computed = started(plain, dense, guesses, held)
        assert_close(computed, behind_impact(dense, q, guesses, held), bound, "start velocity", dense.rates)


@pytest.mark.quick
@pytest.mark.parametrize("held", [(), ("bar0",), ("bar0", "bar1")])
def test_both_methods_for_guesses_obey_the_same_law(held: tuple[str, ...]) -> None:
    """Impulses act along the held velocities, or along the degrees of freedom, whichever are fewer."""
    model = struck(held)
    plain, dense = PlainLoops(model), Dense(model)
    q, computed = state(plain, dense)
    where = np.array([name.split(".")[0] in held for name in dense.rates])
    away = np.abs(computed - behind_impact(dense, q, dense.u0, where)).max()
    assert away < 1e-11  # the rates are of order 1, cond(M) is 1e3


def adrift(guessed: bool) -> PlainLoops:
    """Return five bars on a floating body, which is at rest at the start unless its velocity is a guess."""
    m = Model("adrift", gravity=(0, 0, 0))
    m.body("base", joint=mbs.Free(), mass=3.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4))
    above = "base"
    for k, angle in enumerate((1.4, -0.9, -0.9, -0.9, -0.6)):
        m.body(f"bar{k}", above, mbs.Revolute("z"), 1.0 + k, (0.5, 0, 0), (0.01, 0.1, 0.1), (0 if k == 0 else 1, 0, 0))
        m.start(f"bar{k}", q=angle, u=1.0 + k, guess=True)
        above = f"bar{k}"
    m.close("pin", above, "base", mbs.Revolute("z"), at_a=(1, 0, 0), at_b=(2.0, 0, 0))
    if guessed:
        m.start("base", u=(0.3, -0.2, 0.1, 0.5, 0.4, -0.6), guess=True)
    return PlainLoops(m)


@pytest.mark.quick
def test_guesses_of_a_floating_mechanism_keep_its_momentum() -> None:
    """An impact of closures is internal to the bodies that they join: momenta along the base's guessed velocities are
    those of the guesses, to eps times the sum of their terms, some 100 kg m²/s.
    """
    plain = adrift(guessed=True)
    guesses = plain.program.new_record()[plain.slice("u")]
    computed = plain.R[plain.slice("u")]
    assert np.abs(computed[:6] - guesses[:6]).max() > 0.1
    assert_close(plain.momenta(computed)[:6], plain.momenta(guesses)[:6], 1e-12, "momentum of the base")


@pytest.mark.quick
def test_bodies_without_start_values_stay_at_rest() -> None:
    """They do as in a tree, unless a closure binds them."""
    plain = adrift(guessed=False)
    assert_close(plain.R[plain.slice("u")][:6], 0.0, 1e-13, "velocity of the base")
    assert np.abs(plain.R[plain.slice("u")][6:]).min() > 0.1


@pytest.mark.quick
def test_held_velocities_may_disagree_by_a_thousandth() -> None:
    """Two carts are tied together: the tie's row is u_a - u_b, and its terms add up to |u_a| + |u_b|.

    Held velocities that miss it by less than a thousandth of this sum both become their mean, which is the least change
    that closes the loop. A larger miss is refused and named.
    """
    m = Model("tied", gravity=(0, 0, 0))
    for name in ("a", "b"):
        m.body(name, joint=mbs.Prismatic("x"), mass=1.0)
    m.constrain("tie", mbs.coordinate("a") - mbs.coordinate("b"))
    plain = Plain(m)
    for speed in (1e-3, 1.0, 1e3):
        for share, status in ((0.9e-3, Status.ok), (1.1e-3, Status.not_movable)):
            R = plain.R.copy()
            R[plain.slice("u")] = speed * np.array([1.0 + share, 1.0 - share])
            R[plain.slice("free_rates")] = 0.0
            assert plain.real.initialise(R) == status, f"a miss of {share:g} of the terms at {speed:g} m/s"
            loop_state = R[plain.slice("loop_state")]
            if status == Status.ok:
                assert_close(R[plain.slice("u")], speed, 1e-14 * speed, "start velocity")
                assert loop_state[LoopNumbers.changed_starts] == 2.0
            else:
                assert loop_state[LoopNumbers.last_good] == pytest.approx(2.0 * share * speed, rel=1e-10)


WHEEL, FRAME, RADIUS = 0.4, 12.0, 0.05  # kg, kg, m


def tricycle(inertia: float = 6e-4, mass: float = WHEEL) -> Model:
    """Return a frame on three wheels in its direction, with guesses of 1 m/s along x and of wheels at rest."""
    m = Model("tricycle")
    frame = m.body("frame", joint=mbs.Planar("z"), mass=FRAME, inertia=(0.1, 0.3, 0.35))
    m.start(frame, u=(1.0, 0, 0), guess=True)
    for k, place in enumerate(((0.3, 0.0, RADIUS), (-0.1, 0.2, RADIUS), (-0.1, -0.2, RADIUS))):
        wheel = m.body(f"wheel{k}", frame, mbs.Revolute("y"), mass, inertia=(4e-4, inertia, 4e-4), at=place)
        m.roll(f"ground{k}", wheel, radius=RADIUS)
    return m


@pytest.mark.quick
def test_a_tricycle_starts_at_the_speed_of_the_textbook() -> None:
    """The impulse at the ground that spins up the wheels brakes the frame: v = m v0 / (m + 3 J/r²)."""
    plain = PlainLoops(tricycle())
    speed = {v.name: plain.R[v.slot] for v in plain.program.of_role("rate")}
    mass = FRAME + 3 * WHEEL
    expected = mass / (mass + 3 * 6e-4 / RADIUS**2)
    assert speed["frame.u[1]"] == pytest.approx(expected, rel=1e-13)
    assert [speed[f"wheel{k}.w"] for k in range(3)] == pytest.approx([expected / RADIUS] * 3, rel=1e-13)


@pytest.mark.quick
def test_guesses_without_inertia_raise_the_error_about_inertia() -> None:
    with pytest.raises(ModelError, match=r"wheel\d"):
        mbs.simulate(tricycle(0.0), 0.1)
