"""Findings on links: inertias of no body, and masses that do not fit the shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

import numpy as np

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.names import listed
from ...model.checks import ROUNDING, SLACK, is_unphysical
from ..imported import ImportedShape
from ..inertias import Inertia, mended
from ..parts import LinkData
from .causes import cause_of, exchanged_axes, tensor_text
from .figures import Figures, Oddity
from .findings import Finding
from .measuring import Ruler

ROUNDED = 0.01  #: excess of the largest principal moment over the sum of the others that can be due to few digits
REPEATED = 4  #: links of the same mass and inertia from which on they are noted
LARGEST = 1e30  #: largest number of a link; those of larger ones, or of masses below its inverse, may overflow
UNITS = "units (mm for m, g for kg), or a placeholder"


@dataclass
class LinkChecks:
    """Checks of links. unstated: those whose inertia is a default of the format. moving: those that can move.

    unmoved: links whose joints move no inertia. broken: for links with errors of their inertia the inertia of a
    possible body (kg m2, (3, 3), link axes), or None if none is known.
    """

    ruler: Ruler
    unstated: Iterable[str]
    moving: Iterable[str]
    unmoved: Iterable[str]
    broken: dict[str, np.ndarray | None] = field(default_factory=dict)

    def findings(self, links: Mapping[str, LinkData]) -> Iterator[Finding]:
        """Yield the findings on all links."""
        for link in links.values():
            if link.inertia.mass > 0.0:
                yield from self._heavy(link)
            else:
                yield from self._massless(link)
        yield from repeated(links.values(), self.ruler)
        yield from self._unstated(links)

    def _massless(self, link: LinkData) -> Iterator[Finding]:
        odd = link.name in self.moving and link.name not in self.unmoved
        if odd and link.shapes and not np.any(link.inertia.tensor):
            yield found(
                "warning", "shape but no mass", link,
                remedy="give it a mass and an inertia, unless its parent's include them",
            )  # fmt: skip

    def _heavy(self, link: LinkData) -> Iterator[Finding]:
        is_unstated = link.name in self.unstated
        if is_unstated and link.name not in self.moving:
            return
        extent = self.ruler.extent(link.shapes)
        figures = None if extent is None else Figures(link.inertia, extent, self.ruler.matters(link.shapes))
        shapes = None if figures is None else figures.shape_tensor()
        finding = self._impossible(link, shapes)
        if finding is not None:
            yield finding
        elif figures is not None:
            yield from self._odd(link, figures, is_unstated)

    def _impossible(self, link: LinkData, shapes: np.ndarray | None) -> Finding | None:
        """Return the finding on an inertia that no body can have. shapes: that of the shapes, or None."""
        moments = np.linalg.eigvalsh(np.array(link.inertia.tensor))
        is_negative = bool(moments[0] < -SLACK * abs(moments).max() - ROUNDING)
        if not is_negative and not is_unphysical(moments):
            return None
        is_rounded = moments[2] - moments[0] - moments[1] < ROUNDED * moments[2]
        reduced = np.array(mended(link.inertia).tensor)
        better = reduced if shapes is None or is_rounded else shapes
        self.broken[link.name] = better if better.any() else None
        origin = "the nearest possible ones" if better is reduced else "those of the shapes"
        return found(
            "error",
            "negative principal moment" if is_negative else "triangle inequality",
            link,
            f"principal moments {', '.join(f'{x:.6g}' for x in moments)} kg m2",
            "numbers of few digits" if is_rounded else "",
            f"{tensor_text(better)}, {origin}" if better.any() else "give the inertia of its shape",
        )

    def _odd(self, link: LinkData, figures: Figures, is_unstated: bool) -> Iterator[Finding]:
        """Yield one finding if there is a cause of all that is odd, otherwise one for each oddity."""
        oddities = sorted(figures.oddities(), key=lambda oddity: oddity.level)
        if any(oddity.level == "error" for oddity in oddities):
            self.broken[link.name] = figures.shape_tensor()
        cause = cause_of(figures, link, self.ruler, is_unstated) if oddities else None
        if cause is not None:
            first, *others = oddities
            value = "; ".join([first.value, *(f"{oddity.kind}, {oddity.value}" for oddity in others)])
            yield found(first.level, first.kind, link, value, cause.text, cause.remedy)
            return
        for oddity in oddities:
            yield found(oddity.level, oddity.kind, link, oddity.value, *_guess(oddity, figures))
        axes = None if oddities else exchanged_axes(figures)
        if axes is not None:
            shapes = figures.shape_tensor()
            assert shapes is not None
            yield found(
                "warning", "inertia of exchanged axes", link, tensor_text(figures.tensor),
                f"axes {axes} are exchanged, in the inertia or in the shapes", f"of the shapes: {tensor_text(shapes)}",
            )  # fmt: skip

    def _unstated(self, links: Mapping[str, LinkData]) -> Iterator[Finding]:
        names = [name for name in self.unstated if name in links]
        if names:
            value = f"{listed(map(repr, names))}: 1 kg and 1 kg m2, as SDFormat defines"
            yield replace(found("note", "inertia left out", links[names[0]], value), on="links")


def out_of_reach(links: Mapping[str, LinkData]) -> dict[str, Finding]:
    """Return errors on links whose numbers are too large or too small to compute with, by link."""
    errors = {}
    for name, link in links.items():
        inertia = link.inertia
        largest = max(map(abs, (inertia.mass, *inertia.com, *np.ravel(inertia.tensor))))
        if not largest < LARGEST or 0.0 < inertia.mass < 1.0 / LARGEST:
            value = f"mass {inertia.mass:g} kg, largest number {largest:g}"
            errors[name] = found("error", "numbers too large or too small", link, value, "", "check their units")
    return errors


def _guess(oddity: Oddity, figures: Figures) -> tuple[str, str]:
    """Return a possible cause, and a remedy, of what no unit explains."""
    shapes = figures.shape_tensor()
    if "radius" not in oddity.kind:
        return "", "check the shapes, the mass and the centre of mass, and their units"
    cause = UNITS if figures.radius > 0.0 else "a point mass, without inertia"
    return cause, "" if shapes is None else f"of the shapes: {tensor_text(shapes)}"


def found(
    level: str, kind: str, link: LinkData, value: str = "", cause: str = "", remedy: str = ""
) -> Finding:  # fmt: skip
    """Return a finding on a link."""
    file, line = ("", None) if link.element is None else (link.element.path.name, link.element.line)
    return Finding(level, kind, f"link {link.name!r}", value, cause, remedy, file, line)


def repeated(links: Iterable[LinkData], ruler: Ruler) -> Iterator[Finding]:
    """Yield a note for each inertia that several links have, unless these have equal shapes too."""
    groups: dict[tuple[float, ...], list[LinkData]] = {}
    for link in links:
        if link.inertia.mass > 0.0:
            groups.setdefault(_key(link.inertia), []).append(link)
    for group in groups.values():
        looks = {_look(link.shapes, ruler) for link in group}
        if len(group) >= REPEATED and (len(looks) > 1 or None in looks):
            mass, tensor = group[0].inertia.mass, np.array(group[0].inertia.tensor)
            value = f"{listed(repr(link.name) for link in group)}: {mass:.6g} kg, {tensor_text(tensor)}"
            finding = found("note", "equal inertias", group[0], value, "a placeholder?")
            yield replace(finding, on=f"{len(group)} links")


def _key(inertia: Inertia) -> tuple[float, ...]:
    """Return mass and moments without rounding errors of rotations."""
    tensor = np.array(inertia.tensor)
    largest = float(np.abs(tensor).max())
    shares = tensor / largest if largest else tensor
    return tuple(float(f"{x:.9g}") for x in (inertia.mass, largest)) + tuple((shares.round(9) + 0.0).ravel().tolist())


def _look(shapes: list[ImportedShape], ruler: Ruler) -> tuple[float, ...] | None:
    """Return the edges of the boxes of shapes; None for links whose shapes can't be measured."""
    extent = ruler.extent(shapes)
    if extent is None or extent.is_partial:
        return None
    return tuple(sorted(float(f"{x:.4g}") for measure in extent.measures for x in measure.box))
