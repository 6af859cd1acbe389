"""References to reactions, multipliers, accelerations and forces of drives, which the balance of momenta evaluates."""

from __future__ import annotations

from collections.abc import Callable

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.drives import CarriedDrive
from ...model.geometry.vectors import Vector
from ...model.references.leaves import DriveForce, Multiplier, ReactionNumber, Residual, TwistRate
from ...model.workless import workless_load
from ...record.blocks import LoopNumbers
from ...symbolic.expressions import Expression, as_expression, leaf
from ...symbolic.graph import leaves
from ..laws.resolve import Handler, Resolver, load
from .closures import Closures


class Instantaneous:
    """Resolves these references."""

    def __init__(self, resolve: Resolver, closures: Closures):
        self.resolve = resolve
        self.closures = closures
        self.model = resolve.model

    @property
    def handlers(self) -> dict[type, Handler]:
        """Handlers of references to reactions, multipliers, accelerations and forces of drives."""
        return {
            DriveForce: self._drive_force,
            Multiplier: self._multiplier,
            ReactionNumber: self._reaction,
            Residual: self._residual,
            TwistRate: self._twist_rate,
        }

    def _residual(self, ref: Residual, resolve: Resolver, thing: str) -> Expression:
        return load("loop_state", LoopNumbers.residual)

    def _reaction(self, ref: ReactionNumber, resolve: Resolver, thing: str) -> Expression:
        self._check_known(ref.mean, thing)
        if ref.owner in self.model.bodies:
            return self._joint_reaction(ref, thing)
        c = self.closures.number(ref.owner, thing)
        along_rows = self.closures.reaction(c, _multipliers(ref.mean))[ref.k]
        workless = self.model.loops[ref.owner].workless(lambda k: leaf(Multiplier(ref.owner, k, ref.mean))).pushes
        beside = [(*push.force, *push.torque)[ref.k] for push in workless[-1:]]
        return sum(resolve(beside, thing), start=along_rows)

    def _multiplier(self, reference: Multiplier, resolve: Resolver, thing: str) -> Expression:
        self._check_known(reference.mean, thing)
        name = reference.loop
        c = self.closures.number(name, thing)
        count = len(self.closures.resolved[c].rows)
        if reference.k < 0 and count > 1:
            raise ModelError(f"{thing}: loop {name!r} has {count} conditions: say which, 1 to {count}")
        if reference.k >= count:
            raise ModelError(f"{thing}: condition {reference.k + 1} of loop {name!r} does not exist, it has {count}")
        return _multipliers(reference.mean)(self.closures.row_addresses.row[c] + max(reference.k, 0))

    def _drive_force(self, ref: DriveForce, resolve: Resolver, thing: str) -> Expression:
        """Return the missing term of (P4) along a prescribed motion: the rate of its momentum minus all other terms."""
        if ref.drive not in self.model.drives:
            known = ", ".join(self.model.drives) or "none"
            problem = f"{thing}: unknown drive {ref.drive!r}{did_you_mean(ref.drive, self.model.drives)}"
            raise ModelError(f"{problem}; drives of model {self.model.name!r}: {known}")
        drive = self.model.drives[ref.drive]
        if ref.k < 0 and len(drive.rates) > 1:
            raise ModelError(f"{thing}: drive {ref.drive!r} gives {len(drive.rates)} rates: say which")
        if ref.k >= len(drive.rates):
            raise ModelError(
                f"{thing}: rate {ref.k + 1} of drive {ref.drive!r} does not exist, it has {len(drive.rates)}"
            )
        self._check_known(ref.mean, thing)
        force = self._force_along(drive.body, drive.rates[max(ref.k, 0)], ref.mean)
        for carried in self.model.drives.on(drive.body, "leader"):
            assert isinstance(carried, CarriedDrive)
            (ratio,) = resolve.parameters_only([carried.ratio], thing)
            force = force + ratio * self._force_along(carried.body, 0, ref.mean)
        return force

    def _force_along(self, body: str, k: int, mean: bool) -> Expression:
        """Return the force that moves a driven joint along its k-th rate as prescribed."""
        slot = self.resolve.tree.u[body][k].offset
        if mean:
            return load("drive_means", slot)
        return load("drive_momenta", slot, "D") - load("drive_rests", slot)

    def _check_known(self, mean: bool, thing: str) -> None:
        """Raise ModelError for an instantaneous value if a prescribed motion follows an input.

        Its acceleration, and therefore all others, are unknown. Means over the last step are always known.
        """
        if not mean and self._followed is not None:
            drive, signal = self._followed
            raise ModelError(
                f"{thing}: drive {drive!r} follows input {signal!r}, so accelerations, reactions and "
                "forces of drives are not known at an instant: give its motion as a function of time or of states, "
                "or ask for means (mean=True)"
            )

    @cached_property
    def _followed(self) -> tuple[str, str] | None:
        """Return the first drive whose motion follows an input, and that input."""
        for drive in self.model.drives.values():
            for signal in leaves([*drive.position, *drive.rate]):
                if signal.role == "input" and signal.name not in self.resolve.replaced:
                    return drive.name, signal.name
        return None

    def _twist_rate(self, ref: TwistRate, resolve: Resolver, thing: str) -> Expression:
        self._check_known(False, thing)
        self.model.known_reference(ref, thing)
        frame = self.resolve.tree.frames[ref.body]
        if frame.link < 0:
            return as_expression(0.0)
        v, w = (Vector(load("twist", 6 * frame.link + 3 * part + k, "D") for k in range(3)) for part in range(2))
        part = v + w.cross(self.resolve.numbers(frame.origin, thing)) if ref.k < 3 else w
        return part.dot(resolve.axes(ref.body, thing)[:, ref.k % 3])

    def _joint_reaction(self, ref: ReactionNumber, thing: str) -> Expression:
        """Return mu_dot + Omega mu - F^ of the branch: the wrench that the parent exerts on it."""
        body = self.model.bodies[ref.owner]
        if ref.mean:
            raise ModelError(f"{thing}: the mean reaction is known for loops only, not for body {body.name!r}")
        if body.attachment is not None:
            raise ModelError(
                f"{thing}: {body.no_modes('joint')}: ask for the reaction of what hangs on it, or of {body.parent!r}"
            )
        if not body.joint.motions:
            loop, ends = f"{body.name}_weld", f"{body.parent!r}, {body.name!r}"
            root = "" if body.elastic is None else f", root={body.elastic.root!r}"  # not its mean frame
            raise ModelError(
                f"{thing}: body {body.name!r} is welded and one with its parent: replace the weld by joint=mbs.Free()"
                f"{root}, add m.close({loop!r}, {ends}, mbs.Weld(), at_a=...) with the body's at=, and ask for "
                f"mbs.reaction({loop!r})"
            )
        frame = self.resolve.tree.frames[body.name]

        def vector(array: str, part: int) -> Vector:
            return Vector(load("balance", 12 * frame.link + 3 * part + k, array) for k in range(3))

        f, n, force, torque = (vector("R", part) for part in range(4))
        v, w = self.resolve.link_twist(frame.link)
        pull = vector("D", 0) + w.cross(f) - force
        twist = vector("D", 1) + v.cross(f) + w.cross(n) - torque
        twist = twist - self.resolve.numbers(frame.origin, thing).cross(pull)
        local = pull if ref.k < 3 else twist
        moving = self.resolve.link_rotation(frame.link)[ref.k % 3].dot(local)
        force, torque = workless_load(self.model, body.name)
        return moving - self.resolve.one((*force, *torque)[ref.k], thing)


def _multipliers(mean: bool) -> Callable[[int], Expression]:
    """Return a function that gives lambda of a row: its mean over the last step, or the present rate of Lambda."""
    return lambda row: load("means", row) if mean else load("multipliers", row, "D")
