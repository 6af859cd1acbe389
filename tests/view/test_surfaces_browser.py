"""Meshes of elastic bodies in chromium: their vertices in pages of runs and in live pages are at the nodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from view.test_surfaces import at_nodes, bodies, moving

import mbs_fmu as mbs
from mbs_fmu.view.animation import animation
from support.comparisons import assert_close
from support.hosts.chromium import heard, launched, needs_chromium

sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_chromium]

#: Vertices of the mesh in world axes, as the page has placed them.
VERTICES = """() => {
  const { mesh } = surfaces[0], { position } = mesh.geometry.attributes;
  mesh.updateMatrix();
  return Array.from({ length: position.count }, (_, k) =>
    new L.Vector3().fromBufferAttribute(position, k).applyMatrix4(mesh.matrix).toArray());
}"""
#: Origins of the bodies, with nodes of elastic ones.
ORIGINS = "groups.map(group => group.position.toArray())"


@pytest.fixture
def tab() -> Iterator[Any]:
    with sync_api.sync_playwright() as driver:
        opened = launched(driver)
        page = opened.new_page(viewport={"width": 500, "height": 400})
        said = heard(page)
        yield page
        opened.close()
        assert said == []


@pytest.mark.parametrize("root", ("root", "tip"))
def test_pages_of_runs(tab: Any, tmp_path: Path, root: str) -> None:
    """In each row the vertices are at the nodes, apart from terms of second order."""
    amplitude = 1e-4
    result = moving(root, amplitude)
    assert result.model is not None
    page = animation(result.recorded(result.model), plots=()).write(tmp_path / "bent.html")
    tab.goto(page.as_uri() + "#bare")
    expected = at_nodes(result)
    for k in (0, 7, len(expected) - 1):
        tab.evaluate(f"show(TIMES[{k}])")
        assert_close(tab.evaluate(VERTICES), expected[k], 300 * amplitude**2 + 1e-6, f"vertices in row {k}")
    tab.evaluate("show(0.4 * TIMES[3] + 0.6 * TIMES[4])")
    between = np.array(tab.evaluate("Array.from(surfaces[0].xi)"))
    assert_close(between, 0.4 * result.data[3, 3:] + 0.6 * result.data[4, 3:], 1e-10, "coordinates between two rows")


def test_live_pages(tab: Any, tmp_path: Path) -> None:
    """The mesh bends while the model runs: vertices stay at the nodes, which move by more than their tolerance."""
    pytest.importorskip("ziglang", reason="live pages need the package ziglang")
    m = mbs.Model("bent")
    part = m.body("part", joint=mbs.Weld(), elastic=bodies(), damping=0.7)
    m.force("push", on=part.node("tip"), force=(0, 0, m.parameter("force", 40.0, unit="N")))
    page = mbs.live(m, tmp_path / "live.html")
    tab.goto(Path(str(page)).as_uri())
    tab.wait_for_timeout(300)
    tab.keyboard.press(" ")
    for _ in range(200):
        if tab.evaluate("R[S.time]") > 0.5:
            break
        tab.wait_for_timeout(100)
    tab.keyboard.press(" ")
    names = tab.evaluate("DATA.bodies.map(body => body.name)")
    origins = np.array(tab.evaluate(ORIGINS))
    expected = [origins[names.index(name)] for name in ("part", "part.mid", "part.tip")]
    assert 0.02 < expected[2][2] < 0.05  # at rest
    assert_close(tab.evaluate(VERTICES), expected, 2e-3, "vertices")
    assert_close(np.array(tab.evaluate(VERTICES))[:, 2], np.array(expected)[:, 2], 2e-4, "deflection of vertices")
