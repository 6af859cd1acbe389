"""Census of robot files: what is read, what agrees with Pinocchio and MuJoCo, and what is complete.

python -m benchmarks.robot_census FOLDER... counts the URDF, SDFormat and MJCF files below the folders (or those of
installed packages, without folders), prints a line for each that is refused or disagrees, and tables of the reasons.
An MJCF is read with contacts and stops. It is complete if no note names something that is left out or changed, other
than pairs of shapes that never touch. The peers need `pip install mujoco pin`.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mbs_fmu as mbs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from support.oracles.robot_peers import Beside, BesideMuJoCo, installed

SUFFIXES = (".urdf", ".sdf", ".xml")
AGREES = 1e-9  #: relative error of mass matrix and accelerations
LARGEST = 60  #: degrees of freedom; larger robots are read, not compared
LONGEST = 60  #: s of processor time for a file
STOPS = (1e4, 10.0)
#: Notes on an MJCF that name nothing which is left out or changed.
HARMLESS = (
    r"contacts: \d+ of \d+ pairs", r"contacts are springs here", r"left out: \d+ pairs that touch at none",
    r"equalities are rigid here", r"joint .* starts at zero, outside its limits", r"friction of joints",
    r"MuJoCo warns", r"limits of \d+ (joints|tendons) are springs", r"joint .* is at .* in the reference pose",
)  # fmt: skip
NUMBERS = re.compile(r"'[^']*'|\(.*\)|\d+")  #: what differs in notes of one kind


@dataclass
class Count:
    """What was found out about the files of one format."""

    files: int = 0
    read: int = 0
    compared: int = 0
    agree: int = 0
    complete: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    lawless: Counter[str] = field(default_factory=Counter)


class TooLong(Exception):
    """A file takes longer than the limit."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooLong after some seconds of processor time."""

    def end(*_: object) -> None:
        raise TooLong(f"takes more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def kind_of(text: str) -> str:
    """Return the kind of a note or message: without names and numbers."""
    return NUMBERS.sub("..", text)[:90]


def movable(path: Path, known: set[Any]) -> bool:
    """Return whether MuJoCo compiles a file that moves and repeats none of the `known` ones."""
    import mujoco

    try:
        mj = mujoco.MjModel.from_xml_path(str(path))
    except Exception:
        return False
    key = (mj.nq, mj.nv, mj.ngeom, mj.nu, float(mj.body_mass.sum()))
    is_new = key not in known
    known.add(key)
    return bool(mj.nv) and is_new


def mjcf(path: Path, count: Count) -> None:
    """Read an MJCF with contacts and without, and compare the latter with MuJoCo."""
    robot = mbs.from_mjcf(path, contacts=mbs.FileContacts(most=10**6), stops=STOPS, friction="sticks", mocap="inputs")
    omissions = [note for note in robot.notes if not re.match("|".join(HARMLESS), note)]
    count.read += 1
    count.complete += not omissions
    count.notes.update({kind_of(note) for note in omissions})
    for note in robot.notes:
        if "without a law" in note:
            count.lawless.update({kind: int(n) for kind, n in re.findall(r"([a-z]+-[a-z]+) (\d+)", note)})
    plain = mbs.from_mjcf(path)
    if sum(len(body.rates) for body in plain.model.bodies.values()) <= LARGEST:
        compare(path, BesideMuJoCo(path, plain).errors(), plain.notes, count)


def urdf(path: Path, count: Count) -> None:
    """Read a URDF and compare it with Pinocchio."""
    robot = mbs.from_urdf(path, unphysical="keep", massless="weld")
    count.read += 1
    count.notes.update({kind_of(note) for note in robot.notes})
    if robot.model.bodies and sum(len(body.rates) for body in robot.model.bodies.values()):
        compare(path, Beside(path, robot).errors(), robot.notes, count)


def sdf(path: Path, count: Count) -> None:
    """Read an SDFormat file."""
    robot = mbs.from_sdf(path, unphysical="keep", massless="weld")
    count.read += 1
    count.notes.update({kind_of(note) for note in robot.notes})


def compare(path: Path, errors: dict[str, float], notes: list[str], count: Count) -> None:
    count.compared += 1
    largest = max(errors.values())
    count.agree += largest <= AGREES
    if not largest <= AGREES:
        worst = ", ".join(f"{name} {error:.1e}" for name, error in errors.items() if not error <= AGREES)
        print(f"  {path.name}: {worst}; notes: {'; '.join(notes)[:300] or 'none'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robot_census", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders; by default those of installed packages")
    parser.add_argument("--formats", nargs="+", choices=("urdf", "sdf", "mjcf"), default=["urdf", "sdf", "mjcf"])
    options = parser.parse_args()
    logging.disable()
    warnings.simplefilter("ignore")
    known: set[Any] = set()
    for name in options.formats:
        suffix, examine = {"urdf": (".urdf", urdf), "sdf": (".sdf", sdf), "mjcf": (".xml", mjcf)}[name]
        paths = [path for folder in options.folders for path in sorted(folder.rglob(f"*{suffix}"))]
        count = Count()
        print(f"{name}", flush=True)
        for path in paths or installed(suffix):
            if name == "mjcf" and not movable(path, known):
                continue
            count.files += 1
            try:
                with limited(LONGEST):
                    examine(path, count)
            except Exception as error:  # whatever a file causes is counted
                count.refused[kind_of(f"{type(error).__name__}: {error}".replace(path.name, "FILE"))] += 1
                print(f"  {path.name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
        report(count)


def report(count: Count) -> None:
    print(
        f"  files {count.files}, read {count.read}, complete {count.complete}, compared {count.compared}, "
        f"agree to {AGREES:g} {count.agree}"
    )
    for title, counter in (("refused", count.refused), ("notes", count.notes), ("pairs without a law", count.lawless)):
        for text, number in counter.most_common(25):
            print(f"  {title:20} {number:5}  {text}")


if __name__ == "__main__":
    main()
