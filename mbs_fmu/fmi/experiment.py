"""Settings of an FMU: its default experiment, integration and naming; and its identifier."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..infrastructure.arguments import Events
from ..record.program import Program
from .naming import Naming

MOST_STEPS = 10_000_000  #: default of `Experiment.max_internal_steps`


@dataclass(frozen=True)
class Experiment:
    """Default experiment, integration settings and naming convention of an FMU.

    `stop_time` and `communication_step` are defaults for the importer, s. `method` is the integration method and `step`
    its largest step, s, or 0 for error control with `rtol` and `atol`. `max_internal_steps` is the largest number of
    internal steps in a communication step. `events` is "located", or "steps" for mode ends and event resets at the ends
    of internal steps. `naming` is the convention of the variables' names.
    """

    stop_time: float
    communication_step: float
    method: str
    step: float
    rtol: float
    atol: float
    max_internal_steps: int
    events: Events = "located"
    naming: Naming = "structured"

    @property
    def advance(self) -> str:
        """Name of the kernel that makes the internal steps."""
        return f"{self.method}_{'fixed' if self.step > 0.0 else 'adaptive'}"


def guid(program: Program, experiment: Experiment, kind: str, fmi: str) -> str:
    """Return the FMU's identifier: a hash of the program, its text, the experiment, and the kind and version of FMU."""
    text = f"{program.to_json()}\n{program.text}\n{experiment!r}\n{kind} {fmi}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
