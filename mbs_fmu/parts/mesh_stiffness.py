"""Stiffness of meshing teeth (L24): its mean by ISO 6336-1, method B, and its variation by the lines of contact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..infrastructure.arguments import is_whole
from ..infrastructure.errors import ModelError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display
from ..model.checks import finite_number
from ..model.geometry.vectors import is_list
from ..symbolic.argument_types import Quantity
from ..symbolic.expressions import Expression, as_expression, cos

STEEL = 206e9  #: Young's modulus of the steel wheels to which the coefficients belong, Pa
MEASURED = 0.8  #: C_M, ratio of measured stiffness to that of the theory
PER_MICROMETRE = 1e9  #: N/m of stiffness per metre of width, for 1 N/(mm µm)
LARGEST_MODULE = 0.2  #: m


@dataclass(frozen=True)
class MeshStiffness:
    """Stiffness of a mesh along the transverse line of action.

    single: largest stiffness of one pair of teeth, N/m. mean: of the whole mesh, N/m. harmonics: amplitudes of
    cos(phase), cos(2 phase), ... relative to the mean.
    """

    single: float
    mean: float
    harmonics: tuple[float, ...]

    def of(self, phase: Expression | float) -> Expression:
        """Return the stiffness, N/m, at a phase of the mesh, rad: 2 pi per tooth, 0 with a pair in the middle of its
        path of contact."""
        phase = as_expression(phase)
        waves = [amplitude * cos(float(k) * phase) for k, amplitude in enumerate(self.harmonics, start=1)]
        return self.mean * sum(waves, start=as_expression(1.0))


def mesh_stiffness(
    teeth: Sequence[int] | np.ndarray,
    *,
    module: Quantity,
    width: Quantity,
    contact_ratio: float,
    helix: Quantity = 0.0,
    shifts: Sequence[float] | np.ndarray = (0.0, 0.0),
    correction: float = 1.0,
    modulus: Quantity = STEEL,
    harmonics: int = 3,
) -> MeshStiffness:
    """Return the stiffness of a mesh of spur or helical wheels, for `stiffness=` of `m.gear` with `pressure_angle=`.

    The mean is c_γ b of ISO 6336-1, method B: q' is a fit to the compliance of pairs of teeth of steel under at least
    100 N per mm of width. The variation is that of the length of all lines of contact (Maatar, Velex 1996), as a
    Fourier series: smooth, and of zero mean.

    teeth: of both wheels, negative for an internal gear. module: normal module, m. width: common width of the teeth, m.
    contact_ratio: transverse contact ratio, at least 1.2, where the mean is fitted. helix: helix angle, rad. shifts:
    profile shift coefficients of both. correction: C_R C_B of the standard, for thin rims and webs, and for other basic
    racks than that of 20 deg with a dedendum of 1.2 modules. modulus: Young's modulus of the wheels, Pa; of two
    materials 2 E1 E2/(E1 + E2). harmonics: number of terms of the series; 0: the stiffness is constant.

    Raises ModelError for numbers that are not positive, and outside the ranges of the standard.
    """
    counts, (first, second) = _pinion_first(teeth, shifts)
    size, b, modulus_of_pair, ratio, right = (
        _positive(value, what, unit)
        for value, what, unit in (
            (module, "module", "m"), (width, "width", "m"), (modulus, "modulus", "Pa"),
            (contact_ratio, "contact_ratio", None), (correction, "correction", None),
        )
    )  # fmt: skip
    if size > LARGEST_MODULE:
        raise ModelError(f'mesh stiffness: a module of {size:g} m is too large: give it in m, or with a unit: "3 mm"')
    beta = abs(finite_number(helix, "helix of the mesh stiffness", "rad"))
    if not beta < np.radians(45.0):
        raise ModelError(f"mesh stiffness: a helix angle of {beta:.6g} rad is too large: give less than 45 deg")
    if ratio < 1.2:
        raise ModelError(f"mesh stiffness: a contact ratio of {ratio:.6g} is below 1.2, where ISO 6336-1 has no value")
    if not is_whole(harmonics) or harmonics < 0:
        raise ModelError(f"mesh stiffness: harmonics is {display(harmonics)}: give a whole number from 0 on")
    virtual = [1.0 / n * np.cos(beta) ** 3 for n in counts]
    compliance = _compliance(virtual[0], max(virtual[1], 0.0), first, second)  # mm µm/N
    single = MEASURED * right * np.cos(beta) / compliance * modulus_of_pair / STEEL * PER_MICROMETRE * b
    overlap = b * np.sin(beta) / (np.pi * size)
    waves = tuple(2.0 * float(np.sinc(k * ratio) * np.sinc(k * overlap)) for k in range(1, harmonics + 1))
    return MeshStiffness(float(single), float(single * (0.75 * ratio + 0.25)), waves)


def _compliance(one: float, two: float, x1: float, x2: float) -> float:
    """Return q', mm µm/N; one, two: 1 over the virtual numbers of teeth, 0 for an internal gear; x1, x2: shifts."""
    linear = 0.04723 + 0.15551 * one + 0.25791 * two - 0.00635 * x1 - 0.11654 * x1 * one
    return linear - 0.00193 * x2 - 0.24188 * x2 * two + 0.00529 * x1**2 + 0.00182 * x2**2


def _pinion_first(teeth: Any, shifts: Any) -> tuple[list[int], list[float]]:
    """Return numbers of teeth and profile shifts of the smaller wheel and of the larger or internal one."""
    if not is_list(teeth) or len(list(teeth)) != 2 or not all(is_whole(n) and n != 0 for n in teeth):
        raise ModelError(f"mesh stiffness: teeth is {display(teeth)}: give two whole numbers, negative for a ring")
    if not is_list(shifts) or len(list(shifts)) != 2:
        raise ModelError(f"mesh stiffness: shifts is {display(shifts)}: give the profile shifts of both wheels")
    shifted = [finite_number(x, "profile shift of the mesh stiffness") for x in shifts]
    pair = sorted(zip([int(n) for n in teeth], shifted, strict=True), key=lambda x: (x[0] < 0, x[0]))
    if pair[0][0] < 0:
        raise ModelError(f"mesh stiffness: teeth is {display(teeth)}: two internal gears can't mesh")
    (_, first), (_, second) = pair
    if first < second or not -0.5 <= first + second <= 2.0:
        raise ModelError(
            f"mesh stiffness: profile shifts {first:g} of the smaller wheel and {second:g} of the other: ISO 6336-1 "
            "has values for a first one that is not less than the second, and sums from -0.5 to 2"
        )
    return [n for n, _ in pair], [first, second]


def _positive(value: Any, what: str, unit: str | None) -> float:
    number = finite_number(value, f"{what} of the mesh stiffness", unit)
    if not number > 0.0:
        raise ModelError(f"{what} of the mesh stiffness is {number!r}: it must be positive")
    return number
