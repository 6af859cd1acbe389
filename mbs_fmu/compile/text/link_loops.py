"""Loops over the links around traced steps: inboard (children first) and outboard (parents first).

Each class's step is a straight-line function. The values that travel between neighbours pass through it as one tuple,
`carried`, which stays in registers. If a link has several children, or does not directly follow its parent, the carried
values pass through the parent's branch slot in the record.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...lazy_dataclasses import dataclass
from ...record.layout import CHANNEL_INDICES, ROW_INDICES, Directions, Region, arrays

MOST_NAMES = 6  #: of links that a docstring lists
MOST_RUNS = 4  #: up to this many runs of equal classes get a loop each, without dispatch
#: Index variables of a link, by region.
INDICES = {"constants": "c", "saved": "s", "twist": "t", "pose": "b", "balance": "m"}

#: Further index variables in models with elastic bodies, and their values.
OF_MODES = {
    "x": "ELASTIC_INDEX[i]", "e": "ELASTIC_PARENT[i]", "h": "SHAPES_INDEX[i]", "v": "U_PARENT[i]",
    "form": "FORM_INDEX[i]", "modes": "MODE_COUNT[i]",
}  # fmt: skip


@dataclass
class Step:
    """Code of one class's step: lines, new values of carried locals that it changes, index variables that it uses."""

    lines: list[str]
    results: Mapping[str, str]
    bases: frozenset[str]


@dataclass
class Pass:
    """One pass over all links: its steps by class, and the locals that it carries.

    names, slots: the carried locals and their places in a branch slot; their tangents along directions are carried too.
    doc: description of a step, with the numbers of its equations.
    """

    name: str
    steps: Sequence[Step]
    names: Sequence[str]
    slots: Sequence[int]
    doc: str
    along: Directions = ()

    @property
    def suffix(self) -> str:
        return suffix(self.along)

    @property
    def arrays(self) -> str:
        return ", ".join(arrays(self.along))

    @property
    def _prefixes(self) -> list[tuple[str, str]]:
        """Each array with the prefix of the locals that belong to it."""
        prefixes = [("R", "")]
        for direction in self.along:
            prefixes += [(direction.arrays[array], direction.prefix + prefix) for array, prefix in prefixes]
        return prefixes

    @property
    def carried(self) -> list[str]:
        return [prefix + name for _, prefix in self._prefixes for name in self.names]

    @property
    def variable(self) -> str:
        """Name of the tuple of all carried locals, in the loop."""
        return f"carried_{len(self.carried)}"

    def places(self, start: int, base: str = "a + ") -> list[tuple[str, str]]:
        """Each carried local with its address in the block at index `a`."""
        return [
            (f"{prefix}{name}", f"{array}[{base}{slot + start}]")
            for array, prefix in self._prefixes
            for name, slot in zip(self.names, self.slots, strict=True)
        ]


@dataclass
class LinkLoop:
    """Functions of a pass, and the lines that call them for every link."""

    functions: list[str]
    lines: list[str]


@dataclass
class Order:
    """Name, class, parent and number of children of each link, in the order of the loops."""

    names: Sequence[str]
    of_link: Sequence[int]
    parent: Sequence[int]
    children: Sequence[int]
    leaves_marked: bool  #: links without children have classes of their own, which read no carried values
    loops: bool = False  #: the model has loops, whose rows travel with the passes (kernels/closures/elimination.py)
    modes: bool = False  #: some loops have constraint modes: rows of released ones do not travel
    leaders: Sequence[Sequence[int]] = ()  #: for each channel of coupled joints and link, the group's joint velocity

    def members(self, link_class: int) -> str:
        """Names of the links of a class, as text."""
        names = [name for name, k in zip(self.names, self.of_link, strict=True) if k == link_class]
        return ", ".join(names[:MOST_NAMES]) + (f", ... ({len(names)})" if len(names) > MOST_NAMES else "")

    @property
    def branched(self) -> bool:
        return any(n > 1 for n in self.children)

    @property
    def slots(self) -> int:
        return sum(n > 1 for n in self.children)


def suffix(along: Directions) -> str:
    """Suffix of the names of kernels with tangents."""
    return "_" + "d" * len(along) if along else ""


def call(along: Directions, *more: str) -> str:
    """Suffix and argument list of a call: the records, then other arguments."""
    return f"{suffix(along)}({', '.join([*arrays(along), *more])})"


def leader_table(channel: int) -> str:
    """Name of the constant array with the joint velocity of the group in a channel, by link."""
    return f"LEADS_{channel}"


def indent(lines: Sequence[str], level: int = 1) -> list[str]:
    return ["    " * level + line for line in lines]


class LinkLoopWriter:
    """Writes both loops, inward and outward, for the links of one model."""

    def __init__(self, order: Order, regions: dict[str, Region], carried: int):
        self.order = order
        self.regions = regions
        self.carried = carried  #: size of a branch slot
        self.widths: set[int] = set()  #: widths of the tuples of zeros from which the loops written so far start

    def inboard(self, which: Pass, rows: Sequence[Step] = ()) -> LinkLoop:
        """A pass from children to parents. rows: code of an open row by class; rows are eliminated on the way (L7)."""
        before, after, functions = [], [], []
        if not self.order.leaves_marked:
            before += ["if CHILDREN[i] == 0:", f"    {which.variable} = {self._zeros(which)}"]
        if self.order.branched:
            places = which.places(self.regions["branch"].start)
            sums_of = [f"sum_{name} = {name} + {place}" for name, place in places]
            sums_of += [f"{place} = 0.0" for _, place in places]
            sums = {name: f"sum_{name}" for name in which.carried}
            functions += [
                function(f"{which.name}_take", which, ["a"], sums_of, sums, True),
                function(f"{which.name}_give", which, ["a"], [f"{place} += {name}" for name, place in places]),
            ]
            size, call = f"{self.carried}", f"({which.arrays}, a, {which.variable})"
            take = f"    {which.variable} = {which.name}_take{call}"
            before += ["if CHILDREN[i] > 1:", f"    a = SLOT[i] * {size}", take]
            after += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = SLOT[PARENT[i]] * {size}"]
            after += [f"    {which.name}_give{call}"]
        if not rows:
            return self._loops(which, functions, before, after, backwards=True)
        start, d = self.regions["added"].start, which.suffix
        sums = {name: f"{name} + {place}" for name, place in which.places(start, "")}
        functions.append(function(f"{which.name}_added", which, [], [], sums, True))
        before += ["if ROOTED_FIRST[i + 1] > ROOTED_FIRST[i]:", f"    eliminate{d}({which.arrays}, i, True)"]
        before += [f"    {which.variable} = {which.name}_added({which.arrays}, {which.variable})"]
        after = [f"gather{d}({which.arrays}, i)", *after]
        indices, more = self._row_functions(f"{which.name}_row", rows, which.arrays, functions)
        return self._loops(which, functions, before, after, backwards=True, more=more, extra=indices)

    def rows(self, name: str, rows: Sequence[Step]) -> LinkLoop:
        """A pass of rows alone, from children to parents; rows: code of an open row by class."""
        functions: list[str] = []
        indices, more = self._row_functions(name, rows, "R", functions)
        body = [*self._set(indices), *self._by_class(more), "gather(R, i)"]
        return LinkLoop(functions, [f"for i in range({len(self.order.of_link) - 1}, -1, -1):", *indent(body)])

    def _row_functions(
        self, name: str, rows: Sequence[Step], arrays: str, functions: list[str]
    ) -> tuple[list[str], list[list[str]]]:
        """Add functions for one row of each class; return their index variables and the lines that call them."""
        indices = self._used(rows)
        calls = []
        for link_class, row in enumerate(rows):
            arguments = ", ".join([arrays, *indices, *ROW_INDICES])
            body = [
                f'"""One open row of a loop at {self.order.members(link_class)}: (L7)."""',
                *self._channel_indices(),
                *row.lines,
            ]
            functions.append("\n".join(["@kernel", f"def {name}_{link_class}({arguments}):", *indent(body)]))
            places = [f"OPEN[4 * e + {k}]" for k in range(4)]
            call = f"{name}_{link_class}({', '.join([arrays, *indices, *places])})"
            lines = ["for e in range(OPEN_FIRST[i], OPEN_SURE[i]):", *indent([call])]
            if self.order.modes:
                lines = [
                    "sure = OPEN_SURE[i]",
                    "for e in range(OPEN_FIRST[i], end_of(R, i, sure, OPEN_FIRST[i + 1])):",
                    "    if e < sure or not is_off(R, OPEN[4 * e + 3]):",
                    *indent([call], 2),
                ]
            calls.append(lines)
        return indices, calls

    def _channel_indices(self) -> list[str]:
        """Lines that set the index of Z of an open row, which follows from that of Y."""
        count = len(self.order.leaders)
        indices = zip(CHANNEL_INDICES, ROW_INDICES[:2], strict=True)
        return [f"{z} = {y} // 6 * {count}" for z, y in indices] if count else []

    def outboard(self, which: Pass, stored: str, loops: bool = False) -> LinkLoop:
        """A pass from parents to children.

        stored: region with the values of branching parents, the branch slots or a region that every link writes anyway.
        loops: multipliers of the loops are computed on the way (L7).
        """
        before, after, functions = [], [], []
        if self.order.branched:
            region = self.regions[stored]
            index = f"SLOT[{{}}] * {self.carried}" if stored == "branch" else f"{{}} * {region.stride}"
            places, call = which.places(region.start), f"({which.arrays}, a, {which.variable})"
            functions.append(function(f"{which.name}_take", which, ["a"], [], dict(places)))
            before += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = {index.format('PARENT[i]')}"]
            before += [f"    {which.variable} = {which.name}_take{call}"]
            if stored == "branch":
                lines = [f"{place} = {name}" for name, place in places]
                functions.append(function(f"{which.name}_give", which, ["a"], lines))
                after += ["if CHILDREN[i] > 1:", f"    a = {index.format('i')}", f"    {which.name}_give{call}"]
        if loops:
            d = which.suffix
            before.append(f"push{d}({which.arrays}, i, RATE_INDEX[i], RATES_OF[i])")
            call = f"multipliers{d}({which.arrays}, i, True)"
            after += ["if ROOTED_FIRST[i + 1] > ROOTED_FIRST[i]:", f"    {call}"] if self.order.modes else [call]
        return self._loops(which, functions, before, after, backwards=False)

    # -- one loop, or one for each run of equal classes -------------------------------------------
    def _loops(
        self,
        which: Pass,
        functions: list[str],
        before: list[str],
        after: list[str],
        backwards: bool,
        more: Sequence[Sequence[str]] = (),
        extra: Sequence[str] = (),
    ) -> LinkLoop:
        """A pass. more: lines after the call of each class; extra: index variables that they use."""
        indices = self._used(which.steps)
        setup = self._set(self._ordered({*indices, *extra}))
        for link_class, step in enumerate(which.steps):
            name, doc = f"{which.name}_{link_class}", f"{self.order.members(link_class)}: {which.doc}."
            functions.append(function(name, which, indices, step.lines, step.results, True, doc))
        runs, total = self._runs(), len(self.order.of_link)
        ranges = [(0, total, -1)] if len(runs) > MOST_RUNS else runs
        lines = [f"{which.variable} = {self._zeros(which)}"]
        calls = [
            [
                f"{which.variable} = {which.name}_{k}({', '.join([which.arrays, *indices, which.variable])})",
                *(more[k] if more else ()),
            ]
            for k in range(len(which.steps))
        ]
        for first, last, link_class in reversed(ranges) if backwards else ranges:
            header = f"range({last - 1}, {first - 1}, -1)" if backwards else f"range({first}, {last})"
            body = [*setup, *before, *(_dispatch(calls) if link_class < 0 else calls[link_class]), *after]
            lines += [f"for i in {header}:", *indent(body)]
        return LinkLoop(functions, lines)

    def _by_class(self, calls: Sequence[Sequence[str]]) -> list[str]:
        return _dispatch(calls) if len(calls) > 1 else list(calls[0])

    def _runs(self) -> list[tuple[int, int, int]]:
        runs: list[tuple[int, int, int]] = []
        for i, link_class in enumerate(self.order.of_link):
            if runs and runs[-1][2] == link_class:
                runs[-1] = (runs[-1][0], i + 1, link_class)
            else:
                runs.append((i, i + 1, link_class))
        return runs

    def _settings(self) -> dict[str, str]:
        """The index variables of link i, and their values."""
        settings = {"q": "Q_INDEX[i]", "j": "U_INDEX[i]", "g": "DRIVEN_Q_INDEX[i]", "d": "DRIVEN_U_INDEX[i]"}
        for region, base in INDICES.items():
            if region in self.regions:
                settings[base] = f"i * {self.regions[region].stride}"
        settings |= {f"l{n}": f"{leader_table(n)}[i]" for n in range(len(self.order.leaders))}
        return settings | (OF_MODES if "elastic" in self.regions else {})

    def _zeros(self, which: Pass) -> str:
        """Name of a tuple of zeros for all locals that a pass carries."""
        width = len(which.carried)
        self.widths.add(width)
        return f"ZEROS_{width}"

    def _used(self, steps: Iterable[Step]) -> list[str]:
        """The index variables that steps use."""
        return self._ordered({base for step in steps for base in step.bases})

    def _ordered(self, bases: Collection[str]) -> list[str]:
        return [base for base in self._settings() if base in bases]

    def _set(self, bases: Iterable[str]) -> list[str]:
        """The lines that set index variables."""
        settings = self._settings()
        return [f"{base} = {settings[base]}" for base in bases]


def function(
    name: str,
    which: Pass,
    indices: Sequence[str],
    lines: Sequence[str],
    results: Mapping[str, str] | None = None,
    unpack: bool = False,
    doc: str = "",
) -> str:
    """Text of a straight-line function; with `results` it returns the carried locals with these new values."""
    doc = doc or "What travels between links that are no neighbours in the order of the loop."
    arguments = ", ".join([which.arrays, *indices, "carried"])
    body = [f'"""{doc}"""']
    if unpack or results is None:
        body += [f"{packed(which.carried)} = carried"]
    body += lines
    if results is not None:
        body += [f"return {packed([results.get(name, name) for name in which.carried])}"]
    return "\n".join(["@kernel", f"def {name}({arguments}):", *indent("\n".join(body).splitlines())])


def packed(items: Sequence[str]) -> str:
    """Text of a tuple, wrapped."""
    lines = textwrap.wrap(", ".join(items), 110, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["(", *indent(lines), ",)"])


def _dispatch(calls: Sequence[Sequence[str]]) -> list[str]:
    """Lines that select the call for the link's class."""
    lines = ["link_class = CLASS[i]"]
    for number, call in enumerate(calls):
        test = "if" if number == 0 else "elif"
        lines.append(f"{test} link_class == {number}:" if number < len(calls) - 1 or number == 0 else "else:")
        lines += indent(call)
    return lines
