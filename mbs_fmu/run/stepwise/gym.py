"""`mbs.gym`: environments for reinforcement learning. Their first use imports gymnasium, of the extra `gym`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .environment import MechanismEnv

__all__ = ["MechanismEnv"]


def __getattr__(name: str) -> Any:
    """Import a class. Raises ModelError without gymnasium."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import environment

    return getattr(environment, name)
