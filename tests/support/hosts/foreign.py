"""FMUs that this package did not make: a bouncing ball in C, built here, and the Reference FMUs where they are."""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import fmpy
import pytest

import mbs_fmu as mbs
from mbs_fmu.model.items import Range
from support.c_programs import compiler, run_command
from support.hosts.c_hosts import HEADERS

SOURCE = Path(__file__).parent / "c" / "ball.c"
FAULTS = (
    "none", "rates fail", "rates nan", "step discarded", "rounds endless", "events endless", "rates fatal",
    "start fails", "ends",
)  # fmt: skip
PARAMETERS = {
    "g": 9.81,
    "e": 0.7,
    "kick": 0.0,
    "kick_at": 1e300,
    "fault_at": 1e300,
}  #: in the order of their references
HEADS = {
    2: '<fmiModelDescription fmiVersion="2.0" modelName="ball" guid="ball" numberOfEventIndicators="1">',
    3: '<fmiModelDescription fmiVersion="3.0" modelName="ball" instantiationToken="ball">',
}
OUTPUTS = {0: "", 1: "", 11: "10", 12: ""}  #: reference of the input on which each output depends
RATES = (2, 3)


def structure(fmi: int) -> str:
    """ModelStructure of the ball; FMI 2.0 counts variables from 1 where FMI 3.0 gives references."""
    if fmi == 3:
        unknowns = [("Output", k, f' dependencies="{inputs}"') for k, inputs in OUTPUTS.items()]
        unknowns += [*(("ContinuousStateDerivative", k, "") for k in RATES), ("EventIndicator", 0, "")]
        return "".join(f'<{kind} valueReference="{k}"{more}/>' for kind, k, more in unknowns)
    outputs = "".join(
        f'<Unknown index="{k + 1}" dependencies="{int(inputs) + 1 if inputs else ""}"/>'
        for k, inputs in OUTPUTS.items()
    )
    rates, calculated = ("".join(f'<Unknown index="{k + 1}"/>' for k in group) for group in (RATES, (*RATES, 11, 12)))
    return (
        f"<Outputs>{outputs}</Outputs><Derivatives>{rates}</Derivatives><InitialUnknowns>{calculated}</InitialUnknowns>"
    )


def variable(fmi: int, kind: str, name: str, reference: int, attributes: str, value: str) -> str:
    """Description of a variable: `attributes` of both versions, and those of the value, such as its start."""
    common = f'name="{name}" valueReference="{reference}" {attributes}'
    if fmi == 2:
        return f"<ScalarVariable {common}><{kind} {value}/></ScalarVariable>"
    return f"<{ {'Real': 'Float64', 'Integer': 'Int32'}[kind] } {common} {value}/>"


def description(fmi: int, saves: bool) -> str:
    """modelDescription.xml of the ball."""
    state = f'canGetAndSetFMU{"s" if fmi == 2 else "S"}tate="{str(saves).lower()}"'
    divides = 'canHandleVariableCommunicationStepSize="true"'
    output, parameter = 'causality="output"', 'causality="parameter" variability="tunable"'
    states = 'initial="exact"'
    of = 1 if fmi == 2 else 0  # derivatives name the state's number, or its reference
    variables = [
        variable(fmi, "Real", "h", 0, f"{output} {states}", 'start="1"'),
        variable(fmi, "Real", "v", 1, f"{output} {states}", 'start="0"'),
        variable(fmi, "Real", "der(h)", 2, 'causality="local"', f'derivative="{of}"'),
        variable(fmi, "Real", "der(v)", 3, 'causality="local"', f'derivative="{of + 1}"'),
        variable(fmi, "Real", "push", 4, 'causality="input"', 'start="0"'),
        *(
            variable(fmi, "Real", name, k, parameter, f'start="{value}"')
            for k, (name, value) in enumerate(PARAMETERS.items(), start=5)
        ),
        variable(fmi, "Real", "brake", 10, 'causality="input" variability="discrete"', 'start="0"'),
        variable(fmi, "Real", "braked", 11, f'{output} variability="discrete"', ""),
        variable(fmi, "Integer", "bounces", 12, f'{output} variability="discrete"', ""),
        variable(fmi, "Integer", "fault", 13, 'causality="parameter" variability="fixed"', 'start="0"'),
        variable(fmi, "Real", "time", 14, 'causality="independent" variability="continuous"', ""),
    ]
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>{HEADS[fmi]}<ModelExchange modelIdentifier="ball" {state}/>'
        f'<CoSimulation modelIdentifier="ball" {state} {divides}/><ModelVariables>{"".join(variables)}</ModelVariables>'
        f"<ModelStructure>{structure(fmi)}</ModelStructure></fmiModelDescription>"
    )


class Ball:
    """The ball of ball.c as an FMU of a version; `path` is its file, or one that cannot save its state."""

    def __init__(self, folder: Path, fmi: int):
        self._ledger = folder / "ledger.txt"
        library = folder / f"ball{fmpy.sharedLibraryExtension}"
        options = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}"]
        defines = [f"-DFMI={fmi}", f'-DLEDGER="{self._ledger.as_posix()}"']
        run_command([*compiler(), *options, *defines, SOURCE, "-o", library, "-lm"])
        place = f"binaries/{fmpy.platform if fmi == 2 else fmpy.platform_tuple}/{library.name}"
        self.path, self.forgetful = folder / "ball.fmu", folder / "forgetful.fmu"
        for path, saves in ((self.path, True), (self.forgetful, False)):
            with zipfile.ZipFile(path, "w") as archive:
                archive.write(library, place)
                archive.writestr("modelDescription.xml", description(fmi, saves))

    def left(self) -> Counter[str]:
        """Return how many instances and states are not freed, and forget what was."""
        words = Counter(self._ledger.read_text(encoding="utf-8").split())
        self._ledger.unlink()
        assert words["+instance"], "the FMU was not used"
        return Counter({name: words[f"+{name}"] - words[f"-{name}"] for name in ("instance", "state")})


class Pump:
    """FMU beside a model, with the input speed and the output torque; it cannot run."""

    def signal_of(self, variable: str, causality: str) -> tuple[str | None, Range]:
        if (variable, causality) not in (("speed", "input"), ("torque", "output")):
            raise mbs.ModelError(f"no {causality} {variable!r}")
        return ("N.m" if variable == "torque" else None), Range()

    def simulate(self, model: mbs.Model, stop_time: float, **settings: Any) -> None:
        raise AssertionError


def reference_fmu(name: str, fmi: int) -> Path:
    """Return one of the Reference FMUs, from the folders 2.0 and 3.0 of MBS_FMU_REFERENCE_FMUS; skips without."""
    folder = os.environ.get("MBS_FMU_REFERENCE_FMUS")
    path = Path(folder or "") / f"{fmi}.0" / f"{name}.fmu"
    if not folder or not path.is_file():
        pytest.skip(f"MBS_FMU_REFERENCE_FMUS names no folder with {fmi}.0/{name}.fmu of the Modelica Association")
    return path
