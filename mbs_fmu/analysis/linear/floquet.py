"""`floquet`: the multipliers of a periodic motion, from the sensitivities of a run over one period."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...infrastructure.arguments import ParameterValues, finite, positive, whole
from ...infrastructure.errors import Argument, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ...model.model import Model
from ...run.simulate import compiled, require_model, simulate

if TYPE_CHECKING:
    from ...run.inputs import InputValue


@add_clear_errors
@dataclass(frozen=True)
class Floquet:
    """Growth of small deviations from a periodic motion over one period (`mbs.floquet`).

    states: names of coordinates, joint velocities and signal states. period: s. monodromy: (n, n), the deviations of
    the states after one period by those before it. multipliers: (n,), its eigenvalues, the largest magnitude first; the
    motion is stable if all magnitudes are below 1, but for those that are 1 because the motion may begin at any time or
    place. change: (n,), the states after the period less those before it: zero, but for coordinates that turn on.
    """

    states: list[str]
    period: float
    monodromy: np.ndarray
    multipliers: np.ndarray
    change: np.ndarray

    @property
    def exponents(self) -> np.ndarray:
        """Characteristic exponents log(multiplier)/period, 1/s; imaginary parts are known up to 2 pi/period."""
        return np.asarray(np.log(self.multipliers.astype(complex)) / self.period)


@with_clear_errors
def floquet(
    model: Model, period: float, *, start: Mapping[str, float] | None = None,
    inputs: Mapping[str, InputValue] | None = None, parameters: ParameterValues | None = None, time: float = 0.0,
    method: str = "dopri5", steps: int = 1000,
) -> Floquet:  # fmt: skip
    """Return the multipliers of a periodic motion (Floquet theory; A. H. Nayfeh, B. Balachandran, Applied Nonlinear
    Dynamics, 1995, section 3.2).

    period: s. start, inputs, parameters: of the run, as in `simulate`. time: s, at which the period begins. method,
    steps: the run makes this number of equal steps of a method that has sensitivities ("rk4", "dopri5", "tsit5" or
    "dop853"). Error control would not serve: at rest, deviations alone need small steps.

    The run must be periodic: look at `Floquet.change`. Events with resets may take part in the motion. Raises
    ModelError for models with closures or quaternions, whose start values depend on each other, with sampled signals,
    and for those without sensitivities (`simulate`). Raises SimulationError if the run fails.
    """
    require_model(model)
    begin, span = finite(time, Argument("time")), positive(period, Argument("period"))
    count = whole(steps, Argument("steps"))
    program = compiled(model, method=method).program
    thing = f"floquet of model {model.name!r}"
    if program.loops:
        raise ModelError(f"{thing}: start values depend on each other in closed loops: use a model without loops")
    if program.sampled:
        raise ModelError(f"{thing}: the sampled signal {program.sampled[0]!r} is a state too: use a continuous law")
    if program.quaternions:
        joint = next(iter(program.quaternions))
        raise ModelError(f"{thing}: {joint} is part of a quaternion: use angles, such as mbs.Spherical('xyz')")
    states = [v.name for v in program.of_role("coordinate", "rate", "state")]
    if not states:
        raise ModelError(f"{thing}: it has no states")
    result = simulate(
        model, begin + span, start_time=begin, start=start, inputs=inputs, parameters=parameters, method=method,
        step=span / count, output_interval=span, sensitivities=states,
    )  # fmt: skip
    monodromy = np.array([[result.sensitivity(row, by)[-1] for by in states] for row in states])
    multipliers = np.linalg.eigvals(monodromy)
    order = np.argsort(-np.abs(multipliers), kind="stable")
    change = np.array([result[name][-1] - result[name][0] for name in states])
    return Floquet(states, span, monodromy, multipliers[order], change)
