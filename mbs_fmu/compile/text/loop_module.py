"""Writer of the parts that a generated module has for closed loops, reactions or accelerations."""

from __future__ import annotations

from ...kernels.closures import along_motion, elimination, row_rates, sharing
from ...kernels.declarations import inlined
from ...kernels.dual import dual
from ...kernels.sources import kernel, kernels_of, plain_function
from ...mechanics.balance import NAMES
from ...record.kernel_module import ModuleFunction
from ...record.layout import DIRECTIONS, Directions, bound
from ...record.tables import End, SwitchedRow, rows_of
from ...symbolic.graph import leaves
from ..closures.cuts import RowAddresses
from ..requests import MEANS
from . import link_loops
from .common import common_functions
from .link_loops import call, indent
from .named_lines import flat, flat_lines
from .writer import CodeWriter

ELIMINATION = kernels_of(elimination)
ALONG_MOTION = kernels_of(along_motion)  #: kernels that use tangents along the motion, in an array of their own
SHARING = kernels_of(sharing)  #: kernels that use the same array
ANY_HELD = "R.engaged_links[N_LINKS + 1] != 0.0"  #: a closure with constraint modes is engaged
SOLVED = ("set_motion_tangents", "solve_d", "forces_d")  #: functions that these kernels call


def functions(writer: CodeWriter, along: Directions) -> list[ModuleFunction]:
    """Write `conditions`, `solve` and `forces`, or their tangents, and the functions of the assembly at the start."""
    with_shares = bool(along) and shares(writer)
    parts = [*common_functions(f"loops {along} {with_shares}", lambda: _kernels(along, with_shares))]
    text = "Poses, and the rows of all loops: residuals, their rates, K and W."
    parts += writer.function("conditions", text, _conditions(writer, along), along)
    if writer.structure.modes and len(along) < 2:
        parts += common_functions(f"rates of rows {along}", lambda: _row_rates(along))
    if not along:
        rows = [writer.step(steps.plain_row, ()) for steps in writer.steps.of_class]
        lines = flat_lines(
            "for k in range(N_ROWS):",
            "    R.row_bias[k] = R.residual_rates[k]",
            "    R.term_sizes[k] = abs(R.residual_rates[k])",
        )
        lines += writer.keep(writer.link_loops.rows("plain_row", rows)) if writer.structure.order.loops else []
        text = "Rotation vectors instead of conditions on directions; expects `conditions`."
        parts += writer.function("turned_rows", text, writer.emit(writer.laws.turned_rows))
        text = "The Jacobian, S in the metric of the free coordinates, and gamma + K v of given motions alone."
        parts += writer.function("plain_inboard", text, lines)
    parts += writer.function("solve", "Joint velocities and multipliers: (L7).", _solve(writer, along), along)
    text = "Rates of the momenta at the velocities and multipliers at hand: (P4), (L3)."
    parts += writer.function("forces", text, _forces(writer, along), along)
    return parts


def _kernels(along: Directions, with_shares: bool) -> list[ModuleFunction]:
    """Return the kernels of all models with loops, or their tangents."""
    parts = [] if along else [plain_function(inlined)]
    parts += [kernel(dual(f, ELIMINATION, along)) for f in ELIMINATION.values()]
    if along:
        parts += [kernel(dual(f, SOLVED, along[1:])) for f in ALONG_MOTION.values()]
    if with_shares:
        parts += [kernel(dual(f, SHARING, along[1:])) for f in SHARING.values()]
    return parts


def _row_rates(along: Directions) -> list[ModuleFunction]:
    """Return the kernels of rows that are held by constraint modes, or their tangents."""
    return [kernel(dual(f, [*ELIMINATION, "conditions"], along)) for f in kernels_of(row_rates).values()]


def _conditions(writer: CodeWriter, along: Directions) -> list[str]:
    suffix = call(along)
    lines = [*writer.positions(along), f"pose{suffix}", f"start_rows{suffix}"]
    lines += writer.emit(writer.laws.rows, along)
    if writer.laws.resting_rows:
        lines += [
            f"if {flat(f'{ANY_HELD} or R.all_rows != 0.0')}:",
            *indent(writer.emit(writer.laws.resting_rows, along)),
        ]
    return [*lines, f"row_biases{suffix}"]


def _solve(writer: CodeWriter, along: Directions) -> list[str]:
    lines = [f"conditions{call(along)}", f"update_residual{call(along)}", "set_tolerance(R)"]
    if not writer.structure.order.names:
        return lines
    passes, loops = [steps.passes for steps in writer.steps.of_class], writer.structure.order.loops
    inertia, twist = writer.steps.inertia, writer.steps.twist
    slots = list(range(writer.steps.carried))
    lines.append("# inboard: articulated inertias, gains, rows")
    rows = [p.row for p in passes] if loops else None
    lines += writer.inboard("inboard", [p.inboard for p in passes], inertia, slots[: len(inertia)], along, rows)
    if loops:
        lines += [f"{name}{call(along, 'N_LINKS', 'False')}" for name in ("eliminate", "multipliers")]
    lines.append("# outboard: velocities and multipliers")
    outboard = [p.outboard for p in passes]
    return lines + writer.outboard("outboard", outboard, twist, slots[len(inertia) :], along, "branch", loops)


def _forces(writer: CodeWriter, along: Directions) -> list[str]:
    laws = writer.laws
    measured = ("drive_momenta", "drive_rests") if writer.gathered.requested.drives else ()
    lines = [
        line for name in ("p_dot", "momentum", "impulse", "wrench", *measured) for line in writer.zero(name, along)
    ]
    lines += writer.totals(along, in_rates=True)
    lines += writer.emit(laws.joints + laws.signals, along) + writer.wrenches(along)
    lines += writer.emit(laws.impulses, along)
    lines += gated_lines(writer, along)
    if laws.switched_impulses:
        lines += [f"if {flat(ANY_HELD)}:", *indent(writer.emit(laws.switched_impulses, along))]
    if not writer.structure.order.names:
        return lines
    steps = [steps.balance for steps in writer.steps.of_class]
    return [
        *lines,
        "# inboard: the balance of momenta",
        *writer.inboard("balance", steps, NAMES, list(range(12)), along),
    ]


def gated_lines(writer: CodeWriter, along: Directions) -> list[str]:
    """Return a condition and the lines of the wrenches of gated forces within it; nothing without such forces."""
    if not writer.laws.gated_wrenches:
        return []
    gates = [f"R[{bound(gate, writer.layout)}] != 0.0" for gate in writer.gathered.gates]
    return [f"if {' or '.join(gates)}:", *indent(writer.emit(writer.laws.gated_wrenches, along))]


def instantaneous(writer: CodeWriter, along: Directions) -> ModuleFunction:
    """Write `instant`, which computes reactions and accelerations from the rates of change in D, or its tangents."""
    records = "R, D, E, F" if along else "R, D"
    more = "d" * bool(along)
    solved = [f"least_norm_multipliers{'_' * bool(along)}{more}({records})"] if shares(writer) else []
    lines = [f"set_motion_tangents{'_d' * bool(along)}({records})"]
    lines += [f"solve_d{more}({records})", *solved, f"forces_d{more}({records})"]
    lines += writer.emit(writer.laws.instantaneous, DIRECTIONS[1:] if along else ())
    doc = "Reactions and accelerations; D is room for rates of change."
    return link_loops.kernel(f"instant{'_d' * bool(along)}", records, [f'"""{doc}"""', *lines])


def shares(writer: CodeWriter) -> bool:
    """True if reactions are requested and redundant rows share loads."""
    return writer.layout["frontal"].size > 0


def numbers(writer: CodeWriter) -> dict[str, float]:
    """Return the constants that do not follow from the layout, by name."""
    of_rows = writer.gathered.row_tables
    ends, switched = rows_of(End, of_rows["ENDS"]), rows_of(SwitchedRow, of_rows["SWITCHED_ROWS"])
    unbound = of_rows["ROW_BINDS"].count(0)
    prescribed = int(_prescribed_motion(writer))
    return {
        "PRESCRIBED_MOTION": prescribed, "LAGGED": int(_lagged(writer)), "N_ENDS": len(ends),
        "N_ELIMINATED_INERTIA": len(writer.steps.inertia),
        "N_UNBOUND": unbound, "N_TURNED": sum(of_rows["ROW_TURNED"]),
        "N_SWITCHED": len(switched),
    }  # fmt: skip


def _prescribed_motion(writer: CodeWriter) -> bool:
    """True if a motion is prescribed: by a drive, or by a joint or condition with formulas of time."""
    moving = any(target.region == "residual_rates" for law in writer.laws.all_rows for target, _ in law.assignments)
    return moving or any(steps.prescribed for steps in writer.steps.of_class)


def _lagged(writer: CodeWriter) -> bool:
    """True if the motion or constraint modes depend on means over the last step."""
    formulas = [*writer.laws.of_motion, *(x for law in writer.laws.modes for x in law.formulas)]
    return any(load.region in MEANS for load in leaves(formulas))


def tables(writer: CodeWriter, rows: RowAddresses) -> dict[str, list[int]]:
    """Return the constant arrays of integers, by name."""
    s = writer.structure
    angular, rates, row_loop = [], [], []
    for link_class in s.order.of_link:
        turning = list(map(int, writer.steps.of_class[link_class].angular))
        angular += turning
        rates.append(len(turning))
    first = [*rows.row, rows.rows]
    for loop in range(len(rows.row)):
        row_loop += [loop] * (first[loop + 1] - first[loop])
    own = {"ANGULAR": angular, "RATES_OF": rates, "RATE_INDEX": s.first["rates"], "ROW_LOOP": row_loop}
    return writer.gathered.row_tables | own
