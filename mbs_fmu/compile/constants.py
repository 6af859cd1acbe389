"""The constants of a generated module: where numbers lie in the record, how many there are, tables of integers."""

from __future__ import annotations

import re

from ..kernels.loops import Order
from ..layout import Head, History, Status, Watch, bound, rate_region, state_region
from . import closed_module
from .pen import Pen


def text(pen: Pen, body: str) -> str:
    """All constants that a module with this body needs."""
    s = pen.structure
    numbers = _numbers(pen) | _numbers_of_methods(pen)
    tables = _tables(pen)
    if pen.places:
        numbers |= closed_module.numbers(pen, pen.places)
        tables |= {name: (values, "int64") for name, values in closed_module.tables(pen, pen.places).items()}
    tables |= {name: (values, "uintp") for name, values in pen.tables.items()}
    lines = [f"{name} = np.int64({value})" for name, value in numbers.items()]  # numba specialises on plain ones
    lines.append(f"FRESH_AT_END = {0.0 if pen.places else 2.0 if s.quaternions else 3.0}")
    lines.append("SETTLED = 1e-9")
    # Behind a rejected step none grows, but in closed loops: there a rejection may tell of a singular position ahead,
    # and steps that creep up on it end so near to it that velocities, by 1 / distance, lose their digits.
    lines.append(f"REGROWTH = {5.0 if pen.places else 1.0}")
    lines += ["AGREES = 1e-3"] if pen.places else []
    for name, (values, kind) in tables.items():
        lines += array(name, values, kind)
    offsets = sorted({int(k) for k in re.findall(r"\bU(\d+)\b", body)})
    widths = sorted({int(k) for k in re.findall(r"\bZEROS_(\d+)\b", body)})
    lines += [f"ZEROS_{k} = (0.0,) * {k}" for k in widths]
    return "\n".join([*lines, *(f"U{k} = np.uintp({k})" for k in offsets)])


def _numbers(pen: Pen) -> dict[str, int]:
    layout, s = pen.layout, pen.structure
    x, f = state_region(layout), rate_region(layout)
    return {
"TIME": Head.time, "STEP": Head.step, "FRESH": Head.fresh, "STEPS": Head.steps, "REJECTED": Head.rejected,
        "EVALUATIONS": Head.evaluations, "FAULT": Head.fault, "FAULT_TIME": Head.fault_time,
        "FAILED_STEP": Head.failed_step, "DONE": Head.done, "ABSOLUTE": Head.absolute, "STILL": Head.still,
        "LAST_ERROR": Head.last_error, "MOST_STEP": Head.most_step, "SWITCHES": layout["switches"].start,
        "N_SWITCHES": layout["switches"].size, "N_KNOTS": len(pen.gathered.knots), "N_DRIVES": layout["drive_means"].size,
        "DRIVE_MOMENTA": layout["drive_momenta"].start,
        "DRIVE_IMPULSES": layout["drive_impulses"].start, "DRIVE_STARTS": layout["drive_starts"].start,
        "DRIVE_MEANS": layout["drive_means"].start, "JACOBIANS": Head.jacobians, "OK": Status.ok,
        "NON_FINITE": Status.non_finite, "STEP_TOO_SMALL": Status.step_too_small, "BUDGET": Status.budget,
        "NO_DIRECTION": Status.no_direction, "FAILED_CHECK": Status.failed_check,
        "FAILED_START_CHECK": Status.failed_start_check, "NO_INERTIA": Status.no_inertia,
        "NOT_CONVERGED": Status.not_converged, "X0": x.start, "NX": x.size, "F0": f.start, "P0": layout["p"].start,
        "NV": layout["p"].size, "FIRST_P": layout["p"].start - x.start, "RATES": layout["u"].start,
        "ERRORS": layout["errors"].start, "U_OLD": layout["u_old"].start, "U_NEW": layout["u_new"].start,
        "BASE": layout["x0"].start,
        "ROLLBACK": layout["rollback"].start, "STAGES": layout["stages"].start, "WORK": layout["work"].start,
        "INPUTS": layout["inputs"].start, "N_INPUTS": layout["inputs"].size, "PARAMETERS": layout["parameters"].start,
        "N_PARAMETERS": layout["parameters"].size, "OUTPUTS": layout["outputs"].start,
        "N_OUTPUTS": layout["outputs"].size, "CLOCK": 2 * layout["inputs"].size, "N_PACKED": len(_packing(pen)[0]),
        "N_SINES": layout["driven_sines"].size + layout["sines"].size, "N_COLUMNS": len(s.columns) + 1,
        "N_QUATERNIONS": len(s.quaternions), "GIMBAL_LOCK": Status.gimbal_lock,
        "OTHER_TIME": Status.other_time, "LOCKS": layout["locks"].start,
        "N_LOCKS": len(s.locked),
    }  # fmt: skip


def _numbers_of_methods(pen: Pen) -> dict[str, int]:
    layout, s = pen.layout, pen.structure
    history, watch, events = layout["history"].start, layout["watch"].start, len(s.events)
    numbers = {
        "HISTORY": history + History.count, "HISTORY_STEP": history + History.step,
        "HISTORY_TIME": history + History.time, "NEWEST": history + History.newest, "HISTORY_SIZE": History.size,
        "PAST": history + History.size + state_region(layout).size + layout["inputs"].size
        + layout["parameters"].size,
        "READY_STEPS": int(s.order.loops or layout["drive_means"].size > 0), "MOST_SWEEPS": 100,
        "N_EVENTS": events, "INDICATORS": layout["indicators"].start, "CROSSED": watch + Watch.crossed,
        "STOPPED": watch + Watch.stopped, "WATCHED_STEPS": watch + Watch.steps,
        "WATCHED_DONE": watch + Watch.done, "WATCHED_START": watch + Watch.start,
        "VALUES": watch + Watch.size, "CROSSINGS": watch + Watch.size + 3 * events,
    }  # fmt: skip
    if "jacobian" in layout:
        numbers |= {name.upper(): layout[name].start for name in ("jacobian", "factored", "swaps", "tail")}
    return numbers


def _tables(pen: Pen) -> dict[str, tuple[list[int], str]]:
    """Integers by name, and their kind."""
    s = pen.structure
    packed, unpacked = _packing(pen)
    return {
        "CLASS": (list(s.order.of_link), "int64"),
        "PARENT": (list(s.order.parent), "int64"),
        "CHILDREN": (list(s.order.children), "int64"),
        "SLOT": (slots(s.order), "uintp"),
        "Q_INDEX": (s.first["coordinates"], "uintp"),
        "U_INDEX": (s.first["rates"], "uintp"),
        "DRIVEN_Q_INDEX": (s.first["driven_coordinates"], "uintp"),
        "DRIVEN_U_INDEX": (s.first["driven_rates"], "uintp"),
        "PACKED": (packed, "int64"),
        "UNPACKED": (unpacked, "int64"),
        "QUATERNIONS": ([bound(x, pen.layout) for x in s.quaternions], "int64"),
        "COLUMNS": ([0, *s.columns], "int64"),
        "LOCKED": ([bound(x, pen.layout) for x in s.locked], "int64"),
        "KNOTS": ([n for first, size in pen.gathered.knots for n in (bound(first, pen.layout), size)], "int64"),
        "EVENT_DIRECTIONS": ([direction for direction, _ in s.events], "int64"),
        "STOPS": ([int(stop) for _, stop in s.events], "int64"),
    }


def _packing(pen: Pen) -> tuple[list[int], list[int]]:
    """Addresses of the packed constants, and of where each comes from."""
    bodies, constants = pen.layout["bodies"], pen.layout["constants"]
    packed, unpacked = [], []
    for i, kind in enumerate(pen.structure.order.of_link):
        for which, place in pen.steps.of_class[kind].packing.items():
            packed.append(constants.start + i * constants.stride + place)
            unpacked.append(bodies.start + i * bodies.stride + which)
    return packed, unpacked


def slots(order: Order) -> list[int]:
    """The branch slot of each link with several children; 0 where it is never used."""
    out, count = [], 0
    for children in order.children:
        out.append(count if children > 1 else 0)
        count += children > 1
    return out


def array(name: str, values: list[int], kind: str) -> list[str]:
    """A constant array; one entry at least, since an empty one has no type to compile."""
    shown = values or [0]
    rows = [", ".join(map(str, shown[i : i + 24])) for i in range(0, len(shown), 24)]
    if len(rows) == 1:
        return [f"{name} = np.array([{rows[0]}], dtype=np.{kind})"]
    return [
        f"{name} = np.array(",
        "    [",
        *(f"        {row}," for row in rows),
        "    ],",
        f"    dtype=np.{kind},",
        ")",
    ]
