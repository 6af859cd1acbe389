"""Writer of the loops over the links: inboard (children first) and outboard (parents first).

The step of each link class is a straight-line function. Values that pass from link to link are its argument and its
result, as one tuple, `carried`, which stays in registers. If a link has several children, or does not directly follow
its parent, the carried values are stored in the parent's branch slot in the record.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...record.kernel_module import ModuleFunction
from ...record.layout import CHANNEL_INDICES, ROW_INDICES, Directions, Region, arrays
from .named_lines import flat

MOST_NAMES = 6  #: largest number of links that a docstring lists
MOST_RUNS = 4  #: up to this number, each run of links of one class has a loop of its own, without dispatch
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

    `names` and `slots` are the carried locals and their offsets in a branch slot; with directions (`along`), their
    tangents are carried too. `doc` describes a step, with the numbers of its equations.
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
        """Each array, with the prefix of the locals that contain its numbers."""
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

    def addresses(self, start: int, base: str = "a + ") -> list[tuple[str, str]]:
        """Each carried local with its address in the block at index `a`."""
        return [
            (f"{prefix}{name}", f"{array}[{base}{slot + start}]")
            for array, prefix in self._prefixes
            for name, slot in zip(self.names, self.slots, strict=True)
        ]


@dataclass
class LinkLoop:
    """Functions of a pass, and the lines that call them for every link."""

    functions: list[ModuleFunction]
    lines: list[str]


@dataclass
class Order:
    """Name, class, parent and number of children of each link, in the order of the loops."""

    names: Sequence[str]
    of_link: Sequence[int]
    parent: Sequence[int]
    children: Sequence[int]
    leaves_marked: bool  #: links without children have classes of their own, whose steps read no carried values
    loops: bool = False  #: the model has loops, whose rows the passes carry (kernels/closures/elimination.py)
    modes: bool = False  #: some loops have constraint modes; rows of released closures are skipped
    leaders: Sequence[Sequence[int]] = ()  #: by channel and link, the joint velocity of the group of coupled joints

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
    """Return suffix and argument list of a call: the records, then other arguments."""
    return f"{suffix(along)}({', '.join([*arrays(along), *more])})"


def leader_table(channel: int) -> str:
    """Return the name of the constant array with the joint velocity, at each link, of the group in a channel."""
    return f"LEADS_{channel}"


def indent(lines: Sequence[str], level: int = 1) -> list[str]:
    return ["    " * level + line for line in lines]


class LinkLoopWriter:
    """Writes inboard and outboard loops over the links of one model."""

    def __init__(self, order: Order, regions: dict[str, Region], carried: int):
        self.order = order
        self.regions = regions
        self.carried = carried  #: size of a branch slot
        self.widths: set[int] = set()  #: widths of the tuples of zeros with which loops start

    def inboard(self, which: Pass, rows: Sequence[Step] = ()) -> LinkLoop:
        """Write a pass from children to parents; `rows`: code of an open row by class. It eliminates rows (L7)."""
        before, after, functions = [], [], []
        if not self.order.leaves_marked:
            before += ["if CHILDREN[i] == 0:", f"    {which.variable} = {self._zeros(which)}"]
        if self.order.branched:
            addresses = which.addresses(self.regions["branch"].start)
            sums_of = [f"sum_{name} = {name} + {address}" for name, address in addresses]
            sums_of += [f"{address} = 0.0" for _, address in addresses]
            sums = {name: f"sum_{name}" for name in which.carried}
            functions += [
                function(f"{which.name}_take", which, ["a"], sums_of, sums, True),
                function(f"{which.name}_give", which, ["a"], [f"{address} += {name}" for name, address in addresses]),
            ]
            size, call = f"{self.carried}", f"({which.arrays}, a, {which.variable})"
            take = f"    {which.variable} = {which.name}_take{call}"
            before += ["if CHILDREN[i] > 1:", f"    a = SLOT[i] * {size}", take]
            after += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = SLOT[PARENT[i]] * {size}"]
            after += [f"    {which.name}_give{call}"]
        if not rows:
            return self._loops(which, functions, before, after, backwards=True)
        start, d = self.regions["added"].start, which.suffix
        sums = {name: f"{name} + {address}" for name, address in which.addresses(start, "")}
        functions.append(function(f"{which.name}_added", which, [], [], sums, True))
        before += ["if ROOTED_FIRST[i + 1] > ROOTED_FIRST[i]:", f"    eliminate{d}({which.arrays}, i, True)"]
        before += [f"    {which.variable} = {which.name}_added({which.arrays}, {which.variable})"]
        after = [f"add_to_delassus{d}({which.arrays}, i)", *after]
        indices, more = self._row_functions(f"{which.name}_row", rows, which.arrays, functions)
        return self._loops(which, functions, before, after, backwards=True, more=more, extra=indices)

    def rows(self, name: str, rows: Sequence[Step]) -> LinkLoop:
        """Write a pass from children to parents that transfers rows only; `rows`: code of an open row by class."""
        functions: list[ModuleFunction] = []
        indices, more = self._row_functions(name, rows, "R", functions)
        body = [*self._set(indices), *self._by_class(more), "add_to_delassus(R, i)"]
        return LinkLoop(functions, [f"for i in range({len(self.order.of_link) - 1}, -1, -1):", *indent(body)])

    def _row_functions(
        self, name: str, rows: Sequence[Step], arrays: str, functions: list[ModuleFunction]
    ) -> tuple[list[str], list[list[str]]]:
        """Add a function for one row of each class; return their index variables and the lines that call them."""
        indices = self._used(rows)
        calls = []
        for link_class, row in enumerate(rows):
            arguments = ", ".join([arrays, *indices, *ROW_INDICES])
            body = [
                f'"""One open row of a loop at {self.order.members(link_class)}: (L7)."""',
                *self._channel_indices(),
                *row.lines,
            ]
            functions.append(kernel(f"{name}_{link_class}", arguments, body))
            addresses = [flat(f"OPEN[e].{column}") for column in ("y", "parent_y", "projection", "row")]
            call = f"{name}_{link_class}({', '.join([arrays, *indices, *addresses])})"
            lines = ["for e in range(OPEN_FIRST[i], OPEN_PERMANENT_END[i]):", *indent([call])]
            if self.order.modes:
                lines = [
                    "sure = OPEN_PERMANENT_END[i]",
                    "for e in range(OPEN_FIRST[i], end_in_use(R, i, sure, OPEN_FIRST[i + 1])):",
                    f"    if e < sure or not is_excluded(R, {addresses[3]}):",
                    *indent([call], 2),
                ]
            calls.append(lines)
        return indices, calls

    def _channel_indices(self) -> list[str]:
        """Return lines that compute the index of Z of an open row from that of Y."""
        count = len(self.order.leaders)
        indices = zip(CHANNEL_INDICES, ROW_INDICES[:2], strict=True)
        return [f"{z} = {y} // 6 * {count}" for z, y in indices] if count else []

    def outboard(self, which: Pass, stored: str, loops: bool = False) -> LinkLoop:
        """Write a pass from parents to children.

        `stored` is the region that contains the carried values of branching parents: the branch slots, or a region that
        every link writes anyway. `loops`: the pass also computes the multipliers of the loops (L7).
        """
        before, after, functions = [], [], []
        if self.order.branched:
            region = self.regions[stored]
            index = f"SLOT[{{}}] * {self.carried}" if stored == "branch" else f"{{}} * {region.stride}"
            addresses, call = which.addresses(region.start), f"({which.arrays}, a, {which.variable})"
            functions.append(function(f"{which.name}_take", which, ["a"], [], dict(addresses)))
            before += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = {index.format('PARENT[i]')}"]
            before += [f"    {which.variable} = {which.name}_take{call}"]
            if stored == "branch":
                lines = [f"{address} = {name}" for name, address in addresses]
                functions.append(function(f"{which.name}_give", which, ["a"], lines))
                after += ["if CHILDREN[i] > 1:", f"    a = {index.format('i')}", f"    {which.name}_give{call}"]
        if loops:
            d = which.suffix
            before.append(f"joint_impulses_of_rows{d}({which.arrays}, i, RATE_INDEX[i], RATES_OF[i])")
            call = f"multipliers{d}({which.arrays}, i, True)"
            after += ["if ROOTED_FIRST[i + 1] > ROOTED_FIRST[i]:", f"    {call}"] if self.order.modes else [call]
        return self._loops(which, functions, before, after, backwards=False)

    # -- one loop, or one for each run of equal classes -------------------------------------------
    def _loops(
        self,
        which: Pass,
        functions: list[ModuleFunction],
        before: list[str],
        after: list[str],
        backwards: bool,
        more: Sequence[Sequence[str]] = (),
        extra: Sequence[str] = (),
    ) -> LinkLoop:
        """Write a pass; `more`: lines after the call of each class, `extra`: index variables that these lines use."""
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
        """Return the index variables of link i with their values, as text."""
        settings = {"q": "Q_INDEX[i]", "j": "U_INDEX[i]", "g": "DRIVEN_Q_INDEX[i]", "d": "DRIVEN_U_INDEX[i]"}
        for region, base in INDICES.items():
            if region in self.regions:
                settings[base] = f"i * {self.regions[region].stride}"
        settings |= {f"l{n}": f"{leader_table(n)}[i]" for n in range(len(self.order.leaders))}
        return settings | (OF_MODES if "elastic" in self.regions else {})

    def _zeros(self, which: Pass) -> str:
        """Return the name of a tuple of zeros for all locals that a pass carries."""
        width = len(which.carried)
        self.widths.add(width)
        return f"ZEROS_{width}"

    def _used(self, steps: Iterable[Step]) -> list[str]:
        """Return the index variables that steps use."""
        return self._ordered({base for step in steps for base in step.bases})

    def _ordered(self, bases: Collection[str]) -> list[str]:
        return [base for base in self._settings() if base in bases]

    def _set(self, bases: Iterable[str]) -> list[str]:
        """Return the lines that set index variables."""
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
) -> ModuleFunction:
    """Return a straight-line function; with `results` it returns all carried locals, those changed."""
    doc = doc or "What travels between links that are not neighbours in the order of the loop."
    arguments = ", ".join([which.arrays, *indices, "carried"])
    body = [f'"""{doc}"""']
    if unpack or results is None:
        body += [f"{packed(which.carried)} = carried"]
    body += lines
    if results is not None:
        body += [f"return {packed([results.get(name, name) for name in which.carried])}"]
    return kernel(name, arguments, "\n".join(body).splitlines())


def kernel(name: str, arguments: str, lines: Sequence[str], branches: bool = False) -> ModuleFunction:
    """Return a kernel with these lines; `branches` as in `ModuleFunction`."""
    text = "\n".join(["@kernel", f"def {name}({arguments}):", *indent(lines)])
    return ModuleFunction(name, text, branches=branches)


def packed(items: Sequence[str]) -> str:
    """Return the text of a tuple, wrapped."""
    lines = textwrap.wrap(", ".join(items), 110, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["(", *indent(lines), ",)"])


def _dispatch(calls: Sequence[Sequence[str]]) -> list[str]:
    """Return lines that select the call for the link's class."""
    lines = ["link_class = CLASS[i]"]
    for number, call in enumerate(calls):
        test = "if" if number == 0 else "elif"
        lines.append(f"{test} link_class == {number}:" if number < len(calls) - 1 or number == 0 else "else:")
        lines += indent(call)
    return lines
