"""What the drivers of tangents call and other texts have; each here as it is where none of these has it."""

from __future__ import annotations

from ...kernels.declarations import Record


def prepare_d(R: Record, D: Record) -> None:
    """Constants from the parameters: they are there, and no tangent is taken along one that decides about any."""


def starts_d(R: Record, D: Record) -> None:
    """Start values that follow from parameters: no tangent is taken along one that decides about any."""


def lane_of(R: Record, place: int, lane: int) -> float:
    """A number of a record in one lane: there is only one.

    Reads: place.
    """
    return R[place]


def arrive_d(R: Record, D: Record, U: Record, h: float) -> None:
    """Rates at a new state, ready for a step of size h: in trees there is nothing else to do."""
    evaluate_d(R, D, U)


# -- of the module of tangents -------------------------------------------------------------------------------


def copy_d(R: Record, D: Record, source: int, target: int, size: int) -> None:
    """`copy` with tangents."""
    raise NotImplementedError


def normalise_d(R: Record, D: Record) -> None:
    """`normalise` with tangents."""
    raise NotImplementedError


def METHOD_stages_d(R: Record, D: Record, U: Record, time: float, h: float) -> None:
    """`METHOD_stages` with tangents."""
    raise NotImplementedError


def evaluate_d(R: Record, D: Record, U: Record) -> None:
    """`evaluate` with tangents."""
    raise NotImplementedError


def rebase_d(R: Record, D: Record) -> None:
    """`rebase` with tangents; in models with closed loops."""
    raise NotImplementedError


def project_d(R: Record, D: Record) -> None:
    """`project` with tangents; in models with closed loops."""
    raise NotImplementedError


MADE = (copy_d, normalise_d, METHOD_stages_d, evaluate_d, rebase_d, project_d)  #: elsewhere, most of them by `dual`
