"""A matplotlib figure that notebooks show; imported only if matplotlib is installed."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

DPI = 90  #: of pictures in notebooks


class Picture(Figure):
    """A figure that is independent of the backend."""

    def _repr_png_(self) -> bytes:
        """Return the picture for a notebook, also if matplotlib's own integration is not set up."""
        file = BytesIO()
        self.savefig(file, format="png", dpi=DPI)
        return file.getvalue()
