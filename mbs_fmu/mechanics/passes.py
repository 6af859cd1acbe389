"""Every traced formula of a model's link classes: the stage between laws and layout."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from ..lazy_dataclasses import dataclass
from ..record.layout import ROW_INDICES, Load, Local
from ..symbolic.columns import Column, free_columns
from ..symbolic.emit import Assignment, split_passes
from .balance import balance, plain_row
from .bending import AttachmentStep, BendingStep
from .links import LinkClass, Wants
from .reduction import NothingMoves
from .second import carried_errors, second_solution
from .solvers import Passes, traced
from .steps import Code, LinkStep, Solver, assignments, inertia_names, line_names, twist_names

LATE = ("gravity", "push", "errors", "u", "p_dot")  #: regions that the inboard pass does not know yet


@dataclass(frozen=True)
class ClassSteps:
    """Assignments of one link class, by the pass that they belong to.

    packing: which of LinkConstants they use, and where in the link's packed block each lies.
    """

    cls: LinkClass
    packing: dict[int, int]
    angular: list[bool]  #: of each unknown joint velocity, whether it turns
    given: bool  #: some of its motion is given
    passes: Passes
    pose: list[Assignment]
    twist_from_rates: Code
    momentum_projection: Code
    wrench_projection: Code
    balance: Code
    plain_row: Code


@dataclass(frozen=True)
class Steps:
    """Those of all classes. saved: doubles that a link keeps from the inboard pass to the outboard one.

    inertia, twist: the locals that travel inboard and outboard. errors: those that travel inboard in place of biases.
    """

    of_class: list[ClassSteps]
    saved: int
    inertia: list[str]
    twist: list[str]
    errors: list[str]

    @property
    def carried(self) -> int:
        return len(self.inertia) + len(self.twist)

    @property
    def packed(self) -> int:
        return max((len(steps.packing) for steps in self.of_class), default=0)


def traced_steps(classes: Sequence[LinkClass], wants: Wants, solver: Solver, again: bool) -> Steps:
    """The steps of all classes. `again`: with the second solution that error control asks for.

    Raises NothingMoves with the class's number.
    """
    gravity = any(any(cls.gravity) for cls in classes)
    lines = max((cls.travelling for cls in classes), default=0)
    inertia, twist, errors = inertia_names(gravity) + line_names(lines), twist_names(gravity), carried_errors(lines)
    travelling = frozenset(Local(name) for name in (*twist, *errors))
    made = []
    for number, cls in enumerate(classes):
        if cls.bending or cls.attachment:
            made.append((_slaved(cls, wants, again), 0))
        else:
            made.append(_traced(number, cls, wants, solver, again, travelling))
    return Steps([steps for steps, _ in made], max((saved for _, saved in made), default=0), inertia, twist, errors)


def _traced(
    number: int, cls: LinkClass, wants: Wants, solver: Solver, again: bool, travelling: frozenset[Local]
) -> tuple[ClassSteps, int]:
    step = LinkStep(cls, wants)
    try:
        whole = traced(step, solver)
    except NothingMoves as lost:
        raise NothingMoves(lost.k, number) from None
    if again:
        whole = replace(whole, again=second_solution(step, whole))
    twist_from_rates, momentum_projection = step.twist_from_rates(), step.momentum_projection()
    of_balance, row = (balance(step), plain_row(step)) if cls.loops else ([], [])
    passes, saved = _split(whole, travelling)
    return ClassSteps(
        cls=cls,
        packing=step.packing,
        angular=[column.angular for column in free_columns(step.stages)] + [line.angular for line in cls.ends],
        given=any(isinstance(x, Column) and x.given is not None for x in step.stages),
        passes=passes,
        pose=step.pose(),
        twist_from_rates=twist_from_rates,
        momentum_projection=momentum_projection,
        wrench_projection=step.wrench_projection(),
        balance=of_balance,
        plain_row=row,
    ), saved


def _slaved(cls: LinkClass, wants: Wants, again: bool) -> ClassSteps:
    """Of an elastic body or a node: what it keeps between the passes lies in its block."""
    step = BendingStep(cls, wants) if cls.bending else AttachmentStep(cls, wants)
    whole = step.passes()
    if again:
        whole = replace(whole, again=step.second_solution())
    of_balance, row = (step.balance(), step.plain_row_code()) if cls.loops else ([], [])
    return ClassSteps(
        cls=cls,
        packing=step.packing,
        angular=[False] * cls.rates,
        given=False,
        passes=whole,
        pose=step.pose(),
        twist_from_rates=step.twist_from_rates(),
        momentum_projection=step.momentum_projection(),
        wrench_projection=step.wrench_projection(),
        balance=of_balance,
        plain_row=row,
    )


def _split(whole: Passes, travelling: frozenset[Local]) -> tuple[Passes, int]:
    """The passes with the values that are kept in between, and the doubles that takes."""

    def late(reference: object) -> bool:
        if isinstance(reference, Load):
            return reference.region in LATE or reference.base in ROW_INDICES
        return reference in travelling

    parts = [assignments(part) for part in (whole.row, whole.outboard, *whole.again)]
    inboard, rest, saved = split_passes(assignments(whole.inboard), list(itertools.chain(*parts)), late)
    ends = list(itertools.accumulate(map(len, parts), initial=0))
    row, outboard, *again = (rest[a:b] for a, b in itertools.pairwise(ends))
    return Passes(inboard, outboard, row, whole.free, (again[0], again[1])), saved
