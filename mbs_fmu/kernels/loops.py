"""Loops over the links around traced steps: inboard (children first) and outboard (parents first).

What travels between neighbours stays in local variables. Where a link has several children, or is not
its parent's successor, the carried values go through the parent's branch slot in the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..layout import Region

MOST_RUNS = 4  #: up to this many runs of equal classes get a loop each, without dispatch


@dataclass
class Order:
    """The links as the loops see them: class, parent and number of children of each, in order."""

    of_link: Sequence[int]
    parent: Sequence[int]
    children: Sequence[int]
    leaves_marked: bool  #: classes of links without children read no carried values

    @property
    def branched(self) -> bool:
        return any(n > 1 for n in self.children)

    @property
    def slots(self) -> int:
        return sum(n > 1 for n in self.children)


def indent(lines: Sequence[str], level: int = 1) -> list[str]:
    return ["    " * level + line for line in lines]


class LoopWriter:
    """Writes both kinds of loops for the links of one model."""

    def __init__(self, order: Order, regions: dict[str, Region], carried: int):
        self.order = order
        self.regions = regions
        self.carried = carried

    def inboard(self, bodies: Sequence[list[str]], names: list[str], slots: list[int], dual: bool) -> list[str]:
        """Children to parents. `names` are the carried locals, `slots` their places in a branch slot."""
        every = names + ([f"d_{name}" for name in names] if dual else [])
        before, after = [], []
        if not self.order.leaves_marked:
            before += ["if CHILDREN[i] == 0:", *indent([f"{name} = 0.0" for name in every])]
        if self.order.branched:
            read, write = [], []
            for array, prefix in (("R", ""), ("D", "d_"))[: 2 if dual else 1]:
                for name, slot in zip(names, slots, strict=True):
                    place = f"{array}[a + U{slot + self.regions['branch'].start}]"
                    read += [f"{prefix}{name} += {place}", f"{place} = 0.0"]
                    write.append(f"{place} += {prefix}{name}")
            before += ["if CHILDREN[i] > 1:", f"    a = SLOT[i] * U{self.carried}", *indent(read)]
            after += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = SLOT[PARENT[i]] * U{self.carried}"]
            after += indent(write)
        start = [f"{name} = 0.0" for name in every]
        return start + self._loops(bodies, "range({first}, {last}, -1)", before, after, backwards=True)

    def outboard(
        self, bodies: Sequence[list[str]], names: list[str], stored: str, slots: list[int], dual: bool
    ) -> list[str]:
        """Parents to children. Branching parents' values lie in region `stored`: the branch slots, or a region
        that every link writes anyway."""
        every = names + ([f"d_{name}" for name in names] if dual else [])
        before, after = [], []
        if self.order.branched:
            region = self.regions[stored]
            index = f"SLOT[{{}}] * U{self.carried}" if stored == "branch" else f"np.uintp({{}}) * U{region.stride}"
            read, write = [], []
            for array, prefix in (("R", ""), ("D", "d_"))[: 2 if dual else 1]:
                for name, slot in zip(names, slots, strict=True):
                    place = f"{array}[a + U{slot + region.start}]"
                    read.append(f"{prefix}{name} = {place}")
                    write.append(f"{place} = {prefix}{name}")
            before += ["if PARENT[i] >= 0 and PARENT[i] != i - 1:", f"    a = {index.format('PARENT[i]')}"]
            before += indent(read)
            if stored == "branch":
                after += ["if CHILDREN[i] > 1:", f"    a = {index.format('i')}", *indent(write)]
        start = [f"{name} = 0.0" for name in every]
        return start + self._loops(bodies, "range({first}, {last})", before, after, backwards=False)

    # -- one loop, or one for each run of equal classes -------------------------------------------
    def _loops(
        self, bodies: Sequence[list[str]], pattern: str, before: list[str], after: list[str], backwards: bool
    ) -> list[str]:
        runs = self._runs()
        if len(runs) > MOST_RUNS:
            header = pattern.format(first=f"{len(self.order.of_link) - 1}", last="-1") if backwards else ""
            header = header or pattern.format(first="0", last=f"{len(self.order.of_link)}")
            return [f"for i in {header}:", *indent([*self._indices(bodies), *before, *self._dispatch(bodies), *after])]
        out: list[str] = []
        for first, last, kind in reversed(runs) if backwards else runs:
            header = (
                pattern.format(first=last - 1, last=first - 1) if backwards else pattern.format(first=first, last=last)
            )
            body = [*self._indices([bodies[kind]]), *before, *bodies[kind], *after]
            out += [f"for i in {header}:", *indent(body or ["pass"])]
        return out

    def _runs(self) -> list[tuple[int, int, int]]:
        runs: list[tuple[int, int, int]] = []
        for i, kind in enumerate(self.order.of_link):
            if runs and runs[-1][2] == kind:
                runs[-1] = (runs[-1][0], i + 1, kind)
            else:
                runs.append((i, i + 1, kind))
        return runs

    def _indices(self, bodies: Sequence[list[str]]) -> list[str]:
        """The index variables that the bodies use."""
        text = "\n".join(line for body in bodies for line in body)
        out = []
        if "[q + " in text or "[q]" in text:
            out.append("q = Q_INDEX[i]")
        if "[j + " in text or "[j]" in text:
            out.append("j = U_INDEX[i]")
        for region, base in (("constants", "c"), ("saved", "s"), ("twist", "t"), ("pose", "b")):
            if region in self.regions and (f"[{base} + " in text or f"[{base}]" in text):
                out.append(f"{base} = np.uintp(i) * U{self.regions[region].stride}")
        return out

    def _dispatch(self, bodies: Sequence[list[str]]) -> list[str]:
        lines = ["kind = CLASS[i]"]
        for kind, body in enumerate(bodies):
            test = "if" if kind == 0 else "elif"
            lines += [f"{test} kind == {kind}:" if kind < len(bodies) - 1 or kind == 0 else "else:"]
            lines += indent(body or ["pass"])
        return lines
