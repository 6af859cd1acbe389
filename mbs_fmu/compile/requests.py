"""What a model asks for beside its motion: looked up once, before anything is compiled."""

from __future__ import annotations

from ..lazy_dataclasses import dataclass
from ..model.forces import expressions as told_by
from ..model.model import Model
from ..model.references.leaves import DriveForce, Multiplier, ReactionNumber, Residual, TwistRate
from ..symbolic.graph import leaves

OF_STEPS = (DriveForce, Multiplier, ReactionNumber)  #: references that are of the moment, or means of a step
OF_BALANCE = (*OF_STEPS, TwistRate)  #: references that only the balance of momenta tells
MEANS = ("means", "drive_means")  #: regions of what is known of the last step


@dataclass(frozen=True)
class RequestedOutputs:
    """Whether laws, rates, outputs or events ask for something.

    loops: there are some, or outputs that only the balance of momenta tells. instant: for a
    reaction, a multiplier, an acceleration or the force of a drive at the moment. drives: for forces of drives.
    """

    loops: bool
    instantaneous: bool
    drives: bool


def is_instantaneous(reference: object) -> bool:
    """Whether a reference is one that outputs alone may have: of this instant, not a mean over the last step."""
    return isinstance(reference, OF_BALANCE) and not getattr(reference, "mean", False)


def requested_outputs(model: Model) -> RequestedOutputs:
    """What a model asks for."""
    told = _references(model)

    def some(*kinds: type) -> bool:
        return any(isinstance(r, kinds) for r in told)

    return RequestedOutputs(
        loops=bool(model.loops) or some(Residual, *OF_BALANCE),
        instantaneous=some(TwistRate) or any(isinstance(r, OF_STEPS) and not r.mean for r in told),
        drives=some(DriveForce),
    )


def lagging(model: Model) -> str | None:
    """What of the motion, or of its modes, depends on a mean over the last step: the first thing, or None."""
    tables = (model.forces, model.loops, model.states)
    for thing, told in ((getattr(x, "thing", f"state {name!r}"), x) for room in tables for name, x in room.items()):
        if any(getattr(reference, "mean", False) for reference in leaves(list(told_by(told)))):
            return str(thing)
    return None


def mean_of(model: Model) -> str | None:
    """The first output, force, closure or state that reads a mean over the last step, or None."""
    if (moved := lagging(model)) is not None:
        return moved
    for name, output in model.outputs.items():
        if any(getattr(reference, "mean", False) for reference in leaves(list(output.expressions))):
            return f"output {name!r}"
    return None


def _references(model: Model) -> list[object]:
    """Everything that any law, rate or output refers to."""
    expressions = [x for force in model.forces.values() for x in told_by(force)]
    expressions += [s.rate for s in model.states.values()]
    expressions += [x for o in model.outputs.values() for x in o.expressions]
    expressions += [event.expression for event in model.events.values()]
    expressions += [x for event in model.events.values() for _, x in event.reset]
    expressions += [x for s in model.sampled_signals.values() for x in s.update]
    return leaves(expressions)
