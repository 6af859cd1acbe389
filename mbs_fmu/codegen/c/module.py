"""Kernels as one file of C99.

Each kernel, for each sequence of kinds of its arguments, becomes one static function `k_NAME`. Functions follow those
that they call, so that the file needs no prototypes. Several results are a struct by value, integers have the type
`integer`. The file needs <math.h> and memcpy only; it is valid C++ too.

C's results equal those of the LLVM code and of Python, bit for bit, except for the last bit of powers and of functions
of the C library, which are those of the platform's library. The preamble forbids what would change them: contraction of
a * b + c into one rounding, and options such as -ffast-math.
"""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Collection, Mapping
from types import FunctionType

import numpy as np

from ...infrastructure.progress import count
from ..llvm.kinds import Kind, Pack, constant_kind, inferred
from ..llvm.subset import definition_of
from .helpers import HELPERS, PREAMBLE, SINGLE, helper_text
from .statements import Body, declared
from .text import PLUS, RESERVED, Text, comment, wrapped

SMALL = 2**31  #: enumerators are below
INT16 = 2**15


class Module:
    """Functions, constants and tables of one file.

    `regions` are the start and size of the record's regions, `slots` the names of variables by their index: both only
    serve readers of the text. `real` is the type of numbers ("double" or "float"), `integer` that of integers.
    `reserved` are names that another text in the same translation unit defines: constants avoid them.
    """

    def __init__(
        self,
        regions: Mapping[str, tuple[int, int]] | None = None,
        slots: Mapping[int, str] | None = None,
        real: str = "double",
        integer: str = "int64_t",
        reserved: Collection[str] = (),
    ):
        self.real, self.integer, self.suffix = real, integer, "f" if real == "float" else ""
        self._slots = slots or {}
        self._places = sorted((start, size, name) for name, (start, size) in (regions or {}).items() if size)
        self._reserved = RESERVED.union(HELPERS, reserved)
        self._written: dict[tuple[FunctionType, tuple[Kind, ...]], str] = {}
        self._names: set[str] = set()
        self._functions: list[str] = []
        self._enumerators: dict[str, int] = {}
        self._constants: dict[str, str] = {}
        self._tables: dict[str, str] = {}
        self._packs: set[int] = set()
        self._helpers: set[str] = set()
        self._regions: set[str] = set()

    # -- what functions need --------------------------------------------------------------------------------
    def legal(self, name: str) -> str:
        """Return a name of the kernels, changed if C, a helper or another text has it."""
        return f"{name}_" if name in self._reserved else name

    def type(self, kind: Kind) -> str:
        if isinstance(kind, Pack):
            self._packs.add(kind.size)
            return f"pack{kind.size}"
        return {"float": self.real, "int": "integer", "bool": "bool", "array": f"{self.real} *", None: "void"}[kind]

    def helper(self, name: str) -> str:
        self._helpers.add(name)
        return name

    def number(self, value: float) -> str:
        """Return an exact number in C; in single precision, the nearest one that is finite and not zero."""
        if not math.isfinite(value):
            return "NAN" if math.isnan(value) else "INFINITY" if value > 0.0 else "-INFINITY"
        if self.suffix:
            value = SINGLE.get(value, value)
            size = min(max(abs(value), float(np.finfo(np.float32).tiny)), float(np.finfo(np.float32).max))
            value = math.copysign(size, value) if value else value
        return f"{value!r}{self.suffix}"

    def constant(self, name: str, value: object) -> str:
        """Return the name of a constant of the kernels' module, written at its first use."""
        kind, name = constant_kind(value), self.legal(name)
        if isinstance(kind, Pack):
            assert isinstance(value, tuple)
            numbers = ", ".join(self.number(float(x)) for x in value) if any(value) else self.number(0.0)
            self._constants[name] = wrapped(f"static const {self.type(kind)} {name} = {{{{{numbers}}}}};")
        elif kind == "float":
            self._constants[name] = f"static const {self.real} {name} = {self.number(float(value))};"  # type: ignore[arg-type]
        elif -SMALL <= int(value) < SMALL:  # type: ignore[call-overload]
            self._enumerators[name] = int(value)  # type: ignore[call-overload]
        else:
            self._constants[name] = f"static const integer {name} = INT64_C({value});"
        return name

    def table(self, name: str, values: np.ndarray) -> str:
        """Return the name of a constant array of integers, written at its first use."""
        name = self.legal(name)
        if name not in self._tables:
            numbers = tuple(map(int, values))
            largest = max(map(abs, numbers), default=0)
            kind = "int16_t" if largest < INT16 else "int32_t" if largest < SMALL else "int64_t"
            entries = ", ".join(map(str, numbers)) or "0"
            self._tables[name] = wrapped(f"static const {kind} {name}[{max(len(numbers), 1)}] = {{{entries}}};")
        return name

    def address(self, place: int) -> Text:
        """Return an index of the record by the name of its region."""
        k = bisect(self._places, (place, math.inf, "")) - 1
        if k < 0 or place >= sum(self._places[k][:2]):
            return Text(str(place))
        start, _, name = self._places[k]
        self._regions.add(name)
        text = f"R_{name.upper()}"
        return Text(text) if place == start else Text(f"{text} + {place - start}", PLUS)

    def slot(self, place: int) -> str:
        """Return a comment with the name of the variable at an index of the record; nothing if there is none."""
        return f" /* {comment(self._slots[place])} */" if place in self._slots else ""

    def kernel(self, function: FunctionType, kinds: tuple[Kind, ...]) -> str:
        """Return the name of a kernel in C, written at its first use. Raises Refused."""
        key = function, kinds
        if key not in self._written:
            base = f"k_{function.__name__}"
            others = (f"{base}_{number}" for number in range(2, len(self._names) + 3))
            name = next(name for name in (base, *others) if name not in self._names)
            self._names.add(name)
            self._written[key] = name
            self._functions.append(Body(inferred(function, kinds, True), self, name).text())
            count()
        return self._written[key]

    # -- the file -------------------------------------------------------------------------------------------
    def entry(self, name: str, function: FunctionType, kinds: tuple[Kind, ...], linkage: str = "static ") -> None:
        """Add a function int64_t NAME(arguments) that calls a kernel; one without a result gives zero.

        Raises Refused for a kernel that belongs to no subset, and NotImplementedError for one with a result that is
        neither an integer nor a truth.
        """
        result = inferred(function, kinds, True).result
        if result not in ("int", "bool", None):
            raise NotImplementedError(f"{name} returns numbers instead of a status")
        inner = self.kernel(function, kinds)
        arguments = [self.legal(a.arg) for a in definition_of(function).args.args]
        head = ", ".join(declared(self, kind, a) for kind, a in zip(kinds, arguments, strict=True))
        call = f"{inner}({', '.join(arguments)});"
        body = f"{call}\n    return 0;" if result is None else f"return {call}"
        self._functions.append(f"{wrapped(f'{linkage}int64_t {name}({head}) {{')}\n    {body}\n}}")

    def text(self, title: str) -> str:
        """Return the file; `title` is its first comment."""
        head = f"{comment(title)}\n *\n * Generated by mbs_fmu; do not edit. C99; needs <math.h> and memcpy only."
        parts = [f"/* {head} */", PREAMBLE, f"typedef {self.integer} integer;"]
        parts += [f"typedef struct {{\n    {self.real} at[{n}];\n}} pack{n};" for n in sorted(self._packs)]
        parts += [self._region_names(), self._integers()]
        parts += ["\n".join(self._constants.values()), "\n".join(self._tables.values())]
        parts += [helper_text(name, self.real, self.integer) for name in HELPERS if name in self._helpers]
        return "\n\n".join(part for part in [*parts, *self._functions] if part) + "\n"

    def _region_names(self) -> str:
        rows = [place for place in self._places if place[2] in self._regions]
        lines = [f"    R_{name.upper()} = {start}, /* {size} */" for start, size, name in rows]
        head = "/* Where regions of the record R begin, and how many numbers they have. */\nenum {\n"
        return head + "\n".join(lines) + "\n};" if lines else ""

    def _integers(self) -> str:
        listed = ", ".join(f"{name} = {value}" for name, value in self._enumerators.items())
        return wrapped(f"enum {{ {listed} }};") if listed else ""
