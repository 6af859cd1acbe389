"""Names in a model: which are possible and free, and whether formulas know only what there is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..errors import ModelError
from ..messages.failures import display
from ..symbolic.expressions import Expression
from ..symbolic.graph import topological
from .checks import NAME, RESERVED
from .data import ModelData
from .items import WORLD, Body


def new_name(model: ModelData, name: str, what: str) -> None:
    """ModelError for the name of a new `what` ("body", "force", ...) that is no identifier, reserved or taken."""
    if not isinstance(name, str) or not NAME.match(name):
        raise ModelError(f"{what} name {display(name)} must be an identifier: letters, digits and underscores")
    if name in RESERVED:
        raise ModelError(f"{what} name {name!r} is reserved: choose another")
    not_taken(model, name, what)


def not_taken(model: ModelData, name: str, what: str) -> None:
    """ModelError for a name that another of its kind has: bodies and loops, forces and the like, signals."""
    for other, room in _beside(model, what).items():
        if name in room:
            article = "an" if other[0] in "aeiou" else "a"
            raise ModelError(
                f"{what} name {name!r} is taken by {article} {other} of model {model.name!r}: choose another"
            )


#: Rooms of `ModelData` whose names differ, by what is in them.
APART: tuple[Mapping[str, str], ...] = (
    {"body": "bodies", "loop": "loops", "follower": "followers"},
    {"force": "forces", "drive": "drives", "rotor": "rotors"},
    {
        "parameter": "parameters", "input": "inputs", "state": "states", "sampled signal": "sampled_signals",
        "output": "outputs", "event": "events",
    },
)  # fmt: skip


def _beside(model: ModelData, what: str) -> Mapping[str, Mapping[str, object]]:
    """The rooms whose names must differ from that of a new `what`."""
    tables = next(tables for tables in APART if what in tables)
    return {other: getattr(model, room) for other, room in tables.items()}


def known_in(model: ModelData, expressions: Iterable[Expression], thing: str) -> None:
    """ModelError for a measure of what this model doesn't have.

    A controller may come before its mechanism: while there are no bodies, compiling looks the names up.
    """
    if not model.bodies:
        return
    for node in topological(expressions):  # of equal references too, which may have been told with different bodies
        if node.op == "leaf":
            model.known_reference(node.value, thing)


def place(model: ModelData, body: str | Body, thing: str) -> str:
    """The name of a body, or the world's; ModelError for any other."""
    return WORLD if isinstance(body, str) and body == WORLD else model.known_body(body, thing)
