"""Dependencies and exported symbols of native FMUs' libraries. Those for macOS are parsed, not run on a Mac."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from mbs_fmu.fmi.native.platforms import host
from support.hosts.c_hosts import HEADERS, library, only_linux
from support.hosts.fmus import Builder

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow


def functions(fmi: str) -> set[str]:
    """All functions of a version of FMI, from the standard's header."""
    text = (HEADERS / f"fmi{fmi[0]}FunctionTypes.h").read_text(encoding="utf-8", errors="replace")
    return set(re.findall(rf"^\s*typedef\s+[\w* ]+?\s*\b(fmi{fmi[0]}\w+)TYPE\s*\(", text, re.MULTILINE))


class Elf:
    """The parts of a 64-bit little-endian ELF library that the dynamic linker reads."""

    def __init__(self, data: bytes):
        self.data = data
        assert data[:6] == b"\x7fELF\x02\x01"
        offset, (size, count) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + k * size) for k in range(count)]

    def text(self, section: tuple[int, ...], offset: int) -> str:
        start = self.sections[section[6]][4] + offset
        return self.data[start : self.data.index(b"\0", start)].decode()

    def rows(self, kind: int, form: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Section and entry, for all sections of a kind."""
        for s in self.sections:
            if s[1] == kind:
                yield from ((s, row) for row in struct.iter_unpack(form, self.data[s[4] : s[4] + s[5]]))

    def needed(self) -> set[str]:
        return {self.text(s, value) for s, (tag, value) in self.rows(6, "<QQ") if tag == 1}

    def exported(self) -> set[str]:
        symbols = self.rows(11, "<IBBHQQ")
        return {self.text(s, name) for s, (name, info, other, where, _, _) in symbols if where and info >> 4 in (1, 2)}

    def versions(self) -> set[str]:
        """Names of the symbol versions required of other libraries."""
        names = set()
        for s in (s for s in self.sections if s[1] == 0x6FFFFFFE):
            place = s[4]
            for _ in range(s[7]):
                _, count, _, first, following = struct.unpack_from("<HHIII", self.data, place)
                entry = place + first
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<IHHII", self.data, entry)
                    names.add(self.text(s, name))
                    entry += step
                place += following
        return names


@pytest.mark.parametrize("folder", ["linux64", "aarch64-linux"])
def test_linux_library_needs_the_c_library_only(governor: Path, tmp_path: Path, folder: str) -> None:
    """The Linux library needs libc and libm, no version above 2.17, and exports exactly FMI's functions."""
    elf = Elf(library(governor, tmp_path / folder).read_bytes())
    assert elf.needed() <= {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}
    assert elf.versions()
    assert all(tuple(map(int, v.removeprefix("GLIBC_").split("."))) <= (2, 17) for v in elf.versions())
    assert elf.exported() == functions("2.0")


def test_fmi3_library_shows_the_functions_of_fmi3(host_fmu: Builder, tmp_path: Path) -> None:
    """The FMI 3 library exports exactly the functions of FMI 3."""
    only_linux()
    elf = Elf(library(host_fmu("governor", "rk4", "native", "3.0"), tmp_path / host()).read_bytes())
    assert elf.exported() == functions("3.0")


# -- macOS -----------------------------------------------------------------------------------------------

ID_DYLIB, LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0xD, 0xC, 0x1D, 0x32
EXPORTS_TRIE, DYLD_INFO = 0x80000033, 0x80000022
LINKER = {"__dso_handle", "_mh_dylib_header"}  #: symbols that zig's linker adds

CPUS = {0x01000007: "x86_64", 0x0100000C: "arm64"}


def slices(data: bytes) -> dict[str, bytes]:
    """Parts of a universal Mach-O file by processor."""
    magic, count = struct.unpack_from(">II", data)
    assert magic == 0xCAFEBABE
    parts = {}
    for k in range(count):
        cpu, _, offset, size, align = struct.unpack_from(">5I", data, 8 + 20 * k)
        assert offset % 2**align == 0 and offset + size <= len(data)
        parts[CPUS[cpu]] = data[offset : offset + size]
    return parts


def commands(part: bytes) -> dict[int, list[bytes]]:
    """Load commands of a 64-bit dynamic library by kind."""
    magic, _, _, filetype, count = struct.unpack_from("<5I", part)
    assert (magic, filetype) == (0xFEEDFACF, 6)
    by_kind: dict[int, list[bytes]] = {}
    place = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", part, place)
        by_kind.setdefault(kind, []).append(part[place : place + size])
        place += size
    return by_kind


def name_in(command: bytes) -> str:
    start = struct.unpack_from("<I", command, 8)[0]
    return command[start:].split(b"\0")[0].decode()


def number(trie: bytes, place: int) -> tuple[int, int]:
    """A ULEB128 number and the position after it."""
    value = shift = 0
    while True:
        value |= (trie[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if trie[place - 1] < 128:
            return value, place


def exported_names(trie: bytes, node: int = 0, name: bytes = b"") -> set[str]:
    """Names in a trie of exported symbols, without their leading underscore."""
    size, place = number(trie, node)
    names = {name.decode().removeprefix("_")} if size else set()
    count, place = trie[place + size], place + size + 1
    for _ in range(count):
        end = trie.index(b"\0", place)
        child, following = number(trie, end + 1)
        names |= exported_names(trie, child, name + trie[place:end])
        place = following
    return names


def exports(part: bytes) -> bytes:
    """Trie of exported symbols, from the load command that dyld reads."""
    load_commands = commands(part)
    if EXPORTS_TRIE in load_commands:
        start, size = struct.unpack_from("<II", load_commands[EXPORTS_TRIE][0], 8)
    else:
        start, size = struct.unpack_from("<II", load_commands[DYLD_INFO][0], 40)
    return part[start : start + size]


@pytest.mark.parametrize("cpu", CPUS.values())
def test_macos_library(governor: Path, tmp_path: Path, cpu: str) -> None:
    """The library for macOS 11 or later is found beside its importer, needs the system's library only and exports
    exactly FMI's functions. Parsed here, not run on a Mac.
    """
    parts = slices(library(governor, tmp_path / "darwin64").read_bytes())
    assert set(parts) == set(CPUS.values())
    load_commands = commands(parts[cpu])
    assert [name_in(c) for c in load_commands[ID_DYLIB]] == ["@rpath/governor.dylib"]
    assert [name_in(c) for c in load_commands[LOAD_DYLIB]] == ["/usr/lib/libSystem.B.dylib"]
    assert [struct.unpack_from("<II", c, 8) for c in load_commands[BUILD_VERSION]] == [(1, 11 << 16)]
    assert exported_names(exports(parts[cpu])) - LINKER == functions("2.0")


def test_macos_library_for_apple_processors_is_signed(governor: Path, tmp_path: Path) -> None:
    """For Apple's processors, which load nothing unsigned, the ad hoc signature has the hashes of the pages.
    Parsed here, not run on a Mac.
    """
    part = slices(library(governor, tmp_path / "darwin64").read_bytes())["arm64"]
    start, _ = struct.unpack_from("<II", commands(part)[CODE_SIGNATURE][0], 8)
    magic, _, count = struct.unpack_from(">III", part, start)
    assert magic == 0xFADE0CC0
    blobs = [start + struct.unpack_from(">II", part, start + 12 + 8 * k)[1] for k in range(count)]
    directory = next(b for b in blobs if struct.unpack_from(">I", part, b)[0] == 0xFADE0C02)
    flags, hashes, _, _, pages, limit = struct.unpack_from(">6I", part, directory + 12)
    size, kind, _, log_page = struct.unpack_from(">4B", part, directory + 36)
    assert flags & 2 and (size, kind) == (32, 2) and limit == start
    for k in range(pages):
        page = part[k << log_page : min((k + 1) << log_page, limit)]
        at = directory + hashes + 32 * k
        assert hashlib.sha256(page).digest() == part[at : at + 32]
