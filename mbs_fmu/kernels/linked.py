"""Hooks without a default: functions that kernels call and that every module with these kernels must contain.

Most of them are generated for each model; the others belong to the drivers. Each decorator names the condition under
which a module needs the function, and the module that writes or defines it (hook_table.py). (P1) to (P5) are equations
of docs/equations.md, (L3) and (L7) of docs/equations_loops.md. Functions ..._d also compute tangents (directional
derivatives): the record D contains those of the numbers of R. Functions ..._dd also compute second tangents.
"""

from __future__ import annotations

from ..record.fields import Vector
from ..record.schema import Inputs, Record
from .hook_table import Condition, required


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def prepare(R: Record) -> int:
    """Compute all derived constants from the parameters; return 0, or 1 + the index of the failed check."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def starts(R: Record) -> None:
    """Compute start values that follow from parameters, where no value is given."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def check_start(R: Record) -> int:
    """Check the start; return 0, or 1 + the index of the failed check."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def momenta(R: Record) -> None:
    """Compute the momenta p of the joint velocities u: (P1)-(P3)."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def momenta_d(R: Record, D: Record) -> None:
    """`momenta` with tangents."""
    raise NotImplementedError


@required(Condition.SECOND, "mbs_fmu.compile.text.module", "momenta")
def momenta_dd(R: Record, D: Record, E: Record, F: Record) -> None:
    """`momenta` with tangents along D and E, and second tangents F."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def derive(R: Record) -> None:
    """Compute all rates at the present state and inputs: (P1)-(P5)."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def derive_d(R: Record, D: Record) -> None:
    """`derive` with tangents."""
    raise NotImplementedError


@required(Condition.SECOND, "mbs_fmu.compile.text.module", "derive")
def derive_dd(R: Record, D: Record, E: Record, F: Record) -> None:
    """`derive` with tangents along D and E, and second tangents F."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def outputs(R: Record) -> None:
    """Compute energy and outputs at the present rates."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def outputs_d(R: Record, D: Record) -> None:
    """`outputs` with tangents."""
    raise NotImplementedError


@required(Condition.ADAPTIVE, "mbs_fmu.compile.text.module")
@required(Condition.LOOPS, "mbs_fmu.kernels.closures.loops")
def error_velocities(R: Record) -> None:
    """Convert errors of the momenta into errors of the joint velocities."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.compile.text.module")
def switches(R: Record) -> None:
    """Compute the times at which conditions that depend on time only change, and the periodic times of laws."""
    raise NotImplementedError


@required(Condition.CROSSINGS, "mbs_fmu.compile.text.module")
def indicators(R: Record) -> None:
    """Compute the expressions of events at the present rates."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def conditions(R: Record) -> None:
    """Compute poses and the constraint rows of all loops: residuals, their rates, K and W."""
    raise NotImplementedError


@required(Condition.CONTACTS, "mbs_fmu.compile.text.module")
def contact_steps(R: Record) -> None:
    """Compute Newton steps of all contact parameters, into z_dot."""
    raise NotImplementedError


@required(Condition.CONTACTS, "mbs_fmu.compile.text.module")
def contact_guesses(R: Record) -> None:
    """Estimate the contact parameters. The poses of all links must be up to date."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def turned_rows(R: Record) -> None:
    """Replace conditions on directions by rotation vectors: residuals and K. Expects `conditions`."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def plain_inboard(R: Record) -> None:
    """Compute the Jacobian B, S = B B_fᵀ with its free columns B_f, and b = gamma + K v of prescribed motions alone."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def solve(R: Record) -> None:
    """Solve for joint velocities and multipliers: (L7)."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def solve_d(R: Record, D: Record) -> None:
    """`solve` with tangents."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def forces(R: Record) -> None:
    """Compute rates of the momenta at the present velocities and multipliers: (P4), (L3)."""
    raise NotImplementedError


@required(Condition.LOOPS, "mbs_fmu.compile.text.loop_module")
def forces_d(R: Record, D: Record) -> None:
    """`forces` with tangents."""
    raise NotImplementedError


@required(Condition.MODES, "mbs_fmu.kernels.closures.row_rates")
def row_rates(R: Record) -> None:
    """Compute K v + W u + gamma of all rows."""
    raise NotImplementedError


@required(Condition.MODES, "mbs_fmu.kernels.closures.row_rates")
def row_rates_d(R: Record, D: Record) -> None:
    """`row_rates` with tangents."""
    raise NotImplementedError


@required(Condition.SAMPLES, "mbs_fmu.compile.text.module")
def new_values(R: Record) -> None:
    """Compute the values that samples and resets would assign now."""
    raise NotImplementedError


@required(Condition.MODES, "mbs_fmu.compile.text.module")
def align(R: Record) -> None:
    """Compute `aligned_axes`: rotations of closures' frames by which their residuals vanish at the present position."""
    raise NotImplementedError


@required(Condition.MODES, "mbs_fmu.compile.text.module")
def mode_numbers(R: Record) -> None:
    """Compute `mode_numbers`, which determine the constraint modes (conditions, capacities), at the present rates."""
    raise NotImplementedError


@required(Condition.NEAR, "mbs_fmu.compile.text.near_module")
def add_wrenches_of_pair(R: Record, i: int, j: int) -> None:
    """Add the wrenches of the contact of two shapes to those of their links."""
    raise NotImplementedError


@required(Condition.NEAR, "mbs_fmu.compile.text.near_module")
def add_energy_of_pair(R: Record, i: int, j: int) -> None:
    """Add the energy that the contact of two shapes stores to the energy."""
    raise NotImplementedError


# -- of the drivers ------------------------------------------------------------------------------------------


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
def evaluate(R: Record, U: Inputs) -> None:
    """Interpolate inputs in their tables, then compute all rates at the present state."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
def normalise(R: Record) -> None:
    """Normalise quaternions."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
@required(Condition.ELASTIC, "mbs_fmu.kernels.elastic.checks")
def check_gimbal_lock(R: Record, h: float) -> int:
    """Return OK, or a failure: three angles in gimbal lock, now or since the last call, or too large a deformation.

    h is the step size (s) to report.
    """
    raise NotImplementedError


@required(Condition.ELASTIC, "mbs_fmu.integrate.stepping.drivers", "check_gimbal_lock")
def check_joint_angles(R: Record, h: float) -> int:
    """Check joints only, as `check_gimbal_lock` does in models without elastic bodies; called in models with them."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
def lost_motion(R: Record) -> int:
    """Return the index of a state component whose motion moves no inertia, or -1."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
def copy(R: Record, source: Vector, target: Vector, size: int) -> None:
    """Copy the first `size` numbers of a vector to another one."""
    raise NotImplementedError


@required(Condition.ALWAYS, "mbs_fmu.integrate.stepping.drivers")
def fail(R: Record, fault: int, step: float, status: int) -> int:
    """Record a failure in the head of the record: its fault, its time and the size of its step (s); return `status`."""
    raise NotImplementedError
