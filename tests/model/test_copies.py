"""Copies and pickles of long expressions, of models that have run, and of results, also in other processes."""

from __future__ import annotations

import copy
import hashlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.run.simulate import compiled, runtimes
from mbs_fmu.symbolic.expressions import Expression
from mbs_fmu.symbolic.graph import evaluate, topological
from support.cases import tiers
from support.hosts.fmus import python
from support.models.small_models import BUILDERS, oscillator

LONG = 2000  #: sums in one formula
COPIES: dict[str, Callable[[object], object]] = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "old pickle": lambda x: pickle.loads(pickle.dumps(x, protocol=2)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


def long_sum(x: Expression) -> Expression:
    total = x
    for k in range(LONG):
        total = total + (k + 0.5) * mbs.sin(x / (k + 1))
    return total


@pytest.mark.parametrize("way", tiers(list(COPIES), usual=1))
def test_copies_of_long_sums_are_equal(way: str) -> None:
    """The copy of a chain of 2000 sums has as many nodes and the same number, bit for bit."""
    assert sys.getrecursionlimit() < LONG  # otherwise the test would prove nothing
    x = Model("m").input("x")
    formula = long_sum(x)
    other = COPIES[way](formula)
    assert isinstance(other, Expression) and len(topological([other])) == len(topological([formula]))
    assert evaluate(other, lambda r: 0.7) == evaluate(formula, lambda r: 0.7)
    assert [n.order for n in topological([other])] == [n.order for n in topological([formula])]
    assert (other + 1.0).order > other.order


def test_shared_subexpressions_are_pickled_once() -> None:
    """A formula of 200 doublings has 2^200 paths but only some 200 nodes."""
    x = formula = Model("m").input("x")
    for _ in range(200):
        formula = mbs.sin(formula) + formula
    data = pickle.dumps(formula)
    assert len(data) < 200 * 100 and len(topological([pickle.loads(data)])) == 401
    assert evaluate(pickle.loads(data), {x.value: 0.3}) == evaluate(formula, {x.value: 0.3})
    assert len(repr(formula)) < 1000


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
@pytest.mark.parametrize("name", tiers({name: name for name in BUILDERS}, usual=1))
def test_the_copy_of_a_model_compiles_to_the_same_program(name: str, way: str) -> None:
    """Text, record and variables of a copy equal those of the compiled original, and later changes affect one of them
    only.
    """
    m = BUILDERS[name]()
    program = compiled(m).program
    other = COPIES[way](m)
    assert isinstance(other, Model) and not runtimes(other) and runtimes(m)
    assert compile_model(other) == program
    other.set_parameter("c", 5.0)
    other.output("more", mbs.time)
    assert compiled(m).program is program
    assert m.parameters["c"].value == 0.0 and "more" not in m.outputs


@pytest.mark.slow
def test_another_process_generates_the_same_text(tmp_path: Path) -> None:
    """Cached machine code is useful to other processes only if the text is the same; here formulas are created before
    and after the pickle.
    """
    m = BUILDERS["tree"]()
    m.output("long", mbs.sin(long_sum(mbs.coordinate("extra"))))
    (tmp_path / "model").write_bytes(pickle.dumps(m))
    run = (
        "import hashlib, pickle, sys; from mbs_fmu.compile.build import compile_model\n"
        "m = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(hashlib.sha256(compile_model(m).text.encode()).hexdigest())"
    )
    done = python(run, str(tmp_path / "model"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == hashlib.sha256(compile_model(m).text.encode()).hexdigest()


@pytest.mark.parametrize("way", COPIES)
def test_models_and_results_can_be_copied_after_a_run(way: str) -> None:
    """Both can be copied, and the copied model runs to the same numbers."""
    m = oscillator()
    options = {"method": "rk4", "step": 0.01, "output_interval": 0.1}
    result = mbs.simulate(m, 0.5, **options)
    other, copied_result = COPIES[way](m), COPIES[way](result)
    assert np.array_equal(copied_result.data, result.data) and copied_result.columns == result.columns
    assert np.array_equal(mbs.simulate(other, 0.5, **options).data, result.data)
    program = compiled(m).program
    assert COPIES[way](program) == program


def test_the_error_of_a_failed_run_is_pickled_with_its_result() -> None:
    """Worker processes pickle exceptions in this way."""
    m = Model("broken")
    m.state("z", rate=lambda z: z * z, start=1.0)
    with pytest.raises(mbs.SimulationError) as caught:
        mbs.simulate(m, 2.0)
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert np.array_equal(error.result.data, caught.value.result.data)


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_model_and_its_body_stay_related_when_copied_together(way: str) -> None:
    """A body that is copied together with its model belongs to the copy."""
    m = oscillator()
    other, body = COPIES[way]((m, m.bodies["b"]))
    other.start(body, q=0.1)
    assert other.starts["b"].q == (0.1,) and m.starts["b"].q == (0.5,)
