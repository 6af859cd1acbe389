"""Runs of models that together reach the kernels, as plain Python."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.integrate.write import one_step_functions
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers, LoopNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.record.kernel_module import SEPARATOR
from mbs_fmu.run.bundled import bundled_model
from support.generators.elastic_mechanisms import bent_tree, many_modes, sagging_beam, stayed_beam
from support.generators.near_pairs import swarm
from support.models.kernel_coverage import (
    apart,
    braked_beam,
    floating,
    following,
    held,
    held_drive,
    jumping,
    jumping_drive,
    stacked,
    striking,
    struck,
    switching,
    tree,
    two_bars,
    two_slides,
    undefined,
)
from support.models.linkages import coupled_loops, quadrilateral
from support.models.open_loops import turned_axis, turned_body
from support.models.with_instants import ball
from support.spies.named_calls import NamedCalls, compiled_with_layout, kernels_called_twice

METHODS = ("rk4", "dopri5", "dop853", "gauss4", "abm6", "rodas5p")


class Run(NamedCalls):
    """A model as plain Python in which kernels are called twice, with its first record and tangents."""

    def __init__(self, model: Model, methods: tuple[str, ...] = METHODS, more: str = ""):
        self.program, layout = compiled_with_layout(model, methods)
        super().__init__(layout, f"{self.program.text}\n{more}", methods)
        self.R = self.program.new_record()
        self.D = np.zeros_like(self.R)

    def loop_state(self, number: int, value: float) -> None:
        self.R[self.program.regions["loop_state"][0] + number] = value


def started(model: Model, status: int = Status.ok) -> Run:
    run = Run(model)
    assert run.call("initialise", run.R) == status
    return run


def inputs(run: Run, values: tuple[float, ...] = (0.0, 1.0, 1.0, 2.0)) -> np.ndarray:
    """Input table over time for a model with one input, which jumps at 4 ms, behind the times of results."""
    count = run.program.regions["inputs"][1]
    if count == 0:
        return np.array([0.0, 0.01, 2.0, 0.01])
    times = np.array([0.0, 0.004, 0.004, 0.05])
    return np.concatenate([[6.0, 4.0, 0.0, 0.01, 2.0, 0.01], times, values])


def steps(run: Run) -> None:
    """Fixed steps, error-controlled steps, importers' steps and their rates, projection, tangents."""
    U = inputs(run)
    run.R[HeadNumbers.absolute] = 1e-3
    assert run.call("rk4_fixed", run.R, U, 0.002, 0.001, 0) == Status.ok
    assert run.call("gauss4_fixed", run.R, U, 0.003, 0.001, 0) == Status.ok
    assert run.call("abm6_fixed", run.R, U, 0.008, 0.0005, 0) == Status.ok
    assert run.call("dopri5_adaptive", run.R, U, 0.01, 1e-6, 0) == Status.ok
    assert run.call("dop853_adaptive", run.R, U, 0.012, 1e-6, 0) == Status.ok
    run.call("refresh", run.R, U)
    run.call("exchanged", run.R, run.D)
    assert run.call("begin", run.R, U, 0.0) == Status.ok
    run.R[HeadNumbers.time] += 1e-3
    assert run.call("completed", run.R, U) == Status.ok
    assert run.call("follow", run.R, run.R[HeadNumbers.time] * (1 + 1e-12), 1e-3) == Status.ok
    q = run.program.regions["q"][0]
    for project in (-1.0, 0.0):
        run.loop_state(LoopNumbers.projection_residual, project)
        run.R[q + run.program.regions["q"][1] - 1] += 1e-7
        run.R[HeadNumbers.fresh] = 0.0
        run.call("evaluate_between", run.R, U)
        run.R[q + run.program.regions["q"][1] - 1] += 1e-7
        run.call("prepare_step", run.R, U, 1e-3, True)


def changes(run: Run) -> None:
    """Steps in which constraint modes end."""
    U = inputs(run)
    run.R[HeadNumbers.absolute] = 1e-3
    assert run.call("rk4_fixed", run.R, U, 0.002, 0.001, 0) == Status.ok
    assert run.call("abm6_fixed", run.R, U, 0.0025, 0.0005, 0) == Status.ok
    assert run.call("dopri5_adaptive", run.R, U, 0.004, 1e-6, 0) == Status.ok


def jumps(run: Run) -> None:
    """Steps that end at samples and events, and the importers' calls there."""
    changes(run)
    assert run.call("act", run.R, inputs(run)) == Status.ok
    run.R[HeadNumbers.time] += 0.0007
    assert run.call("act", run.R, inputs(run)) == Status.ok
    importer_events(run)


def importer_events(run: Run) -> None:
    """Importers' steps that stop at events, and the calls there."""
    U = inputs(run)
    start = float(run.R[HeadNumbers.time])
    for k in range(4):
        assert run.call("rk4_fixed_to_event", run.R, U, start + 0.002 * (k + 1), 0.001, 0, 2) == Status.ok
        run.call("is_due", run.R, U)
        assert run.call("apply_due", run.R, U, 0) == Status.ok
    assert run.call("dopri5_adaptive_to_event", run.R, U, start + 0.02, 1e-6, 0, 2) == Status.ok


def runs(run: Run) -> None:
    """Runs over the rows of a result, with every kind of method and step."""
    U = inputs(run)
    clock = 2 * run.program.regions["inputs"][1]
    beginning = run.R.copy()
    Y = np.zeros(4 * len(run.program.columns))
    for loop, setting in (
        *((f"{name}_run_fixed", 1e-3) for name in ("rk4", "gauss4", "abm6")),
        *((f"{name}_run_adaptive", 1e-6) for name in ("dopri5", "dop853", "rodas5p")),
    ):
        run.R[:] = beginning
        run.R[HeadNumbers.absolute] = 1e-3
        U[clock : clock + 4] = run.R[HeadNumbers.time], 2e-3, 4.0, run.R[HeadNumbers.time] + 6e-3
        row = 0
        while row < (3 if run.program.name == "tree" else 4):
            row = run.call(loop, run.R, U, Y, row, setting, 0)
            assert row > 0


def failures(run: Run) -> None:
    """Starts and steps with numbers that are not finite, and steps that are too long."""
    beginning = run.R.copy()
    Y = np.zeros(4 * len(run.program.columns))
    for name, way, setting in (
        ("rk4", "fixed", 1e-3), ("gauss4", "fixed", 1e-3), ("abm6", "fixed", 1e-3), ("dopri5", "adaptive", 1e-6),
    ):  # fmt: skip
        run.R[:] = beginning
        run.R[HeadNumbers.absolute] = 1e-3
        U = inputs(run, (0.0, 1.0, np.nan, 2.0))
        U[2:6] = 0.0, 10.0, 2.0, 10.0
        U[7:9] = 0.0012
        assert run.call(f"{name}_run_{way}", run.R, U, Y, 0, setting, 0) < 0
    run.R[:] = beginning
    run.R[HeadNumbers.absolute], run.R[HeadNumbers.step] = 1e-3, 1.0
    U = inputs(run)
    U[1] = 0.0
    assert run.call("dopri5_adaptive", run.R, U, 10.0, 1e-15, 1) == Status.budget


def between(run: Run) -> None:
    """Importers' calls between steps, during which the input does not change."""
    U = inputs(run)
    U[1] = 0.0
    assert run.call("gauss4_fixed", run.R, U, 0.003, 0.001, 0) == Status.ok
    run.R[HeadNumbers.fresh] = 0.0
    run.call("rates", run.R, U)
    for step in (1e-3, 2e-3):
        assert run.call("follow", run.R, run.R[HeadNumbers.time] * (1 + 1e-15), step) == Status.ok
        run.call("refresh", run.R, U)
    assert run.call("abm6_fixed", run.R, U, 0.006, 0.001, 0) == Status.ok


def again_independent(run: Run) -> None:
    """An error-controlled step in which a redundant row becomes independent again."""
    run.R[run.program.regions["ranks"][0]] = 1.0
    run.R[HeadNumbers.fresh] = 0.0
    run.call("prepare_step", run.R, inputs(run), 1e-3, True)


def no_longer_independent(run: Run) -> None:
    """An error-controlled step without rows that were independent in the previous step."""
    run.R[run.program.region("scales")] *= 1e20
    run.R[HeadNumbers.fresh] = 0.0
    run.call("prepare_step", run.R, inputs(run), 1e-3, True)
    run.R[run.program.region("scales")] *= 1e-20


def folded(run: Run) -> None:
    """Measures inside an error-controlled step where the choice of rows depends on rounding."""
    run.R[run.program.region("scales")] *= 1e20
    run.call("dopri5_between", run.R, inputs(run), float(run.R[HeadNumbers.time]), 0.5, 1e-3)
    run.R[run.program.region("scales")] *= 1e-20


def large_impulses(run: Run) -> None:
    """A fixed step before which momenta are re-based."""
    first, size = run.program.regions["multipliers"]
    run.R[first : first + size] = 1e6
    run.R[HeadNumbers.fresh] = 0.0
    run.call("abm6_ready", run.R, inputs(run), 1e-3)


def beyond_the_bound(run: Run) -> None:
    """A step that would start from residuals above the bound."""
    run.loop_state(LoopNumbers.residual_bound, -1.0)
    run.R[HeadNumbers.fresh] = 0.0
    assert run.call("prepare_step", run.R, inputs(run), 1e-3, True) == Status.open_loop


def importers_calls(run: Run) -> None:
    """Tangents, checks and distances that importers ask for."""
    run.D[run.program.regions["q"][0]] = 1.0
    run.call("start_tangent", run.R, run.D)
    run.call("completed", run.R, inputs(run))


def rare_calls(run: Run) -> None:
    """Calls for stages that neither converge nor overflow, and for contacts with nearly dependent rows."""
    run.call("most_changed", run.R, run.program.regions["stages"][0])
    run.call("mode_ends", run.R, inputs(run))
    run.call("without_parts", run.R, inputs(run), Status.ok, 1e-3)
    run.call("release_fast_separating_contacts", run.R, 0.0)


def implicit_modes(run: Run) -> None:
    """Steps of a method that treats the modes of elastic bodies implicitly."""
    run.R[HeadNumbers.absolute] = 1e-3
    assert run.call("ros34pw2_adaptive", run.R, inputs(run), 0.002, 1e-6, 0) == Status.ok


def single_steps(run: Run) -> None:
    """Steps of a program that makes its own time loop."""
    for k in range(3):
        assert run.call("rk4_single", run.R, inputs(run), 1e-3, 1e-3 * (k + 1)) == Status.ok


def scenes() -> Iterator[Run]:
    """Yield models after runs and situations that together reach every line of the kernels."""
    for some in (closed_loops, elastic_bodies, near_pairs, instants, failing_runs, failing_starts):
        yield from some()


def closed_loops() -> Iterator[Run]:
    for model in (
        quadrilateral(1, 2, 1.5, 2, 1.0, 2.0),
        coupled_loops(),
        held_drive(),
        floating(),
        bundled_model("cam_follower", "cam_follower"),
    ):
        run = started(model)
        steps(run)
        runs(run)
        folded(run)
        again_independent(run)
        no_longer_independent(run)
        large_impulses(run)
        yield run
    for held_bars in (("bar0",), ("bar0", "bar1")):  # fewer held rates than degrees of freedom, and more
        yield started(struck(held_bars))
    yield started(following())
    run = started(quadrilateral(1, 2, 1.5, 2, 1.0, 2.0))
    beyond_the_bound(run)
    yield run


def elastic_bodies() -> Iterator[Run]:
    yield started(sagging_beam())
    yield started(sagging_beam(length=30.0), Status.too_large)
    run = started(stayed_beam())
    steps(run)
    runs(run)
    yield run
    for model in (bent_tree(0, 3), bent_tree(53, 3), many_modes()):  # the first body of the second one floats
        run = started(model)
        for kernel in ("derive", "error_velocities"):
            run.call(kernel, run.R)
        yield run
    run = Run(braked_beam(), ("ros34pw2",))
    assert run.call("initialise", run.R) == Status.ok
    implicit_modes(run)
    yield run


def near_pairs() -> Iterator[Run]:
    run = started(swarm(5, spacing=0.12))
    run.R[HeadNumbers.absolute] = 1e-3
    assert run.call("rk4_fixed", run.R, inputs(run), 0.01, 0.001, 0) == Status.ok
    assert run.call("dopri5_adaptive", run.R, inputs(run), 0.02, 1e-6, 0) == Status.ok
    importers_calls(run)
    yield run
    run = started(swarm(5, spacing=0.1, most=1))
    assert run.call("rk4_fixed", run.R, inputs(run), 0.002, 0.001, 0) == Status.near_list_full
    yield run


def instants() -> Iterator[Run]:
    run = started(switching())
    changes(run)
    rare_calls(run)
    yield run
    more = SEPARATOR.join(function.printed for function in one_step_functions(method("rk4"), True))
    run = Run(striking(), ("rk4",), more)
    assert run.call("initialise", run.R) == Status.ok
    single_steps(run)
    yield run
    more = SEPARATOR.join(function.printed for function in one_step_functions(method("rk4"), False))
    run = Run(two_bars(False), ("rk4", "dopri5"), more)
    assert run.call("initialise", run.R) == Status.ok
    single_steps(run)
    run.R[HeadNumbers.absolute] = 1e-3
    assert run.call("dopri5_adaptive", run.R, inputs(run), 0.006, 1e-6, 0) == Status.ok
    yield run
    yield started(stacked())
    for model in (jumping(), jumping_drive(), striking()):
        run = started(model)
        beginning = run.R.copy()
        runs(run)
        run.R[:] = beginning
        jumps(run)
        yield run


def failing_runs() -> Iterator[Run]:
    run = started(undefined())
    Y = np.zeros(4 * len(run.program.columns))
    assert run.call("rk4_run_fixed", run.R, np.array([0.0, 0.001, 3.0, 0.002]), Y, 0, 1e-3, 0) == 2
    yield run
    run = started(tree())
    beginning = run.R.copy()
    for scene in (runs, failures, between, importers_calls):
        run.R[:] = beginning
        scene(run)
    yield run
    run = started(held_drive())
    failures(run)
    yield run


def failing_starts() -> Iterator[Run]:
    t = mbs.time
    yield started(two_slides(mbs.sin(t), mbs.sin(2 * t)), Status.not_followed)
    yield started(two_slides(t, (1 + 1e-6) * t))
    run = started(two_slides(mbs.sin(t), t))
    assert run.call("rk4_fixed", run.R, inputs(run), 1.0, 0.02, 0) == Status.not_followed
    yield run
    yield started(turned_body(mbs.Weld(), (1, 2, -1), 2.5))
    yield started(turned_axis(mbs.Revolute("z"), np.pi), Status.failed_start_check)
    yield started(held((0.0, 0.0)), Status.not_movable)
    yield started(held((-2.3183, 1.0455)))
    yield started(apart(), Status.not_assembled)


def derivatives() -> Iterator[NamedCalls]:
    """Yield texts after calls of functions of arrays, their Jacobians and gradients, and runs with sensitivities."""
    methods = ("rk4", "rodas5p")
    with kernels_called_twice(methods) as loaded:
        for is_closed, states in ((False, "velocities"), (False, "momenta"), (True, "velocities")):
            f = mbs.ode(two_bars(is_closed), ["mass", "wide"] if is_closed else ["mass"], states=states)
            f.jacobians(0.0, f.x0, f.u0)
            f(0.0, f.x0, f.u0)
            if not is_closed:
                f.step(0.01, 2).jacobians(0.0, f.x0, f.u0)
                f.step(0.01, 2)(0.0, f.x0, f.u0)
            run = f.rollout(0.01, 2)
            trajectory, gradient = run.vjp()
            gradient(np.ones(trajectory.x.shape), np.ones(trajectory.y.shape))
            run(0.0)
        for is_closed in (False, True):
            for name in methods:
                mbs.simulate(two_bars(is_closed), 0.02, method=name, step=0.01, sensitivities=["mass"])
        mbs.simulate(ball(reset=False), 0.6, method="rk4", step=0.2, sensitivities=["ball.s"])
        yield from loaded
