"""Hooks of methods, METHOD_...: drivers call them, and a method's own functions replace them.

METHOD_stages and METHOD_error have no default: a method defines the first unless it has a METHOD_one of its own, and
the second if it controls its error. The other hooks are in kernels/hooks.py.
"""

from __future__ import annotations

from ...kernels.declarations import Record, given, given_number
from ...kernels.hook_table import Condition, hook, required
from ...kernels.names import BASE, NX, STAGES, WORK, X0

METHOD_ORDER = given_number()  #: the exponent of h in the error estimate
METHOD_SAFETY = given_number()  #: by which proposed steps are shorter than the last errors allow
METHOD_STAGES = given()
METHOD_LAST = given()  #: the stage at the end of the step
METHOD_PAST = given()  #: steps that are remembered


@required(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_stages(R: Record, U: Record, time: float, h: float) -> None:
    """From the state in BASE and the rates in stage 0 to the new state, in X0."""
    raise NotImplementedError


@required(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_error(R: Record, k: int, h: float) -> float:
    """Estimated error of component k over the step."""
    raise NotImplementedError


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_enter(R: Record, U: Record, stop: float, h: float) -> None:
    """Before the first step of a call: METHOD remembers nothing."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_leave(R: Record, U: Record, h: float) -> None:
    """After the last step of a call that has ended well: METHOD remembers nothing."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_before_finish(R: Record, U: Record, h: float) -> None:
    """Before a call is ended: METHOD has nothing to do there."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_jacobian(R: Record, U: Record) -> None:
    """Derivatives of the rates at the step's start: METHOD needs none."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_arrive(R: Record, U: Record) -> None:
    """At the new state, before errors are estimated: the last stage of METHOD is there already."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
def METHOD_damping(R: Record, h: float) -> float:
    """By what the scaled error is multiplied."""
    return 1.0


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
def METHOD_extra(R: Record, U: Record, time: float, h: float) -> bool:
    """Stages that only dense output needs, of which METHOD has none; whether they have spoiled state and rates."""
    return False


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_dense(R: Record, theta: float, h: float) -> None:
    """The state a fraction theta into the step, into X0, by the cubic through states and rates at its ends.

    Expects the end's in WORK.

    Reads: stages, work, x0. Writes: drive_impulses, p, q, z.
    """
    x = 1.0 - theta
    old = x * x * (1.0 + 2.0 * theta)
    new = theta * theta * (3.0 - 2.0 * theta)
    leave = h * theta * x * x
    arrive = h * theta * theta * x
    for k in range(NX):
        states = old * R[BASE + k] + new * R[WORK + k]
        R[X0 + k] = states + leave * R[STAGES + k] - arrive * R[WORK + NX + k]


@required(Condition.SWITCHING, "mbs_fmu.integrate.stepping.drivers", "METHOD_one")
def METHOD_smooth(R: Record, U: Record, time: float, h: float, end: float) -> int:
    """METHOD_one, as it is without modes."""
    raise NotImplementedError


@required(Condition.SWITCHING, "mbs_fmu.integrate.stepping.adaptive", "METHOD_step")
def METHOD_smooth_step(R: Record, U: Record, stop: float, tolerance: float) -> int:
    """METHOD_step, as it is without modes."""
    raise NotImplementedError


@hook(Condition.EVENTS, "mbs_fmu.integrate.stepping.events")
def METHOD_look(R: Record, U: Record, start: float, end: float, is_adaptive: bool) -> None:
    """After a step: there are no events in it."""
