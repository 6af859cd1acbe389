"""Values of numbers of the record that are codes, and limits that kernels and text share."""


class Fresh:
    """Values of `HeadNumbers.fresh`: which results of a record belong to its present state and inputs."""

    stale = 0  #: none
    everything = 1  #: rates and outputs
    derivatives = 2  #: the derivatives of the state only
    rates = 3  #: everything but the outputs
    rows_chosen = 4  #: rates with constraint rows chosen; the momenta are not re-based yet


class RowSelection:
    """Ways to choose independent constraint rows: values of `LoopNumbers.row_selection`."""

    frozen = 0  #: keep the rows chosen before, as far as they are still independent
    free = 1  #: choose again, largest pivots first
    none = 2  #: choose no row: all multipliers are zero


class StartRate:
    """Values of region `free_rates`: whether the start of closed loops may change a joint velocity."""

    held = 0
    guessed = 1
    unspecified = 2  #: no start value: it may change if conditions of loops contain it; else it is zero


class ModeRole:
    """Kinds of closures with constraint modes. The kind determines the closure's numbers in `mode_numbers`.

    In mode 0 a closure is engaged. In other modes it is released, or exerts a force with the sign of the mode.
    """

    latch = 0  #: a latch; numbers: the values of its conditions for engaging and releasing
    contact = 1  #: a contact: engaged with multiplier >= 0, or released (-1) with residual > 0; number: restitution
    #: A friction: engaged while the multiplier is within bounds. Numbers: bound and force when slipping for
    #: positive forces, which act against negative rates; the same for negative ones.
    friction = 2
    freewheel = 3  #: a freewheel: one-sided, but released with row rate > 0; number: restitution


class LogKind:
    """Kinds of entries of the log: values of `LogEntry.kind`."""

    event = 0  #: an event without consequences
    stop = 1  #: an event that ends the run
    reset = 2  #: an event with resets
    mode = 3  #: a change of a constraint mode, or an impact
    sample = 4  #: a sample of a clock


MODE_NUMBERS = 4  #: numbers of a closure with constraint modes in `mode_numbers`

LANES = 8  #: number of sines and cosines that are computed at once
TINY = 1.0e-300  #: subtracted from a number at a bound that must be exceeded, not only reached
MOST_LOGGED = 1000  #: number of entries of the log after which a run returns to its caller


class Status:
    """Status codes that kernels return; "start" and "step" in the comments state where a status can occur."""

    ok = 0
    non_finite = 1
    step_too_small = 2
    budget = 3  #: the call has used its step budget; call again to continue
    no_direction = 4  #: start: a quaternion is zero
    failed_check = 5  #: start: a check of `prepare` failed
    failed_start_check = 6
    no_inertia = 7  #: start: a motion moves no inertia
    not_assembled = 8  #: start: a loop does not close
    not_movable = 9  #: start: no velocities agree with a loop
    open_loop = 10  #: step: a residual exceeds its bound
    not_converged = 11  #: step: the stages of an implicit method do not converge
    gimbal_lock = 12  #: start or step: the outer axes of three angles have become parallel
    not_followed = 13  #: start or step: prescribed motions contradict each other in a loop
    other_time = 14  #: step: it was requested from another time than the present one
    penetrates = 15  #: start: bodies in contact penetrate each other
    unsettled = 16  #: start or step: no consistent modes were found
    unending = 17  #: step: an event or mode acts without end
    too_large = 18  #: start or step: the deformation of an elastic body is not small
    step_not_felt = 19  #: step: it is shorter than the rounding of the present time
    period_not_felt = 20  #: step: a sampling period is hardly longer than the rounding of the time
    singular_position = 21  #: step: it became too small where the rows of a loop depend on each other
    near_list_full = 22  #: step: more pairs of shapes overlap than the list of near pairs has places


LAST_STATUS = max(status for name, status in vars(Status).items() if not name.startswith("_"))
