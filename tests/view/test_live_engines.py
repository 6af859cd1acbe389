"""A live page in Firefox and in WebKit: it runs, takes and refuses values, and bodies follow the pointer."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import mbs_fmu as mbs
from support.hosts import firefox, webkit
from support.hosts.screens import Tab

pytest.importorskip("websockets", reason="the package websockets drives firefox")
pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = [pytest.mark.browser, pytest.mark.slow]
PICTURES = os.environ.get("MBS_FMU_PICTURES")  #: folder that keeps pictures
ENGINES = {"firefox": (firefox.Firefox, firefox.MISSING), "webkit": (webkit.WebKit, webkit.MISSING)}
MIDDLE = """(() => {
  const mesh = groups[1].children[0], box = renderer.domElement.getBoundingClientRect();
  mesh.geometry.computeBoundingSphere(); mesh.updateWorldMatrix(true, false);
  const at = mesh.geometry.boundingSphere.center.clone().applyMatrix4(mesh.matrixWorld).project(camera);
  return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
})()"""
ENTER = """(() => {
  const number = document.querySelector('[aria-label^="coupler_length"][type=number]');
  number.value = VALUE; number.dispatchEvent(new Event('change'));
  return true;
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = importlib.import_module("four_bar").four_bar()
    return Path(str(mbs.live(model, tmp_path_factory.mktemp("live") / "four_bar.html")))


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    kind, missing = ENGINES[request.param]
    if missing:
        pytest.skip(missing)
    with kind(tmp_path_factory.mktemp(request.param)) as opened:
        yield opened


@pytest.fixture
def tab(engine: Tab, page: Path, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """A page that must neither request anything nor say anything on the console."""
    engine.open("about:blank")
    engine.said.clear()
    engine.open(page.as_uri())
    yield engine
    if PICTURES:
        (Path(PICTURES) / f"{request.node.name}.png").write_bytes(engine.picture())
    assert engine.said == []


def test_it_runs_pauses_and_starts_anew(tab: Tab) -> None:
    assert tab.evaluate("[running, R[S.time]]") == [False, 0]
    tab.keys(" ")
    tab.until("R[S.time] > 0.5")
    tab.keys(" ")
    tab.until("!running")
    tab.keys("r")
    tab.until("R[S.time] === 0")


def test_a_number_changes_a_length_and_another_is_refused(tab: Tab) -> None:
    tab.keys(" ")
    for value, kept in (("1.8", 1.8), ("40", 1.8)):
        assert tab.evaluate(ENTER.replace("VALUE", value))
        tab.until("pending.size === 0")
        assert tab.evaluate("given[DATA.parameters.find(v => v.name === 'coupler_length').slot]") == kept
    assert tab.evaluate("element('message').textContent").startswith("coupler_length = 40 m is refused: loop 'pin'")


def test_the_pointer_pulls(tab: Tab) -> None:
    x, y = tab.evaluate(MIDDLE)
    tab.drag((x, y), (x + 80, y - 40), held=1.0)
    tab.until("R[S.time] > 0.2 && pull.body === -1 && running")
    assert tab.evaluate("DATA.grab.bodies.every(slot => slot === null || R[slot] === 0)")
