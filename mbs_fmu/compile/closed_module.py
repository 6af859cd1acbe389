"""The parts of a generated module that only models with closed loops, reactions or accelerations have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..kernels import along_motion, closing
from ..kernels.dual import dual
from ..kernels.loops import call, indent
from ..kernels.sources import kernel_text, kernels_of
from ..layout import DIRECTIONS, Along
from ..trace.balance import NAMES, balance, plain_row
from ..trace.elements import Column, free_columns
from .cuts import Places

if TYPE_CHECKING:
    from .module import ModuleWriter

CLOSING = kernels_of(closing)
ALONG_MOTION = kernels_of(along_motion)  #: kernels that need tangents along the motion, in an array of their own
SOLVED = ("motion", "solve_d", "forces_d")  #: what they call


def functions(writer: ModuleWriter, along: Along) -> list[str]:
    """conditions, solve and forces, or their tangents; with them what the start and its assembly need."""
    out = [kernel_text(dual(f, CLOSING, along)) for f in CLOSING.values()]
    if along:
        out += [kernel_text(dual(f, SOLVED, along[1:])) for f in ALONG_MOTION.values()]
    text = "Poses, and the rows of all loops: residuals, their rates, K and W."
    out.append(writer.function("conditions", text, _conditions(writer, along), along))
    if not along:
        rows = [writer.step(plain_row(step)) for step in writer.whole]
        lines = [
            "for k in range(N_ROWS):",
            "    R[RIGHT + k] = R[RESIDUAL_RATES + k]",
            "    R[TERMS + k] = abs(R[RESIDUAL_RATES + k])",
        ]
        lines += writer.keep(writer.loops.rows("plain_row", rows)) if writer.structure.order.loops else []
        text = "The Jacobian, S in the metric of the free coordinates, and gamma + K v of given motions alone."
        out.append(writer.function("plain_inboard", text, lines))
    out.append(writer.function("solve", "Joint velocities and multipliers: (L7).", _solve(writer, along), along))
    text = "Rates of the momenta at the velocities and multipliers at hand: (P4), (L3)."
    out.append(writer.function("forces", text, _forces(writer, along), along))
    return out


def _conditions(writer: ModuleWriter, along: Along) -> list[str]:
    here = call(along)
    lines = [*writer.positions(along), f"pose{here}", f"start_rows{here}"]
    return [*lines, *writer.emit(writer.structure.laws.rows, along), f"right_sides{here}"]


def _solve(writer: ModuleWriter, along: Along) -> list[str]:
    lines = [f"conditions{call(along)}", f"residual{call(along)}", "set_tolerance(R)"]
    if not writer.structure.names:
        return lines
    passes, loops = writer.passes, writer.structure.order.loops
    slots = list(range(len(writer.inertia)))
    lines.append("# inboard: articulated inertias, gains, rows")
    rows = [p.row for p in passes] if loops else None
    lines += writer.inboard("inboard", [p.inboard for p in passes], writer.inertia, slots, along, rows)
    if loops:
        lines += [f"{name}{call(along, 'N_LINKS', 'False')}" for name in ("close", "multipliers")]
    lines.append("# outboard: velocities and multipliers")
    slots = [len(writer.inertia) + k for k in range(len(writer.twist))]
    outboard = [p.outboard for p in passes]
    return lines + writer.outboard("outboard", outboard, writer.twist, slots, along, "branch", loops)


def _forces(writer: ModuleWriter, along: Along) -> list[str]:
    laws = writer.structure.laws
    lines = [line for name in ("p_dot", "momentum", "impulse", "wrench") for line in writer.zero(name, along)]
    lines += writer.totals(along, in_derive=True)
    lines += writer.emit(laws.joints + laws.signals, along) + writer.emit(laws.wrenches + laws.impulses, along)
    if not writer.structure.names:
        return lines
    steps = [balance(step) for step in writer.whole]
    return [
        *lines,
        "# inboard: the balance of momenta",
        *writer.inboard("balance", steps, NAMES, list(range(12)), along),
    ]


def instant(writer: ModuleWriter, along: Along) -> list[str]:
    """Reactions and accelerations, from rates of change; their tangents from those of the rates of change."""
    records = "(R, D, E, F)" if along else "(R, D)"
    lines = [f"motion{'_d' * bool(along)}{records}", f"derive_{'d' * (1 + bool(along))}{records}"]
    lines += writer.emit(writer.structure.laws.instant, DIRECTIONS[1:] if along else ())
    name, doc = f"instant{'_d' * bool(along)}{records}", "Reactions and accelerations; D is room for rates of change."
    return ["\n".join(["@kernel", f"def {name}:", f'    """{doc}"""', *indent(lines)])]


def numbers(writer: ModuleWriter, places: Places) -> dict[str, float]:
    """Constants that do not follow from the layout, by name."""
    ends = len(places.tables["ENDS"]) // 3
    return {"GIVEN_MOTION": int(_given_motion(writer)), "N_ENDS": ends, "N_CLOSURE": len(writer.inertia)}


def _given_motion(writer: ModuleWriter) -> bool:
    """Whether anything in the loops moves by itself: a driven joint, a joint or condition by formulas of time."""
    rates = writer.layout["residual_rates"]
    moving = any(
        rates.start <= target.offset < rates.stop for law in writer.structure.laws.rows for target, _ in law.assignments
    )
    given = any(isinstance(x, Column) and x.given is not None for step in writer.whole for x in step.stages)
    return moving or given


def tables(writer: ModuleWriter, places: Places) -> dict[str, list[int]]:
    """Constant arrays of integers by name."""
    s = writer.structure
    angular, rates, row_loop = [], [], []
    for kind in s.order.of_link:
        turning = [int(column.angular) for column in free_columns(writer.whole[kind].stages)]
        angular += turning
        rates.append(len(turning))
    first = [*places.row, places.rows]
    for loop in range(len(places.row)):
        row_loop += [loop] * (first[loop + 1] - first[loop])
    return {
        **places.tables, "ANGULAR": angular, "RATES_OF": rates, "RATE_INDEX": s.first["rates"], "ROW_LOOP": row_loop,
    }  # fmt: skip
