"""Switches of an MJCF: what its flags, and its disabled groups of actuators, turn off."""

from __future__ import annotations

from typing import Any

from ..infrastructure.lazy_dataclasses import dataclass

CONSTRAINTS = ("equality", "frictionloss", "limit", "contact")  #: flags that `constraint` includes
PASSIVE = ("spring", "damper")  #: without both there is no drag and no compensation of gravity either
GROUPS = 31  #: groups of actuators from this one on can't be disabled


@dataclass(frozen=True)
class Switches:
    """Features that a file leaves enabled, by the names of its flags (`gravity`, `spring`, ...)."""

    disabled: frozenset[str]
    actuator_groups: int  #: bits of the disabled groups

    def __contains__(self, flag: str) -> bool:
        """Return whether a flag is enabled."""
        return flag not in self.disabled

    @property
    def passive(self) -> bool:
        """True if passive forces other than springs and dampers act."""
        return any(flag in self for flag in PASSIVE)

    def has_actuator(self, group: int) -> bool:
        """Return whether the actuators of a group are enabled."""
        return not (0 <= group < GROUPS and self.actuator_groups >> group & 1)


def switches_of(mj: Any, mujoco: Any) -> Switches:
    """Return the switches of a compiled model."""
    bits = {
        name.removeprefix("mjDSBL_").lower(): int(bit)
        for name, bit in mujoco.mjtDisableBit.__members__.items()
        if name.startswith("mjDSBL_")
    }
    disabled = {flag for flag, bit in bits.items() if int(mj.opt.disableflags) & bit}
    if "constraint" in disabled:
        disabled |= set(CONSTRAINTS)
    if "passive" in disabled:  # of MuJoCo before 3.4
        disabled |= set(PASSIVE)
    return Switches(frozenset(disabled), int(mj.opt.disableactuator))
