"""The model of a live page, run by node: its scripts without a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mbs_fmu.view.page import Page
from support.paths import ROOT

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
SCRIPTS = ("data.js", "live_model.js")
BROWSERLESS = """
const fs = require('fs'), page = JSON.parse(fs.readFileSync(process.argv[2]));
globalThis.document = { getElementById: () => ({ textContent: JSON.stringify(page) }) };
globalThis.location = { hash: HASH };
"""


def data_of(page: Page) -> dict[str, Any]:
    """Return the data of a page."""
    match = re.search(r'<script id="data"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def in_node(page: Page, code: str, folder: Path, timeout: float = 300.0, options: str = "") -> Any:
    """Return what `code` passes to `answer`, run after the scripts of the page's model.

    options: the part of the address behind #.
    """
    assert NODE is not None
    (folder / "page.json").write_text(json.dumps(data_of(page)))
    scripts = [(ROOT / "mbs_fmu" / "view" / "web" / name).read_text().replace("'use strict';", "") for name in SCRIPTS]
    answer = "const answer = x => fs.writeFileSync(process.argv[3], JSON.stringify(x));"
    (folder / "run.js").write_text(
        "\n".join([BROWSERLESS.replace("HASH", json.dumps("#" + options)), *scripts, answer, code])
    )
    out = folder / "answer.json"
    command = [NODE, str(folder / "run.js"), str(folder / "page.json"), str(out)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert run.returncode == 0, run.stderr
    return json.loads(out.read_text())
