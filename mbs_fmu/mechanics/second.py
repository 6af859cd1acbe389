"""A second solution of a link step for other momenta, with the elimination factors of the last evaluation.

Error control needs the joint velocities that correspond to errors of the momenta. M* and the elimination factors are
already known. Only (P3) remains to be solved: for the biases on the inboard pass and for the velocities on the outboard
pass, with prescribed motions at rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..model.motions import link_load
from ..record.layout import STILL, Local
from ..symbolic.expressions import ZERO, Expression, as_expression, leaf
from ..symbolic.graph import rebuild
from .solvers import Passes
from .steps import Assignment, LinkStep, assignments

BIAS = [f"{part}{a}" for part in "fn" for a in range(3)]
CARRIED = [f"error_{name}" for name in BIAS]  #: locals that carry the bias of the branch in the second solution
TWIST = [f"{part}{a}" for part in "vw" for a in range(3)]


def biases(channels: int) -> list[str]:
    """Locals that carry biases inboard: those of the branch, and t of each channel of coupled joints."""
    return BIAS + [f"t{n}" for n in range(channels)]


def carried_errors(channels: int) -> list[str]:
    """Locals that carry the biases of the second solution inboard."""
    return [_carried(Local(name)).name for name in biases(channels)]


def second_solution(step: LinkStep, passes: Passes) -> tuple[list[Assignment], list[Assignment]]:
    """Assignments that turn momenta in region `errors` into their joint velocities, inboard and outboard.

    Between the passes, region `errors` holds the values from which the outboard pass starts.
    """
    starts = {id(x): link_load("errors", k) for k, x in enumerate(passes.free)}
    carried = biases(step.cls.channels)

    def other(node: Expression) -> Expression | None:
        """Replacement of a node: errors for momenta, own locals for biases, zero for prescribed motions."""
        if node.op != "leaf":
            return starts.get(id(node))
        if isinstance(node.value, Local):
            return leaf(_carried(node.value)) if node.value.name in carried else None
        if node.value == STILL:
            return as_expression(1.0)
        if node.value.region == "driven_u":
            return ZERO
        if node.value.region == "p":
            return link_load("errors", node.value.offset)
        return leaf(replace(node.value, region="errors")) if node.value.region == "u" else None

    inboard: list[Assignment] = []
    inboard += [(step.address("errors", k), x.args[0] if x.op == "saved" else x) for k, x in enumerate(passes.free)]
    inboard += [(_carried(t), x) for t, x in assignments(passes.inboard) if isinstance(t, Local) and t.name in carried]
    outboard: list[Assignment] = []
    for target, x in assignments(passes.outboard):
        if isinstance(target, Local):
            outboard += [(target, x)] if target.name in TWIST else []
        elif target.region == "u":
            outboard.append((step.address("errors", target.offset), x))
    return _rebuilt(inboard, other), _rebuilt(outboard, other)


def _carried(bias: Local) -> Local:
    return Local(f"error_{bias.name}")


def _rebuilt(assignments: list[Assignment], other: Callable[[Expression], Expression | None]) -> list[Assignment]:
    roots = rebuild([x for _, x in assignments], other)
    return [(target, x) for (target, _), x in zip(assignments, roots, strict=True)]
