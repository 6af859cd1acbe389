"""Reading of SSP packages of other tools: nested systems, values on all levels, units; and hostile packages."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import mbs_fmu as mbs

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" '
    'xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" '
    'xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="{version}" name="{name}">'
)
TAIL = "</SystemStructureDescription>"
PART = '<Component name="{0}" source="resources/part.fmu">{1}</Component>'


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """An FMU whose output is a gain times its input, plus an angle."""
    m = mbs.Model("part")
    gain, angle = m.parameter("gain", 1.0), m.parameter("angle", 0.0, unit="rad")
    m.output("y", gain * m.input("x", "m", start=1.0) + 1.0 * angle, unit="m")
    m.output("long", 1.0 * mbs.time, unit="mm")
    path = mbs.export(m, tmp_path_factory.mktemp("part") / "part.fmu", reference=False)
    return path.read_bytes()


Pack = Callable[..., Path]


@pytest.fixture
def pack(part: bytes, tmp_path: Path) -> Pack:
    """Writes a package with the FMU, a system, and further files."""

    def write(
        system: str, files: Mapping[str, bytes | str] | None = None, name: str = "drive", after: str = "",
        version: str = "1.0",
    ) -> Path:  # fmt: skip
        path = tmp_path / f"{name}.ssp"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            text = f'{HEAD.format(name=name, version=version)}<System name="root">{system}</System>{after}{TAIL}'
            archive.writestr("SystemStructure.ssd", text)
            archive.writestr("resources/part.fmu", part)
            for file, content in (files or {}).items():
                archive.writestr(file, content)
        return path

    return write


def connection(start: str, end: str, change: str = "", **attributes: str) -> str:
    """A connection between "element.connector", or connectors of the system itself."""
    ends = []
    for side, text in (("start", start), ("end", end)):
        element, dot, connector = text.rpartition(".")
        ends += ([f'{side}Element="{element}"'] if dot else []) + [f'{side}Connector="{connector}"']
    more = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<Connection {' '.join(ends)}{more}>{change}</Connection>"


def values(source: str = "", prefix: str = "", /, **numbers: float | str) -> str:
    """A binding: a set in the description, or a file."""
    start = f' prefix="{prefix}"' if prefix else ""
    if source:
        return f'<ParameterBinding source="{source}"{start}/>'
    return f"<ParameterBinding{start}><ParameterValues>{parameter_set(**numbers)}</ParameterValues></ParameterBinding>"


def parameter_set(**numbers: float | str) -> str:
    """A set of parameters; names have double underscores in place of dots, and values may have units."""
    lines = []
    for name, value in numbers.items():
        number, _, unit = str(value).partition(" ")
        typed = f'<v:Real value="{number}"{f" unit={unit!r}" if unit else ""}/>'
        lines.append(f'<v:Parameter name="{name.replace("__", ".")}">{typed}</v:Parameter>')
    return (
        '<v:ParameterSet xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '
        'xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="set">'
        f"<v:Parameters>{''.join(lines)}</v:Parameters>"
        '<v:Units><c:Unit name="turn"><c:BaseUnit rad="1" factor="6.283185307179586"/></c:Unit></v:Units>'
        "</v:ParameterSet>"
    )


def bindings(*texts: str) -> str:
    return f"<ParameterBindings>{''.join(texts)}</ParameterBindings>"


def elements(*texts: str) -> str:
    return f"<Elements>{''.join(texts)}</Elements>"


def connections(*texts: str) -> str:
    return f"<Connections>{''.join(texts)}</Connections>"


# -- what the standard says --------------------------------------------------------------------------


def test_nested_systems_are_flattened(pack: Pack) -> None:
    """Connections go through the connectors of two nested systems, in and out, with their transformations."""
    change = '<c:LinearTransformation factor="{}" offset="{}"/>'
    core = f'<System name="core">{elements(PART.format("p", ""))}' + connections(
        connection("a", "p.x", change.format(3, 1)), connection("p.y", "b")
    ) + "</System>"  # fmt: skip
    shell = f'<System name="shell">{elements(core)}' + connections(
        connection("u", "core.a", change.format(2, 0.5)), connection("core.b", "w")
    ) + "</System>"  # fmt: skip
    system = elements(PART.format("first", bindings(values(gain=4))), shell, PART.format("last", "")) + connections(
        connection("first.y", "shell.u"), connection("shell.w", "last.x")
    )  # fmt: skip
    s = mbs.System.read(pack(system))
    assert list(s.elements) == ["first", "shell.core.p", "last"]
    run = s.run(0.1, 0.1)
    assert run["shell.core.p.y"].tolist() == [3 * (2 * 4 + 0.5) + 1] * 2
    assert run["last.y"].tolist() == run["shell.core.p.y"].tolist()


def test_outer_and_later_values_win(pack: Pack) -> None:
    """Values come from inline sets and files, of components and systems; the outermost and the last one wins."""
    inner = f'<System name="s">{bindings(values(p__gain=5, p__angle=0.25))}' + elements(
        PART.format("p", bindings(values(gain=2), values("resources/p.ssv"))),
        PART.format("q", bindings(values(gain=2), values(gain=3))),
    ) + "</System>"  # fmt: skip
    system = bindings(values(s__p__angle=0.5), values("", "s.", r__gain=7)) + elements(
        inner.replace("<Elements><Comp", "<Elements>" + PART.format("r", "") + "<Comp")
    )
    s = mbs.System.read(pack(system, {"resources/p.ssv": parameter_set(gain=9)}))
    run = s.run(0.1, 0.1)
    assert run.parameters == {"s.p.gain": 5.0, "s.p.angle": 0.5, "s.q.gain": 3.0, "s.r.gain": 7.0}
    assert (run["s.p.y"][0], run["s.q.y"][0], run["s.r.y"][0]) == (5.5, 3.0, 7.0)


def test_parameters_of_systems(pack: Pack) -> None:
    """A value of a system's own parameter goes through its connections; a name of nothing is noted."""
    inner = f'<System name="s">{bindings(values(k=2, lost=1))}' + elements(PART.format("p", "")) + connections(
        connection("k", "p.gain", '<c:LinearTransformation factor="3" offset="0.5"/>')
    ) + "</System>"  # fmt: skip
    s = mbs.System.read(pack(elements(inner, PART.format("q", bindings(values(gian=2))))))
    run = s.run(0.1, 0.1)
    assert run["s.p.y"][0] == 6.5
    assert s.notes == [
        "parameter 's.lost' names nothing: left out",
        "parameter 'q.gian' is no variable of part.fmu (did you mean 'gain'?): left out",
    ]
    assert run.statistics["notes"][:2] == s.notes


def test_units_of_values_and_connections(pack: Pack) -> None:
    """Values are converted by the units of the set, or known ones; connections too, unless that is suppressed."""
    parts = [PART.format(name, "") for name in ("a", "plain", "raw")]
    system = elements(
        PART.format("t", bindings(values(angle="0.5 turn"))),
        PART.format("d", bindings(values(angle="180 deg"))),
        *parts,
    ) + connections(
        connection("a.long", "plain.x"),
        connection("a.long", "raw.x", '<c:LinearTransformation factor="2"/>', suppressUnitConversion="true"),
    )  # fmt: skip
    run = mbs.System.read(pack(system)).run(0.5, 0.5)
    assert run["t.y"][0] == run["d.y"][0] == 1.0 + 3.141592653589793
    assert run["a.long"][-1] == pytest.approx(500.0, rel=1e-15)  # mm
    assert run["plain.y"][-1] == pytest.approx(0.5, rel=1e-15) and run["raw.y"][-1] == pytest.approx(1000.0, rel=1e-15)


def test_packages_in_packages(pack: Pack, part: bytes) -> None:
    """A component can be a package, or another description of the same package, with values from outside."""
    single = elements(PART.format("p", "")) + connections(connection("p.y", "out"))
    inside = pack(single, name="inner").read_bytes()
    other = f'{HEAD.format(name="other", version="1.0")}<System name="root">{single}</System>{TAIL}'
    system = elements(
        f'<Component name="a" type="application/x-ssp-package" source="resources/inner.ssp">'
        f"{bindings(values(p__gain=3))}</Component>",
        '<Component name="b" type="application/x-ssp-definition" source="Other.ssd"/>',
    ) + connections(connection("a.out", "b.in"))  # fmt: skip
    path = pack(system, {"resources/inner.ssp": inside, "Other.ssd": other})
    run = mbs.System.read(path).run(0.1, 0.1)
    assert run["a.p.y"][0] == 3.0 and run["b.p.y"][0] == 1.0


def test_nested_systems_can_be_written_again(pack: Pack, tmp_path: Path) -> None:
    """Dots in names, which identifiers lack, become underscores; the values stay."""
    inner = f'<System name="s">{elements(PART.format("p", bindings(values(gain=2))))}</System>'
    s = mbs.System.read(pack(elements(inner, PART.format("q", ""))))
    s.connect("s.p.y", "q.x")
    again = mbs.System.read(s.export(tmp_path / "again.ssp"))
    assert list(again.elements) == ["s_p", "q"]
    assert again.run(0.1, 0.1)["q.y"].tolist() == s.run(0.1, 0.1)["q.y"].tolist() == [2.0, 2.0]


def test_descriptions_in_folders(pack: Pack, tmp_path: Path) -> None:
    """A description is read with its files beside it; stop time and step come from it."""
    after = (
        '<DefaultExperiment startTime="1" stopTime="0.4"><Annotations><c:Annotation type="org.openmodelica">'
        '<o:FixedStepMaster xmlns:o="somewhere" stepSize="0.2"/></c:Annotation></Annotations></DefaultExperiment>'
    )
    path = pack(elements(PART.format("p", "")), after=after, version="2.0")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "folder")
    s = mbs.System.read(tmp_path / "folder" / "SystemStructure.ssd")
    assert s.run().time.tolist() == [0.0, 0.2, 0.4]
    assert s.notes == ["the experiment begins at 1 s; runs begin at 0"]
    with pytest.raises(mbs.ModelError, match="system 'drive' has no step of a file: give step= in s"):
        mbs.System.read(pack(elements(PART.format("p", "")))).run(1.0)


# -- hostile packages --------------------------------------------------------------------------------


def zeros() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("modelDescription.xml", b"\0" * 300_000_000)
    return content.getvalue()


def component(attributes: str, content: str = "") -> str:
    return elements(f'<Component name="p" {attributes}>{content}</Component>')


TABLE = "<c:BooleanMappingTransformation/>"
LAUGHS = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]><ParameterSet name="&b;"/>'
WRONG: dict[str, str] = {
    r"element 'p' needs the file 'resources/none\.fmu', which is missing": component('source="resources/none.fmu"'),
    r"element 'p' names '\.\./part\.fmu', which is no file in the package": component('source="../part.fmu"'),
    r"element 'p' names 'http://example\.com/part\.fmu', which is no file": component(
        'source="http://example.com/part.fmu"'
    ),
    r"element 'p' has the type 'text/x-fortran': give an FMU or a system": component(
        'source="a" type="text/x-fortran"'
    ),
    r"bomb\.fmu would unpack to 300 MB of modelDescription\.xml": component('source="resources/bomb.fmu"'),
    r"text\.fmu is not a readable FMU": component('source="resources/text.fmu"'),
    r"element 'p' has a parameter mapping, which is not supported": component(
        'source="resources/part.fmu"', bindings("<ParameterBinding><ParameterMapping/></ParameterBinding>")
    ),
    r"a binding of parameters of element 'p' has no set of parameters": component(
        'source="resources/part.fmu"', bindings("<ParameterBinding/>")
    ),
    r"laughs\.ssv declares a document type": component(
        'source="resources/part.fmu"', bindings(values("resources/laughs.ssv"))
    ),
    r"'p\.gain' is 'much': that is no Real": component('source="resources/part.fmu"', bindings(values(gain="much"))),
    r"'p\.angle' is in m, and the variable in rad: units differ": component(
        'source="resources/part.fmu"', bindings(values(angle="1 m"))
    ),
    r"'p\.angle' is in 'grad', a unit that nothing defines": component(
        'source="resources/part.fmu"', bindings(values(angle="1 grad"))
    ),
    r"the connection on line 2 names 'pp', but the system has no such element \(did you mean 'p'\?\)": elements(
        PART.format("p", "")
    )
    + connections(connection("pp.y", "p.x")),
    r"start value of 'p\.y': it is an output; set parameters": component(
        'source="resources/part.fmu"', bindings(values(y=1))
    ),
    "the system has signal dictionaries": "<SignalDictionaries/>",
    r"element 'p' is a SignalDictionaryReference": elements('<SignalDictionaryReference name="p"/>'),
    r"'p\.x' is connected twice, to 'q\.y' and 'p\.y'": elements(PART.format("p", ""), PART.format("q", ""))
    + connections(connection("q.y", "p.x"), connection("p.y", "p.x")),
    r"the connection to 'p\.x' maps values by a table": elements(PART.format("p", ""))
    + connections(connection("p.y", "p.x", TABLE)),
    r"factor of <LinearTransformation> on line 2 is 'nan': give a finite number": elements(PART.format("p", ""))
    + connections(connection("p.y", "p.x", '<c:LinearTransformation factor="nan"/>')),
    r"part\.fmu has no variable 'z'": elements(PART.format("p", "")) + connections(connection("p.y", "p.z")),
    r"it is an input, not an output": elements(PART.format("p", ""), PART.format("q", ""))
    + connections(connection("q.x", "p.x")),
    r"element 'p' is there twice": elements(PART.format("p", ""), PART.format("p", "")),
    r"systems are nested more than 20 deep": '<Elements><System name="s">' * 25 + "</System></Elements>" * 25,
}
FILES = {"resources/text.fmu": "no archive", "resources/laughs.ssv": LAUGHS}


@pytest.mark.parametrize("message", WRONG)
def test_hostile_packages(pack: Pack, message: str) -> None:
    """Each is refused within seconds by one sentence that names the thing."""
    files: dict[str, bytes | str] = dict(FILES)
    if "bomb" in message:
        files["resources/bomb.fmu"] = zeros()
    path = pack(WRONG[message], files)
    began = time.process_time()
    with pytest.raises(mbs.ModelError, match=message):
        mbs.System.read(path)
    assert time.process_time() - began < 10.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no archive", "a.ssp is not a readable SSP package: BadZipFile: File is not a zip file"),
        ({"SystemStructure.ssd": b"<no"}, "a.ssp: SystemStructure.ssd is not XML"),
        ({"SystemStructure.ssd": b"<a/>"}, "SystemStructure.ssd is no description of a system, but <a>"),
        ({"SystemStructure.ssd": b"<SystemStructureDescription version='3.0'/>"}, "is SSP 3.0: versions 1 and 2"),
        ({"SystemStructure.ssd": b"<SystemStructureDescription version='1.0'/>"}, "of the system has no system"),
        ({"other.ssd": b""}, "a.ssp: the package needs the file 'SystemStructure.ssd', which is missing"),
        ({"SystemStructure.ssd": b" " * 101_000_000}, "has 101 MB, more than 100: it is not read"),
    ],
)
def test_broken_packages(tmp_path: Path, content: bytes | dict[str, bytes], message: str) -> None:
    """Files that are no packages are refused with their names."""
    path = tmp_path / "a.ssp"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in content.items():
                archive.writestr(name, text)
    with pytest.raises(mbs.ModelError, match=message):
        mbs.System.read(path)
    with pytest.raises(mbs.ModelError, match="no file"):
        mbs.System.read(tmp_path / "none.ssp")
    with pytest.raises(mbs.ModelError, match=r"System\.read takes packages NAME\.ssp and descriptions NAME\.ssd"):
        mbs.System.read(tmp_path / "OspSystemStructure.xml")
