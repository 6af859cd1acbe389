"""`ode`: a model as an ordinary differential equation x' = f(t, x, u, p), y = g(t, x, u, p), with exact Jacobians."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..compile.requests import mean_of
from ..infrastructure.arguments import ParameterValues, elements_of, is_one_of, positive, whole
from ..infrastructure.cached_properties import cached_property
from ..infrastructure.errors import ArgumentError, ModelError
from ..infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ..infrastructure.messages.failures import display
from ..integrate.methods.explicit import Tableau
from ..integrate.methods.method import Method
from ..integrate.methods.table import METHODS
from ..integrate.methods.table import method as method_of
from ..model.model import Model
from ..record.program import Program
from .array_functions import ArrayFunction, JacobianCall, JacobianOfNumbers, KernelCall, Kernels, Names, Origin
from .closed_ode import ClosedKernels, ClosedRollout, closed_point
from .linear.linearize import check_drives
from .mechanism import TOLERANCES, Mechanism
from .rollout import Rollout, TreeRollout

STATES = ("velocities", "momenta")


@with_clear_errors
def ode(
    model: Model, free: Sequence[str] = (), *, states: str = "velocities",
    start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, independent: Sequence[str] | None = None,
) -> Ode:  # fmt: skip
    """Return a model as functions x' = f(t, x, u, p), y = g(t, x, u, p) of arrays, with exact Jacobians.

    free: names of the parameters in p, in their order; all others are constant.
    states: "velocities" for x = (q, u, z): coordinates, joint velocities and signal states; "momenta" for x = (q, p,
    z), with Poisson impulses p, whose Jacobians cost less.
    start, inputs, parameters: numbers by name, as in `simulate`. They become the defaults `x0`, `u0` and `p0`. Omitted
    ones have the model's defaults; inputs without one are 0.

    independent: names of the joint velocities among the states of a model with closed loops; chosen at the start by
    default.

    With closed loops the states are minimal: coordinates and joint velocities that the loops leave free, and signal
    states. Each call solves for the other coordinates, starting from their values in the last call, so successive
    states stay on one branch of assembly. It raises ModelError if the loops do not close.

    Quaternions are states with four components: f expects them to have length one, and its Jacobian has a column for
    each component. Events have no effect. Functions are compiled at their first call.

    Raises ModelError for models that are not ordinary differential equations in these states: with constraint modes,
    sampled signals, events with resets, or means over steps; if inputs move drives and the states contain velocities;
    for closed loops with touching curves, or with independent positions that are not coordinates; and if the start
    fails.
    """
    if not is_one_of(states, STATES):
        raise ArgumentError(f'states is {display(states)}: use "velocities" or "momenta"')
    return Ode(model, free, states, (start or {}, inputs or {}, parameters or {}), independent, method_of("rk4"))


@add_clear_errors
class Ode(ArrayFunction):
    """The equation x' = f(t, x, u, p), y = g(t, x, u, p) of a model; `ode` makes it.

    `f(t, x, u, p)` returns the rates of the states, (nx,), so that it fits `scipy.integrate.solve_ivp(f, ...,
    jac=f.jacobian)`. `states`, `inputs`, `parameters` and `outputs` are the names of the numbers in x, u, p and y;
    `x0`, `u0` and `p0` are the defaults.
    """

    def __init__(
        self, model: Model, free: Sequence[str], states: str,
        numbers: tuple[Mapping[str, float], Mapping[str, float], ParameterValues],
        independent: Sequence[str] | None, method: Method,
    ):  # fmt: skip
        """`numbers`: start values, inputs, parameters; `method`: of the steps. Raises as `ode`."""
        mechanism = Mechanism(model, method.name)
        self._arguments = model, free, states, numbers, independent
        self._versions = model.version, model.value_version
        require_equation(mechanism, states)
        R = mechanism.record(*numbers, time=0.0)
        names = names_of(mechanism.program, free, states)
        if mechanism.program.loops:
            super().__init__(ClosedKernels(mechanism, method, names, closed_point(mechanism, R, independent, names)))
            return
        if independent is not None:
            raise ArgumentError("independent is for closed loops: all joint velocities of this model are independent")
        mechanism.runtime.initialize(R, *TOLERANCES)  # no rates: they would replace velocities by rounded ones
        super().__init__(Kernels(mechanism, method, names, R))

    def step(self, step: float, steps: int = 1, method: str = "rk4") -> StepMap:
        """Return the map x+ = F(t, x, u, p) of `steps` steps of a method, each of size `step` (s); u and p stay.

        method: "rk4", "dopri5", "tsit5" or "dop853", with fixed steps. The steps are those of `simulate`, and Jacobians
        are exact derivatives of the numerical solution. Raises ArgumentError for other methods, ModelError for models
        with closed loops.
        """
        made = StepMap(self._kernels_of(method), positive(step, "step"), whole(steps, "steps"))
        made.origin = Origin(self, "step", (step, steps, method))
        return made

    def rollout(self, step: float, steps: int, method: str = "rk4") -> Rollout:
        """Return a run of `steps` steps with inputs that are constant in each step, with gradients in reverse mode.

        With closed loops, the steps are those of the equation in minimal coordinates. Arguments and errors as for
        `step`, which refuses closed loops.
        """
        size, count = positive(step, "step"), whole(steps, "steps")
        made: Rollout
        if self._kernels.mechanism.program.loops:
            made = ClosedRollout(self._kernels, tableau(method), size, count)
        else:
            made = TreeRollout(self._kernels_of(method), tableau(method), size, count)
        made.origin = Origin(self, "rollout", (step, steps, method))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        model = self._arguments[0]
        if (model.version, model.value_version) != self._versions:
            raise ModelError(f"model {model.name!r} has changed since mbs.ode: call mbs.ode again, and copy the result")
        return _ode_again, (self._arguments, self._kernels.method.name)

    def _kernels_of(self, method: str) -> Kernels:
        """Return kernels for steps of a method. Raises ArgumentError unless it is explicit and has fixed steps."""
        chosen = tableau(method)
        if self._kernels.mechanism.program.loops:
            raise ModelError(
                f"model {self.name!r} has closed loops, whose steps are no map of minimal coordinates: "
                "use rollout, integrate the equation by another package, or use simulate"
            )
        own = self if method == self._kernels.method.name else Ode(*self._arguments, chosen)
        return own._kernels

    def __repr__(self) -> str:
        counts = (
            f"{len(names)} {what}{'s' * (len(names) != 1)}"
            for what, names in (
                ("state", self.states), ("input", self.inputs), ("parameter", self.parameters),
                ("output", self.outputs),
            )
        )  # fmt: skip
        return f"ode of {self.name!r}: {', '.join(counts)}"

    @cached_property
    def _value(self) -> Callable[[], int]:
        return self._kernels.rates(self._R, self._X, self._Y)

    def _value_call(self) -> KernelCall:
        return self._kernels.rates_call(self._R, self._X, self._Y)

    def _jacobian_call(self, directions: range) -> JacobianOfNumbers:
        return self._kernels.rates_jacobian(directions)


def _ode_again(arguments: Any, method: str) -> Ode:
    """Return an `Ode` with the same arguments of its constructor."""
    model, free, states, numbers, independent = arguments
    return Ode(model, free, states, numbers, independent, method_of(method))


@add_clear_errors
class StepMap(ArrayFunction):
    """The map x+ = F(t, x, u, p) of some steps of an integration method; `Ode.step` makes it.

    `F(t, x, u, p)` returns the states at t + steps * step, `F.outputs_at(t, x, u, p)` the outputs there. Quaternions
    are normalised at the start and after each step.
    """

    def __init__(self, kernels: Kernels, step: float, steps: int):
        super().__init__(kernels)
        self.step, self.steps, self.method = step, steps, kernels.method.name
        self._U = kernels.mechanism.runtime.no_tables

    def __repr__(self) -> str:
        count = f"{self.steps} steps" if self.steps > 1 else "one step"
        return f"map of {count} of {self.method!r} of {self.step:g} s of {self.name!r}: {len(self.states)} states"

    @cached_property
    def _value(self) -> Callable[[], int]:
        call = self._value_call()
        return partial(self._kernels.values.entry(call.kernel), *call.arguments)

    def _value_call(self) -> KernelCall:
        arguments = self._R, self._U, self._kernels.G, self._X, self._Y, self.step, self.steps
        return KernelCall(self._kernels.values_source, f"{self.method}_map", arguments, self._X, self._Y)

    def _jacobian_call(self, directions: range) -> JacobianCall:
        return JacobianCall(self._kernels, f"{self.method}_map_jacobian", 1, True, directions, (self.step, self.steps))


def tableau(method: str) -> Tableau:
    """Return a method by its name. Raises ArgumentError unless it is explicit and has fixed steps."""
    fitting = [name for name in METHODS if method_of(name).fits_lanes]
    if not is_one_of(method, fitting):
        raise ArgumentError(f"method is {display(method)}: step maps exist for {', '.join(map(repr, fitting))}")
    chosen = method_of(method)
    assert isinstance(chosen, Tableau)
    return chosen


def require_equation(m: Mechanism, states: str) -> None:
    """Raise ModelError for models that are not ordinary differential equations in these states."""
    program, reason = m.program, None
    if program.modes:
        reason = "closures with constraint modes jump: use simulate"
    elif program.jumps:
        reason = "sampled signals and events with resets jump: leave them out, or use simulate"
    elif (mean := mean_of(m.model)) is not None:
        reason = f"{mean} is a mean over steps: take the value at an instant"
    if reason is not None:
        raise ModelError(f"model {program.name!r} is no ordinary differential equation: {reason}")
    if states == "velocities" or program.loops:
        check_drives(m, 'the acceleration (use states="momenta")')


def names_of(program: Program, free: Any, states: str, what: str = "free") -> Names:
    """Return the names in x, u, p and y; what: argument `free` in messages.

    Raises ArgumentError for wrong names of parameters.
    """
    if isinstance(free, str) or not isinstance(free, Sequence):
        raise ArgumentError(f"{what} is {display(free)}: name parameters in a list")
    free = elements_of(program.vectors, free)
    for k, name in enumerate(free):
        program.variable("parameter", name)
        if name in free[:k]:
            raise ArgumentError(f"{what}: {name!r} stands twice: give each name once")
    moving = "rate" if states == "velocities" else "momentum"
    names = {v.slot: v.name for v in program.of_role("coordinate", moving, "state", "input", "output")}

    def of(region: str) -> list[str]:
        first, size = program.regions[region]
        return [names[slot] for slot in range(first, first + size)]

    x = [*of("q"), *of("u" if states == "velocities" else "p"), *of("z")]
    return Names(x, of("inputs"), free, of("outputs"), states == "velocities")
