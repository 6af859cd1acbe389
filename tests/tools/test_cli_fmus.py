"""Laws of the command line on FMUs: for which programs they are."""

from __future__ import annotations

from pathlib import Path

import mbs_fmu as mbs
from support.hosts.command_line import FAILED, GOVERNOR, WRONG, Cli, assert_one_line


def pendulum() -> mbs.Model:
    m = mbs.Model("pendulum")
    arm = m.body("arm", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -1))
    m.output("tip", mbs.position(arm, (0, 0, -1)), unit="m")
    return m


def test_check_for_a_program(cli: Cli, tmp_path: Path) -> None:
    """`check --for` prints who can load an FMU, what keeps a program from it, and how to export instead."""
    path = mbs.export(pendulum(), tmp_path / "pendulum.fmu", stop_time=0.1)
    done = cli("check", path, "--for", "simulink")
    assert done.code == FAILED and "  Simulink has no Python, which this FMU needs" in done.out
    assert "  Simulink renames variables with dots or brackets: --naming flat avoids that" in done.out
    done = cli("check", path, "--for", "fmpy")
    assert done.code == 0 and "nothing keeps fmpy from loading it" in done.out
    assert_one_line(cli("check", path, "--for", "simulik"), WRONG, "--for is 'simulik'", "did you mean 'simulink'")
    assert_one_line(cli("check", tmp_path / "none.fmu", "--for", "fmpy"), FAILED, "no file")


def test_export_says_who_can_load_the_fmu(cli: Cli, tmp_path: Path) -> None:
    """Every export prints the line, on standard output alone."""
    for _ in range(2):
        done = cli("export", GOVERNOR, "--stop", "0.1", "-o", tmp_path / "governor.fmu")
        assert done.code == 0 and not done.err
        assert "governor.fmu: for co-simulation in Python programs that have mbs_fmu" in done.out
