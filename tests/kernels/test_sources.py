"""Kernels as text: each name belongs to one function, in the sources and in every generated module."""

from __future__ import annotations

import ast
import gc
import inspect
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.kernels.closures import modes
from mbs_fmu.kernels.sources import parsed
from support.generators.elastic_mechanisms import sagging_beam, stayed_beam
from support.models.kernel_coverage import bars, floating, held_drive, switching

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
TYPES = {"Record", "int", "float", "bool"}  #: of arguments of kernels
#: Files of stand-ins, for functions that other files call or that a model or method lacks.
STAND_INS = {"kernels/linked.py", "integrate/stepping/hooks.py", "integrate/tangents/hooks.py"}
LOOPS = {
    "integrate/stepping/drivers.py",
    "kernels/closures/loops.py",
}  #: drivers of a tree, and of a model with closed loops
ENDING = {
    "integrate/stepping/drivers.py",
    "integrate/stepping/switching.py",
}  #: steps of fixed size, and steps that end at mode ends
IMPLICIT = {"integrate/methods/gauss.py", "integrate/methods/multistep.py"}  #: of two methods, under the name of each
#: Functions that replace another one of their name on purpose, and the files of all of them.
REPLACED = {
    "check_gimbal_lock": {"integrate/stepping/drivers.py", "kernels/elastic/checks.py"},
    "mark": LOOPS, "prepare_step": LOOPS, "evaluate_between": LOOPS, "completed": LOOPS, "initialise": LOOPS,
    "move_marks": {"integrate/stepping/clock.py", "kernels/closures/loops.py"},
    "METHOD_step": {"integrate/stepping/adaptive.py", "integrate/stepping/switching.py"},
    "METHOD_part": {"integrate/stepping/events.py", "integrate/stepping/switching.py"},
    "METHOD_one": ENDING | IMPLICIT,
    "METHOD_predict": IMPLICIT, "METHOD_enter": IMPLICIT, "METHOD_leave": IMPLICIT,
}  # fmt: skip


def kernels_in(path: Path) -> Iterator[tuple[str, int]]:
    """Return names and lines of the functions of a file whose arguments are numbers and records only."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.args.args:
            types = {ast.unparse(x.annotation) if x.annotation else "" for x in node.args.args}
            if types <= TYPES:
                yield node.name, node.lineno


def test_names_of_kernels_are_unique() -> None:
    """A module of a model with two of one name would contain only the later one, called with the other's arguments."""
    places: dict[str, dict[str, int]] = {}
    for folder in ("kernels", "integrate"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            file = path.relative_to(PACKAGE).as_posix()
            for name, line in kernels_in(path) if file not in STAND_INS else ():
                assert file not in places.get(name, {}), f"{name} is defined twice in {file}"
                places.setdefault(name, {})[file] = line
    several = {name: locations for name, locations in places.items() if len(locations) > 1}
    for name, locations in several.items():
        displayed = " and ".join(f"{file}:{line}" for file, line in locations.items())
        assert set(locations) == REPLACED.get(name), f"kernel {name} is defined in {displayed}: rename one of them"
    assert set(several) == set(REPLACED)


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


@pytest.mark.usefixtures("in_plain_python")
def test_shared_reactions_are_unchanged_by_resets() -> None:
    """Functions that share a load among redundant rows are not confused with those of resets: the start has the same
    bits.
    """
    runs = [
        mbs.simulate(redundant(event), 0.3, method="rk4", step=0.02, output_interval=0.1) for event in (False, True)
    ]
    assert np.array_equal(runs[0]["pin.f"][0], runs[1]["pin.f"][0]) and runs[1]["count"][-1] == 1.0
