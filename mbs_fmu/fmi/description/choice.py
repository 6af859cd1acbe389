"""Choice of the variables that a description lists (`variables=` of `export`).

Value references and libraries are those of the complete table, so a description with a choice has gaps in its
references. Variables that it leaves out still answer to their references: a choice is for short lists in importers, not
for secrecy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import Argument, ArgumentError
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.suggestions import did_you_mean
from ...record.program import Program
from ..experiment import Experiment
from .variables import FmiVariable, indicator_rows, variable_table

ALL, OUTPUTS = "all", "outputs"
ALWAYS = ("independent", "parameter", "input", "output")  #: causalities of variables that no choice leaves out


def require_choice(choice: Any) -> str | tuple[str, ...]:
    """Return a choice: "all", "outputs", or patterns. Raises ArgumentError for anything else."""
    if is_one_of(choice, (ALL, OUTPUTS)):
        return str(choice)
    patterns = [choice] if isinstance(choice, str) else choice
    if not isinstance(patterns, (list, tuple)) or not patterns or not all(isinstance(x, str) and x for x in patterns):
        raise ArgumentError(
            Argument("variables"), f" is {display(choice)}: use 'all', 'outputs', or patterns such as ['arm.*']"
        )
    return tuple(patterns)


def described_table(program: Program, experiment: Experiment) -> list[FmiVariable]:
    """Return the rows of the variable table that the description lists, in the order of their references.

    All choices keep time, parameters, inputs, outputs, states with their derivatives, and event indicators. Patterns,
    in which * stands for any characters and ? for one, add variables by their names in the model or those of vectors.

    Raises ArgumentError for a pattern that no variable matches.
    """
    rows, choice = variable_table(program, experiment.naming), experiment.variables
    if choice == ALL:
        return rows
    states = {row.derivative_of for row in rows if row.derivative_of is not None}
    kept = {
        row.reference for row in rows
        if row.causality in ALWAYS or row.reference in states or row.derivative_of is not None
    }  # fmt: skip
    kept |= {row.reference for row in indicator_rows(program, rows)}
    if choice != OUTPUTS:
        kept |= _matching(program, choice)
    vectors = {row.vector for row in rows if row.reference in kept and row.vector is not None}
    return [row for row in rows if row.reference in kept or row.vector in vectors]


def _matching(program: Program, patterns: Sequence[str]) -> set[int]:
    """Return the references of the variables that match a pattern."""
    owner = {element: vector for vector, elements in program.vectors.items() for element in elements}
    names = [(v.name, owner.get(v.name, v.name)) for v in program.variables]
    found: set[int] = set()
    for pattern in patterns:  # brackets belong to names, so that fnmatch does not serve
        expression = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."))
        matching = {
            reference
            for reference, pair in enumerate(names, start=1)
            if any(expression.fullmatch(name) for name in pair)
        }
        if not matching:
            known = {name for pair in names for name in (*pair, pair[0].partition(".")[0])}
            hint = did_you_mean(pattern.strip("*?."), sorted(known | {ALL, OUTPUTS}))
            raise ArgumentError(Argument("variables"), f": no variable matches {pattern!r}{hint}")
        found |= matching
    return found
