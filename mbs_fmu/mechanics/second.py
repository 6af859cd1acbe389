"""The elimination of a link step once more, for other momenta: its factors are those of the last evaluation.

Error control asks which joint velocities belong to errors of the momenta. M* and the gains are known by then, so all
that is left are (P3) for the biases on the way in and for the velocities on the way out, with given motions at rest.
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
CARRIED = [f"error_{name}" for name in BIAS]  #: the biases that travel inward here
TWIST = [f"{part}{a}" for part in "vw" for a in range(3)]


def biases(travelling: int) -> list[str]:
    """Locals that carry biases inward: that of the branch, and of each line of trains."""
    return BIAS + [f"t{n}" for n in range(travelling)]


def carried_errors(travelling: int) -> list[str]:
    """The biases that travel inward here."""
    return [_carried(Local(name)).name for name in biases(travelling)]


def second_solution(step: LinkStep, passes: Passes) -> tuple[list[Assignment], list[Assignment]]:
    """Assignments that turn momenta in region `errors` into their joint velocities, inboard and outboard.

    In between the errors' places hold what the outboard pass starts from.
    """
    starts = {id(x): link_load("errors", k) for k, x in enumerate(passes.free)}
    travel = biases(step.cls.travelling)

    def other(node: Expression) -> Expression | None:
        """What stands for a node here: errors for momenta, biases of their own, nothing for given motions."""
        if node.op != "leaf":
            return starts.get(id(node))
        if isinstance(node.value, Local):
            return leaf(_carried(node.value)) if node.value.name in travel else None
        if node.value == STILL:
            return as_expression(1.0)
        if node.value.region == "driven_u":
            return ZERO
        if node.value.region == "p":
            return link_load("errors", node.value.offset)
        return leaf(replace(node.value, region="errors")) if node.value.region == "u" else None

    into: list[Assignment] = []
    into += [(step.address("errors", k), x.args[0] if x.op == "saved" else x) for k, x in enumerate(passes.free)]
    into += [(_carried(t), x) for t, x in assignments(passes.inboard) if isinstance(t, Local) and t.name in travel]
    out: list[Assignment] = []
    for target, x in assignments(passes.outboard):
        if isinstance(target, Local):
            out += [(target, x)] if target.name in TWIST else []
        elif target.region == "u":
            out.append((step.address("errors", target.offset), x))
    return _rebuilt(into, other), _rebuilt(out, other)


def _carried(bias: Local) -> Local:
    return Local(f"error_{bias.name}")


def _rebuilt(assignments: list[Assignment], other: Callable[[Expression], Expression | None]) -> list[Assignment]:
    roots = rebuild([x for _, x in assignments], other)
    return [(target, x) for (target, _), x in zip(assignments, roots, strict=True)]
