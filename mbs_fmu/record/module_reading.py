"""Generated modules, read from their text, and the addresses that their functions contain."""

from __future__ import annotations

import ast
from functools import partial
from itertools import accumulate

from ..infrastructure.syntax import parsed
from .branches import branches_of
from .kernel_module import ENTRY_PREFIX, KernelModule, Outline, Place, printed_module, zeros_name

KERNEL, ENTRY = "kernel", "jit"  #: decorators of kernels, and of functions through which Python calls kernels


def read_module(text: str) -> KernelModule:
    """Return the module with a text, which is parsed when its contents are needed first.

    Constants have the form in which modules are printed. All other statements belong to the head.
    """
    return printed_module(text, partial(_outline, text))


def module_of(source: KernelModule | str) -> KernelModule:
    """Return a module that is given as such or by its text."""
    return read_module(source) if isinstance(source, str) else source


def _outline(text: str) -> Outline:
    return _Reader(text).outline()


class _Reader:
    """Reader of the statements of a module, one after the other."""

    def __init__(self, text: str):
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.text = text
        self.head: list[str] = []
        self.numbers: dict[str, float] = {}
        self.tables: dict[str, list[int]] = {}
        self.zeros: list[int] = []
        self.places: dict[str, Place] = {}

    def outline(self) -> Outline:
        """Read all statements, and return the outline."""
        for node in parsed(self.text).body:
            match node:
                case ast.FunctionDef():
                    self.note_function(node)
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.note_constant(name, value):
                    pass
                case _:
                    self.head.append(self.text[slice(*self.extent(node))])
        constants = self.numbers, self.tables, tuple(self.zeros)
        return Outline("\n".join(self.head), *constants, [*self.places.values()], [])

    def note_function(self, node: ast.FunctionDef) -> None:
        """Note a function, or the entry of one that is noted."""
        (start, stop), name = self.extent(node), node.name
        kernel = self.places.get(name.removeprefix(ENTRY_PREFIX))
        if name.startswith(ENTRY_PREFIX) and kernel and _is_decorated(node, ENTRY):
            self.places[kernel.name] = kernel._replace(entry_start=start, entry_stop=stop)
            return
        is_kernel = _is_decorated(node, KERNEL) or _is_decorated(node, ENTRY)
        self.places[name] = Place(name, start, stop, stop, stop, is_kernel, bool(branches_of(node.body)))

    def note_constant(self, name: str, value: ast.expr) -> bool:
        """Note a number, a table or a tuple of zeros, and return True; return False for another value."""
        match value:
            case ast.BinOp(left=ast.Tuple(), op=ast.Mult(), right=ast.Constant(value=int(width))):
                self.zeros += [width] * (name == zeros_name(width))
                return name == zeros_name(width)
            case ast.Call(func=ast.Attribute(attr="int64" | "array"), args=[literal]):
                is_typed = True
            case literal:
                is_typed = False
        try:
            constant = ast.literal_eval(literal)
        except ValueError:
            return False
        match constant:
            case list() if is_typed:
                self.tables[name] = constant
            case int() | float() if is_typed == isinstance(constant, int):
                self.numbers[name] = constant
            case _:
                return False
        return True

    def extent(self, node: ast.stmt) -> tuple[int, int]:
        """Return where a statement begins, with its decorators, and where it ends."""
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        start, stop = self.starts[first - 1], self.starts[node.end_lineno or first]
        return start, start + len(self.text[start:stop].rstrip())


def _is_decorated(node: ast.FunctionDef, name: str) -> bool:
    return any(isinstance(d, ast.Name) and d.id == name for d in node.decorator_list)


# -- addresses in functions -----------------------------------------------------------------------------------------


def literal_addresses(module: KernelModule) -> set[int]:
    """Return all addresses of the record R that the kernels of a module contain as numbers."""
    found = set[int]()
    for function in module.contents.functions.values():
        for node in ast.walk(parsed(function.text)):
            match node:
                case ast.Subscript(value=ast.Name(id="R"), slice=ast.Constant(value=int(address))):
                    found.add(address)
    return found
