"""Reads and writes of kernels, derived from their text; tests/kernels/test_named_kernels.py compares them with runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType

import pytest

from mbs_fmu.integrate.stepping import drivers
from mbs_fmu.kernels.closures import elimination
from mbs_fmu.record import schema
from mbs_fmu.record.fields import Declaration, members
from support.effects import Kernel, all_effects, own_effects
from support.kernels import named
from support.shared_numbers import overlap

pytestmark = pytest.mark.quick

#: Numbers of the record that are converted, but count or address nothing: multiples of an interval are cut off a time.
CUT_OFF = {"time"}


def effects(kernel: Callable[..., object], access: str) -> set[str]:
    """Return the numbers that a kernel reads or writes itself."""
    return accessed(own_effects(), kernel, access)


def accessed(effects: Mapping[FunctionType, Kernel], kernel: Callable[..., object], access: str) -> set[str]:
    assert isinstance(kernel, FunctionType)
    return {str(e) for e in effects[kernel].effects if e.access == access}


def test_effects_contain_those_on_views_that_are_arguments() -> None:
    """A function that gets a view reads or writes numbers of its caller; the caller has the effects too."""
    assert effects(elimination.forward_substitution, "writes") == {"target"}
    assert {"L", "source"} <= effects(elimination.forward_substitution, "reads")
    assert effects(elimination.eliminate_from_one, "writes") == {"R.delassus", "R.substituted", "R.row_bias", "R.row_y"}


def test_effects_of_called_kernels_are_listed_apart() -> None:
    """Which modes end is for hooks of the step to find out; the step itself counts, and stores the state."""
    assert "R.multipliers" not in effects(drivers.METHOD_step_to, "writes")
    assert "R.multipliers" in accessed(all_effects(), drivers.METHOD_step_to, "writes")
    (found,) = (found for kernel, found in all_effects().items() if kernel is drivers.METHOD_step_to)
    assert {"derive", "METHOD_stages"} <= found.generated


def test_names_of_the_same_numbers_are_known() -> None:
    """The state contains coordinates and momenta, but no rates; a block contains its numbers."""
    assert overlap("x", "q") and overlap("x", "p") and not overlap("x", "x_dot") and not overlap("x", "u")
    assert overlap("counters", "largest_residual_of_run") and not overlap("stored_ranks", "stored_pivots")
    assert overlap("watched.last", "watched") and not overlap("watched.last", "watched.gap")
    with pytest.raises(KeyError, match="row_q"):
        overlap("reduced_rows", "row_q")


def has_range(name: str) -> bool:
    """True if a number of the record, or the blocks of which it is a member, have a declared range."""
    first, _, member = name.partition(".")
    d = next(members(c)[first] for c in schema.Record.__mro__ if first in members(c))
    inner = members(d.block).get(member) if d.block else None
    return any(isinstance(x, Declaration) and x.whole is not None for x in (d, inner))


def test_numbers_used_as_integers_have_a_declared_range() -> None:
    """A restored state with other numbers is refused; kernels would read or write outside of the record."""
    used = {
        e.name: named(kernel)
        for kernel, found in own_effects().items()
        for e in found.effects
        if e.access == "as integer" and e.array == "R" and not e.name.startswith("<")
    }
    assert {"pivots", "ranks", "watched.contact", "history.newest"} <= used.keys()
    assert {name: kernel for name, kernel in used.items() if not has_range(name)}.keys() == CUT_OFF
