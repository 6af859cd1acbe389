"""Hooks of methods, METHOD_...: drivers call them, and a method's own functions replace them.

METHOD_stages and METHOD_error have no default. A method defines METHOD_stages unless it has a METHOD_step_to of its
own, and METHOD_error if it controls its error. METHOD_plain_step is the usual step with error control under another
name, in modules whose steps may end early (write.py). The default of METHOD_dense is a cubic; all other defaults have
nothing to do, for the reason that their docstrings state after the colon. Hooks that do not depend on the method are in
kernels/hooks.py.
"""

from __future__ import annotations

from ...kernels.constants import OK
from ...kernels.declarations import supplied, supplied_number
from ...kernels.hook_table import Condition, hook, required
from ...record.schema import NX, Inputs, Record

METHOD_ORDER = supplied_number()  #: the exponent of h in the error estimate
METHOD_SAFETY = supplied_number()  #: factor that shortens proposed steps
METHOD_STAGES = supplied()  #: number of stages
METHOD_LAST = supplied()  #: index of the stage at the end of the step
METHOD_PAST = supplied()  #: number of past steps in the history
METHOD_LANDINGS = supplied()  #: number of times that a step is repeated up to a crossing


@required(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_stages(R: Record, U: Inputs, time: float, h: float) -> None:
    """Make a step of size h from the state in `step_start`, whose rates are stage 0, to the new state in `x`."""
    raise NotImplementedError


@required(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
@required(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_error(R: Record, k: int, h: float) -> float:
    """Return the estimated error of state component k over a step of size h."""
    raise NotImplementedError


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_enter(R: Record, U: Inputs, stop: float, h: float) -> None:
    """Prepare the history before the first step of a call, up to `stop` in steps of size h: METHOD has none."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.gauss")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_leave(R: Record, U: Inputs, h: float) -> None:
    """Store the history after the last step of a successful call: METHOD has none."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_ready(R: Record, U: Inputs, h: float) -> int:
    """Prepare an accepted state for the next step; return a status: METHOD leaves it to `prepare_step`, called next."""
    return OK


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.multistep")
def METHOD_before_finish(R: Record, U: Inputs, h: float) -> None:
    """Prepare the final evaluation of a call with fixed steps: METHOD needs no preparation."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_jacobian(R: Record, U: Inputs) -> None:
    """Compute the Jacobian of the rates at the start of the step: METHOD needs none."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
def METHOD_again(R: Record, U: Inputs) -> None:
    """Restore what METHOD stores at the start of a step, before the step is repeated: METHOD stores nothing.

    State and time are those of the start.
    """


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_arrive(R: Record, U: Inputs) -> None:
    """Evaluate the rates at the new state before the error estimate: METHOD's last stage contains them."""


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
def METHOD_damping(R: Record, h: float) -> float:
    """Return the factor of the scaled error of a step of size h: METHOD has none."""
    return 1.0


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
def METHOD_dense_stages(R: Record, U: Inputs, time: float, h: float) -> bool:
    """Evaluate the stages for dense output; return True if they overwrite state and rates: METHOD has none."""
    return False


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.explicit")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.modal")
@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_dense(R: Record, theta: float, h: float) -> None:
    """Interpolate the state at fraction theta of the step and write it to `x`.

    The default is the cubic through states and rates at both ends of the step. Expects state and rates at the end in
    `work`.
    """
    x = 1.0 - theta
    old = x * x * (1.0 + 2.0 * theta)
    new = theta * theta * (3.0 - 2.0 * theta)
    old_rate = h * theta * x * x
    new_rate = h * theta * theta * x
    for k in range(NX):
        states = old * R.step_start[k] + new * R.work[0, k]
        R.x[k] = states + old_rate * R.stages[0, k] - new_rate * R.work[1, k]


@required(Condition.CROSSINGS, "mbs_fmu.integrate.stepping.adaptive", "METHOD_step")
def METHOD_plain_step(R: Record, U: Inputs, stop: float, tolerance: float) -> int:
    """Make one step as METHOD_step does in models without crossings."""
    raise NotImplementedError
