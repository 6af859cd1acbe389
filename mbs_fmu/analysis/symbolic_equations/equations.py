"""`equations`: the symbolic equations of motion of a small model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...compile.build import prepared
from ...compile.gather import references_of
from ...compile.requests import lagging, requested_outputs
from ...compile.tree.links import Tree
from ...compile.tree.tree import build_tree
from ...infrastructure.arguments import is_whole
from ...infrastructure.errors import ArgumentError, ModelError
from ...infrastructure.lazy_dataclasses import dataclass
from ...infrastructure.messages.calls import add_clear_errors, with_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.progress import progress_notice, watched
from ...model.model import Model
from ...run.extras import extra
from ...run.simulate import require_model
from ...symbolic.graph import leaves

MOST = 5  #: degrees of freedom up to which equations are short enough to be read


@add_clear_errors
class HamiltonForm(NamedTuple):
    """The equations of motion in momenta p: p = M u + b, and p_dot.

    symbols: of the momenta, (n, 1). p: their formulas, (n, 1), in coordinates and joint velocities, N.s and N.m.s.
    p_dot: their rates, (n, 1), N and N.m; with closures these contain the multipliers.
    """

    symbols: Any
    p: Any
    p_dot: Any

    def latex(self) -> str:
        """Return the equations as LaTeX, aligned at the equal signs."""
        from .latex import aligned, dotted, written

        momenta = [(written(x), written(y)) for x, y in zip(self.symbols, self.p, strict=True)]
        return aligned(momenta + [(dotted(x), written(y)) for x, y in zip(self.symbols, self.p_dot, strict=True)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


@add_clear_errors
@dataclass(frozen=True)
class Equations:
    """The equations of motion M u_dot + h = Q + Gᵀ lambda of a model, in matrices and formulas of SymPy.

    Numbers n, nq and m count joint velocities, coordinates and rows of closures. Units are SI.

    q, u, u_dot: symbols of the coordinates, (nq, 1), the joint velocities and their rates, (n, 1).
    M: mass matrix, (n, n). h: terms of velocities, (n, 1). Q: generalized forces, (n, 1), with those of gravity.
    V: potential energy of gravity, J. T: kinetic energy, J.
    q_dot: rates of the coordinates, (nq, 1). p: momenta dT/du, (n, 1).
    g: conditions of closures, (m, 1); those that constrain rates only are linear in u. G: their rates by u, (m, n).
    multipliers: symbols of lambda, (m, 1), N or N.m. rows: names of the closures' rows.
    symbols: all symbols, by the names of results, parameters, inputs and states; "time" is time.
    values: of the parameters, by symbol.
    functions: functions of numbers for tables and surfaces, by the names that formulas have for them.
    """

    name: str
    q: Any
    u: Any
    u_dot: Any
    M: Any
    h: Any
    Q: Any
    V: Any
    T: Any
    q_dot: Any
    p: Any
    g: Any
    G: Any
    multipliers: Any
    rows: list[str]
    symbols: Mapping[str, Any]
    values: Mapping[Any, Any]
    functions: Mapping[str, Callable[..., float]]
    _hamilton: HamiltonForm

    def hamilton(self) -> HamiltonForm:
        """Return the equations in momenta: p = M u + b and p_dot = ½ d(uᵀM u)/dq + Q + Gᵀ lambda."""
        return self._hamilton

    def latex(self) -> str:
        """Return the equations, one for each joint velocity, and the closures' conditions as LaTeX."""
        from .latex import aligned, left_side, written

        right = self.Q + self.G.T * self.multipliers
        rows = [(left_side(self.M[i, :], self.u_dot, self.h[i]), written(right[i])) for i in range(len(self.u))]
        return aligned(rows + [("0", written(x)) for x in self.g])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


@with_clear_errors
def equations(model: Model, *, limit: int = MOST, progress: bool | None = None) -> Equations:
    """Return the symbolic equations of motion of a model, for teaching and for checks: M u_dot + h = Q + Gᵀ lambda.

    They are derived from the model's bodies, joints, forces and closures by Lagrange's equations, apart from the
    kernels. Parameters, inputs and states of the model are symbols. Followers have no equation of their own; prescribed
    motions are functions of time. Velocities of joints with quaternions are angular velocities, and their equations
    have the terms of Boltzmann and Hamel.

    limit: largest number of degrees of freedom. The work and the length of the equations grow quickly with it.
    progress: show the progress; by default on terminals and in notebooks, after two seconds.

    Needs the extra `sympy`. Raises ModelError for more degrees of freedom and for none, elastic bodies, closures with
    constraint modes or contact parameters, near contacts, drives that depend on inputs or states, and forces that
    depend on means over a step. Raises ArgumentError for an invalid limit.
    """
    require_model(model)
    if not is_whole(limit) or limit < 1:
        raise ArgumentError(f"limit is {display(limit)}: give a whole number of degrees of freedom, at least 1")
    extra("sympy", "SymPy", "sympy", "mbs.equations")
    _check_parts(model)
    with watched(progress), progress_notice(model.name):
        made = prepared(model)
        tree = build_tree(made)
        _check_size(made, tree, limit)
        return _equations(made, tree)


def _check_parts(model: Model) -> None:
    """Raise ModelError for parts of a model that symbolic equations cannot have."""
    for body in model.bodies.values():
        if body.elastic is not None:
            raise ModelError(
                f"body {body.name!r} is elastic, and symbolic equations are for rigid bodies: leave elastic= out"
            )
    for closure in model.loops.values():
        if closure.mode is not None:
            raise ModelError(
                f"{closure.thing} can engage and release, and symbolic equations are for closures that always hold: "
                "leave it out, or use a compliant force"
            )
        if closure.conditions(None).contacts:
            raise ModelError(
                f"{closure.thing} has contact parameters, which symbolic equations do not have: use a compliant contact"
            )
    for force in model.forces.values():
        if not force.is_measured:
            raise ModelError(f"{force.thing} has near pairs, of which there is no formula: leave near= out")
    if (thing := lagging(model)) is not None:
        raise ModelError(
            f"{thing} depends on a mean over the last step, of which there is no formula: leave it out, or let it "
            "depend on positions and velocities"
        )
    for drive in model.drives.values():
        for reference in leaves([*drive.position, *drive.rate]):
            if getattr(reference, "role", "") not in ("time", "parameter"):
                raise ModelError(
                    f"drive {drive.name!r} depends on {reference}, whose rates symbolic equations do not have: give "
                    "its position as a function of time and parameters"
                )


def _check_size(model: Model, tree: Tree, limit: int) -> None:
    """Raise ModelError for too many degrees of freedom, and for none."""
    count = tree.count("u")
    if count == 0:
        raise ModelError(f"model {model.name!r} has no degrees of freedom: give a body a joint that moves freely")
    if count > limit:
        raise ModelError(
            f"model {model.name!r} has {count} degrees of freedom, and equations of more than {limit} can hardly be "
            f"read: use mbs.extended_system for numbers, or give limit={count}"
        )


def _equations(model: Model, tree: Tree) -> Equations:
    """Return the equations of a checked model."""
    import sympy as sp

    from .convert import Converter, exact, shown
    from .lagrange import derived
    from .symbols import Symbols
    from .terms import Terms

    symbols = Symbols(model, tree)
    convert = Converter(symbols.by_load.get, symbols.lengths)
    terms = Terms(references_of(model, requested_outputs(model), tree, {}))
    x = derived(terms, symbols, convert)
    multipliers = sp.Matrix(len(x.rows), 1, [sp.Symbol(f"lambda_{k + 1}", real=True) for k in range(len(x.rows))])
    p_dot = x.rest + x.Q + x.G.T * multipliers
    values = {symbols.by_name[name]: shown(exact(p.value)) for name, p in model.parameters.items()}
    formulas = {name: shown(getattr(x, name)) for name in ("M", "h", "Q", "V", "T", "q_dot", "p", "g", "G")}
    columns = {name: sp.Matrix(getattr(symbols, name)) for name in ("q", "u", "u_dot")}
    return Equations(
        name=model.name, **columns, **formulas, multipliers=multipliers, rows=x.rows, symbols=symbols.by_name,
        values=values, functions=convert.functions,
        _hamilton=HamiltonForm(sp.Matrix(symbols.p), formulas["p"], shown(p_dot)),
    )  # fmt: skip
