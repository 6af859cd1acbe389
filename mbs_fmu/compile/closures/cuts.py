"""Where the rows of loops are open, where they are eliminated, and what that costs (docs/equations_loops.md, L7).

A row is open at every joint between its ends and its root, their lowest common ancestor. At the root it is
eliminated, together with the other rows of its loop. Which blocks of S exist, and in which order loops that share
a root are eliminated, follows from the tree alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import field
from functools import cached_property

from ...lazy_dataclasses import dataclass
from ..tree.links import WORLD_LINK


@dataclass(frozen=True)
class Cut:
    """A loop as the tree sees it: its rows, the links (or the world, -1) that they pull on, whether it has modes."""

    name: str
    rows: int
    ends: frozenset[int]
    has_modes: bool = False


@dataclass
class Cuts:
    """All loops of a tree. `parent` and `rates` (number of joint velocities) are those of the links.

    bent: the links that are elastic bodies. Rows that join two of its nodes are open there too, since modes bear them.
    """

    parent: Sequence[int]
    rates: Sequence[int]
    cuts: Sequence[Cut]
    elastic: Collection[int] = ()
    roots: list[int] = field(init=False)
    at: list[set[int]] = field(init=False)  #: loops with rows at each link; the world last

    def __post_init__(self) -> None:
        self.roots = [self._root(cut) for cut in self.cuts]
        self.at = [set() for _ in range(len(self.parent) + 1)]
        for c, cut in enumerate(self.cuts):
            for end in cut.ends:
                for link in self.path(end):
                    self.at[link].add(c)
                    if link == self.roots[c]:
                        break

    def path(self, link: int) -> list[int]:
        """The link, its parent, ... to the world."""
        out = [link]
        while out[-1] != WORLD_LINK:
            out.append(self.parent[out[-1]])
        return out

    def _root(self, cut: Cut) -> int:
        first, *others = (self.path(end) for end in cut.ends)
        shared = set(first).intersection(*others)
        return next(link for link in first if link in shared and link not in self.elastic)

    def open(self, link: int) -> list[int]:
        """Loops that are open at the link's joint, in the order in which they are eliminated."""
        return [c for c in self.present(link) if self.roots[c] != link]

    def present(self, link: int) -> list[int]:
        return sorted(self.at[link], key=self.position.__getitem__)

    # -- order of elimination ------------------------------------------------------------------------
    @cached_property
    def _elimination(self) -> tuple[list[int], list[set[int]]]:
        """Loops from the outermost root inward, and neighbours still there then.

        Of one root, those that may not hold come last, so that while they don't they are not even passed; then first
        where S has fewest neighbours.
        """
        adjacent: list[set[int]] = [set() for _ in self.cuts]
        for link in range(len(self.parent)):
            together = {c for c in self.at[link] if self.roots[c] != link}
            for c in together:
                adjacent[c] |= together - {c}
        order: list[int] = []
        later: list[set[int]] = [set() for _ in self.cuts]
        by_root: dict[int, list[int]] = {}
        for c, root in enumerate(self.roots):
            by_root.setdefault(root, []).append(c)
        for link in range(len(self.parent) - 1, WORLD_LINK - 1, -1):
            waiting = by_root.get(link, [])
            while waiting:
                c = min(waiting, key=lambda c: (self.cuts[c].has_modes, len(adjacent[c]), c))
                waiting.remove(c)
                order.append(c)
                later[c] = adjacent[c]
                for d in adjacent[c]:
                    adjacent[d] |= adjacent[c]
                    adjacent[d] -= {c, d}
        return order, later

    def sure_first(self, loops: Sequence[int]) -> list[int]:
        """The same, those that may not hold last."""
        return sorted(loops, key=lambda c: self.cuts[c].has_modes)

    def pairs(self, loops: Sequence[int]) -> tuple[list[tuple[int, int]], int]:
        """All pairs of loops, each with itself too, those of which one may not hold last; how many surely hold."""
        pairs = list(itertools.combinations_with_replacement(loops, 2))
        sure = [pair for pair in pairs if not any(self.cuts[c].has_modes for c in pair)]
        return sure + [pair for pair in pairs if any(self.cuts[c].has_modes for c in pair)], len(sure)

    @property
    def order(self) -> list[int]:
        return self._elimination[0]

    def later(self, c: int) -> list[int]:
        """The loops that share a block of S with loop c when it is eliminated, in the order of elimination."""
        return sorted(self._elimination[1][c], key=self.position.__getitem__)

    @cached_property
    def position(self) -> list[int]:
        out = [0] * len(self.cuts)
        for place, c in enumerate(self.order):
            out[c] = place
        return out

    # -- cost -----------------------------------------------------------------------------------------
    @property
    def cost(self) -> int:
        """Sum over the joints of m² + 6 m, m the number of rows open there."""
        total = 0
        for link in range(len(self.parent)):
            m = sum(self.cuts[c].rows for c in self.at[link] if self.roots[c] != link)
            total += m * m + 6 * m
        return total


@dataclass
class Places:
    """Addresses, relative to their regions, and the tables that the kernels run over."""

    row: list[int] = field(default_factory=list)  #: first row of each loop
    entry: dict[tuple[int, int], int] = field(default_factory=dict)  #: (link, loop): first entry
    projection: dict[tuple[int, int], int] = field(default_factory=dict)  #: (link, loop): first projection
    block: dict[tuple[int, int], int] = field(default_factory=dict)  #: (loop, later loop): block of S
    tables: dict[str, list[int]] = field(default_factory=dict)
    rows: int = 0
    entries: int = 0
    projections: int = 0
    blocks: int = 0
    factors: int = 0
    frontal: int = 0  #: numbers of all fronts, see kernels/closures/sharing.py
    elimination_factors: int = 0  #: of the largest one's row


def places(cuts: Cuts) -> Places:
    """Where everything lies, and the tables for kernels/closures/elimination.py."""
    out = Places()
    for cut in cuts.cuts:
        out.row.append(out.rows)
        out.rows += cut.rows
    for link in range(len(cuts.parent)):
        for c in cuts.present(link):
            out.entry[link, c] = out.entries
            out.entries += cuts.cuts[c].rows
            if cuts.roots[c] != link and cuts.parent[link] in cuts.elastic:
                out.projection[link, c] = out.projection[cuts.parent[link], c]  # where a node's rows meet the modes
            elif cuts.roots[c] != link:
                out.projection[link, c] = out.projections
                out.projections += cuts.cuts[c].rows * cuts.rates[link]
    for c in cuts.order:
        for d in (c, *cuts.later(c)):
            _block(out, cuts, c, d)
    ends = [
        number
        for c, cut in enumerate(cuts.cuts)
        for link in sorted(cut.ends & {link for link, d in out.entry if d == c})
        for r in range(cut.rows)
        for number in (link, 6 * (out.entry[link, c] + r), out.row[c] + r)
    ]
    out.tables = {
        "ENDS": ends,
        **_open_rows(out, cuts),
        **_pairs(out, cuts),
        **_rooted(out, cuts),
        **_switched(out, cuts),
        **_fronts(out, cuts),
    }
    return out


def _block(out: Places, cuts: Cuts, c: int, d: int) -> int:
    if (c, d) not in out.block:
        out.block[c, d] = out.blocks
        out.blocks += cuts.cuts[c].rows * cuts.cuts[d].rows
    return out.block[c, d]


def _open_rows(out: Places, cuts: Cuts) -> dict[str, list[int]]:
    """For each link its open rows: Y here, Y at the parent, projections, row; those that may not hold come last."""
    first, table, sure = [0], [], []
    for link in range(len(cuts.parent)):
        here = cuts.sure_first(cuts.open(link))
        sure.append(first[-1] + sum(cuts.cuts[c].rows for c in here if not cuts.cuts[c].has_modes))
        for c in here:
            up = out.entry.get((cuts.parent[link], c), 0)
            for r in range(cuts.cuts[c].rows):
                owner = cuts.parent[link] if cuts.parent[link] in cuts.elastic else link
                projection = out.projection[link, c] + r * cuts.rates[owner]
                table += [6 * (out.entry[link, c] + r), 6 * (up + r), projection, out.row[c] + r]
        first.append(len(table) // 4)
    return {"OPEN_FIRST": first, "OPEN_SURE": sure, "OPEN": table}


def _pairs(out: Places, cuts: Cuts) -> dict[str, list[int]]:
    """For each link the pairs of loops open there: both first projections, the block, its size, joint velocities.

    Those that may not hold come last.
    """
    first, table, loops, sure = [0], [], [], []
    for link, rates in enumerate(cuts.rates):
        pairs, certain = cuts.pairs(cuts.open(link) if rates else [])
        sure.append(first[-1] + certain)
        for c, d in pairs:
            loops += [c, d]
            table += [out.projection[link, c], out.projection[link, d], out.block[c, d]]
            table += [cuts.cuts[c].rows, cuts.cuts[d].rows, rates]
        first.append(len(table) // 6)
    return {"PAIR_FIRST": first, "PAIR_SURE": sure, "PAIRS": table, "PAIR_LOOPS": loops}


def _rooted(out: Places, cuts: Cuts) -> dict[str, list[int]]:
    """For each link, the world last: the loops rooted there; for each the later loops, and their pairs.

    Those that may not hold come last.
    """
    rooted_first, rooted, rooted_sure = [0], [], []
    later_first, later, later_sure = [0], [], []
    update_first, updates, update_loops, update_sure = [0], [], [], []
    for link in [*range(len(cuts.parent)), WORLD_LINK]:
        here = [c for c in cuts.order if cuts.roots[c] == link]
        rooted_sure.append(rooted_first[-1] + sum(not cuts.cuts[c].has_modes for c in here))
        for c in here:
            m = cuts.cuts[c].rows
            rooted += [c, m, out.row[c], out.block[c, c], out.factors, 6 * out.entry.get((link, c), -1)]
            out.factors += m * m
            later_sure.append(later_first[-1] + sum(not cuts.cuts[d].has_modes for d in cuts.later(c)))
            for d in cuts.sure_first(cuts.later(c)):
                entry = out.entry.get((link, d))
                later += [out.row[d], cuts.cuts[d].rows, out.block[c, d], -1 if entry is None else 6 * entry]
            pairs, certain = cuts.pairs(cuts.later(c))
            update_sure.append(update_first[-1] + certain)
            for d, e in pairs:
                sizes = [cuts.cuts[d].rows, cuts.cuts[e].rows]
                updates += [out.block[c, d], out.block[c, e], out.block[d, e], *sizes]
                update_loops += [d, e]
            later_first.append(len(later) // 4)
            update_first.append(len(updates) // 5)
        rooted_first.append(len(rooted) // 6)
    return {
        "ROOTED_FIRST": rooted_first, "ROOTED_SURE": rooted_sure, "ROOTED": rooted,
        "LATER_FIRST": later_first, "LATER_SURE": later_sure, "LATER": later,
        "UPDATE_FIRST": update_first, "UPDATE_SURE": update_sure, "UPDATES": updates, "UPDATE_LOOPS": update_loops,
    }  # fmt: skip


def _switched(out: Places, cuts: Cuts) -> dict[str, list[int]]:
    """The loops that may not hold: where each has rows (the links, the world last), and the rows of all of them."""
    table: list[int] = []
    links: list[int] = []
    rows: list[int] = []
    switched = [c for c, cut in enumerate(cuts.cuts) if cut.has_modes]
    for mode, c in enumerate(switched):
        begin = len(links)
        links += [link for link in range(len(cuts.at)) if c in cuts.at[link]]
        table += [begin, len(links)]
        for r in range(cuts.cuts[c].rows):
            rows += [out.row[c] + r, mode, c]
    return {"SWITCHED": table, "SWITCHED_LINKS": links, "SWITCHED_ROWS": rows}


def _fronts(out: Places, cuts: Cuts) -> dict[str, list[int]]:
    """For each loop, in the order of elimination, its own rows and those of the later loops."""
    links = [*range(len(cuts.parent)), WORLD_LINK]
    rooted = [c for link in links for c in cuts.order if cuts.roots[c] == link]
    members = [
        [out.row[d] + r for d in (c, *cuts.sure_first(cuts.later(c))) for r in range(cuts.cuts[d].rows)]
        for c in cuts.order
    ]
    table: list[int] = []
    numbers: list[int] = []
    places: list[int] = []
    for c, rows in zip(cuts.order, members, strict=True):
        later = cuts.later(c)
        following = cuts.position[later[0]] if later else -1
        table += [rooted.index(c), out.frontal, len(rows), following, len(numbers)]
        out.frontal += len(rows) * (len(rows) + 1)
        out.elimination_factors = max(out.elimination_factors, len(rows) + 1)
        numbers += rows
        own = cuts.cuts[c].rows
        places += [0] * own + [members[following].index(row) for row in rows[own:]]
    return {"FRONTAL": table, "FRONT_ROWS": numbers, "FRONT_MAP": places}
