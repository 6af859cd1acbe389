"""Platforms of native FMUs, by their FMI 3 names."""

from __future__ import annotations

import platform
from typing import Any

from ...codegen import wasm
from ...infrastructure.arguments import is_one_of
from ...infrastructure.errors import ArgumentError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.failures import display


@dataclass(frozen=True)
class Platform:
    """A platform of native FMUs.

    name: FMI 3 name, also that of the binaries folder. triple: LLVM triple. cpu: oldest supported processor. zig:
    target of the linker, with the oldest supported system. suffix: file suffix of shared libraries. folders2: binaries
    folders of FMI 2: those of its table, for all but x86 the names that FMI 2.0.4 takes from FMI 3, or both; none for
    a platform of FMI 3 only. is_in_all: false for a platform that FMUs have on request only. features: processor
    features besides those of `cpu`, in LLVM's form. relocation: LLVM's relocation model.
    """

    name: str
    triple: str
    cpu: str
    zig: str
    suffix: str
    folders2: tuple[str, ...]
    is_in_all: bool = True
    features: str = ""
    relocation: str = "pic"

    @property
    def architecture(self) -> str:
        return self.name.partition("-")[0]

    @property
    def is_component(self) -> bool:
        """True for a WebAssembly component in place of a shared library."""
        return self.suffix == ".wasm"

    def cpus(self, cpu: str) -> dict[str, str]:
        """Return the processors to compile for; the keys are suffixes of the names of the compiled functions.

        Baseline x86 libraries contain code for two processors and choose between them at run time.
        """
        if self.cpu != "x86-64":
            return {"": self.cpu}
        return {"": self.cpu, "_v3": "x86-64-v3"} if cpu == "baseline" else {"": cpu}


ALL = {
    p.name: p
    for p in (
        Platform("x86_64-linux", "x86_64-unknown-linux-gnu", "x86-64", "x86_64-linux-gnu.2.17", ".so", ("linux64",)),
        Platform("x86_64-windows", "x86_64-pc-windows-gnu", "x86-64", "x86_64-windows-gnu", ".dll", ("win64",)),
        Platform("x86_64-darwin", "x86_64-apple-macosx11.0.0", "x86-64", "x86_64-macos.11.0", ".dylib", ("darwin64",)),
        Platform(
            "aarch64-darwin",
            "arm64-apple-macosx11.0.0",
            "apple-m1",
            "aarch64-macos.11.0",
            ".dylib",
            ("darwin64", "aarch64-darwin"),
        ),
        Platform(
            "aarch64-linux", "aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17", ".so", ("aarch64-linux",)
        ),
        Platform(
            "aarch64-windows",
            "aarch64-pc-windows-gnu",
            "generic",
            "aarch64-windows-gnu",
            ".dll",
            ("aarch64-windows",),
            is_in_all=False,
        ),
        Platform(
            "wasm32-wasip2",
            wasm.TRIPLE,
            "generic",
            wasm.ZIG_TARGET,
            ".wasm",
            (),
            is_in_all=False,
            features=wasm.FEATURES,
            relocation="static",
        ),
    )
}
ALIASES = {
    "all": [p.name for p in ALL.values() if p.is_in_all],
    "linux64": ["x86_64-linux"], "win64": ["x86_64-windows"], "darwin64": ["x86_64-darwin", "aarch64-darwin"],
}  # fmt: skip
CPUS = ("baseline", "x86-64-v3")


def host() -> str:
    """Return the FMI 3 name of the platform of this process. ALL need not contain it."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"{machine}-{platform.system().lower()}"


def _listed(names: Any) -> list[Any]:
    try:
        return list(names)
    except TypeError:
        raise ArgumentError(f"platforms must be a text or a list of names, not {display(names)}") from None


def select_platforms(names: str | list[str]) -> list[Platform]:
    """Return the platforms with these names, in the order of ALL.

    names: a list of names, or a text with names separated by commas; "all" stands for all but those on request, "host"
    for this platform. Raises ArgumentError for an unknown name, and for none.
    """
    selected: set[str] = set()
    for entry in [name.strip() for name in names.split(",")] if isinstance(names, str) else _listed(names):
        name = host() if is_one_of(entry, ("host",)) else entry
        if not is_one_of(name, [*ALL, *ALIASES]):
            raise ArgumentError(f"unknown platform {display(name)}: use some of host, {', '.join([*ALIASES, *ALL])}")
        selected.update(ALIASES.get(name, [name]))
    if not selected:
        raise ArgumentError("platforms is empty: name at least one, or give sources=True for C sources alone")
    return [p for name, p in ALL.items() if name in selected]


def require_version(platforms: list[Platform], fmi: str) -> None:
    """Raise ArgumentError for a platform that this version of FMI does not have."""
    for one in platforms:
        if fmi == "2.0" and not one.folders2:
            raise ArgumentError(f'platform {one.name} is for fmi="3.0": FMI {fmi} has no folder for it')
