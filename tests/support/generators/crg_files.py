"""Writer of small OpenCRG files in their four forms, and random roads for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FORMS = ("LRFI", "LDFI", "KRBI", "KDBI")


@dataclass
class CrgFile:
    """Contents of a file. road, options, modifiers: values by key, options and modifiers None without a section.
    channels: pairs of definition, such as "long section 1,m", and values, one for each row.
    """

    road: dict[str, float]
    channels: list[tuple[str, np.ndarray]]
    options: dict[str, float] | None = None
    modifiers: dict[str, float] | None = None
    extra: list[str] = field(default_factory=list)  #: lines before the data

    def header(self, form: str) -> str:
        """Return the lines of the header."""
        lines = ["$CT", "a road that a test wrote", "$", "$ROAD_CRG   ! comment"]
        lines += [f"{key} = {value:.16e} ! comment" for key, value in self.road.items()] + ["$!****"]
        for name, values in (("OPTS", self.options), ("MODS", self.modifiers)):
            if values is not None:
                lines += [f"$ROAD_CRG_{name}", "* comment = 3", *(f"{k} = {v!r}" for k, v in values.items()), "$"]
        u = self.road.get("REFERENCE_LINE_START_U", 0.0), self.road.get("REFERENCE_LINE_INCREMENT", 0.5)
        lines += [
            "$KD_Definition",
            f"#:{form}",
            f"U:reference line u,m,{u[0]},{u[1]}",
            *(f"D:{name}" for name, _ in self.channels),
        ]
        return "\n".join([*lines, "$", *self.extra, "$" * 72]) + "\n"

    def values(self, form: str) -> np.ndarray:
        """Return the numbers, (rows, channels), as the form rounds them."""
        table = np.column_stack([values for _, values in self.channels])
        if form == "KDBI":
            return table
        if form == "KRBI":
            return table.astype(np.float32).astype(float)
        return np.array([[_value(_text(x, form)) for x in row] for row in table])

    def data(self, form: str) -> bytes:
        """Return the bytes of the data."""
        table = np.column_stack([values for _, values in self.channels])
        if form[0] == "K":
            raw = table.astype(">f4" if form == "KRBI" else ">f8").tobytes()
            size = 4 if form == "KRBI" else 8
            fill = np.full((-len(raw) % 80) // size, np.nan, ">f4" if size == 4 else ">f8")
            return raw + fill.tobytes()
        per_line = 8 if form == "LRFI" else 4
        lines = []
        for row in table:
            texts = [_text(x, form) for x in row]
            lines += ["".join(texts[k : k + per_line]) for k in range(0, len(texts), per_line)]
        return ("\n".join(lines) + "\n").encode("ascii")

    def write(self, path: Path, form: str, line_end: str = "\n") -> Path:
        """Write the file and return its path. line_end: of text, also of the data of text forms."""
        header, data = self.header(form), self.data(form)
        if form[0] == "L":
            data = data.replace(b"\n", line_end.encode("ascii"))
        path.write_bytes(header.replace("\n", line_end).encode("latin-1") + data)
        return path


def _text(x: float, form: str) -> str:
    width = 10 if form == "LRFI" else 20
    if np.isnan(x):
        return "*missing*".rjust(width)
    decimals = width - 3 - len(str(int(abs(x))))
    return f"{x:{width}.{decimals}f}"


def _value(text: str) -> float:
    return float("nan") if "*" in text else float(text)


@dataclass
class RandomRoad:
    """A random road and its file. heights: without slope and banking, (rows, v), m, with holes at the sides."""

    file: CrgFile
    v: np.ndarray
    line: dict[str, int]  #: columns of the reference line's channels
    first: int  #: column of the first long section


def random_road(rng: np.random.Generator, rows: int = 24, holes: bool = True, bend: float = 0.04) -> RandomRoad:
    """Return a road with a random choice of channels, of long sections by place or by number, and of headers.

    bend: rad, largest change of heading in a row.
    """
    count, step, start = int(rng.integers(2, 12)), float(rng.choice([0.1, 0.25, 0.5])), float(rng.choice([0.0, 730.0]))
    phi = rng.uniform(-3.0, 3.0) + np.cumsum(rng.uniform(-bend, bend, rows))
    line = {"phi": phi, "slope": rng.uniform(-0.1, 0.1, rows), "banking": rng.uniform(-0.1, 0.1, rows)}
    names = [name for name in line if rng.random() < 0.7]
    even = bool(rng.random() < 0.5)
    v = -1.5 + 0.25 * np.arange(count) if even else np.round(-2.0 + np.cumsum(rng.uniform(0.05, 0.6, count)), 3)
    heights = rng.uniform(-0.05, 0.05, (rows, count))
    if holes and count > 3:
        for k in rng.integers(0, rows, 5):
            heights[k, : rng.integers(0, 2)] = np.nan
            heights[k, count - rng.integers(0, 2) :] = np.nan
    road = {"REFERENCE_LINE_START_U": start, "REFERENCE_LINE_INCREMENT": step}
    road |= {"REFERENCE_LINE_START_X": rng.uniform(-9, 9), "REFERENCE_LINE_START_Y": rng.uniform(-9, 9)}
    road |= {"REFERENCE_LINE_START_Z": rng.uniform(-2, 2)}
    if rng.random() < 0.7:
        road["REFERENCE_LINE_END_U"] = start + step * (rows - 1)
    road |= {
        f"REFERENCE_LINE_START_{key}": float(rng.uniform(-0.1, 0.1))
        for name, key in (("phi", "PHI"), ("slope", "S"), ("banking", "B"))
        if name not in names
    }
    if even:
        road |= {"LONG_SECTION_V_RIGHT": v[0], "LONG_SECTION_V_LEFT": v[-1]}
        if rng.random() < 0.5:
            road["LONG_SECTION_V_INCREMENT"] = 0.25
    units = {"phi": "rad", "slope": "m/m", "banking": "m/m"}
    channels = [(f"reference line {name},{units[name]}", line[name]) for name in names]
    channels += [
        (f"long section {k + 1},m" if even else f"long section at v = {v[k]:.3f},m", heights[:, k])
        for k in range(count)
    ]
    return RandomRoad(CrgFile(road, channels), v, {name: k for k, name in enumerate(names)}, len(names))
