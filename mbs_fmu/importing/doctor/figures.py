"""A link in figures: its mass, centre of mass and inertia beside the extent of its shapes, and what is odd in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..inertias import Inertia
from .measuring import Extent, Matter

BEYOND = 3.0  #: radius of gyration over the farthest point, from which on it is an error
ROUNDED = 1.001  #: the same, from which on it is a warning: files have few digits
POINT = 0.02  #: least radius of gyration over the size of the shapes
OUTSIDE, SLIGHTLY = 0.02, 1e-4  #: least distance of the centre of mass from the box: relative to the size, and m
HEAVIEST, LIGHTEST = 25_000.0, 5.0  #: density of the box of the shapes, kg/m3
FLAT = 1e-3  #: thickness over size, below which the box of the shapes says nothing on the density


@dataclass(frozen=True)
class Oddity:
    """What is odd in a link. kind: as in docs/robots.md. value: figures in words."""

    level: str
    kind: str
    value: str


@dataclass(frozen=True)
class Figures:
    """A link with a mass and with shapes that could be measured. matters: `Ruler.matters` of its shapes."""

    inertia: Inertia
    extent: Extent
    matters: list[Matter]

    @property
    def tensor(self) -> np.ndarray:
        """Inertia about the centre of mass, kg m2, (3, 3)."""
        return np.array(self.inertia.tensor)

    @property
    def com(self) -> np.ndarray:
        """Centre of mass, m, (3,)."""
        return np.array(self.inertia.com)

    @property
    def radius(self) -> float:
        """Radius of gyration, m: root of the mean square of the distance of the mass from its centre."""
        return math.sqrt(max(float(np.trace(self.tensor)), 0.0) / (2.0 * self.inertia.mass))

    @property
    def expected(self) -> float:
        """Radius of gyration of the shapes as homogeneous solids, m; of their box if they have no volume."""
        return self.matters[0].radius if self.matters else self.extent.size / math.sqrt(12.0)

    def shape_tensors(self) -> list[np.ndarray]:
        """Return the inertias of the shapes as homogeneous solids of the link's mass, kg m2, (3, 3)."""
        return [matter.tensor * (self.inertia.mass / matter.mass) for matter in self.matters]

    def shape_tensor(self) -> np.ndarray | None:
        """Return the first of `shape_tensors`; None if there is none."""
        return next(iter(self.shape_tensors()), None)

    def scaled(self, mass: float = 1.0, length: float = 1.0, tensor: float = 1.0) -> Figures:
        """Return the link with its mass, centre of mass and inertia multiplied by factors."""
        old = self.inertia
        rows = tuple(tuple(x * tensor for x in row) for row in old.tensor)
        return replace(self, inertia=Inertia(old.mass * mass, tuple(x * length for x in old.com), rows))

    def oddities(self) -> Iterator[Oddity]:
        """Yield what is odd: mass that reaches beyond the shapes, is too concentrated, beside them, heavy or light."""
        yield from self._radius()
        yield from self._center()
        yield from self._density()

    def _radius(self) -> Iterator[Oddity]:
        radius, farthest, size = self.radius, self.extent.farthest(self.com), self.extent.size
        if radius > ROUNDED * farthest:
            level = "error" if radius > BEYOND * farthest else "warning"
            value = f"{radius:.3g} m, {radius / farthest:.3g} times the distance of the farthest point of the shapes"
            yield Oddity(level, "radius of gyration beyond the shapes", value)
        elif radius < POINT * size:
            yield Oddity("warning", "radius of gyration near zero", f"{radius:.3g} m, of shapes of {size:.3g} m")

    def _center(self) -> Iterator[Oddity]:
        low, high = self.extent.bounds
        gap = float(np.linalg.norm(np.maximum(np.maximum(low - self.com, self.com - high), 0.0)))
        if gap > OUTSIDE * self.extent.size + SLIGHTLY:
            value = f"by {gap:.3g} m, of shapes of {self.extent.size:.3g} m"
            yield Oddity("warning", "centre of mass outside the box of the shapes", value)

    def _density(self) -> Iterator[Oddity]:
        volume, thickness = self.extent.volume, float(np.diff(self.extent.bounds, axis=0).min())
        if thickness < FLAT * self.extent.size or not volume > 0.0:
            return
        density = self.inertia.mass / volume
        if density > HEAVIEST or density < LIGHTEST:
            kind = "density of the box of the shapes too high" if density > HEAVIEST else "density too low"
            yield Oddity("warning", kind, f"{density:.3g} kg/m3, {self.inertia.mass:.6g} kg in {volume:.3g} m3")
