"""Files for an FMU's users: manifest, reference result, sets of values. No FMU is run."""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any

import fmpy.ssp
import numpy as np
import pytest
from lxml import etree

import mbs_fmu as mbs
from mbs_fmu.fmi.related import FOLDER, MOST_ROWS
from mbs_fmu.run.results.csv_tables import read_csv
from support.models.fmu_models import MODELS

SCHEMA = Path(fmpy.ssp.__file__).parent / "schema" / "SystemStructureParameterValues.xsd"
SSV = {"ssv": "http://ssp-standard.org/SSP1/SystemStructureParameterValues"}
ROLES = "model|parameter|experiment|result|document"  #: some of the standard's


def related(path: Path) -> dict[str, bytes]:
    """Files of the folder for related files, by name."""
    with zipfile.ZipFile(path) as archive:
        return {n.removeprefix(f"{FOLDER}/"): archive.read(n) for n in archive.namelist() if n.startswith(FOLDER)}


def values(content: bytes) -> dict[str, tuple[float, str | None]]:
    """Value and unit of each parameter of a set; the set must be valid by SSP's schema."""
    root = etree.fromstring(content)
    etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(root)
    found = {}
    for parameter in root.iterfind(".//ssv:Parameter", SSV):
        (real,) = parameter
        found[parameter.get("name")] = float(real.get("value")), real.get("unit")
    return found


@pytest.mark.parametrize("naming", ["structured", "flat"])
def test_an_fmu_contains_its_reference_result_and_parameters(naming: Any, tmp_path: Path) -> None:
    """The manifest lists each file with role and checksum; values, units and names are those of the description."""
    m = MODELS["gyro"]()
    hover = {"a.u[4]": 0.5, "push": 2.0, "k": 40.0}
    settings = {"stop_time": 3.0, "communication_step": 0.002, "naming": naming}
    path = mbs.export(m, tmp_path / "gyro.fmu", parameter_sets={"hover": hover}, **settings)
    files = related(path)
    manifest = etree.fromstring(files.pop("fmi-ls-manifest.xml"))
    assert {r.get("source") for r in manifest} == set(files) == {"reference.csv", "parameters.ssv", "hover.ssv"}
    for r in manifest:
        assert r.get("checksum") == hashlib.sha3_256(files[r.get("source")]).hexdigest()
        assert re.fullmatch(ROLES, r.get("role")) and r.get("type") and r.get("description")
    assert values(files["parameters.ssv"]) == {"k": (30.0, "N/m")}
    rate = "a_u_4" if naming == "flat" else "a.u[4]"
    assert values(files["hover.ssv"]) == {rate: (0.5, "rad/s"), "push": (2.0, "N"), "k": (40.0, "N/m")}
    (tmp_path / "related.csv").write_bytes(files["reference.csv"])
    inside, beside = read_csv(tmp_path / "related.csv"), read_csv(tmp_path / "gyro_ref.csv")
    outputs = [v.name for v in fmpy.read_model_description(str(path)).modelVariables if v.causality == "output"]
    assert list(inside) == ["time", *outputs]
    assert len(inside["time"]) == MOST_ROWS < len(beside["time"]) == 1501
    rows = np.searchsorted(beside["time"], inside["time"])
    assert (rows[0], rows[-1]) == (0, 1500)
    for name, column in inside.items():
        assert np.array_equal(column, beside[name][rows]), name


def test_an_equilibrium_is_a_set(tmp_path: Path) -> None:
    """Of the result of `trim` the set has what an importer may set."""
    m = mbs.Model("swing", gravity=(0, 0, -9.81))
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1))
    m.motor("motor", on=arm, torque=m.input("torque", unit="N.m"))
    m.output("height", mbs.position(arm, (0, 0, -1))[2], unit="m")
    trimmed = mbs.trim(m, inputs={"torque": 1.0}, start={"arm.phi": 0.1})
    path = mbs.export(m, tmp_path / "swing.fmu", stop_time=0.1, parameter_sets={"trimmed": trimmed})
    own = values(related(path)["trimmed.ssv"])
    assert set(own) == {"arm.phi", "arm.w", "torque"}
    assert abs(np.sin(own["arm.phi"][0])) == pytest.approx(1 / 9.81, rel=1e-9)


@pytest.mark.parametrize(
    ("sets", "wrong"),
    [
        ({"a b": {}}, "parameter_sets has the name 'a b': give an identifier other than parameters"),
        ({"parameters": {}}, "give an identifier other than parameters"),
        ({"s": {"kk": 1.0}}, r"parameter_sets: set 's' has 'kk', no parameter, input or start value.*'k'"),
        ({"s": {"energy": 1.0}}, "set 's' has 'energy', no parameter, input or start value"),
        ({"s": {"k": float("nan")}}, "'k' of set 's' is nan: give a finite number"),
        ([{"k": 1.0}], r"parameter_sets is \[\{'k': 1.0\}\]: give sets by name"),
        ({"s": 3.0}, "parameter_sets: set 's' is 3.0: give a mapping of names to values, or a result of mbs.trim"),
    ],
)
def test_unusable_sets_are_refused(sets: Any, wrong: str, tmp_path: Path) -> None:
    """The message names the set, the variable and the remedy; nothing is written."""
    with pytest.raises(mbs.ModelError, match=wrong):
        mbs.export(MODELS["gyro"](), tmp_path / "gyro.fmu", parameter_sets=sets)
    assert not list(tmp_path.iterdir())


def test_a_parameter_beyond_its_limits_is_refused(tmp_path: Path) -> None:
    """The FMU would refuse the set, so that the export does: with the words of `simulate`."""
    m = mbs.Model("c")
    m.output("y", m.parameter("load", 2.0, unit="kg", min=0.1))
    with pytest.raises(mbs.ModelError, match=r"set 'heavy': parameter 'load' is -9: it must lie within 0.1 .. inf"):
        mbs.export(m, tmp_path / "c.fmu", parameter_sets={"heavy": {"load": -9.0}})


def test_vectors_of_fmi_3_are_left_out(tmp_path: Path) -> None:
    """Start values that are elements of an array have no name of their own there."""
    m = mbs.Model("c")
    signal = m.sampled("v", 0.1, [mbs.time, 2.0 * mbs.time], start=(1.0, 2.0))
    m.output("y", signal[0] + m.parameter("k", 1.0))
    sets = {"s": {"v[1]": 3.0, "k": 2.0}}
    pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    path = mbs.export(m, tmp_path / "c.fmu", "native", fmi="3.0", platforms="host", stop_time=0.1, parameter_sets=sets)
    assert values(related(path)["s.ssv"]) == {"k": (2.0, None)}
