"""References: leaves of users' expressions. Values are in SI units: m, rad, m/s, rad/s, N, N m, kg, J, N s."""

from __future__ import annotations

from dataclasses import field

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import Expression
from .naming import A_NAME


@dataclass(frozen=True)
class Signal:
    """A named parameter, input, signal state, or time. role: "parameter", "input", "state", "sampled" or "time";
    "signal" if only the name is known yet."""

    role: str
    name: str = field(metadata=A_NAME)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ContactRate:
    """Rate of a closure's contact parameter k, from 0."""

    loop: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"rate of contact parameter {self.k + 1} of {self.loop}"


@dataclass(frozen=True)
class JointNumber:
    """A body's k-th coordinate ("coordinate", m or rad) or joint velocity ("rate", m/s or rad/s), k from 0.

    argument: the `Body` or the name that the user passed; all references to bodies have it, for checks and messages.
    """

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body}, {self.k + 1})" if self.k >= 0 else f"{self.quantity}({self.body})"


@dataclass(frozen=True)
class ModalNumber:
    """Modal "coordinate" (m) of an elastic body's k-th vibration mode, from 0, or its "rate" (m/s)."""

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"modal({self.body}, {self.k + 1})"


@dataclass(frozen=True)
class FrameNumber:
    """Entry k of a body frame's "rotation", "origin" or "twist".

    rotation: from body to world axes, 3x3 row by row. origin: m, world axes. twist: (v; w), m/s and rad/s, body axes.
    """

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body})[{self.k}]"


@dataclass(frozen=True)
class PointNumber:
    """Component k, in world axes, of the "position" (m) or "velocity" (m/s) of a point on a body or the world.

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
    """Component k, in world axes, of the angular velocity (rad/s) of a body or the world."""

    body: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"spin of {self.body}[{self.k}]"


@dataclass(frozen=True)
class FailedStep:
    """Size of the failed step, s; 0 at a start."""

    def __str__(self) -> str:
        return "the failed step"


@dataclass(frozen=True)
class MechanicalEnergy:
    """Kinetic energy, potential energy of gravity and elastic energy of springs, J."""

    def __str__(self) -> str:
        return "energy"


@dataclass(frozen=True)
class Residual:
    """Largest absolute constraint residual of all loops, m or rad."""

    def __str__(self) -> str:
        return "residual"


@dataclass(frozen=True)
class ModeNumber:
    """Constraint mode of a closure, or of dry friction that sticks: 0 while engaged or sticking, otherwise -1 or 1."""

    loop: str = field(metadata=A_NAME)

    def __str__(self) -> str:
        return f"mode({self.loop})"


@dataclass(frozen=True)
class ImpulseNumber:
    """Impulse of a closure's k-th constraint row (from 0) at its last impact, N s or N m s."""

    loop: str = field(metadata=A_NAME)
    k: int

    def __str__(self) -> str:
        return f"impulse({self.loop}, {self.k + 1})" if self.k >= 0 else f"impulse({self.loop})"


@dataclass(frozen=True)
class Multiplier:
    """k-th multiplier of a loop, from 0, N or N m; `mean`: its mean over the last step."""

    loop: str = field(metadata=A_NAME)
    k: int
    mean: bool

    def __str__(self) -> str:
        return f"multiplier({self.loop}, {self.k + 1})" if self.k >= 0 else f"multiplier({self.loop})"


@dataclass(frozen=True)
class ReactionNumber:
    """Component k of the reaction of a joint or loop, world axes: force (N), then torque (N m).

    `mean`: its mean over the last step.
    """

    owner: str = field(metadata=A_NAME)
    k: int
    mean: bool
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"reaction({self.owner})[{self.k}]"


@dataclass(frozen=True)
class TwistRate:
    """Component k of the time derivative of a body's twist (v; w), body axes, m/s² and rad/s²."""

    body: str = field(metadata=A_NAME)
    k: int
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"acceleration({self.body})[{self.k}]"


@dataclass(frozen=True)
class Stretch:
    """Placeholder in the law of a force: of a spring the "extension" beyond the free length, m or rad, or its rate, the
    "speed"; of teeth the "phase" of their mesh, rad."""

    quantity: str

    def __str__(self) -> str:
        return "phase of a gear" if self.quantity == "phase" else f"{self.quantity} of a spring"


@dataclass(frozen=True)
class Held:
    """A number in the law of a force that moves with bodies, as a variable of its own; the slopes of the stored energy
    by it are forces."""

    number: Expression

    def __str__(self) -> str:
        return str(self.number)


@dataclass(frozen=True)
class ForceNumber:
    """Power of a named force (quantity "power", W), its scalar "strength", or component k of its "force" or "torque".

    Force (N) and torque (N m) are in world axes. point: number of a contact point, from 1, or 0 for the whole force.
    """

    quantity: str
    force: str = field(metadata=A_NAME)
    k: int = 0
    point: int = 0

    def __str__(self) -> str:
        return f"{self.quantity} of {self.force}"


@dataclass(frozen=True)
class ContactNumber:
    """Component k of a quantity of a compliant contact or tyre; point: its number, from 1, or 0 for the total.

    quantity: name of the measure, "gap", "penetration", "slip", "contact_point" or "contact_force", of tyres "wheel"
    and "along".
    """

    quantity: str
    force: str = field(metadata=A_NAME)
    point: int
    k: int

    def __str__(self) -> str:
        return f"{self.quantity} of {self.force}"


@dataclass(frozen=True)
class PartNumber:
    """Literal number k, from 0, in which parts of forces of one kind differ."""

    k: int

    def __str__(self) -> str:
        return f"number {self.k + 1} of a part"


@dataclass(frozen=True)
class Total:
    """Component k of the momentum, angular momentum or first moment of mass, or the mass, of all bodies that can move.

    quantity: "momentum" (N s), "angular" (N m s), "moment" (kg m) or "mass" (kg). Moments are about the world's origin,
    in world axes.
    """

    quantity: str
    k: int = 0

    def __str__(self) -> str:
        return f"{self.quantity} of all bodies"


@dataclass(frozen=True)
class BodyTotal:
    """Component k, in world axes, of a body's momentum, angular momentum or centre of mass.

    quantity: "momentum" (N s), "angular" (about the world's origin, N m s) or "center" (m).
    """

    quantity: str
    body: str = field(metadata=A_NAME)
    k: int
    argument: object = field(default=None, compare=False, repr=False, metadata=A_NAME)

    def __str__(self) -> str:
        return f"{self.quantity}({self.body})[{self.k}]"


@dataclass(frozen=True)
class DriveForce:
    """Generalized force of a drive along its k-th rate, from 0, N or N m; `mean`: its mean over the last step."""

    drive: str = field(metadata=A_NAME)
    k: int
    mean: bool

    def __str__(self) -> str:
        return f"drive_force({self.drive}, {self.k + 1})" if self.k >= 0 else f"drive_force({self.drive})"
