"""Descriptions of FMUs in systems: units, files that are broken or of other kinds, interfaces that are missing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.cosimulation.coupling import Coupling

DESCRIPTION = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="{version}" modelName="m" {token}="x" numberOfEventIndicators="0">
{interface}
<UnitDefinitions>{units}</UnitDefinitions>
<ModelVariables>{variables}</ModelVariables><ModelStructure/></fmiModelDescription>"""
UNITS = {
    "mm": '<BaseUnit m="1" factor="0.001"/>', "m": '<BaseUnit m="1"/>', "N": '<BaseUnit kg="1" m="1" s="-2"/>',
    "odd": '<BaseUnit m="1" factor="2" offset="3"/>',
}  # fmt: skip


TERMINALS = """<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals>{}</Terminals></fmiTerminalsAndIcons>"""
PLACE = "terminalsAndIcons/terminalsAndIcons.xml"


def file(folder: Path, interface: str = "CoSimulation", version: str = "2.0", **more: bytes) -> Path:
    """An FMU without binaries, whose inputs and outputs have the units of UNITS."""
    starts = {"input": ' start="0"', "output": ""}
    variables = "".join(
        f'<ScalarVariable name="{unit}_{causality}" valueReference="{k}" causality="{causality}">'
        f'<Real unit="{unit}"{starts[causality]}/></ScalarVariable>'
        for k, (unit, causality) in enumerate((u, c) for u in UNITS for c in ("input", "output"))
    )
    text = DESCRIPTION.format(
        version=version, token="guid", interface=f'<{interface} modelIdentifier="m"/>', variables=variables,
        units="".join(f'<Unit name="{name}">{base}</Unit>' for name, base in UNITS.items()),
    )  # fmt: skip
    path = folder / "m.fmu"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", text)
        for name, content in more.items():
            archive.writestr(name, content)
    return path


@pytest.mark.quick
def test_units_are_converted(tmp_path: Path) -> None:
    """Values go from mm to m, and through offsets; other dimensions are refused unless a factor is given."""
    s = mbs.System()
    for name in ("a", "b"):
        s.add(name, file(tmp_path))
    s.connect("a.mm_output", "b.m_input")
    s.connect("a.odd_output", "b.mm_input")
    link, other = s.links["b.m_input"], s.links["b.mm_input"]
    assert (link.factor, link.offset) == (0.001, 0.0)
    assert (other.factor, other.offset) == pytest.approx((2000.0, 3000.0), rel=1e-15)
    with pytest.raises(mbs.ModelError, match=r"units differ: 'a\.m_output' is in m, 'b\.N_input' in N; give factor="):
        s.connect("a.m_output", "b.N_input")
    s.connect("a.m_output", "b.N_input", factor=2.0)
    assert s.links["b.N_input"].factor == 2.0


@pytest.mark.quick
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "1.0"}, r"m\.fmu is (FMI 1\.0: System couples|not a readable FMU)"),
        ({"version": "2.x"}, r"m\.fmu is not a readable FMU"),
    ],
)
def test_other_fmus_are_refused(tmp_path: Path, options: dict[str, str], message: str) -> None:
    """FMUs that cannot be coupled are refused when they are added."""
    with pytest.raises(mbs.ModelError, match=message):
        mbs.System().add("m", file(tmp_path, **options))


@pytest.mark.quick
def test_broken_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is no archive, one that would unpack to too much, and an FMU without binaries are refused."""
    (tmp_path / "text.fmu").write_text("no archive")
    with pytest.raises(mbs.ModelError, match=r"text\.fmu is not a readable FMU"):
        mbs.System().add("m", tmp_path / "text.fmu")
    monkeypatch.setattr("mbs_fmu.fmi.unpacking.MOST_BYTES", 1e5)
    path = file(tmp_path, zeros=bytes(10**6))
    with pytest.raises(mbs.ModelError, match=r"m\.fmu would unpack to .* GB, more than .*: it is not opened"):
        mbs.System().add("m", path)
    s = mbs.System()
    s.add("m", file(tmp_path))
    folder = Path.cwd()
    with pytest.raises(
        mbs.SimulationError, match=r"m\.fmu has no library that loads here \(it has binaries for none\)"
    ):
        s.run(1.0, 0.1)
    assert Path.cwd() == folder
    path.unlink()
    with pytest.raises(mbs.SimulationError, match=r"m\.fmu cannot be unpacked: FileNotFoundError"):
        s.run(1.0, 0.1)


@pytest.mark.quick
def test_an_fmu_that_allows_one_instance_is_used_once(tmp_path: Path) -> None:
    """Two elements of an FMU that a process can instantiate only once are refused."""
    s, path = mbs.System(), file(tmp_path, 'CoSimulation canBeInstantiatedOnlyOncePerProcess="true"')
    s.add("a", path)
    s.add("b", path)
    with pytest.raises(mbs.ModelError, match=r"m\.fmu can be instantiated only once in a process, and 'a' and 'b'"):
        s.run(1.0, 0.1)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("interface", "coupling", "message"),
    [
        ("ModelExchange", "hold", r"m\.fmu is for model exchange only: use coupling='exchange'"),
        (
            "CoSimulation",
            "exchange",
            r"'m' \(m\.fmu\) has no model exchange: use coupling='extrapolate' or 'hold', or export it so",
        ),
    ],
)
def test_interfaces_that_an_fmu_lacks(tmp_path: Path, interface: str, coupling: Coupling, message: str) -> None:
    """Model exchange needs FMUs for it, the other couplings need FMUs for co-simulation."""
    s = mbs.System()
    s.add("m", file(tmp_path, interface))
    with pytest.raises(mbs.ModelError, match=message):
        s.run(1.0, 0.1, coupling=coupling)


@pytest.mark.quick
def test_items_of_enumerations(tmp_path: Path) -> None:
    """A start value of an enumeration is a number or the name of an item; other names are refused."""
    items = '<Item name="shut" value="1"/><Item name="open" value="4"/>'
    types = f'<SimpleType name="M"><Enumeration>{items}</Enumeration></SimpleType>'
    variable = '<ScalarVariable name="mode" valueReference="1" causality="parameter" variability="fixed">'
    text = DESCRIPTION.format(
        version="2.0", token="guid", interface='<CoSimulation modelIdentifier="m"/>', units="",
        variables=f'{variable}<Enumeration declaredType="M" start="1"/></ScalarVariable>',
    ).replace("<UnitDefinitions></UnitDefinitions>", f"<TypeDefinitions>{types}</TypeDefinitions>")  # fmt: skip
    path = tmp_path / "valve.fmu"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
    s = mbs.System()
    s.add("valve", path, mode="open")
    s.add("other", path, mode=1)
    assert [s.elements[name].start[0][1] for name in ("valve", "other")] == [4, 1]
    with pytest.raises(
        mbs.ModelError, match=r"'valve\.mode' is 'opne': items are shut \(1\), open \(4\) \(did you mean 'open'\?\)"
    ):
        s.set("valve.mode", "opne")


def shaft(folder: Path, text: str) -> Path:
    """An FMU whose shaft has variables named otherwise, and this file of terminals."""
    signals = {"angle": "output", "speed": "output", "moment": "input", "end.w": "output"}
    variables = "".join(
        f'<ScalarVariable name="{name}" valueReference="{k}" causality="{causality}"><Real/></ScalarVariable>'
        for k, (name, causality) in enumerate(signals.items())
    ).replace('causality="input"><Real/>', 'causality="input"><Real start="0"/>')
    path = folder / "shaft.fmu"
    interface = '<CoSimulation modelIdentifier="m"/>'
    with zipfile.ZipFile(path, "w") as archive:
        fields = {"version": "2.0", "token": "guid", "interface": interface, "units": "", "variables": variables}
        archive.writestr(
            "modelDescription.xml", DESCRIPTION.format(**fields).replace("<UnitDefinitions></UnitDefinitions>", "")
        )
        archive.writestr(PLACE, text)
    return path


def terminal(name: str, members: dict[str, str], kind: str = "inflow", inner: str = "") -> str:
    """A terminal with variables by member; `kind` is that of the torque."""
    variables = "".join(
        f'<TerminalMemberVariable variableName="{variable}" memberName="{member}" '
        f'variableKind="{kind if member == "tau" else "signal"}"/>'
        for member, variable in members.items()
    )
    return f'<Terminal name="{name}" matchingRule="plug">{variables}{inner}</Terminal>'


MEMBERS = {"phi": "angle", "w": "speed", "tau": "moment"}
MODELICA = {"phi": "angle", "tau": "moment"}  #: without the velocity, which is then "NAME.w"


@pytest.mark.parametrize(
    ("text", "name", "speed"),
    [
        (terminal("axle", MEMBERS), "axle", "speed"),
        (terminal("end", MODELICA), "end", "end.w"),
        (terminal("gear", {}, inner=terminal("axle", MEMBERS)), "gear.axle", "speed"),
    ],
    ids=["names", "Modelica", "inner"],
)
def test_flanges_are_found_by_their_terminals(tmp_path: Path, text: str, name: str, speed: str) -> None:
    """The members of a terminal are a flange's variables, whatever the names of the variables."""
    s = mbs.System(kind="python")
    for element in ("a", "b"):
        s.add(element, shaft(tmp_path, TERMINALS.format(text)))
    s.couple(f"a.{name}", f"b.{name}", stiffness=10.0, name="spring")
    sources = {target: f"{link.source[0]}.{link.source[1].name}" for target, link in s.links.items()}
    ends = {"first": "a", "second": "b"}
    assert sources == {
        **{f"spring.{side}_phi": f"{x}.angle" for side, x in ends.items()},
        **{f"spring.{side}_w": f"{x}.{speed}" for side, x in ends.items()},
        **{f"{x}.moment": f"spring.{side}_tau" for side, x in ends.items()},
    }
    assert s.flanges[f"a.{name} - b.{name}"] == [(f"{x}.moment", f"spring.{side}_w") for side, x in ends.items()]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            terminal("axle", MEMBERS, "outflow"),
            r"'a' \(shaft\.fmu\) has no flange 'axle': that takes outputs axle\.phi",
        ),
        (terminal("other", MEMBERS), r"'a' \(shaft\.fmu\) has no flange 'axle'"),
        ("<Terminal", r"terminalsAndIcons\.xml of shaft\.fmu is not readable: ParseError"),
    ],
)
def test_terminals_that_are_no_flanges(tmp_path: Path, text: str, message: str) -> None:
    """A torque that is positive out of the FMU, another name and a broken file are refused."""
    s = mbs.System(kind="python")
    for element in ("a", "b"):
        s.add(element, shaft(tmp_path, TERMINALS.format(text)))
    with pytest.raises(mbs.ModelError, match=message):
        s.couple("a.axle", "b.axle", stiffness=10.0)
