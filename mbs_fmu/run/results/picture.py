"""A matplotlib figure that notebooks show by themselves; imported where matplotlib is there."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

DPI = 90  #: of what notebooks show


class Picture(Figure):
    """A figure of its own, whatever backend is in use."""

    def _repr_png_(self) -> bytes:
        """The picture for a notebook, also where matplotlib's own way into it is not set up."""
        file = BytesIO()
        self.savefig(file, format="png", dpi=DPI)
        return file.getvalue()
