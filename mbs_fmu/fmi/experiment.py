"""Settings of an FMU: its default experiment, integration and naming; and its identifier."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from ..infrastructure.lazy_dataclasses import dataclass
from ..integrate.methods.table import method
from ..record.program import Program
from ..run.step_control import StepControl
from .naming import Naming

MOST_STEPS = 10_000_000  #: default of `Experiment.max_internal_steps`


@dataclass(frozen=True)
class Experiment:
    """Default experiment, integration settings, naming convention and choice of variables of an FMU.

    `stop_time` and `communication_step` are defaults for the importer, s. `control` is that of the internal steps, and
    `max_internal_steps` the largest number of them in a communication step. `naming` is the convention of the
    variables' names. `variables` is the choice of those that the description lists: "all", "outputs" or patterns; it
    does not belong to the attributes, since it changes nothing but the description.
    """

    stop_time: float
    communication_step: float
    control: StepControl
    max_internal_steps: int
    naming: Naming = "structured"
    variables: str | tuple[str, ...] = "all"

    @property
    def attributes(self) -> dict[str, float | str]:
        """All numbers and choices by name, which a Python FMU keeps in a file (`control_of`)."""
        control = self.control
        return {
            "stop_time": self.stop_time, "communication_step": self.communication_step, "method": control.method.name,
            "step": control.step, "rtol": control.rtol, "atol": control.atol,
            "max_internal_steps": self.max_internal_steps, "events": control.events, "naming": self.naming,
        }  # fmt: skip


def control_of(attributes: Mapping[str, str]) -> StepControl:
    """Return the step control of an FMU from the texts of its `Experiment.attributes`; older ones have no events."""
    step, rtol, atol = (float(attributes[name]) for name in ("step", "rtol", "atol"))
    return StepControl(method(attributes["method"]), step, rtol, atol, at_steps=attributes.get("events") == "steps")


def guid(program: Program, experiment: Experiment, kind: str, fmi: str) -> str:
    """Return the FMU's identifier: a hash of the program, its text, the experiment, and the kind and version of FMU."""
    text = f"{program.to_json()}\n{program.text}\n{experiment.attributes}\n{kind} {fmi}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
