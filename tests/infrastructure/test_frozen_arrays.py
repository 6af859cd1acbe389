"""Immutable arrays as values: equality, hash, conversion, pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.infrastructure.frozen_arrays import FrozenArray
from mbs_fmu.record.program import Program

pytestmark = pytest.mark.quick


def test_arrays_of_equal_bits_are_one_key() -> None:
    """Equality and hash depend on the bits of the numbers, also of NaN and of zeros of both signs."""
    a, b = FrozenArray([1.0, np.nan, 0.0]), FrozenArray(np.array([1.0, np.nan, 0.0]))
    assert a == b and hash(a) == hash(b) and {a: 1}[b] == 1
    assert a != FrozenArray([1.0, np.nan, -0.0]) and a != FrozenArray([1.0, np.nan]) and a != (1.0, np.nan, 0.0)
    assert FrozenArray.taking(np.arange(10.0)[::2]) == FrozenArray([0, 2, 4, 6, 8])
    assert pickle.loads(pickle.dumps(a)) == a


def test_arrays_are_sequences_of_floats() -> None:
    """Indices and iteration give floats, slices arrays; nothing can be written, and the source can change later."""
    numbers = np.array([3.0, 4.0, 5.0])
    a = FrozenArray(numbers)
    numbers[0] = 9.0
    assert [type(x) for x in (a[1], *a)] == [float] * 4 and list(a) == [3.0, 4.0, 5.0] and len(a) == 3
    assert np.array_equal(a[1:], [4.0, 5.0]) and np.array_equal(np.asarray(a), [3.0, 4.0, 5.0])
    with pytest.raises(ValueError, match="read-only"):
        a.array[0] = 1.0
    copy = np.array(a)
    copy[0] = 1.0
    assert a[0] == 3.0
    assert len(repr(FrozenArray(np.zeros(10**6)))) < 100


def on_roads(count: int) -> mbs.Model:
    """Return balls on height fields of equal heights, each an object of its own, with a curve and a table of forces."""
    m = mbs.Model("roads")
    lines = np.linspace(0.0, 1.0, 60)
    for k in range(count):
        m.body(f"ball{k}", joint=mbs.Free(), mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
        road = mbs.HeightField(lines, lines, np.sin(5.0 * lines)[:, None] * np.cos(lines))
        m.contact(f"ground{k}", "world", f"ball{k}", shape_a=road, shape_b=mbs.Sphere(0.1), stiffness=1e4)
        x, points = mbs.position(f"ball{k}")[0], np.linspace(-1.0, 1.0, 500)
        m.force(
            f"wind{k}", on=f"ball{k}", force=(mbs.curve(x, points, np.sin(points)), mbs.table(x, points, points), 0)
        )
    return m


def test_records_contain_equal_tables_once() -> None:
    """The numbers of several roads, curves and tables are those of one, and JSON keeps all bits of the record."""
    programs = [compile_model(on_roads(count)) for count in (1, 3)]
    one, three = (program.regions["values"][1] for program in programs)
    assert 62**2 + 7 * 500 - 100 < one <= three < one + 100
    program = programs[0]
    again = Program.from_json(program.to_json(), program.text)
    assert again.record == program.record and np.array_equal(again.new_record(), program.new_record())
    with pytest.raises(ValueError, match="base64"):
        Program.from_json(program.to_json().replace('"record": "', '"record": "?'), program.text)
