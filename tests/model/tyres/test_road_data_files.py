"""Road data files: types, units, tracks; splines that follow polygons; damaged files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import mbs_fmu as mbs
from mbs_fmu.model.roads.polygons import DEVIATION, refined, separated

pytestmark = pytest.mark.quick

HEADER = """$---------------------------------------------------------------------MDI_HEADER
[MDI_HEADER]
FILE_TYPE = 'rdf'
FILE_VERSION = 5.00
FILE_FORMAT = 'ASCII'
(COMMENTS)
{comment_string}
'A bump = of a test'
$--------------------------------------------------------------------------UNITS
[UNITS]
 LENGTH = '%s'
 FORCE = 'newton'
 ANGLE = 'degrees'
 MASS = 'kg'
 TIME = 'sec'
[MODEL]
 METHOD = '2D'
 ROAD_TYPE = '%s'
[PARAMETERS]
 MU = 0.8   $ peak friction scaling coefficient
 OFFSET = 0 $ vertical offset of the ground
"""
STEPS = "(XZ_DATA)\n{ x left right }\n 0 0 0\n 900 0 0\n 1000 100 50\n 1000 40 20\n 1040 40 20\n 1240 0 0\n"
SWEEP = """START = 1000
END = 9000
AMPLITUDE_AT_START = 20
AMPLITUDE_AT_END = 10
WAVE_LENGTH_AT_START = 2000
WAVE_LENGTH_AT_END = 500
SWEEP_TYPE = """
OBSTACLES = {  # parameters in mm, and places, m, with heights there, m
    "plank": ("HEIGHT = 20\nSTART = 5000\nLENGTH = 100\nBEVEL_EDGE_LENGTH = 8\nDIRECTION = 0", {
        4.9: 0.0, 5.0: 0.0, 5.0005: 0.0065, 5.001: 0.013, 5.004: 0.016, 5.008: 0.020, 5.05: 0.020, 5.096: 0.016,
        5.1: 0.0, 9.0: 0.0,
    }),
    "Cleat": ("HEIGHT = 20\nSTART = 5000\nLENGTH = 100", {5.0005: 0.010, 5.001: 0.020, 5.099: 0.020, 5.1: 0.0}),
    "POT_HOLE": ("DEPTH = 50\nSTART = 1000\nLENGTH = 200", {1.0: 0.0, 1.0005: -0.025, 1.001: -0.05, 1.1995: -0.025}),
    "ramp": ("HEIGHT = -100\nSTART = 1000\nSLOPE = 0.25", {1.0: 0.0, 1.2: -0.05, 1.4: -0.1, 50.0: -0.1}),
    "roof": ("HEIGHT = 60\nSTART = -400\nLENGTH = 300", {-0.4: 0.0, -0.325: 0.03, -0.25: 0.06, -0.1: 0.0}),
    "sine": ("AMPLITUDE = 30\nWAVE_LENGTH = 2000\nSTART = 1000\nLENGTH = 5000", {
        0.5: 0.0, 1.5: 0.03, 2.2: 0.03 * math.sin(1.2 * math.pi), 5.5: 0.03, 6.0: 0.0, 7.0: 0.0,
    }),
    "flat": ("", {-3.0: 0.0, 4.0: 0.0}),
}  # fmt: skip


def written(path: Path, kind: str, parameters: str, unit: str = "mm") -> Path:
    """Write a file and return its path."""
    path.write_text(HEADER % (unit, kind) + parameters + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", OBSTACLES)
def test_obstacles_have_the_heights_of_their_parameters(tmp_path: Path, kind: str) -> None:
    """At all places, in any unit of length, and raised by OFFSET."""
    parameters, places = OBSTACLES[kind]
    road = mbs.Profile.from_rdf(written(tmp_path / "a.rdf", kind, parameters), side="right")
    for x, height in places.items():
        assert road.height(x) == pytest.approx(height, abs=DEVIATION), x
    assert road.mu == 0.8 and road.notes == []
    assert road.height(road.points[-1] + 1e3) == pytest.approx(road.heights[-1], abs=1e-6)
    text = (tmp_path / "a.rdf").read_text().replace("'mm'", "'inch'").replace("OFFSET = 0", "OFFSET = 2")
    (tmp_path / "a.rdf").write_text(text, encoding="utf-8")
    inches = mbs.Profile.from_rdf(tmp_path / "a.rdf")
    for x in np.linspace(0.01, 0.99, 9) * 100.0:
        want = 0.0508 + 25.4 * road.height(x / 25.4)
        assert inches.height(x) == pytest.approx(want, abs=30 * DEVIATION), x


def test_tracks_of_a_poly_line(tmp_path: Path) -> None:
    """Each side has its column; a vertical face is 1 mm wide; a file without MU has the factor 1."""
    path = written(tmp_path / "p.rdf", "poly_line", STEPS)
    left, right = mbs.Profile.from_rdf(path), mbs.Profile.from_rdf(path, side="right")
    for x, height in ((0.5, 0.0), (0.95, 0.05), (1.0, 0.1), (1.0005, 0.07), (1.001, 0.04), (1.14, 0.02), (1.24, 0.0)):
        assert left.height(x) == pytest.approx(height, abs=DEVIATION), x
        assert right.height(x) == pytest.approx(0.5 * height, abs=DEVIATION), x
    path.write_text(path.read_text().replace(" MU = 0.8 ", "").replace(" OFFSET = 0 ", ""), encoding="utf-8")
    assert mbs.Profile.from_rdf(path).mu == 1.0 and mbs.Profile([0, 1], [0, 0]).mu is None


def test_straight_ends_are_shortened(tmp_path: Path) -> None:
    """Files begin and end with kilometres of straight road, as profiles do beyond their ends."""
    rows = "(XZ_DATA)\n-10000 0 50\n0 0 0\n5 0.1 0\n9 0.1 0\n10000 0.1 -99.91\n"
    path = written(tmp_path / "e.rdf", "poly_line", rows, unit="m")
    for side, heights in (("left", (0.0, 0.1)), ("right", (40.0, -19.91))):
        road = mbs.Profile.from_rdf(path, side)
        assert (road.points[0], road.points[-1]) == (-10.0, 19.0)
        assert road.height(-8000.0) == pytest.approx(heights[0], abs=1e-6)
        assert road.height(2000.0) == pytest.approx(heights[1], abs=1e-6)


def test_rounded_edges_are_quarters_of_circles(tmp_path: Path) -> None:
    """By EDGE_ROUNDED or a negative length of the bevel; the radius is that length."""
    parameters = "HEIGHT = 20\nSTART = 0\nLENGTH = 100\nBEVEL_EDGE_LENGTH = "
    for text in (parameters + "-10", parameters + "10\nEDGE_ROUNDED = 1"):
        road = mbs.Profile.from_rdf(written(tmp_path / "r.rdf", "plank", text))
        for x in (0.002, 0.004, 0.007, 0.01):
            height = 0.01 + math.sqrt(0.01**2 - (0.01 - x) ** 2)
            assert road.height(x) == pytest.approx(height, abs=2 * DEVIATION)
            assert road.height(0.1 - x) == pytest.approx(height, abs=2 * DEVIATION)


def test_a_sine_without_length_has_1000_waves(tmp_path: Path) -> None:
    """The format has endless ones; a profile has an end."""
    road = mbs.Profile.from_rdf(written(tmp_path / "s.rdf", "sine", "AMPLITUDE=10\nWAVE_LENGTH=1000\nSTART=0"))
    assert road.height(999.75) == pytest.approx(-0.01, rel=1e-5) and road.height(1000.5) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("kind", [0, 1])
def test_sweeps_have_linear_frequencies_or_wave_lengths(tmp_path: Path, kind: int) -> None:
    """The phase is the integral of the frequency along the road; the amplitude changes linearly."""
    road = mbs.Profile.from_rdf(written(tmp_path / "w.rdf", "sine_sweep", f"{SWEEP}{kind}"))
    s = np.linspace(0.0, 8.0, 80001)
    wave = 2.0 + (0.5 - 2.0) * s / 8.0
    frequency = 1.0 / wave if kind else 0.5 + (2.0 - 0.5) * s / 8.0
    phase = 2.0 * math.pi * np.append(0.0, np.cumsum(0.5 * (frequency[1:] + frequency[:-1]) * np.diff(s)))
    exact = (0.02 - 0.01 * s / 8.0) * np.sin(phase)
    for k in range(100, 80001, 1307):
        assert road.height(1.0 + s[k]) == pytest.approx(exact[k], abs=DEVIATION), s[k]
    assert road.height(0.9) == pytest.approx(0.0, abs=1e-6) and road.height(9.1) == pytest.approx(0.0, abs=DEVIATION)


def test_what_has_no_effect_is_noted(tmp_path: Path) -> None:
    """Among it the direction of the road, which at= gives here, and friction on the obstacle."""
    text = "HEIGHT=20\nSTART=5000\nLENGTH=100\nROTATION_ANGLE_XY_PLANE = 180\nMU_FACTOR_CLEAT = 0.5"
    road = mbs.Profile.from_rdf(written(tmp_path / "n.rdf", "plank", text), at=(0, 2, 0))
    assert road.notes == [
        "MU_FACTOR_CLEAT has no effect",
        "ROTATION_ANGLE_XY_PLANE, 180 degrees, has no effect: at= places the road",
    ]
    assert road.at == (0, 2, 0) and road.height(5.05) == pytest.approx(0.02, abs=DEVIATION)


@pytest.mark.parametrize("seed", range(8))
def test_splines_follow_random_polygons(seed: int) -> None:
    """With steps of 1 mm beside kilometres, no height deviates by more than 0.05 mm, and the ends have their slopes."""
    rng = np.random.default_rng(seed)
    for trial in range(12):
        count = int(rng.integers(3, 30))
        gaps = 10.0 ** rng.uniform(-3.0, (-1.0, 0.0, 1.0, 4.0)[trial % 4], count - 1)
        gaps[rng.random(count - 1) < 0.2] = 1e-3
        x = np.append(0.0, np.cumsum(gaps))
        heights = 10.0 ** rng.uniform(-3.0, -0.5) * rng.normal(size=count) * (rng.random(count) < 0.7)
        xs, zs = refined(x, heights, np.ones(count, bool))
        spline = CubicSpline(xs, zs, bc_type="natural")
        places = np.concatenate([xs[:-1] + t * np.diff(xs) for t in np.linspace(0.0, 1.0, 20)])
        assert np.abs(spline(places) - np.interp(places, x, heights)).max() < DEVIATION
        assert set(x) <= set(xs)
        ends = (heights[1] - heights[0]) / (x[1] - x[0]), (heights[-1] - heights[-2]) / (x[-1] - x[-2])
        bends = np.abs(np.diff(np.diff(heights) / np.diff(x))).max()
        assert np.abs(spline(x[[0, -1]], 1) - ends).max() <= 1e-3 * bends


def test_smooth_polygons_need_no_further_points() -> None:
    """A measured road of small bends keeps its points, with more at its ends; vertical faces get a width."""
    x = np.linspace(0.0, 50.0, 501)
    heights = 0.002 * np.sin(x)
    points = refined(x, heights, np.ones(501, bool))[0]
    assert np.sum((points > 0.5) & (points < 49.5)) == np.sum((x > 0.5) & (x < 49.5)) and len(points) < 540
    np.testing.assert_allclose(separated(np.array([0.0, 1.0, 1.0, 1.001, 2.0, 2.0])), [0, 1, 1.0005, 1.001, 2, 2.001])


@pytest.mark.parametrize(
    ("kind", "parameters", "words"),
    [
        ("stochastic_uneven", "", "ROAD_TYPE is 'stochastic_uneven': the types that are read are flat, poly_line, "
                                  "plank, pot_hole, ramp, roof, sine, sine_sweep, and mbs.Profile.rough gives"),
        ("drum", "", "line 18: ROAD_TYPE is 'drum'"),
        ("plank", "HEIGHT=20\nSTART=5", r"wrong\.rdf has no LENGTH, which a road of ROAD_TYPE 'plank' needs: add it"),
        ("plank", "HEIGHT=20\nSTART=5\nLENGTH=-1", "line 24: LENGTH is -0.001 in SI units: give a positive length"),
        ("plank", "HEIGHT=20\nSTART=5\nLENGTH=9\nDIRECTION=45", "DIRECTION is 0.785398.*along its x axis only"),
        ("plank", "HEIGHT=20\nSTART=5\nLENGTH=9\nBEVEL_EDGE_LENGTH=8", "BEVEL_EDGE_LENGTH is 0.008.*into LENGTH twice"),
        ("plank", "HEIGHT='high'\nSTART=5\nLENGTH=9", "line 22: HEIGHT is 'high': give a number"),
        ("roof", "HEIGHT=1e30\nSTART=5\nLENGTH=9", r"HEIGHT is 1e\+27 in SI units: give a number up to 1e\+07"),
        ("ramp", "HEIGHT=20\nSTART=5\nSLOPE=0", "line 24: SLOPE is 0 in SI units: give the slope, 1 for 45 degrees"),
        ("ramp", "HEIGHT=20\nSTART=5\nSLOPE=-1", "line 24: SLOPE is -1 in SI units.*with the sign of HEIGHT"),
        ("ramp", "HEIGHT=0\nSTART=5\nSLOPE=1", "line 22: HEIGHT is 0 in SI units: give the height of the ramp"),
        ("sine", "AMPLITUDE=1\nSTART=5\nWAVE_LENGTH=1\nLENGTH=1e9", r"LENGTH is 1e\+06.*1e\+09 waves, give at most 62"),
        ("sine_sweep", SWEEP.replace("9000", "1000"), "line 23: END is 1 in SI units: give a place behind START, 1 m"),
        ("sine_sweep", SWEEP.replace("= 500", "= 5e4"), "WAVE_LENGTH_AT_END is 50 in SI units: the waves must become"),
        ("sine_sweep", SWEEP.replace("= 500", "= 0.002"), "WAVE_LENGTH_AT_END is 2e-06.*more than 62500 waves"),
        ("sine_sweep", SWEEP + "2", "SWEEP_TYPE is 2 in SI units: give 0 for a linear frequency, or 1"),
        ("poly_line", "", r"\(XZ_DATA\) has 0 rows: give two or more, x, left and right height"),
        ("poly_line", "(XZ_DATA)\n0 0 0\n2 1 1\n1 0 0\n", r"x of row 3 of \(XZ_DATA\) is 1 after 2: x must increase"),
        ("poly_line", "(XZ_DATA)\n0 0 0\n1 1 1\n1 2 2\n1 3 3\n", r"x of row 4 of \(XZ_DATA\) is 1 after 1"),
        ("poly_line", "(XZ_DATA)\n0 0 0\n0 0 0\n", r"x of row 2 of \(XZ_DATA\) is 0 after 0"),
        ("poly_line", "(XZ_DATA)\n0 0\n", r"line 23: '0 0' in \[XZ_DATA\]: give three numbers, x, height of the left"),
        ("poly_line", "(XZ_DATA)\n0 0 0\n1e20 0 0\n", r"a number of \(XZ_DATA\) exceeds 1e\+07 m"),
        ("flat", "MU = -1", "MU is -1.0 here and 0.8 in line 20: keep one"),
        ("plank", "(XZ_DATA", r"line 22: sub-block '\(XZ_DATA' does not end: write \(NAME\)"),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_with_their_line(tmp_path: Path, kind: str, parameters: str, words: str) -> None:
    """The message names the file, the key, its value and the remedy."""
    path = written(tmp_path / "wrong.rdf", kind, parameters)
    with pytest.raises(mbs.ModelError, match=words) as caught:
        mbs.Profile.from_rdf(path)
    assert "wrong.rdf" in str(caught.value)


def test_other_files_and_sides_are_refused(tmp_path: Path) -> None:
    """Files of other kinds have no ROAD_TYPE; the side is left or right."""
    path = tmp_path / "a.rdf"
    path.write_text("[MODEL]\nMETHOD = '3D'\n[NODES]\nNUMBER_OF_NODES = 4\n1 0 0 0\n", encoding="utf-8")
    with pytest.raises(mbs.ModelError, match=r"a\.rdf has no ROAD_TYPE, as three-dimensional roads have none"):
        mbs.Profile.from_rdf(path)
    path.write_text("hello\n", encoding="utf-8")
    with pytest.raises(mbs.ModelError, match="is not a road property file"):
        mbs.Profile.from_rdf(path)
    with pytest.raises(mbs.ModelError, match=r"road file 'gone\.rdf' can't be read"):
        mbs.Profile.from_rdf("gone.rdf")
    with pytest.raises(mbs.ModelError, match="side of a road data file is 'middle': give 'left' or 'right'"):
        mbs.Profile.from_rdf(written(path, "flat", ""), side="middle")
    path.write_text("[MODEL]\nROAD_TYPE = 'flat'\n[PARAMETERS]\nMU = -1\n", encoding="utf-8")
    with pytest.raises(mbs.ModelError, match="line 4: MU is -1: give the factor of friction, 0 or more"):
        mbs.Profile.from_rdf(path)


@pytest.mark.parametrize("kind", ["poly_line", "sine_sweep", *OBSTACLES])
def test_damaged_files_are_read_or_refused_by_one_error(tmp_path: Path, kind: str) -> None:
    """Forty files with changed, missing or further bytes."""
    more = {"poly_line": STEPS, "sine_sweep": f"{SWEEP}1"}.get(kind) or OBSTACLES[kind][0]
    good = (HEADER % ("mm", kind) + more).encode()
    rng = np.random.default_rng(sum(map(ord, kind)))
    path = tmp_path / "damaged.rdf"
    refused = 0
    for _ in range(40):
        data = bytearray(good)
        for _ in range(int(rng.integers(1, 6))):
            at = int(rng.integers(len(good) // 2, len(data)))
            if (way := rng.integers(4)) == 0:
                data[at] = int(rng.integers(256))
            elif way == 1:
                del data[at : at + int(rng.integers(1, 30))]
            elif way == 2:
                data[at:at] = rng.choice([b"9", b"-", b"e9", b"\n", b"=", b"(", b"[", b"nan", b"0", b" 7 "])
            else:
                data = data[: max(at, len(good) // 2 + 1)]
            if len(data) <= len(good) // 2 + 1:
                break
        path.write_bytes(bytes(data))
        try:
            road = mbs.Profile.from_rdf(path)
        except mbs.ModelError as error:
            assert "damaged.rdf" in str(error)
            refused += 1
        else:
            assert np.isfinite(road.heights).all() and len(road.points) <= 2_000_000
    assert refused > 0


def test_three_dimensional_roads_are_refused(tmp_path: Path) -> None:
    """By the method that the file states."""
    path = written(tmp_path / "a.rdf", "plank", OBSTACLES["plank"][0])
    path.write_text(path.read_text().replace("'2D'", "'3D'"), encoding="utf-8")
    with pytest.raises(mbs.ModelError, match=r"a\.rdf, line \d+: METHOD is '3D', of a three-dimensional road"):
        mbs.Profile.from_rdf(path)


def test_edges_that_are_cut_have_a_note(tmp_path: Path) -> None:
    """A bevel is at most as long as the obstacle is high."""
    parameters = "HEIGHT = 20\nSTART = 5000\nLENGTH = 100\nBEVEL_EDGE_LENGTH = 30"
    road = mbs.Profile.from_rdf(written(tmp_path / "a.rdf", "plank", parameters))
    assert road.notes == ["BEVEL_EDGE_LENGTH is 0.03 m, more than HEIGHT: edges of 0.02 m apply"]
    assert road.height(5.01) == pytest.approx(0.01, abs=DEVIATION)
