"""Firefox, driven over WebDriver BiDi, without geckodriver."""

from __future__ import annotations

import base64
import json
import re
import shutil
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from .screens import HAS_SCREEN, TIMEOUT, Tab, screen_environment, started

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
MISSING = "" if FIREFOX and HAS_SCREEN else "firefox and a screen or Xvfb are not installed"
PREFERENCES = {"webgl.force-enabled": True, "datareporting.policy.dataSubmissionEnabled": False}
ADDRESS = re.compile(r"listening on (ws://\S+)")


class Firefox(Tab):
    """A tab of a new Firefox. Its own mode without a screen has no WebGL without a graphics processor.

    profile: an empty folder.
    """

    def __init__(self, profile: Path, width: int = 1100, height: int = 800) -> None:
        super().__init__()
        self.profile, self.size, self.count = profile, (width, height), 0

    def __enter__(self) -> Firefox:
        from websockets.sync.client import connect

        with self.opened as opened:
            address = self._started(opened)
            self.socket = opened.enter_context(connect(f"{address}/session", max_size=None))
            self.call("session.new", capabilities={})
            self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
            self.call("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
            self.opened = opened.pop_all()
        return self

    def _started(self, opened: ExitStack) -> str:
        """Start the browser; return the address of its session."""
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
        (self.profile / "user.js").write_text("\n".join(lines))
        command = [
            str(FIREFOX), "--no-remote", "--profile", str(self.profile), "--remote-debugging-port", "0",
            f"--width={self.size[0]}", f"--height={self.size[1]}",
        ]  # fmt: skip
        said = self.profile / "said.txt"
        process = started(opened, command, screen_environment(opened), said)
        began = time.monotonic()
        while time.monotonic() < began + TIMEOUT and process.poll() is None:
            if found := ADDRESS.search(said.read_text()):
                return found[1]
            time.sleep(0.1)
        raise AssertionError(f"firefox does not listen: {said.read_text()}")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a command; events that come before it are noted."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv(TIMEOUT))
            if answer.get("id") == self.count:
                assert answer["type"] == "success", answer
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer["method"], answer["params"])

    def _note(self, event: str, data: dict[str, Any]) -> None:
        if event == "log.entryAdded":
            self.said.append(data["text"])
        elif not data["request"]["url"].startswith(("file:", "data:", "about:")):
            self.said.append(data["request"]["url"])

    def open(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> Any:
        code, target = f"JSON.stringify({expression})", {"context": self.context}
        found = self.call("script.evaluate", expression=code, target=target, awaitPromise=False)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"]) if "value" in found["result"] else None

    def act(self, actions: list[dict[str, Any]]) -> None:
        self.call("input.performActions", context=self.context, actions=actions)

    def picture(self) -> bytes:
        return base64.b64decode(self.call("browsingContext.captureScreenshot", context=self.context)["data"])
