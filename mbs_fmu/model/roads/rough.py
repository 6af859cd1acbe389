"""Rough roads by ISO 8608: heights of one track, or of two tracks of an isotropic surface (T21)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display
from ...symbolic.argument_types import Quantity
from ...symbolic.expressions import is_literal
from ..geometry.vectors import no_less_than_zero, numbers

REFERENCE = 0.1  #: 1/m, wave number n0 at which classes are defined
CLASSES = {name: 16e-6 * 4.0**k for k, name in enumerate("ABCDEFGH")}  #: m³, Gd(n0) by class, geometric means
BAND = (0.25, 100.0)  #: m, shortest and longest wave by default
WAVINESS = 2.0  #: exponent of the spectrum of all classes
PER_WAVE = 8  #: points in the shortest wave, at which splines have 99.94 % of its amplitude
MOST = 20_000_000  #: heights of a road
CLOSEST = 1e-6  #: least distance of two tracks over the shortest wave
ROUNDING = 1e-9  #: relative, by which a wave of the length of the band's limit may exceed it


@dataclass(frozen=True)
class Roughness:
    """Spectrum of a road: G(n) = Gd (n/n0)^-waviness for waves within the band, otherwise zero.

    Gd: m³, at n0 = 0.1 1/m. band: shortest and longest wave, m.
    """

    Gd: float
    waviness: float
    band: tuple[float, float]

    def lines(self, length: float) -> np.ndarray:
        """Return the numbers of waves in a length, m, of all lines of the spectrum, at distances of 1/length."""
        shortest, longest = self.band
        first = math.ceil(length / longest * (1.0 - ROUNDING))
        return np.arange(max(first, 1), math.floor(length / shortest * (1.0 + ROUNDING)) + 1)

    def amplitudes(self, length: float) -> np.ndarray:
        """Return the amplitude of each line, m."""
        n = self.lines(length) / length
        with np.errstate(over="ignore"):
            return np.asarray(math.sqrt(2.0 * self.Gd / length) * (n / REFERENCE) ** (-0.5 * self.waviness))


def spectrum_of(name: Any, Gd: Any, waviness: Any, band: Any) -> Roughness:
    """Return a spectrum by its class, "A" to "H", or by Gd. Raises ModelError for unknown classes and wrong numbers."""
    if (name is None) == (Gd is None):
        both = "gives both a class and Gd" if Gd is not None else "has no roughness"
        raise ModelError(f"rough road {both}: give a class of ISO 8608, such as 'C', or Gd=256e-6, in m³ at 0.1 1/m")
    if name is not None and (not isinstance(name, str) or name.upper() not in CLASSES):
        raise ModelError(f"roughness of a rough road is {display(name)}: give a class of ISO 8608, 'A' to 'H', or Gd=")
    level = CLASSES[name.upper()] if name is not None else positive_number(Gd, "Gd")
    ends = numbers(band, 2, "band of a rough road, shortest and longest wave,", "m")
    shortest, longest = (positive_number(end, "band", "m") for end in ends)
    if not shortest < longest:
        raise ModelError(f"band of a rough road is {display(band)}: give the shortest wave, then the longest, in m")
    return Roughness(level, positive_number(waviness, "waviness"), (shortest, longest))


def rough_tracks(
    spectrum: Roughness, length: Quantity, seed: int, spacing: Quantity | None, track: Quantity | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return x, m, and heights, m, of one track, or of left and right ones at the distance `track`: (x,), (track, x).

    The road is one period: its last height is its first. Lines have the amplitudes of the spectrum and random phases,
    and the same seed gives the same phases everywhere. Raises ModelError for wrong arguments, a road shorter than its
    longest wave, and points too far apart for its shortest.
    """
    if not is_whole(seed) or seed < 0:
        raise ModelError(f"seed of a rough road is {display(seed)}: give a whole number, 0 or more")
    period, (shortest, longest) = positive_number(length, "length", "m"), spectrum.band
    if period < longest * (1.0 - ROUNDING):
        raise ModelError(
            f"length of a rough road is {period:g} m, less than its longest wave of {longest:g} m: give a longer one, "
            f"or band=({shortest:g}, {period:g})"
        )
    count = _count(period, shortest, spacing)
    lines, amplitudes = spectrum.lines(period), spectrum.amplitudes(period)
    if not (amplitudes < math.inf).all():
        raise ModelError(f"waviness of a rough road is {spectrum.waviness:g}: its heights are infinite, give 1.5 to 3")
    bits = np.random.PCG64(int(seed))  # raw numbers, since numpy may change how it draws from a distribution
    left = amplitudes * np.exp(2j * math.pi * _uniform(bits, len(lines)))
    tracks = [left]
    if track is not None:
        g = coherence(lines / period, _distance(track, shortest), spectrum.waviness)
        turned = np.where(_uniform(bits, len(lines)) < 0.5, -1j, 1j)  # (T21)
        tracks.append((g + turned * np.sqrt(1.0 - g * g)) * left)
    heights = np.empty((len(tracks), count + 1))
    for k, track_lines in enumerate(tracks):
        transform = np.zeros(count // 2 + 1, complex)
        transform[lines] = 0.5 * count * track_lines
        heights[k, :-1] = np.fft.irfft(transform, count)
    heights[:, -1] = heights[:, 0]
    return np.arange(count + 1) * (period / count), heights


def coherence(n: np.ndarray, distance: float, waviness: float = WAVINESS) -> np.ndarray:
    """Return the coherence of two parallel tracks of an isotropic surface at wave numbers n, 1/m (T21).

    distance: of the tracks, m. It is the amplitude of the cross spectrum over that of the spectrum, from 1 for long
    waves to 0 for short ones: 2/Γ(ν) (x/2)^ν K_ν(x) with ν = waviness/2 and x = 2πn distance.
    """
    x, order = 2.0 * math.pi * distance * np.asarray(n, dtype=float), 0.5 * waviness
    return np.asarray(np.minimum(2.0 / math.gamma(order) * (0.5 * x) ** order * _bessel_k(order, x), 1.0))


def _bessel_k(order: float, x: np.ndarray) -> np.ndarray:
    """Return the modified Bessel function of the second kind, K, of positive numbers.

    The trapezoidal rule of its integral of exp(-x cosh t) cosh(order t) over t >= 0 converges exponentially: it gives
    15 digits up to x = 100.
    """
    step, end = 0.0625, 50.0  # beyond x (cosh t - 1) = 50 the integrand is below rounding
    total = 0.5 * np.exp(-x)
    for t in np.arange(step, math.acosh(1.0 + end / float(x.min())), step):
        near = x * (math.cosh(t) - 1.0) < end
        total[near] += np.exp(-x[near] * math.cosh(t)) * math.cosh(order * t)
    return np.asarray(step * total)


def _count(length: float, shortest: float, spacing: Quantity | None) -> int:
    """Return the number of points in a length. Raises ModelError for too few and too many."""
    step = shortest / PER_WAVE if spacing is None else positive_number(spacing, "spacing", "m")
    if step > 0.5 * shortest * (1.0 - ROUNDING):
        raise ModelError(
            f"spacing of a rough road is {step:g} m, too wide for waves of {shortest:g} m: give at most "
            f"{shortest / PER_WAVE:g}, or a band without short waves"
        )
    if length / step > MOST:
        raise ModelError(
            f"rough road of {length:g} m has {length / step:.3g} points: the most are {MOST:g}; give a shorter length= "
            "or a band= without short waves"
        )
    return math.ceil(length / step * (1.0 - ROUNDING))


def _distance(track: Quantity, shortest: float) -> float:
    """Return the distance of two tracks, m. Raises ModelError for one that is nothing beside the shortest wave."""
    distance = positive_number(track, "track", "m")
    if distance < CLOSEST * shortest:
        raise ModelError(
            f"track of a rough road is {distance:g} m, too small for waves of {shortest:g} m and more: give the "
            "distance of the wheels of an axle, or mbs.Profile.rough, whose tracks are equal"
        )
    return distance


def _uniform(bits: np.random.PCG64, count: int) -> np.ndarray:
    """Return the next `count` numbers from 0 to 1, exclusive, as numpy's generators draw them."""
    return np.asarray((bits.random_raw(count) >> 11) * 2.0**-53)


def positive_number(value: Any, name: str, unit: str | None = None) -> float:
    """Return a positive number, in `unit`. Raises ModelError for other arguments and expressions."""
    thing = f"{name} of a rough road"
    found = no_less_than_zero(value, thing, unit, positive=True)
    if not is_literal(found):
        raise ModelError(f"{thing} is an expression: give a number")
    return float(found.value)
