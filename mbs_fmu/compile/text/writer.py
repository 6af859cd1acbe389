"""The writer of a module's functions: it converts assignments and laws to lines, and lines to functions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.progress import count
from ...mechanics.passes import Steps
from ...mechanics.steps import Call, Code, Solver
from ...record.kernel_module import ModuleFunction
from ...record.layout import Directions, Load, Local, RecordLayout, arrays
from ...symbolic.emit import AssignmentBlock, is_constant, with_tangents
from ...symbolic.expressions import Expression
from ..closures.cuts import RowAddresses
from ..gather import Gathered
from ..laws.law import Law
from ..tree.elastic_bodies import ElasticAddresses
from .law_text import emit_laws
from .link_loops import LinkLoop, LinkLoopWriter, Order, Pass, Step, call, kernel, suffix

#: Description of one step of each pass.
STEPS = {
    "inboard": "articulated inertia and bias (S1), without the joint (E2), (E3), to the parent (S2), (S3)",
    "outboard": "velocities (S4), (E1), and what (P4) has of the motion",
    "twists": "twist (P1)",
    "momentum_projection": "momentum of the branch (P2), its part along the joint (P3)",
    "wrench_projection": "wrench of the branch (P5), its part in (P4)",
    "balance": "momentum and wrench of the branch, and (P4) with the loops' part (L3)",
    "link_pose": "rotation to the world, and origin",
    "errors_inboard": "bias of other momenta (S3)",
    "errors_outboard": "velocities of other momenta (S4)",
}


@dataclass(frozen=True)
class Structure:
    """Structure of a model that, with laws and steps, determines the text of its module."""

    order: Order
    first: dict[
        str, list[int]
    ]  #: index of each link's first "coordinates", "rates", "driven_coordinates" and "driven_rates"
    quaternions: list[Load]  #: the first component of each quaternion
    locked: list[Load]  #: the middle angle of each joint that can be in gimbal lock
    columns: list[int]  #: addresses of the result columns after time
    solver: Solver
    methods: tuple[str, ...]  #: names of the methods that the module has
    again: bool  #: stored elimination factors convert errors of momenta to errors of velocities
    events: list[tuple[int, bool]]  #: direction of each event, and True if the event ends a run
    modes: bool  #: some closure has modes
    elastic: ElasticAddresses  #: addresses of elastic bodies
    static_modes: list[int]  #: indices of coordinate and joint velocity of each mode that starts in equilibrium


class CodeWriter:
    """Writes lines and functions of a module; `tables` collects the tables of addresses that they use.

    `varying`: constants that depend on parameters have tangents too.
    """

    def __init__(
        self, structure: Structure, gathered: Gathered, steps: Steps, layout: RecordLayout, varying: bool = False
    ):
        self.structure = structure
        self.gathered = gathered
        self.laws = gathered.laws
        self.steps = steps
        self.layout = layout
        computed = self.laws.constants if varying else []
        self._varying = {target.region for law in computed for target, _ in law.assignments}
        self.link_loops = LinkLoopWriter(structure.order, dict(layout), steps.carried)
        self.tables: dict[str, list[int]] = {}
        self.prefix = "LAW"  #: prefix of the names of tables
        self._straight: list[ModuleFunction] = []  #: functions of passes, kept until their caller is written
        self._branches = False  #: `ModuleFunction.branches` of the next function

    @property
    def row_addresses(self) -> RowAddresses | None:
        """Addresses of the rows of loops; None in a model without loops."""
        closures = self.gathered.closures
        return None if closures is None else closures.row_addresses

    # -- functions ------------------------------------------------------------------------------------
    def function(self, name: str, doc: str, lines: list[str], along: Directions = ()) -> list[ModuleFunction]:
        """A function, or its tangents along directions, after the functions of passes that it calls."""
        doc += " With tangents." * bool(along)
        body = [f'"""{doc}"""', *(lines or ["pass"])]
        own = kernel(name + suffix(along), ", ".join(arrays(along)), body, self._branches)
        called, self._straight, self._branches = self._straight, [], False
        return [*called, own]

    # -- lines ------------------------------------------------------------------------------------------
    def constant(self, load: Load) -> bool:
        """True if a number has no tangent: it depends on none of the variables of the tangents."""
        own = "bodies" if load.region == "constants" else load.region  # these regions contain the links' constants
        return is_constant(load) and own not in self._varying

    def emit(self, laws: list[Law], along: Directions = ()) -> list[str]:
        count(0)  # updates the progress line
        emitted = emit_laws(laws, f"{self.prefix}{len(self.tables)}_", self.layout, along, self.constant)
        self.tables |= emitted.tables
        self._branches |= emitted.branches
        return emitted.lines

    def zero(self, name: str, along: Directions) -> list[str]:
        region = self.layout[name]
        return [
            f"for k in range({region.start}, {region.stop}):",
            *(f"    {array}[k] = 0.0" for array in arrays(along)),
        ]

    def checks(self, checks: Sequence[Expression]) -> list[str]:
        lines: list[str] = []
        for number, check in enumerate(checks):
            block, value = AssignmentBlock([(Local("check"), check)], self.layout).parts()
            lines += [*block, f"if not lt(0.0, {value['check']}):", f"    return {number + 1}"]
        return [*lines, "return 0"]

    def step(self, code: Code, along: Directions) -> Step:
        """Return the text of a step, with consecutive assignments as one block."""
        lines: list[str] = []
        results: dict[str, str] = {}
        bases: set[str] = set()
        for is_call, part in itertools.groupby(code, lambda x: isinstance(x, Call)):
            if is_call:
                calls = [x for x in part if isinstance(x, Call)]
                lines += [f"{x.name}{call(along, *x.arguments)}" for x in calls]
                bases |= {base for x in calls for base in x.bases}
                continue
            assignments = [x for x in part if not isinstance(x, Call)]
            block = AssignmentBlock(with_tangents(assignments, along, self.constant), self.layout)
            memory, carried = block.parts()
            lines, results, bases = lines + memory, results | carried, bases | block.bases()
        return Step(lines, results, frozenset(bases))

    def inboard(
        self,
        name: str,
        steps: Sequence[Code],
        carried: list[str],
        slots: list[int],
        along: Directions,
        rows: Sequence[Code] | None = None,
    ) -> list[str]:
        """Return lines of a pass from children to parents; its functions precede the function with these lines."""
        steps_of = [self.step(step, along) for step in steps]
        row_steps = [self.step(row, along) for row in rows or ()]
        return self.keep(
            self.link_loops.inboard(Pass(name + suffix(along), steps_of, carried, slots, STEPS[name], along), row_steps)
        )

    def outboard(
        self,
        name: str,
        steps: Sequence[Code],
        carried: list[str],
        slots: list[int],
        along: Directions,
        stored: str,
        loops: bool = False,
    ) -> list[str]:
        """Return the lines of a pass from parents to children."""
        steps_of = [self.step(step, along) for step in steps]
        which = Pass(name + suffix(along), steps_of, carried, slots, STEPS[name], along)
        return self.keep(self.link_loops.outboard(which, stored, loops))

    def positions(self, along: Directions) -> list[str]:
        """Return calls that compute prescribed motions, sines of all angles and deformations of elastic bodies."""
        names = ["drives"] * bool(self.laws.drives) + ["sines"] + ["shapes"] * bool(self.structure.elastic.links)
        return [f"{name}{call(along)}" for name in names]

    def totals(self, along: Directions, in_rates: bool) -> list[str]:
        """Return lines for sums over the links: those that rates need (`in_rates`), or those only outputs need."""
        laws = self.laws.totals
        if not laws or self.gathered.in_rates.totals != in_rates:
            return []
        return self.zero("totals", along) + self.emit(laws, along)

    def wrenches(self, along: Directions) -> list[str]:
        """Return the lines that add the wrenches of forces; with tangents all laws are evaluated as a whole."""
        bounds = [] if along else self.emit(self.laws.centers + self.laws.bounds)
        near = ["update_near_pairs(R)", f"add_wrenches_of_near_pairs{call(along)}"] * bool(self.laws.near_wrenches)
        return bounds + self.emit(self.laws.wrenches, along) + near

    def keep(self, loop: LinkLoop) -> list[str]:
        """Return the lines of a loop, and store its functions until the function with these lines is written."""
        self._straight += loop.functions
        return loop.lines
