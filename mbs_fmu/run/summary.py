"""What a notebook shows of a result: a table of its columns."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

MOST = 60  #: columns that are shown; of more the last ones are left out
HEAD = ("column", "unit", "first", "last", "min", "max")


def html_table(title: str, columns: Mapping[str, np.ndarray], units: Mapping[str, str | None]) -> str:
    """Each column with its unit, first and last number, the smallest and the largest."""
    head = "".join(f"<th>{name}</th>" for name in HEAD)
    shown = list(columns.items())[:MOST]
    rows = "".join(f"<tr>{_cells(name, units.get(name), values)}</tr>" for name, values in shown)
    left = len(columns) - len(shown)
    more = f"<p>and {left} more</p>" if left else ""
    return f"<div><p>{escape(title)}</p><table><tr>{head}</tr>{rows}</table>{more}</div>"


def _cells(name: str, unit: str | None, values: np.ndarray) -> str:
    numbers = [values[0], values[-1], np.min(values), np.max(values)] if len(values) else []
    texts = [f"{x:.6g}" for x in numbers] or ["", "", "", ""]
    left = f'<td style="text-align:left">{escape(name)}</td><td style="text-align:left">{escape(unit or "")}</td>'
    return left + "".join(f"<td>{text}</td>" for text in texts)
