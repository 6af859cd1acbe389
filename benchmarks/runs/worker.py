"""The process of a program: `python -m benchmarks.runs.worker PROGRAM` reads and writes a JSON object a line.

A request is one of

- `{"system": data}`: the system of the next requests; the answer has the adapter's `settings` for it;
- `{"run": setting, "stop": s, "again": bool}`: a run; the answer has the `markers` at the end, the processor time
  `cpu`, s, and a `note`. With `again` it is repeated, short ones until `SPAN` has passed, and the time is the median
  without the first one, which can pay for a change of settings;
- `{"build": setting}`: the construction of a model, which later requests make on their own otherwise;
- `{"energy": setting}`: the energy at the start, J.

Answers to failed requests have an `error`, and `unsupported` if the peer has no elements for the system. The first line
that is written has the `version`.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
import traceback
from typing import Any

from .data import Setting, System, Unsupported

SPAN = 0.02  #: s
MOST_MODELS = 30  #: that are kept, since some programs build a model for each step


class Server:
    """Answers of an adapter."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.models: dict[str, Any] = {}

    def answer(self, ask: dict[str, Any]) -> dict[str, Any]:
        if "system" in ask:
            self.system = System.from_json(ask["system"])
            self.models.clear()
            return {"settings": [setting.to_json() for setting in self.adapter.settings(self.system)]}
        setting = Setting(**next(ask[kind] for kind in ("run", "build", "energy") if kind in ask))
        model = self.model(setting)
        if "build" in ask:
            return {}
        if "energy" in ask:
            return {"energy": model.energy()}
        stop = ask.get("stop") or self.system.stop
        times: list[float] = []
        while not times or (ask.get("again") and sum(times[1:]) < SPAN):
            began = time.process_time()
            markers, note = model.run(setting, stop)
            times.append(time.process_time() - began)
        return {"markers": markers, "cpu": statistics.median(times[1:] or times), "note": note}

    def model(self, setting: Setting) -> Any:
        """The built model, one for each value of what its construction depends on."""
        key = json.dumps(setting.build, sort_keys=True)
        if key not in self.models:
            if len(self.models) >= MOST_MODELS:
                self.models.clear()
            self.models[key] = self.adapter.build(self.system, setting)
        return self.models[key]


def adapter_of(program: str) -> Any:
    return importlib.import_module(f"{__package__}.peers.{program}")


def serve(program: str) -> None:
    """Answer requests until the input ends."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)  # what libraries print

        def write(answer: dict[str, Any]) -> None:
            print(json.dumps(answer), file=out, flush=True)

        adapter = adapter_of(program)
        server = Server(adapter)
        write({"version": adapter.version()})
        for line in sys.stdin:
            try:
                answer = server.answer(json.loads(line))
            except Unsupported as reason:
                answer = {"unsupported": str(reason), "error": str(reason)}
            except Exception as failed:  # of any program: the next requests are answered all the same
                traceback.print_exc()
                answer = {"error": f"{type(failed).__name__}: {' '.join(str(failed).split())[:160]}"}
            write(answer)


def first(program: str) -> None:
    """Read a system and a setting, make one run, and print the processor time of the process from its start."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    ask = json.loads(sys.stdin.readline())
    server = Server(adapter_of(program))
    server.answer({"system": ask["system"]})
    server.answer({"run": ask["run"]})
    print(time.process_time(), file=out, flush=True)
    os._exit(0)  # without the destructors of libraries, some of which fail


if __name__ == "__main__":
    (first if sys.argv[2:] == ["first"] else serve)(sys.argv[1])
