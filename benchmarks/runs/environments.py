"""Environments of the peers: `python -m benchmarks.runs.environments FOLDER` makes one for each list of requirements.

They take some 2 GB. `python -m benchmarks.runs --environments FOLDER` uses them; this package runs in the environment
of the command itself.
"""

from __future__ import annotations

import argparse
import subprocess
import venv
from pathlib import Path

from ..report import progress

REQUIREMENTS = Path(__file__).parent / "requirements"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runs.environments", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the environments, each named after its peer")
    names = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
    parser.add_argument(
        "--peers", nargs="+", choices=names, default=names, metavar="NAME", help=f"of {', '.join(names)}"
    )
    options = parser.parse_args()
    for name in options.peers:
        progress(f"environment of {name}")
        path = options.folder / name
        venv.create(path, with_pip=True)
        python = next(p for p in (path / "bin" / "python", path / "Scripts" / "python.exe") if p.exists())
        command = [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(REQUIREMENTS / f"{name}.txt")]
        if subprocess.run(command, check=False).returncode:
            progress(f"{name} cannot be installed here, and will be left out")


if __name__ == "__main__":
    main()
