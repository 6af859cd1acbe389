"""A live page as the result of a notebook's cell: a kernel computes it, a browser runs it in its frame."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from support.hosts.chromium import heard, launched, needs_chromium

nbclient = pytest.importorskip("nbclient", reason="the package nbclient runs notebooks")
sync_api = pytest.importorskip("playwright.sync_api", reason="the package playwright drives the browser")
nbformat = pytest.importorskip("nbformat", reason="the package nbformat makes notebooks")
pytest.importorskip("ipykernel", reason="notebooks need a kernel")
pytest.importorskip("ziglang", reason="live pages need the package ziglang")
pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_chromium]
CELL = """
import mbs_fmu as mbs
m = mbs.Model("pendulum")
rod = m.body("rod", joint=mbs.Revolute("y"), **mbs.rod((0, 0, -1), mass=1.0))
m.start(rod, q=0.5)
mbs.live(m, play=True)
"""


def outputs_of(code: str) -> list[Any]:
    """Return the outputs of a cell that a new kernel has run."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs: list[Any] = notebook.cells[0].outputs
    return outputs


@pytest.mark.filterwarnings("ignore")  # of the kernel's packages
def test_a_cell_shows_a_page_that_runs(tmp_path: Path) -> None:
    """The cell's last value is a frame, in which the model runs without a request and without a message."""
    shown = [output for output in outputs_of(CELL) if output.output_type == "execute_result"]
    assert len(shown) == 1 and shown[0]["data"]["text/plain"].startswith("page of 'pendulum'")
    frame = shown[0]["data"]["text/html"]
    assert frame.startswith("<iframe srcdoc=")
    document = tmp_path / "notebook.html"
    document.write_text(f"<!doctype html><meta charset='utf-8'><title>notebook</title><div>{frame}</div>")
    with sync_api.sync_playwright() as driver:
        browser = launched(driver)
        tab = browser.new_page(viewport={"width": 1000, "height": 600})
        said = heard(tab)
        tab.goto(document.as_uri())
        inner = tab.frames[1]
        for _ in range(200):
            if inner.evaluate("R[S.time] > 0.5"):
                break
            tab.wait_for_timeout(100)
        if folder := os.environ.get("MBS_FMU_PICTURES"):
            tab.screenshot(path=f"{folder}/notebook.png")
        assert inner.evaluate("running && R[S.time] > 0.5")
        browser.close()
    assert said == []
