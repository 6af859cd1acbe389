"""Elastic part of a body: its vibration modes, the node in its joint, and its attachment nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..infrastructure.arguments import is_one_of
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..infrastructure.messages.suggestions import did_you_mean
from ..symbolic.expressions import Expression, as_expression, is_literal
from .geometry.vectors import is_list, number
from .joints import Free, Joint

if TYPE_CHECKING:
    from ..elastic.frames import Node
    from ..elastic.modes import Modes

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ElasticPart:
    """Elastic part of a body.

    modes: vibration modes in normal coordinates of the mean frame. root: the node in the body's joint; None if the
    mean frame lies in it. stiffness, damping: factors on stiffness and damping of the modes.
    """

    modes: Modes
    root: str | None
    stiffness: Expression
    damping: Expression

    @property
    def attachments(self) -> list[str]:
        """Names of all nodes but the root."""
        return [name for name in self.modes.nodes if name != self.root]

    @property
    def root_node(self) -> Node:
        """The node in the body's joint; if the mean frame lies there, a node that is fixed to that frame."""
        from ..elastic.frames import Node

        if self.root is not None:
            return self.modes.node(self.root)
        n = self.modes.count
        return Node(np.zeros(3), np.eye(3), np.zeros((6, n)), np.zeros((6, n, n)))

    def rest_pose(self, name: str) -> tuple[Array, Array]:
        """Return position, (3), m, and rotation, (3, 3), of a node in the undeformed body's frame, that of the root."""
        root, node = self.root_node, self.modes.node(name)
        return root.axes.T @ (node.position - root.position), root.axes.T @ node.axes

    @property
    def rest_inertia(self) -> tuple[float, Array, Array]:
        """Mass, kg, centre of mass, m, and inertia about it, kg m², of the undeformed body, in its frame."""
        root, inertia = self.root_node, self.modes.inertia
        return inertia.mass, root.axes.T @ (inertia.center - root.position), root.axes.T @ inertia.central @ root.axes

    def named(self, suffix: str, unit: str) -> list[tuple[str, str]]:
        """Return (name, unit) of one quantity for each mode."""
        return [(f"{suffix}[{k + 1}]", unit) for k in range(self.modes.count)]


def elastic_part(
    modes: Any, root: Any, stiffness: Any, damping: Any, joint: Joint, thing: str, rigid_arguments: Mapping[str, bool]
) -> ElasticPart | None:
    """Return the elastic part of a body, None if it is rigid; the first four are arguments of `Model.body`.

    rigid_arguments: for each argument of `Model.body` that a rigid body only may have, True if it was passed. Raises
    ModelError for invalid or contradictory arguments.
    """
    if modes is None:
        if root is not None or damping is not None or stiffness is not None:
            raise ModelError(f"{thing}: root, damping and stiffness are those of an elastic body: give elastic= too")
        return None
    from ..elastic.modes import Modes

    if not isinstance(modes, Modes):
        raise ModelError(f"{thing}: elastic must be modes, such as mbs.beam(...), not {display(modes)}")
    for argument, is_passed in rigid_arguments.items():
        if is_passed:
            raise ModelError(f"{thing}: its {argument} follows from elastic: leave {argument} out")
    root_node = _root(modes, root, joint, thing)
    damped, factor = _damped(modes, damping, root_node, thing)
    return ElasticPart(damped.normal(), root_node, _stiffness(stiffness, thing), factor)


def _damped(modes: Modes, damping: Any, root: str | None, thing: str) -> tuple[Modes, Expression]:
    """Return the modes with their damping, and a factor on it.

    damping: None or "file" for that of the modes; else fractions of the critical damping of the body held at its root:
    a list with one for each mode, or one for all, which may be an expression of parameters.
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


def _stiffness(stiffness: Any, thing: str) -> Expression:
    """Return the factor on the stiffness of the modes."""
    factor = as_expression(1.0) if stiffness is None else number(stiffness, f"stiffness of {thing}", "1")
    if is_literal(factor) and factor.value <= 0.0:
        raise ModelError(
            f"stiffness of {thing} is {factor.value:g}: it is a factor on that of the modes and must be positive"
        )
    return factor


def _root(modes: Modes, root: Any, joint: Joint, thing: str) -> str | None:
    """Return the node that lies in the joint: by default the first one, or None with a free joint."""
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
