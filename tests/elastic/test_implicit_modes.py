"""Steps that are implicit in the modes of elastic bodies: order, stability, energy, and the linear system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.integrate.methods.modal import ModalRosenbrock
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers, NodeBlock
from mbs_fmu.record.codes import Status
from mbs_fmu.record.elastic_layout import mode_columns, node_at, node_form_at
from support.cases import some_quick, tiers
from support.comparisons import assert_close
from support.generators.elastic_mechanisms import bearing_body, bent_loops, bent_tree, many_modes

NAME = "ros34pw2"
SECTION = mbs.Rectangle(0.02, 0.01)


def boom(damping: float = 0.02, modes: int = 8) -> Model:
    """A steel boom of 1 m on a hinge, which falls from the horizontal; its highest modes have some kilohertz."""
    beam = mbs.beam(length=1.0, section=SECTION, E=2.1e11, density=7850, modes=modes, damping=damping)
    m = Model("boom")
    m.body("boom", joint=mbs.Revolute("y"), elastic=beam, root="root")
    m.output("tip", mbs.position(m.bodies["boom"].node("tip")), unit="m")
    m.output("energy", mbs.energy(), unit="J")
    return m


def highest(m: Model) -> float:
    """Highest natural frequency of the boom, rad/s."""
    part = m.bodies["boom"].elastic
    assert part is not None
    return float(2 * np.pi * part.modes.frequencies.max())


@pytest.mark.parametrize("make", [bent_tree, pytest.param(bent_loops, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", tiers(range(6), usual=1))
def test_order_on_random_mechanisms(make, seed: int) -> None:  # type: ignore[no-untyped-def]
    """The error against rk4 with short steps falls as h³ on random elastic trees and loops, with all their forces.

    The bound allows for steps that are not yet short: between h and h/4 the ratio of 64 may be as low as 4^2.5 = 32.
    """
    m = make(seed, count=3)
    span = 0.01
    options = {"output_interval": span}
    columns = [c for c in mbs.simulate(m, span, method="rk4", step=span, **options).columns if ".xi" in c or ".w" in c]
    fine = mbs.simulate(m, span, method="rk4", step=span / 640, **options)
    errors = []
    for count in (20, 80):
        r = mbs.simulate(m, span, method=NAME, step=span / count, **options)
        errors.append(max(float(abs(r[c][-1] - fine[c][-1])) / (1.0 + float(abs(fine[c][-1]))) for c in columns))
    assert errors[1] < max(errors[0] / 32, 1e-12)


@pytest.mark.parametrize("loops", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_long_steps_are_stable(loops: bool) -> None:
    """Steps of 30 times 1 / omega_max follow the fall of a boom, where rk4 is unstable beyond 2.8 / omega_max."""
    m = boom()
    if loops:  # the drive's force makes it a model with closed loops
        m.output("pull", mbs.acceleration(m.bodies["boom"].node("tip")), unit="m/s2")
    h = 30 / highest(m)
    options = {"output_interval": 0.1}
    fine = mbs.simulate(m, 0.5, rtol=1e-8, **options)
    r = mbs.simulate(m, 0.5, method=NAME, step=h, **options)
    assert_close(r["tip"], fine["tip"], 1e-3, "tip", times=r.time)
    with pytest.raises(mbs.SimulationError):
        mbs.simulate(m, 0.5, method="rk4", step=h, **options)


def test_energy_of_a_damped_body_does_not_rise() -> None:
    """A bent boom without weight loses energy at every step, from 0.1 to 100 times 1 / omega_max."""
    m = boom()
    m.gravity = (0.0, 0.0, 0.0)
    m.start("boom", xi=[1e-3 * (-1) ** k / (1 + k) ** 2 for k in range(m.bodies["boom"].elastic.modes.count)])
    for share in (0.1, 1.0, 10.0, 100.0):
        h = share / highest(m)
        energy = np.asarray(mbs.simulate(m, 40 * h, method=NAME, step=h, output_interval=h)["energy"])
        assert np.all(np.diff(energy) <= 1e-12 * energy[0]), f"the energy rises with steps of {share} / omega_max"


def test_fast_translation_is_stable() -> None:
    """A bent boom that flies along itself with 300 m/s vibrates as one at rest.

    Its modal momenta depend on its shape, as a bent boom is shorter; B of (W1) takes this into W. Without B the steps
    explode.
    """
    bends = []
    for speed in (0.0, 300.0):
        m = Model("flight", gravity=(0, 0, 0))
        beam = mbs.beam(length=1.0, section=SECTION, E=2.1e11, density=7850, modes=8)
        body = m.body("boom", joint=mbs.Prismatic("x"), elastic=beam, root="root")
        m.start(body, u=speed, xi=[1e-4] * 8)
        m.output("bend", mbs.deformation(body, "tip").d, unit="m")
        bends.append(mbs.simulate(m, 0.05, method=NAME, step=2e-4, output_interval=0.01))
    still, flying = bends
    assert_close(flying["bend"], still["bend"], 0.02 * float(np.abs(still["bend"]).max()), "bend", times=still.time)


@pytest.mark.parametrize("make", some_quick({"tree": bent_tree, "loops": bent_loops}, 1))
@pytest.mark.parametrize("seed", tiers(range(4), usual=1, quick=1))
def test_linear_system(make, seed: int) -> None:  # type: ignore[no-untyped-def]
    """The solution satisfies y - s W y = x for W of (W2), whose M⁻¹ is that of the errors of momenta."""
    program = compile_model(make(seed, count=3), methods=("rk4", "dopri5", NAME))
    plain = load_plain(program.module)
    R, s = program.new_record(), 1e-3
    assert plain.initialise(R) == Status.ok
    plain.refresh(R, np.zeros(16 + 2 * program.regions["inputs"][1]))
    regions = {name: slice(start, start + count) for name, (start, count) in program.regions.items()}
    size = plain.NX
    plain.ros34pw2_jacobian(R, np.zeros(16))
    plain.effective_modal_masses(R, s)
    if make is bent_tree:  # the systems of trees use the factors of an evaluation
        plain.derive(R[plain.TAIL :])
    x = np.random.default_rng(seed).normal(size=size)
    R[plain.STAGES : plain.STAGES + size] = x
    plain.solve_modes(R, plain.STAGES, s)
    y = R[plain.STAGES : plain.STAGES + size].copy()
    plain.subtract_coupling(R, plain.STAGES)
    R[regions["errors"]] = R[plain.STAGES + plain.FIRST_P :][: plain.NV]
    R[regions["u_new"]] = R[regions["u"]]
    plain.error_velocities(R)
    w = R[regions["errors"]].copy()
    left = y - x
    for k in range(plain.N_ELASTIC):
        link = plain.ELASTIC_LINKS[k]
        n, first, at = plain.MODE_COUNT[link], plain.U_INDEX[link], plain.Q_INDEX[link]
        block = plain.ELASTIC + plain.ELASTIC_INDEX[link] + plain.ELASTIC_BLOCK_FACTORS
        numbers = R[plain.SHAPES + plain.MASSES_INDEX[link] :]
        K, D = R[block] * numbers[n : 2 * n], R[block + 1] * numbers[2 * n : 3 * n]
        width = -(-n // 4) * 4
        B = R[plain.MODE_COUPLINGS + plain.COUPLINGS_INDEX[link] :][: n * width].reshape(n, width)[:, :n]
        assert_close(B, B.T, 1e-12 * (1 + np.abs(B).max()), f"B of link {link}")
        rates = w[first : first + n]
        left[at : at + n] -= s * rates
        left[plain.FIRST_P + first : plain.FIRST_P + first + n] -= s * (-K * y[at : at + n] - D * rates + B @ rates)
    assert_close(left, np.zeros(size), 1e-8 * np.abs(y).max(), "y - s W y - x")


@pytest.mark.quick
@pytest.mark.parametrize("make", [bearing_body, many_modes])
def test_derivatives_of_momenta(make) -> None:  # type: ignore[no-untyped-def]
    """B of (W1) is the sum over the nodes of ε_n dNᵀ/dξ Aᵀμ_n, with N of (F4), which is linear in ξ, at two states."""
    model = make()
    (root,) = [body.elastic.root for body in model.bodies.values() if body.elastic is not None]
    program = compile_model(model, methods=("rk4", NAME))
    plain, R = load_plain(program.module), program.new_record()
    U = np.zeros(16 + 2 * program.regions["inputs"][1])
    assert plain.initialise(R) == Status.ok
    plain.refresh(R, U)
    plain.ros34pw2_jacobian(R, U)
    (link,) = plain.ELASTIC_LINKS
    n, nodes, block = plain.MODE_COUNT[link], plain.NODE_COUNT[link], plain.ELASTIC + plain.ELASTIC_INDEX[link]
    width = mode_columns(n)

    def forms(R: np.ndarray) -> np.ndarray:
        """N of all nodes."""
        rows = R[block + node_form_at(n, 0) :][: 6 * nodes * width]
        return rows.reshape(nodes, 6, width)[:, :, :n].copy()

    N, expected = forms(R), np.zeros((n, n))
    for b in range(n):
        bent = R.copy()
        bent[program.state_slice][plain.Q_INDEX[link] + b] += 1e-3
        bent[HeadNumbers.fresh] = 0.0
        plain.refresh(bent, U)
        for k, slope in enumerate((forms(bent) - N) / 1e-3):
            momentum = R[block + node_at(n, nodes, k) + int(NodeBlock.momentum) :][:6]
            expected[:, b] += (-1.0 if root is not None and k == 0 else 1.0) * slope.T @ momentum
    B = R[plain.MODE_COUPLINGS + plain.COUPLINGS_INDEX[link] :][: n * width].reshape(n, width)[:, :n]
    assert np.abs(expected).max() > 1e-3
    assert_close(B, expected, 1e-11 * np.abs(R[program.state_slice]).max(), "B")  # round-off of N over 1e-3


@pytest.mark.quick
@pytest.mark.parametrize("part", ["gamma", "alpha", "coupling", "b", "embedded", "dense"])
def test_wrong_coefficients_are_refused(part: str) -> None:
    """One changed digit violates an order condition."""
    m = method(NAME)
    assert isinstance(m, ModalRosenbrock)

    def changed(value: Any) -> Any:
        return (*value[:-1], changed(value[-1])) if isinstance(value, tuple) else value + 1e-9

    with pytest.raises(ValueError, match=f"method {NAME}"):
        ModalRosenbrock(**{**vars(m), part: changed(vars(m)[part])})
