"""Arguments that solids, plates and shells share: their material, and the points of their frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...infrastructure.arguments import finite, positive
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ..shapes import Array


@dataclass(frozen=True)
class Material:
    """An isotropic material."""

    E: float  #: Young's modulus, Pa
    nu: float  #: Poisson's ratio
    density: float  #: kg/m³

    @property
    def shear_modulus(self) -> float:
        """Shear modulus, Pa."""
        return self.E / (2.0 * (1.0 + self.nu))

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's constants λ and μ, Pa."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu)), self.shear_modulus


def material_of(E: Any, nu: Any, density: Any) -> Material:
    """Return a material from E (Pa), nu and density (kg/m³). Raises ModelError unless the material is stable."""
    ratio = finite(nu, "nu", "Poisson's ratio, 0.3 for steel")
    if not -1.0 < ratio < 0.5:
        raise ModelError(f"nu is {ratio:g}: Poisson's ratio lies between -1 and 0.5, both excluded; rubber has 0.49")
    return Material(positive(E, "E"), ratio, positive(density, "density"))


def root_first(frames: Any, root: Any, example: str = "{'tip': lambda x, y, z: x > 0.999}") -> dict[str, Any]:
    """Return the frames by name, the root first. Raises ModelError for anything but a mapping, and an unknown root."""
    if not isinstance(frames, Mapping) or not frames:
        raise ModelError(f"frames is {display(frames)}: give one or more by name, such as {example}")
    if root is not None and root not in frames:
        raise ModelError(f"root is {display(root)}: give the name of a frame, one of {listed(map(str, frames))}")
    return {name: frames[name] for name in sorted(frames, key=lambda name: name != root)}


@dataclass(frozen=True)
class Points:
    """Points of a mesh that frames select from."""

    title: str  #: of the mesh, for messages
    places: Array  #: (N, 3), or (N, 2) in the plane of a plate, m
    used: Array  #: indices of the points that belong to elements, in ascending order
    sets: Mapping[str, Callable[[], Array]]  #: for each name a function that returns indices of points

    def selected(self, name: str, selection: Any) -> Array:
        """Return a mask of the used points, bool, (used,): True for those that a frame selects.

        selection: a function of the coordinates (arrays, m), the name of a set, or indices. Raises ModelError for an
        invalid selection and for one without points.
        """
        selected = np.isin(self.used, self._selected(name, selection))
        if not selected.any():
            low, high = self.places[self.used].min(0), self.places[self.used].max(0)
            extent = ", ".join(f"{axis} {a:.6g} to {b:.6g}" for axis, a, b in zip("xyz", low, high))
            raise ModelError(
                f"frame {name!r} has no nodes: select points of {self.title}, which extends over {extent} m"
            )
        return selected

    def _selected(self, name: str, selection: Any) -> Array:
        axes = ", ".join("xyz"[: self.places.shape[1]])
        if callable(selection):
            selected = np.asarray(selection(*self.places.T))
            if selected.dtype != bool or selected.shape != (len(self.places),):
                raise ModelError(
                    f"frame {name!r}: its function returns {display(selected)}; for arrays {axes} (m) it must return "
                    f"True or False for each point, such as lambda {axes}: x > 0.999"
                )
            return np.flatnonzero(selected)
        if isinstance(selection, str):
            if selection not in self.sets:
                known = listed(self.sets)
                raise ModelError(f"frame {name!r}: {self.title} has no set or group {selection!r}; it has {known}")
            return self.sets[selection]()
        return self._indices(name, selection, axes)

    def _indices(self, name: str, selection: Any, axes: str) -> Array:
        try:
            indices = np.asarray(selection)
        except ValueError:  # lists of different lengths
            indices = np.array("?")
        if indices.ndim != 1 or (indices.size and indices.dtype.kind not in "iu"):
            raise ModelError(
                f"frame {name!r} is {display(selection)}: give a function of {axes}, the name of a set of the mesh or "
                "indices of its points, or a pair of one of these and a place"
            )
        count = len(self.places)
        for unknown in indices[(indices < 0) | (indices >= count)][:1]:
            raise ModelError(f"frame {name!r} has point {unknown}: {self.title} has points 0 to {count - 1}")
        return indices
