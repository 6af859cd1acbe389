"""The option `stops` of readers: springs and dampers at the limits of joints."""

from __future__ import annotations

from ..infrastructure.arguments import finite
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.failures import display

Stops = tuple[float, float]


def check_stops(stops: Stops | None) -> None:
    """Raise ArgumentError unless stops are None or two numbers, stiffness and damping."""
    if stops is None:
        return
    if not isinstance(stops, (tuple, list)) or len(stops) != 2:
        raise ArgumentError(f"stops is {display(stops)}: give two numbers, stiffness and damping")
    for number, what in zip(stops, ("stiffness of stops", "damping of stops"), strict=True):
        finite(number, what)
