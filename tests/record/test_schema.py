"""The schema of the record: names, places and sizes of its numbers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace

import pytest

from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.model import Model
from mbs_fmu.record.fields import RESERVED, Role, Struct, also, members, number, numbers, size_of
from mbs_fmu.record.flat_names import flat_names
from mbs_fmu.record.regions import layout_of
from mbs_fmu.record.schema import BLOCKS, HeadNumbers, LogEntry, LoopNumbers, Record, Watched
from mbs_fmu.record.sizes import ABREAST, LoopSizes, NearSizes, Sizes
from support.cases import some_quick, tiers
from support.models.kernel_coverage import held_drive, striking, switching

pytestmark = pytest.mark.quick


def random_sizes(seed: int) -> Sizes:
    """Sizes of a model that may not exist, with different numbers, so that no two lengths are the same by chance."""
    rng = random.Random(f"sizes {seed}")

    def value(kind: str) -> int | bool:
        return rng.random() < 0.5 if kind == "bool" else rng.choice((0, rng.randrange(1, 1000)))

    loops = LoopSizes(**{f.name: value(f.type) for f in fields(LoopSizes)})  # type: ignore[arg-type]
    numbers = {f.name: value(str(f.type)) for f in fields(Sizes) if f.name not in ("loops", "near")}
    near = NearSizes(**{f.name: int(value("int")) for f in fields(NearSizes)})
    return Sizes(**numbers, loops=rng.choice((None, loops)), near=rng.choice((None, near)))  # type: ignore[arg-type]


def test_names_in_flat_text_are_unique() -> None:
    """Flat text has one scope: no two numbers, lengths, tables or blocks' members have the same name there."""
    repeated = [name for name, count in Counter(flat_names()).items() if count > 1]
    assert len(flat_names()) > 400
    assert repeated == []


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_names_of_attributes_of_views_are_refused(name: str) -> None:
    """A declaration cannot have a name that means something else on every view."""
    with pytest.raises((ValueError, RuntimeError)) as caught:  # Python 3.11 raises the latter, from the former
        type("Wrong", (Struct,), {name: number("a number")})
    assert "choose another" in str(caught.value) + str(caught.value.__cause__)


def test_members_of_a_block_are_its_indices() -> None:
    """Members follow each other in the order of their declarations; other names begin where the first one does."""

    class Example(Struct):
        first = number("a number")
        three = numbers(3, "three numbers")
        two = also("three", 2, "the first two of them")
        last = number("a number")

    assert (Example.first, Example.three, Example.two, Example.last, Example.size) == (0, 1, 1, 4, 5)
    assert Example.indices("three") == range(1, 4)
    assert Example.indices("two") == range(1, 3)


@pytest.mark.parametrize("name", sorted(BLOCKS))
def test_members_fill_their_block(name: str) -> None:
    """Each index of a block belongs to exactly one of its members, apart from other names of the same numbers."""
    block = BLOCKS[name]
    own = [name for name, d in members(block).items() if not d.overlay]
    assert sorted(k for name in own for k in block.indices(name)) == list(range(block.size))


@pytest.mark.parametrize("seed", tiers(range(40), usual=5, quick=4))
def test_regions_lie_behind_one_another(seed: int) -> None:
    """Each region begins where the one before it ends; records of tangents are as long as all regions before them."""
    sizes = random_sizes(seed)
    layout, seconds = layout_of(sizes), ABREAST if sizes.jacobian else 1
    place = 0
    for region in layout.values():
        assert region.start == place, region.name
        assert region.name != "tail" or region.size == seconds * place
        place = region.stop
    assert [*layout][-1] == "end"
    assert layout["head"].size == HeadNumbers.size


@pytest.mark.parametrize("make", some_quick({"held": held_drive, "striking": striking, "switching": switching}, 1))
def test_regions_have_the_numbers_of_the_model(make: Callable[[], Model]) -> None:
    """A region has a number, or a block, for each thing of the model; variables are in their regions."""
    program = compile_model(make())
    sizes = {name: size for name, (_, size) in program.regions.items()}
    counts = {
        "q": "coordinate", "u": "rate", "z": "state", "inputs": "input", "outputs": "output", "parameters": "parameter",
        "sampled": "sampled",
    }  # fmt: skip
    for region, role in counts.items():
        slots = [v.slot for v in program.of_role(role)]
        assert slots == [*range(program.regions[region][0], sum(program.regions[region]))], region
    rows = sum(len(loop["labels"]) for loop in program.loops)
    assert (sizes["ranks"], sizes["residuals"], sizes["modes"]) == (len(program.loops), rows, len(program.modes))
    assert sizes["row_v"] == 6 * rows
    assert sizes["indicators"] == len(program.events)
    functions = len(program.modes) + len(program.events)
    assert (sizes["due"], sizes["now"], sizes["watched"]) == (functions, functions, Watched.size * functions)
    assert (sizes["log"] > 0) == (functions + len(program.sampled) > 0) and sizes["log"] % LogEntry.size == 0
    assert sizes["work"] == 2 * (program.state_slice.stop - program.state_slice.start)


@pytest.mark.parametrize("seed", tiers(range(40), usual=5, quick=4))
def test_other_names_cover_whole_regions(seed: int) -> None:
    """Another name of numbers ends where a region ends: the state with the impulses of drives, and so on."""
    sizes = replace(random_sizes(seed), loops=LoopSizes(rows=7, closures=3), elastic=5)
    layout = layout_of(sizes)
    last = {"x": "drive_impulses", "x_dot": "drive_rests", "counters": "loop_state"}
    declared = members(Record)
    assert {*last, "eliminated_blocks"} == {name for name, d in declared.items() if d.overlay}
    for name, region in last.items():
        first = declared[name].overlay
        if first in declared:
            start = layout[declared[first].region].start
        else:
            start = layout["loop_state"].start + members(LoopNumbers)[first].offset
        (count,) = (size_of(n, sizes) for n in declared[name].shape)
        assert start + count == layout[region].stop, name


def test_regions_with_a_role_for_steps_exist() -> None:
    """Constants and remembered workspace are regions on their sides of the workspace's beginning."""
    declared = list(members(Record).values())
    scratch = next(k for k, d in enumerate(declared) if d.region == "scratch")
    roles = {k: d.role for k, d in enumerate(declared) if d.role}
    assert len(roles) == 24
    assert all((role is Role.REMEMBERED) == (k > scratch) for k, role in roles.items())
