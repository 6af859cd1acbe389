"""How an FMU integrates and what its importer finds as defaults; the identifier that follows from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ..arguments import Events
from ..record.program import Program

MOST_STEPS = 10_000_000  #: internal ones in a communication step, where the user doesn't say


@dataclass(frozen=True)
class Experiment:
    """Defaults of a run, and how the FMU integrates inside: method with step (s), or relative and
    absolute tolerance; how many internal steps a communication step may take; where modes end and events reset."""

    stop_time: float
    communication_step: float
    method: str
    step: float
    rtol: float
    atol: float
    max_internal_steps: int
    events: Events = "located"


def guid(program: Program, experiment: Experiment, kind: str, fmi: str) -> str:
    """Identifier of the FMU: a hash of everything that makes it."""
    text = f"{program.to_json()}\n{program.text}\n{experiment!r}\n{kind} {fmi}"
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"
