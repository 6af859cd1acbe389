"""A model as C without FMI: its numbers in a program, its header, its refusals."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.c.text import comment, identifier, wrapped
from mbs_fmu.firmware.names import identifiers
from mbs_fmu.infrastructure.errors import ArgumentError
from mbs_fmu.model.measures.measures import rotation
from mbs_fmu.record.program import Variable
from support.c_programs import WARNINGS, compiler, run_command
from support.models.bundled import built
from support.models.changing_tables import OTHER, motor_curve
from support.models.fmu_models import shuttle

STEPS, STEP = 1024, 2.0**-10  #: the step is a power of two, so that all times of `simulate` are exact too

PROGRAM = """#include <stdio.h>
#include "NAME.h"

static NAME m; /* all the memory that the model needs */

int main(void) {
    INPUTS
    NAME_outputs out;
    NAME_defaults(&m);
    PARAMETERS
    int status = NAME_init(&m);
    for (int k = 0; k < STEPS && status == 0; k++) {
        status = NAME_step(&m, STEP INPUT, &out);
        if ((k + 1) % 64) continue;
        printf("%a", (double)m.R[UPPER_TIME]);
        for (unsigned i = 0; i < sizeof out / sizeof(REAL); i++) printf(" %a", (double)((REAL *)&out)[i]);
        MORE
        printf("\\n");
    }
    if (status) printf("%s\\n", NAME_status(status));
    return status;
}
"""


def run_program(
    folder: Path,
    model: mbs.Model,
    parameters: str = "",
    real: str = "double",
    options: Sequence[str] = ("-O2",),
    more: str = "",
    text: str = PROGRAM,
) -> np.ndarray:
    """Compile a program that makes 1024 steps, and return what it prints: time and outputs, every 64 steps."""
    name = identifier(model.name)
    inputs = "".join(f"in.{identifier(key)} = {i.start!r};" for key, i in model.inputs.items())
    replaced = {
        "INPUTS": f"static {name}_inputs in; {inputs}" if inputs else "", "INPUT": ", &in" if inputs else "",
        "PARAMETERS": parameters, "MORE": more,
        "STEPS": str(STEPS), "STEP": repr(STEP), "UPPER": name.upper(), "REAL": real,
    }  # fmt: skip
    for key, value in replaced.items():
        text = text.replace(key, value)
    source, program = folder / "main.c", folder / "main"
    source.write_text(text.replace("NAME", name))
    run_command([*compiler(), *WARNINGS, *options, source, folder / f"{name}.c", "-o", program, "-lm"])
    return np.array([[float.fromhex(x) for x in line.split()] for line in run_command([program]).splitlines()])


def simulated(model: mbs.Model, method: str = "rk4", **options: object) -> np.ndarray:
    """Return time and outputs of `simulate` with a row for each step, in the rows that the program prints."""
    inputs = {name: i.start for name, i in model.inputs.items()}
    result = mbs.simulate(model, STEPS * STEP, inputs=inputs, method=method, step=STEP, output_interval=STEP, **options)  # type: ignore[call-overload]
    columns = [name for name in result.columns if name == "time" or name.partition("[")[0] in model.outputs]
    return np.stack([result[name] for name in columns], axis=1)[64::64]


CASES = [("governor", "rk4"), *(pytest.param(*case, marks=pytest.mark.slow) for case in [
    ("governor", "dopri5"), ("governor", "gauss4"), ("governor", "rodas5p"), ("four_bar", "rodas5p"),
    ("double_pendulum", "rk4"), ("four_bar", "rk4"), ("clutch", "rk4"),
    ("bouncing_pendulum", "rk4"), ("rolling_disc", "rk4"), ("free_top", "rk4"),
])]  # fmt: skip


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_program_in_c_gives_the_numbers_of_simulate(name: str, method: str, tmp_path: Path) -> None:
    """Bit for bit, after each of 16 rows of 64 steps."""
    model = built(name)
    mbs.export_c(model, tmp_path, method=method, events="steps")
    found, expected = run_program(tmp_path, model), simulated(model, method, events="steps")
    assert found.shape == expected.shape
    wrong = np.argwhere(found != expected)
    assert not len(wrong), f"column {wrong[0][1]} at t = {found[wrong[0][0], 0]:g} s: {found[tuple(wrong[0])]!r}"


@pytest.mark.slow
def test_tables_in_c_take_other_values(tmp_path: Path) -> None:
    """The numbers are those of `simulate` with these values, bit for bit; each value is a member of the parameters."""
    model = motor_curve()
    mbs.export_c(model, tmp_path, method="rk4")
    given = "".join(f"p.torque_curve_{k} = {x!r};" for k, x in enumerate(OTHER, start=1))
    parameters = f"""motor_curve_parameters p;
    motor_curve_get_parameters(&m, &p);
    {given}
    if (motor_curve_set_parameters(&m, &p)) return 1;"""
    expected = simulated(model, parameters={"torque_curve": OTHER})
    assert np.array_equal(run_program(tmp_path, model, parameters), expected)
    assert not np.array_equal(expected, simulated(model))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["governor", "four_bar", "bouncing_pendulum"])
def test_sanitizers_find_no_fault(name: str, tmp_path: Path) -> None:
    """Addresses and operations are within what C defines."""
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    command = [*compiler(), *flags, str(probe), "-o", str(tmp_path / "probe")]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("the compiler has no sanitizers")
    model = built(name)
    mbs.export_c(model, tmp_path, events="steps", index="int32_t" if name == "governor" else "int64_t")
    assert len(run_program(tmp_path, model, options=flags)) == STEPS // 64


@pytest.mark.parametrize("name", ["governor", pytest.param("free_top", marks=pytest.mark.slow)])
def test_single_precision_is_that_precise(name: str, tmp_path: Path) -> None:
    """Float with 32-bit integers follows double within rounding that grows with the square root of the steps."""
    model = built(name)
    mbs.export_c(model, tmp_path, real="float", index="int32_t")
    options = ["-O2", "-Wdouble-promotion"]
    found, expected = run_program(tmp_path, model, real="float", options=options), simulated(model)
    scale = np.maximum(np.abs(expected).max(axis=0), 1e-3)
    assert np.max(np.abs(found - expected) / scale) < 100 * np.finfo(np.float32).eps * np.sqrt(STEPS)
    assert np.array_equal(found[:, 0], expected[:, 0])  # times are counted


def test_parameters_are_checked_before_any_is_set(tmp_path: Path) -> None:
    """A value beyond its limits is refused by its number; the program then runs with other parameters."""
    model = built("governor")
    mbs.export_c(model, tmp_path)
    parameters = """governor_parameters p;
    governor_get_parameters(&m, &p);
    p.c = 350.0, p.d = -1.0;
    if (governor_set_parameters(&m, &p) != 2 || m.R[GOVERNOR_C] != 400.0) return 100;
    p.d = 5.0;
    if (governor_set_parameters(&m, &p)) return 101;"""
    found = run_program(tmp_path, model, parameters)
    expected = simulated(model, parameters={"c": 350.0, "d": 5.0})
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("name", ["governor", pytest.param("free_top", marks=pytest.mark.slow)])
def test_poses_are_those_of_measures(name: str, tmp_path: Path) -> None:
    """Each body has the position and rotation that outputs of the model have; other numbers stay the same."""
    model, measured = built(name), built(name)
    mbs.export_c(model, tmp_path, poses=True)
    bodies = list(model.bodies)
    calls = "".join(
        f"{identifier(name)}_pose(&m, {identifier(name).upper()}_BODY_{identifier(body).upper()}, T);"
        'for (int i = 0; i < 12; i++) printf(" %a", (double)T[i]);'
        for body in bodies
    )
    found = run_program(tmp_path, model, "double T[12];", more=calls)
    for k, body in enumerate(bodies):
        measured.output(f"pose_{k}", [*mbs.position(body), *rotation(body)])
    assert np.array_equal(found, simulated(measured))
    assert "live_" not in (tmp_path / f"{identifier(name)}.h").read_text()


def test_header_is_one_for_cpp_and_deterministic(tmp_path: Path) -> None:
    """Two exports give the same bytes; the header serves C++."""
    texts = []
    for folder in ("one", "two"):
        header = mbs.export_c(built("governor"), tmp_path / folder)
        texts.append((header.read_bytes(), header.with_suffix(".c").read_bytes()))
    assert texts[0] == texts[1] and header.name == "governor.h"
    assert b"At most" in texts[0][0] and b"and no calls of <math.h>" in texts[0][0]
    assert b'extern "C"' in texts[0][0] and str(tmp_path).encode() not in b"".join(texts[0])


@pytest.mark.quick
def test_arguments_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    """Each refusal names the argument and the remedy; nothing is written."""
    pendulum = built("double_pendulum")
    with pytest.raises(ArgumentError, match="real is 'half': use 'double' or 'float'"):
        mbs.export_c(pendulum, tmp_path, real="half")
    with pytest.raises(ArgumentError, match="index is 'int8_t'"):
        mbs.export_c(pendulum, tmp_path, index="int8_t")
    with pytest.raises(ArgumentError, match="poses is 'yes': use True or False"):
        mbs.export_c(pendulum, tmp_path, poses="yes")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="unknown method"):
        mbs.export_c(pendulum, tmp_path, method="rk5")
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(ArgumentError, match=r"folder is '.*file', a file: give a folder"):
        mbs.export_c(pendulum, tmp_path / "file")


@pytest.mark.quick
def test_names_of_variables_become_unique_identifiers() -> None:
    """C's keywords, names of <math.h> and capitals that agree get something behind."""
    rows = [Variable(name, "output", 20) for name in ("arm.q[1]", "arm_q_1", "ARM_Q_1", "y1", "1st", "double", "time")]
    names = identifiers(rows, taken=["time"])
    assert names["arm.q[1]"] == "arm_q_1"
    assert len({name.upper() for name in names.values()}) == len(rows)
    assert names["y1"] == "y1_" and names["double"] == "double_" and names["1st"] == "_1st" and names["time"] != "time"


@pytest.mark.quick
def test_comments_end_where_they_shall() -> None:
    """No text of a user ends a comment, begins one, or continues a line."""
    for text in ("a */ int x; /* b", "??/", "back\\\nslash", "**/", "*/*/"):
        inside = comment(text)
        assert "*/" not in inside and "/*" not in inside and "??" not in inside and "\\\n" not in inside
    assert all(len(line) <= 120 for line in wrapped("word " * 100, 4).splitlines())


def test_events_without_resets_cost_nothing(tmp_path: Path) -> None:
    """Nobody reads a log, and steps have no ends of runs: the text is that of the model without these events."""

    def model(observed: bool) -> mbs.Model:
        m = mbs.Model("ball")
        ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
        m.start(ball, q=1.0)
        m.output("height", mbs.coordinate(ball))
        if observed:
            m.event("low", mbs.coordinate(ball) - 0.5)
            m.event("ground", mbs.coordinate(ball), direction=-1, stop=True)
        return m

    texts = [
        mbs.export_c(model(observed), tmp_path / str(observed)).with_suffix(suffix).read_text()
        for suffix in (".c", ".h")
        for observed in (False, True)
    ]
    assert texts[0] == texts[1] and texts[2] == texts[3]


def test_types_of_inputs_and_outputs(tmp_path: Path) -> None:
    """Booleans are `bool`, integers and enumerations `int32_t`; the numbers are those of `simulate`, bit for bit."""
    model = shuttle()
    mbs.export_c(model, tmp_path, method="rk4", events="steps")
    header = (tmp_path / "shuttle.h").read_text()
    for line in ("bool brake; /* latches the shuttle */", "int32_t gear;", "double push; /* N */"):
        assert f"    {line}\n" in header
    assert "int32_t lever; /* direction of the push, -1 back, 0 neutral, 1 forth */" in header
    more = 'printf(" %a %a %a %a", out.place, (double)out.far_, (double)out.count, (double)out.direction);'
    lines = re.sub(r"for \(unsigned i.*", "", PROGRAM)
    found = run_program(tmp_path, model, more=more, text=lines)
    result = mbs.simulate(model, STEPS * STEP, method="rk4", step=STEP, output_interval=STEP, events="steps")
    expected = np.stack([result[name] for name in ("time", "place", "far", "count", "direction")], axis=1)[64::64]
    assert np.array_equal(found, expected)
