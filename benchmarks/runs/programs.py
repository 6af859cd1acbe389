"""The compared programs, and the processes that run them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checkouts import ROOT, TIER
from ..report import Unavailable
from .data import Setting, System

OURS = "ours"
START = 120.0  #: s of wall time for a process to start, or to build a model
VARIABLES = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    "EXUDYN_MODULE": "fast",  # without checks of ranges
}


@dataclass(frozen=True)
class Program:
    """A program by the name of its adapter and of its list of requirements, and how reports show it."""

    name: str
    title: str
    colour: str


PROGRAMS = (
    Program(OURS, "mbs_fmu", "C0"),
    Program("mujoco", "MuJoCo", "C1"),
    Program("pinocchio", "Pinocchio + scipy", "C2"),
    Program("drake", "Drake", "C3"),
    Program("opensim", "OpenSim (Simbody)", "C4"),
    Program("exudyn", "Exudyn", "C5"),
    Program("dart", "DART", "C7"),
    Program("rumoca", "rumoca (Modelica)", "C6"),
)
BY_NAME = {program.name: program for program in PROGRAMS}


@dataclass(frozen=True)
class Interpreters:
    """Pythons of the programs: those given by name, else those of a folder of environments, else this one."""

    given: dict[str, str]
    folder: Path | None = None

    def of(self, program: str) -> str:
        if program in self.given:
            return self.given[program]
        folder = self.folder / program if self.folder else None
        places = [folder / "bin" / "python", folder / "Scripts" / "python.exe"] if folder else []
        return str(next((place for place in places if place.exists()), sys.executable))


def environment(program: str, cache: Path, full: bool = True) -> dict[str, str]:
    """Environment of a program's process; full: this package's code is fully optimised at once."""
    variables = {name: value for name, value in os.environ.items() if name != TIER}
    if program == OURS and full:
        variables[TIER] = "full"
    return {**variables, **VARIABLES, "PYTHONPATH": str(ROOT), "MBS_FMU_CACHE": str(cache)}


def command(python: str, program: str, *arguments: str) -> list[str]:
    return [python, "-W", "ignore", "-m", f"{__package__}.worker", program, *arguments]


class Slow(Exception):
    """A run that took more wall time than allowed; its process has been ended."""


class Worker:
    """The process of a program. Raises Unavailable if it does not start."""

    def __init__(self, program: str, interpreters: Interpreters, folder: Path) -> None:
        self.program, self.interpreters, self.folder = program, interpreters, folder
        self.system: System | None = None
        self.version = self._start()

    def _start(self) -> str:
        python = self.interpreters.of(self.program)
        if not Path(python).exists():
            raise Unavailable(f"there is no {python}")
        self.log = (self.folder / f"{self.program}.log").open("a", encoding="utf-8")
        self.process = subprocess.Popen(
            command(python, self.program), cwd=self.folder, text=True, encoding="utf-8",
            env=environment(self.program, self.folder / "cache"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log,
        )  # fmt: skip
        self.lines: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True)
        self.reader.start()
        try:
            return str(self._answer(START)["version"])
        except Slow:
            self.close()
            raise Unavailable(f"its process does not answer in {START:g} s") from None
        except RuntimeError:
            self.process.wait()  # such that its last words are in the log
            self.close()
            raise Unavailable(_reason(self.folder / f"{self.program}.log")) from None

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")  # the process has ended

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            raise Slow(f"more than {seconds:g} s") from None
        if not line:
            raise RuntimeError("the process has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer; one with an `error` if the process ended or took more wall time than `seconds`."""
        assert self.process.stdin is not None
        try:
            print(json.dumps(request), file=self.process.stdin, flush=True)
            return self._answer(seconds)
        except (Slow, RuntimeError, OSError) as failed:
            self.close()
            self._start()
            if self.system:
                self.load(self.system)
            return {"error": str(failed), "slow": isinstance(failed, Slow)}

    def load(self, system: System) -> list[Setting]:
        """Make the next requests concern this system. Raises Unavailable for those that the program cannot have."""
        self.system = None  # such that a failure is not repeated
        answer = self.ask({"system": system.to_json()}, START)
        if "error" in answer:
            raise Unavailable(answer["error"])
        self.system = system
        return [Setting(**item) for item in answer["settings"]]

    def run(self, setting: Setting, seconds: float, again: bool = False, stop: float | None = None) -> dict[str, Any]:
        return self.ask({"run": setting.to_json(), "stop": stop, "again": again}, seconds)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            with contextlib.suppress(OSError):  # of requests that nobody reads
                if stream:
                    stream.close()


def _reason(log: Path) -> str:
    """The last line of a log."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "its process does not start"
