"""Checks of new names in a model, and of the references in its expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..infrastructure.errors import ModelError
from ..infrastructure.messages.failures import display
from ..symbolic.expressions import Expression
from ..symbolic.graph import topological
from .checks import NAME, RESERVED
from .data import ModelData
from .items import WORLD, Body
from .references.leaves import JointNumber


def new_name(model: ModelData, name: str, what: str) -> None:
    """Raise ModelError unless the name of a new `what` ("body", ...) is an identifier, not reserved and not taken."""
    if not isinstance(name, str) or not NAME.match(name):
        raise ModelError(f"{what} name {display(name)} must be an identifier: letters, digits and underscores")
    if name in RESERVED:
        raise ModelError(f"{what} name {name!r} is reserved: choose another")
    not_taken(model, name, what)


def not_taken(model: ModelData, name: str, what: str) -> None:
    """Raise ModelError if another item that shares names with a new `what` has this name, see `SHARED_NAMES`."""
    for other, table in _tables_beside(model, what).items():
        if name in table:
            article = "an" if other[0] in "aeiou" else "a"
            raise ModelError(
                f"{what} name {name!r} is taken by {article} {other} of model {model.name!r}: choose another"
            )


#: Groups of tables of `ModelData` by the kind of their items; names are unique within each group.
SHARED_NAMES: tuple[Mapping[str, str], ...] = (
    {"body": "bodies", "loop": "loops", "follower": "followers"},
    {"force": "forces", "drive": "drives", "rotor": "rotors"},
    {
        "parameter": "parameters", "array parameter": "arrays", "input": "inputs", "state": "states",
        "sampled signal": "sampled_signals", "output": "outputs", "event": "events",
    },
    {"terminal": "terminals"},
    {"fmu": "fmus"},
)  # fmt: skip


def _tables_beside(model: ModelData, what: str) -> Mapping[str, Mapping[str, object]]:
    """Return the tables, by kind of their items, in which the name of a new `what` must not appear."""
    group = next(group for group in SHARED_NAMES if what in group)
    return {other: getattr(model, table) for other, table in group.items()}


def known_in(model: ModelData, expressions: Iterable[Expression], thing: str) -> None:
    """Raise ModelError if expressions refer to a body or closure that this model does not have.

    A controller may be defined before its mechanism: without bodies, the names are checked at compilation only.
    """
    if not model.bodies:
        return
    for node in topological(expressions):  # equal references too, since they may hold different bodies
        if node.op == "leaf":
            model.known_reference(node.value, thing)


def joint_index(model: ModelData, reference: JointNumber, thing: str) -> int:
    """Return the number, from 0, of a joint coordinate or velocity. Raises ModelError for one that does not exist."""
    joint = model.bodies[reference.body].joint
    count = len(joint.coordinates if reference.quantity == "coordinate" else joint.rates)
    if reference.k < 0 and count > 1:
        raise ModelError(
            f"{thing}: the joint of body {reference.body!r} has {count} {reference.quantity}s: say which, 1 to {count}"
        )
    if max(reference.k, 0) >= count:
        missing = f"{reference.quantity} {reference.k + 1} of body {reference.body!r} does not exist, it has {count}"
        raise ModelError(f"{thing}: {missing}")
    return max(reference.k, 0)


def place(model: ModelData, body: str | Body, thing: str) -> str:
    """Return the name of a body of the model, or that of the world; ModelError for anything else."""
    return WORLD if isinstance(body, str) and body == WORLD else model.known_body(body, thing)
