"""Generated text is readable: it names links, equations and symbols of the notation."""

from __future__ import annotations

import ast
import gc
import re
import weakref

import numpy as np
import pytest
from governor import governor

import mbs_fmu as mbs
from mbs_fmu.compile import program_cache
from mbs_fmu.compile.build import compile_model, compile_with_stages, second_tangents
from mbs_fmu.integrate.methods.table import STANDARD
from mbs_fmu.record.kernel_module import Contents, composed
from mbs_fmu.record.layout import Layout, Load, Region, bound
from mbs_fmu.run import variants
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.simulate import compiled
from support.generators.mechanisms import random_tree

pytestmark = pytest.mark.quick

EQUATION = re.compile(r"\([DEJLPS]\d+\)")


@pytest.fixture(scope="module", params=["cholesky", "sweep"])
def module(request: pytest.FixtureRequest) -> ast.Module:
    return ast.parse(compile_model(governor(), request.param).text)


def steps(module: ast.Module) -> dict[str, str]:
    """Return the docstring of each step of a pass."""
    functions = (x for x in module.body if isinstance(x, ast.FunctionDef) and re.fullmatch(r"\w+_\d+", x.name))
    return {f.name: ast.get_docstring(f) or "" for f in functions}


def test_generated_steps_name_links_and_equations(module: ast.Module) -> None:
    described = {name: doc for name, doc in steps(module).items() if not name.startswith("link_pose")}
    bodies = list(governor().bodies)
    assert described
    assert [name for name, doc in described.items() if not EQUATION.search(doc)] == []
    assert [name for name, doc in described.items() if not any(body in doc for body in bodies)] == []


def test_most_temporaries_have_names_of_the_notation(module: ast.Module) -> None:
    names = [
        target.id
        for x in ast.walk(module)
        if isinstance(x, ast.Assign)
        for target in x.targets
        if isinstance(target, ast.Name) and re.fullmatch(r"\w+_\d+", target.id)
    ]
    numbered = [name for name in names if name.startswith("t_")]
    assert len(numbered) < 0.5 * len(names)


def test_generated_text_is_deterministic() -> None:
    assert compile_model(governor()).text == compile_model(governor()).text


@pytest.mark.usual
@pytest.mark.parametrize("name", ["governor", "four_bar"])
def test_second_tangents_are_independent_of_earlier_modules(name: str) -> None:
    """A module from the stages of a compilation equals one that is made alone, however often it is made."""
    model = bundled_model(name, name)
    alone = second_tangents(model, "cholesky", {}, STANDARD)
    program, stages = compile_with_stages(model, "cholesky", {}, STANDARD)
    assert program == compile_model(model)
    model.input("another")  # the stages are those of the model as it was
    for _ in range(2):
        assert second_tangents(model, "cholesky", {}, STANDARD, stages) == alone


@pytest.mark.usual
def test_stages_do_not_refer_to_the_model() -> None:
    """They may be kept as long as a model, which is freed all the same."""
    model = bundled_model("four_bar", "four_bar")
    _, stages = compile_with_stages(model, "cholesky", {}, STANDARD)
    ended = weakref.ref(model)
    del model
    gc.collect()
    assert ended() is None and stages.gathered.closures is not None


@pytest.mark.usual
@pytest.mark.usefixtures("in_plain_python")
def test_stages_of_the_last_compilation_are_kept_for_second_tangents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Second tangents take them; the next compilation, or the end of the model, frees them."""
    monkeypatch.setattr(program_cache, "_cached", lambda *_: None)
    taken: list[object] = []
    monkeypatch.setattr(program_cache, "second_tangents_of", lambda *a: taken.append(a[-1]) or composed(Contents()))
    first, second = bundled_model("four_bar", "four_bar"), bundled_model("governor", "governor")
    runtimes = [compiled(model) for model in (first, second)]
    assert list(variants._STAGES) == [second]
    for runtime in runtimes:
        runtime.kernels.source_with("none")
    assert taken[0] is None and taken[1] is not None and not variants._STAGES
    runtimes.clear()
    third = bundled_model("four_bar", "four_bar")
    compiled(third)
    assert list(variants._STAGES) == [third]
    del third
    gc.collect()
    assert not variants._STAGES


# -- addresses --------------------------------------------------------------------------------------------


def layout() -> Layout:
    return {"q": Region("q", 15, 3), "pose": Region("pose", 18, 24, stride=12), "z": Region("z", 42, 0)}


@pytest.mark.parametrize(
    "load", [Load("R", "q", 3), Load("R", "q", -1), Load("R", "pose", 12, "b"), Load("R", "z", 0)], ids=str
)
def test_a_read_outside_its_region_is_refused(load: Load) -> None:
    """A neighbour's number, another link's, and one of an empty region are refused."""
    with pytest.raises(IndexError, match="lies outside of its region"):
        bound(load, layout())


def test_addresses_lie_in_their_regions() -> None:
    assert bound(Load("R", "q", 2), layout()) == 17
    assert bound(Load("R", "pose", 11, "b"), layout()) == 29
    assert bound(Load("R", "pose", 23), layout()) == 41


def test_every_address_of_a_program_lies_in_one_region() -> None:
    """Regions are contiguous and do not overlap."""
    program = compile_model(random_tree(np.random.default_rng(0), 6))
    places = sorted(program.regions.values())
    ends = [start + size for start, size in places]
    assert all(start == end for (start, _), end in zip(places[1:], ends, strict=False))


def test_a_number_of_an_unknown_region_is_refused() -> None:
    with pytest.raises(KeyError):
        bound(Load("R", "nowhere", 0), layout())


def test_models_without_bodies_have_a_text() -> None:
    m = mbs.Model("controller")
    m.input("x")
    m.output("y", m.inputs["x"].start + 1.0)
    assert "def derive" in compile_model(m).text
