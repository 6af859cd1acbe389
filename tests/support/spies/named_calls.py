"""Runs of generated text as plain Python in which kernels are called a second time, as they are written.

Before a call of a function of the text, its arrays are copied; the kernel of which the function is the flat text runs
on views of the copies. Kernels that it calls run as they are written, too. Numbers that it neither reads nor writes by
its derived effects are NaN in the copies.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType
from typing import Any, get_type_hints
from unittest import mock

import numpy as np

from mbs_fmu.codegen import engines
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile import build
from mbs_fmu.infrastructure.syntax import parsed
from mbs_fmu.integrate.methods.texts import PLACEHOLDER
from mbs_fmu.kernels.sources import Kernel, definition, named_source
from mbs_fmu.model.model import Model
from mbs_fmu.record import schema
from mbs_fmu.record.fields import DeclaredTable, Matrix, Struct, Vector
from mbs_fmu.record.flat_names import ARRAYS, constants_of
from mbs_fmu.record.kernel_module import KernelModule
from mbs_fmu.record.layout import RecordLayout
from mbs_fmu.record.module_reading import module_of
from mbs_fmu.record.program import Program
from mbs_fmu.record.regions import layout_of
from mbs_fmu.record.sizes import Sizes
from support.effects import UNKNOWN, all_effects
from support.kernels import all_kernels, kernels_written_by, named
from support.views import ArrayView, Block, TableView, View, Views, onwards, rows

IMPORT = "from numba import njit\n"  #: in the head of generated modules
REPEATED = frozenset(4**k for k in range(16))  #: first ones, and some in later situations
FAULTS = (IndexError, TypeError, AttributeError, NameError, KeyError, ValueError)  #: of a kernel on views
TABLES = {name: table for name, table in schema.TABLES.items() if table.row}  #: those with named columns


@functools.cache
def kernels_by_text(method: str) -> Mapping[str, Mapping[str, FunctionType]]:
    """Return kernels by their flat text, then by name: those that a method writes, for "" those of all source files.

    Defaults of hooks that do nothing have the same text.
    """
    found: defaultdict[str, dict[str, FunctionType]] = defaultdict(dict)
    if method:
        texts = {kernel: bare(reparsed(tree)) for kernel, tree in kernels_written_by(method).items()}
    else:
        texts = {kernel: flat_text(kernel) for kernel in all_kernels()}
    for kernel, text in texts.items():
        found[text].setdefault(kernel.__name__, kernel)
    return found


def reparsed(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return a tree as it is read from text."""
    (read,) = parsed(ast.unparse(ast.fix_missing_locations(tree))).body
    assert isinstance(read, ast.FunctionDef)
    return read


@functools.cache
def argument_types(kernel: Kernel) -> Mapping[str, Any]:
    """Return the types of a kernel's arguments, by name and in their order."""
    hints = get_type_hints(kernel, include_extras=True)
    return {name: hints[name] for name in inspect.signature(kernel).parameters}


def bare(tree: ast.FunctionDef) -> str:
    """Return arguments and statements of flat text."""
    arguments = ", ".join(a.arg for a in tree.args.args)
    body = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    text = "\n".join(ast.unparse(statement) for statement in body)
    return f"({arguments})\n{text}"


@functools.cache
def flat_text(kernel: Kernel) -> str:
    """Return the text that a kernel has in generated modules, without its name."""
    return bare(_Unmarked().visit(definition(kernel)))


class _Unmarked(ast.NodeTransformer):
    """Removes the marks of constants, which generated modules lack."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        return node.args[0] if isinstance(node.func, ast.Name) and node.func.id == "constant" else node


def kernel_of(tree: ast.FunctionDef, method: str) -> FunctionType | None:
    """Return the kernel of which a function is the flat text; `method`: the name that stands for METHOD, or ""."""
    text, name = bare(tree), tree.name
    if method:
        text, name = (re.sub(rf"\b{method}_", PLACEHOLDER, x) for x in (text, name))
    same = kernels_by_text("").get(text) or kernels_by_text(method).get(text, {})
    return same.get(name, next(iter(same.values()), None))


def method_of(name: str, methods: Sequence[str]) -> str:
    """Return the method to which a function of a module belongs; "" if it serves all methods."""
    return next((method for method in methods if name.startswith(f"{method}_")), "")


def is_stub(kernel: Kernel) -> bool:
    """True for a declaration, or a default of a hook, that neither reads a number nor calls a function."""
    body = parsed(flat_text(kernel).partition("\n")[2]).body
    return not any(isinstance(n, ast.Subscript | ast.Call) for s in body for n in ast.walk(s))


def compiled_with_layout(model: Model, methods: tuple[str, ...]) -> tuple[Program, RecordLayout]:
    """Compile a model; return the program, and the layout of its record."""
    noted: list[RecordLayout] = []

    def noting(sizes: Sizes) -> RecordLayout:
        noted.append(layout_of(sizes))
        return noted[-1]

    with mock.patch.object(build, "layout_of", noting):
        program = build.compile_model(model, methods=methods)
    return program, noted[-1]


@contextmanager
def kernels_called_twice(methods: tuple[str, ...]) -> Iterator[list[NamedCalls]]:
    """Run models as plain Python in this context, by any function of the package; gives the texts that it loads.

    Functions that need the later part of a module are called once.
    """
    layouts: list[RecordLayout] = []
    loaded: list[NamedCalls] = []

    def noting(sizes: Sizes) -> RecordLayout:
        layouts.append(layout_of(sizes))
        return layouts[-1]

    def load(source: KernelModule | str) -> ModuleType:
        module, own = load_plain(source), module_of(source)
        layout = next(layout for layout in reversed(layouts) if constants_of(layout).items() <= vars(module).items())
        calls = NamedCalls(layout, own.text, methods)
        loaded.append(calls)
        functions = {name: f for name, f in vars(calls.plain).items() if name in calls.flat and callable(f)}
        vars(module).update({name: f for name, f in functions.items() if name not in own.unfinished})
        vars(module)["load"] = load
        return module

    with (
        TemporaryDirectory() as folder,
        mock.patch.dict(os.environ, MBS_FMU_CACHE=folder, MBS_FMU_ENGINE="python"),
        mock.patch.object(build, "layout_of", noting),
        mock.patch.object(engines, "load_plain", load),
    ):
        yield loaded


def load_whole(text: str) -> ModuleType:
    """Return the module as plain Python functions that look up each other by name; `load_plain` compiles each at its
    first call."""
    module = ModuleType("whole")
    exec(text.replace(IMPORT, "njit = dict\n").replace("@kernel\n", "").replace("@jit\n", ""), module.__dict__)
    return module


class NamedCalls:
    """The functions of a text as plain Python, for a model's layout and some methods.

    Those calls of a kernel are repeated whose numbers are in `REPEATED`.

    calls: the number of calls of each kernel, by its name and module.
    differences: for each kernel whose second call differed from the first one, what differed.
    """

    def __init__(self, layout: RecordLayout, text: str, methods: tuple[str, ...]):
        self.plain = load_whole(text)
        self.flat = dict(vars(self.plain))
        self.views = Views(layout)
        self.calls: defaultdict[str, int] = defaultdict(int)
        self.differences: dict[str, str] = {}
        self.is_repeating = False
        self.left_alone = functools.cache(self._left_alone)
        functions = [tree for tree in parsed(text).body if isinstance(tree, ast.FunctionDef)]
        found = {tree.name: kernel_of(tree, method_of(tree.name, methods)) for tree in functions}
        self.kernels = {name: kernel for name, kernel in found.items() if kernel}
        self.written = self._written(methods)
        for name, kernel in self.kernels.items():
            vars(self.plain)[name] = functools.partial(self._call_twice, name, kernel)

    def _written(self, methods: tuple[str, ...]) -> dict[str, FunctionType]:
        """Return the kernels of the text as they are written, by the names of their flat text.

        Their names have the values of the generated module; what it lacks is that of their own modules.
        """
        known = self.flat | {n: self._across(f) for n, f in self.flat.items() if isinstance(f, FunctionType)}
        known |= {n: TableView(n, table, self.flat.__getitem__) for n, table in TABLES.items() if self._has(n, table)}
        scopes: dict[tuple[str, str], dict[str, Any]] = {}
        written: dict[str, FunctionType] = {}
        for name, kernel in self.kernels.items():
            place = kernel.__module__, method_of(name, methods)
            scope = scopes.setdefault(place, dict(kernel.__globals__))
            written[name] = FunctionType(kernel.__code__, scope, kernel.__name__, kernel.__defaults__)
        known |= written
        for (_, method), scope in scopes.items():
            own = {name: value for name, value in known.items() if method and method_of(name, (method,))}
            scope |= known | {PLACEHOLDER + name.removeprefix(f"{method}_"): value for name, value in own.items()}
        return written

    def _has(self, name: str, table: DeclaredTable) -> bool:
        return all(own in self.flat for own in (table.separate or {name: name}).values())

    def _across(self, function: FunctionType) -> Callable[..., Any]:
        """Return a function of flat text for calls with views."""
        return lambda *arguments: function(*map(flat_argument, arguments))

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the text."""
        return getattr(self.plain, name)(*arguments)

    def _call_twice(self, name: str, kernel: FunctionType, *arguments: Any) -> Any:
        if self.is_repeating:
            return self.flat[name](*arguments)
        self.calls[named(kernel)] += 1
        count = self.calls[named(kernel)]
        if count not in REPEATED:
            return self.flat[name](*arguments)
        copies = copied(arguments)
        hidden = self._hide(kernel, copies)
        self.is_repeating = True
        try:
            other = self.written[name](*self._viewed(kernel, copies))
        except FAULTS as error:
            self.differences.setdefault(named(kernel), f"{type(error).__name__}: {error}")
            return self.flat[name](*arguments)
        finally:
            self.is_repeating = False
        if not np.isnan(copies[0][hidden]).all():
            self.differences.setdefault(named(kernel), "it writes other numbers than those that are derived")
        copies[0][hidden] = arguments[0][hidden]
        result = self.flat[name](*arguments)
        pairs = zip((*arguments, result), (*copies, other), strict=True)
        if wrong := [k for k, (flat, as_written) in enumerate(pairs) if bits(flat) != bits(as_written)]:
            self.differences.setdefault(named(kernel), f"call {count}: arguments {wrong}, the result last")
        return result

    def _hide(self, kernel: FunctionType, arguments: Sequence[Any]) -> np.ndarray:
        """Replace numbers of the record that a kernel neither reads nor writes by NaN; return which they are."""
        R, *others = arguments
        hidden = self.left_alone(kernel)[: len(R)].copy()
        if any(isinstance(a, np.ndarray) and np.shares_memory(R, a) for a in others):
            hidden[:] = False
        R[hidden] = np.nan
        return hidden

    def _left_alone(self, kernel: FunctionType) -> np.ndarray:
        """Return for each number of the record whether neither a kernel nor those that it calls access it.

        All are False if the kernel gets views of unknown numbers, or calls functions that depend on the model.
        """
        found, record = all_effects().get(kernel, UNKNOWN), kernel.__code__.co_varnames[0]
        left_alone = np.ones(self.views.start("end"), dtype=bool)
        starts = {record: 0, f"{record}.second": self.views.start("tail")}
        accessed = {(starts[e.array], e.name.partition(".")[0]) for e in found.effects if e.array in starts}
        if found.generated or not all(name.isidentifier() for _, name in accessed):
            return ~left_alone
        for start, name in accessed:
            numbers = self.views.numbers(name)
            left_alone[start + numbers.start : start + numbers.stop] = False
        return left_alone

    def _viewed(self, kernel: FunctionType, arguments: Sequence[Any]) -> list[Any]:
        """Return the arguments of a kernel as it is written for those of its flat text."""
        R, rest = arguments[0], iter(arguments)
        given: dict[str, Any] = {}
        lengths: dict[str, str] = {}
        for name, kind in argument_types(kernel).items():
            value = next(rest)
            (note,) = getattr(kind, "__metadata__", ("",))
            base = getattr(kind, "__origin__", kind)
            if base in ARRAYS:
                given[name] = self.views.of(base, value)
            elif base is Vector:
                given[name] = onwards(R, int(value), int(next(rest)) if note else 1)
            elif base is Matrix:
                given[name], lengths[name] = int(value), note
            elif isinstance(base, type) and issubclass(base, Struct):
                given[name] = Block(R, int(value), base)
            else:
                given[name] = value
        for name, length in lengths.items():
            given[name] = rows(R, given[name], self._row_length(kernel, length, given))
        return list(given.values())

    def _row_length(self, kernel: FunctionType, length: str, given: dict[str, Any]) -> int:
        """Return the length of the rows of an argument: an expression of other arguments, or of a kernel's local."""
        for node in named_source(kernel).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == length:
                length = ast.unparse(node.value)
        return int(eval(length, kernel.__globals__ | self.flat | given))


def flat_argument(argument: Any) -> Any:
    """Return what flat text takes for a view: an array, or an address."""
    if isinstance(argument, ArrayView):
        return argument.numbers
    return argument.address if isinstance(argument, View | Block) else argument


def copied(arguments: Sequence[Any]) -> list[Any]:
    """Return arguments with copies of arrays; a second record that is behind the first is so in the copy, too."""
    copies: list[Any] = []
    for k, a in enumerate(arguments):
        first = next((j for j in range(k) if isinstance(a, np.ndarray) and np.shares_memory(a, arguments[j])), None)
        if first is not None:
            copies.append(copies[first][len(copies[first]) - len(a) :])
        else:
            copies.append(a.copy() if isinstance(a, np.ndarray) else a)
    return copies


def bits(x: Any) -> Any:
    """Return what is equal for the same bits: of an array, a number or several."""
    if isinstance(x, np.ndarray):
        return x.tobytes()
    return tuple(map(bits, x)) if isinstance(x, tuple) else x if x is None else np.float64(x).tobytes()
