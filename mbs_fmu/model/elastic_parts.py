"""Parts of a body that bends: its modes, the node in its joint, and the nodes that others sit on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..arguments import is_one_of
from ..errors import ModelError
from ..lazy_dataclasses import dataclass
from ..messages.failures import display
from ..messages.suggestions import did_you_mean
from ..symbolic.expressions import Expression, as_expression, is_literal
from .geometry.vectors import is_list, number
from .joints import Free, Joint

if TYPE_CHECKING:
    from ..elastic.modes import Modes


@dataclass(frozen=True, eq=False)
class Elastic:
    """modes: in normal coordinates of the mean frame. root: the node in the body's joint; None: the mean frame is.

    stiffness, damping: factors of the modes' own.
    """

    modes: Modes
    root: str | None
    stiffness: Expression
    damping: Expression

    @property
    def attachments(self) -> list[str]:
        """The nodes that are no root, by name."""
        return [name for name in self.modes.nodes if name != self.root]

    def named(self, suffix: str, unit: str) -> list[tuple[str, str]]:
        """Name and unit of a number of each mode."""
        return [(f"{suffix}[{k + 1}]", unit) for k in range(self.modes.count)]


def elastic_part(
    told: Any, root: Any, stiffness: Any, damping: Any, joint: Joint, thing: str, given: Mapping[str, bool]
) -> Elastic | None:
    """The elastic part of a body, None of a rigid one. `given`: arguments of `m.body` for rigid bodies that are there.

    Raises ModelError.
    """
    if told is None:
        if root is not None or damping is not None or stiffness is not None:
            raise ModelError(f"{thing}: root, damping and stiffness are those of an elastic body: give elastic= too")
        return None
    from ..elastic.modes import Modes

    if not isinstance(told, Modes):
        raise ModelError(f"{thing}: elastic must be modes, such as mbs.beam(...), not {display(told)}")
    for word, is_told in given.items():
        if is_told:
            raise ModelError(f"{thing}: its {word} follows from elastic: leave {word} out")
    held = _root(told, root, joint, thing)
    modes, factor = _damped(told, damping, held, thing)
    return Elastic(modes.normal(), held, _stiffness(stiffness, thing), factor)


def _damped(modes: Modes, damping: Any, root: str | None, thing: str) -> tuple[Modes, Expression]:
    """The modes with their damping, in parts of the critical one of the body held at its root; and a factor of that.

    A number may be an expression of parameters.
    """
    if damping is None or is_one_of(damping, ("file",)):
        return modes, as_expression(1.0)
    if is_list(damping):
        try:
            return modes.with_damping(damping, held=root), as_expression(1.0)
        except ModelError as error:
            raise ModelError(f"{thing}: {error}") from None
    factor = number(damping, f"damping of {thing}", "1")
    if is_literal(factor) and factor.value < 0.0:
        raise ModelError(f"damping of {thing} is {factor.value:g}: it must not be negative")
    return modes.with_damping(1.0, held=root), factor


def _stiffness(told: Any, thing: str) -> Expression:
    """The factor of the modes' own."""
    factor = as_expression(1.0) if told is None else number(told, f"stiffness of {thing}", "1")
    if is_literal(factor) and factor.value <= 0.0:
        raise ModelError(
            f"stiffness of {thing} is {factor.value:g}: it is a factor of the modes' own and must be positive"
        )
    return factor


def _root(modes: Modes, root: Any, joint: Joint, thing: str) -> str | None:
    if root is None and joint == Free():
        return None
    if root is None and modes.nodes:
        return next(iter(modes.nodes))
    if root is None:
        raise ModelError(f"{thing}: its modes have no node to lie in the joint: give them nodes, or use mbs.Free()")
    if not isinstance(root, str) or root not in modes.nodes:
        have = ", ".join(modes.nodes) or "none"
        raise ModelError(
            f"{thing}: unknown root {display(root)}{did_you_mean(root, modes.nodes)}; nodes of its modes: {have}"
        )
    return root
