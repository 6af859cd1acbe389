"""Terminals and icons of FMUs: flanges, groups of signals, a picture of the model."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from lxml import etree
from matplotlib.image import imread

import mbs_fmu as mbs
from mbs_fmu.fmi.terminals import ICON, PICTURE, TERMINALS
from mbs_fmu.pages.showing import at_start
from mbs_fmu.view.icon import EDGE, icon
from support.models.bundled import builders, built
from support.models.changing_tables import motor_curve

SCHEMA = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
FLANGE = "Modelica.Mechanics.{}.Interfaces.Flange_a"


def crane() -> mbs.Model:
    """A trolley with a winch drum: a flange of each kind, and a frame as signals."""
    m = mbs.Model("crane", gravity=(0, 0, 0))
    trolley = m.body("trolley", joint=mbs.Prismatic("x"), mass=2.0)
    drum = m.body("drum", trolley, mbs.Revolute("y"), mass=1.0, inertia=(1.0, 0.5, 1.0))
    m.flange("rail", trolley)
    m.flange("shaft", drum, description="shaft of the drum")
    m.output("hook", mbs.position(drum, (0, 0, -1)), unit="m")
    m.terminal("frame", {"r_0": "hook"}, "org.example.Frame", rule="bus")
    return m


def terminals(path: Path) -> dict[str, tuple[str, str | None, list[tuple[str, str, str]]]]:
    """Rule, kind and members of each terminal of an FMU; the file must be valid by the standard's schema."""
    with zipfile.ZipFile(path) as archive:
        root = etree.fromstring(archive.read(TERMINALS))
        version = etree.fromstring(archive.read("modelDescription.xml")).get("fmiVersion")
        assert archive.read(PICTURE if version == "2.0" else ICON).startswith(b"\x89PNG")
        assert (root.find("GraphicalRepresentation") is None) == (version == "2.0")
    etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(root)
    known = {v.name for v in fmpy.read_model_description(str(path)).modelVariables}
    found = {}
    for terminal in root.iter("Terminal"):
        members = [(m.get("variableName"), m.get("memberName"), m.get("variableKind")) for m in terminal]
        assert known.issuperset(name for name, *_ in members)
        found[terminal.get("name")] = terminal.get("matchingRule"), terminal.get("terminalKind"), members
    return found


def test_flanges_are_terminals(tmp_path: Path) -> None:
    """Angle and torque, position and force are members; the effort is an inflow; vectors are single elements."""
    path = mbs.export(crane(), tmp_path / "crane.fmu", stop_time=0.1)
    rail, shaft = FLANGE.format("Translational"), FLANGE.format("Rotational")
    assert terminals(path) == {
        "rail": ("plug", rail, [("rail.s", "s", "signal"), ("rail.f", "f", "inflow")]),
        "shaft": ("plug", shaft, [("shaft.phi", "phi", "signal"), ("shaft.tau", "tau", "inflow")]),
        "frame": ("bus", "org.example.Frame", [(f"hook[{k}]", f"r_0[{k}]", "signal") for k in (1, 2, 3)]),
    }


def test_terminals_of_arrays_and_flat_names(tmp_path: Path) -> None:
    """In FMI 3 a vector is one member; members follow the naming convention."""
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = mbs.export(
        crane(), tmp_path / "crane.fmu", "native", fmi="3.0", platforms="host", stop_time=0.1, naming="flat"
    )
    found = terminals(path)
    assert found["frame"][2] == [("hook", "r_0", "signal")]
    assert found["shaft"][2] == [("shaft_phi", "phi", "signal"), ("shaft_tau", "tau", "inflow")]


@pytest.mark.slow
@pytest.mark.parametrize("arrays", [True, False])
def test_terminals_of_vectors_and_arrays_of_parameters(arrays: bool, tmp_path: Path) -> None:
    """Each is one member of FMI 3, or one for each element without arrays."""
    m = motor_curve()
    m.output("end", mbs.position("arm", (0, 0, -1)))
    m.terminal("data", {"curve": "torque_curve", "r": "end"})
    path = tmp_path / "motor.fmu"
    mbs.export(m, path, "native", fmi="3.0", arrays=arrays, sources=True, platforms=[], reference=False, stop_time=0.01)
    parts = [("torque_curve", "curve", 5), ("end", "r", 3)]
    single = [(f"{x}[{k}]", f"{y}[{k}]", "signal") for x, y, n in parts for k in range(1, n + 1)]
    assert terminals(path)["data"][2] == ([(x, y, "signal") for x, y, _ in parts] if arrays else single)


def test_a_flange_accelerates_its_joint() -> None:
    """Along free joints: tau / J and f / m are the accelerations; angle and velocity are those of the joint."""
    result = mbs.simulate(crane(), 1.0, inputs={"shaft.tau": 1.0, "rail.f": 6.0})
    assert result["shaft.w"][-1] == pytest.approx(2.0, rel=1e-9), "tau / J t"
    assert result["shaft.phi"][-1] == pytest.approx(1.0, rel=1e-9), "tau / J t^2 / 2"
    assert result["rail.v"][-1] == pytest.approx(2.0, rel=1e-9), "f / m t"
    assert result["rail.s"][-1] == pytest.approx(1.0, rel=1e-9), "f / m t^2 / 2"
    assert [result.unit(f"shaft.{x}") for x in ("phi", "w")] == ["rad", "rad/s"]


def test_included_models_keep_their_terminals(tmp_path: Path) -> None:
    """Under the prefix; a flange whose torque the including model gives is connected already and left out."""
    m = mbs.Model("port")
    m.include(crane(), "one")
    m.include(crane(), "two", inputs={"shaft.tau": 1.0})
    found = terminals(mbs.export(m, tmp_path / "port.fmu", stop_time=0.1))
    assert set(found) == {"one.rail", "one.shaft", "one.frame", "two.rail", "two.frame"}
    assert found["one.shaft"][2][1] == ("one.shaft.tau", "tau", "inflow")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (lambda m: m.flange("rail", "drum"), "terminal name 'rail' is taken by a terminal of model 'crane'"),
        (lambda m: m.flange("new", "ball"), "flange 'new': body 'ball' has a ball or free joint"),
        (lambda m: m.flange("new", "axle"), "flange 'new': body 'axle' does not exist|unknown body 'axle'"),
        (lambda m: m.terminal("new", {"a": "hok"}), r"no input, output or parameter 'hok' \(did you mean 'hook'"),
        (lambda m: m.terminal("new", {"a": "hook"}, inflows=["a"]), "inflow 'a' of terminal 'new' is the vector"),
        (lambda m: m.terminal("new", {"a": "hook"}, inflows=["b"]), "inflows of terminal 'new': no member 'b'"),
        (lambda m: m.terminal("new", {"a": "hook"}, rule="socket"), "rule of terminal 'new' is 'socket': use plug"),
        (lambda m: m.terminal("new", {}), "members of terminal 'new' are {}: give names of variables"),
    ],
)  # fmt: skip
def test_unusable_terminals_are_refused(call: Any, wrong: str) -> None:
    """The message names the terminal, the value and the remedy; the model stays as it was."""
    m = crane()
    m.body("ball", joint=mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    before = {name: dict(x) for name, x in vars(m).items() if isinstance(x, dict)}
    with pytest.raises(mbs.ModelError, match=wrong):
        call(m)
    assert {name: dict(x) for name, x in vars(m).items() if isinstance(x, dict)} == before


# -- icons -----------------------------------------------------------------------------------------------


def test_a_controller_has_no_icon(tmp_path: Path) -> None:
    """Without bodies and terminals there is nothing to show; without terminals FMI 2.0 has the picture alone."""
    m = mbs.Model("gain")
    m.output("y", 2.0 * m.input("u"))
    found = []
    for model in (m, pendulum()):
        with zipfile.ZipFile(mbs.export(model, tmp_path / f"{model.name}.fmu", stop_time=0.1)) as archive:
            found.append([name for name in archive.namelist() if name.startswith(("terminals", "model.png"))])
    assert found == [[], ["model.png"]]


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum")
    m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1))
    return m


@pytest.mark.parametrize("color", ["#ff0000", "#00ff00"])
def test_the_picture_of_a_box(color: str) -> None:
    """A box seen along one of its edges fills the middle with its colour, nothing else, and leaves the corners free."""
    m = mbs.Model("box")
    m.body("box", joint=mbs.Weld(), mass=1.0, inertia=(1, 1, 1))
    m.shape("box", mbs.Box(1.0, 1.0, 1.0, color=color))
    picture = imread(io.BytesIO(icon(at_start(m).recorded(m))))
    assert picture.shape == (EDGE, EDGE, 4)
    middle, own = picture[EDGE // 2, EDGE // 2], int(color[1:3] != "ff")
    assert middle[3] == 1.0 and middle[own] > 0.4 and not np.delete(middle[:3], own).any()
    assert not picture[[0, 0, -1, -1], [0, -1, 0, -1], 3].any(), "corners"
    share = float(picture[..., 3].mean())
    assert 0.4 < share < 0.85, "a cube's outline is a hexagon"
    _, counts = np.unique(picture[picture[..., 3] == 1.0], axis=0, return_counts=True)
    assert np.sort(counts)[-3:].sum() > 0.95 * counts.sum(), "three faces, three tones; edges are averages"


@pytest.mark.slow
@pytest.mark.parametrize("function", list(builders()))
def test_pictures_of_all_models(function: str) -> None:
    """Each mechanism has a picture that touches two opposite edges of its frame."""
    m = built(function)
    if not m.bodies:
        return
    covered = imread(io.BytesIO(icon(at_start(m).recorded(m))))[..., 3] > 0.5
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    assert max(np.ptp(rows), np.ptp(columns)) > 0.85 * EDGE
