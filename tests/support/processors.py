"""Other processors: their compilers and emulators."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass

import pytest

from .c_programs import WARNINGS


@dataclass(frozen=True)
class Processor:
    """A compiler and an emulator; `packages` are Debian's names of the programs."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]
    packages: str
    files: tuple[str, ...] = ()  #: sources beside those of the model

    def require(self) -> None:
        """Skip the test without the programs."""
        for program in {self.compiler[0], self.emulator[0]}:
            if shutil.which(program) is None:
                pytest.skip(f"{program} is not installed (Debian: {self.packages})")
        if "ziglang" in self.compiler and importlib.util.find_spec("ziglang") is None:
            pytest.skip("the extra `native` has the compiler")


def _linux(target: str, emulator: str) -> Processor:
    command = (sys.executable, "-m", "ziglang", "cc", "-target", target, "-static", *WARNINGS)
    return Processor(command, (emulator,), "qemu-user")


LINUX = {
    "arm64": _linux("aarch64-linux-musl", "qemu-aarch64"),
    "arm32": _linux("arm-linux-musleabihf", "qemu-arm"),
    "riscv64": _linux("riscv64-linux-musl", "qemu-riscv64"),
}
