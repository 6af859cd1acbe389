"""Tests of generated modules as data."""

import json
from collections.abc import Callable

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.modules import load_plain
from mbs_fmu.compile.build import compile_model, second_tangents
from mbs_fmu.integrate.functions.module import values_module
from mbs_fmu.integrate.lanes.module import runs_module
from mbs_fmu.integrate.methods.table import STANDARD, method
from mbs_fmu.kernels.sources import names_read, read_function
from mbs_fmu.record.branches import in_lanes
from mbs_fmu.record.kernel_module import (
    Contents,
    KernelModule,
    ModuleFunction,
    composed,
    outline_of_data,
    printed_module,
)
from mbs_fmu.record.module_reading import literal_addresses, read_module
from support.cases import some_quick
from support.models.bundled import built
from support.models.kernel_coverage import switching, tree

pytestmark = pytest.mark.quick

MODELS: dict[str, Callable[[], mbs.Model]] = {
    "tree": tree,  # with branches that only save time
    "switching": switching,
    "four_bar": lambda: built("four_bar"),  # with reactions, and therefore a later part
}


@pytest.fixture(scope="module", params=some_quick(MODELS, 1))
def model(request: pytest.FixtureRequest) -> mbs.Model:
    make: Callable[[], mbs.Model] = request.param
    return make()


@pytest.fixture(scope="module")
def module(model: mbs.Model) -> KernelModule:
    return compile_model(model).module


def contents(module: KernelModule) -> Contents:
    """Return the contents of a module without what its text does not tell."""
    c = module.contents
    head = "\n".join(line for line in c.head.splitlines() if line)
    tables = {name: table or [0] for name, table in c.tables.items()}
    return Contents(head, c.numbers, tables, c.zeros, c.functions)


def test_a_printed_module_is_read_as_it_was(model: mbs.Model, module: KernelModule) -> None:
    """Text, outline and lines belong together: reading is the inverse of printing."""
    lanes = runs_module(compile_model(model), 4, method("rk4"))
    for made in (module, lanes, values_module(module, method("rk4"))):
        read = read_module(made.text)
        assert contents(read) == contents(made)
        assert read.outline.places == made.outline.places
        lines = made.text.splitlines()
        functions = made.contents.functions.values()
        assert all(lines[made.lines[f.name] - 1] == f.text.partition("\n")[0] for f in functions)


def test_data_of_a_module_give_it_back(module: KernelModule) -> None:
    """The text and the outline, kept as JSON, give the same contents and the same names of unfinished functions."""
    text, outline = json.loads(json.dumps([module.text, module.outline]))
    again = printed_module(text, outline_of_data(outline))
    assert again.contents == module.contents and again.outline == module.outline
    assert again == module and again.unfinished == module.unfinished


def test_unfinished_functions_are_those_that_call_missing_tangents(model: mbs.Model, module: KernelModule) -> None:
    """The writer's statement equals what the trees of all functions say, and the later part leaves nothing missing."""
    functions = module.contents.functions
    uses = {name: names_read(read_function(f.text)) for name, f in functions.items()}
    missing = {name for used in uses.values() for name in used if name.endswith(("_d", "_dd"))} - functions.keys()
    found: set[str] = set()
    new = missing
    while new:
        new = {name for name, used in uses.items() if name not in found and used & new}
        found |= new
    assert module.unfinished == found
    whole = module.with_part(second_tangents(model, "cholesky", {}, STANDARD))
    assert not whole.unfinished and missing <= whole.names


def test_branches_that_save_time_ask_every_lane() -> None:
    """Only such branches change, and with one lane they decide as before."""
    module = compile_model(tree()).module
    changed = in_lanes(module).contents.functions
    differing = {name for name, f in module.contents.functions.items() if f != changed[name]}
    assert differing == {name for name, f in module.contents.functions.items() if f.branches} == {"derive"}
    plain = load_plain(in_lanes(module), {"every": lambda condition: condition}), load_plain(module)
    records = []
    for kernels in plain:
        R = compile_model(tree()).new_record()
        assert kernels.initialise(R) == 0
        kernels.derive(R)
        records.append(R)
    assert np.array_equal(*records, equal_nan=True)


TEXT = '''"""Written by hand."""
from math import sin
import numpy as np
from mbs_fmu.codegen.entries import kernel
COUNT = np.int64(-3)
PLAIN, SIZE = 2, 4
TABLE = np.array([1, 2], dtype=np.int64)
SHARE = -0.5
SUM = COUNT + SIZE
ZEROS_2 = (0.0,) * 2


def mark(turns):
    return turns


@kernel
def total(R):  # a comment
    for k in mark(range(TABLE[1])):
        R[7] += SHARE * R[k]
    return SUM
'''


def test_statements_of_other_forms_belong_to_the_head() -> None:
    """Constants as modules print them are data; everything else keeps its text and still runs."""
    module = read_module(TEXT)
    c = module.contents
    assert (c.numbers, c.tables, c.zeros) == ({"COUNT": -3, "SHARE": -0.5}, {"TABLE": [1, 2]}, (2,))
    assert [f.name for f in c.functions.values() if f.is_kernel] == ["total"]
    assert c.functions["total"].text.startswith("@kernel\ndef total(R):  # a comment")
    R = np.arange(8.0)
    assert load_plain(module).total(R) == 1
    assert R[7] == 7.0 - 0.5 * (R[0] + R[1])
    assert literal_addresses(module) == {7}


def test_later_functions_and_numbers_replace_those_of_their_names() -> None:
    """A derived module has each name once; the module from which it comes is unchanged."""
    module = composed(
        Contents("", {"A": 1, "B": 2.0}, functions={"f": ModuleFunction("f", "@kernel\ndef f():\n    A")})
    )
    derived = module.with_functions([ModuleFunction("f", "@kernel\ndef f():\n    B")], {"A": 3, "C": 4})
    assert dict(derived.contents.numbers) == {"A": 3, "B": 2.0, "C": 4}
    assert derived.text == "A = np.int64(3)\nB = 2.0\nC = np.int64(4)\n\n\n@kernel\ndef f():\n    B\n"
    assert module.text == "A = np.int64(1)\nB = 2.0\n\n\n@kernel\ndef f():\n    A\n"
    assert module != derived
