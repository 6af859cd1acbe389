"""Programs, libraries and FMUs shared by the tests of native FMUs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi.native.platforms import ALL, host
from support.hosts.c_hosts import zig
from support.hosts.fmus import Builder
from support.models.fmu_models import METHODS, MODELS
from support.paths import HOSTS


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Programs of tests/fmi/native/hosts by name and platform, each compiled once."""
    folder, made = tmp_path_factory.mktemp("hosts"), {}

    def get(name: str, platform: str = host()) -> Path:
        if (name, platform) not in made:
            made[name, platform] = zig(platform, HOSTS / f"{name}.c", folder / f"{name}_{platform}.exe")
        return made[name, platform]

    return get


def exported_governor(folder: Path, systems: list[str]) -> Path:
    """The governor as FMI 2.0 FMU for some platforms."""
    return mbs.export(
        MODELS["governor"](), folder / "governor.fmu", "native", stop_time=1.0, platforms=systems, **METHODS["rk4"]
    )


@pytest.fixture(scope="module")
def governor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The governor for all platforms but Windows."""
    return exported_governor(tmp_path_factory.mktemp("governor"), ["linux64", "darwin64", "aarch64-linux"])


@pytest.fixture(scope="module")
def windows_governor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The governor for Windows alone, whose C library takes a minute to build."""
    return exported_governor(tmp_path_factory.mktemp("windows"), ["win64"])


@pytest.fixture(scope="module")
def host_fmu(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    """FMUs for this platform by model, method and version, each built once; skips on other platforms."""
    if host() not in ALL:
        pytest.skip(f"there are no native FMUs for {host()}")
    return Builder(tmp_path_factory.mktemp("native"))
