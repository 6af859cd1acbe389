"""`linearize`: the linear model about a state, from the kernels' tangents."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

import numpy as np

from ...compile.requests import lagging
from ...infrastructure.arguments import ParameterValues, spread
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.calls import warn, with_clear_errors
from ...model.model import Model
from ...record.blocks import HeadNumbers
from ...record.program import STARTED
from ...run.results.results import Result
from ...run.spinning import warn_of_spins_at
from ...symbolic.graph import leaves
from ..mechanism import Mechanism, Numbers, PointNumbers, at_row
from ..point import Point, position_labels
from .linear_model import LinearModel
from .steadiness import unsteady


@with_clear_errors
def linearize(
    model: Model, *, start: Mapping[str, float] | None = None, inputs: Mapping[str, float] | None = None,
    parameters: ParameterValues | None = None, time: float | None = None, independent: Sequence[str] | None = None,
    at: Result | None = None, row: int = -1,
) -> LinearModel:  # fmt: skip
    """Return the linear model x' = A x + B u, y = C x + D u about a state, which need not be an equilibrium.

    start, inputs, parameters: numbers by name, as in `simulate`. Omitted ones have their defaults; inputs without one
    are 0.
    time: s, 0 by default.
    independent: names of joint velocities to use as states, if closed loops leave a choice.
    at, row: a result of `simulate` and the number of one of its rows. The row then provides the time and the defaults
    of all numbers, also of inputs and parameters if the result has them.

    The states are positions that loops leave free, velocities, and signal states. Positions are coordinates; for ball
    and free joints they are small rotations and translations in the body's axes. Matrices are exact to rounding. Events
    do not occur, sampled signals keep their values, and closures stay in their constraint modes; `LinearModel.frozen`
    lists these.

    Raises ModelError if the start fails, if inputs move drives, whose acceleration would be an input, and where a rate
    has no derivative.
    """
    mechanism = Mechanism(model)
    base = PointNumbers({}, {}, {}, 0.0) if at is None else at_row(model, at, row)
    numbers = base.parameters | spread(model.elements, parameters or {})
    known = {v.name: base.numbers[v.name] for v in mechanism.program.of_role(*STARTED) if v.name in base.numbers}
    R = mechanism.record(
        known | dict(start or {}), base.inputs | dict(inputs or {}), numbers, base.time if time is None else time
    )
    mechanism.begin(R)
    _check_modes(mechanism, R, base.numbers)
    warn_of_spins_at(model, mechanism.runtime, R)
    return linear_model(Point(mechanism, R, independent), numbers)


def _check_modes(mechanism: Mechanism, R: np.ndarray, numbers: Numbers) -> None:
    """Raise ModelError if a closure is in another constraint mode than in the row of a result."""
    for v in mechanism.program.of_role("mode"):
        if numbers.get(v.name, R[v.slot]) != R[v.slot]:
            raise ModelError(
                f"{v.name} is {numbers[v.name]:g} in that row, and {R[v.slot]:g} for a start there: choose another row"
            )


def linear_model(point: Point, parameters: Numbers) -> LinearModel:
    """Return the linear model about a point. Raises ModelError if inputs move drives."""
    m = point.mechanism
    tables = matrices(point)
    rates, roles = point.rates, ("coordinate", "rate", "driven", "state", "sampled", "mode", "input", "output")
    changed, movers = unsteady(point, tables, matrices)
    instant = f"the motion changes {', '.join(changed)}, valid at this instant only: {', '.join(movers)}"
    coordinates = sorted(m.program.of_role("coordinate"), key=lambda v: v.slot)
    return LinearModel(
        m.program.name,
        *tables,
        states=point.states, inputs=[v.name for v in m.program.of_role("input")],
        outputs=[v.name for v in m.program.of_role("output")],
        rates=rates,
        values={v.name: float(point.R[v.slot]) for v in m.program.of_role(*roles)},
        residual=float(np.max(np.abs(rates[len(point.own_positions) :]), initial=0.0)),
        coordinates=[v.name for v in coordinates],
        shapes=point.columns()[[v.slot - m.q.start for v in coordinates]],
        frozen=[*([instant] if changed else []), *_frozen(m, point.R)],
        parameters=dict(parameters),
        time=float(point.R[HeadNumbers.time]),
        model=copy.copy(m.model),
        units={v.name: v.unit for v in m.program.of_role("input", "output")},
        unsteady=changed,
    )  # fmt: skip


def matrices(point: Point) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return A, B, C and D at a point. Raises ModelError if inputs move drives, and where a rate has no derivative."""
    m = point.mechanism
    check_drives(m)
    inputs, outputs = m.program.of_role("input"), m.program.of_role("output")
    columns = point.columns()
    positions, n = len(point.own_positions), columns.shape[1]
    changes = [_deviation(point, columns[:, j], point.basis[:, j] if j < positions else None, None) for j in range(n)]
    still = np.zeros(columns.shape[0])
    changes += [_deviation(point, still, None, v.slot) for v in inputs]
    table = np.array(changes).reshape(n + len(inputs), n + len(outputs)).T
    names = [*point.states, *(v.name for v in inputs)]
    _check_derivatives(table, [*(f"the rate of {x}" for x in point.states), *(v.name for v in outputs)], names, n)
    return table[:n, :n], table[:n, n:], table[n:, :n], table[n:, n:]


def _check_derivatives(table: np.ndarray, rows: Sequence[str], columns: Sequence[str], n: int) -> None:
    """Raise ModelError for derivatives of rates that do not exist; warn of those of outputs. n: number of rates."""
    bad = np.argwhere(~np.isfinite(table))
    if not len(bad):
        return
    i, j = bad[0]
    text = (
        f"the derivative of {rows[i]} by {columns[j]} is {table[i, j]}: a formula has none at this point, such as an "
        "arc tangent of (0, 0) or a root of zero; linearize beside it"
    )
    if i < n:
        raise ModelError(text)
    warn(text)


def _deviation(point: Point, dx: np.ndarray, turned: np.ndarray | None, slot: int | None) -> np.ndarray:
    """Return changes of the rates of (xi, w, z), then of all outputs, by a change dx of states, or of one slot by 1.

    `turned` contains the joint velocities that produce a change of positions; None without such a change.
    """
    m = point.mechanism
    D = point.tangent(dx, slot)
    df, signals = D[m.f].copy(), point.signal_rates(D)
    m.call("outputs_d", point.scratch, D)
    E, F = np.zeros_like(D), np.zeros_like(D)
    E[m.x], F[m.x] = dx, df
    if slot is not None:
        E[slot] = 1.0
    second = point.second_tangent(point.motion.copy(), E, F)[m.u]
    positions = df[: m.nq]
    if turned is not None:
        positions = positions - point.turning(turned)
    return np.concatenate(
        [
            (point.velocities @ positions)[point.own_positions],
            second[point.own_rates],
            signals,
            D[[v.slot for v in m.program.of_role("output")]],
        ]
    )


def check_drives(m: Mechanism, needing: str = "a linear model") -> None:
    """Raise ModelError if inputs move drives, or signal states drives in closed loops; `needing` would need rates."""
    for drive in m.model.drives.values():
        for signal in leaves([*drive.position, *drive.rate]):
            role = getattr(signal, "role", "")
            if role == "input" or (role == "state" and m.program.loops):
                raise ModelError(
                    f"drive {drive.name!r} follows {role} {signal.name!r}: {needing} would need its rates too. "
                    "Give the motion as a function of time, or use a motor"
                )


def _frozen(m: Mechanism, R: np.ndarray) -> list[str]:
    """Return notes on quantities that a linear model treats as constant."""
    notes = []
    labels = position_labels(m)
    turns = [labels.get(v.name, "") for v in m.program.of_role("rate") if R[v.slot] != 0.0]
    turning = dict.fromkeys(label.split(".turn[")[0] for label in turns if ".turn[" in label)
    for names, consequence in (
        (list(turning), "axes of turning bodies, which the names turn and shift refer to, keep their directions"),
        (list(m.model.events), "events do not act"),
        ([v.name for v in m.program.of_role("sampled")], "sampled signals keep their values"),
        ([f"{v.name} = {R[v.slot]:g}" for v in m.program.of_role("mode")], "closures stay in their modes"),
    ):
        if names:
            notes.append(f"{consequence}: {', '.join(names)}")
    late = lagging(m.model)
    if late is not None:
        notes.append(f"means over steps count as constant: in {late}")
    return notes
