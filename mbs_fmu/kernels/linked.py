"""Declarations of functions that kernels of this folder call and that other modules define, so that calls can be
checked.

The first ones are generated for each model, the others are those of the drivers. A module of a model has functions of
these names with these arguments (tests/kernels/test_kernel_contracts.py).
"""

from .declarations import Record


def prepare(R: Record) -> int:
    """Compute every derived constant from the parameters; 0, or 1 + the failed check."""
    raise NotImplementedError


def starts(R: Record) -> None:
    """Compute start values that follow from parameters, where no value is given."""
    raise NotImplementedError


def check_start(R: Record) -> int:
    """0, or 1 + the failed check of the start."""
    raise NotImplementedError


def momenta(R: Record) -> None:
    """Momenta p of the joint velocities u: (P1)-(P3)."""
    raise NotImplementedError


def momenta_d(R: Record, D: Record) -> None:
    """`momenta` with tangents."""
    raise NotImplementedError


def derive(R: Record) -> None:
    """All rates at the present state and inputs: (P1)-(P5)."""
    raise NotImplementedError


def derive_d(R: Record, D: Record) -> None:
    """`derive` with tangents."""
    raise NotImplementedError


def outputs(R: Record) -> None:
    """Energy and outputs at the present rates."""
    raise NotImplementedError


def outputs_d(R: Record, D: Record) -> None:
    """`outputs` with tangents."""
    raise NotImplementedError


def error_velocities(R: Record) -> None:
    """Turn errors of the momenta into errors of the joint velocities; in models with error control."""
    raise NotImplementedError


def switches(R: Record) -> None:
    """Times at which conditions on time switch."""
    raise NotImplementedError


def indicators(R: Record) -> None:
    """Events' expressions at the present rates; in models with events."""
    raise NotImplementedError


def conditions(R: Record) -> None:
    """Poses, and the rows of all loops: residuals, their rates, K and W."""
    raise NotImplementedError


def contact_steps(R: Record) -> None:
    """Newton's steps of all contact parameters, into z_dot."""
    raise NotImplementedError


def contact_guesses(R: Record) -> None:
    """Estimate contact parameters; expects poses."""
    raise NotImplementedError


def plain_inboard(R: Record) -> None:
    """Compute the Jacobian, S in the metric of the free coordinates, and gamma + K v of prescribed motions alone."""
    raise NotImplementedError


def solve(R: Record) -> None:
    """Joint velocities and multipliers: (L7)."""
    raise NotImplementedError


def solve_d(R: Record, D: Record) -> None:
    """`solve` with tangents."""
    raise NotImplementedError


def forces(R: Record) -> None:
    """Compute rates of the momenta at the present velocities and multipliers: (P4), (L3)."""
    raise NotImplementedError


def forces_d(R: Record, D: Record) -> None:
    """`forces` with tangents."""
    raise NotImplementedError


def row_rates(R: Record) -> None:
    """K v + W u + gamma of all rows; in models whose closures have modes."""
    raise NotImplementedError


def row_rates_d(R: Record, D: Record) -> None:
    """`row_rates` with tangents."""
    raise NotImplementedError


def mode_values(R: Record) -> None:
    """Compute distances of constraint modes from their ends; in models whose closures have modes."""
    raise NotImplementedError


def new_values(R: Record) -> None:
    """Compute the values that samples and resets would assign now; in models with such."""
    raise NotImplementedError


def align(R: Record) -> None:
    """Compute rotations of the places of closures that engage; in models whose closures have modes."""
    raise NotImplementedError


def mode_numbers(R: Record) -> None:
    """Compute the quantities that decide about constraint modes, at the present rates; in models whose closures have
    modes.
    """
    raise NotImplementedError


# -- of the drivers ------------------------------------------------------------------------------------------


def evaluate(R: Record, U: Record) -> None:
    """Inputs from their tables, then all rates at the present state."""
    raise NotImplementedError


def choose_rows(R: Record, U: Record, controlled: bool) -> None:
    """Evaluate with the rows that are independent now; in models with closed loops."""
    raise NotImplementedError


def normalise(R: Record) -> None:
    """Unit quaternions."""
    raise NotImplementedError


def check_gimbal_lock(R: Record, h: float) -> int:
    """OK, or a failure if three angles of a joint are in gimbal lock."""
    raise NotImplementedError


def check_joint_angles(R: Record, h: float) -> int:
    """`check_gimbal_lock` of models without elastic bodies, for use in those with some."""
    raise NotImplementedError


def lost_motion(R: Record) -> int:
    """Index of the state component whose motion moves no inertia, or -1."""
    raise NotImplementedError


def copy(R: Record, source: int, target: int, size: int) -> None:
    """Copy `size` numbers from one address to another."""
    raise NotImplementedError


def next_modes(R: Record, U: Record, rest: float) -> int:
    """Change constraint modes that have ended; a status."""
    raise NotImplementedError


def note_break(R: Record) -> None:
    """Note that modes change at this instant."""
    raise NotImplementedError


def free_modes(R: Record) -> None:
    """Set constraint modes before the assembly."""
    raise NotImplementedError


def armed_at_start(R: Record) -> bool:
    """True if closures engage at the start that did not hold before."""
    raise NotImplementedError


def start_samples(R: Record) -> None:
    """Set the first sample times at the start."""
    raise NotImplementedError


def start_elastic(R: Record) -> int:
    """Initialise modes that start in static equilibrium, and momenta; a status."""
    raise NotImplementedError


def first_modes(R: Record) -> int:
    """Choose constraint modes at the start; a status."""
    raise NotImplementedError


def forget_zeros(R: Record) -> None:
    """Reset the zeros of separated contacts to their surfaces."""
    raise NotImplementedError


def fail(R: Record, fault: int, step: float, status: int) -> int:
    """Record fault and time of a failure; return the status."""
    raise NotImplementedError
