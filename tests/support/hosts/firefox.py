"""Firefox, driven over WebDriver BiDi, without geckodriver; on a screen in memory where there is none."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
SCREEN = shutil.which("Xvfb")  #: its own headless mode has no WebGL without a graphics processor
needs_firefox = pytest.mark.skipif(
    FIREFOX is None or not (SCREEN or os.environ.get("DISPLAY")),
    reason="firefox and a screen or Xvfb are not installed",
)
PREFERENCES = {"webgl.force-enabled": True, "datareporting.policy.dataSubmissionEnabled": False}
ADDRESS = re.compile(r"listening on (ws://\S+)")
TIMEOUT = 60.0  #: s


class Firefox:
    """One tab of a new Firefox, in a context manager. `said` collects messages of the console and requests."""

    def __init__(self, profile: Path, width: int = 1100, height: int = 800) -> None:
        self.profile, self.size, self.count = profile, (width, height), 0
        self.said: list[str] = []
        self.opened = ExitStack()

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

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def _started(self, opened: ExitStack) -> str:
        """Start the browser; return the address of its session."""
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in PREFERENCES.items()]
        (self.profile / "user.js").write_text("\n".join(lines))
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
        if "DISPLAY" not in environment:
            environment["DISPLAY"] = _new_screen(opened)
        command = [
            str(FIREFOX), "--no-remote", "--profile", str(self.profile), "--remote-debugging-port", "0",
            f"--width={self.size[0]}", f"--height={self.size[1]}",
        ]  # fmt: skip
        said = self.profile / "said.txt"
        with said.open("w") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        opened.callback(_end, process)
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

    def _note(self, event: str, told: dict[str, Any]) -> None:
        if event == "log.entryAdded":
            self.said.append(told["text"])
        elif not told["request"]["url"].startswith(("file:", "data:", "about:")):
            self.said.append(told["request"]["url"])

    def open(self, address: str) -> None:
        """Go to an address, and wait until the page is loaded."""
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def frames(self) -> list[str]:
        """Return the frames in the tab's page."""
        tree = self.call("browsingContext.getTree", root=self.context)["contexts"][0]
        return [child["context"] for child in tree["children"] or []]

    def evaluate(self, expression: str, context: str | None = None) -> Any:
        """Return the value of an expression in the page, or in one of its frames, by way of JSON."""
        code = f"JSON.stringify({expression})"
        target = {"context": context or self.context}
        found = self.call("script.evaluate", expression=code, target=target, awaitPromise=False)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"]) if "value" in found["result"] else None

    def until(self, condition: str, context: str | None = None) -> None:
        """Wait for a condition."""
        began = time.monotonic()
        while time.monotonic() < began + TIMEOUT:
            if self.evaluate(condition, context):
                return
            time.sleep(0.1)
        raise AssertionError(f"never: {condition}")

    def keys(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call(
            "input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}]
        )

    def drag(self, start: tuple[float, float], to: tuple[float, float], held: float) -> None:
        """Press at a point of the page (px), move, and let go after so many seconds."""
        steps: list[dict[str, Any]] = [
            {"type": "pointerMove", "x": round(start[0]), "y": round(start[1])}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round(to[0]), "y": round(to[1]), "duration": 300},
            {"type": "pause", "duration": round(1000 * held)}, {"type": "pointerUp", "button": 0},
        ]  # fmt: skip
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps}
        self.call("input.performActions", context=self.context, actions=[pointer])

    def picture(self, path: str) -> None:
        """Write a picture of the page."""
        shot = self.call("browsingContext.captureScreenshot", context=self.context)
        Path(path).write_bytes(base64.b64decode(shot["data"]))


def _new_screen(opened: ExitStack) -> str:
    """Start a screen in memory; return its name."""
    read, write = os.pipe()
    process = subprocess.Popen(
        [str(SCREEN), "-displayfd", str(write), "-screen", "0", "1300x1000x24"],
        pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    opened.callback(_end, process)
    os.close(write)
    with os.fdopen(read) as told:
        return f":{told.readline().strip()}"


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(TIMEOUT)
