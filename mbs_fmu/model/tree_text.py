"""Text that `repr` shows for a model: its counts, and the tree of bodies with joints and closures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Protocol

from .closures import Closure
from .items import WORLD, Body

MOST_LINES = 10  #: bodies, and closures, that the text lists


class Tree(Protocol):
    """The attributes of a model that its text uses; see `ModelData`."""

    name: str

    @property
    def bodies(self) -> Mapping[str, Body]: ...
    @property
    def loops(self) -> Mapping[str, Closure]: ...
    @property
    def inputs(self) -> Collection[object]: ...
    @property
    def outputs(self) -> Collection[object]: ...


def model_text(model: Tree) -> str:
    """Return counts of a model, then its bodies, each below its parent, and its closures, at most ten of each."""
    bodies = [f"{'  ' * depth}{name}: {_joint(model, name)}" for name, depth in islice(_depth_first(model), MOST_LINES)]
    closures = []
    for closure in islice(model.loops.values(), MOST_LINES):
        sides = dict.fromkeys(side.body for side in closure.sides)
        closures.append(f"  {closure.thing}" + (f" between {' and '.join(sides)}" if sides else ""))
    return "\n".join([counts(model), *_with_rest(bodies, model.bodies), *_with_rest(closures, model.loops)])


def counts(model: Tree) -> str:
    """Return one line: a model's name, and the numbers of its bodies, coordinates, closures, inputs and outputs."""
    numbers = (
        (len(model.bodies), "body", "bodies"),
        (sum(len(body.joint.coordinates) for body in model.bodies.values()), "coordinate", "coordinates"),
        (len(model.loops), "loop", "loops"),
        (len(model.inputs), "input", "inputs"),
        (len(model.outputs), "output", "outputs"),
    )
    return f"model {model.name!r}: " + ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in numbers)


def _joint(model: Tree, name: str) -> str:
    """A joint's class and the names of its coordinates."""
    joint = model.bodies[name].joint
    coordinates = [coordinate for coordinate, _ in joint.coordinates]
    several = len(coordinates) > 2
    names = f"{coordinates[0]} to {coordinates[-1]}" if several else ", ".join(coordinates)
    return type(joint).__name__ + (f" ({names})" if names else "")


def _depth_first(model: Tree) -> Iterator[tuple[str, int]]:
    """Yield the names of bodies, each after its parent, with their depth below the world."""
    children: dict[str, list[str]] = {}
    for body in model.bodies.values():
        children.setdefault(body.parent, []).append(body.name)
    pending = [(name, 1) for name in reversed(children.get(WORLD, []))]
    while pending:
        name, depth = pending.pop()
        yield name, depth
        pending += [(child, depth + 1) for child in reversed(children.get(name, []))]


def _with_rest(lines: list[str], things: Collection[object]) -> list[str]:
    more = len(things) - len(lines)
    return [*lines, f"  ... and {more} more"] if more else lines
