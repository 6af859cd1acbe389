"""The modules of a model for several members at once: its kernels on SIMD lanes, with one member in each lane."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...codegen.loader import Kernels
from ...codegen.machine import NoLanes as NoLanes
from ...codegen.target import processor
from ...record.branches import in_lanes
from ...record.kernel_module import KernelModule
from ...record.program import Program
from ..methods.method import Method
from ..methods.texts import functions_of, kernel, sources
from ..write import functions_for, silent_functions
from . import drivers as lane_drivers
from . import projections, stepwise

#: Numbers of each lane behind its record: their names in drivers.py and projections.py, and their places. The
#: backup of lanes that wait is behind them.
LANE_NUMBERS = {"ACTIVE": 0, "FAILED": 1, "SAVED_ROW": 2, "WAITING": 3, "OUTPUTS_FOLLOW": 4}


def machine_lanes() -> int:
    """Number of doubles in a SIMD register of the target processor: 8, 4 or 2."""
    return processor().lanes


def usual_lanes(program: Program) -> int:
    """Number of lanes that runs of a program use if nobody chooses it: those of the machine.

    Single members with elastic bodies use SIMD registers already; two lanes would be slower.
    """
    lanes = machine_lanes()
    return 1 if lanes == 2 and program.elastic else lanes


def compile_on_lanes(compile_kernels: Callable[[], object]) -> None:
    """Call a function that compiles kernels on lanes; raise NoLanes if lanes would have to take different branches."""
    try:
        compile_kernels()
    except NotImplementedError as error:
        reason = re.search(r"lanes differ in .*", str(error))
        if reason is None:
            raise
        raise NoLanes(reason[0]) from error


def require_lanes(kernels: Kernels) -> None:
    """Raise NoLanes unless the engine of these kernels compiles lanes."""
    if not kernels.has_lanes:
        raise NoLanes("its engine compiles no lanes")


def fits_lanes(method: Method, fixed: bool) -> bool:
    """True if runs can use lanes: those with fixed steps of an explicit one-step method."""
    return fixed and method.fits_lanes


def lanes_module(model: KernelModule, lanes: int, angles: int) -> KernelModule:
    """Return a model's module for `lanes` lanes, which must not differ in branches.

    `angles` is the number of angles whose sine and cosine the model needs. In single records region `sines` is padded,
    in lanes it is not.
    """
    own = sources(lane_drivers.column, lane_drivers.lane_of, lane_drivers.every)
    functions = [kernel(function) for function in own.values()]
    return in_lanes(model).with_functions(functions, {"LANES": lanes, "N_SINES": angles})


def runs_module(program: Program, lanes: int, method: Method) -> KernelModule:
    """Return the module of a program for runs in lanes with fixed steps of a method. Lanes agree on branches.

    Records have `lane_rows` rows in it. Raises NoLanes for models with lists of near pairs, which differ between
    members.
    """
    if program.has_near_pairs:
        raise NoLanes("its lists of near pairs differ between members")
    first = program.regions["end"][0]
    numbers = {name: first + place for name, place in LANE_NUMBERS.items()} | {"BACKUP": first + len(LANE_NUMBERS)}
    parts = {"SAVED": saved(program), "KEPT": kept(program)}
    numbers |= {f"N_{name}": len(which) for name, which in parts.items()} | {"N_STEPPED": len(saved(program))}
    ends = {name: [x for start, size in which for x in (start, start + size)] for name, which in parts.items()}
    functions = functions_for(functions_of(lane_drivers, stepwise), method)
    if program.loops:
        functions += functions_for(functions_of(projections), None)
    if program.crossings:  # results of batches have no log
        functions += silent_functions()
    return lanes_module(program.module, lanes, program.angles).with_functions(functions, numbers, ends)


def saved(program: Program) -> list[tuple[int, int]]:
    """Return start and size of the parts of a record from which the next step follows.

    At an instant with changes of modes, this includes the workspace.
    """
    return joined(program.stepped + program.evaluated) if program.crossings else program.stepped


def kept(program: Program) -> list[tuple[int, int]]:
    """Return start and size of the parts that lanes keep while others are projected: those of `saved` come first."""
    if not program.loops:
        return []
    return saved(program) if program.crossings else program.stepped + program.evaluated


def joined(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return parts in their order, with contiguous ones as one."""
    result: list[tuple[int, int]] = []
    for start, size in sorted(parts):
        if result and sum(result[-1]) == start:
            result[-1] = (result[-1][0], result[-1][1] + size)
        else:
            result.append((start, size))
    return result


def lane_rows(program: Program) -> int:
    """Return the number of rows of a record in lanes, with the numbers behind it."""
    return program.regions["end"][0] + len(LANE_NUMBERS) + sum(size for _, size in kept(program))
