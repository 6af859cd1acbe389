"""Hooks that the drivers of the module for sensitivities call.

D contains the tangents of the numbers of R. If a hook has a default, its docstring states after the colon what holds
without a provider.
"""

from __future__ import annotations

from ...kernels.hook_table import Condition, hook, required
from ...record.fields import Vector
from ...record.schema import Inputs, Record


@hook(Condition.VARYING, "mbs_fmu.compile.text.module")
def prepare_d(R: Record, D: Record) -> None:
    """Compute derived constants with tangents: none depends on a direction, and R contains their values."""


@hook(Condition.VARYING, "mbs_fmu.compile.text.module")
def starts_d(R: Record, D: Record) -> None:
    """Compute start values with tangents: none depends on a direction."""


@hook(Condition.LANES, "mbs_fmu.integrate.lanes.drivers")
def lane_of(R: Record, place: int, lane: int) -> float:
    """Return a number of the record in one lane: there is only one lane."""
    return R[place]


@hook(Condition.LOOPS, "mbs_fmu.integrate.tangents.loops")
def arrive_d(R: Record, D: Record, U: Inputs, h: float) -> None:
    """Prepare a state for a step of size h, with tangents, as `prepare_step` does: in trees, evaluate the rates."""
    evaluate_d(R, D, U)


@hook(Condition.METHOD, "mbs_fmu.integrate.methods.rosenbrock")
def METHOD_jacobian_d(R: Record, D: Record, U: Inputs) -> None:
    """`METHOD_jacobian`, and what the tangents of the step need of its start: METHOD needs none."""


# -- without a default ---------------------------------------------------------------------------------------


@required(Condition.TANGENTS, "mbs_fmu.integrate.stepping.drivers", "copy")
def copy_d(R: Record, D: Record, source: Vector, target: Vector, size: int) -> None:
    """`copy` with tangents."""
    raise NotImplementedError


@required(Condition.TANGENTS, "mbs_fmu.integrate.stepping.drivers", "normalise")
def normalise_d(R: Record, D: Record) -> None:
    """`normalise` with tangents."""
    raise NotImplementedError


@required(Condition.TANGENTS, "mbs_fmu.integrate.methods.explicit", "METHOD_stages")
def METHOD_stages_d(R: Record, D: Record, U: Inputs, time: float, h: float) -> None:
    """`METHOD_stages` with tangents."""
    raise NotImplementedError


@required(Condition.TANGENTS, "mbs_fmu.integrate.tangents.drivers")
def evaluate_d(R: Record, D: Record, U: Inputs) -> None:
    """`evaluate` with tangents."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.kernels.closures.loops", "transfer_impulses")
def transfer_impulses_d(R: Record, D: Record) -> None:
    """`transfer_impulses` with tangents; in models with closed loops."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.kernels.closures.loops", "project")
def project_d(R: Record, D: Record) -> None:
    """`project` with tangents; in models with closed loops."""
    raise NotImplementedError
