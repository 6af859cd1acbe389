"""Sensitivities of runs, against differences of runs on the same steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.model import Model
from mbs_fmu.run.simulate import compiled
from models.double_pendulum import double_pendulum
from models.four_bar import four_bar
from models.free_top import free_top
from models.governor import governor
from models.gyroscope import gyroscope
from models.n_four_bar import n_four_bar
from models.pendulum_on_cart import pendulum_on_cart
from models.planetary_gear import planetary_gear
from models.rack_steering import rack_steering
from models.rolling_disc import rolling_disc
from models.slider_crank import slider_crank
from models.spherical_pendulum import spherical_pendulum
from models.stewart_platform import stewart_platform
from models.universal_chain import universal_chain
from support.cases import Case, each, tiers
from support.comparisons import assert_close
from support.generators.mechanisms import JOINTS
from support.generators.trees import add_forces, parametric_chain
from support.sensitivities import STEPS, check

PLAIN = pytest.mark.usefixtures("in_plain_python", "one_lane")


@pytest.fixture
def one_lane(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run without lanes, which need machine code."""
    monkeypatch.setattr("mbs_fmu.run.sensitivities.machine_lanes", lambda: 1)


TREES: dict[str, tuple[Callable[[], Model], list[str]]] = {
    "pendulum_on_cart": (pendulum_on_cart, ["length", "rod_mass", "cart_mass", "b", "c", "rod.phi", "cart.v", "force"]),
    "spherical_pendulum": (spherical_pendulum, []),
    "double_pendulum": (double_pendulum, []),
    "free_top": (free_top, []),
    "gyroscope": (gyroscope, []),
    "universal_chain": (lambda: universal_chain(2), []),
}
LOOPS: dict[str, tuple[Callable[[], Model], list[str]]] = {
    "four_bar": (four_bar, ["ground", "b", "crank.phi", "crank.w"]),
    "slider_crank": (slider_crank, []),
    "governor": (governor, []),
    "rolling_disc": (rolling_disc, []),
    "rack_steering": (rack_steering, []),
    "planetary_gear": (planetary_gear, []),
    "n_four_bar": (lambda: n_four_bar(2), []),
    "stewart_platform": (stewart_platform, []),
}


def named(m: Model, names: list[str]) -> list[str]:
    """Names of a model's parameters and held start values, or the first of them."""
    if names:
        return names
    program = compiled(m).program
    starts = [v.name for v in program.of_role("coordinate", "rate", "state")]
    return list(dict.fromkeys([*list(m.parameters)[:6], *starts[:2], *starts[-2:]]))


@PLAIN
@pytest.mark.parametrize("case", tiers(TREES, usual=2, quick=2))
def test_trees(case: tuple[Callable[[], Model], list[str]]) -> None:
    """Bundled models without loops: mass, geometry, laws, starts, inputs."""
    check(case[0](), named(case[0](), case[1]))


@PLAIN
@pytest.mark.parametrize("case", tiers(LOOPS, usual=1))
def test_loops(case: tuple[Callable[[], Model], list[str]]) -> None:
    """Bundled models with loops: choice of rows, projection, re-basing and assembly included."""
    check(case[0](), named(case[0](), case[1]), stop=0.02)


@PLAIN
@each(JOINTS, rounds=1, usual=2, quick=2)
def test_mass_and_geometry(case: Case) -> None:
    """Every joint with mass, inertia and placement by parameters, and forces."""
    m = parametric_chain(case)
    if case.number or case.seed % 2:
        add_forces(m, np.random.default_rng(case.seed))
    check(m, named(m, []), case.seed, stop=0.02)


@PLAIN
@pytest.mark.quick
def test_columns_are_those_of_the_run() -> None:
    """The run with tangents makes the same steps, bit for bit; vectors have their names; time has no derivative."""
    r = mbs.simulate(pendulum_on_cart(), 0.1, inputs={"force": 0.0}, sensitivities=["length"], **STEPS)
    tip, k = r.sensitivity("tip", "length"), r.columns.index("tip[3]")
    assert tip.shape == (len(r), 3) and np.array_equal(tip[:, 2], r.sensitivities["length"][:, k])
    assert_close(tip[0], [np.sin(0.3), 0, np.cos(0.3)], 1e-15, "derivative of the tip's start", "xyz")
    assert not r.sensitivity("time", "length").any()
    with pytest.raises(KeyError, match="no sensitivities to 'c'; there are those to length"):
        r.sensitivity("angle", "c")
    with pytest.raises(KeyError, match="no result 'x' has sensitivities"):
        r.sensitivity("x", "length")


def swing() -> Model:
    m = Model("swing", gravity=(0, 0, 0))
    k = m.parameter("k", 4.0)
    body = m.body("b", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 1.0))
    m.spring("s", on=body, stiffness=k)
    m.start(body, q=1.0)
    return m


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("method", ["dopri5", "tsit5", "dop853", "rodas5p"])
def test_error_control(method: str) -> None:
    """x = cos(w t), w = sqrt(k/m): closed forms within the tolerance."""
    r = mbs.simulate(swing(), 2.0, method=method, rtol=1e-9, output_interval=0.25, sensitivities=["k", "mass", "b.s"])
    t = r.time
    assert_close(r.sensitivity("b.s", "b.s"), np.cos(2 * t), 1e-7, "derivative of b.s by its start", times=t)
    assert_close(r.sensitivity("b.s", "k"), -t * np.sin(2 * t) / 4, 1e-7, "derivative of b.s by 'k'", times=t)
    assert_close(r.sensitivity("b.s", "mass"), t * np.sin(2 * t), 1e-7, "derivative of b.s by 'mass'", times=t)


@PLAIN
def test_reactions_accelerations_and_tables() -> None:
    """Measures by the balance of momenta, an input with a jump, laws that switch in time, functions as inputs."""
    m = pendulum_on_cart()
    m.output("pin", mbs.reaction("rod").f)
    m.output("a", mbs.acceleration("rod"))
    m.motor("kick", on="cart", force=mbs.where(mbs.time < 0.02, 1.0, -1.0) * m.parameter("size", 2.0))
    names = ["length", "rod_mass", "size", "rod.phi"]
    check(m, names, inputs={"force": ([0.0, 0.02, 0.02, 1.0], [0.0, 1.0, -1.0, 2.0])})
    check(m, names, inputs={"force": lambda t: mbs.sin(9 * t)})


@PLAIN
@pytest.mark.quick
def test_starts_by_parameters() -> None:
    """x = x0 cos(2 t) with x0 = 0.5 a: the start depends on the parameter unless it has a value."""
    m = swing()
    m.start("b", q=0.5 * m.parameter("a", 2.0))
    r = mbs.simulate(m, 0.2, sensitivities=["a", "b.v"], **STEPS)
    wanted = np.cos(2 * r.time)
    assert_close(r.sensitivity("b.s", "a"), 0.5 * wanted, 1e-9, "derivative of b.s by 'a'", times=r.time)
    r = mbs.simulate(m, 0.2, start={"b.s": 1.5}, sensitivities=["a", "b.s"], **STEPS)
    assert not r.sensitivity("b.s", "a").any()
    assert_close(r.sensitivity("b.s", "b.s"), wanted, 1e-9, "derivative of b.s by its start", times=r.time)
    with pytest.raises(mbs.ModelError, match=r"no sensitivity to 'b\.s', which follows from parameters"):
        mbs.simulate(m, 0.2, sensitivities=["b.s"], **STEPS)


@PLAIN
@pytest.mark.quick
def test_an_event_ends_the_run() -> None:
    """The rows are those of the run, up to its last."""
    m = swing()
    m.event("there", mbs.coordinate("b") - 0.5, stop=True)
    r = mbs.simulate(m, 2.0, method="rk4", step=0.01, output_interval=0.1, sensitivities=["k"])
    t = r.time
    assert t[-1] == pytest.approx(np.pi / 6, abs=1e-9)
    assert_close(r.sensitivity("b.s", "k"), -t * np.sin(2 * t) / 4, 1e-8, "derivative of b.s by 'k'", times=t)


@PLAIN
@pytest.mark.quick
def test_the_run_stays_where_its_sensitivities_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """sqrt(x) at zero has no derivative, but the run remains; so it does after Ctrl-C."""
    m = swing()
    m.motor("pull", on="b", force=mbs.sqrt(mbs.coordinate("b") - 1.0) * 1e-9)
    m.start("b", q=1.0, u=1.0)
    message = r"sensitivities to b\.s are not finite at"
    with np.errstate(all="ignore"), pytest.raises(mbs.SimulationError, match=message) as caught:
        mbs.simulate(m, 0.01, method="rk4", step=0.01, sensitivities=["b.s"])
    assert isinstance(caught.value.result, mbs.Result)

    def pressed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mbs_fmu.run.sensitivities.Carrier.carry", pressed)
    with pytest.raises(mbs.Interrupted, match="swing: sensitivities interrupted") as cut:
        mbs.simulate(swing(), 0.1, sensitivities=["k"], **STEPS)
    assert isinstance(cut.value.result, mbs.Result) and len(cut.value.result) == 6


@PLAIN
@pytest.mark.quick
def test_both_solvers_agree() -> None:
    """Both solvers give the same sensitivities."""
    one, two = (
        mbs.simulate(pendulum_on_cart(), 0.1, inputs={"force": 0.0}, sensitivities=["length"], solver=solver, **STEPS)
        for solver in ("cholesky", "sweep")
    )
    a, b = one.sensitivities["length"], two.sensitivities["length"]
    assert_close(a, b, 1e-12 + 1e-10 * np.abs(b), "derivative by 'length'", one.columns, one.time)


@PLAIN
@pytest.mark.quick
@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_files(suffix: str, tmp_path: Path) -> None:
    """Files store sensitivities as columns, and formats that hold more than columns restore them."""
    r = mbs.simulate(swing(), 0.1, sensitivities=["k", "b.s"], **STEPS)
    path = r.to_npz(tmp_path / "r.npz") if suffix == ".npz" else r.to_csv(tmp_path / "r.csv")
    read = mbs.Result.read(path)
    if suffix == ".npz":
        assert read.columns == r.columns and np.array_equal(read.data, r.data)
        assert all(np.array_equal(read.sensitivities[by], x) for by, x in r.sensitivities.items())
    else:
        assert np.array_equal(read["d(b.s)/d(k)"], r.sensitivity("b.s", "k"))


@PLAIN
@pytest.mark.quick
def test_what_has_no_sensitivities_is_refused() -> None:
    """Unsupported models and arguments are refused with a message."""
    m = swing()
    for names, message in (
        ("k", "name parameters, start values"),
        ([], "no name"),
        (["k", "k"], "'k' stands twice"),
        (
            ["b.f"],
            r"no sensitivity to 'b.f' of 'swing' \(did you mean 'b.s' or 'b.v'\?\); .* to k, mass, b.s, b.v",
        ),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.simulate(m, 1.0, sensitivities=names)
    for method in ("gauss4", "abm6", "ros34pw2"):
        with pytest.raises(mbs.ModelError, match=f'method \'{method}\' has none: use "rk4", .* or "rodas5p"$'):
            mbs.simulate(m, 1.0, method=method, step=0.1, sensitivities=["k"])
    with pytest.raises(mbs.ModelError, match="for single runs of the tree: leave batch="):
        mbs.simulate(m, 1.0, formulation="absolute", sensitivities=["k"])


def test_lanes_have_the_numbers_of_single_directions() -> None:
    """Compiled lanes of many directions give the numbers of single directions."""
    names = ["length", "rod_mass", "c", "rod.phi", "force"]
    options = {**STEPS, "inputs": {"force": 0.2}}
    r = mbs.simulate(pendulum_on_cart(), 0.2, sensitivities=names, **options)
    for name in names[:2]:
        alone = mbs.simulate(pendulum_on_cart(), 0.2, sensitivities=[name], **options)
        assert np.array_equal(alone.data, r.data)
        D = alone.sensitivities[name]
        bound = 1e-15 + 1e-13 * np.abs(D)
        assert_close(r.sensitivities[name], D, bound, f"derivative by '{name}'", r.columns, r.time)
