"""Cost of a change: two checkouts of the package, timed alternately.

    python -m benchmarks.turns OLD NEW
    python -m benchmarks.turns OLD NEW --only governor "second process" --rounds 5

A process for each checkout waits for its turn; the order changes from round to round. All times are processor times,
and all calls use public names only, so that any two commits can be compared.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from . import checkouts
from .checkouts import Checkout, Server, Within, in_turns
from .named import chain, in_folder
from .report import progress, table
from .timing import Run

SPAN, MOST = 0.05, 2000  #: s of processor time of one measurement at least; hundredths of a second at most
MODELS = ("double_pendulum", "governor", "four_bar", "stewart_platform", "universal_chain", "free_top")
TREES = ("universal-10", "placed-50", "tilted-50", "tree-30")
STEPS: dict[str, dict[str, float]] = {"rk4": {"step": 1e-3}, "gauss4": {"step": 1e-3}, "dopri5": {}, "rodas5p": {}}
FRESH = ("governor", "four_bar", "universal_chain")  #: from the start of the interpreter to the first result


def runs() -> dict[str, Callable[[], Run]]:
    """Measurements within a process: by name the maker of a function that simulates hundredths of a second."""
    return {
        **{f"{name}, {method}": partial(simulated, name, method) for name in MODELS for method in STEPS},
        **{
            f"{name}, rk4, {way}": partial(simulated, name, "rk4", way)
            for name in TREES
            for way in ("sweep", "cholesky")
        },
        **{f"{name}, batch": partial(simulated, name, "rk4", members=64) for name in ("universal-10", "tree-30")},
    }


def simulated(name: str, method: str, solver: str = "cholesky", members: int = 0) -> Run:
    import mbs_fmu as mbs

    model = (chain(name) if name in TREES else in_folder(name))()
    inputs = dict.fromkeys(model.inputs, 0.0)
    settings = {"batch": mbs.Batch(size=members, threads=1)} if members else {}
    return lambda count: mbs.simulate(
        model, 0.01 * count, method=method, solver=solver, output_interval=0.01 * count, inputs=inputs, progress=False,
        **STEPS[method], **settings,
    )  # fmt: skip


# -- the process of a side --------------------------------------------------------------------------------------


def serve() -> None:
    """Write seconds of processor time for hundredths of a second of a model."""
    checkouts.serve(runs(), SPAN, MOST)


def first(name: str) -> None:
    """Print this process's processor time after the first result of a model."""
    simulated(name, "rk4")(1)
    print(time.process_time())


@dataclass
class Side:
    """A checkout, and a process of it that waits for its turns."""

    checkout: Checkout

    def __post_init__(self) -> None:
        self.server = Server(self.checkout, "turns", tier="full")

    def first_result(self, name: str, filled: bool) -> float:
        """Processor seconds of a process, from the interpreter's start to a model's first result."""
        with tempfile.TemporaryDirectory(dir=self.checkout.folder) as fresh:
            cache = self.checkout.folder / "filled" if filled else Path(fresh)
            return float(self.checkout.printed("turns", f"first({name!r})", cache))


# -- both sides -------------------------------------------------------------------------------------------------


def measures() -> dict[str, Callable[[Side], float]]:
    """All measurements."""
    within: dict[str, Callable[[Side], float]] = {name: partial(_served, Within(name)) for name in runs()}
    first_use = {f"{name}, first process": partial(_of_process, name, False) for name in FRESH}
    return within | first_use | {f"{name}, second process": partial(_of_process, name, True) for name in FRESH}


def _served(measure: Within, side: Side) -> float:
    return measure(side.server)


def _of_process(name: str, filled: bool, side: Side) -> float:
    return side.first_result(name, filled)


def main() -> None:
    """Time both sides and print a table with the ratios new to old."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="+", default=[""], help="what has one of these in its name")
    options = parser.parse_args()
    rows, ratios = [], []
    with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
        sides = Side(Checkout(options.old.resolve(), Path(old))), Side(Checkout(options.new.resolve(), Path(new)))
        for name, measure in measures().items():
            if any(part in name for part in options.only):
                progress(name)
                rounds = max(options.rounds // 3, 3) if name.endswith("process") else options.rounds
                before, after, ratio = in_turns(sides, measure, rounds)
                ratios.append(ratio)
                rows.append([name, f"{1e3 * before:.3f}", f"{1e3 * after:.3f}", f"{ratio:.3f}"])
        for side in sides:
            side.server.close()
    print(table(["what", "old, ms", "new, ms", "new to old"], rows))
    print(f"\ngeometric mean {statistics.geometric_mean(ratios):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()
