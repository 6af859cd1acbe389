"""Damaged and invalid OpenCRG files: one error with file and line or byte, in little time and memory."""

from __future__ import annotations

import re
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.model.roads.crg.reading import read_crg
from support.generators.crg_files import FORMS, CrgFile, random_road

pytestmark = pytest.mark.quick

PLACE = re.compile(
    r"line \d+|byte \d+|has \d+|is not an OpenCRG file|has no channels|one of the channels|at most|band="
)


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with bytes changed, inserted or removed, or cut."""
    raw = bytearray(data)
    kind = rng.integers(4)
    if kind == 0:
        raw = raw[: rng.integers(0, len(raw))]
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(0, max(len(raw), 1)))
        if kind == 1:
            raw[place : place + 1] = bytes([rng.integers(256)])
        elif kind == 2:
            raw[place:place] = rng.integers(0, 256, rng.integers(1, 30)).astype(np.uint8).tobytes()
        elif kind == 3:
            del raw[place : place + int(rng.integers(1, 90))]
    return bytes(raw)


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_read_or_refused_by_one_error(tmp_path: Path, form: str) -> None:
    rng = np.random.default_rng(FORMS.index(form))
    path, refused = tmp_path / "road.crg", 0
    for k in range(300):
        if k % 30 == 0:
            file = random_road(rng).file
            file.options = {"BORDER_SMOOTH_UBEG": 1.0, "REFLINE_CONTINUATION": 0}
            file.modifiers = {"GRID_NAN_MODE": 2, "REFPOINT_V_FRACTION": 0.5, "SCALE_WIDTH": 1.0}
            whole = file.write(path, form).read_bytes()
        path.write_bytes(damaged(whole, rng))
        if k % 6 == 0:
            tracemalloc.start()
        begin = time.process_time()
        try:
            found = read_crg(path)
        except ModelError as error:
            refused += 1
            text = str(error)
            assert str(path) in text and "\n" not in text and (PLACE.search(text) or "truncated" in text), text
        else:
            for values in (found.u, found.v, found.heights, found.x, found.y):
                assert np.isfinite(values).all()
        assert time.process_time() - begin < 1.0
        if k % 6 == 0:
            assert tracemalloc.get_traced_memory()[1] < 40e6
            tracemalloc.stop()
    assert 60 < refused < 300


def straight(rows: int = 40, count: int = 3) -> CrgFile:
    """Return a straight road, with a channel phi."""
    rng = np.random.default_rng(0)
    channels = [(f"long section {k + 1},m", rng.uniform(-0.01, 0.01, rows)) for k in range(count)]
    road = {"REFERENCE_LINE_INCREMENT": 0.5, "REFERENCE_LINE_END_U": 0.5 * (rows - 1)}
    road |= {"LONG_SECTION_V_RIGHT": -1.0, "LONG_SECTION_V_LEFT": 1.0}
    return CrgFile(road, [("reference line phi,rad", np.zeros(rows)), *channels])


ROAD = "$ROAD_CRG   ! comment\n"
CHANGES = [  # text, its replacement, message
    (
        ROAD,
        ROAD + "REFERENCE_LINE_START_X 3\n",
        r"line 5: 'REFERENCE_LINE_START_X 3' in section \$ROAD_CRG: give KEY = n",
    ),
    (ROAD, ROAD + "REFERENCE_LINE_START_X = abc\n", r"line 5: REFERENCE_LINE_START_X is 'abc': give a finite number"),
    (
        ROAD,
        ROAD + "REFERENCE_LINE_START_X = 1e999\n",
        r"line 5: REFERENCE_LINE_START_X is '1e999': give a finite number",
    ),
    (ROAD, "REFERENCE_LINE_START_X = 1\n" + ROAD, r"line 4: .* stands outside of a section"),
    ("INCREMENT = 5", "INCREMENT = -5", r"line 5: the increment of u is -0.5 m: give a positive distance of rows"),
    ("INCREMENT = 5.0000000000000000e-01", "INCREMENT = 0", r"line 5: the increment of u is 0 m"),
    ("END_U = 1.9500000000000000e+01", "END_U = 1e9", r"line 5: u needs 2e\+09 rows, at most 130000000 are possible"),
    ("END_U = 1.95", "END_U = -1.95", r"line 5: u ends at -19.5 m, but starts at 0 m"),
    ("END_U = 1.95", "END_U = 2.95", r"has 40 rows, u needs 60: it is truncated"),
    (
        "V_LEFT = 1",
        "V_LEFT = -1",
        r"line 8: LONG_SECTION_V_LEFT is -1 m, LONG_SECTION_V_RIGHT -1 m: the left one must be",
    ),
    (ROAD, ROAD + "LONG_SECTION_V_INCREMENT = -0.1\n", r"line 5: LONG_SECTION_V_INCREMENT is -0.1 m: give a positive"),
    (ROAD, ROAD + "LONG_SECTION_V_INCREMENT = 0.1\n", r"line 9: .*V_LEFT is 1 m, the 3 long sections give -0.8 m"),
    ("#:", "#:X", r"line 11: form 'X....' of data is unknown: use LRFI, LDFI, KRBI, KDBI"),
    (
        "D:long section 2",
        "X:long section 2",
        r"line 15: 'X:long section 2,m' defines no channel: begin the line with D:",
    ),
    ("D:long section 2,m", "D:long section 2,mm", r"line 15: the unit of 'long section 2' is 'mm': give 'm'"),
    ("phi,rad", "phi", r"line 13: the unit of 'reference line phi' is '': give 'rad'"),
    ("D:long section 2", "D:long section 3", r"line 15: long section 3 stands at place 2: number them 1, 2, ..."),
    ("D:long section 2", "D:long section", r"line 15: 'long section': write 'long section at v = -1.5'"),
    ("D:long section 2", "D:long section at v = 0", r"line 14: some long sections have a place v, others a number"),
    (
        "D:long section 1",
        "D:reference line phi",
        r"line 14: .*phi'? *: remove one|line 14: a second channel|is 'm': give",
    ),
    ("$" * 72, "", r"is not an OpenCRG file, or its header is truncated"),
    ("$" * 72, "$ROAD_CRG_FILE\nother.crg\n" + "$" * 72, r"line 19: \$ROAD_CRG_FILE in a file with channels"),
    (ROAD, "$ROAD_CRG_OPTS\nBORDER_MODE_U = 5\n$\n" + ROAD, r"line 5: BORDER_MODE_U is 5: use 0, 1, 2, 3, 4"),
    (ROAD, "$ROAD_CRG_OPTS\nREFLINE_CONTINUATION = 0.5\n$\n" + ROAD, r"line 5: REFLINE_CONTINUATION is 0.5: use 0, 1"),
    (
        ROAD,
        "$ROAD_CRG_OPTS\nBORDER_SMOOTH_UBEG = -1\n$\n" + ROAD,
        r"line 5: BORDER_SMOOTH_UBEG is -1 m: give a length of",
    ),
    (ROAD, "$ROAD_CRG_MODS\nGRID_NAN_MODE = 3\n$\n" + ROAD, r"line 5: GRID_NAN_MODE is 3: use 0, 1, 2"),
    (ROAD, "$ROAD_CRG_MODS\nSCALE_LENGTH = 0\n$\n" + ROAD, r"line 5: SCALE_LENGTH is 0: give a positive factor"),
    (ROAD, "$ROAD_CRG_MODS\nSCALE_SLOPE = 1e30\n$\n" + ROAD, r"line 5: SCALE_SLOPE is 1e\+30: give a"),
    (ROAD, "$ROAD_CRG_MODS\nREFPOINT_X = 1e30\n$\n" + ROAD, r"line 5: REFPOINT_X is 1e\+30: give a value below 1e\+09"),
    (
        ROAD,
        "$ROAD_CRG_MODS\nREFPOINT_U = 1\nREFPOINT_U_FRACTION = 0\n$\n" + ROAD,
        r"line 5: the file has both REFPOINT_U",
    ),
    (ROAD, ROAD + "REFERENCE_LINE_START_S = 3\n", r"line 5: slope of the reference line is 3: correct it"),
]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES, ids=[str(k) for k in range(len(CHANGES))])
def test_headers_that_are_invalid_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    for form in FORMS:
        path = straight().write(tmp_path / "road.crg", form)
        raw = path.read_bytes()
        assert old.encode() in raw
        path.write_bytes(raw.replace(old.encode(), new.encode(), 1))
        with pytest.raises(ModelError, match=message) as caught:
            read_crg(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("v", [(-1.0, 0.0, 0.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)])
def test_long_sections_that_do_not_increase_are_refused(tmp_path: Path, v: tuple[float, ...]) -> None:
    file = straight()
    file.channels[1:] = [
        (f"long section at v = {x:.3f},m", values) for x, (_, values) in zip(v, file.channels[1:], strict=True)
    ]
    with pytest.raises(ModelError, match=r"line \d+: v is .* m after .* m: long sections increase from right to left"):
        read_crg(file.write(tmp_path / "road.crg", "LRFI"))


@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_a_road_cannot_have_are_refused(tmp_path: Path, form: str) -> None:
    place = "byte" if form[0] == "K" else "line"
    file = straight()
    file.channels[0][1][7] = np.nan
    with pytest.raises(ModelError, match=rf"{place} \d+: phi of row 8 is missing: give numbers"):
        read_crg(file.write(tmp_path / "road.crg", form))
    file.channels[0][1][:8] = [np.nan, *np.zeros(7)]
    read_crg(file.write(tmp_path / "road.crg", form))
    file.channels[2][1][3] = 2e5
    with pytest.raises(ModelError, match=rf"{place} \d+: a height of 200000 m: is the file damaged"):
        read_crg(file.write(tmp_path / "road.crg", form))
    file.channels[2][1][3] = 0.0
    file.channels.insert(0, ("reference line banking,m/m", np.full(40, 3.0)))
    with pytest.raises(ModelError, match=rf"{place} \d+: banking of row 1 is 3: give numbers within -1 and 1"):
        read_crg(file.write(tmp_path / "road.crg", form))
    file.channels[0] = ("reference line x,m", np.zeros(40))
    with pytest.raises(ModelError, match="one of the channels 'reference line x' and 'y': give both or none"):
        read_crg(file.write(tmp_path / "road.crg", form))
    short = CrgFile({}, [("long section 1,m", np.zeros(9))])
    with pytest.raises(ModelError, match="has 1 long sections: give two or more"):
        read_crg(short.write(tmp_path / "road.crg", form))
    short = straight(1)
    short.road = {"REFERENCE_LINE_INCREMENT": 0.5}
    with pytest.raises(ModelError, match="has 1 rows of data: a road needs two or more"):
        read_crg(short.write(tmp_path / "road.crg", form))


def test_text_that_is_no_number_is_refused_with_its_line(tmp_path: Path) -> None:
    file = straight(4, 9)
    path = file.write(tmp_path / "road.crg", "LRFI")
    header, lines = file.header("LRFI"), file.data("LRFI").decode().splitlines()
    first = header.count("\n") + 1

    def refused(changed: list[str], message: str) -> None:
        path.write_text(header + "\n".join(changed))
        with pytest.raises(ModelError, match=message):
            read_crg(path)

    for text, field in (
        ("  0.0x1000", "0.0x1000"),
        ("   1_000.0", "1_000.0"),
        ("       inf", "inf"),
        ("       1 2", "1 2"),
    ):
        refused(
            [*lines[:2], lines[2][:30] + text + lines[2][40:], *lines[3:]],
            rf"line {first + 2}: ' *{field}' in channel 4",
        )
    refused([*lines[:3], lines[3][:12], *lines[4:]], rf"line {first + 3}: ' *-?0?.*' in channel 10: give a number")
    refused([lines[0] + " 0.5", *lines[1:]], rf"line {first}: 84 characters, at most 80 are allowed")
    refused(lines[:-1], r"has 7 lines of data, no multiple of 2 for 10 channels: it is truncated")
    refused(lines[:-2], r"has 3 rows, u needs 4: it is truncated")
    path.write_text(header + "\n\n".join(lines) + "\n \n\x1a")
    assert len(read_crg(path).u) == 4


def test_binary_files_that_a_text_program_changed_are_refused(tmp_path: Path) -> None:
    file = straight(40, 4)
    bytes_with_ends = np.frombuffer(b"\x3b\x0d\x0a\x00" * 4, ">f4").astype(float)  # heights of 0.00215 m
    file.channels[2][1][10:14] = bytes_with_ends
    for form in ("KRBI", "KDBI"):
        path = file.write(tmp_path / "road.crg", form)
        header, data = file.header(form).encode(), file.data(form)
        changes = {"unix": header + data.replace(b"\r\n", b"\n")}
        if form == "KRBI":
            changes["windows"] = (header + data).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        changes["text"] = header + data.decode("ascii", "replace").encode("utf-8")
        for name, raw in changes.items():
            if raw == header + data:
                continue
            path.write_bytes(raw)
            with pytest.raises(ModelError, match=r"byte \d+: .*line ends were changed: store \.crg as binary"):
                read_crg(path)
            assert name
        path.write_bytes(header + data[: len(data) // 2])
        with pytest.raises(ModelError, match=r"has \d+ rows, u needs 40: it is truncated"):
            read_crg(path)
        path.write_bytes(header + data + b"\r\n")
        assert len(read_crg(path).u) == 40
        path.write_bytes(header + data[: 40 * 5 * (4 if form == "KRBI" else 8)])  # without padding
        assert len(read_crg(path).u) == 40


def test_files_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.crg", tmp_path, "a\0b"):
        with pytest.raises(ModelError, match=r"road file .* can't be read"):
            read_crg(path)
    with pytest.raises(ModelError, match=r"road file 3\.5 can't be read"):
        read_crg(3.5)  # type: ignore[arg-type]
    (tmp_path / "empty.crg").write_bytes(b"")
    with pytest.raises(ModelError, match="is not an OpenCRG file"):
        read_crg(tmp_path / "empty.crg")
