"""Descriptions of models and FMUs: types, bounds, values of enumerations, platforms, abilities; components alone."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi.check import check_fmu
from mbs_fmu.fmi.listing import describe_fmu, describe_model
from support.hosts.fmus import Builder
from support.models.fmu_models import MODELS

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="valve" instantiationToken="x">
{interface}
<TypeDefinitions><EnumerationType name="Mode"><Item name="shut" value="2"/><Item name="open" value="4"/>
</EnumerationType></TypeDefinitions>
<ModelVariables><Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Enumeration name="mode" valueReference="1" causality="input" declaredType="Mode" start="2"/>
<Float64 name="level" valueReference="2" causality="input" start="0.5" min="0" max="1"/></ModelVariables>
<ModelStructure/></fmiModelDescription>"""


def valve(folder: Path, attributes: str = "", *libraries: str) -> Path:
    """An FMU of FMI 3.0 without a library that runs."""
    path = folder / "valve.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        interface = f'<CoSimulation modelIdentifier="valve" {attributes}/>'
        archive.writestr("modelDescription.xml", DESCRIPTION.format(interface=interface))
        for library in libraries:
            archive.writestr(f"binaries/{library}", b"")
    return path


def shown(lines: list[str], name: str) -> str:
    return " ".join(next(line for line in lines if line.split()[:1] == [name]).split())


@pytest.mark.quick
def test_abilities_of_fmi_3(tmp_path: Path) -> None:
    """Every attribute of an interface is listed, and only those that are true."""
    for attributes, text in (
        ('providesDirectionalDerivatives="true"', "gives directional derivatives"),
        ('providesAdjointDerivatives="1" canGetAndSetFMUState="true"', "saves its state, gives adjoint derivatives"),
        ('providesAdjointDerivatives="false"', "no further abilities"), ("", "no further abilities"),
    ):  # fmt: skip
        assert f"co-simulation: {text}" in describe_fmu(valve(tmp_path, attributes))


@pytest.mark.quick
def test_values_bounds_and_platforms(tmp_path: Path) -> None:
    """Values of enumerations, bounds and platforms of an FMU."""
    lines = describe_fmu(valve(tmp_path, "", "x86_64-linux/valve.so", "aarch64-darwin/valve.dylib"))
    assert "platforms: Linux (x86), macOS (ARM)" in lines
    assert shown(lines, "mode") == "mode input 2 Enumeration (2 shut, 4 open)"
    assert shown(lines, "level") == "level input 0.5 (min 0, max 1)"
    assert "platforms: none that is known here" in describe_fmu(valve(tmp_path))


@pytest.mark.quick
def test_a_component_alone_is_validated_only(tmp_path: Path) -> None:
    """A WebAssembly component is not run, and needs no reference result; with a library beside it the FMU is run."""
    text = "it has only a WebAssembly component, which fmpy does not run: it was validated only"
    assert check_fmu(valve(tmp_path, "", "wasm32-wasip2/valve.wasm"))[-1] == text
    with pytest.raises(mbs.ModelError, match="no reference result"):
        check_fmu(valve(tmp_path, "", "wasm32-wasip2/valve.wasm", "x86_64-linux/valve.so"))


def test_types_of_models_and_their_fmus(fmu: Builder) -> None:
    """A model and its FMU have the same values and bounds; the model names kinds, the FMU types."""
    of_model, of_fmu = describe_model(MODELS["shuttle"]()), describe_fmu(fmu("shuttle"))
    assert of_model[1].startswith("1 body, ")
    for lines, integer, enumeration in ((of_model, "integer", "enumeration"), (of_fmu, "Integer", "Enumeration")):
        assert shown(lines, "gear") == f"gear input 1 {integer} (min 0, max 5)"
        values = "(-1 back, 0 neutral, 1 forth)"
        assert shown(lines, "lever") == f"lever input 1 {enumeration} direction of the push {values}"
        assert shown(lines, "direction").endswith(f"{enumeration} {values}")
        assert shown(lines, "brake").lower().endswith("boolean latches the shuttle")
