"""A live page in chromium: sliders, pulling, keys, failures, the width of a phone; no request and no message.

MBS_FMU_PICTURES=FOLDER keeps a picture of each page; MBS_FMU_MINUTES=10 lets the page of
`test_memory_stays_flat` run for ten minutes.
"""

from __future__ import annotations

import importlib
import io
import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mbs_fmu as mbs
from support.hosts.chromium import heard, launched, needs_chromium
from support.models.fmu_models import shuttle
from support.paths import ROOT

PICTURES = os.environ.get("MBS_FMU_PICTURES")  #: folder that keeps pictures
MINUTES = float(os.environ.get("MBS_FMU_MINUTES", "0.2"))  #: that a page runs while its memory is watched
sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    needs_chromium,
]
Tab = Any  #: a page of playwright


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Live pages of two models by name."""
    folder = tmp_path_factory.mktemp("live")
    models = {name: getattr(importlib.import_module(name), name)() for name in ("double_pendulum", "four_bar")}
    return {name: Path(str(mbs.live(model, folder / f"{name}.html"))) for name, model in models.items()}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        opened = launched(driver)
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Any, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A tab whose page must neither request anything nor say anything on the console."""
    width, height = getattr(request, "param", (1100, 700))
    opened = browser.new_page(viewport={"width": width, "height": height}, has_touch=width < 500)
    said = heard(opened)
    yield opened
    kept(opened, request.node.name)
    opened.close()
    assert said == []


def kept(tab: Tab, name: str) -> None:
    """Keep a picture of the tab, if pictures are wanted."""
    if PICTURES:
        tab.screenshot(path=f"{PICTURES}/{name}.png")


def changed_share(before: bytes, after: bytes) -> float:
    """Share of the pixels of two pictures that differ."""
    a, b = (np.asarray(Image.open(io.BytesIO(picture)).convert("L"), dtype=int) for picture in (before, after))
    return float(np.mean(np.abs(a - b) > 8))


def opened(tab: Tab, page: Path, after: str = "") -> None:
    tab.goto(page.as_uri() + after)
    tab.wait_for_timeout(300)


def until(tab: Tab, condition: str, seconds: float = 20.0) -> None:
    """Wait for a condition; the policy of the page forbids the functions that `wait_for_function` would make."""
    for _ in range(round(10 * seconds)):
        if tab.evaluate(condition):
            return
        tab.wait_for_timeout(100)
    raise AssertionError(f"never: {condition}")


def middle_of(tab: Tab, body: str) -> tuple[float, float]:
    """A point of the screen where a solid of the body is seen."""
    x, y = tab.evaluate(
        """name => {
          const mesh = groups[DATA.bodies.findIndex(body => body.name === name)].children[0];
          const box = renderer.domElement.getBoundingClientRect();
          mesh.geometry.computeBoundingSphere(); mesh.updateWorldMatrix(true, false);
          const at = mesh.geometry.boundingSphere.center.clone().applyMatrix4(mesh.matrixWorld).project(camera);
          return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
        }""",
        body,
    )
    return x, y


def test_it_runs_pauses_and_starts_anew(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["double_pendulum"])
    assert tab.evaluate("[running, R[S.time]]") == [False, 0]
    tab.keyboard.press(" ")
    until(tab, "R[S.time] > 0.5")
    tab.keyboard.press(" ")
    time = tab.evaluate("R[S.time]")
    tab.wait_for_timeout(300)
    assert tab.evaluate("R[S.time]") == time and tab.evaluate("recorded.count > 10")
    tab.keyboard.press("r")
    assert tab.evaluate("R[S.time]") == 0


def test_every_control_has_a_name(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["four_bar"])
    found = "document.querySelectorAll('input, button, select, summary')"
    names = tab.evaluate(f"[...{found}].map(e => e.getAttribute('aria-label') || e.textContent)")
    assert len(names) > 20 and all(names)
    assert "crank_length (m) length of the crank" in names


@pytest.mark.parametrize(("controls", "is_open"), [(["upper.phi"], True), (["upper.phi", "length"], False)])
def test_start_values_are_unfolded_alone(tab: Tab, controls: list[str], is_open: bool, tmp_path: Path) -> None:
    """A page whose only sliders are those of start values shows them at once."""
    m = mbs.Model("swing")
    length = m.parameter("length", 1.0, unit="m")
    m.body("upper", joint=mbs.Revolute("y"), **mbs.rod((0, 0, -length), mass=1.0))
    opened(tab, Path(str(mbs.live(m, tmp_path / "swing.html", controls=controls))))
    assert tab.evaluate("element('starts').open") is is_open
    assert tab.get_by_label("upper.phi").first.is_visible() is is_open


def test_a_slider_changes_a_length_and_the_motion_goes_on(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["four_bar"], "#play")
    until(tab, "R[S.time] > 0.3")
    slider = tab.get_by_label("crank_length (m) length of the crank", exact=True)
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + 0.45 * box["width"], box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2, steps=4)
    tab.mouse.up()
    until(tab, "given[DATA.parameters.find(v => v.name === 'crank_length').slot] !== 1")
    time = tab.evaluate("R[S.time]")
    until(tab, f"R[S.time] > {time} + 0.2")
    assert time > 0.3 and tab.evaluate("element('message').hidden") and tab.evaluate("running")


def test_keys_move_a_slider_by_small_steps(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["four_bar"])
    tab.get_by_label("b (N.m.s/rad) friction in the fixed hinges", exact=True).focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    until(tab, "R[DATA.parameters.find(v => v.name === 'b').slot] > 0")
    value = tab.evaluate("R[DATA.parameters.find(v => v.name === 'b').slot]")
    assert value == pytest.approx(3 * tab.evaluate("nice(DATA.parameters.find(v => v.name === 'b').high / 400)"))


def test_inputs_of_other_kinds(tab: Tab, tmp_path: Path) -> None:
    """A Boolean input is a check box; an integer and an enumeration move by whole numbers."""
    opened(tab, Path(str(mbs.live(shuttle(), tmp_path / "shuttle.html"))))
    tab.get_by_label("brake latches the shuttle", exact=True).check()
    until(tab, "R[DATA.inputs.find(v => v.name === 'brake').slot] === 1")
    number = tab.get_by_label("gear, as a number", exact=True)
    number.fill("2.6")
    number.press("Enter")
    until(tab, "R[DATA.inputs.find(v => v.name === 'gear').slot] === 3")
    tab.get_by_label("lever direction of the push: -1 back, 0 neutral, 1 forth", exact=True).focus()
    tab.keyboard.press("ArrowLeft")
    until(tab, "R[DATA.inputs.find(v => v.name === 'lever').slot] === 0")


def test_a_value_that_no_assembly_has_is_refused(tab: Tab, pages: dict[str, Path]) -> None:
    """A ground that the rods cannot span: the page says why, keeps the value before, and the motion goes on."""
    opened(tab, pages["four_bar"], "#play")
    until(tab, "R[S.time] > 0.2")
    number = tab.get_by_label("ground (m) distance of the two fixed hinges, as a number", exact=True)
    number.fill("40")
    number.press("Enter")
    until(tab, "!element('message').hidden")
    assert "does not close" in tab.evaluate("element('message').textContent")
    assert number.input_value() == "2"
    time = tab.evaluate("R[S.time]")
    until(tab, f"R[S.time] > {time} + 0.1")


def test_a_number_out_of_bounds_is_refused(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["four_bar"])
    number = tab.get_by_label("crank_mass (kg) mass of the crank, as a number", exact=True)
    number.fill("-1")
    number.press("Enter")
    assert "parameter 'crank_mass' is -1: it must lie within" in tab.evaluate("element('message').textContent")
    assert number.input_value() == "1"


def test_a_body_follows_the_pointer(tab: Tab, pages: dict[str, Path]) -> None:
    """A pulled body comes near to the pointer; once it is let go, nothing pulls."""
    opened(tab, pages["double_pendulum"])
    x, y = middle_of(tab, "rod2")
    tab.mouse.move(x, y)
    tab.mouse.down()
    until(tab, "pull.body > 0")
    tab.mouse.move(x + 120, y - 60, steps=5)
    until(tab, "R[S.time] > 3")
    assert tab.evaluate("pull.line.visible && pull.line.scale.z < 0.5 * SIZE")
    kept(tab, "pulled")
    tab.mouse.up()
    assert tab.evaluate(
        "pull.body === -1 && !pull.line.visible && DATA.grab.bodies.every(slot => slot === null || R[slot] === 0)"
    )


def test_keys_pull(tab: Tab, pages: dict[str, Path]) -> None:
    opened(tab, pages["double_pendulum"])
    tab.evaluate("element('view').focus()")
    tab.keyboard.press("b")
    tab.keyboard.down("ArrowRight")
    until(tab, "running && pull.body > 0 && R[S.time] > 0.2")
    tab.keyboard.up("ArrowRight")
    until(tab, "pull.body === -1")


@pytest.mark.parametrize("tab", [(390, 800)], indirect=True)
def test_a_phone(tab: Tab, pages: dict[str, Path]) -> None:
    """On the width of a phone nothing scrolls sideways, and a finger pulls."""
    opened(tab, pages["double_pendulum"])
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    x, y = middle_of(tab, "rod2")
    tab.touchscreen.tap(x, y)
    until(tab, "running")


def test_two_pages_at_once_and_nothing_is_made_up_for(browser: Any, tab: Tab, pages: dict[str, Path]) -> None:
    """A page that stands behind another does not catch up later."""
    opened(tab, pages["double_pendulum"], "#play")
    until(tab, "R[S.time] > 0.2")
    tab.evaluate("clock -= 60000")
    time = tab.evaluate("R[S.time]")
    tab.wait_for_timeout(500)
    assert tab.evaluate("R[S.time]") < time + 2.0


def test_the_view_shows_a_changed_length(tab: Tab, pages: dict[str, Path]) -> None:
    """A slider changes the drawn shapes, and the way back restores the picture."""
    opened(tab, pages["four_bar"])
    view = tab.locator("#view")
    before = view.screenshot()
    number = tab.get_by_label("coupler_length (m) length of the coupler, as a number", exact=True)
    pictures = []
    for value in ("1.7", "2"):
        number.fill(value)
        number.press("Enter")
        until(tab, f"given[DATA.parameters.find(v => v.name === 'coupler_length').slot] === {value}")
        tab.wait_for_timeout(300)
        kept(tab, f"coupler_{value}")
        pictures.append(view.screenshot())
    assert changed_share(before, pictures[0]) > 0.005
    assert changed_share(before, pictures[1]) < 0.001


def test_a_refusal_leaves_the_view(tab: Tab, pages: dict[str, Path]) -> None:
    """A refused value is named in the message; the picture is the one before."""
    opened(tab, pages["four_bar"])
    before = tab.locator("#view").screenshot()
    number = tab.get_by_label("ground (m) distance of the two fixed hinges, as a number", exact=True)
    number.fill("40")
    number.press("Enter")
    until(tab, "!element('message').hidden")
    assert tab.evaluate("element('message').textContent").startswith("ground = 40 m is refused: loop 'pin' does not")
    tab.get_by_label("Close this message").click()
    tab.mouse.move(5, 5)
    assert changed_share(before, tab.locator("#view").screenshot()) < 0.001


def test_hostile_names_are_text(tab: Tab, tmp_path: Path) -> None:
    """Descriptions with tags and scripts are shown as they are, and run nothing."""
    text = "</script><script>hacked = 1</script><img src=x onerror='hacked = 1'>"
    m = mbs.Model("constructor", description=text)
    mass = m.parameter("toString", 1.0, unit="kg", description=text)
    rod = m.body("valueOf", joint=mbs.Revolute("y"), **mbs.rod((0, 0, -1), mass=mass))
    m.output("hasOwnProperty", mbs.coordinate(rod), unit="rad", description=text)
    m.start(rod, q=0.5)
    opened(tab, Path(str(mbs.live(m, tmp_path / "hostile.html"))), "#play")
    until(tab, "R[S.time] > 0.3")
    assert tab.evaluate("[document.querySelector('header p').textContent, typeof hacked]") == [text, "undefined"]
    assert tab.evaluate("[document.querySelectorAll('img').length, document.title]") == [0, "constructor"]
    tab.get_by_label(f"toString (kg) {text}", exact=True).press("ArrowRight")
    until(tab, "R[DATA.parameters[0].slot] > 1")


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("delete globalThis.WebAssembly", "The model runs as WebAssembly"),
        ("HTMLCanvasElement.prototype.getContext = () => null", "The view needs WebGL 2"),
    ],
)
def test_a_browser_without_the_means_says_so(browser: Any, pages: dict[str, Path], missing: str, said: str) -> None:
    """Without WebAssembly or WebGL the page says in place of the view what it needs, and what to do."""
    tab = browser.new_page(viewport={"width": 700, "height": 500})
    tab.add_init_script(missing)
    opened(tab, pages["double_pendulum"])
    kept(tab, f"without_{said.split()[-1]}")
    alert = tab.get_by_role("alert").first
    assert alert.text_content().startswith(said) and "another browser" in alert.text_content()
    tab.close()


class Memory:
    """Memory of a page: megabytes of its heap, and counts that must not grow."""

    def __init__(self, tab: Tab) -> None:
        self.tab, self.session = tab, tab.context.new_cdp_session(tab)
        self.session.send("Performance.enable")

    def taken(self) -> tuple[float, list[float]]:
        """Memory of the heap, MB, and numbers of elements, listeners, geometries, textures and bytes of the module.

        The page pauses meanwhile: each text that it replaces stays in the count of elements until it is collected.
        """
        running = self.tab.evaluate("(() => { const was = running; play(false); return was; })()")
        self.tab.wait_for_timeout(200)
        self.session.send("HeapProfiler.collectGarbage")
        heap = float(self.session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6
        metrics = {m["name"]: m["value"] for m in self.session.send("Performance.getMetrics")["metrics"]}
        memory = "[renderer.info.memory.geometries, renderer.info.memory.textures, X.memory.buffer.byteLength]"
        counts = [metrics["Nodes"], metrics["JSEventListeners"], *self.tab.evaluate(memory)]
        self.tab.evaluate(f"play({str(running).lower()})")
        return heap, counts


CHANGES = """n => {
  const length = DATA.parameters.find(v => v.name === 'length1'), at = new L.Vector3();
  for (let k = 0; k < n; k++) {
    reset();
    later(length, 1 + 0.1 * (k % 3)); apply();
    pull.grab(1, at.copy(groups[1].position)); pull.toward(at.addScalar(0.1));
    wantedTime = R[S.time]; advance(0.1, performance.now() + 1000);
    pull.end();
    complain(refusal(length, -1));
    plot();
  }
}"""


def test_memory_stays_flat_through_changes(tab: Tab, pages: dict[str, Path]) -> None:
    """Two hundred starts, changed lengths, pulls and refusals hold nothing: the heap stays within 0.5 MB."""
    opened(tab, pages["double_pendulum"])
    memory = Memory(tab)
    tab.evaluate(CHANGES, 50)
    heap, counts = memory.taken()
    tab.evaluate(CHANGES, 200)
    after, same = memory.taken()
    assert after < heap + 0.5 and same == counts


def test_memory_stays_flat(tab: Tab, pages: dict[str, Path]) -> None:
    """Fifty times as fast, ten minutes of a motion: the heap stays within 2 MB, all counts as they are."""
    opened(tab, pages["double_pendulum"], "#play&rate=50")
    memory = Memory(tab)
    tab.wait_for_timeout(8000)
    heap, counts = memory.taken()
    began = tab.evaluate("R[S.time]")
    tab.wait_for_timeout(60e3 * MINUTES)
    passed = tab.evaluate("R[S.time]") - began
    after, same = memory.taken()
    print(f"{MINUTES} min, {passed:.0f} s of the motion: {heap} to {after} MB")
    assert passed > 100 * MINUTES and after < heap + 2.0 and same == counts


def test_a_page_out_of_sight_rests(tab: Tab, pages: dict[str, Path], tmp_path: Path) -> None:
    """A page in a frame that is scrolled away computes nothing, and goes on in sight without catching up."""
    outer = tmp_path / "outer.html"
    frame = f'<iframe src="{pages["double_pendulum"].as_uri()}#play&bare" style="width:600px;height:400px"></iframe>'
    outer.write_text(f"<!doctype html><title>outer</title>{frame}<div style='height:5000px'></div>")
    opened(tab, outer)
    inner = tab.frames[1]
    until(inner, "R[S.time] > 0.2")
    tab.evaluate("scrollTo(0, 4000)")
    until(inner, "!visible")
    tab.wait_for_timeout(300)
    time = inner.evaluate("R[S.time]")
    tab.wait_for_timeout(1000)
    assert inner.evaluate("R[S.time]") == time
    tab.evaluate("scrollTo(0, 0)")
    until(inner, f"R[S.time] > {time} + 0.1")
    assert inner.evaluate("R[S.time]") < time + 5.0


def test_the_gallery_of_the_site(tab: Tab, tmp_path: Path) -> None:
    """Its page shows the first model running, with a library that the pages share; a link shows the next one."""
    write = runpy.run_path(str(ROOT / "docs" / "live_models.py"))["write_gallery"]
    write(tmp_path, ["governed", "double_pendulum"])
    opened(tab, tmp_path / "index.html")
    until(tab.frames[1], "R[S.time] > 0.2")
    assert tab.frames[1].evaluate("document.title") == "governed"
    assert (tmp_path / "governed.html").stat().st_size < 2e5 < (tmp_path / "library.js").stat().st_size
    tab.get_by_text("Double pendulum").click()
    until(tab.frames[1], "document.title === 'double_pendulum' && typeof R === 'object' && R[S.time] > 0.2")
