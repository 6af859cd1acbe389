"""Chromium, driven by the package playwright; what a page says and asks for."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(BROWSER is None, reason="chromium is not installed")
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
DRIVER_NOTES = "GPU stall due to ReadPixels"  #: message of drivers in software, not of the page


def launched(driver: Any) -> Any:
    """Return a new browser of playwright's driver."""
    return driver.chromium.launch(executable_path=BROWSER, args=list(OPTIONS))


def heard(tab: Any) -> list[str]:
    """Return a list that collects what a tab says on the console, its errors, and what it requests but files."""
    said: list[str] = []
    tab.on("console", lambda message: said.append(message.text) if DRIVER_NOTES not in message.text else None)
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith("file:") else None)
    return said
