"""The option `contacts` of the readers."""

from __future__ import annotations

from typing import Any

from ...infrastructure.arguments import is_one_of, positive, whole
from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Number, Quantity

PAIRS = ("ground", "reach", "all")
MATCHES = ("rest", "impact")


@add_clear_errors
@dataclass(frozen=True)
class FileContacts:
    """Choice of the contacts that a reader adds for the collision shapes of a robot file, and of their numbers.

    pairs: "ground": pairs with the world and what is welded to it; "reach": the pairs that touch at one of `poses`
    random poses within the limits of the joints, at zero, or whose bodies belong to different trees of which one is
    free; "all". match: "rest" gives the depths at rest of MuJoCo, "impact" the duration of its impacts.

    stiffness (N/m), dissipation (s/m), friction, grip (N/m), settling (s), creep (m/s): replace the numbers of the
    file; arguments of `Model.contact`, which may be expressions of parameters. most: contact points above which the
    reader raises ModelError. step: s, of explicit methods with fixed steps; contacts that would need shorter ones are
    softer than in the file. By default 1 ms, or the time step of an MJCF if that is shorter.

    Raises ArgumentError for an unknown choice, numbers that are not whole, and a step that is not positive.
    """

    pairs: str = "reach"
    match: str = "rest"
    stiffness: Quantity | None = None
    dissipation: Quantity | None = None
    friction: Number | None = None
    grip: Quantity | None = None
    settling: float | str | None = None
    creep: Quantity | None = None
    poses: int = 3000
    most: int = 2000
    step: float | None = None

    def __post_init__(self) -> None:
        for what, names in (("pairs", PAIRS), ("match", MATCHES)):
            if not is_one_of(getattr(self, what), names):
                raise ArgumentError(f"{what} is {display(getattr(self, what))}: use {', '.join(map(repr, names))}")
        for what in ("poses", "most"):
            whole(getattr(self, what), what)
        if self.step is not None:
            positive(self.step, "step")

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers that replace those of the file, by the name of the argument of `Model.contact`."""
        names = ("stiffness", "dissipation", "friction", "grip", "settling", "creep")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}


def chosen(contacts: Any) -> FileContacts | None:
    """Return the choice that the argument `contacts` of a reader stands for; None for no contacts.

    Raises ArgumentError for anything but None, a truth value, "ground", "reach", "all" and `FileContacts`.
    """
    if contacts is None or contacts is False:
        return None
    if contacts is True:
        return FileContacts()
    if is_one_of(contacts, PAIRS):
        return FileContacts(contacts)
    if not isinstance(contacts, FileContacts):
        raise ArgumentError(
            f"contacts is {display(contacts)}: use True, {', '.join(map(repr, PAIRS))} or mbs.FileContacts(...)"
        )
    return contacts
