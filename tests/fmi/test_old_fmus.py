"""FMUs of older formats run with the current package; tests/data has one exported in format 4."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fmpy import simulate_fmu

from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.saved import whole_numbers
from mbs_fmu.record.formats import OLDER, RENAMED, upgraded
from mbs_fmu.record.program import FORMAT, Program
from mbs_fmu.run.bundled import bundled_model
from mbs_fmu.run.results.csv_tables import read_csv
from support.hosts.fmus import Host

DATA = Path(__file__).parents[1] / "data"
OLD = DATA / "four_bar_format4.fmu"
REFERENCE = DATA / "four_bar_format4_ref.csv"  #: results of the package that exported the FMU
STEP = 0.02  #: communication step of these results, s
RTOL = 1e-6  #: tolerance of the FMU's error control


def stored_program() -> dict[str, object]:
    """The stored FMU's program, as in the file."""
    with zipfile.ZipFile(OLD) as archive:
        return dict(json.loads(archive.read("resources/program.json")))


@pytest.mark.quick
def test_an_older_format_is_read() -> None:
    """A program of format 4 has all data that a program needs, in the old layout; newer features are refused with a
    message.
    """
    data = stored_program()
    assert data["format"] in OLDER
    program = Program.from_json(json.dumps(data), "")
    assert program.format == data["format"]
    assert program.exchange_slice == program.rate_slice
    first, size = program.regions["loop_state"]
    assert {slot for slot, _, _ in whole_numbers(program)}.isdisjoint(range(first + size, program.regions["ranks"][0]))
    with pytest.raises(ValueError, match=f"format {FORMAT + 1}, this mbs_fmu reads format {FORMAT}"):
        Program.from_json(json.dumps({**data, "format": FORMAT + 1}), "")


@pytest.mark.quick
def test_what_older_formats_have_gets_its_present_names() -> None:
    """A program of format 5 with its old names is read as the same program."""
    program = compile_model(bundled_model("four_bar", "four_bar"))
    data = json.loads(program.to_json())
    names = {now: before for before, now in RENAMED.items() if now != "swaps"}
    regions = {names.get(name, name): at for name, at in data["regions"].items()}
    variables = [{"kind" if key == "role" else key: value for key, value in v.items()} for v in data["variables"]]
    older = {**data, "format": 5, "regions": regions, "variables": variables}
    assert {"closing", "closure"} <= older["regions"].keys()
    assert Program.from_json(json.dumps(older), program.text) == replace(program, format=5)


@pytest.mark.quick
def test_data_of_the_present_format_stay() -> None:
    """Data of the current format are read unchanged."""
    data = {"format": FORMAT, "regions": {"exchanged": (0, 1)}, "indicators": [{"name": "x"}]}
    assert upgraded(data) == data


def test_an_old_fmu_runs() -> None:
    """The results are those of the package that exported it: both choose steps by the same error control in the same
    order of operations. Another processor may round otherwise, which changes results by less than the tolerance.
    """
    reference = read_csv(REFERENCE)
    run = simulate_fmu(str(OLD), stop_time=2.0, output_interval=STEP)
    rows = np.searchsorted(run["time"], reference["time"] - 0.5 * STEP)
    compared = [name for name in run.dtype.names if name != "time"]
    assert {"rocker_angle", "place[1]", "force[3]", "energy"} <= set(compared)
    for name in compared:
        size = max(1.0, float(np.max(np.abs(reference[name]))))
        assert np.abs(run[name][rows] - reference[name]).max() <= RTOL * size, name


def test_an_old_fmu_goes_back_to_a_saved_state() -> None:
    """A saved or serialized state has the same future, bit for bit; steps at another time work as before."""
    with Host(OLD) as host:
        host.start()
        host.run(5)
        state = host.slave.getFMUstate()
        saved = host.slave.serializeFMUstate(state)
        ahead = host.run(5)
        host.restore(host.slave.deSerializeFMUstate(saved))
        again = host.run(5)
        assert again.tobytes() == ahead.tobytes()
        host.slave.doStep(currentCommunicationPoint=7.0, communicationStepSize=0.01)
        assert host.get("time")[0] == pytest.approx(0.11, abs=1e-15)
        assert not host.log


@pytest.mark.slow
def test_export_in_a_process_that_has_run_one(tmp_path: Path) -> None:
    """The old FMU brings a copy of pythonfmu without the compiled wrappers into the process; new FMUs are the same."""
    run = f"from fmpy import simulate_fmu; simulate_fmu({str(OLD)!r}, stop_time=0.1, fmi_type='CoSimulation')"
    for name, before in (("without", ""), ("behind", run)):
        script = f"{before}\nimport mbs_fmu as mbs\nmbs.export(mbs.Model('nothing'), {str(tmp_path / name)!r} + '.fmu')"
        subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)
    assert (tmp_path / "behind.fmu").read_bytes() == (tmp_path / "without.fmu").read_bytes()
