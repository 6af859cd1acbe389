"""The cases of the evaluation and batch benchmarks: made mechanisms, and published robots where they are installed."""

from __future__ import annotations

from .models import Case, free_tree, placed_chain, revolute_chain, tilted_chain, universal_chain
from .robots import robot_cases

CASES = {
    **{f"universal-{n}": Case(f"universal chain {n}", universal_chain, n) for n in (5, 10, 50, 100, 500, 1000)},
    **{f"revolute-{n}": Case(f"revolute chain {n}, aligned", revolute_chain, n) for n in (10, 50)},
    "placed-50": Case("revolute chain 50, generic places", placed_chain, 50),
    "tilted-50": Case("revolute chain 50, generic places and axes", tilted_chain, 50),
    "tree-30": Case("free-base tree 30", free_tree, 30),
    **robot_cases(),
}
