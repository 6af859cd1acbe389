"""Slaves of Python FMUs without an importer, on kernels run as plain Python; nothing is compiled."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi import python_slave
from mbs_fmu.fmi.export import for_importers
from mbs_fmu.record.program import Program
from mbs_fmu.run.simulate import compiled


class Slaves:
    """Creates slaves of models, compiling each program once; `programs` maps model names to programs."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch):
        self.folder = folder
        self.programs: dict[str, Program] = {}
        patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
        patch.setattr(python_slave, "_runtimes", {})

    def __call__(self, model: mbs.Model, method: str, **settings: object) -> python_slave.ModelSlave:
        """Slave before its start; settings: step, or rtol and atol; max_internal_steps."""
        folder = self.folder / f"{model.name}_{method}"
        if not folder.exists():
            folder.mkdir()
            program = compiled(for_importers(model), method=method, alone=True).program
            self.programs[model.name] = program
            (folder / "program.json").write_text(program.to_json(), encoding="utf-8")
            (folder / "kernels.txt").write_text(program.text, encoding="utf-8")
        integration_settings: dict[str, Any] = {
            "step": 0.0,
            "rtol": 1e-6,
            "atol": 1e-8,
            "max_internal_steps": 10**7,
            **settings,
        }
        integration = ET.Element(
            "integration", {"method": method, **{key: str(value) for key, value in integration_settings.items()}}
        )
        ET.ElementTree(integration).write(folder / "integration.xml")
        return python_slave.ModelSlave(instance_name="slave", resources=str(folder))


def reference(slave: python_slave.ModelSlave, name: str) -> int:
    return next(row.reference for row in slave._table if row.name == name)


def start(slave: python_slave.ModelSlave, values: dict[str, float] | None = None, time: float = 0.0) -> None:
    """Initialize with these values; the slave is ready for its first step."""
    slave.setup_experiment(time)
    slave.enter_initialization_mode()
    set_values(slave, values or {})
    slave.exit_initialization_mode()


def set_values(slave: python_slave.ModelSlave, values: dict[str, float]) -> None:
    slave.set_real([reference(slave, name) for name in values], list(values.values()))


def everything(slave: python_slave.ModelSlave) -> list[float]:
    """Values of all variables, in the order of the table."""
    getters = {"Real": slave.get_real, "Integer": slave.get_integer, "Boolean": slave.get_boolean}
    numbers: list[float] = []
    for type, rows in groupby(slave._table, lambda row: python_slave.FUNCTIONS[row.kind]):
        numbers += map(float, getters[type]([row.reference for row in rows]))
    return numbers


def messages(slave: python_slave.ModelSlave) -> str:
    return "\n".join(str(entry.msg) for entry in slave.log_queue)
