"""WebKit, the engine of Safari, as WebKitGTK: its small browser, driven over WebDriver."""

from __future__ import annotations

import base64
import json
import shutil
import socket
import time
import urllib.request
from pathlib import Path
from typing import Any

from .screens import HAS_SCREEN, TIMEOUT, Tab, screen_environment, started

DRIVER = shutil.which("WebKitWebDriver")
BROWSERS = sorted(Path("/usr/lib").glob("*/webkit2gtk-4*/MiniBrowser"))
MISSING = "" if DRIVER and BROWSERS and HAS_SCREEN else "WebKitGTK with its driver, and a screen or Xvfb, are not there"
LANGUAGE = {"LANG": "C", "LC_ALL": "C", "LANGUAGE": "C"}  #: makes the language of pages "C", which is none
LISTED = "performance.getEntriesByType('resource').map(entry => entry.name)"


class WebKit(Tab):
    """A tab of a new browser. WebDriver tells nothing of the console: `said` has the requests only, once asked for.

    folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def __enter__(self) -> WebKit:
        with self.opened as opened, socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
            free.close()
            self.address = f"http://127.0.0.1:{port}/session"
            environment = {**screen_environment(opened), **LANGUAGE}
            started(opened, [str(DRIVER), f"--port={port}"], environment, self.folder / "said.txt")
            options = {"binary": str(BROWSERS[-1]), "args": ["--automation"]}
            wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
            self.address += "/" + self._session(wanted)["sessionId"]
            opened.callback(self.call, "DELETE", "")
            self.opened = opened.pop_all()
        return self

    def _session(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """Return a new session, once the driver listens."""
        began = time.monotonic()
        while True:
            try:
                session: dict[str, Any] = self.call("POST", "", wanted)
            except ConnectionError:
                if time.monotonic() > began + TIMEOUT:
                    raise
                time.sleep(0.1)
            else:
                return session

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Return the value of a command."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read().decode()) from None
        except urllib.error.URLError as error:
            raise ConnectionError(str(error)) from None

    def open(self, address: str) -> None:
        self.call("POST", "/url", {"url": address})

    def evaluate(self, expression: str) -> Any:
        script = f"return JSON.stringify({expression})"
        text = self.call("POST", "/execute/sync", {"script": script, "args": []})
        self.said += json.loads(
            self.call("POST", "/execute/sync", {"script": f"return JSON.stringify({LISTED})", "args": []})
        )
        return None if text is None else json.loads(text)

    def act(self, actions: list[dict[str, Any]]) -> None:
        self.call("POST", "/actions", {"actions": actions})

    def picture(self) -> bytes:
        return base64.b64decode(self.call("GET", "/screenshot"))
