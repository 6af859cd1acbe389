"""Findings of `mbs.check_robot` on robot files below folders: `python -m benchmarks.robot_checks FOLDER ...`.

The table has, for each finding, the numbers of findings and of files, and examples. `--list KIND` prints all findings
of a kind, `--format urdf` checks files of one format. Published robots come with packages such as example-robot-data,
pybullet, icub-models and drake; a folder may be that of site-packages.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import mbs_fmu as mbs

SUFFIXES = {"urdf": (".urdf",), "sdf": (".sdf", ".world"), "mjcf": (".xml",)}
MOST = 3  #: examples


def files(folders: list[Path], suffixes: tuple[str, ...], without: list[str]) -> Iterator[Path]:
    """Robot files below folders; XML only if its outer element is that of an MJCF."""
    paths = [path for folder in folders for path in ([folder] if folder.is_file() else sorted(folder.rglob("*")))]
    for path in paths:
        if path.suffix not in suffixes or not path.is_file() or any(part in str(path) for part in without):
            continue
        if path.suffix != ".xml" or b"<mujoco" in path.read_bytes()[:4000]:
            yield path


def census(paths: Iterator[Path], listed: str | None) -> list[str]:
    """Lines of the table."""
    begin, slowest = time.perf_counter(), (0.0, "")
    counts, where, examples = Counter[tuple[str, str]](), defaultdict(set), defaultdict(list)
    causes = Counter[str]()
    links = checked = clean = 0
    for path in paths:
        start = time.perf_counter()
        report = mbs.check_robot(path)
        slowest = max(slowest, (time.perf_counter() - start, str(path)))
        checked, links = checked + 1, links + report.links
        clean += not (report.errors or report.warnings)
        for finding in report:
            key = finding.level, finding.kind
            counts[key] += 1
            where[key].add(path)
            examples[key].append(f"{path.parent.name}/{finding.place} {finding.on} {finding.value[:70]}")
            causes.update([finding.cause] if finding.cause and finding.level != "note" else [])
            if listed and listed in finding.kind:
                print(f"{path.parent}/", *finding.lines(), sep="\n", flush=True)
    lines = [f"{checked} files, {links} links, {clean} files without errors and warnings"]
    lines += [
        f"{time.perf_counter() - begin:.1f} s; slowest {slowest[0]:.2f} s, {slowest[1]}",
        "",
        "level, finding, findings, files",
    ]
    for key, count in sorted(counts.items(), key=lambda item: (item[0][0], -item[1])):
        lines.append(f"{key[0]:8} {key[1]:50} {count:5} {len(where[key]):4}")
        lines += [f"{'':12}{text}" for text in examples[key][:: max(1, count // MOST)][:MOST]]
    return [*lines, "", *(f"{count:5} {cause}" for cause, count in causes.most_common(20))]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--format", choices=SUFFIXES, action="append", help="default: all")
    parser.add_argument("--without", action="append", default=[], help="leave out paths that contain this text")
    parser.add_argument("--list", help="print all findings whose kind contains this text")
    options = parser.parse_args()
    suffixes = sum((SUFFIXES[name] for name in options.format or SUFFIXES), ())
    print("\n".join(census(files(options.folders, suffixes, options.without), options.list)))


if __name__ == "__main__":
    main()
