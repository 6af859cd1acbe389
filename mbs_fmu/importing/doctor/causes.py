"""Probable causes of odd figures: units, placeholders, and exchanged axes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ..imported import ImportedShape
from ..parts import LinkData
from .figures import Figures
from .measuring import Ruler

NEAR = 1.6  #: largest ratio of radii of gyration with which a unit explains the figures; units differ by 3.2 or more
LIGHT = 1.0  #: least mass that is in g
FAR = 5.0  #: least distance of a centre of mass that is in mm, relative to the size of the shapes
SPREAD, FITTING = 10.0, 3.0  #: largest over smallest moment relative to the shapes: before and after an exchange
#: Units of inertia, in kg m2.
UNITS = {"kg mm2": 1e-6, "g cm2": 1e-7, "g mm2": 1e-9}


@dataclass(frozen=True)
class Cause:
    """A probable cause. corrected: the figures without it."""

    text: str
    remedy: str
    corrected: Figures


def cause_of(figures: Figures, link: LinkData, ruler: Ruler, is_unstated: bool) -> Cause | None:
    """Return what explains all that is odd in the figures; None if nothing does.

    Of several that do, it is the one that leaves the mass distributed most like that of homogeneous shapes. Corrections
    of one quantity are preferred to those of several. is_unstated: the file leaves the inertia out.
    """
    placeholder = _placeholder(figures, is_unstated)
    if placeholder is not None:
        return placeholder
    for candidates in (_single(figures, link, ruler), _several(figures)):
        found = [(distance, cause) for cause in candidates if (distance := _distance(cause.corrected)) is not None]
        if found:
            return min(found, key=lambda pair: pair[0])[1]
    return None


def _distance(figures: Figures) -> float | None:
    """Return how far the radius of gyration is from that of the shapes, as a logarithm; None if more is odd."""
    if not figures.radius > 0.0 or any(figures.oddities()):
        return None
    distance = abs(math.log(figures.radius / figures.expected))
    return distance if distance < math.log(NEAR) else None


def _placeholder(figures: Figures, is_unstated: bool) -> Cause | None:
    """Return the cause if the inertia is a power of ten times the unit matrix, and that of the shapes explains more."""
    tensor, shapes = figures.tensor, figures.shape_tensor()
    moment = float(tensor[0, 0])
    if shapes is None or not moment > 0.0 or not np.array_equal(tensor, moment * np.eye(3)):
        return None
    if abs(math.log10(moment) - round(math.log10(moment))) > 1e-9:
        return None
    rows = tuple(map(tuple, shapes.tolist()))
    corrected = replace(figures, inertia=replace(figures.inertia, tensor=rows))
    if _distance(corrected) is None:
        return None
    what = "the file leaves the inertia out, and the default is" if is_unstated else "a placeholder:"
    return Cause(
        f"{what} {moment:g} kg m2 about all axes", f"give the inertia of the shapes, {tensor_text(shapes)}", corrected
    )


def _single(figures: Figures, link: LinkData, ruler: Ruler) -> Iterator[Cause]:
    """Yield causes in one quantity."""
    for unit, factor in UNITS.items():
        corrected = figures.scaled(tensor=factor)
        yield Cause(f"inertia in {unit}", f"divide the inertia by {1 / factor:g}", corrected)
    if float(np.linalg.norm(figures.com)) > FAR * figures.extent.size:
        center = figures.scaled(length=1e-3)
        yield Cause("centre of mass in mm", f"give it in m, {vector_text(center.com)}", center)
    if figures.inertia.mass >= LIGHT:
        yield Cause("mass in g", f"give {figures.inertia.mass / 1e3:.6g} kg", figures.scaled(mass=1e-3))
    for unit, factor in (("mm", 1e-3), ("m, with a scale for mm", 1e3)):
        shapes = scaled_meshes(link.shapes, factor)
        extent = None if shapes is None else ruler.extent(shapes)
        if shapes is not None and extent is not None:
            scale = next(x.scale for x in shapes if x.kind == "mesh")
            corrected = replace(figures, extent=extent, matters=ruler.matters(shapes))
            yield Cause(f"meshes in {unit}", f'give scale="{vector_text(scale)}" to the meshes', corrected)


def _several(figures: Figures) -> Iterator[Cause]:
    """Yield causes in several quantities."""
    both = {"g mm2": (1e-3, 1e-9), "g cm2": (1e-3, 1e-7), "kg mm2": (1.0, 1e-6)}
    for unit, (mass, tensor) in both.items():
        for length in (1.0, 1e-3):
            words = ["mass in g"] * (mass < 1.0) + ["centre of mass in mm"] * (length < 1.0) + [f"inertia in {unit}"]
            if len(words) > 1 and (mass == 1.0 or figures.inertia.mass >= LIGHT):
                corrected = figures.scaled(mass, length, tensor)
                yield Cause(" and ".join(words), "convert them to kg, m and kg m2", corrected)


def scaled_meshes(shapes: Sequence[ImportedShape], factor: float) -> list[ImportedShape] | None:
    """Return shapes with their meshes scaled; None if none is a mesh."""
    scaled = []
    for shape in shapes:
        x, y, z = (float(f"{factor * k:.12g}") for k in shape.scale)
        scaled.append(replace(shape, scale=(x, y, z)) if shape.kind == "mesh" else shape)
    return scaled if any(shape.kind == "mesh" for shape in shapes) else None


def exchanged_axes(figures: Figures) -> str | None:
    """Return which axes of the inertia are exchanged, such as "x and z"; None if it fits the shapes, or never does.

    The inertia fits if its moments are in the same ratios to those of the shapes about all directions: `_spread`.
    """
    tensors = figures.shape_tensors()
    if not tensors or np.linalg.eigvalsh(figures.tensor)[0] <= 0.0:
        return None
    if any(_spread(figures.tensor, shapes) < SPREAD for shapes in tensors):
        return None
    shapes = tensors[0]
    others = [order for order in permutations(range(3)) if order != (0, 1, 2)]
    spreads = {order: _spread(figures.tensor[np.ix_(order, order)], shapes) for order in others}
    order = min(spreads, key=lambda x: (round(spreads[x], 9), sum(i != k for k, i in enumerate(x))))
    if spreads[order] > FITTING:
        return None
    return " and ".join("xyz"[k] for k, i in enumerate(order) if i != k)


def _spread(tensor: np.ndarray, shapes: np.ndarray) -> float:
    """Return the ratio of the largest to the smallest eigenvalue of a tensor relative to another."""
    roots, axes = np.linalg.eigh(shapes)
    whitening = axes / np.sqrt(np.maximum(roots, 1e-9 * roots[2]))
    moments = np.linalg.eigvalsh(whitening.T @ tensor @ whitening)
    return float(moments[2] / max(moments[0], 1e-12 * moments[2]))


def vector_text(values: Sequence[float] | np.ndarray) -> str:
    """Return numbers as in an attribute of a file."""
    return " ".join(f"{x:.6g}" for x in values)


def tensor_text(tensor: np.ndarray) -> str:
    """Return an inertia in link axes in words, without products that are zero up to rounding."""
    least = 1e-9 * float(np.abs(tensor).max())
    products = {"ixy": tensor[0, 1], "ixz": tensor[0, 2], "iyz": tensor[1, 2]}
    entries = dict(zip(("ixx", "iyy", "izz"), np.diag(tensor), strict=True))
    entries |= {name: x for name, x in products.items() if abs(x) > least}
    return ", ".join(f"{name} {0.0 if abs(x) <= least else x:.6g}" for name, x in entries.items()) + " kg m2"
