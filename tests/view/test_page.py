"""The page of a run: self-contained, complete, and animated."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.bodies.mesh_files import read
from mbs_fmu.run.results.batches import BatchResult
from mbs_fmu.run.results.results import Result
from mbs_fmu.view.animation import thinned
from mbs_fmu.view.page import Page
from support.comparisons import assert_close
from support.paths import ROOT

LIBRARY = ROOT / "mbs_fmu" / "view" / "web" / "library"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def swinging(description: str = "") -> tuple[mbs.Model, Result]:
    """A pendulum at 0 to 1 rad, with a spring and a slide, and a hand-made result."""
    m = mbs.Model("pendulum", description=description)
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=1.0, inertia=(0.1, 0.1, 0.1))
    rod = m.body("rod", cart, mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.001))
    m.spring("spring", "world", rod, stiffness=1.0, at_b=(0, 0, -1))
    m.output("tip", mbs.position(rod, (0, 0, -1)))
    time = np.linspace(0.0, 2.0, 1001)
    columns = ["time", "cart.s", "rod.phi", "tip[1]", "tip[2]", "tip[3]"]
    data = np.column_stack([time, 0.1 * time, 0.5 * time, time, time, time])
    vectors = {"tip": columns[3:]}
    return m, Result("pendulum", columns, data, {"rod.phi": "rad"}, vectors, model=m)


def page_data(page: Page) -> dict[str, Any]:
    """Data of a page."""
    match = re.search(r'<script id="data"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def decoded(text: object, kind: str = "<f4") -> np.ndarray:
    assert isinstance(text, str)
    return np.frombuffer(base64.b64decode(text), kind)


def page_of(**settings: object) -> Page:
    page = swinging()[1].animate(**settings)  # type: ignore[arg-type]
    assert isinstance(page, Page)
    return page


@pytest.mark.quick
def test_the_library_is_what_was_built() -> None:
    """The library has the hashes that build.sh wrote."""
    for line in (LIBRARY / "library.sha256").read_text().splitlines():
        wanted, name = line.split()
        text = (LIBRARY / name).read_text(encoding="utf-8")
        assert hashlib.sha256(text.encode()).hexdigest() == wanted, f"{name}: run {LIBRARY / 'build.sh'}"


@pytest.mark.quick
def test_pages_fetch_nothing() -> None:
    """Only scripts with the policy's hashes may run; texts of users close none of them."""
    m, result = swinging("</script><script>alert(1)</script>")
    page = mbs.show(m, result)
    assert isinstance(page, Page)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.text)
    assert policy is not None and policy[1].startswith("default-src 'none'; style-src 'unsafe-inline'; script-src ")
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert re.findall(r"'sha256-([^']*)'", policy[1]) == hashes and len(hashes) == 6
    assert not re.search(r"<[^>]*(src|href)=", page.text.split("<script", 1)[0])
    assert page._repr_html_().count("<") == 2 and "srcdoc=" in page._repr_html_()


@pytest.mark.quick
def test_pages_have_poses_and_plots() -> None:
    """Poses of all bodies at 60 rows per second, including the first and the last; plots with units."""
    data = page_data(page_of(plots=["rod.phi", ["tip"]], traces=[("rod", (0, 0, -1))], follow="cart"))
    time = decoded(data["time"], "<f8")
    assert time[0] == 0.0 and time[-1] == 2.0 and len(time) == 121
    poses = decoded(data["poses"]).reshape(121, 3, 7)
    # single precision
    assert_close(poses[-1, 2], [0.2, 0, 0, 0, np.sin(0.5), 0, np.cos(0.5)], 1e-7, "last pose of body 'rod'")
    plots = data["plots"]
    assert isinstance(plots, list) and [plot["title"] for plot in plots] == ["rod.phi (rad)", "tip"]
    assert_close(decoded(plots[0]["series"][0]["values"], "<f8"), 0.5 * time, 1e-12, "rod.phi", times=time)
    assert len(plots[1]["series"]) == 3
    assert data["follow"] == 1 and data["up"] == [0.0, 0.0, 1.0]


@pytest.mark.quick
def test_shapes_replace_the_bars_of_elastic_bodies() -> None:
    """A beam has a bar through its nodes unless it has shapes of its own, even none; those of nodes leave the bar."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 2.1e11, 7800.0, modes=5)
    for own, node, bars in ((None, None, 1), (mbs.Sphere(0.1), None, 0), ([], None, 0), (None, mbs.Sphere(0.1), 1)):
        m = mbs.Model("boom")
        body = m.body("boom", joint=mbs.Weld(), elastic=rod, shape=own)
        if node is not None:
            m.shape(body.node("tip"), node)
        page = mbs.show(m)
        assert isinstance(page, Page) and len(page_data(page)["beams"]) == bars


@pytest.mark.quick
def test_rows_are_thinned() -> None:
    """No rows are closer than requested, except for the last; coarse results are unchanged."""
    time = np.linspace(0.0, 1.0, 1001)
    assert_close(np.diff(time[thinned(time, 0.1)]), 0.1, 1e-12, "time between rows")
    assert len(thinned(time[::100], 0.01)) == 11 and list(thinned(time[:1], 1.0)) == [0]
    assert list(thinned(np.array([0.0, 1.0, 5e12, 5e12 + 1.0, 1e13]), 10.0)) == [0, 2, 4]  # in bounded memory


@pytest.mark.quick
def test_pages_refuse() -> None:
    """Each invalid argument gives one message."""
    m, result = swinging()
    for settings, message in (
        ({"traces": ["rod"]}, "traces has 'rod': give pairs of a body and a point"),
        ({"traces": [("rd", (0, 0, 0))]}, "trace 1: unknown body 'rd'"),
        ({"traces": [("rod", (0, 0))]}, "point of trace 1 is"),
        ({"plots": "rod.phi"}, "plots is 'rod.phi': give a list"),
        ({"plots": ["rod.psi"]}, "plots: no result 'rod.psi'; there are time"),
        ({"follow": "rd"}, "follow: unknown body 'rd'"),
        ({"eye": (0, 0, 0)}, "eye is"),
    ):
        with pytest.raises(mbs.ModelError, match=re.escape(message)):
            result.animate(**settings)  # type: ignore[arg-type]
    result.model = None
    with pytest.raises(mbs.ArgumentError, match=r"'motion\.gif': pages are HTML, give a name that ends in \.html"):
        mbs.show(m, result, "motion.gif")
    with pytest.raises(mbs.ModelError, match="does not know its model"):
        result.animate()
    with pytest.raises(mbs.ModelError, match=r"the result has no column 'rod.phi': is it one of model 'pendulum'\?"):
        mbs.show(m, Result("x", ["time", "cart.s"], np.zeros((2, 2))))


@pytest.mark.quick
@pytest.mark.usefixtures("in_plain_python")
def test_results_know_their_model() -> None:
    """A result has the model of its run, whatever changes later."""
    m, _ = swinging()
    result = mbs.simulate(m, 0.1, output_interval=0.1)
    m.body("late", "rod", mass=1.0)
    assert result.model is not None and set(result.model.bodies) == {"cart", "rod"}
    batch = BatchResult("pendulum", result.columns, result.data[None], result.time, np.array([2]), model=result.model)
    assert batch[0].model is result.model
    assert len(page_data(batch[0].animate())["bodies"]) == 3  # type: ignore[arg-type]


@pytest.mark.quick
def test_notebooks_show_pages() -> None:
    """The animation above the table of columns; a table alone if there is nothing to draw, or a mesh is missing."""
    m, result = swinging()
    page, _, table = result._repr_html_().partition("</iframe>")
    assert page.startswith("<iframe srcdoc=") and "rod.phi" in table
    m.shape("rod", mbs.Mesh("gone.stl"))
    assert result._repr_html_().startswith("<p>no mesh &#x27;")
    result.model = mbs.Model("controller")
    assert result._repr_html_().startswith("<div>")


@pytest.mark.quick
def test_meshes(tmp_path: Path) -> None:
    """A tetrahedron as OBJ, as both kinds of STL and as MSH; missing and invalid files are reported."""
    obj = tmp_path / "a.obj"
    obj.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/1 4/1\nf 1 4 3\nf 2 3 -1\n")
    ((vertices, faces, _),) = read(obj)
    text, binary = tmp_path / "a.stl", tmp_path / "b.stl"
    corners = vertices[faces]
    text.write_text("solid a\n" + "".join("vertex {} {} {}\n".format(*x) for x in corners.reshape(-1, 3)))
    records = b"".join(bytes(12) + t.astype("<f4").tobytes() + bytes(2) for t in corners)
    binary.write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + records)
    msh = tmp_path / "a.msh"
    arrays = (vertices, np.ones((2, 3)), np.ones((3, 2)))  # normals and texture coordinates are skipped
    data = b"".join(x.astype("<f4").tobytes() for x in arrays) + faces.astype("<i4").tobytes()
    msh.write_bytes(np.array([4, 2, 3, len(faces)], "<i4").tobytes() + data)
    for file in (text, binary, msh):
        ((other, index, _),) = read(file)
        assert other.shape == (4, 3) and np.array_equal(other[index], corners)
    (tmp_path / "c.stl").write_text("nothing")
    (tmp_path / "c.msh").write_text("nothing")
    for name, message in (
        ("c.stl", "has no triangles"),
        ("c.msh", "can't be read"),
        ("d.stl", "no mesh"),
        ("a.xyz", "no mesh"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            read(tmp_path / name)


def ball(folder: Path, rings: int) -> Path:
    """An OBJ file of a ball of 1 m, with 4 rings² faces."""
    polar, turn = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.arange(2 * rings) * np.pi / rings, indexing="ij")
    points = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=-1)
    k = np.arange(points.shape[0] * points.shape[1]).reshape(points.shape[:2]) + 1
    a, b, c, d = k[:-1], np.roll(k, -1, axis=1)[:-1], k[1:], np.roll(k, -1, axis=1)[1:]
    faces = np.concatenate([np.stack([a, c, b], axis=-1), np.stack([b, c, d], axis=-1)]).reshape(-1, 3)
    path = folder / "ball.obj"
    with path.open("w") as file:
        np.savetxt(file, points.reshape(-1, 3), "v %.6f %.6f %.6f")
        np.savetxt(file, faces, "f %d %d %d")
    return path


def page_of_balls(folder: Path) -> dict[str, Any]:
    """Two bodies with the same ball of 36 100 faces, which the page holds once."""
    m, result = swinging()
    for body in ("cart", "rod"):
        m.shape(body, mbs.Mesh(ball(folder, 95), scale=0.1))
    return page_data(result.animate())  # type: ignore[arg-type]


@pytest.mark.usual
@pytest.mark.quick
def test_meshes_are_thinned(tmp_path: Path) -> None:
    """A page's meshes are reduced to 20 000 faces that are still on the ball."""
    pytest.importorskip("fast_simplification")
    (mesh,) = page_of_balls(tmp_path)["meshes"]
    vertices, faces = decoded(mesh["vertices"]).reshape(-1, 3), decoded(mesh["faces"], "<u4").reshape(-1, 3)
    assert 18_000 <= len(faces) <= 20_000
    assert_close(np.linalg.norm(vertices, axis=1), 1.0, 2e-3, "distance of vertex from the middle")
    volume = np.einsum("ij,ij->", vertices[faces[:, 0]], np.cross(vertices[faces[:, 1]], vertices[faces[:, 2]])) / 6.0
    assert_close(volume / (4.0 / 3.0 * np.pi), 1.0, 2e-3, "volume, as share of the ball's")


@pytest.mark.usual
@pytest.mark.quick
def test_meshes_without_what_thins_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra meshes are not reduced, and the warning names it; files that only trimesh reads name it too."""
    monkeypatch.setitem(sys.modules, "fast_simplification", None)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.warns(UserWarning, match=r"36100 faces make a large and slow page.*mbs-fmu\[view\]") as page_data:
        (mesh,) = page_of_balls(tmp_path)["meshes"]
    assert decoded(mesh["faces"], "<u4").size == 3 * 36_100 and page_data[0].filename == __file__
    (tmp_path / "a.ply").touch()
    with pytest.raises(mbs.ModelError, match=r"'.ply' need trimesh: pip install 'mbs-fmu\[view\]'"):
        read(tmp_path / "a.ply")


@pytest.mark.quick
def test_meshes_by_trimesh(tmp_path: Path) -> None:
    """Another file format gives the same triangle; a damaged file is reported."""
    pytest.importorskip("trimesh")
    file = tmp_path / "a.ply"
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
    file.write_text(
        head + "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 2 0\n3 0 1 2\n"
    )
    ((vertices, faces, color),) = read(file)
    assert vertices[faces[0]].tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]] and color is None
    colored = head.replace("z\n", "z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n")
    file.write_text(
        colored
        + "element face 1\nproperty list uchar int vertex_index\nend_header\n"
        + "".join(f"{point} 255 51 0\n" for point in ("0 0 0", "1 0 0", "0 2 0"))
        + "3 0 1 2\n"
    )
    assert_close(read(file)[0].color or (), (1.0, 0.2, 0.0, 1.0), 1e-7, "colour", "rgba")
    m, result = swinging()
    m.shape("cart", mbs.Mesh(file))
    m.shape("rod", mbs.Mesh(file, color="blue"))
    bodies = page_data(mbs.show(m, result))["bodies"]  # type: ignore[arg-type]
    colors = [bodies[k]["shapes"][0]["color"] for k in (1, 2)]
    assert_close(colors, [(1, 0.2, 0, 1), (0, 0, 1, 1)], 1e-7, "colour of body", "rgba")
    file.write_text("ply\nnothing")
    with pytest.raises(mbs.ModelError, match=r"a\.ply' can't be read"):
        read(file)


def test_ropes_are_thin_or_have_their_radius() -> None:
    """By default a rope of 15 m is thinner than 10 cm; a radius may be a parameter."""
    for given, expected in ((None, None), (0.02, 0.02), ("r", 0.03)):
        m = mbs.Model("hoist")
        m.body("load", joint=mbs.Prismatic("z"), mass=100.0, shape=mbs.Box(1, 1, 1))
        m.start("load", q=-15.0)
        radius = m.parameter("r", 0.03, unit="m") if given == "r" else given
        through = [("world", (0, 0, 0)), ("load", (0, 0, 0.5))]
        m.rope("rope", through, length=15.0, stiffness=1e5, radius=radius)
        m.shape("world", mbs.Box(15, 1, 1))
        page = mbs.show(m)
        assert isinstance(page, Page)
        found = page_data(page)["links"][0]["radius"]  # type: ignore[index]
        assert 0.02 < found < 0.05 if expected is None else found == expected
    with pytest.raises(mbs.ModelError, match="radius of rope 'other'"):
        m.rope("other", through, length=15.0, stiffness=1e5, radius=-1.0)


def test_start_of_a_closed_loop() -> None:
    """The start is assembled without compiling a kernel."""
    m = mbs.Model("links")
    for name, at in (("a", 0.0), ("b", 1.0)):
        m.body(name, joint=mbs.Revolute("y"), at=(at, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.start(name, q=0.1, guess=name == "b")
    m.close("rod", "a", "b", mbs.Distance(1.2), at_a=(0, 0, -1), at_b=(0, 0, -1))
    page = mbs.show(m)
    assert isinstance(page, Page)
    data = page_data(page)
    pose = decoded(data["poses"]).reshape(3, 7)
    ends = [pose[k, :3] + [2 * pose[k, 4] * pose[k, 6] * -1, 0, 2 * pose[k, 4] ** 2 - 1] for k in (1, 2)]
    assert_close(np.linalg.norm(ends[0] - ends[1]), 1.2, 1e-6, "length of the rod")
    assert isinstance(data["links"], list) and data["links"][0]["kind"] == "rod"


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")
def test_a_browser_shows_it(tmp_path: Path) -> None:
    """The page makes no further request; the picture is not blank, and differs at another time."""
    from matplotlib.image import imread

    page = swinging()[1].animate(tmp_path / "page.html")
    pictures = []
    for time in (0.0, 2.0):
        log, picture = tmp_path / f"{time}.json", tmp_path / f"{time}.png"
        flags = (
            "--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --window-size=500,400 "
            "--disable-background-networking --disable-component-update --no-first-run --virtual-time-budget=3000"
        )
        command = [
            str(BROWSER), *flags.split(), f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={log}",
            f"--screenshot={picture}", f"{Path(str(page)).as_uri()}#t={time}&bare",
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=180)
        pictures.append(imread(picture)[..., :3])
        requests = set(re.findall(r'"url":"([^"]*)"', log.read_text(errors="replace")))
        assert not [url for url in requests if page.name in url and not url.startswith("file:")]
        assert not [url for url in requests if "three" in url or "uplot" in url.lower()]
    assert all(np.std(picture) > 0.01 for picture in pictures)
    assert np.abs(pictures[0] - pictures[1]).max() > 0.2
