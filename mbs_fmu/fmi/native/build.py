"""Binaries of a native FMU: kernels compiled ahead of time and linked with the C sources for each platform."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...codegen import ahead
from ...codegen.loader import module_hash
from ...infrastructure.disk import cache
from ...infrastructure.progress import OTHERS, done, expect, note
from ...record.program import Program
from ..experiment import Experiment
from ..packing import universal
from . import lowering
from .component import component, manifest
from .linking import library
from .platforms import Platform
from .source import initial_record, model_header

#: Expected times, s: translation of 1 MB of text, one object from it, a link, the first build of a C library.
TRANSLATION, OBJECT, LINK, LIBRARY = 2.4, 1.45, 0.7, 0.6
SLOW_LIBRARIES = {".dll": 60.0, ".wasm": 60.0}  #: the last time for some suffixes
GROWTH = 1.3  #: exponent of the text's length in the first two times, because LLVM takes longer for longer functions


def native_binaries(
    program: Program, experiment: Experiment, fmi: str, token: str, platforms: list[Platform], cpu: str
) -> dict[str, bytes]:
    """Build the libraries of all platforms; return them by their paths in the archive."""
    with tempfile.TemporaryDirectory(prefix="mbs_fmu_") as folder:
        work = Path(folder)
        for platform in platforms:
            expect(
                "links", LINK + (_library_seconds(platform) if ahead.first_time(platform.name, platform.zig) else 0.0)
            )
        kernels = _objects(program, experiment, platforms, cpu, work)
        record = initial_record(program) if program.is_large else None
        header = model_header(program, experiment, token, fmi, apart=record is not None)
        libraries: dict[str, bytes] = {}
        for platform in platforms:
            note("C library" if _first_time(platform) else "")
            parts = header, record, kernels[platform.name]
            libraries[platform.name] = _library(platform, cpu, fmi, *parts, program.name, work)
            ahead.note_built(platform.name, platform.zig)
            done("links")
    return _binaries(libraries, platforms, fmi, program.name)


def _expect(size: int, objects: int) -> None:
    """Add the translation of a text of `size` characters, and the objects made of it, to the expected progress."""
    megabytes = (1e-6 * size) ** GROWTH
    for _ in range(objects):
        expect("objects", OBJECT * megabytes, ahead=True)
    expect("", TRANSLATION * megabytes, ahead=True)


def _first_time(platform: Platform) -> bool:
    return ahead.first_time(platform.name, platform.zig)


def _library_seconds(platform: Platform) -> float:
    """Return the expected time to build the C library of a platform, s."""
    return SLOW_LIBRARIES.get(platform.suffix, LIBRARY)


def _library(
    platform: Platform, cpu: str, fmi: str, header: str, record: np.ndarray | None, kernels: list[Path], name: str,
    work: Path,
) -> bytes:  # fmt: skip
    folder = work / platform.name
    folder.mkdir()
    code = library(platform, cpu, fmi, header, record, kernels, name, folder).read_bytes()
    return component(code) if platform.is_component else code


def _binaries(libraries: Mapping[str, bytes], platforms: list[Platform], fmi: str, name: str) -> dict[str, bytes]:
    """Return the libraries by their paths in the archive.

    FMI 2 has one folder for both processors of macOS, and since version 2.0.4 another one for Apple's.
    """
    if fmi == "3.0":
        files = {f"binaries/{p.name}/{name}{p.suffix}": libraries[p.name] for p in platforms}
        return files | (manifest() if any(p.is_component for p in platforms) else {})
    binaries: dict[str, bytes] = {}
    for folder in {folder for p in platforms for folder in p.folders2}:
        parts = {p.name: libraries[p.name] for p in platforms if folder in p.folders2}
        suffix = next(p.suffix for p in platforms if folder in p.folders2)
        binaries[f"binaries/{folder}/{name}{suffix}"] = (
            universal(parts) if folder == "darwin64" else next(iter(parts.values()))
        )
    return binaries


def _objects(
    program: Program, experiment: Experiment, platforms: list[Platform], cpu: str, work: Path
) -> dict[str, list[Path]]:
    """Write the object files of the kernels to `work`, if possible from the cache; return their paths by platform.

    Models that differ only in values share objects.
    """
    advance = experiment.control.advance
    recipe = "".join(Path(file).read_text(encoding="utf-8") for file in (ahead.__file__, lowering.__file__))
    module = module_hash(ahead.module_ahead(program).text)
    key = hashlib.sha256(f"{module} {advance} {cpu} {recipe}".encode()).hexdigest()[:24]
    objects = {p.name: lowering.objects_of(p, cpu) for p in platforms}
    entries = {one: f"objects/{key}.{_target(one)}.{one.name}" for parts in objects.values() for one in parts}
    if _missing(entries, work):
        with cache.lock(f"objects/{key}", meanwhile=lambda: note(OTHERS)):
            note("")
            missing = _missing(entries, work)  # another process may have written some in the meantime
            if missing:
                _expect(len(program.text), len(missing))
                lowering.write_objects(program, advance, missing, work)
            for one in missing:
                cache.write(entries[one], (work / one.name).read_bytes())
    return {platform: [work / one.name for one in parts] for platform, parts in objects.items()}


def _target(one: lowering.Object) -> str:
    """Return a hash of the target of an object's machine code."""
    return hashlib.sha256(f"{one.platform.triple} {one.cpu}".encode()).hexdigest()[:8]


def _missing(entries: Mapping[lowering.Object, str], work: Path) -> list[lowering.Object]:
    """Return the objects that are not in the cache; write the others to `work`."""
    missing = []
    for one, entry in entries.items():
        code = cache.read(entry)
        if code is None:
            missing.append(one)
        else:
            (work / one.name).write_bytes(code)
    return missing
