"""References: leaves of users' expressions."""

from __future__ import annotations

from dataclasses import field

from ...lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from .naming import A_NAME


@dataclass(frozen=True)
class Signal:
    """A named parameter, input, signal state, or time: role "parameter", "input", "state",
    "sampled" or "time"; "signal" of one that is known by its name only."""

    role: str
    name: str = field(metadata=A_NAME)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ContactRate:
    """The rate of a closure's contact parameter k, from 0."""

    loop: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"rate of contact parameter {self.k + 1} of {self.loop}"


@dataclass(frozen=True)
class JointNumber:
    """A body's k-th coordinate ("coordinate") or joint velocity ("rate"), k from 0.

    told: as in all references to bodies, the body or the name that the user gave.
    """

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body}, {self.k + 1})" if self.k >= 0 else f"{self.quantity}({self.body})"


@dataclass(frozen=True)
class ModalNumber:
    """The "coordinate" or "rate" of an elastic body's k-th mode, from 0."""

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"modal({self.body}, {self.k + 1})"


@dataclass(frozen=True)
class FrameNumber:
    """A number of a body frame: entry k of its "rotation" (body to world, row by row), "origin" (world
    axes) or "twist" (v, w in body axes)."""

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body})[{self.k}]"


@dataclass(frozen=True)
class PointNumber:
    """Component k, in world axes, of the "position" or "velocity" of a point on a body or the world.

    at: the point in body axes, m.
    """

    quantity: str
    body: str = field(metadata=A_NAME)
    at: tuple[Expression, ...]
    k: int

    def __str__(self) -> str:
        return f"{self.quantity} of a point on {self.body}[{self.k}]"


@dataclass(frozen=True)
class AxisNumber:
    """Component k, in world axes, of an axis (0 to 2) of a frame fixed on a body or the world.

    frame: its rotation, frame to body coordinates, 3x3 row by row: numbers, or expressions of parameters.
    """

    body: str = field(metadata=A_NAME)
    frame: tuple[float | Expression, ...]
    axis: int
    k: int

    def __str__(self) -> str:
        return f"axis {self.axis + 1} of a frame on {self.body}[{self.k}]"


@dataclass(frozen=True)
class SpinNumber:
    """Component k, in world axes, of the angular velocity of a body or the world."""

    body: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"spin of {self.body}[{self.k}]"


@dataclass(frozen=True)
class FailedStep:
    """The size of the step that went wrong, s; 0 at a start."""

    def __str__(self) -> str:
        return "the failed step"


@dataclass(frozen=True)
class MechanicalEnergy:
    """Kinetic energy, gravity's potential energy and the energy in springs."""

    def __str__(self) -> str:
        return "energy"


@dataclass(frozen=True)
class Residual:
    """The largest residual of all loops."""

    def __str__(self) -> str:
        return "residual"


@dataclass(frozen=True)
class ModeNumber:
    """The mode of a closure, or of a friction that sticks, by name."""

    loop: str = field(metadata=A_NAME)

    def __str__(self) -> str:
        return f"mode({self.loop})"


@dataclass(frozen=True)
class ImpulseNumber:
    """The impulse that the k-th condition of a closure took when modes last changed, from 0."""

    loop: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"impulse({self.loop}, {self.k + 1})" if self.k >= 0 else f"impulse({self.loop})"


@dataclass(frozen=True)
class Multiplier:
    """The k-th multiplier of a loop, from 0; `mean`: over the last step."""

    loop: str = field(metadata=A_NAME)
    k: int
    mean: bool

    def __str__(self) -> str:
        return f"multiplier({self.loop}, {self.k + 1})" if self.k >= 0 else f"multiplier({self.loop})"


@dataclass(frozen=True)
class ReactionNumber:
    """Component k of the wrench of a joint or loop in world axes: force, then torque; `mean`: over the last step."""

    owner: str = field(metadata=A_NAME)
    k: int
    mean: bool
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"reaction({self.owner})[{self.k}]"


@dataclass(frozen=True)
class TwistRate:
    """Component k of the rate of change of a body's twist (v, w), in body axes."""

    body: str = field(metadata=A_NAME)
    k: int
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"acceleration({self.body})[{self.k}]"


@dataclass(frozen=True)
class Stretch:
    """In a spring's law: the "extension" beyond its free length, or the "speed" of the extension."""

    quantity: str

    def __str__(self) -> str:
        return f"{self.quantity} of a spring"


@dataclass(frozen=True)
class ForceNumber:
    """Of a named force: its "power", its scalar "strength", component k of its "force" or "torque" (world axes)."""

    quantity: str
    force: str = field(metadata=A_NAME)
    k: int = 0

    def __str__(self) -> str:
        return f"{self.quantity} of {self.force}"


@dataclass(frozen=True)
class Total:
    """Of all bodies that can move: component k of "momentum", "angular" momentum or "moment" of mass, or "mass".

    All about the world's origin, in world axes.
    """

    quantity: str
    k: int = 0

    def __str__(self) -> str:
        return f"{self.quantity} of all bodies"


@dataclass(frozen=True)
class BodyTotal:
    """Of one body: component k of "momentum", "angular" momentum about the world's origin, or the mass' "center"."""

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    told: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body})[{self.k}]"


@dataclass(frozen=True)
class DriveForce:
    """The force of a drive along its k-th rate, from 0; `mean`: over the last step."""

    drive: str = field(metadata=A_NAME)
    k: int
    mean: bool

    def __str__(self) -> str:
        return f"drive_force({self.drive}, {self.k + 1})" if self.k >= 0 else f"drive_force({self.drive})"
