"""Times at which steps must end: the next break and the next jump of inputs, against a search through all points."""

from __future__ import annotations

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.variants import with_inputs

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


@pytest.mark.parametrize("seed", range(3))
def test_the_next_break_and_the_next_jump_are_the_first(seed: int) -> None:
    """Of three inputs as tables with knots and jumps, at random times: the first knot behind a time, unless `stop`
    comes before it, and the first time with two values.
    """
    rng = np.random.default_rng([67, seed])
    m = mbs.Model("sum")
    tables = {}
    for name in "abc":
        times = np.sort(rng.uniform(0.0, 10.0, size=6))
        for k in rng.choice([0, 2, 4], size=2, replace=False):
            times[k + 1] = times[k]  # a jump
        tables[name] = times, rng.normal(size=6)
        m.input(name)
    m.state("z", rate=sum((mbs.signal(name) for name in "abc"), start=0.0))
    runtime, given, _ = with_inputs(m, "cholesky", tables, "rk4")
    R, U = runtime.program.new_record(), runtime.tables(given, 0.0, 1.0, 10, 10.0)
    knots = np.unique(np.concatenate([t for t, _ in tables.values()]))
    jumps = np.unique(np.concatenate([t[1:][np.diff(t) == 0.0] for t, _ in tables.values()]))
    for time in rng.uniform(-0.5, 10.5, size=20):
        stop = float(time + rng.uniform(0.1, 3.0))
        later = knots[(knots > time) & (knots < stop)]
        assert runtime.kernels.next_break(R, U, time, stop) == (later[0] if later.size else stop)
        ahead = jumps[jumps > time]
        assert runtime.kernels.next_jump(R, U, time) == (ahead[0] if ahead.size else np.inf)
