"""Results beyond the motion that a model requests, determined before its compilation."""

from __future__ import annotations

from ..infrastructure.lazy_dataclasses import dataclass
from ..model.forces import expressions as expressions_of
from ..model.model import Model
from ..model.references.leaves import DriveForce, Multiplier, ReactionNumber, Residual, TwistRate
from ..model.structure import of_structure
from ..symbolic.graph import leaves

OF_STEPS = (DriveForce, Multiplier, ReactionNumber)  #: references to instantaneous values or to means over a step
OF_BALANCE = (*OF_STEPS, TwistRate)  #: references that only the balance of momenta can evaluate
MEANS = ("means", "drive_means")  #: regions of means over the last step


@dataclass(frozen=True)
class RequestedOutputs:
    """Results that laws, rates, outputs and events request.

    `loops`: the model has loops, or outputs that only the balance of momenta can evaluate. `instantaneous`: the value
    of a reaction, multiplier, acceleration or drive force at an instant is requested. `drives`: a drive force is
    requested.
    """

    loops: bool
    instantaneous: bool
    drives: bool


def is_instantaneous(reference: object) -> bool:
    """True for an instantaneous value, which only outputs may contain; false for a mean over the last step."""
    return isinstance(reference, OF_BALANCE) and not getattr(reference, "mean", False)


def requested_outputs(model: Model) -> RequestedOutputs:
    """Return the requests of a model."""
    references = _references(model)

    def some(*kinds: type) -> bool:
        return any(isinstance(r, kinds) for r in references)

    return RequestedOutputs(
        loops=bool(model.loops) or some(Residual, *OF_BALANCE),
        instantaneous=some(TwistRate) or any(isinstance(r, OF_STEPS) and not r.mean for r in references),
        drives=some(DriveForce),
    )


@of_structure
def lagging(model: Model) -> str | None:
    """Return the name of the first force, closure or state that depends on a mean over the last step, or None."""
    tables = (model.forces, model.loops, model.states)
    for thing, item in ((getattr(x, "thing", f"state {name!r}"), x) for table in tables for name, x in table.items()):
        if any(getattr(reference, "mean", False) for reference in leaves(list(expressions_of(item)))):
            return str(thing)
    return None


def mean_of(model: Model) -> str | None:
    """Return the name of the first output, force, closure or state that reads a mean over the last step, or None."""
    if (moved := lagging(model)) is not None:
        return moved
    for name, output in model.outputs.items():
        if any(getattr(reference, "mean", False) for reference in leaves(list(output.expressions))):
            return f"output {name!r}"
    return None


@of_structure
def laws_read_time(model: Model) -> bool:
    """True if a law, rate, output, event or drive reads time; motions of joints are not regarded."""
    drives = [x for drive in model.drives.values() for x in (*drive.position, *drive.rate)]
    return any(getattr(r, "role", "") == "time" for r in [*_references(model), *leaves(drives)])


def _references(model: Model) -> list[object]:
    """Return the references in all laws, rates, outputs and events."""
    expressions = [x for force in model.forces.values() for x in expressions_of(force)]
    expressions += [x for s in model.states.values() for x in (s.rate, s.energy) if x is not None]
    expressions += [x for o in model.outputs.values() for x in o.expressions]
    expressions += [event.expression for event in model.events.values()]
    expressions += [x for event in model.events.values() for _, x in event.reset]
    expressions += [x for s in model.sampled_signals.values() for x in s.update]
    return leaves(expressions)
