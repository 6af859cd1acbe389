"""The vertical spring of a tyre, and its effective rolling radius: (T8) and (T9) of docs/vehicles.md."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from ...infrastructure.cached_properties import cached_property
from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, as_expression, atan, clip, max, min, sqrt, tan
from ...symbolic.graph import evaluate, leaves
from ...symbolic.tables import area, table

FASTEST = 1.0  #: m/s, largest speed of deflection that counts for the damping
RISE = 5e-3  #: m, deflection over which the damping rises to its full value
FAR = 10.0  #: multiple of the last deflection of a curve, up to which its last slope is extrapolated
LEAST_LOAD = 1e-6  #: N, loads below this one do not divide
LEAST_DEFLECTION = 1e-6  #: over the radius, below which the influence of the force across does not change
TINY = 1e-12  #: m, keeps the deflection of an upright wheel finite
LEAST_SLOPE = 0.1  #: of the equation for the share, which keeps it solvable for any force across

Table = tuple[tuple[float, ...], tuple[float, ...]]  #: points and values


def plain(x: Expression) -> Expression | float:
    """Return the value of a constant expression as a number; any other expression unchanged."""
    return x if leaves([x]) else evaluate(x, {})


class Spring(ABC):
    """Load of a tyre at rest by its deflection, m, which is not negative."""

    @abstractmethod
    def load(self, deflection: Expression) -> Expression:
        """Return the load, N."""

    @abstractmethod
    def energy(self, deflection: Expression) -> Expression:
        """Return the stored energy, J."""

    @abstractmethod
    def deflection(self, load: Expression) -> Expression:
        """Return the deflection under a load, m; the inverse of `load`."""


@dataclass(frozen=True, eq=False)
class Proportional(Spring):
    """A spring of constant stiffness, N/m."""

    stiffness: float

    def load(self, deflection: Expression) -> Expression:
        return self.stiffness * deflection

    def energy(self, deflection: Expression) -> Expression:
        return 0.5 * self.stiffness * deflection * deflection

    def deflection(self, load: Expression) -> Expression:
        return load / self.stiffness


@dataclass(frozen=True, eq=False)
class Tabulated(Spring):
    """A spring by a table of deflections (m) and loads (N)."""

    curve: tuple[tuple[float, float], ...]

    @cached_property
    def _table(self) -> Table:
        """Deflections and loads of the curve from zero deflection on, and a far point that extrapolates it linearly."""
        (x0, f0), (x1, f1) = self.curve[-2:]
        far = FAR * x1
        rows = [*self.curve, (far, f1 + (f1 - f0) / (x1 - x0) * (far - x1))]
        rows = rows if rows[0][0] == 0.0 else [(0.0, 0.0), *rows]
        return tuple(x for x, _ in rows), tuple(f for _, f in rows)

    def load(self, deflection: Expression) -> Expression:
        return table(deflection, *self._table)

    def energy(self, deflection: Expression) -> Expression:
        return area(deflection, *self._table)

    def deflection(self, load: Expression) -> Expression:
        return table(load, points=self._table[1], values=self._table[0])


@dataclass(frozen=True, eq=False)
class Quadratic(Spring):
    """A spring whose load has a linear and a quadratic term, N/m and N/m²; a negative one ends at the largest load."""

    linear: float
    quadratic: float

    @property
    def peak(self) -> float:
        """Deflection of the largest load if the quadratic term is negative, m."""
        return -0.5 * self.linear / self.quadratic

    def _limited(self, deflection: Expression) -> Expression:
        return deflection if self.quadratic > 0.0 else min(deflection, self.peak)

    def load(self, deflection: Expression) -> Expression:
        x = self._limited(deflection)
        return (self.linear + self.quadratic * x) * x

    def energy(self, deflection: Expression) -> Expression:
        x = self._limited(deflection)
        constant = ZERO if x is deflection else (deflection - x) * self.load(x)
        return (0.5 * self.linear + self.quadratic / 3.0 * x) * x * x + constant

    def deflection(self, load: Expression) -> Expression:
        return 2.0 * load / (self.linear + sqrt(max(self.linear * self.linear + 4.0 * self.quadratic * load, 0.0)))


@dataclass(frozen=True, eq=False)
class Tread:
    """Influences of version 6.2 of inclined wheels, named as in files, with a flat tread. width: of the tread, m.

    CAM1, CAM2, CAM3: deflection by the inclination. FCY2: exponent of the deflection in the influence of the force
    across. FYS1, FYS2, FYS3: force across at which that influence is least, over the inclination angle, N.
    """

    width: float = 0.0
    CAM1: float = 0.0
    CAM2: float = 0.0
    CAM3: float = 0.0
    FCY2: float = 0.0
    FYS1: float = 0.0
    FYS2: float = 0.0
    FYS3: float = 0.0

    def deflection(self, free: Expression, loaded: Expression, gamma: Expression) -> Expression:
        """Return the deflection of an inclined wheel by its free and its loaded radius, m.

        The edge of the tread touches the road before the centre of the tread does.
        """
        depth = free - loaded
        if not self.CAM1 and not self.CAM2:
            return max(depth, 0.0)
        angle = abs(gamma)
        edge = 0.5 * self.width * tan(angle)  # drop of the edge below the centre of the tread
        reach = max(edge + min(depth, 0.0), 0.0)
        change = (self.CAM1 + self.CAM2 * loaded) * loaded / ((self.CAM1 + self.CAM2 * free) * free)
        by_edge = change * change * reach * reach / (4.0 * edge + TINY)
        return max(max(depth, 0.0) * (1.0 - self.CAM3 * angle) + by_edge, 0.0)

    def shift(self, free: Expression, loaded: Expression, gamma: Expression) -> Expression:
        """Return the force across at which its influence is least, N."""
        ratio = loaded / free
        return (self.FYS1 + (self.FYS2 + self.FYS3 * ratio) * ratio) * gamma


@dataclass(frozen=True, eq=False)
class Influences:
    """Influences on radius and load of version 6.1, named as in files; all are zero in version 5.2.

    RE0: free radius over the unloaded one. V1, V2: growth of radius and load with speed. FCX, FCY: decrease of the load
    by the forces along and across. CAM: increase of the stiffness by the squared inclination angle, N/m. speed: LONGVL,
    m/s. tread: those of version 6.2, or None.
    """

    RE0: float = 1.0
    V1: float = 0.0
    V2: float = 0.0
    FCX: float = 0.0
    FCY: float = 0.0
    CAM: float = 0.0
    speed: float = 1.0
    tread: Tread | None = None


NO_INFLUENCES = Influences()


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion of a wheel on which its load depends.

    omega: angular velocity of rolling, rad/s. gamma: inclination angle, rad.
    """

    omega: Expression = ZERO
    gamma: Expression = ZERO


AT_REST = Motion()


@dataclass(frozen=True, eq=False)
class Vertical:
    """Vertical load of a tyre by its deflection.

    radius: unloaded, m. spring: the law at rest. stiffness: at the nominal load, N/m. damping: N.s/m. load: nominal
    load, N. reff: the coefficients BREFF, DREFF and FREFF of the effective radius. by: influences of the motion.
    """

    radius: float
    spring: Spring
    stiffness: float
    damping: float
    load: float
    reff: tuple[float, float, float] = (0.0, 0.0, 0.0)
    by: Influences = NO_INFLUENCES

    @cached_property
    def of_round_tyre(self) -> Vertical:
        """The law of a tyre with a round cross-section, which has no tread with edges."""
        return replace(self, by=replace(self.by, tread=None)) if self.by.tread else self

    def free_radius(self, omega: Expression = ZERO) -> Expression:
        """Return the radius without load, m, which grows with the angular velocity (rad/s)."""
        grown = self.by.RE0 * self.radius
        if not self.by.V1:
            return as_expression(grown)
        speed = omega * (self.radius / self.by.speed)
        return grown + self.by.V1 * self.radius * (speed * speed)

    def compression(self, loaded: Expression, motion: Motion) -> Expression:
        """Return the deflection by the loaded radius, m."""
        free = self.free_radius(motion.omega)
        tread = self.by.tread
        return tread.deflection(free, loaded, motion.gamma) if tread else max(free - loaded, 0.0)

    def compression_at_rest(self, loaded: Expression) -> Expression:
        """Return the deflection of an upright wheel that does not turn, m."""
        return max(self.free_radius() - loaded, 0.0)

    def deflection(self, load: Expression, omega: Expression = ZERO) -> Expression:
        """Return the deflection of an upright wheel under a load (N) without forces along and across, m."""
        return self.spring.deflection(load / self._growth(omega) if self.by.V2 else load)

    def loaded_radius(self, load: Expression, omega: Expression = ZERO) -> Expression:
        """Return the loaded radius of an upright wheel under a load (N), m."""
        return self.free_radius(omega) - self.deflection(load, omega)

    def _growth(self, omega: Expression) -> Expression:
        """Return the factor of the load that grows with the speed."""
        return 1.0 + self.by.V2 * (self.radius / self.by.speed) * abs(omega)

    def elastic(self, deflection: Expression, motion: Motion = AT_REST) -> Expression:
        """Return the load of the spring without forces along and across, N; deflection: m, not negative."""
        load = self.spring.load(deflection)
        if self.by.CAM:
            load = max(load + self.by.CAM * (motion.gamma * motion.gamma) * deflection, 0.0)
        return load * self._growth(motion.omega) if self.by.V2 else load

    def force(self, deflection: Expression, speed: Expression, motion: Motion = AT_REST) -> Expression:
        """Return the load without forces along and across, N, never negative.

        speed: of the deflection, m/s, positive while it grows.
        """
        damping = self.damping * clip(speed, -FASTEST, FASTEST) * min(deflection / RISE, 1.0)
        return max(self.elastic(deflection, motion) + damping, 0.0)

    @property
    def corrections(self) -> int:
        """Number of evaluations of the forces along and across that the load needs: larger ones of 6.2 need two."""
        return (2 if self.by.tread else 1) if self.by.FCX or self.by.FCY else 0

    def share(
        self,
        load: Expression,
        deflection: Expression,
        loaded: Expression,
        motion: Motion,
        fx: Expression,
        fy: Expression,
    ) -> Expression:
        """Return the load over that without forces along and across.

        load: without these forces, N. loaded: radius, m. fx, fy: forces under `load`, N. They decrease the load Q of
        the spring at rest, and count in proportion to the load. The share y solves y = 1 - k (x² y² + (z y - s)²) with
        k = Q/load, x = FCX fx/F0, z = FCY fy/F0 with the power of version 6.2, and s its shift.
        """
        k = self.elastic(deflection, Motion(gamma=motion.gamma)) / max(load, LEAST_LOAD)
        across: Expression | float = self.by.FCY / self.load
        s: Expression = ZERO
        if self.by.tread:
            relative = max(deflection / self.radius, LEAST_DEFLECTION)
            across = across * (relative ** as_expression(self.by.tread.FCY2) if self.by.tread.FCY2 else 1.0)
            s = across * self.by.tread.shift(self.free_radius(motion.omega), loaded, motion.gamma)
        x, z = self.by.FCX / self.load * fx, across * fy
        rest = max(1.0 - k * s * s, 0.0)
        slope = max(1.0 - 2.0 * k * z * s, LEAST_SLOPE)
        return 2.0 * rest / (slope + sqrt(slope * slope + 4.0 * k * (x * x + z * z) * rest))

    def effective_radius(self, load: Expression, omega: Expression = ZERO) -> Expression:
        """Return the effective rolling radius, m."""
        b, d, f = self.reff
        relative = load / self.load
        return self.free_radius(omega) - self.load / self.stiffness * (f * relative + d * atan(b * relative))
