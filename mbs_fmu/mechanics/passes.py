"""The traced steps of a model's link classes: the compilation stage between laws and layout."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from ..infrastructure.lazy_dataclasses import dataclass
from ..record.layout import ROW_INDICES, Load, Local
from ..symbolic.columns import Column, free_columns
from ..symbolic.emit import Assignment, split_passes
from .balance import balance, plain_row
from .elastic import AttachmentStep, ElasticBodyStep
from .links import LinkClass, Wants
from .reduction import NothingMoves
from .second import carried_errors, second_solution
from .solvers import Passes, traced
from .steps import Code, LinkStep, Solver, assignments, channel_names, inertia_names, twist_names

LATE = ("gravity", "push", "errors", "u", "p_dot")  #: regions whose values are unknown during the inboard pass


@dataclass(frozen=True)
class ClassSteps:
    """Assignments of one link class, by pass.

    packing: the LinkConstants that they use, each with its offset in the link's packed block.
    """

    cls: LinkClass
    packing: dict[int, int]
    angular: list[bool]  #: for each unknown joint velocity, True if it is angular
    prescribed: bool  #: some motion is prescribed
    passes: Passes
    pose: list[Assignment]
    twist_from_rates: Code
    momentum_projection: Code
    wrench_projection: Code
    balance: Code
    plain_row: Code


@dataclass(frozen=True)
class Steps:
    """Steps of all classes. saved: doubles that a link stores between the inboard and the outboard pass.

    inertia, twist: names of the locals that travel inboard and outboard. errors: those that travel inboard in the
    second solution, in place of the biases.
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
    """The steps of all classes. again: include the second solution, which error control needs.

    Raises NothingMoves with the number of the class.
    """
    gravity = any(any(cls.gravity) for cls in classes)
    channels = max((cls.channels for cls in classes), default=0)
    inertia, twist = inertia_names(gravity) + channel_names(channels), twist_names(gravity)
    errors = carried_errors(channels)
    travelling = frozenset(Local(name) for name in (*twist, *errors))
    made = []
    for number, cls in enumerate(classes):
        if cls.elastic or cls.attachment:
            made.append((_elastic(cls, wants, again), 0))
        else:
            made.append(_traced(number, cls, wants, solver, again, travelling))
    return Steps([steps for steps, _ in made], max((saved for _, saved in made), default=0), inertia, twist, errors)


def _traced(
    number: int, cls: LinkClass, wants: Wants, solver: Solver, again: bool, travelling: frozenset[Local]
) -> tuple[ClassSteps, int]:
    step = LinkStep(cls, wants)
    try:
        whole = traced(step, solver)
    except NothingMoves as error:
        raise NothingMoves(error.k, number) from None
    if again:
        whole = replace(whole, again=second_solution(step, whole))
    twist_from_rates, momentum_projection = step.twist_from_rates(), step.momentum_projection()
    of_balance, row = (balance(step), plain_row(step)) if cls.loops else ([], [])
    passes, saved = _split(whole, travelling)
    return ClassSteps(
        cls=cls,
        packing=step.packing,
        angular=[column.angular for column in free_columns(step.stages)] + [x.angular for x in cls.closing],
        prescribed=any(isinstance(x, Column) and x.prescribed is not None for x in step.stages),
        passes=passes,
        pose=step.pose(),
        twist_from_rates=twist_from_rates,
        momentum_projection=momentum_projection,
        wrench_projection=step.wrench_projection(),
        balance=of_balance,
        plain_row=row,
    ), saved


def _elastic(cls: LinkClass, wants: Wants, again: bool) -> ClassSteps:
    """Steps of an elastic body or a node, whose block stores all values between the passes."""
    step = ElasticBodyStep(cls, wants) if cls.elastic else AttachmentStep(cls, wants)
    whole = step.passes()
    if again:
        whole = replace(whole, again=step.second_solution())
    of_balance, row = (step.balance(), step.plain_row_code()) if cls.loops else ([], [])
    return ClassSteps(
        cls=cls,
        packing=step.packing,
        angular=[False] * cls.rates,
        prescribed=False,
        passes=whole,
        pose=step.pose(),
        twist_from_rates=step.twist_from_rates(),
        momentum_projection=step.momentum_projection(),
        wrench_projection=step.wrench_projection(),
        balance=of_balance,
        plain_row=row,
    )


def _split(whole: Passes, travelling: frozenset[Local]) -> tuple[Passes, int]:
    """The passes with stores and loads of the values needed in between, and the number of these."""

    def late(reference: object) -> bool:
        if isinstance(reference, Load):
            return reference.region in LATE or reference.base in ROW_INDICES
        return reference in travelling

    parts = [assignments(part) for part in (whole.row, whole.outboard, *whole.again)]
    inboard, rest, saved = split_passes(assignments(whole.inboard), list(itertools.chain(*parts)), late)
    ends = list(itertools.accumulate(map(len, parts), initial=0))
    row, outboard, *again = (rest[a:b] for a, b in itertools.pairwise(ends))
    return Passes(inboard, outboard, row, whole.free, (again[0], again[1])), saved
