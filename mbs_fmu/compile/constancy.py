"""Which expressions are constant between events, as outputs must be that are no real numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..infrastructure.errors import ModelError
from ..model.checks import check_range
from ..model.model import Model
from ..model.references.leaves import ImpulseNumber, ModeNumber, Signal
from ..record.kinds import REAL
from ..symbolic.expressions import Expression, is_condition, is_literal
from ..symbolic.graph import topological


class Constancy:
    """Which expressions of a model are constant between events.

    These are numbers, parameters, sampled signals, constraint modes and impulses, states that only resets change,
    inputs that are no real numbers, comparisons, slopes of tables, and formulas of such quantities. replaced: inputs
    that are given as expressions of time.
    """

    def __init__(self, model: Model, replaced: Mapping[str, Expression]):
        outputs = model.outputs.values()
        self._formulas = {name: x for o in outputs for name, x in zip(o.names, o.expressions, strict=True)}
        self._formulas |= replaced
        self._found: dict[str, object | None] = {}  #: what makes a formula vary, by its name
        self._constant = {
            *model.parameters,
            *(name for s in model.sampled_signals.values() for name in s.names),
            *(name for name, s in model.states.items() if is_literal(s.rate, 0.0)),
            *(name for name, i in model.inputs.items() if i.range.kind != REAL),
        }

    def require(self, expression: Expression, thing: str) -> None:
        """Raise ModelError for an expression that changes between events."""
        varying = self.varying(expression)
        if varying is not None:
            raise ModelError(
                f"{thing} is not constant between events: it depends on {varying}; sample it by m.sampled(), or "
                "compare it with a limit"
            )

    def varying(self, expression: Expression) -> object | None:
        """Return a reference because of which an expression changes between events; None if it is constant."""
        found: dict[Expression, object | None] = {}
        for node in topological([expression]):
            if node.op == "leaf":
                found[node] = self._varying_leaf(node.value)
            elif is_condition(node) or node.op == "slope":
                found[node] = None
            else:
                found[node] = next((found[a] for a in node.args if found[a] is not None), None)
        return found[expression]

    def _varying_leaf(self, reference: object) -> object | None:
        if isinstance(reference, Signal):
            return self._varying_signal(reference)
        return None if isinstance(reference, (ModeNumber, ImpulseNumber)) else reference

    def _varying_signal(self, signal: Signal) -> object | None:
        if signal.name not in self._formulas:
            return None if signal.name in self._constant else signal
        if signal.name not in self._found:
            self._found[signal.name] = self.varying(self._formulas[signal.name])
        return self._found[signal.name]


def require_constant_outputs(model: Model, replaced: Mapping[str, Expression]) -> None:
    """Raise ModelError for outputs, and inputs given as functions of time, that are no real numbers and change between
    events, and for such inputs with a constant that is no value of their kind.
    """
    constancy = Constancy(model, replaced)
    for name, expression in replaced.items():
        limits = model.inputs[name].range
        if limits.kind != REAL:
            constancy.require(expression, f"input {name!r}")
        if limits.kind != REAL and is_literal(expression):
            check_range(expression.value, limits, None, "input", name)
    for output in model.outputs.values():
        for name, expression in zip(output.names, output.expressions, strict=True):
            if output.range.kind != REAL:
                constancy.require(expression, f"output {name!r}")
