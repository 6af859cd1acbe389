"""A live page in a browser: sliders, pulling, keys, failures, the width of a phone; no request and no message."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import mbs_fmu as mbs

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
DRIVER_NOTES = "GPU stall due to ReadPixels"  #: message of drivers in software, not of the page
sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="chromium is not installed"),
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
        opened = driver.chromium.launch(executable_path=BROWSER, args=list(OPTIONS))
        yield opened
        opened.close()


@pytest.fixture
def tab(browser: Any, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A tab whose page must neither request anything nor say anything on the console."""
    width, height = getattr(request, "param", (1100, 700))
    opened = browser.new_page(viewport={"width": width, "height": height}, has_touch=width < 500)
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith("file:") else None)
    yield opened
    picture = os.environ.get("MBS_FMU_PICTURES")
    if picture:
        opened.screenshot(path=f"{picture}/{request.node.name}.png")
    opened.close()
    assert [text for text in said if DRIVER_NOTES not in text] == []


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
    if os.environ.get("MBS_FMU_PICTURES"):
        tab.screenshot(path=os.environ["MBS_FMU_PICTURES"] + "/pulled.png")
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


def test_memory_stays_flat(tab: Tab, pages: dict[str, Path]) -> None:
    """20 s at fifty times the speed: the heap stays within 2 MB, the module's memory as it is."""
    opened(tab, pages["double_pendulum"], "#play&rate=50")
    session = tab.context.new_cdp_session(tab)

    def used() -> float:
        session.send("HeapProfiler.collectGarbage")
        return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6

    tab.wait_for_timeout(8000)
    first, memory = used(), tab.evaluate("X.memory.buffer.byteLength")
    tab.wait_for_timeout(12000)
    assert used() < first + 2.0 and tab.evaluate("X.memory.buffer.byteLength") == memory
