"""The check of robot files: no finding on robots of solids, each planted fault found by its name, mended files."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.importing.doctor.links import UNITS
from support.cases import some_quick
from support.comparisons import assert_close
from support.generators.solid_robots import BOXES, FAULTS, FORMATS, MENDED, WRONG_INERTIA, Fault, boxes, random_robot
from support.oracles.robot_peers import OWN, installed

pytestmark = pytest.mark.quick


def check(path: Path, **more: object) -> mbs.Report:
    if path.suffix == ".xml":
        pytest.importorskip("mujoco", reason="MuJoCo (pip install mujoco) is not installed")
    return mbs.check_robot(path, **more)


# -- laws ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", some_quick(range(12), 3, usual=4))
@pytest.mark.parametrize("suffix", FORMATS)
def test_robots_of_solids_have_no_finding(suffix: str, seed: int, tmp_path: Path) -> None:
    """Random links of homogeneous solids and meshes, of densities of plastics to light metals."""
    path = random_robot(np.random.default_rng(seed)).write(suffix, tmp_path)
    report = check(path)
    assert not report.findings, report
    assert report.links == 5 + (suffix == "urdf") and report.joints == 5


CASES = {f"{name} {suffix}": (fault, suffix) for name, fault in FAULTS.items() for suffix in fault.formats}


@pytest.mark.parametrize("case", some_quick(list(CASES), 12, usual=30))
def test_each_planted_fault_is_found_by_name_and_only_this_one(case: str, tmp_path: Path) -> None:
    """In random robots: one finding, of its level, kind and cause, with the line of its link or joint."""
    fault, suffix = CASES[case]
    for seed in range(3):
        rng = np.random.default_rng(100 + seed)
        robot = random_robot(rng)
        fault.plant(robot, rng)
        path = robot.write(suffix, tmp_path / str(seed))
        report = check(path)
        assert len(report) == 1, f"seed {seed}: {report}"
        assert_named(report.findings[0], fault, path)


def assert_named(finding: mbs.Finding, fault: Fault, path: Path) -> None:
    assert finding.level in (fault.level or ("error", "warning")) and finding.on == fault.on, finding
    assert finding.kind.startswith(fault.kind) and finding.cause.startswith(fault.cause), finding
    assert finding.value or finding.kind == "shape but no mass"
    assert finding.remedy or finding.level == "note"
    if "link2" in fault.on:
        name = fault.on.split("'")[1]
        assert finding.line is not None
        assert f'name="{name}"' in path.read_text().splitlines()[finding.line - 1]


@pytest.mark.parametrize("name", some_quick(MENDED, 1, usual=2))
@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_mended_files_have_the_inertia_of_the_shapes_and_are_else_unchanged(
    suffix: str, name: str, tmp_path: Path
) -> None:
    """The mended file has no errors; links other than the faulty one are equal byte for byte, and so is all of that
    link but its inertia, which is that of the homogeneous solids again, in nine digits."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        robot = random_robot(rng)
        sound = robot.write(suffix, tmp_path / f"{seed}")
        expected = tensor_of(sound)
        FAULTS[name].plant(robot, rng)
        faulty, target = robot.write(suffix, tmp_path / f"{seed}"), tmp_path / f"{seed}" / f"new.{suffix}"
        text = faulty.read_bytes()
        report = check(faulty, mend=target)
        assert (report.mended, report.unmended) == (("link2",), ())
        assert faulty.read_bytes() == text and target.read_bytes() != text
        assert without_inertia(target.read_bytes()) == without_inertia(text)
        assert not check(target).findings
        assert_close(tensor_of(target), expected, 2e-9 * np.trace(expected), f"mended inertia, seed {seed}", "xyz")


def tensor_of(path: Path) -> np.ndarray:
    read = mbs.from_urdf if path.suffix == ".urdf" else mbs.from_sdf
    return np.array([[x.value for x in row] for row in read(path).model.bodies["link2"].inertia])


def without_inertia(text: bytes) -> bytes:
    """A file without the inertia of link 2."""
    inertia = re.compile(rb"(<link name=.link2.>.*?)<inertia(?: [^>]*/>|>.*?</inertia>)", re.DOTALL)
    assert inertia.search(text)
    return inertia.sub(rb"\1", text, count=1)


DAMAGES = ("remove", "repeat", "rename", "empty", "negate")


@pytest.mark.parametrize("seed", some_quick(range(60), 15, usual=20))
@pytest.mark.parametrize("suffix", ["urdf", "sdf"])
def test_what_a_reader_refuses_is_an_error(suffix: str, seed: int, tmp_path: Path) -> None:
    """Files with random damages: the check reports errors if the reader refuses the file, and does not raise."""
    rng = np.random.default_rng(1000 + seed)
    path = random_robot(rng, 3).write(suffix, tmp_path)
    text = path.read_text()
    words = list(re.finditer(r"<[^<>]*>|(?<=\")[^\"<>]+(?=\")|(?<=>)[^<>\s][^<>]*(?=<)", text))
    for _ in range(int(rng.integers(1, 3))):
        word = words[rng.integers(len(words))]
        new = {
            "remove": "", "repeat": 2 * word[0], "rename": word[0].replace("link", "l"), "empty": '""',
            "negate": f"-{word[0]}",
        }[str(rng.choice(DAMAGES))]  # fmt: skip
        text = text.replace(word[0], new, int(rng.integers(1, 3)))
    path.write_text(text)
    report = check(path)
    read = mbs.from_urdf if suffix == "urdf" else mbs.from_sdf
    try:
        read(path)
    except mbs.ModelError as error:
        assert report.errors, f"{error}\n{report}"
        return
    assert not [finding for finding in report.errors if finding.kind != "radius of gyration beyond the shapes"], report


def test_a_name_that_is_there_twice(tmp_path: Path) -> None:
    """The second element is refused, at its line."""
    for suffix, outer in (("urdf", "</robot>"), ("sdf", "</model>"), ("xml", "</worldbody>")):
        path = random_robot(np.random.default_rng(3)).write(suffix, tmp_path)
        tag = "body" if suffix == "xml" else "link"
        path.write_text(path.read_text().replace(outer, f'<{tag} name="link2"/>\n{outer}'))
        (finding,) = check(path)
        assert (finding.level, finding.kind) == ("error", "refused") and "link2" in finding.value
        line = next(k for k, x in enumerate(path.read_text().splitlines(), start=1) if f'<{tag} name="link2"/>' in x)
        assert finding.line == line or suffix == "xml"


# -- bounds ------------------------------------------------------------------------------------------------
EDGE, FARTHEST, SIZE = 0.3, 0.15 * np.sqrt(3.0), 0.3 * np.sqrt(3.0)  #: of the cube of `boxes`


def cube(folder: Path, mass: float = 1.0, radius: float = 0.122, com: float = 0.0) -> mbs.Report:
    """The check of a cube with a radius of gyration (m) that its moments have in equal parts; com along x (m)."""
    moment = 2.0 / 3.0 * mass * radius**2
    text = re.sub(r"(i..)=.0.01.", rf'\1="{moment:.12g}"', BOXES)
    text = text.replace('<mass value="1"/>', f'<origin xyz="{com:.12g} 0 0"/><mass value="{mass:.12g}"/>')
    (folder / "cube.urdf").write_text(text)
    return check(folder / "cube.urdf")


BOUNDS = {
    "radius at the farthest point": ({"radius": 1.0005 * FARTHEST}, []),
    "radius beyond": ({"radius": 1.01 * FARTHEST}, [("warning", "radius of gyration beyond")]),
    "radius below three times": ({"radius": 2.99 * FARTHEST}, [("warning", "radius of gyration beyond")]),
    "radius above three times": ({"radius": 3.01 * FARTHEST}, [("error", "radius of gyration beyond")]),
    "radius above 2 %": ({"radius": 0.0201 * SIZE}, []),
    "radius below 2 %": ({"radius": 0.0199 * SIZE}, [("warning", "radius of gyration near zero")]),
    "com in the margin": ({"com": 0.15 + 0.0199 * SIZE}, []),
    "com beyond the margin": ({"com": 0.15 + 1e-4 + 0.0201 * SIZE}, [("warning", "centre of mass outside")]),
    "density below 25000": ({"mass": 24_900 * EDGE**3}, []),
    "density above 25000": ({"mass": 25_100 * EDGE**3}, [("warning", "density of the box")]),
    "density above 5": ({"mass": 5.1 * EDGE**3}, []),
    "density below 5": ({"mass": 4.9 * EDGE**3}, [("warning", "density too low")]),
}  # fmt: skip


@pytest.mark.parametrize("case", BOUNDS)
def test_bounds_of_findings(case: str, tmp_path: Path) -> None:
    """On a cube of known size, on either side of each bound; a unit does not explain what is a little beyond it."""
    numbers, expected = BOUNDS[case]
    report = cube(tmp_path, **numbers)
    assert [x.level for x in report] == [level for level, _ in expected], report
    for finding, (_, kind) in zip(report, expected, strict=True):
        assert finding.kind.startswith(kind) and finding.cause in ("", UNITS), report


def test_causes_need_numbers_of_their_unit(tmp_path: Path) -> None:
    """A centre of mass in mm is many times farther away than the shapes are large; a mass in g is at least 1; an
    inertia in kg mm2 has nearly that of the shapes: 1.65 times their radius, 0.15 m, is too much."""
    near, far = (cube(tmp_path, radius=factor * 0.15e3) for factor in (1.3, 1.65))
    assert [x.cause for x in near] == ["inertia in kg mm2"] and [x.cause for x in far] == [UNITS]
    near, far = cube(tmp_path, com=2.0 * SIZE), cube(tmp_path, com=20.0 * SIZE)
    assert [x.cause for x in near] == [""] and [x.cause for x in far] == ["centre of mass in mm"]
    edges = ('<box size="0.3 0.3 0.3"/>', '<box size="0.002 0.002 0.002"/>')
    concentrated = ("0.01", "6.7e-13")  # a thousandth of what a cube of 2 mm has at 1 g
    light = boxes(tmp_path, edges, ('mass value="1"', 'mass value="0.001"'), concentrated)
    assert sorted(x.cause for x in check(light)) == ["", UNITS]
    heavy = boxes(tmp_path, ('mass value="1"', 'mass value="900"'))
    assert [x.cause for x in check(heavy) if x.level == "warning"] == ["mass in g"]


def test_moments_in_moderately_other_ratios_are_no_exchange(tmp_path: Path) -> None:
    """Of a box, only ratios of more than ten to the moments of the shapes count; and the exchange has to fit them."""
    for edges, finds in (("0.1 0.1 0.2", False), ("0.05 0.05 0.4", True)):
        x, _, z = (float(word) for word in edges.split())
        along, across = (2 * x * x) / 12, (x * x + z * z) / 12
        moments = ('ixx="0.01"', f'ixx="{along}"'), ('iyy="0.01"', f'iyy="{across}"'), ('izz="0.01"', f'izz="{across}"')
        report = check(boxes(tmp_path, ('<box size="0.3 0.3 0.3"/>', f'<box size="{edges}"/>'), *moments))
        assert [finding.kind for finding in report] == ["inertia of exchanged axes"] * finds, report


def test_flat_shapes_say_nothing_on_the_density(tmp_path: Path) -> None:
    """A sheet for pictures has hardly a volume."""
    report = check(boxes(tmp_path, ('<box size="0.3 0.3 0.3"/>', '<box size="0.3 0.3 0.0001"/>')))
    assert not report.findings


def test_equal_parts_have_equal_inertias(tmp_path: Path) -> None:
    """Four links of equal shapes are no placeholders; without shapes they may be."""
    parts = re.search(r'<link name="a">.*?</link>', BOXES, re.DOTALL)
    joint = '<joint name="{0}" type="continuous"><parent link="base"/><child link="{0}"/></joint>'
    assert parts is not None
    links = [parts[0].replace('"a"', f'"a{k}"') + joint.format(f"a{k}") for k in range(3)]
    path = boxes(tmp_path, ("</robot>", "".join([*links, "</robot>"])))
    assert not check(path).findings
    path.write_text(re.sub("<visual>.*?</visual>", "", path.read_text()))
    assert [finding.kind for finding in check(path)] == ["equal inertias"]


def test_inertias_that_an_sdf_leaves_out(tmp_path: Path) -> None:
    """They are noted; they are compared with shapes only for links that can move."""
    shape = '<visual name="v"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></visual>'
    for static, levels in (("true", ["note"]), ("false", ["error", "note"])):
        path = tmp_path / "r.sdf"
        link = f'<link name="a">{shape}</link>'
        path.write_text(f'<sdf version="1.9"><model name="m"><static>{static}</static>{link}</model></sdf>')
        report = check(path)
        assert [finding.level for finding in report] == levels
        assert all("leaves the inertia out" in finding.cause for finding in report.errors)


def test_limits_of_followers_may_exclude_zero(tmp_path: Path) -> None:
    """A joint that mimics another starts where its leader is."""
    robot = random_robot(np.random.default_rng(5))
    robot.change(2, limits=(0.5, 1.0, 20.0, 3.0), mimic="link1_joint")
    assert not check(robot.write("urdf", tmp_path)).findings


# -- robots ------------------------------------------------------------------------------------------------
#: Findings on the project's own files, by file: level, kind, link or joint; the others have none.
FOUND = {
    "arm.urdf": [
        ("warning", "mesh not found", "link 'fore arm'"), ("note", "left out", ""),
        ("note", "effort limit is zero", "joint 'wrist'"), ("note", "velocity limit is zero", "joint 'wrist'"),
    ],
    "massless.urdf": [("error", "joint moves no inertia", f"joint '{name}'") for name in ("finger", "spin")],
    "names.urdf": [("note", "equal inertias", "4 links")],
    "unphysical.urdf": [
        ("error", "triangle inequality", "link 'a'"), ("error", "negative principal moment", "link 'b'")
    ],
}  # fmt: skip


@pytest.mark.parametrize("path", sorted(x for x in OWN.iterdir() if x.suffix != ".json"), ids=lambda path: path.name)
def test_own_robots(path: Path) -> None:
    """Sound files have no errors and warnings but for a mesh that is not there on purpose."""
    report = check(path)
    assert [(x.level, x.kind, x.on) for x in report] == FOUND.get(path.name, []), report


BEYOND, NEAR, CENTER = (
    "radius of gyration beyond the shapes", "radius of gyration near zero",
    "centre of mass outside the box of the shapes",
)  # fmt: skip
ZERO = "zero is outside the limits"
#: Findings on robots of example-robot-data 6.0. Wrists of the UR5 have ixx = iyy = 0.111 and izz = 0.219 kg m2 at 1.2
#: kg, and are 0.16 m long; the hand of the Panda has its largest moment about its longest edge.
PUBLISHED = {
    "panda.urdf": [
        *(("warning", BEYOND, f"link 'panda_link{k}'") for k in (1, 2, 7)),
        ("warning", "inertia of exchanged axes", "link 'panda_hand'"), ("note", ZERO, "joint 'panda_joint4'"),
    ],
    "ur5_robot.urdf": [
        *(("error", BEYOND, f"link 'wrist_{k}_link'") for k in (1, 2, 3)),
        *(("warning", CENTER, f"link 'wrist_{k}_link'") for k in (1, 2, 3)),
        ("warning", "shape but no mass", "link 'ee_link'"),
    ],
    "talos_full_v2.urdf": [
        ("warning", BEYOND, "link 'imu_link'"),
        *(("warning", NEAR, f"link 'wrist_{side}_ft_tool_link'") for side in ("right", "left")),
        *(("note", ZERO, f"joint 'arm_{side}_2_joint'") for side in ("left", "right")),
    ],
}  # fmt: skip


@pytest.mark.usual
@pytest.mark.filterwarnings("ignore")  # of readers of meshes
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_robots(name: str) -> None:
    """An arm, another arm and a humanoid have exactly these findings."""
    for package in ("trimesh", "collada"):
        pytest.importorskip(package, reason=f"{package} is not installed (pip install 'mbs-fmu[view]')")
    path = next((path for path in installed(".urdf") if path.name == name), None)
    if path is None:
        pytest.skip(f"{name} is not installed (pip install example-robot-data)")
    report = check(path)
    assert sorted((x.level, x.kind, x.on) for x in report) == sorted(PUBLISHED[name]), report


# -- results and refusals ----------------------------------------------------------------------------------
def test_reports_are_readable(tmp_path: Path) -> None:
    """Lines, table for JSON, HTML with escaped names, iteration and length."""
    path = boxes(tmp_path, *WRONG_INERTIA, ('"a"', '"a&amp;&lt;b>"'))
    report = check(path)
    (finding,) = report.errors
    assert list(report) == [finding] and len(report) == 1 and bool(report) and report.warnings == report.notes == []
    assert str(report).splitlines() == [
        "error: boxes.urdf:3: link 'a&<b>': radius of gyration beyond the shapes: 1.73 m, 6.67 times the distance of "
        "the farthest point of the shapes",
        "    cause: units (mm for m, g for kg), or a placeholder",
        "    remedy: of the shapes: ixx 0.015, iyy 0.015, izz 0.015 kg m2",
        "boxes.urdf: 2 links, 1 joint: 1 error, 0 warnings, 0 notes",
    ]
    assert json.loads(json.dumps(report.table()))[0]["line"] == 3
    html = report._repr_html_()
    assert "<table>" in html and "a&amp;&lt;b&gt;" in html and "a&<b>" not in html
    sound = check(boxes(tmp_path))
    assert not len(sound) and sound and "<table>" not in sound._repr_html_()


def test_links_without_shapes_are_mended_by_the_nearest_inertia(tmp_path: Path) -> None:
    """As by unphysical="mend"; a radius of gyration has nothing to be compared with."""
    bare = ('<visual><geometry><box size="0.3 0.3 0.3"/></geometry></visual>', "")
    assert not check(boxes(tmp_path, bare, *WRONG_INERTIA[:0])).findings
    path = boxes(tmp_path, bare, ('izz="0.01"', "izz = '0.05'"))
    (tmp_path / "new.urdf").write_text("old")
    assert check(path, mend=tmp_path / "new.urdf").mended == ("a",)
    assert (tmp_path / "new.urdf").read_text() == path.read_text().replace("'0.05'", "'0.02'")
    nothing = boxes(tmp_path, bare, ('ixx="0.01"', 'ixx="-0.01"'), ('iyy="0.01"', 'iyy="0"'), ('izz="0.01"', 'izz="0"'))
    assert check(nothing, mend=tmp_path / "new.urdf").unmended == ("a",)


def test_missing_entries_of_an_sdf_are_added(tmp_path: Path) -> None:
    """A mended inertia in a turned frame has products, which the file leaves out."""
    path, target = tmp_path / "r.sdf", tmp_path / "new.sdf"
    path.write_text(
        '<sdf version="1.9"><model name="m"><link name="link2"><inertial><pose>0 0 0 0.4 0.3 0.2</pose><mass>2</mass>'
        "<inertia><ixx>9</ixx><iyy>9</iyy><izz>1</izz></inertia></inertial>"
        '<visual name="v"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></visual></link></model></sdf>'
    )
    assert check(path, mend=target).mended == ("link2",)
    expected = np.diag([0.13, 0.1, 0.05]) * 2.0 / 12.0
    assert_close(tensor_of(target), expected, 1e-10, "mended inertia", "xyz")
    commented = path.read_text().replace("<ixx>9", "<ixx><!-- guess -->9")
    path.write_text(commented)
    assert check(path, mend=target).unmended == ("link2",) and target.read_text() == commented


def test_invalid_arguments(tmp_path: Path) -> None:
    """Mended files are never the checked one, and of URDF or SDFormat; options are of formats that have them."""
    path = boxes(tmp_path)
    for options in ({"mend": path}, {"model": "a"}, {"mend": 3}):
        with pytest.raises(mbs.ArgumentError):
            check(path, **options)
    assert path.read_text() == BOXES
    with pytest.raises(mbs.ArgumentError, match="mend writes URDF"):
        check(OWN / "leg.xml", mend=tmp_path / "new.xml")
    with pytest.raises(mbs.ModelError, match="No such file"):
        mbs.check_robot(tmp_path / "none.urdf")
    with pytest.raises(mbs.ModelError, match="is not a robot file"):
        mbs.check_robot(tmp_path / "robot.fmu")
    (tmp_path / "no.urdf").write_text("<robot")
    with pytest.raises(mbs.ModelError, match=r"no.urdf:1: this is no XML"):
        check(tmp_path / "no.urdf", mend=tmp_path / "new.xml")
    assert not (tmp_path / "new.xml").exists()


EXTREMES = ("0.3", "1e308", "1e-308", "0", "1e160", "-1e200")
TURNED = ('<mass value="1"/>', '<origin xyz="1 0 0" rpy="0.1 0.2 0.3"/><mass value="1"/>')


@pytest.mark.parametrize("seed", some_quick(range(200), 40))
def test_extreme_numbers_give_findings(seed: int, tmp_path: Path) -> None:
    """Also those whose products overflow: no exceptions, no warnings of numpy, and no mended file that is refused."""
    rng = np.random.default_rng(seed)
    text = boxes(tmp_path, TURNED).read_text()
    text = re.sub(r"(?<=[\" ])[0-9.]+(?=[\" ])", lambda old: str(rng.choice([*EXTREMES, old[0], old[0]])), text)
    path, target = tmp_path / "boxes.urdf", tmp_path / "new.urdf"
    path.write_text(text)
    report = check(path, mend=target)
    if report.mended and not report.unmended:
        inertial = {"negative principal moment", "triangle inequality", "radius of gyration beyond the shapes"}
        assert not inertial & {finding.kind for finding in check(target).errors}, text


def test_encodings_and_line_ends_are_kept(tmp_path: Path) -> None:
    """UTF-8 with a byte order mark, Latin-1 and CRLF; in UTF-16 nothing is mended."""
    text = boxes(tmp_path, *WRONG_INERTIA).read_text().replace("<link", '<!-- \xe4 > " -->\r\n<link')
    path, target = tmp_path / "boxes.urdf", tmp_path / "new.urdf"
    for encoding, header in (
        ("utf-8-sig", ""),
        ("latin-1", '<?xml version="1.0" encoding="ISO-8859-1"?>'),
        ("utf-16", ""),
    ):
        data = (header + text).encode(encoding)
        path.write_bytes(data)
        report = check(path, mend=target)
        if encoding == "utf-16":
            assert report.unmended == ("a",) and target.read_bytes() == data
        else:
            assert report.mended == ("a",) and not check(target).errors
            inertia = re.compile(rb"<inertia [^>]*>")
            assert inertia.sub(b"", target.read_bytes()) == inertia.sub(b"", data) and target.read_bytes() != data


def test_links_of_included_files_are_not_mended(tmp_path: Path) -> None:
    """Only the checked file is written; the finding names the included one."""
    inertia = "<inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia>"
    link = f'<link name="a"><inertial><mass>1</mass>{inertia}</inertial></link>'
    (tmp_path / "inner.sdf").write_text(f'<sdf version="1.9"><model name="inner">{link}</model></sdf>')
    outer = '<sdf version="1.9"><model name="outer"><include><uri>inner.sdf</uri></include></model></sdf>'
    (tmp_path / "outer.sdf").write_text(outer)
    report = check(tmp_path / "outer.sdf", mend=tmp_path / "new.sdf")
    (finding,) = report.errors
    assert (finding.file, report.unmended, report.mended) == ("inner.sdf", ("inner::a",), ())
    assert (tmp_path / "new.sdf").read_text() == outer


HOSTILE = {
    "entities": '<!DOCTYPE s [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><robot>&b;</robot>',
    "nesting": "<robot>" + "<link name='m'>" * 100_000,
    "elements": "<robot>" + "<link name='a'/>" * 1_000_000 + "</robot>",
    "size": "<robot>" + " " * 80_000_000 + "</robot>",
    "names": "<robot>" + "<link/><joint/>" * 20_000 + "</robot>",
}


@pytest.mark.usual
@pytest.mark.parametrize("suffix", ["urdf", "sdf", "xml"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused_soon(kind: str, suffix: str, tmp_path: Path) -> None:
    """Within a second on an idle machine; ten times as long for a collection of garbage in a long process."""
    path = tmp_path / f"robot.{suffix}"
    path.write_text(HOSTILE[kind])
    begin = time.process_time()
    assert check(path).errors
    assert time.process_time() - begin < 10.0
