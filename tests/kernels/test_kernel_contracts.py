"""Contracts in the kernels' docstrings: arguments, and the regions that they read and write."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType

import pytest

import mbs_fmu as mbs
from mbs_fmu import integrate, kernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.text import module as module_texts
from mbs_fmu.integrate.lanes import drivers as lane_drivers
from mbs_fmu.integrate.lanes import stepwise
from mbs_fmu.integrate.methods.method import Method
from mbs_fmu.integrate.tangents import hooks as tangent_hooks
from mbs_fmu.integrate.write import Module, Stepping, stepping_of
from mbs_fmu.kernels.declarations import (
    Declared,
    from_layout,
    size,
    start,
    start_or_end,
    supplied,
    supplied_number,
    table,
    values_of,
)
from mbs_fmu.kernels.hook_table import HOOKS, Condition
from mbs_fmu.kernels.sources import kernels_of
from mbs_fmu.record.layout import Region
from support.generators.elastic_mechanisms import sagging_beam, stayed_beam
from support.models.kernel_coverage import floating, held_drive, switching
from support.spies.kernel_scenes import METHODS, load_whole, scenes
from support.spies.record_spy import KERNELS, Spy, contract

#: Kernels that no scene reaches: stages that neither converge nor overflow, a loop that cannot be followed just at
#: a row of the result, lanes.
UNREACHED = (
    "most_changed", "row_at_end", "mode_ends", "start_log", "has_switched",
    *kernels_of(lane_drivers), *kernels_of(stepwise),
    "part",  # for nearly dependent rows
    "strike_ties",  # for contacts that an importer has passed
    "METHOD_smooth", "METHOD_smooth_step",  # METHOD_one and METHOD_step by other names, in one scene
)  # fmt: skip


def contract_violations(spies: Iterable[Spy], exactly: bool) -> dict[str, set[str]]:
    """Return accesses that the docstrings of kernels do not name; exactly: also named ones that do not occur."""
    keys = [(kernel.__name__.removesuffix("_loops"), contract(kernel)) for kernel in KERNELS]
    accessed = {key: (set[str](), set[str]()) for key in keys}
    for spy in spies:
        for key, accesses in spy.accesses.items():
            reads, writes = accessed.setdefault(key, (set(), set()))
            reads |= accesses["reads"]
            writes |= accesses["writes"]
    differences: dict[str, set[str]] = {}
    for (name, documented), (reads, writes) in accessed.items():
        what = {f"reads {x}" for x in reads - documented.reads} | {f"writes {x}" for x in writes - documented.writes}
        if exactly and name not in UNREACHED:
            what |= {f"no longer reads {x}" for x in documented.reads - reads}
            what |= {f"no longer writes {x}" for x in documented.writes - writes}
        if what:
            differences[name] = differences.get(name, set()) | what
    return differences


def test_kernels_access_only_regions_in_their_docstrings() -> None:
    """In a four-bar no kernel and no driver reads or writes a region that its docstring does not name."""
    spy = next(scenes())
    assert len(spy.accesses) > 80
    assert not contract_violations([spy], exactly=False)


@pytest.mark.slow
def test_docstrings_name_exactly_the_accessed_regions() -> None:
    """Over all scenes, observed and documented accesses are the same for every kernel and every driver."""
    assert not contract_violations(scenes(), exactly=True)


def test_names_in_contracts_are_regions_or_arguments() -> None:
    """Docstrings name regions of the record, whole arrays, or arguments that are addresses; D is the second record."""
    models = held_drive(), stayed_beam(), sagging_beam()
    regions = {"D"}.union(*(compile_model(model, methods=METHODS).regions for model in models))
    for kernel in KERNELS:
        documented = contract(kernel)
        assert documented.reads | documented.writes <= regions | set(inspect.signature(kernel).parameters), (
            kernel.__name__
        )


@pytest.mark.parametrize("make", [held_drive, floating, switching, stayed_beam, sagging_beam])
def test_modules_have_the_functions_that_kernels_call(
    make: Callable[[], mbs.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module has the hooks whose providers apply, with the arguments of their declarations, and no others but
    defaults."""
    conditions: list[frozenset[Condition]] = []

    def noting(methods: Sequence[Method], module: Module) -> Stepping:
        conditions.append(module.conditions(methods))
        return stepping_of(methods, module)

    monkeypatch.setattr(module_texts, "stepping_of", noting)
    plain = load_whole(compile_model(make(), methods=("rk4", "dopri5")).text)
    for name, entry in HOOKS.items():
        if name.startswith("METHOD_") or entry.declaration.__module__ == tangent_hooks.__name__:
            continue
        applying = {provider.condition for provider in entry.providers} & conditions[0]
        if hasattr(plain, name):
            assert tuple(inspect.signature(getattr(plain, name)).parameters) == entry.arguments, name
            assert applying or not entry.is_required, f"{name}: none of its conditions holds"
        else:
            assert not applying, f"{name} is missing, though {applying} hold"


# -- names ---------------------------------------------------------------------------------------------------

LAYOUT = {"q": Region("q", 15, 3), "end": Region("end", 18, 0)}


def some_names() -> ModuleType:
    module = ModuleType("some_names")
    module.__dict__.update(
        Q=start("q", 1), NQ=size("q"), TWICE=from_layout(lambda layout: 2 * layout["q"].size),
        TAIL=start_or_end("tail"), OK=0, SHARE=0.5, N_LINKS=supplied(), GROWTH=supplied_number(), PLACES=table(),
        other=3,
    )  # fmt: skip
    return module


def test_constants_have_values_of_the_layout_or_the_writer() -> None:
    """Only upper-case names are constants; an unbound one cannot be used in arithmetic."""
    numbers, tables = values_of(some_names(), LAYOUT, {"N_LINKS": 2, "GROWTH": 5.0}, {"PLACES": [4, 5]})
    assert numbers == {
        "Q": 16, "NQ": 3, "TWICE": 6, "TAIL": 18, "OK": 0, "SHARE": 0.5, "N_LINKS": 2, "GROWTH": 5.0,
    }  # fmt: skip
    assert tables == {"PLACES": [4, 5]}
    assert isinstance(start("q"), Declared)
    with pytest.raises(TypeError):
        start("q") + 1


def test_unbound_constants_and_unused_values_are_refused() -> None:
    """The message has the name; a constant of the layout accepts no other value."""
    numbers, tables = {"N_LINKS": 2, "GROWTH": 5.0}, {"PLACES": [4]}
    with pytest.raises(LookupError, match="some_names declares names that get no value: GROWTH, N_LINKS"):
        values_of(some_names(), LAYOUT, {}, tables)
    with pytest.raises(LookupError, match="some_names declares names that get no value: PLACES"):
        values_of(some_names(), LAYOUT, numbers, {})
    for more in ({"N_BODIES": 1.0}, {"PLACES": 1.0}):
        with pytest.raises(LookupError, match=f"some_names does not declare: {next(iter(more))}"):
            values_of(some_names(), LAYOUT, numbers | more, tables)


def test_kernels_of_one_name_have_the_same_arguments() -> None:
    """One may replace another in a module, and callers are the same; kernels of methods are exempt, since none replaces
    another.
    """
    parameters: dict[str, tuple[str, ...]] = {}
    for package in (kernels, integrate):
        for file in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, kernel in kernels_of(importlib.import_module(file.name)).items():
                arguments = tuple(inspect.signature(kernel).parameters)
                if arguments[:1] == ("R",) and not name.startswith("METHOD_"):
                    assert parameters.setdefault(name, arguments) == arguments, name
