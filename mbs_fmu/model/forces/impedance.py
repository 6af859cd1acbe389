"""Normal force with the stiffness that contacts of MuJoCo have at rest, (C14) of docs/contact.md."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.arrays import values_along
from ...symbolic.expressions import ZERO, Expression, as_expression, is_literal, leaf, where
from ...symbolic.expressions import max as larger
from ...symbolic.expressions import min as smaller
from ..geometry.vectors import numbers
from ..references.leaves import Signal
from .normal_laws import MINDLIN, Normal, Value
from .quadrature import rule_for

SOLREF = (0.02, 1.0)  #: defaults of MuJoCo
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
LEAST, MOST = 1e-4, 0.9999  #: of impedances and midpoints, as MuJoCo limits them
NARROWEST = 1e-15  #: m, width below which MuJoCo's impedance is constant
SHORTEST = 1e-3  #: s, of the settling time that follows from a load
REBOUND = 7.4  #: s/m, dissipation with the rebound e⁻² at 1 m/s (C3), that of MuJoCo's contacts of damping ratio 1
CLOSE, ITERATIONS = 4e-16, 200  #: relative change of a depth at which its iteration ends
SHARES = (1.0, 0.3, 0.05)  #: of the largest change of an impedance, at which the rule of its integral is chosen

Function = Callable[[Expression], Expression]


@dataclass(frozen=True)
class Impedance:
    """Stiffness of contact points that have the depths and loads of MuJoCo's contacts at rest, as `stiffness=`.

    The elastic force of a point at the depth δ is k d²/((1 - d) A) δ, with MuJoCo's impedance d(δ). solref: time
    constant (s) and damping ratio, both positive, so that k = 1/(dmax timeconst dampratio)²; or minus the stiffness
    (1/s²) and minus the damping (1/s), so that k = stiffness/dmax². solimp: dmin, dmax, width (m), midpoint, power.
    Both are those of MJCF, with its defaults and limits: impedances and midpoint from 0.0001 to 0.9999, power at least
    1. inverse_mass: A, 1/kg, the sum of those of both bodies at the point, by default that of 1 kg; for geoms of
    MuJoCo, the sum of their `body_invweight0`. All are numbers.

    Raises ModelError for invalid numbers. Source: MuJoCo documentation, Computation, Constraint model.
    """

    solref: tuple[float, float] = SOLREF
    solimp: tuple[float, float, float, float, float] = SOLIMP
    inverse_mass: float = 1.0

    def __post_init__(self) -> None:
        thing = "of an impedance"
        for name, count in (("solref", 2), ("solimp", 5)):
            object.__setattr__(self, name, _floats(getattr(self, name), count, f"{name} {thing}"))
        object.__setattr__(self, "inverse_mass", _positive(self.inverse_mass, f"inverse_mass {thing}"))
        first, second = self.solref
        if not (min(first, second) > 0.0 or (first < 0.0 and second <= 0.0)):
            raise ModelError(
                f"solref {thing} is {display(self.solref)}: give a time constant and a damping ratio, both positive, "
                "or minus the stiffness and minus the damping"
            )
        if self.solimp[4] < 1.0:
            raise ModelError(f"solimp {thing} has the power {self.solimp[4]!r}: it must be at least 1")

    @property
    def natural_frequency(self) -> float:
        """Natural frequency of MuJoCo's contact while d is near 1, rad/s: that of impacts, which last π over it."""
        return natural_frequency(self.solref)

    def depth_under(self, load: float) -> float:
        """Return the depth, m, at which a point rests under a load (N). Raises ModelError unless it is positive."""
        return rest_depth(self.solref, self.solimp, self.inverse_mass, load)

    def stiffness_at(self, load: float) -> float:
        """Return a load (N) over the depth at which a point rests under it, N/m.

        Raises ModelError unless the load is positive.
        """
        return rest_stiffness(self.solref, self.solimp, self.inverse_mass, load)

    def law(self, load: float, points: int = 1) -> dict[str, Any]:
        """Return the arguments stiffness, dissipation, grip and settling of `Model.contact` for points under a load.

        load: of each point at rest, N. points: number of points that touch at once. With the stiffness K at rest and
        the damping ratio ζ of MuJoCo, the dissipation is 2 ζ √(K/(points A))/load, so that small motions about rest
        have this damping ratio, but at most 7.4 ζ s/m, with which impacts at 1 m/s rebound as in MuJoCo; the grip is 2
        K/3, and the settling time 1/√(points A grip), but at least 1 ms. Raises ModelError unless both are positive.
        """
        mobility = _positive(points, "points") * self.inverse_mass
        return {"stiffness": self} | law_at_rest(self.stiffness_at(load), damping_ratio(self.solref), mobility, load)

    def normal(self, dissipation: Expression) -> Normal:
        """Return the law of the normal force; dissipation: s/m."""
        scale = _scale(self.solref, self.solimp, self.inverse_mass)
        return Impeded(as_expression(scale), _ramp(self.solimp), dissipation)


@dataclass(frozen=True)
class Ramp:
    """Impedance d(δ) of MuJoCo: it goes from low to high over the width (m), with x = δ/width first as x^power, beyond
    the share `middle` of the width as (1 - x)^power."""

    low: float
    high: float
    width: float
    middle: float
    power: float

    def force(self, depth: Expression) -> Expression:
        """Return δ d²/(1 - d), m."""
        ratio: Expression = _ratio(self._complement(depth))
        return depth * ratio

    def slope(self, depth: Expression) -> Expression:
        """Return the derivative of `force`."""
        x, e = depth / self.width, self._complement(depth)
        share = where(x <= self.middle, x / self.middle, larger(1.0 - x, 0.0) / (1.0 - self.middle))
        climb = where(x < 1.0, (self.high - self.low) * self.power * share ** (self.power - 1.0), 0.0)
        ratio: Expression = _ratio(e)
        return ratio + x * climb * (1.0 - e * e) / (e * e)

    def energy(self, depth: Expression) -> Expression:
        """Return the integral of `force`, m², exact to rounding."""
        x, m = depth / self.width, self.middle
        below, left = smaller(x, m), smaller(larger(1.0 - x, 0.0), 1.0 - m)
        beyond = self._to_middle(as_expression(m)) + self._to_end(as_expression(1.0 - m)) - self._to_end(left)
        beyond = beyond + 0.5 * _ratio(1.0 - self.high) * (larger(x, 1.0) ** 2 - 1.0)
        return self.width**2 * where(x <= m, self._to_middle(below), beyond)

    def _complement(self, depth: Expression) -> Expression:
        """Return 1 - d, in a form that has no rounding errors of 1."""
        x, m = depth / self.width, self.middle
        below, left = smaller(x, m), smaller(larger(1.0 - x, 0.0), 1.0 - m)
        first = 1.0 - self.low - self._change(m) * below**self.power
        return where(x <= m, first, 1.0 - self.high + self._change(1.0 - m) * left**self.power)

    def _change(self, share: float) -> float:
        """Return the change of d over that of the power of x before the midpoint, or of 1 - x beyond it."""
        return float((self.high - self.low) * share ** (1.0 - self.power))

    def _to_middle(self, x: Expression) -> Expression:
        """Return the integral of x d²/(1 - d) from 0 to x, before the midpoint."""
        return _moment(1.0 - self.low, -self._change(self.middle), self.power, self.middle, 2, x)

    def _to_end(self, left: Expression) -> Expression:
        """Return the integral of x d²/(1 - d) from x to 1, beyond the midpoint; left: 1 - x."""
        law = 1.0 - self.high, self._change(1.0 - self.middle), self.power, 1.0 - self.middle
        return _moment(*law, 1, left) - _moment(*law, 2, left)


def _ratio(e: Any) -> Any:
    """Return d²/(1 - d), e = 1 - d."""
    return (1.0 - e) * (1.0 - e) / e


def _moment(start: float, change: float, power: float, most: float, n: int, u: Expression) -> Expression:
    """Return the integral of v^(n-1) d²/(1 - d) from 0 to u, 1 - d = start + change v^power, 0 ≤ u ≤ most.

    With v = u t^(1/power) it is u^n/power times the integral of t^(n/power - 1) d²/(1 - d) on [0, 1], where d is linear
    in t: a rule of few nodes is exact to rounding.
    """
    nodes, weights = _rule(start, change * most**power, n / power)
    rise = change * u**power
    terms: list[Expression] = [
        float(w / power) * _ratio(start + float(t) * rise) for t, w in zip(nodes, weights, strict=True)
    ]
    total: Expression = sum(terms, start=ZERO)
    return u**n * total


@functools.cache
def _rule(start: float, change: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the integrals of t^(b-1) d²/(1 - d), 1 - d = start + a change t, a up to 1."""
    return rule_for([partial(_along, start, share * change) for share in SHARES], b)


def _along(start: float, change: float, t: np.ndarray) -> np.ndarray:
    return np.asarray(_ratio(start + change * t))


@functools.cache
def _energies(ramp: Ramp) -> tuple[np.ndarray, np.ndarray]:
    """Return depths, m, and energies of a ramp at them, m², between which powers interpolate to some 0.1 %.

    Some ramps rise most near their end.
    """
    near = np.geomspace(1e-4, 0.7, 40)
    shares = np.concatenate([np.geomspace(1e-3, 1e3, 151), 1.0 - near, 1.0 + near])
    depths = ramp.width * np.sort(shares)
    energy = ramp.energy(leaf(Signal("state", "depth")))
    return depths, values_along([energy], len(depths), lambda _: depths)[:, 0]


@dataclass(frozen=True, eq=False)
class Impeded(Normal):
    """Elastic force of MuJoCo's contacts at rest (C14). scale: k/A, N/m, a factor of the ramp's force."""

    scale: Expression
    ramp: Ramp
    dissipation: Expression

    def elastic(self, depth: Expression) -> Expression:
        return self.scale * self.ramp.force(depth)

    def slope(self, depth: Expression) -> Expression:
        return self.scale * self.ramp.slope(depth)

    def stored(self, depth: Expression) -> Expression:
        return self.scale * self.ramp.energy(depth)

    def grip(self, thing: str) -> Expression:
        raise ModelError(
            f"{thing}: the stiffness of mbs.Impedance depends on the load, and friction needs that of its bristles: "
            "give grip= (N/m), or **impedance.law(load) in place of stiffness="
        )

    def depth_under(self, load: float, value: Value) -> float:
        scale = value(self.scale)
        if not (scale > 0.0 and load > 0.0):
            return 0.0
        return _depth(self.ramp.force, self.ramp.slope, load / scale)

    def depth_with(self, energy: float, value: Value) -> float:
        scale = value(self.scale)
        depths, energies = _energies(self.ramp)
        if not (scale > 0.0 and energy > 0.0):
            return 0.0
        wanted = energy / scale
        near = min(max(wanted, energies[0]), energies[-1])
        depth = np.exp(np.interp(np.log(near), np.log(energies), np.log(depths)))
        return float(depth * np.sqrt(wanted / near))


def rest_depth(solref: Sequence[float], solimp: Sequence[float], inverse_mass: float, load: float) -> float:
    """Return the depth, m, at which a contact point of MuJoCo rests under a load (N).

    Arguments as in `Impedance`. Raises ModelError unless the load is positive.
    """
    share = _positive(load, "load of an impedance") / _scale(solref, solimp, inverse_mass)
    ramp = _ramp(solimp)
    return _depth(ramp.force, ramp.slope, share)


def rest_stiffness(solref: Sequence[float], solimp: Sequence[float], inverse_mass: float, load: float) -> float:
    """Return a load (N) over the depth at which a contact point of MuJoCo rests under it, N/m; as `rest_depth`."""
    return float(load) / rest_depth(solref, solimp, inverse_mass, load)


def natural_frequency(solref: Sequence[float]) -> float:
    """Return the natural frequency that the pair `solref` of MuJoCo describes, rad/s."""
    first, second = solref
    return float(1.0 / (first * second)) if first > 0.0 else math.sqrt(-first)


def law_at_rest(stiffness: float, ratio: float, mobility: float, load: float) -> dict[str, float]:
    """Return the arguments dissipation, grip and settling of `Model.contact`, as `Impedance.law`.

    stiffness: K at rest, N/m. ratio: ζ. mobility: inverse mass times the number of points, 1/kg. load: N.
    """
    grip = MINDLIN * stiffness
    return {
        "dissipation": min(2.0 * ratio * math.sqrt(stiffness / mobility) / load, REBOUND * ratio),
        "grip": grip,
        "settling": max(1.0 / math.sqrt(mobility * grip), SHORTEST),
    }


def damping_ratio(solref: Sequence[float]) -> float:
    """Return the damping ratio of the pair `solref` of MuJoCo; of damping c and stiffness k it is c/(2 √k)."""
    first, second = solref
    return float(second) if first > 0.0 else float(-second / (2.0 * math.sqrt(-first)))


def _scale(solref: Sequence[float], solimp: Sequence[float], inverse_mass: float) -> float:
    """Return the factor k/A of the elastic force, N/m."""
    high = min(max(solimp[1], LEAST), MOST)
    return float((natural_frequency(solref) / high) ** 2 / inverse_mass)


def _ramp(solimp: Sequence[float]) -> Ramp:
    """Return the impedance with the limits of MuJoCo."""
    low, high, middle = (min(max(float(solimp[k]), LEAST), MOST) for k in (0, 1, 3))
    width, power = float(solimp[2]), float(solimp[4])
    if width <= NARROWEST:
        low, high, width = *([0.5 * (low + high)] * 2), 1.0
    return Ramp(low, high, width, middle, power)


def _depth(function: Function, slope: Function, wanted: float) -> float:
    """Return the depth at which a growing function of it has a value, by Newton's method within brackets."""
    low, high, x = 0.0, math.inf, 1e-3
    for _ in range(ITERATIONS):
        excess, rise = (float(f(as_expression(x)).value) for f in (function, slope))
        excess -= wanted
        low, high = (x, high) if excess < 0.0 else (low, x)
        new = x - excess / rise if rise > 0.0 else low
        if not low < new < high:
            new = 2.0 * x if high == math.inf else 0.5 * (low + high)
        if abs(new - x) <= CLOSE * x:
            break
        x = new
    return x


def _floats(value: Any, count: int, thing: str) -> tuple[float, ...]:
    """Return `count` finite numbers. Raises ModelError for anything else."""
    found = numbers(value, count, thing)
    for number in found:
        if not is_literal(number):
            raise ModelError(f"{thing} depends on {display(number)}: give numbers, since its law is a table of them")
    return tuple(float(number.value) for number in found)


def _positive(value: Any, thing: str) -> float:
    (number,) = _floats((value,), 1, thing)
    if not number > 0.0:
        raise ModelError(f"{thing} is {number!r}: it must be positive")
    return number
