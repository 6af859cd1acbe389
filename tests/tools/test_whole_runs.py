"""Whole runs against other programs: one physical model in all adapters, and times at equal error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.page import RUNS, rewritten
from benchmarks.report import Unavailable
from benchmarks.runs.__main__ import main
from benchmarks.runs.compare import Comparison
from benchmarks.runs.data import FREE, PRISMATIC, Link, Setting, System
from benchmarks.runs.measure import Measured, Point
from benchmarks.runs.programs import Interpreters, Worker
from benchmarks.runs.systems import SYSTEMS

RIGID = [name for name, make in SYSTEMS.items() if not make().elastic]
SMOOTH = [name for name in RIGID if not SYSTEMS[name]().ground]
TREES = [name for name in SMOOTH if not SYSTEMS[name]().closures and not SYSTEMS[name]().stiff]
STEPS = 10
TINY = 1e-200  #: of complex steps, which have no cancellation


@pytest.mark.quick
@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_survive_json(name: str) -> None:
    """Peers get what was described: data are equal after they were text."""
    system = SYSTEMS[name]()
    assert System.from_json(json.loads(json.dumps(system.to_json()))) == system


def turned(axis: list[float], angle: complex) -> np.ndarray:
    """Rotation about a unit axis, by Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def frame(link: Link, parent: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Origin and axes of a link at q + i TINY u: imaginary parts are TINY times the velocities."""
    origin, axes = parent
    step = 1j * TINY
    if link.joint == FREE:
        wx, wy, wz = link.u[3:]
        spin = np.array([[0.0, -wz, wy], [wz, 0.0, -wx], [-wy, wx, 0.0]])
        return np.array(link.q) + step * np.array(link.u[:3]), np.eye(3) + step * spin
    origin, axes = origin + axes @ link.position, axes @ link.rotation
    if link.joint == PRISMATIC:
        return origin + axes @ link.axis * (link.q[0] + step * link.u[0]), axes
    for axis, q, u in zip(link.axes, link.q, link.u, strict=True):
        axes = axes @ turned(axis, q + step * u)
    return origin, axes


def energy(system: System) -> float:
    """Energy at the start, from complex kinematics and Koenig's theorem."""
    frames: list[tuple[np.ndarray, np.ndarray]] = []
    total = system.spring_energy()
    for link in system.links:
        frames.append(frame(link, frames[link.parent] if link.parent >= 0 else (np.zeros(3), np.eye(3))))
        origin, axes = frames[-1]
        com = origin + axes @ link.com
        velocity, rate = com.imag / TINY, axes.imag / TINY @ axes.real.T
        spin = axes.real.T @ (rate[2, 1], rate[0, 2], rate[1, 0])
        total += 0.5 * link.mass * velocity @ velocity + 0.5 * spin @ link.inertia @ spin
        total -= link.mass * com.real @ system.gravity
    for spring in system.point_springs:
        origin, axes = frames[spring.link]
        length = np.linalg.norm(origin.real + axes.real @ spring.point - spring.anchor)
        total += 0.5 * spring.k * (length - spring.length) ** 2
    return float(total)


def ours(system: System, step: float = 1e-3) -> Any:
    adapter = pytest.importorskip("benchmarks.runs.peers.ours")
    setting = Setting("rk4", step, {"method": "rk4", "value": step})
    return adapter.build(system, setting), setting


@pytest.mark.parametrize("name", RIGID)
@pytest.mark.usefixtures("in_plain_python")
def test_the_package_has_the_energy_of_the_data(name: str) -> None:
    """Sums of at most 41 terms, which cancel to a hundredth in the worst case: 1e-12 is some thousands of roundings."""
    system = SYSTEMS[name]()
    model, _ = ours(system)
    assert model.energy() == pytest.approx(energy(system), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("peer", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("name", SMOOTH)
def test_peers_have_the_energy_of_the_data(name: str, peer: str) -> None:
    """As the package itself."""
    pytest.importorskip(peer)
    adapter = pytest.importorskip(f"benchmarks.runs.peers.{peer}")
    system = SYSTEMS[name]()
    model = adapter.build(system, adapter.settings(system)[0])
    assert model.energy() == pytest.approx(energy(system), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("peer", ["mujoco", "pinocchio"])
@pytest.mark.parametrize("name", [*TREES, "four_bar", "squeezer", "fourbar1"])
@pytest.mark.usefixtures("in_plain_python")
def test_peers_have_the_motion_of_the_package(name: str, peer: str) -> None:
    """Markers after ten steps of rk4 are equal to 1e-7 m, where weight or springs have moved them by 1e-4 m or more.

    The largest error of ten steps of h is that of the gyroscope, which turns at 60 rad/s: 10 (60 h)^5 / 120 is 7e-8.
    MuJoCo has loops as springs, so only its trees are compared.
    """
    pytest.importorskip(peer)
    adapter = pytest.importorskip(f"benchmarks.runs.peers.{peer}")
    system = SYSTEMS[name]()
    if peer == "mujoco" and system.closures:
        pytest.skip("soft loops")
    model, setting = ours(system)
    stop = STEPS * setting.value * system.scale
    wanted = [s for s in adapter.settings(system) if s.reference]
    theirs = next((s for s in wanted if s.value == setting.value), wanted[-1])
    mine, _ = model.run(setting, stop)
    other, _ = adapter.build(system, theirs).run(theirs, stop)
    assert other == pytest.approx(mine, abs=1e-7)


@pytest.mark.usefixtures("in_plain_python")
def test_torques_in_time_and_free_joints_are_those_of_mujoco() -> None:
    """The trotting quadruped in the air, whose servos move its feet by 5e-5 m in ten steps of both programs' rk4.

    Rates of the shank decay at d/J = 2 / 6e-3 1/s: h times that is 0.03, and (0.03)^5 / 120 of 1 rad/s s is 1e-12.
    """
    pytest.importorskip("mujoco")
    adapter = pytest.importorskip("benchmarks.runs.peers.mujoco")
    system = SYSTEMS["trot"]()
    system.links[0].q[2] = 1.0
    system.markers = [(i, [0.0, 0.0, -0.2]) for i in range(len(system.links))]
    model, setting = ours(system, 1e-4)
    stop = STEPS * setting.value
    mine, _ = model.run(setting, stop)
    theirs = next(s for s in adapter.settings(system) if s.method == "RK4" and s.value == setting.value)
    other, _ = adapter.build(system, theirs).run(theirs, stop)
    assert other == pytest.approx(mine, abs=1e-9)
    system.torques = []
    rest, _ = ours(system, 1e-4)[0].run(setting, stop)
    assert max(abs(np.subtract(mine, rest))) > 1e-5


def point(program: str, error: float, cpu: float, reference: bool = False) -> Point:
    """A run whose only marker is off by an error."""
    setting = Setting("exact" if reference else "method", error, {}, reference=reference)
    return Point(program, setting, [error, 0.0, 0.0], "", [cpu, 3.0 * cpu])


def measured() -> Comparison:
    """Two programs with errors of h^2 and h^4 m at times of 1/h s, and an exact run of each."""
    steps = 10.0 ** -np.arange(1.0, 4.0)
    points = [point(name, h**order, 1.0 / h) for name, order in (("ours", 4), ("drake", 2)) for h in steps]
    points += [point(name, 0.0, 1e9, reference=True) for name in ("ours", "drake")]
    return Comparison(Measured(SYSTEMS["four_bar"](), points, {}, {}, {}, {}))


@pytest.mark.quick
def test_points_survive_json() -> None:
    """A report of stored points is that of the measurement."""
    found = measured().measured
    assert Measured.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_a_process_gives_the_numbers_of_its_adapter_and_outlives_a_slow_run(tmp_path: Path) -> None:
    """JSON keeps all digits. A run that takes too long ends its process; the next one has the system as before."""
    pytest.importorskip("mujoco")
    adapter = pytest.importorskip("benchmarks.runs.peers.mujoco")
    system = SYSTEMS["chain"]()
    setting = adapter.settings(system)[0]
    expected, _ = adapter.build(system, setting).run(setting, system.stop)
    worker = Worker("mujoco", Interpreters({}), tmp_path)
    assert worker.load(system) == adapter.settings(system)
    assert worker.run(setting, 60.0, again=True)["markers"] == expected
    finest = max(worker.load(system), key=lambda s: 1.0 / s.value)
    assert worker.run(finest, 1e-4)["slow"]
    assert worker.run(setting, 60.0)["markers"] == expected
    worker.close()


def test_an_absent_peer_is_left_out_with_a_word(tmp_path: Path) -> None:
    """The word is the last line that its process has written."""
    with pytest.raises(Unavailable, match="there is no /nowhere"):
        Worker("mujoco", Interpreters({"mujoco": "/nowhere"}), tmp_path)
    with pytest.raises(Unavailable, match=r"No module named .*unknown"):
        Worker("unknown", Interpreters({}), tmp_path)


@pytest.mark.quick
def test_times_at_equal_error_follow_power_laws() -> None:
    """Interpolation in logarithms is exact for e = h^p and t = 1/h, and a round changes no ratio."""
    found = measured()
    assert found.references[""].programs == ("ours", "drake") and not found.references[""].difference
    for level in (1e-2, 3e-4, 1e-6):
        for turn, factor in enumerate((1.0, 3.0)):
            assert found.time("drake", level, turn) == pytest.approx(factor * level ** (-1 / 2), rel=1e-9)
            expected = factor * max(level ** (-1 / 4), 10.0)  # the coarsest run may be finer than asked
            assert found.time("ours", level, turn) == pytest.approx(expected, rel=1e-9)
        ratio = level ** (-1 / 2) / max(level ** (-1 / 4), 10.0)
        assert found.factor("drake", level) == pytest.approx(ratio, rel=1e-9)


@pytest.mark.quick
def test_coarse_runs_that_agree_are_no_reference() -> None:
    """Two programs whose steps are the same agree in spite of their errors; methods of high order are asked alone."""
    found = measured()
    found.measured.points += [point("mujoco", 0.5, 1.0), point("drake", 0.5, 1.0)]
    assert Comparison(found.measured).references[""].markers == pytest.approx(np.zeros(3))


@pytest.mark.quick
def test_a_page_that_is_written_as_a_whole_keeps_the_runs() -> None:
    """Whole runs are measured by a command of their own; sections keep their order."""
    page = f"# Old\n\n## Jacobians\n\nold\n\n{RUNS}\n\nruns\n"
    assert rewritten(page, ["## Methods\n\nnew"], "# New") == f"# New\n\n{RUNS}\n\nruns\n\n## Methods\n\nnew\n"
    assert rewritten(page, [f"{RUNS}\n\nnew"]) == f"# Old\n\n{RUNS}\n\nnew\n\n## Jacobians\n\nold\n"


@pytest.mark.quick
def test_calls_that_would_lose_something_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages are written from points of all systems only, and an interpreter needs the name of its peer."""
    monkeypatch.setattr("sys.argv", ["runs", "--report", "--write", "--output", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"needs points of all systems: .* has none of chain, "):
        main()
    monkeypatch.setattr("sys.argv", ["runs", "--python", "/usr/bin/python3"])
    with pytest.raises(SystemExit):
        main()
    assert "--python takes PEER=PATH, such as mujoco=/usr/bin/python3, but got '/usr" in capsys.readouterr().err
