"""`rodas5p` on stiff springs and contacts: steps by tolerance, without its filter, in other variables; their parts."""

from __future__ import annotations

from functools import partial

import numpy as np
import scipy.linalg

import mbs_fmu as mbs
from mbs_fmu.integrate.methods.rosenbrock import Rosenbrock
from mbs_fmu.integrate.methods.table import method
from mbs_fmu.run.simulate import compiled

from .kernel_loops import kernel_loop
from .report import progress, table
from .timing import Effort, Run, calls, interleaved

SPAN, LANDING = 2.0, 0.5  #: s
TOLERANCES = (1e-3, 1e-5, 1e-7, 1e-9)
HIPS = ((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))
ANGLES = (0.0, 0.6, -1.2)  #: of the servos of a leg, rad
FIRST, LARGEST, LEAST = 1e-5, 5.0, 0.2  #: first step, s, and factors of the size of steps

EXPLANATION = f"""\
Three rods of 2 m on hinges swing for {SPAN:g} s, each with a joint in its middle whose spring has 1e7 N·m/rad and whose
damper has 1e4 N·m·s/rad ([methods.md](methods.md#stiff-models)); atol is a hundredth of rtol. "Plain" are steps with
the error estimate without filter, "velocities" are steps with velocities in place of momenta as variables: both with
the same step and control of its size, in numpy on `mbs.ode`."""
LANDING_EXPLANATION = f"""\
A quadruped of 12.8 kg with servos (45 states) falls onto its feet, {LANDING:g} s with contacts of 2e4 N/m. Below: the
Jacobian of `rodas5p`, 45 columns and one for time, in SIMD lanes and column by column, and the solution of its linear
equations. Medians of interleaved repeats, µs of processor time, and the ratio to the first row."""


def section(effort: Effort, quick: bool) -> str:
    """Report section."""
    progress("stiff chain")
    m = stiff_chain()
    tolerances = TOLERANCES[:2] if quick else TOLERANCES
    runs = {rtol: calls(lambda rtol=rtol: chain_run(m, rtol)) for rtol in tolerances}
    seconds = interleaved(runs, effort)
    rows = []
    for rtol in tolerances:
        steps = chain_run(m, rtol).statistics["steps"]
        plain, velocities = Steps(m, "momenta", False).count(rtol), Steps(m, "velocities", True).count(rtol)
        milliseconds = 1e3 * float(np.median(seconds[rtol]))
        rows.append(
            [f"{rtol:.0e}", str(steps), f"{milliseconds:.3g}", str(plain), f"{plain / steps:.2f}", str(velocities)]
        )
    progress("landing quadruped")
    header = ["rtol", "steps", "time, ms", "plain", "plain / filtered", "velocities"]
    return "\n\n".join([
        "## Stiff models", EXPLANATION, table(header, rows), LANDING_EXPLANATION, landing(effort), prices(effort),
    ])  # fmt: skip


# -- the chain ---------------------------------------------------------------------------------------------------


def stiff_chain() -> mbs.Model:
    """Three rods on hinges, each with a stiff joint in its middle."""
    m, parent = mbs.Model("stiff_chain"), "world"
    for k in range(6):
        half = m.body(
            f"half{k}", parent, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 0.02),
            at=(0, 0, -1 if k else 0),
        )  # fmt: skip
        if k % 2:
            m.spring(f"spring{k}", on=half, stiffness=1e7, damping=1e4)
        else:
            m.start(half, q=0.5)
        parent = f"half{k}"
    return m


def chain_run(m: mbs.Model, rtol: float) -> mbs.Result:
    return mbs.simulate(
        m, SPAN, method="rodas5p", rtol=rtol, atol=rtol / 100, output_interval=SPAN, progress=False
    )  # fmt: skip


class Steps:
    """Steps of `rodas5p` in numpy, with the package's norm of the error and its control of the step size.

    All joints have one coordinate, whose rate is the joint velocity. `states` as in `mbs.ode`; `filtered`: with the
    filter of the error estimate.
    """

    def __init__(self, m: mbs.Model, states: str, filtered: bool):
        rosenbrock = method("rodas5p")
        assert isinstance(rosenbrock, Rosenbrock)
        self.method, self.f, self.filtered = rosenbrock, mbs.ode(m, states=states), filtered
        self.a, self.k = ([np.array(row, dtype=float) for row in rows] for rows in (rosenbrock.a, rosenbrock.k))
        self.n = len(self.f.x0) // 2
        self.of_momenta = states == "momenta"

    def count(self, rtol: float) -> int:
        """Number of accepted steps."""
        x, t, h, last, steps, regrowth = self.f.x0.copy(), 0.0, FIRST, 1e-4, 0, LARGEST
        J = self.f.jacobian(0.0, x)
        while t < SPAN * (1.0 - 1e-12):
            h = min(h, SPAN - t)
            new, error, J_new = self.step(x, J, h, rtol)
            if error <= 1.0:
                t, x, J, steps = t + h, new, J_new, steps + 1
                h *= min(regrowth, max(LEAST, self.method.safety * max(error, 1e-10) ** -0.152 * last**0.064))
                last, regrowth = max(error, 1e-4), LARGEST
            else:
                h *= max(LEAST, self.method.safety * error**-0.2)
                regrowth = 1.0
        return steps

    def step(self, x: np.ndarray, J: np.ndarray, h: float, rtol: float) -> tuple[np.ndarray, float, np.ndarray]:
        """Return the new state, the scaled error and the Jacobian at the new state."""
        gain = 1.0 / (self.method.gamma * h)
        lu = scipy.linalg.lu_factor(gain * np.eye(len(x)) - J, check_finite=False)
        U = np.zeros((len(self.a), len(x)))
        for i, (a, k) in enumerate(zip(self.a, self.k, strict=True)):
            right = self.f(0.0, x + a @ U[: len(a)]) + k @ U[: len(k)] / h
            U[i] = scipy.linalg.lu_solve(lu, right, check_finite=False)
        new, e = x + np.array(self.method.m, dtype=float) @ U, U[-1]
        J_new = self.f.jacobian(0.0, new)
        if self.filtered:
            e = gain * scipy.linalg.lu_solve(lu, e, check_finite=False)
        sizes = [np.abs(np.concatenate([y[: self.n], self.f(0.0, y)[: self.n]])) for y in (x, new)]
        if self.of_momenta:  # errors of the velocities
            e = np.concatenate([e[: self.n], J_new[: self.n, self.n :] @ e[self.n :]])
        return new, float(np.sqrt(np.mean((e / (rtol / 100 + rtol * np.maximum(*sizes))) ** 2))), J_new


# -- the quadruped -----------------------------------------------------------------------------------------------


def quadruped() -> mbs.Model:
    """A quadruped with servos above the ground."""
    m, feet = mbs.Model("landing_quadruped"), {}
    m.body("trunk", joint=mbs.Free(), mass=8.0, inertia=(0.05, 0.1, 0.12))
    for leg, (x, y) in enumerate(HIPS):
        parent = "trunk"
        for name, axis, at, angle in zip("abc", "xyy", ((x, y, 0), (0, 0, 0), (0, 0, -0.2)), ANGLES, strict=True):
            body = f"{name}{leg}"
            m.body(
                body, parent, mbs.Revolute(axis), mass=0.4, com=(0, 0, -0.1), inertia=(2e-3, 2e-3, 5e-4), at=at
            )  # fmt: skip
            m.motor(f"servo_{body}", on=body, torque=60.0 * (angle - mbs.coordinate(body)) - 2.0 * mbs.rate(body))
            m.start(body, q=angle)
            parent = body
        feet[parent] = mbs.Sphere(0.02, at=(0, 0, -0.2))
    m.ground("floor", feet, stiffness=2e4, dissipation=2.0, friction=0.8)
    m.start("trunk", q=(0, 0, 0.36, 1, 0, 0, 0), u=(0.3, 0, 0, 0, 0, 0))
    return m


def landing(effort: Effort) -> str:
    """Table of times for a step."""
    m = quadruped()
    options = {"rk4, 1 ms": {"method": "rk4", "step": 1e-3}, "rodas5p, rtol 1e-5": {"method": "rodas5p", "rtol": 1e-5}}

    def run(name: str) -> mbs.Result:
        return mbs.simulate(m, LANDING, output_interval=LANDING, progress=False, **options[name])  # type: ignore[arg-type]

    seconds = interleaved({name: calls(lambda name=name: run(name)) for name in options}, effort)
    rows = []
    for name in options:
        s = run(name).statistics
        median = 1e6 * float(np.median(seconds[name]))
        rows.append([name, str(s["steps"]), str(s.get("rejected", 0)), f"{median / s['steps']:.3g}"])
    return table(["method", "steps", "rejected", "µs for a step"], rows)


def prices(effort: Effort) -> str:
    """Table of the parts of a step of `rodas5p`, in machine code."""
    runtime = compiled(quadruped(), method="rodas5p")
    program = runtime.program
    place = program.region("stages").start
    bodies = {
        "Jacobian": "rodas5p_jacobian(R, U)",
        "Jacobian, column by column": "for j in range(NX + 1):\n    derive_d(R, tail(R, TAIL))",
        "LU factors": "decompose(R, 1.0e4)",
        "8 stages and the filter: 9 substitutions": f"for j in range(9):\n    substitute(R, {place})",
    }
    loops = {name: kernel_loop(program.text, "R, U", body, "array", "array") for name, body in bodies.items()}
    R, U = program.new_record(), np.zeros(64)
    assert runtime.kernels.enter_initialise(R) == 0
    loops["Jacobian"](R, U, 1)
    loops["LU factors"](R, U, 1)
    runs: dict[str, Run] = {name: partial(loop, R.copy(), U) for name, loop in loops.items()}
    seconds = interleaved(runs, effort)
    first = seconds["Jacobian"]
    rows = [
        [name, f"{1e6 * float(np.median(x)):.3g}", f"{float(np.median(x / first)):.2f}"] for name, x in seconds.items()
    ]
    return table(["part of a step", "µs", "ratio"], rows)
