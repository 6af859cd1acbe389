"""OpenCRG files: what the reader returns for random roads in all forms, by closed forms and by another reader."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from mbs_fmu.infrastructure.errors import ModelError
from mbs_fmu.model.roads.crg.reading import CrgRoad, read_crg
from support.generators.crg_files import FORMS, CrgFile, RandomRoad, random_road

pytestmark = pytest.mark.quick

SCALES = ("SCALE_Z_GRID", "SCALE_SLOPE", "SCALE_BANKING", "SCALE_LENGTH", "SCALE_WIDTH", "SCALE_CURVATURE")


def expected(road: RandomRoad, form: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return x, y and heights with slope and banking, m; holes are NaN."""
    table, key = road.file.values(form), road.file.road
    step, rows = key["REFERENCE_LINE_INCREMENT"], len(table)

    def channel(name: str, short: str) -> np.ndarray:
        return table[:, road.line[name]] if name in road.line else np.full(rows, key[f"REFERENCE_LINE_START_{short}"])

    phi, slope, banking = channel("phi", "PHI"), channel("slope", "S"), channel("banking", "B")
    x, y, z = ([key[f"REFERENCE_LINE_START_{name}"]] for name in "XYZ")
    for k in range(1, rows):
        x.append(x[-1] + step * np.cos(phi[k]))
        y.append(y[-1] + step * np.sin(phi[k]))
        z.append(z[-1] + step * slope[k])
    return np.array(x), np.array(y), table[:, road.first :] + np.array(z)[:, None] + np.outer(banking, road.v)


def straight(rows: int = 6, **channels: np.ndarray) -> CrgFile:
    """Return a file of a straight road of three long sections, with further channels."""
    heights = 0.01 * np.arange(3.0 * rows).reshape(rows, 3)
    units = {"phi": "rad", "slope": "m/m", "banking": "m/m"}
    found = [(f"reference line {name},{units.get(name, 'm')}", values) for name, values in channels.items()]
    found += [(f"long section {k + 1},m", heights[:, k]) for k in range(3)]
    road = {"REFERENCE_LINE_INCREMENT": 0.5, "LONG_SECTION_V_RIGHT": -1.0, "LONG_SECTION_V_LEFT": 1.0}
    return CrgFile(road, found)


def read(file: CrgFile, path: Path, form: str = "LDFI", **more: object) -> CrgRoad:
    return read_crg(file.write(path / "road.crg", form), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(8))
def test_roads_are_read_as_they_are_written(tmp_path: Path, form: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    road = random_road(rng)
    found = read_crg(road.file.write(tmp_path / "r.crg", form, "\r\n" if seed % 2 else "\n"))
    x, y, heights = expected(road, form)
    step, start = road.file.road["REFERENCE_LINE_INCREMENT"], road.file.road["REFERENCE_LINE_START_U"]
    assert found.form == form
    assert found.u == pytest.approx(start + step * np.arange(len(x)), rel=1e-15)
    assert found.v == pytest.approx(road.v, abs=1e-12)
    assert found.x == pytest.approx(x, abs=1e-12)
    assert found.y == pytest.approx(y, abs=1e-12)
    assert found.phi == pytest.approx(
        np.unwrap(np.arctan2(np.diff(y), np.diff(x))) if len(x) else x, abs=2 * np.pi + 1e-9
    )
    good = np.isfinite(heights)
    assert found.holes == (~good).sum()
    assert found.heights[good] == pytest.approx(heights[good], abs=1e-12)
    assert np.isfinite(found.heights).all()


@pytest.mark.parametrize("form", FORMS)
def test_another_reader_returns_the_same_road(tmp_path: Path, form: str) -> None:
    peer = pytest.importorskip("pyopencrg")
    for seed in range(6):
        path = random_road(np.random.default_rng(seed), holes=False).file.write(tmp_path / "r.crg", form)
        found, other = read_crg(path), peer.read(path)
        assert found.x == pytest.approx(other.x, abs=1e-12)
        assert found.y == pytest.approx(other.y, abs=1e-12)
        for k, j in np.random.default_rng(seed).integers(0, found.heights.shape, (20, 2)):
            assert found.heights[k, j] == pytest.approx(float(other.uv_to_z(found.u[k], found.v[j])), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_modifiers_act_as_in_another_reader(tmp_path: Path, seed: int) -> None:
    peer = pytest.importorskip("pyopencrg")
    rng = np.random.default_rng(seed)
    road = random_road(rng)
    chosen = {key: float(rng.uniform(0.5, 1.5)) for key in SCALES if rng.random() < 0.5}
    if rng.random() < 0.5:
        chosen |= {"GRID_NAN_MODE": int(rng.integers(1, 3)), "GRID_NAN_OFFSET": float(rng.uniform(-0.1, 0.1))}
    if seed % 3 == 0:
        chosen |= {f"REFLINE_OFFSET_{axis}": float(rng.uniform(-2, 2)) for axis in ("X", "Y", "Z", "PHI")}
        chosen |= {"REFLINE_ROTCENTER_X": 3.0, "REFLINE_ROTCENTER_Y": -1.0} if seed % 2 else {}
    elif seed % 3 == 1:
        chosen |= {f"REFPOINT_{axis}": float(rng.uniform(-2, 2)) for axis in ("X", "Y", "Z", "PHI")}
        chosen |= {"REFPOINT_U_FRACTION": 0.37, "REFPOINT_U_OFFSET": 0.3, "REFPOINT_V_FRACTION": 0.4}
    road.file.modifiers = chosen
    path = road.file.write(tmp_path / "r.crg", "KDBI")
    found, other = read_crg(path), peer.read(path, apply_mods=True)
    if "GRID_NAN_MODE" not in chosen:
        other = other.fill_nan(2)
    for name in ("u", "v", "x", "y"):
        assert getattr(found, name) == pytest.approx(getattr(other, name), abs=1e-11), name
    assert found.heights == pytest.approx(other.surface_z(), abs=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_a_band_is_a_part_of_the_whole_road(tmp_path: Path, form: str) -> None:
    road = random_road(np.random.default_rng(3), rows=60)
    road.file.options = {"BORDER_SMOOTH_UBEG": 2.0, "BORDER_SMOOTH_UEND": 3.0}
    road.file.modifiers = {"SCALE_LENGTH": 1.5, "REFPOINT_X": 1.0, "REFPOINT_U_FRACTION": 0.5}
    path = road.file.write(tmp_path / "r.crg", form)
    whole = read_crg(path)
    part = read_crg(path, band=(whole.u[7] + 0.2 * (whole.u[1] - whole.u[0]), whole.u[30]))
    for name in ("u", "x", "y", "heights"):
        assert (getattr(part, name) == getattr(whole, name)[7:31]).all(), name
    assert (part.phi == whole.phi[7:30]).all()
    assert read_crg(path, band=(whole.u[0], whole.u[-1])).heights.shape == whole.heights.shape


@pytest.mark.parametrize("band", [(3.0, 1.0), (-5.0, 1.0), (1.0, 90.0), (1.0, float("nan")), 4, "ab", (1.0,)])
def test_bands_beside_the_road_are_refused(tmp_path: Path, band: object) -> None:
    with pytest.raises(ModelError, match=r"band= is .*between 0 and 2.5 m"):
        read(straight(), tmp_path, band=band)


def test_a_band_needs_the_memory_of_its_rows(tmp_path: Path) -> None:
    file = straight()
    file.channels += [(f"long section {k + 1},m", file.channels[0][1]) for k in range(3, 500)]
    file.road = {"REFERENCE_LINE_INCREMENT": 0.01, "REFERENCE_LINE_END_U": 1000.0, "LONG_SECTION_V_INCREMENT": 0.01}
    path, rows = file.write(tmp_path / "r.crg", "KRBI"), 100001
    with open(path, "r+b") as raw:
        raw.truncate(len(file.header("KRBI")) + rows * 500 * 4)  # a file with gaps, whose numbers are 0
    with pytest.raises(ModelError, match=r"has 100001 x 500 heights, more than 2e\+07: read a part by band=\(u0, u1\)"):
        read_crg(path)
    tracemalloc.start()
    part = read_crg(path, band=(500.0, 501.0))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert part.heights.shape == (101, 500) and peak < 20e6


def test_the_gap_to_a_stated_end_is_spread_over_the_line(tmp_path: Path) -> None:
    file = straight(phi=np.zeros(6), slope=np.zeros(6))
    ends = {"REFERENCE_LINE_START_X": 0.0, "REFERENCE_LINE_START_Y": 0.0, "REFERENCE_LINE_END_Y": 0.01}
    file.road |= {**ends, "REFERENCE_LINE_END_X": 2.5, "REFERENCE_LINE_END_Z": 0.005}
    found = read(file, tmp_path)
    assert found.y == pytest.approx(np.linspace(0.0, 0.01, 6), abs=1e-15)
    assert found.heights[:, 0] == pytest.approx(0.03 * np.arange(6) + np.linspace(0.0, 0.005, 6), abs=1e-12)
    assert [note.split(" beside")[0] for note in found.notes] == [
        "the integrated reference line ends 0.01 m",
        "the integrated reference line ends 0.005 m",
    ]
    file.options = {"CHECK_TOL": 0.02}
    assert read(file, tmp_path).notes == []
    file.road["REFERENCE_LINE_END_Y"] = 0.1
    with pytest.raises(ModelError, match=r"line \d+: .* ends 0.1 m beside the end that REFERENCE_LINE_END_X states"):
        read(file, tmp_path)


def test_channels_x_and_y_give_the_line_without_phi(tmp_path: Path) -> None:
    angles = 0.1 * np.arange(6)
    file = straight(x=5.0 * np.sin(angles), y=5.0 - 5.0 * np.cos(angles))
    found = read(file, tmp_path)
    assert found.x == pytest.approx(5.0 * np.sin(angles), abs=1e-12)
    assert found.phi == pytest.approx(0.05 + angles[:-1], abs=1e-9)
    file.channels.insert(0, ("reference line phi,rad", np.zeros(6)))
    found = read(file, tmp_path)
    assert found.x == pytest.approx(0.5 * np.arange(6), abs=1e-12)
    assert found.notes == ["channels x and y of the reference line have no effect: phi gives the line"]


def test_holes_are_filled_as_the_modifiers_say(tmp_path: Path) -> None:
    file, nan = straight(2), np.nan
    rows = np.array([[nan, 0.2, nan, 0.6, nan], [0.1, 0.2, 0.3, nan, 0.5]])
    file.channels = [(f"long section {k + 1},m", rows[:, k]) for k in range(5)]
    file.road = {"REFERENCE_LINE_INCREMENT": 0.5, "LONG_SECTION_V_INCREMENT": 0.5}
    kept = np.array([[0.2, 0.2, 0.4, 0.6, 0.6], [0.1, 0.2, 0.3, 0.4, 0.5]])
    cases = [
        (None, kept, 0),
        ({}, kept, 1),
        ({"GRID_NAN_MODE": 0}, kept, 1),
        ({"GRID_NAN_MODE": 0, "GRID_NAN_OFFSET": 0.1}, kept, 2),
        ({"GRID_NAN_MODE": 1}, np.nan_to_num(rows), 0),
        ({"GRID_NAN_MODE": 1, "GRID_NAN_OFFSET": 0.1}, np.nan_to_num(rows, nan=0.1), 0),
        ({"GRID_NAN_OFFSET": 0.1}, kept + 0.1 * np.array([[1, 0, 0, 0, 1], [0, 0, 0, 0, 0]]), 0),
        ({"GRID_NAN_MODE": 2, "SCALE_Z_GRID": 2.0}, 2.0 * kept, 0),
    ]
    for modifiers, heights, notes in cases:
        file.modifiers = modifiers
        found = read(file, tmp_path)
        assert found.heights == pytest.approx(heights, abs=1e-12), modifiers
        assert (found.holes, len(found.notes)) == (4, notes), modifiers
    assert "4 holes, which the file keeps" in read(CrgFile(file.road, file.channels, modifiers={}), tmp_path).notes[0]
    file.channels = [(name, np.array([nan, 0.1])) for name, _ in file.channels]
    file.modifiers = None
    with pytest.raises(ModelError, match=r"line \d+: the row at u = 0 m has no height: .* GRID_NAN_MODE = 1"):
        read(file, tmp_path)


def test_smoothing_zones_lead_from_and_to_the_reference_line(tmp_path: Path) -> None:
    peer = pytest.importorskip("pyopencrg")
    file = straight(slope=0.1 * np.ones(6), banking=0.05 * np.ones(6))
    file.options = {"BORDER_SMOOTH_UBEG": 1.2, "BORDER_SMOOTH_UEND": 0.7}
    found = read(file, tmp_path, "KDBI")
    other = peer.read(tmp_path / "road.crg")
    for k, u in enumerate(found.u):
        for j, v in enumerate(found.v):
            assert found.heights[k, j] == pytest.approx(float(other.uv_to_z(u, v)), abs=1e-12)
    assert found.heights[0] == pytest.approx(np.zeros(3), abs=1e-15)
    assert found.notes == []


def test_options_without_effect_are_noted(tmp_path: Path) -> None:
    file = straight()
    file.options = {"BORDER_MODE_U": 3, "BORDER_MODE_V": 0, "BORDER_OFFSET_V": 0.1, "REFLINE_CONTINUATION": 1}
    file.options |= {"WARN_MSGS": 3, "LOG_EVAL": 1, "SPEED": 1.0}
    file.modifiers = {"REFPOINT_X": 1.0, "REFLINE_OFFSET_X": 2.0}
    assert read(file, tmp_path).notes == [
        "SPEED of section $ROAD_CRG_OPTS is unknown and has no effect",
        "BORDER_MODE_U = 3 (repeat) has no effect: beyond its ends a road keeps its height",
        "BORDER_MODE_V = 0 (none) has no effect: beyond its sides a road keeps its height",
        "BORDER_OFFSET_V has no effect: beyond its sides a road keeps its height",
        "REFLINE_CONTINUATION = 1 (closed track) has no effect: the road ends at its last row",
        "WARN_MSGS, LOG_EVAL: options of other programs without effect",
        "REFLINE_OFFSET_* have no effect beside REFPOINT_*",
    ]


def test_values_that_headers_lack_are_those_of_the_standard(tmp_path: Path) -> None:
    file = straight()
    file.road = {}
    found = read(file, tmp_path)
    assert found.u == pytest.approx(0.5 * np.arange(6), abs=1e-15)  # of the virtual channel u
    assert found.v == pytest.approx([-0.01, 0.0, 0.01], abs=1e-15)
    text = (tmp_path / "road.crg").read_text().replace("U:reference line u", "U:reference line w")
    (tmp_path / "road.crg").write_text(text)
    found = read_crg(tmp_path / "road.crg")
    assert found.u == pytest.approx(0.01 * np.arange(6), abs=1e-15)
    assert [note.split(":")[0] for note in found.notes] == [
        "the file has no REFERENCE_LINE_INCREMENT",
        "the file has no LONG_SECTION_V_INCREMENT",
    ]
    file.road = {"REFERENCE_LINE_START_U": 2.0, "REFERENCE_LINE_END_U": 4.0, "LONG_SECTION_V_RIGHT": -2.0}
    file.road |= {"LONG_SECTION_V_INCREMENT": 0.25}
    text = file.write(tmp_path / "road.crg", "LRFI").read_text().replace("U:reference line u", "U:reference line w")
    (tmp_path / "road.crg").write_text(text)
    found = read_crg(tmp_path / "road.crg")
    assert found.u == pytest.approx(2.0 + 0.4 * np.arange(6), abs=1e-14)
    assert found.v == pytest.approx([-2.0, -1.75, -1.5], abs=1e-15)


def test_headers_as_people_write_them(tmp_path: Path) -> None:
    file = straight()
    path = file.write(tmp_path / "road.crg", "LRFI")
    plain = read_crg(path)
    text = (
        path.read_text()
        .replace("$KD_Definition", "* comment = 1\n  * another\n$kd_definition  ! data")
        .replace("D:", "d: ")
    )
    text = text.replace("INCREMENT = 5.0000000000000000e-01", "increment=0.5D0").replace(
        "$CT\n", "$CT\nLENGTH = unknown!\n"
    )
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("long section 2,m", "Long  Section 2 , m").encode())
    found = read_crg(path)
    assert (found.heights == plain.heights).all() and (found.u == plain.u).all() and found.notes == []


def test_files_in_the_same_folder_are_followed(tmp_path: Path) -> None:
    file = straight()
    file.options, file.modifiers = {"BORDER_MODE_U": 3}, {"SCALE_Z_GRID": 3.0}
    plain = straight()
    plain.write(tmp_path / "plain.crg", "KRBI")
    file.write(tmp_path / "data.crg", "KRBI")
    one = tmp_path / "one.crg"
    one.write_text("$CT\n$\n$ROAD_CRG_FILE ! reference\n* comment\n  da   ! first part\nta.crg\n$\n")
    assert (read_crg(one).heights == read_crg(tmp_path / "data.crg").heights).all()
    one.write_text(one.read_text() + "$ROAD_CRG_MODS\nSCALE_Z_GRID = 2\n$\n$ROAD_CRG_OPTS\n$\n")
    found = read_crg(one)
    assert found.heights == pytest.approx(2.0 * read_crg(tmp_path / "plain.crg").heights, abs=1e-15)
    assert found.path == str(tmp_path / "data.crg") and found.notes == []
    with pytest.raises(ModelError, match=r"refers to .da ta\.crg.: read that file, or give follow=True"):
        read_crg(one, follow=False)
    (tmp_path / "control.crg").write_text("$ROAD_CRG_MODS\nSCALE_Z_GRID = 4\n$\n")
    one.write_text("$ROAD_CRG_FILE\ncontrol.crg\nplain.crg\n$\n")
    assert read_crg(one).heights == pytest.approx(2.0 * found.heights, abs=1e-15)
    with pytest.raises(ModelError, match=r"control\.crg is not an OpenCRG file"):
        read_crg(tmp_path / "control.crg")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../outside.crg", "outside its folder: put both files into one folder"),
        ("/etc/passwd", "outside its folder"),
        ("$HOME/road.crg", "contains an environment variable"),
        ("other.crg", "which is no file beside road.crg"),
        ("road.crg", "more than 4 files refer to each other"),
        ("a\0b", "can't be read|which is no file"),
    ],
)
def test_files_elsewhere_are_refused(tmp_path: Path, name: str, message: str) -> None:
    folder = tmp_path / "roads"
    folder.mkdir()
    straight().write(tmp_path / "outside.crg", "LRFI")
    (folder / "road.crg").write_text(f"$CT\n$\n$ROAD_CRG_FILE\n{name}\n$\n")
    with pytest.raises(ModelError, match=message) as caught:
        read_crg(folder / "road.crg")
    assert "road.crg, line 4" in str(caught.value)
