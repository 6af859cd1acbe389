"""Writer of the functions of adjoint_hooks.py for a model: reverse mode on the formulas of the model's kernels."""

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
from . import adjoint_hooks

#: Most operations of one adjoint. Each takes 0.13 ms and 2 kB to compile, however they are divided into functions.
MOST_NODES = 80_000


@dataclass
class AdjointWriter:
    """Writer of the adjoint functions of a program.

    started: a record after the start of a run, from which the values that do not vary are taken. parameters: addresses
    of the parameters with adjoints. varies: True if some of these parameters determine masses or geometry.

    Raises ModelError if the kernels branch on numbers, or if an adjoint has more than `MOST_NODES` operations.
    """

    program: Program
    started: np.ndarray
    parameters: Sequence[int]
    varies: bool

    def functions(self) -> list[ModuleFunction]:
        """Return all functions of adjoint_hooks.py."""
        state, u = self._addresses(self.program.state_slice), self._addresses(self.program.region("u"))
        given = [*state, *self._addresses(self.program.region("inputs")), *self.parameters, *self.constants]
        rates, rows = self._addresses(self.program.rate_slice), self._addresses(self.program.region("outputs"))
        momenta = self._addresses(self.program.region("p"))
        return [
            self._function("rates_b", ["derive"], given, rates),
            self._function("rows_b", ["derive", "outputs"], given, [*u, *rows]),
            self._function("momenta_b", ["momenta"], [*state, *u, *self.constants], momenta),
            self._function("normalise_b", ["normalise"], state, state),
            self._written("constants_b", self._prepared, self.parameters, self.constants),
        ]

    @cached_property
    def constants(self) -> list[int]:
        """Addresses of the constants that parameters determine."""
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

    def _function(
        self, name: str, kernels: Iterable[str], sources: Iterable[int], results: Sequence[int]
    ) -> ModuleFunction:
        """Return the adjoint of some kernels, one after the other."""
        R = self._formulas.checked(kernels, self.started, results)
        return self._written(name, R, sources, results)

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
        return ModuleFunction(name, "\n    ".join([f'@kernel\ndef {name}(R, B):\n    """{doc}"""', *lines]))

    def _require_few(self, name: str, count: int) -> None:
        """Raise ModelError for formulas of so many operations that they would take too long to compile."""
        if count > MOST_NODES:
            raise ModelError(
                f"model {self.program.name!r} is too large for gradients of runs: {name} has {count} operations, and "
                f"{MOST_NODES} are possible; use simulate(sensitivities=...) for few parameters"
            )
