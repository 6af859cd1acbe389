"""The C header of a model: its tables and sentences, from the variable table, the program and the messages."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

from ...compile.program import Program
from ...layout import Closing, Head, LinkConstants, Status
from ...messages import FIELDS, MESSAGES
from ..experiment import Experiment
from ..saved import whole_numbers
from ..variables import FmiVariable, indicator_rows, variable_table

#: Names in C of the kinds of variables; those up to LAST_KNOWN may be what others are derived by.
KINDS = {
    "time": "CLOCK", "input": "INPUT", "state": "STATE", "coordinate": "COORDINATE", "rate": "RATE",
    "momentum": "MOMENTUM", "force": "FORCE", "output": "OUTPUT", "derivative": "DERIVATIVE",
}  # fmt: skip
#: Addresses of numbers in the region `closing`, by the names that C has for them.
CLOSING = {
    "MOST_ALPHA": Closing.most_alpha, "ALPHA_STEP": Closing.alpha_step, "PROJECT": Closing.project,
    "BOUND": Closing.bound, "SIZE": Closing.length, "RESIDUAL": Closing.residual, "RANK": Closing.rank,
    "ITERATIONS": Closing.iterations, "LAST_GOOD": Closing.last_good,
    "CONTROLLED": Closing.controlled, "BLAMED": Closing.blamed,
}  # fmt: skip


def model_header(program: Program, experiment: Experiment, token: str, arrays: bool) -> str:
    """model.h: all that the C sources know of the model. With `arrays` (FMI 3) a vector output is one variable."""
    rows = variable_table(program)
    regions = program.regions
    count = regions["inputs"][1]
    fixed = experiment.step > 0.0
    numbers: dict[str, object] = {
        "NAME": string(program.name), "TOKEN": string(token),
        "N_R": regions["end"][0], "N_U": 6 * count + 4, "N_INPUTS": count, "N_VARS": len(rows),
        "N_EVENTS": len(program.indicators), "N_QUATERNIONS": len(program.quaternions),
        "NX": program.state_slice.stop - program.state_slice.start, "X0": program.state_slice.start,
        "F0": program.rate_slice.start, "EXCHANGE": program.exchange_slice.start, "INPUTS": regions["inputs"][0],
        "OUTPUTS": regions["outputs"][0], "N_OUTPUTS": regions["outputs"][1],
        "TIME": Head.time, "STEP": Head.step, "FRESH": Head.fresh, "FAULT": Head.fault, "FAULT_TIME": Head.fault_time,
        "FAILED_STEP": Head.failed_step, "ABSOLUTE": Head.absolute,
        "START_OK": Status.ok, "STEP_TOO_SMALL": Status.step_too_small, "BUDGET": Status.budget,
        "NOT_CONVERGED": Status.not_converged, "GIMBAL_LOCK": Status.gimbal_lock,
        "START_NO_DIRECTION": Status.no_direction, "START_FAILED_CHECK": Status.failed_check,
        "START_FAILED_START_CHECK": Status.failed_start_check,
        "START_NOT_ASSEMBLED": Status.not_assembled, "START_NOT_MOVABLE": Status.not_movable,
        "OPEN_LOOP": Status.open_loop, "NOT_FOLLOWED": Status.not_followed, "N_KEPT": regions["bodies"][0],
        "FIXED": int(fixed), "SETTING": repr(experiment.step), "MOST_STEPS": experiment.max_internal_steps,
        "RTOL": repr(experiment.rtol), "ATOL": repr(experiment.atol),
    }  # fmt: skip
    numbers |= _closed_numbers(program)
    kinds = [_kind(row) for row in rows]
    whole = whole_numbers(program)
    numbers["N_WHOLE"] = len(whole)
    tables = [
        table("double", "FIRST", map(number, _first(program))),
        table("uint32_t", "SLOTS", (row.slot for row in rows)),
        table("uint32_t", "LENGTHS", _lengths(program, rows) if arrays else [1] * len(rows)),
        table("char", "KINDS", kinds),
        table("uint32_t", "EVENT_OUTPUTS", (row.reference for row in indicator_rows(program, rows))),
        table("bool", "STOPS", (int(event["stop"]) for event in program.indicators)),
        table("int", "EVENT_DIRECTIONS", (event["direction"] for event in program.indicators)),
        table("bool", "SOLVED", (int(row.initial == "approx") for row in rows)),
        table("bool", "LINEAR", (int(row.unit in ("m", "m/s", "N.s")) for row in rows)),
        table("double", "LOW", (number(-math.inf if row.low is None else row.low) for row in rows)),
        table("double", "HIGH", (number(math.inf if row.high is None else row.high) for row in rows)),
        table("double", "NOMINALS", map(number, _nominals(program, rows))),
        table("char *const", "NAMES", (string(row.name) for row in rows)),
        table("char *const", "OWNERS", map(string, program.owners)),
        table("char *const", "CHECKS", map(string, program.checks)),
        table("char *const", "START_CHECKS", map(string, program.start_checks)),
        table("char *const", "QUATERNIONS", map(string, program.quaternions)),
        table("uint32_t", "QUATERNION_SLOTS", program.quaternions.values()),
        table("char *const", "LOOPS", (string(loop["name"]) for loop in program.loops)),
        table("char *const", "GIVEN", map(string, program.given)),
        table("int", "LOOP_ROWS", (len(loop["labels"]) for loop in program.loops)),
        table("uint32_t", "WHOLE_SLOTS", (slot for slot, _, _ in whole)),
        table("double", "WHOLE_LOW", (number(low) for _, low, _ in whole)),
        table("double", "WHOLE_HIGH", (number(high) for _, _, high in whole)),
    ]
    enumeration = "enum { " + ", ".join(["PARAMETER", "TUNABLE", *KINDS.values(), "LAST_KNOWN = MOMENTUM"]) + " };"
    lines = ["/* Tables of the model, generated by mbs_fmu. */"]
    lines += [f"#define {name} {value}" for name, value in numbers.items()]
    return "\n".join([*lines, enumeration, *tables, *(sentence(key) for key in MESSAGES)]) + "\n"


def _closed_numbers(program: Program) -> dict[str, object]:
    """Where what closes loops lies; a model without loops has no rows, and then nothing of it is used."""
    regions = program.regions
    numbers: dict[str, object] = {}
    size = LinkConstants.size
    for name in ("residuals", "ranks", "pivots", "closing", "bodies", "u", "u_old"):
        numbers["R_" + name.upper()] = regions.get(name, (0, 0))[0]
    numbers |= {
        "N_RATES": regions["u"][1],
        "N_ROWS": regions.get("residuals", (0, 0))[1],
        "N_LOOPS": len(program.loops),
    }
    numbers |= {"N_LINKS": regions["bodies"][1] // size, "LINK_SIZE": size, "LINK_INERTIA": LinkConstants.inertia[0]}
    return numbers | {f"R_{name}": f"(R_CLOSING + {place})" for name, place in CLOSING.items()}


def _kind(row: FmiVariable) -> str:
    if row.kind == "parameter":
        return "PARAMETER" if row.variability == "fixed" else "TUNABLE"
    return KINDS["force" if row.kind == "driven" else row.kind]  # both follow from the state


def _nominals(program: Program, rows: Iterable[FmiVariable]) -> list[float]:
    """Of each continuous state."""
    known = {row.slot: row.nominal for row in rows}
    return [known.get(slot) or 1.0 for slot in range(program.state_slice.start, program.state_slice.stop)]


def _first(program: Program) -> np.ndarray:
    """The first record up to its last number that is not zero."""
    record = program.new_record()
    return record[: int(np.max(np.nonzero(record)[0], initial=0)) + 1].tolist()


def _lengths(program: Program, rows: Iterable[FmiVariable]) -> list[int]:
    """A vector's first component stands for all of it, the others don't exist."""
    lengths = {name: 0 for names in program.vectors.values() for name in names[1:]}
    lengths |= {names[0]: len(names) for names in program.vectors.values()}
    return [lengths.get(row.name, 1) for row in rows]


def table(kind: str, name: str, entries: Iterable[object]) -> str:
    """A constant array; C has none without entries."""
    filler = '""' if "*" in kind else "0"
    return f"static const {kind} {name}[] = {{{', '.join(map(str, entries)) or filler}}};"


def number(value: float) -> str:
    """A C number, exact."""
    return repr(value) if math.isfinite(value) else "HUGE_VAL" if value > 0.0 else "-HUGE_VAL"


def string(text: str) -> str:
    """A C string; JSON's escapes are C's, but for what isn't ASCII, which goes byte by byte."""
    escaped = json.dumps(text, ensure_ascii=False).replace("?", "\\?")
    return "".join(c if ord(c) < 128 else "".join(f"\\{b:03o}" for b in c.encode()) for c in escaped)


def sentence(key: str) -> str:
    """A C function that writes a message: say_KEY(text, size, fields in alphabetical order)."""
    fields = re.findall(r"{(\w+)}", MESSAGES[key])
    types: Mapping[type, tuple[str, str]] = {str: ("const char *", "%s"), float: ("double ", "%.9g")}
    arguments = ", ".join(f"{types[FIELDS[f]][0]}{f}" for f in sorted(set(fields)))
    text = re.sub(r"{(\w+)}", lambda match: types[FIELDS[match[1]]][1], MESSAGES[key])
    call = f"snprintf(text, size, {string(text)}, {', '.join(fields)})"
    return f"static inline void say_{key}(char *text, size_t size, {arguments}) {{\n    {call};\n}}"
