"""A live page in Firefox: it runs, sliders and the pointer change it, a refusal; no request and no message."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import mbs_fmu as mbs
from support.hosts.firefox import Firefox, needs_firefox

pytest.importorskip("websockets", reason="the package websockets drives firefox")
pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_firefox]
PICTURES = os.environ.get("MBS_FMU_PICTURES")  #: folder that keeps pictures
MIDDLE = """(() => {
  const mesh = groups[1].children[0], box = renderer.domElement.getBoundingClientRect();
  mesh.geometry.computeBoundingSphere(); mesh.updateWorldMatrix(true, false);
  const at = mesh.geometry.boundingSphere.center.clone().applyMatrix4(mesh.matrixWorld).project(camera);
  return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
})()"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = importlib.import_module("four_bar").four_bar()
    return Path(str(mbs.live(model, tmp_path_factory.mktemp("live") / "four_bar.html")))


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with Firefox(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def tab(firefox: Firefox, page: Path, request: pytest.FixtureRequest) -> Iterator[Firefox]:
    """A page that must neither request anything nor say anything on the console."""
    firefox.open("about:blank")
    firefox.said.clear()
    firefox.open(page.as_uri())
    yield firefox
    if PICTURES:
        firefox.picture(f"{PICTURES}/firefox_{request.node.name}.png")
    assert firefox.said == []


def test_it_runs_pauses_and_starts_anew(tab: Firefox) -> None:
    assert tab.evaluate("[running, R[S.time]]") == [False, 0]
    tab.keys(" ")
    tab.until("R[S.time] > 0.5")
    tab.keys(" ")
    tab.until("!running")
    tab.keys("r")
    tab.until("R[S.time] === 0")


def test_a_number_changes_a_length_and_another_is_refused(tab: Firefox) -> None:
    tab.keys(" ")
    for value, kept in ((1.8, 1.8), (40, 1.8)):
        tab.evaluate(
            "(() => { const e = document.querySelector('[aria-label^=\"coupler_length\"][type=number]');"
            f" e.value = {value}; e.dispatchEvent(new Event('change')); return 1; }})()"
        )
        tab.until("pending.size === 0")
        assert tab.evaluate("given[DATA.parameters.find(v => v.name === 'coupler_length').slot]") == kept
    assert tab.evaluate("element('message').textContent").startswith("coupler_length = 40 m is refused: loop 'pin'")


def test_the_pointer_pulls(tab: Firefox) -> None:
    x, y = tab.evaluate(MIDDLE)
    tab.drag((x, y), (x + 80, y - 40), held=1.0)
    tab.until("R[S.time] > 0.2 && pull.body === -1 && running")
    assert tab.evaluate("DATA.grab.bodies.every(slot => slot === null || R[slot] === 0)")
