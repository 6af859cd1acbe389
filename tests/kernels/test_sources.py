"""Kernels as text: each name belongs to one function, in the sources and in every generated module."""

from __future__ import annotations

import ast
import gc
import importlib
import inspect
import pkgutil
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import numpy as np
import pytest

import mbs_fmu as mbs
import mbs_fmu.integrate.tangents.module
from mbs_fmu import integrate, kernels
from mbs_fmu.compile.build import compile_model
from mbs_fmu.compile.text import module as module_texts
from mbs_fmu.infrastructure.syntax import parsed
from mbs_fmu.integrate.features import Features, Stepping
from mbs_fmu.integrate.methods.method import Method
from mbs_fmu.integrate.methods.texts import combined, functions_of, sources
from mbs_fmu.integrate.stepping import drivers
from mbs_fmu.integrate.tangents import hooks as tangent_hooks
from mbs_fmu.integrate.write import stepping_of
from mbs_fmu.kernels import hooks
from mbs_fmu.kernels.closures import modes
from mbs_fmu.kernels.hook_table import HOOKS, Condition, check_provided
from mbs_fmu.kernels.hook_table import hook as declare
from mbs_fmu.kernels.lowering import annotation
from mbs_fmu.kernels.places import ARRAYS, BLOCKS
from mbs_fmu.kernels.sources import kernels_of
from mbs_fmu.record.schema import Record
from support.generators.elastic_mechanisms import sagging_beam, stayed_beam
from support.models.kernel_coverage import bars, floating, held_drive, switching
from support.spies.named_calls import load_whole

pytestmark = pytest.mark.quick


@pytest.fixture
def restless() -> Iterator[None]:
    """Let threads switch as often as possible, also during garbage collection."""

    def busy(phase: str, info: dict[str, int]) -> None:
        sum(range(200))

    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    gc.callbacks.append(busy)
    yield
    gc.callbacks.remove(busy)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usual
def test_threads_parse_sources_one_at_a_time(restless: None) -> None:
    """They parse at different depths of calls, which CPython 3.11 confuses: a third of the cases failed."""
    text, failed = inspect.getsource(modes), []

    def parse(depth: int) -> None:
        if depth:
            parse(depth - 1)
            return
        for _ in range(20):
            try:
                parsed(text)
            except SystemError as error:
                failed.append(error)

    threads = [threading.Thread(target=parse, args=(depth,)) for depth in (0, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


PACKAGE = Path(mbs.__file__).parent
#: Methods' own functions METHOD_... stand under the name of each, so that two methods may have the same.
OF_ONE_METHOD = {"integrate/methods/gauss.py", "integrate/methods/multistep.py"}
#: Types of what kernels take.
TYPES = {*ARRAYS, *BLOCKS, "Array", "Numbers", "Vector", "Matrix", "int", "float", "bool"}


def kernels_in(path: Path) -> Iterator[tuple[str, int]]:
    """Return names and lines of the functions of a file whose arguments are numbers and records only."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.args.args and {annotation(x)[0] for x in node.args.args} <= TYPES:
            yield node.name, node.lineno


def file_of(module: str) -> str:
    """The file of a module, below the package."""
    return module.removeprefix("mbs_fmu.").replace(".", "/") + ".py"


def replacing(name: str) -> set[str]:
    """The files whose functions may have a name together: the declaration of a hook and its providers."""
    entry = HOOKS[name]
    return {file_of(entry.declaration.__module__), *(file_of(p.module) for p in entry.providers if p.function == name)}


def test_kernels_have_names_of_their_own() -> None:
    """A module of a model with both would have the later one only, called with the other's arguments."""
    places: dict[str, dict[str, int]] = {}
    for folder in ("kernels", "integrate"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            file = path.relative_to(PACKAGE).as_posix()
            for name, line in kernels_in(path):
                assert file not in places.get(name, {}), f"{name} is defined twice in {file}"
                places.setdefault(name, {})[file] = line
    several = {name: files for name, files in places.items() if len(files) > 1 and not set(files) <= OF_ONE_METHOD}
    for name, files in several.items():
        shown = " and ".join(f"{file}:{line}" for file, line in files.items())
        assert name in HOOKS and set(files) <= replacing(name), (
            f"kernel {name} is defined in {shown}: rename one of them, or declare the hook that it provides"
        )


def test_providers_define_their_hooks() -> None:
    """Each provider that is a module of kernels has a function of the hook's arguments, but for the record of tangents;
    those that write text (compile/, methods with coefficients) name it."""
    for name, entry in HOOKS.items():
        for provider in entry.providers:
            path = PACKAGE / file_of(provider.module)
            module = importlib.import_module(provider.module)
            function = kernels_of(module).get(provider.function)
            if function is None or provider.module.startswith("mbs_fmu.compile."):
                stem = provider.function.removesuffix("_d")
                nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
                named = {n.id for n in nodes if isinstance(n, ast.Name)}
                named |= {str(n.value) for n in nodes if isinstance(n, ast.Constant)}
                assert stem in named or stem in kernels_of(module), (name, provider)
                continue
            arguments = tuple(inspect.signature(function).parameters)
            assert arguments == tuple(x for x in entry.arguments if x != "D" or provider.function == name), name


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


def other(R: Record) -> None:
    """Another kernel named `hold_values`."""


def test_kernels_that_replace_others_unintended_are_refused() -> None:
    """Joined, the names of two kernels must be those of a hook and of its provider."""
    (finite,) = sources(drivers.finite).values()
    first, second = {"finite": finite}, {"finite": replace(finite, body="    return 1", origin="elsewhere")}
    with pytest.raises(ValueError, match=r"two kernels have the name finite, in .*stepping.drivers and in elsewhere"):
        combined(first, second)
    assert combined(first, first) == first
    hook, wrong = functions_of(hooks), {"hold_values": replace(finite, name="hold_values", origin="elsewhere")}
    with pytest.raises(ValueError, match=r"hold_values, in mbs_fmu.kernels.hooks and in elsewhere"):
        combined(hook, wrong)
    with pytest.raises(ValueError, match=r"hook change_ended_modes is declared in .*kernels.hooks and .*test_sources"):
        declare(Condition.MODES, "somewhere")(renamed(other, "change_ended_modes"))
    with pytest.raises(ValueError, match=r"hook change_ended_modes: .*closures.modes should define it, since"):
        check_provided("change_ended_modes", frozenset({Condition.MODES}))


def renamed(function: FunctionType, name: str) -> FunctionType:
    return FunctionType(function.__code__, function.__globals__, name)


def redundant(event: bool) -> mbs.Model:
    """Return a plane four-bar whose hinges share a load, with measures of the redundant rows and a reset."""
    m = mbs.Model("redundant", gravity=(0, -9.81, 0))
    for name, parent, place, length in bars("world"):
        J = length**3 / 12
        m.body(name, parent, mbs.Revolute("z"), length, (length / 2, 0, 0), (0.001, J, J), (place, 0, 0))
    m.close("pin", "coupler", "rocker", mbs.Revolute("z"), at_a=(2, 0, 0), at_b=(1.5, 0, 0))
    m.start("coupler", q=-1.0, guess=True)
    m.start("rocker", q=1.0, guess=True)
    m.output("pin", mbs.reaction("pin"))
    count = m.state("count", 0.0)
    if event:
        m.event("low", mbs.coordinate("crank") - 0.5, reset={"count": count + 1})
    return m


@pytest.mark.usual
@pytest.mark.parametrize(
    "make", [held_drive, floating, switching, stayed_beam, sagging_beam, lambda: redundant(True)],
    ids=["drive", "floating", "modes", "stayed beam", "sagging beam", "resets"],
)  # fmt: skip
def test_modules_define_each_function_once(make: Callable[[], mbs.Model]) -> None:
    """In the module of any model, no function replaces another one."""
    methods = ("rk4", "dopri5", "gauss4", "abm6", "rodas5p")
    defined = Counter(re.findall(r"^def (\w+)\(", compile_model(make(), methods=methods).text, re.M))
    assert [name for name, count in defined.items() if count > 1] == []


@pytest.mark.usual
@pytest.mark.parametrize("make", [held_drive, floating, switching, stayed_beam, sagging_beam])
def test_modules_have_the_functions_that_kernels_call(
    make: Callable[[], mbs.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module has the hooks whose providers apply, with the arguments of their declarations, and no others but
    defaults."""
    conditions: list[frozenset[Condition]] = []

    def noting(methods: Sequence[Method], features: Features) -> Stepping:
        conditions.append(features.conditions(methods))
        return stepping_of(methods, features)

    monkeypatch.setattr(module_texts, "common_stepping", noting)
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


@pytest.mark.usefixtures("in_plain_python")
def test_shared_reactions_are_unchanged_by_resets() -> None:
    """Functions that share a load among redundant rows are not confused with those of resets: the start has the same
    bits.
    """
    runs = [
        mbs.simulate(redundant(event), 0.3, method="rk4", step=0.02, output_interval=0.1) for event in (False, True)
    ]
    assert np.array_equal(runs[0]["pin.f"][0], runs[1]["pin.f"][0]) and runs[1]["count"][-1] == 1.0
