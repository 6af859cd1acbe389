"""Writer of the functions of adjoint_hooks.py for a model: reverse mode on the kernels of the model.

The adjoint of a kernel has the kernel's loops, in reverse order (integrate/adjoints/). Kernels for which there is no
such adjoint are executed on formulas instead: their adjoints are straight lines of code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...codegen.graphs import FormulaRecord, Formulas, place, whole_record
from ...infrastructure.cached_properties import cached_property
from ...infrastructure.errors import ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...record.branches import in_lanes
from ...record.kernel_module import ModuleFunction
from ...record.program import Program
from ...symbolic.emit import Assignment, AssignmentBlock
from ...symbolic.expressions import ZERO, leaf
from ...symbolic.reverse import adjoints
from ..adjoints.groups import AdjointGroup
from ..adjoints.places import Irreversible
from . import adjoint_hooks

#: Most operations of one adjoint without loops. Each takes 0.13 ms and 2 kB to compile, however they are divided into
#: functions.
MOST_NODES = 80_000
#: Up to this number of operations, the adjoint of `derive` and `outputs` is faster without loops.
FEW_OPERATIONS = 3500
#: Functions of each kernel: the one forwards, and the adjoint.
NAMES = {
    "derive": ("derive_kept", "derive_b"),
    "outputs": ("outputs_kept", "outputs_b"),
    "momenta": ("momenta_kept", "momenta_b"),
    "normalise": ("normalise_kept", "normalise_b"),
    "prepare": ("prepare_kept", "prepare_b"),
}


@dataclass
class AdjointWriter:
    """Writer of the adjoint functions of a program.

    started: a record after the start of a run, from which the values that do not vary are taken. parameters: addresses
    of the parameters with adjoints. varies: True if some of these parameters determine masses or geometry.

    Raises ModelError if kernels without an adjoint with loops branch on numbers, or if such an adjoint has more than
    `MOST_NODES` operations.
    """

    program: Program
    started: np.ndarray
    parameters: Sequence[int]
    varies: bool

    @cached_property
    def functions(self) -> list[ModuleFunction]:
        """All functions of adjoint_hooks.py."""
        return [function for functions, _ in self._groups for function in functions]

    @property
    def size(self) -> int:
        """Largest number of values that these functions keep at once."""
        return max(size for _, size in self._groups)

    @cached_property
    def _groups(self) -> list[tuple[list[ModuleFunction], int]]:
        """Functions for kernels that are called one after the other, and the number of values that they keep."""
        state, u = self._addresses(self.program.state_slice), self._addresses(self.program.region("u"))
        given = [*state, *self._addresses(self.program.region("inputs")), *self.parameters, *self.constants]
        rates, rows = self._addresses(self.program.rate_slice), self._addresses(self.program.region("outputs"))
        momenta = self._addresses(self.program.region("p"))
        return [
            self._group({"derive": [*rates, *u], "outputs": rows}, given, ""),
            self._group({"momenta": momenta}, [*state, *u, *self.constants], "_m"),
            self._group({"normalise": state}, state, "_n"),
            self._group({"prepare": self.constants}, self.parameters, "_p")
            if self.varies
            else self._nothing("prepare"),
        ]

    def _group(
        self, kernels: dict[str, list[int]], given: Sequence[int], suffix: str
    ) -> tuple[list[ModuleFunction], int]:
        """Return the functions for kernels with the addresses of their results, and their number of kept values."""
        try:
            group = AdjointGroup(self.program, self.program.module, list(kernels), given, suffix)
            made = group.functions(), group.size
        except Irreversible:
            return self._straight(kernels, given), 0
        if "derive" in kernels and group.operations <= FEW_OPERATIONS:
            try:
                return self._straight(kernels, given), 0
            except ModelError:  # some formulas need branches
                pass
        return made

    def _straight(self, kernels: dict[str, list[int]], given: Sequence[int]) -> list[ModuleFunction]:
        """Return functions without loops, of which each repeats the kernels before it."""
        made, before = [], []
        for kernel, results in kernels.items():
            forwards, backwards = NAMES[kernel]
            before.append(kernel)
            is_prepare = kernel == "prepare"
            R = self._prepared if is_prepare else self._formulas.checked(before, self.started, results)
            made += [_without_lines(forwards, "R, A"), self._written(backwards, R, given, results)]
        return made

    @staticmethod
    def _nothing(kernel: str) -> tuple[list[ModuleFunction], int]:
        """Return functions that do nothing."""
        forwards, backwards = NAMES[kernel]
        return [_without_lines(forwards, "R, A"), _without_lines(backwards, "R, A, B")], 0

    @cached_property
    def constants(self) -> list[int]:
        """Addresses of the constants that parameters determine."""
        if not self.varies:
            return []
        addresses = range(self.program.region("head").stop, len(self._prepared))
        formulas = self._prepared.formulas(addresses)
        pairs = zip(addresses, formulas, strict=True)
        return [k for k, formula in pairs if formula.op != "const" and formula.value != place(k)]

    @cached_property
    def _formulas(self) -> Formulas:
        return Formulas(self.program, in_lanes(self.program.module))

    @cached_property
    def _prepared(self) -> FormulaRecord:
        """The record after `prepare`."""
        R = self._formulas.record(self.started)
        if self.varies:
            self._formulas.call("prepare", R)
        return R

    @staticmethod
    def _addresses(part: slice) -> list[int]:
        return list(range(part.start, part.stop))

    def _written(self, name: str, R: FormulaRecord, sources: Iterable[int], results: Sequence[int]) -> ModuleFunction:
        """Return the adjoint of formulas, those that `R` contains at the addresses `results`, by those of `sources`."""
        weights = [leaf(place(address, "B"), "weight") for address in results]
        found = adjoints(R.formulas(results), weights)
        shares = {address: found[place(address)] for address in sources if place(address) in found}
        assignments: list[Assignment] = [(place(a, "B"), shares.get(a, ZERO)) for a in results]
        added: list[Assignment] = [(place(a, "B"), share) for a, share in shares.items() if a not in set(results)]
        targets = frozenset(target for target, _ in added)
        block = AssignmentBlock([*assignments, *added], whole_record(self.program), targets)
        self._require_few(name, len(block.order))
        lines, _ = block.parts()
        doc = (getattr(adjoint_hooks, name).__doc__ or "").splitlines()[0]
        return ModuleFunction(name, "\n    ".join([f'@kernel\ndef {name}(R, A, B):\n    """{doc}"""', *lines]))

    def _require_few(self, name: str, count: int) -> None:
        """Raise ModelError for formulas of so many operations that they would take too long to compile."""
        if count > MOST_NODES:
            raise ModelError(
                f"model {self.program.name!r} is too large for gradients of runs: {name} has {count} operations, and "
                f"{MOST_NODES} are possible; use simulate(sensitivities=...) for few parameters"
            )


def _without_lines(name: str, arguments: str) -> ModuleFunction:
    """Return a kernel that does nothing."""
    return ModuleFunction(name, f"@kernel\ndef {name}({arguments}):\n    pass")
