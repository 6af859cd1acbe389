"""Files as Nastran writes them: matrices in OUTPUT4 and on DMIG cards, grids in coordinate systems; damaged ones."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from ..oracles.finite_elements import line
from ..oracles.superelements import Handed

Array = np.ndarray
Write = Callable[[Path, list[tuple[str, Array]]], None]
ZEROS = ("dense", "strings", "bigmat")  #: ways to leave out zeros


def op4_binary(
    path: Path, matrices: Sequence[tuple[str, Array]], zeros: str, order: str = "<", wide: bool = False, bits: int = 64
) -> None:
    """Write an OUTPUT4 file of Fortran's records; bits: of numbers; wide: integers (and words) of 64 bits."""
    integer, word = ("q", 8) if wide else ("i", 4)
    number = f"{order}f{8 if wide else bits // 8}"
    per = np.dtype(number).itemsize // word
    data = bytearray()

    def record(content: bytes) -> bytes:
        mark = struct.pack(f"{order}i", len(content))
        return mark + content + mark

    for name, A in matrices:
        rows, columns = A.shape
        kind = 1 if bits == 32 else 2
        head = struct.pack(f"{order}4{integer}", columns, -rows if zeros == "bigmat" else rows, 2, kind)
        data += record(head + name.ljust(16 if wide else 8).encode())
        for c, column in enumerate(A.T, 1):
            if zeros == "dense":
                used = np.flatnonzero(column)
                if not len(used):
                    continue
                values = column[used[0] : used[-1] + 1].astype(number)
                body = values.tobytes()
                head = struct.pack(f"{order}3{integer}", c, used[0] + 1, len(values) * per)
                data += record(head + body)
                continue
            body = b""
            for row, values in runs(column):
                length = len(values) * per
                marks = (length + 1, row) if zeros == "bigmat" else (row + 65536 * (length + 1),)
                body += struct.pack(f"{order}{len(marks)}{integer}", *marks) + values.astype(number).tobytes()
            if body:
                data += record(struct.pack(f"{order}3{integer}", c, 0, len(body) // word) + body)
        one = struct.pack(f"{order}3{integer}", columns + 1, 1, per) + np.ones(1, number).tobytes()
        data += record(one)
    path.write_bytes(data)


def op4_text(
    path: Path, matrices: Sequence[tuple[str, Array]], zeros: str, digits: int = 16, bits: int = 64, form: int = 2
) -> None:
    """Write an ASCII OUTPUT4 file; form: 6 for symmetric matrices."""
    width, lines = digits + 7, list[str]()
    per_line = 80 // width
    per = 1 if bits == 32 else 2

    def numbers(values: Array) -> Iterator[str]:
        for k in range(0, len(values), per_line):
            yield "".join(f"{x:{width}.{digits}E}" for x in values[k : k + per_line])

    for name, A in matrices:
        rows, columns = A.shape
        shape = f"{columns:8d}{-rows if zeros == 'bigmat' else rows:8d}"
        lines.append(f"{shape}{form:8d}{1 if bits == 32 else 2:8d}{name:8s}1P,{per_line}E{width}.{digits}")
        for c, column in enumerate(A.T, 1):
            if zeros == "dense":
                used = np.flatnonzero(column)
                if len(used):
                    values = column[used[0] : used[-1] + 1]
                    lines += [f"{c:8d}{used[0] + 1:8d}{len(values):8d}", *numbers(values)]
                continue
            marks = 2 if zeros == "bigmat" else 1
            strings = list(runs(column))
            if strings:
                lines.append(f"{c:8d}{0:8d}{sum(len(v) * per + marks for _, v in strings):8d}")
            for row, values in strings:
                length = len(values) * per + 1
                lines.append(f"{length:8d}{row:8d}" if marks == 2 else f"{row + 65536 * length:12d}")
                lines += numbers(values)
        lines += [f"{columns + 1:8d}{1:8d}{1:8d}", *numbers(np.ones(1))]
    path.write_text("\n".join(lines) + "\n")


def runs(column: Array) -> Iterator[tuple[int, Array]]:
    """Yield first row (from 1) and values of each run of numbers that are not zero."""
    used = np.flatnonzero(column)
    for part in np.split(used, np.flatnonzero(np.diff(used) > 1) + 1):
        if len(part):
            yield int(part[0]) + 1, column[part]


def _forms() -> dict[str, tuple[int, Write]]:
    """Return the bits of numbers and a writer for all forms by name."""
    found: dict[str, tuple[int, Write]] = {}
    for zeros in ZEROS:
        for bits in (32, 64):
            found[f"text-{zeros}-{bits}"] = bits, partial(op4_text, zeros=zeros, bits=bits)
            for order in "<>":
                for wide in (False, True):
                    name = f"binary-{zeros}-{bits}-{'little' if order == '<' else 'big'}-{64 if wide else 32}"
                    found[name] = bits, partial(op4_binary, zeros=zeros, order=order, wide=wide, bits=bits)
    return found


OP4_FORMS = _forms()


def op4_matrices(bits: int) -> list[tuple[str, Array]]:
    """Return random matrices with zeros in them, the names of which occur twice."""
    rng = np.random.default_rng(bits)
    result = []
    for name, shape in (("KXX", (7, 7)), ("A_LONG8", (1, 9)), ("KXX", (40, 3)), ("NULL", (4, 4)), ("V", (6, 1))):
        A = rng.standard_normal(shape) * 10.0 ** rng.integers(-20, 20, shape) * (rng.random(shape) < 0.6)
        if name == "NULL":
            A[:] = 0.0
        result.append((name, A.astype(np.float32).astype(float) if bits == 32 else A))
    return result


def dmig(name: str, A: Array, labels: Sequence[tuple[int, int]], style: str, form: int = 6) -> str:
    """Return DMIG cards; style: "large" (16 characters), or "free" (with two entries in a line)."""
    lines = [f"DMIG    {name:8s}{0:8d}{form:8d}{2:8d}{0:8d}"]
    for c, column in enumerate(A.T):
        rows = [r for r in np.flatnonzero(column) if form != 6 or r >= c]
        if not rows:
            continue
        if style == "large":
            lines.append(f"DMIG*   {name:16s}{labels[c][0]:16d}{labels[c][1]:16d}")
            lines += [f"*       {labels[r][0]:16d}{labels[r][1]:16d}{fortran(column[r]):>16s}" for r in rows]
        else:
            entries = [f"{labels[r][0]},{labels[r][1]},{float(column[r])!r}," for r in rows]
            lines.append(f"DMIG,{name},{labels[c][0]},{labels[c][1]},,{entries[0]}")
            lines += ["," + ",".join(entries[k : k + 2]) for k in range(1, len(rows), 2)]
    return "\n".join(lines) + "\n"


def fortran(x: float) -> str:
    """Return a number in 16 characters, as Nastran punches it: 1.234567890D+00."""
    return f"{x:.9E}".replace("E", "D")


def card(name: str, fields: Sequence[object], style: str) -> str:
    """Return a card; style: "free", "small" (8 characters) or "large" (16). Blank fields are ""."""
    texts = [field if isinstance(field, str) else repr(field) for field in fields]
    if style == "free":
        rows = [texts[k : k + 8] for k in range(0, len(texts), 8)]
        return "\n".join([",".join([name, *rows[0]]), *(",".join(["", *row]) for row in rows[1:])])
    count, width = (8, 8) if style == "small" else (4, 16)
    assert all(len(text) <= width for text in texts), texts
    rows = ["".join(f"{text:<{width}s}" for text in texts[k : k + count]) for k in range(0, len(texts), count)]
    mark = "*" if style == "large" else " "
    return "\n".join([f"{name + mark:8s}{rows[0]}", *(f"{mark:8s}{row}" for row in rows[1:])])


def variants(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Yield damaged variants of a file: cut, with changed bytes, with parts that are left out or repeated."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        changed = bytearray(data)
        a, b = sorted(int(x) for x in rng.integers(0, len(data), 2))
        if k % 4 == 1:
            changed = changed[:a]
        elif k % 4 == 2:
            del changed[a : min(b, a + 40)]
        elif k % 4 == 3:
            changed[a:a] = data[a : min(b, a + 40)]
        for _ in range(int(rng.integers(1, 4))):
            if changed:
                near = len(changed) if k % 2 else min(len(changed), 400)
                changed[int(rng.integers(0, near))] = int(rng.integers(0, 256))
        yield bytes(changed)


def write_boom(folder: Path) -> None:
    """Write the files of a boom for the docs, in mm, t and s: a superelement, boom.*, and its full matrices, full.*."""
    full = line(8, 2.0)
    numbers = [3, *range(11, 18), 27]
    reduced = Handed(full, [0, 8], 6)
    points = [3, 27, *range(9001, 9007)]
    scales = np.tile([1e-3] * 3 + [1.0] * 3, 9)
    modal = np.concatenate([scales[:12], np.full(6, 1e-3 * 1e3**0.5)])
    for name, M, K, r, kept in (
        ("boom", reduced.M, reduced.K, modal, [0, 8]), ("full", full.M, full.K, scales, range(9)),
    ):  # fmt: skip
        given = [("KXX", K * np.outer(r, r) / 1e-3), ("MXX", M * np.outer(r, r) / 1e-3)]
        op4_binary(folder / f"{name}.op4", [(n, 0.5 * (A + A.T)) for n, A in given], "bigmat")
        rows: list[object] = [n for point in (points if name == "boom" else numbers) for n in (point, point)]
        cards = [card("SECONCT", [1, 0, "", "", "", "", "", "", *rows], "small")]
        cards += [card("GRID", [numbers[k], 0, *(float(x) for x in 1e3 * full.nodes[k]), 0], "large") for k in kept]
        cards += [card("SPOINT", [9001, "THRU", 9006], "small")] if name == "boom" else []
        (folder / f"{name}.asm").write_text("\n".join([*cards, ""]))


# -- grids in coordinate systems -------------------------------------------------------------------------------------
def cartesian(kind: str, x: Sequence[float]) -> Array:
    """Return rectangular coordinates of those in a system of kind R, C or S (degrees)."""
    a, b, c = x
    if kind == "R":
        return np.array([a, b, c])
    if kind == "C":
        z = a * np.exp(1j * np.deg2rad(b))
        return np.array([z.real, z.imag, c])
    z = a * np.exp(1j * np.deg2rad(b))
    w = z.imag * np.exp(1j * np.deg2rad(c))
    return np.array([w.real, w.imag, z.real])


def local_axes(kind: str, x: Sequence[float]) -> Array:
    """Return the unit vectors (columns) along growing coordinates, by differences of `cartesian`."""
    if kind == "R":
        return np.eye(3)
    steps = np.array([1e-6, 1e-4, 1e-6 if kind == "C" else 1e-4])
    columns = [cartesian(kind, np.add(x, h)) - cartesian(kind, np.subtract(x, h)) for h in np.diag(steps)]
    return np.column_stack([v / np.linalg.norm(v) for v in columns])


class Grids:
    """Random grids in random systems of all kinds, which refer to each other.

    cards: of systems and grids. places: basic coordinates, (N, 3). axes: of displacements, (N, 3, 3), columns; exact to
    about 1e-9, by differences.
    """

    def __init__(self, numbers: Sequence[int], rng: np.random.Generator, style: str = "free"):
        frames: dict[int, tuple[str, Array, Array]] = {0: ("R", np.zeros(3), np.eye(3))}
        self.cards = []
        for system in (7, 12, 30, 31):
            of = int(rng.choice(list(frames)))
            kind = str(rng.choice(list("RCS")))
            points = rng.integers(-40, 40, (3, 3)) / 8.0 + np.array([[8.0, 20, 1], [11, 75, 3], [15, 30, 9]])
            base = frames[of]
            A, B, C = (base[1] + base[2] @ cartesian(base[0], point) for point in points)
            z = (B - A) / np.linalg.norm(B - A)
            x = (C - A) - ((C - A) @ z) * z
            x /= np.linalg.norm(x)
            frames[system] = kind, A, np.column_stack([x, np.cross(z, x), z])
            fields = [system, of, *(float(v) for v in points.ravel())]
            self.cards.append(card(f"CORD2{kind}", fields, style))
        self.places, self.axes = np.zeros((len(numbers), 3)), np.zeros((len(numbers), 3, 3))
        for k, number in enumerate(numbers):
            of, out = (int(v) for v in rng.choice(list(frames), 2))
            x = rng.integers(1, 60, 3) / 4.0 + 1.0
            kind, origin, E = frames[of]
            self.places[k] = origin + E @ cartesian(kind, x)
            self.axes[k] = self._axes(frames[out], self.places[k])
            self.cards.append(card("GRID", [number, of, *(float(v) for v in x), out], style))

    def _axes(self, frame: tuple[str, Array, Array], place: Array) -> Array:
        kind, origin, E = frame
        x, y, z = E.T @ (place - origin)
        r, across = float(np.hypot(np.hypot(x, y), z)), float(np.hypot(x, y))
        angle = float(np.rad2deg(np.arctan2(y, x)))
        polar = {"R": (x, y, z), "C": (across, angle, z), "S": (r, float(np.rad2deg(np.arccos(z / r))), angle)}[kind]
        return E @ local_axes(kind, polar)


def free_structure(places: Array, rng: np.random.Generator, joined: Mapping[int, bool] | None = None) -> Array:
    """Return a stiffness that no rigid motion resists, (6 N, 6 N): springs between all pairs of nodes.

    joined: False for nodes whose rotations the springs leave alone.
    """
    N = len(places)
    K = np.zeros((6 * N, 6 * N))
    for i in range(N):
        for j in range(i):
            B = np.zeros((6, 6 * N))
            for node, sign in ((i, 1.0), (j, -1.0)):
                r = 0.5 * (places[i] + places[j]) - places[node]
                B[:3, 6 * node : 6 * node + 3] = sign * np.eye(3)
                B[:3, 6 * node + 3 : 6 * node + 6] = -sign * np.array(
                    [[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]]
                )
                B[3:, 6 * node + 3 : 6 * node + 6] = sign * np.eye(3)
            C = rng.standard_normal((6, 6))
            C = 1e4 * (C @ C.T + np.eye(6))
            if joined and not (joined.get(i, True) and joined.get(j, True)):  # a bar
                along = np.zeros(6)
                along[:3] = (places[i] - places[j]) / np.linalg.norm(places[i] - places[j])
                C = 1e4 * np.outer(along, along)
                B[:, 6 * i + 3 : 6 * i + 6] = B[:, 6 * j + 3 : 6 * j + 6] = 0.0
            K += B.T @ C @ B
    return K
