"""Valid masses and inertias of bodies, and messages about motions without inertia."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from fmpy.fmi1 import FMICallException

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.codes import Status
from support.cases import tiers
from support.generators.mechanisms import Plain, random_rotation
from support.hosts.fmus import Host, assert_discards
from support.oracles.dense import Dense

NOTHING = "moves no inertia.*or leave out one of two motions that do the same"


def started(model: Model, solver: str = "cholesky") -> int:
    """Return the status of a start with plain kernels."""
    program = compile_model(model, solver)  # type: ignore[arg-type]
    return load_plain(program.module).initialise(program.new_record())


def with_body(**more: object) -> Model:
    m = Model("test")
    m.body("b", **{"joint": mbs.Revolute("z"), **more})  # type: ignore[arg-type]
    return m


SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
LOST = {  # joint, body, the first motion recognised as one too many
    "slides": (mbs.Compound(mbs.slide("x"), mbs.slide("x")), SOLID, "b.u"),
    "slides and a turn": (mbs.Compound(mbs.slide("x"), mbs.turn("x"), mbs.slide("x")), SOLID, "b.u"),
    "a rod on a ball": (mbs.Spherical(), {"inertia": (1, 1, 0)}, r"b.u\[3\]"),
    "a point on a ball": (mbs.Spherical(), {"mass": 1, "com": (0, 0, 1)}, r"b.u\[3\]"),
    "a free point": (mbs.Free(), {"mass": 1}, r"b.u\[\d\]"),
    "a free rod": (mbs.Free(), {"mass": 1, "inertia": (1, 0, 1)}, r"b.u\[5\]"),
}


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
@pytest.mark.parametrize("kind", LOST)
def test_motions_without_inertia_are_named(kind: str, solver: str) -> None:
    """If the formulas reveal a motion without inertia, compilation reports it; if only the numbers do, the start
    refuses it.
    """
    joint, solid, motion = LOST[kind]
    m = with_body(joint=joint, **solid)
    if solver == "sweep" and "slides" in kind:
        with np.errstate(divide="ignore", invalid="ignore"):
            assert started(m, solver) == Status.no_inertia
        return
    with pytest.raises(mbs.ModelError, match=f"the motion of body 'b', momentum along {motion}.*{NOTHING}"):
        compile_model(m, solver)  # type: ignore[arg-type]


def test_one_of_two_equal_motions_may_be_driven() -> None:
    """The other motion then moves the body alone."""
    m = with_body(joint=mbs.Compound(mbs.slide("x"), mbs.slide("x")), **SOLID)
    m.drive("shaking", on="b", coordinate=1, position=0.1 * mbs.sin(mbs.time))
    assert started(m) == Status.ok


@pytest.mark.parametrize("seed", range(20))
def test_rounding_errors_in_inertias_are_accepted(seed: int) -> None:
    """A physical inertia turned in floating point, neither exactly symmetric nor exactly positive, is accepted and
    used.
    """
    rng = np.random.default_rng(seed)
    R, moments = random_rotation(rng), 10.0 ** rng.uniform(-6, 3) * np.array([0.0, 1.0, 1.0])
    inertia = R @ np.diag(moments) @ R.T + 4e-16 * moments[1] * rng.uniform(-1, 1, size=(3, 3))
    assert np.abs(inertia - inertia.T).max() > 0.0
    m = with_body(joint=mbs.Spherical(), mass=1.0, com=(1, 2, 3), inertia=inertia)
    plain = Plain(m)
    M = np.array([plain.momenta(column) for column in np.eye(3)])
    assert np.abs(M - Dense(m).mass_matrix(plain.get(plain.R, "q"))).max() < 1e-14 * np.abs(M).max()


def test_asymmetry_is_measured_relative_to_the_matrix() -> None:
    """Rounding residues of a zero need not agree, but a mirror entry that is off by a millionth is refused."""
    inertia = [[1e-3, -4.99e-18, 0], [-4.12e-18, 2e-3, 0], [0, 0, 3e-3]]
    with_body(inertia=inertia)
    inertia[0][1] = 1e-9
    with pytest.raises(mbs.ModelError, match=r"inertia of body 'b' is not symmetric: entry \(2, 1\)"):
        with_body(inertia=inertia)


@pytest.mark.parametrize("inertia", [(-5e-20, 0, 0), (0, 0, -5e-20), (-5e-20, 1e-3, 1e-3), (1e-19, -3e-19, 0)])
def test_negative_moments_of_rounding_size_become_zero(inertia: tuple[float, ...]) -> None:
    """A moment below zero by rounding counts as zero: no body turns with a negative inertia."""
    m = with_body(mass=1.0, inertia=inertia)
    for k, moment in enumerate(inertia):
        assert m.bodies["b"].inertia[k][k].value == max(moment, 0.0)
    negative = "xyz"[int(np.argmin(inertia))]
    with pytest.raises(mbs.ModelError, match="can move but has no inertia"):
        compile_model(with_body(joint=mbs.Revolute(negative), mass=1.0, inertia=inertia))


@pytest.mark.parametrize("parameter", [False, True])
def test_unphysical_inertias_are_used_only_with_physical_false(parameter: bool) -> None:
    """Data that violate the triangle inequality are refused, or with physical=False used as they are and reported in
    the notes.
    """

    def built(physical: bool) -> Model:
        m = Model("test")
        j = m.parameter("j", 0.1)
        inertia = (0.3, 0.1, j if parameter else 0.1)
        m.body("b", joint=mbs.Spherical(), mass=1.0, com=(0.1, 0.2, 0.3), inertia=inertia, physical=physical)
        m.start("b", q=(1, 2, 3, 4))
        return m

    if parameter:
        assert started(built(False)) == Status.ok
        assert started(built(True)) == Status.failed_check
        (note,) = compile_model(built(False)).notes
        assert note == "inertia of body 'b' may break the triangle inequality (physical=False)"
    else:
        with pytest.raises(mbs.ModelError, match=r"breaks the triangle inequality: .*0.1, 0.1, 0.3.*physical=False"):
            built(True)
        (note,) = compile_model(built(False)).notes
        assert "inertia of body 'b' breaks the triangle inequality" in note
    plain, dense = Plain(built(False)), Dense(built(False))
    M = np.array([plain.momenta(column) for column in np.eye(3)])
    assert np.abs(M - dense.mass_matrix(dense.q0)).max() < 1e-15


def test_physical_false_still_refuses_negative_masses() -> None:
    """A negative mass or a motion without inertia stays refused; any moments are accepted, as
    numbers or as parameters.
    """
    for wrong, message in (
        ({"mass": -1.0}, "mass of body 'b' is -1.0"),
        ({"physical": "no"}, "physical of body 'b' is 'no': use True or False"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            with_body(**{"physical": False, **wrong})
    with pytest.raises(mbs.ModelError, match="has no inertia about its joint's axis"):
        compile_model(with_body(inertia=(1, 0, 0), physical=False))
    for parameter in (False, True):
        m = Model("test")
        moment = m.parameter("j", -0.1) if parameter else -0.1
        m.body("b", joint=mbs.Revolute("x"), inertia=(1.0, 1.0, moment), physical=False)
        assert started(m) == Status.ok
        assert Plain(m).momenta(np.ones(1))[0] == 1.0


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-3, -1e-3, -1e-20])
def test_zero_mass_parameters_equal_zero_literals(value: float) -> None:
    """Mass and inertia as parameters or as literals accept the same numbers and give the same results."""

    def model(mass: object, inertia: object) -> Model:
        m = Model("test")
        m.body("arm", joint=mbs.Universal(), mass=1.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.3, 0.3))
        p, j = m.parameter("m", value), m.parameter("j", value)
        m.body(
            "tool", "arm", mass=p if mass == "parameter" else mass, com=(1, 0, 0),
            inertia=(j, j, j) if inertia == "parameter" else inertia,
        )  # fmt: skip
        return m

    for which in (("parameter", (0, 0, 0)), (1.0, "parameter")):
        parametric = model(*which)
        by_parameter = started(parametric)
        try:
            literal = model(*(value if x == "parameter" and k == 0 else (value,) * 3 if x == "parameter" else x
                              for k, x in enumerate(which)))  # fmt: skip
        except mbs.ModelError:
            assert by_parameter == Status.failed_check
            continue
        assert by_parameter == started(literal) == Status.ok
        one, two = Plain(parametric), Plain(literal)
        assert np.allclose(one.momenta(np.ones(2)), two.momenta(np.ones(2)), rtol=1e-15)


@pytest.mark.parametrize("seed", tiers(range(10), usual=1))
def test_inertia_parameters_are_checked_like_literals(seed: int) -> None:
    """Random inertias, turned so that all entries count, lie near the triangle inequality's bound on both sides."""
    rng = np.random.default_rng(seed)
    R = random_rotation(rng)
    for excess in (-1e-3, -1e-7, 1e-7, 1e-3):
        a, b = rng.uniform(0.1, 1, size=2)
        J = R @ np.diag([a, b, (a + b) * (1 + excess)]) @ R.T
        J = 10.0 ** rng.uniform(-6, 3) * 0.5 * (J + J.T)
        m = Model("test")
        six = [
            m.parameter(f"j{k}", J[i, j]) for k, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        ]
        m.body("b", joint=mbs.Free(), mass=1.0, inertia=six)
        assert started(m) == (Status.failed_check if excess > 0 else Status.ok)


# -- the centre of point gravity ------------------------------------------------------------------------------


def falling(start: float = 1.0) -> Model:
    """Return a body that falls straight to the centre and reaches it after pi/2 sqrt(start³/(2 mu)) seconds."""
    m = Model("falling", gravity=mbs.PointGravity(2.0, center=(0.5, 0, 0)))
    m.body("stone", joint=mbs.Prismatic("x"), mass=3.0, com=(0.25, 0, 0))
    m.start("stone", q=0.25 + start)
    m.output("s", mbs.coordinate("stone"))
    return m


def test_a_start_at_the_centre_of_gravity_is_refused() -> None:
    """At the centre, point gravity has no direction and no bound; the message names the body."""
    with pytest.raises(mbs.ModelError, match="body 'stone': its centre of mass is at the centre of the point gravity"):
        mbs.simulate(falling(0.0), 1.0)


@pytest.mark.parametrize("method", ["dopri5", "dop853", "rodas5p"])
def test_a_fall_to_the_centre_of_gravity_is_reported_with_its_time(method: str) -> None:
    """The time is that of the closed form, at any tolerance."""
    arrival = math.pi / 2 * math.sqrt(1 / 4)
    for rtol in (1e-3, 1e-6, 1e-11):
        with pytest.raises(mbs.SimulationError) as caught:
            mbs.simulate(falling(), 2.0, method=method, rtol=rtol)
        message = str(caught.value)
        assert "body 'stone': its centre of mass is at the centre of the point gravity" in message
        assert float(message.split("at t = ")[1].split()[0]) == pytest.approx(
            arrival, abs=20 * rtol + 1e-9
        )  # printed to nine digits


def test_other_failures_are_not_blamed_on_gravity() -> None:
    """A law that breaks down far from the centre is not reported as a fall."""
    m = falling()
    m.state("z", rate=lambda z: z * z, start=10.0)  # infinite at t = 0.1, when the body is far out
    for options in ({}, {"method": "rk4", "step": 1e-3}):
        with pytest.raises(mbs.SimulationError, match="state 'z'"):
            mbs.simulate(m, 0.5, **options)  # type: ignore[arg-type]
    for step in (0.05, 0.1):  # of an orbit of period 2 pi
        orbit = Model("orbit", gravity=mbs.PointGravity(1.0))
        orbit.body("sat", joint=mbs.Compound(mbs.slide("x"), mbs.slide("y")), mass=1.0)
        orbit.start("sat", q=(1, 0), u=(0, 1))
        orbit.state("z", rate=lambda z: mbs.sqrt(1.0 - mbs.time) + 0 * z)
        with pytest.raises(mbs.SimulationError, match="state 'z'"):
            mbs.simulate(orbit, 3.0, method="rk4", step=step)


def test_a_fall_with_an_implicit_method_is_reported() -> None:
    """The stages of an implicit method have no solution at the centre."""
    with pytest.raises(mbs.SimulationError, match="body 'stone': its centre of mass is at the centre"):
        mbs.simulate(falling(1 / 16), 0.5, method="gauss4", step=1 / 64)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["python", "native"])
def test_fmus_report_falls_to_the_centre(kind: str, tmp_path: Path) -> None:
    """An FMU reports a start at the centre and a fall in a run, of which it only discards the step."""
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    platforms = "host" if kind == "native" else "all"
    path = mbs.export(falling(), tmp_path / "falling.fmu", kind, platforms=platforms, stop_time=0.5)  # type: ignore[arg-type]
    with Host(path) as host:
        with contextlib.suppress(FMICallException):  # of native ones; Python FMUs fail with the first step
            host.start({"stone.s": 0.25})
        assert "body 'stone': its centre of mass is at the centre of the point gravity" in host.messages
    with Host(path) as host:
        host.start().run(78)
        assert_discards(host)
        assert "body 'stone': its centre of mass is at the centre of the point gravity" in host.messages
        assert "(at t = 0.785" in host.messages
