"""A tableau to source text: its stages, error estimate and dense output, unrolled over the stages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from fractions import Fraction

from ..tableaus import Tableau
from . import closed, drivers


def method_source(tableau: Tableau) -> str:
    """All functions of one method: its formulas, then the drivers made for it."""
    parts = [_stages(tableau)]
    if tableau.adaptive:
        parts += [_error(tableau), _dense(tableau)]
    parts += [driver_source(getattr(drivers, name), tableau) for name in DRIVERS[tableau.adaptive]]
    return "\n\n\n".join(parts)


COMMON = (
    "ready",
    "evaluate_between",
    "error_velocities",
    "evaluate",
    "rates",
    "refresh",
    "tangent",
    "start_tangent",
    "normalise",
    "finite",
    "copy",
    "equal_steps",
    "lost_motion",
    "initialise",
    "scaled_error",
    "worst",
    "fail",
    "take_back",
    "settle",
    "record",
    "output_time",
)
CLOSED = (
    "rebase", "project", "evaluate_between", "choose_rows", "ready", "begin", "count_rank", "error_velocities",
    "initialise", "set_length", "set_scales", "row_size", "plain_solve", "misfit", "move", "close_positions",
    "velocity_residual", "close_velocities", "assemble", "set_start",
)  # fmt: skip
CALLED = (  # by Python; all others are called by generated functions only
    "refresh", "initialise", "METHOD_fixed", "METHOD_run_fixed", "METHOD_adaptive", "METHOD_run_adaptive",
    "METHOD_run_lanes",
)  # fmt: skip
DRIVERS = {
    False: ("METHOD_fixed", "METHOD_run_fixed"),
    True: (
        "METHOD_fixed", "METHOD_run_fixed", "METHOD_errors", "METHOD_try", "METHOD_first_step", "METHOD_step",
        "METHOD_adaptive", "METHOD_run_adaptive",
    ),
}  # fmt: skip


def common_source(closing: bool = False) -> str:
    """The drivers' functions that serve every method; `closing`: of models with closed loops."""
    functions = {name: getattr(drivers, name) for name in COMMON}
    if closing:
        functions |= {name: getattr(closed, name) for name in CLOSED}
    return "\n\n\n".join(_with_entry(name, inspect.getsource(f)) for name, f in functions.items())


def _with_entry(name: str, text: str) -> str:
    """A kernel's text, and behind it the function that Python calls, where it does."""
    text = "@kernel\n" + text.rstrip()
    if name not in CALLED:
        return text
    head = next(line for line in text.splitlines() if line.startswith("def "))
    called = head.removeprefix("def ").removesuffix(":")
    return f"{text}\n\n\n@jit\ndef enter_{called}:\n    return {called}"


def driver_source(driver: Callable, tableau: Tableau) -> str:
    """A driver's text for one method."""
    text = _with_entry(driver.__name__, inspect.getsource(driver))
    text = text.replace("METHOD_LAST", str(tableau.stages - 1))
    text = text.replace("METHOD_ORDER", f"{float(tableau.error_order)}")
    return text.replace("METHOD", tableau.name)


def _terms(weights: Sequence[Fraction], indent: str = "") -> str:
    """h-weighted sum of stages, as text; exact fractions become the nearest doubles."""
    terms = [f"{float(w)!r} * R[STAGES + {j} * NX + k]" for j, w in enumerate(weights) if w]
    return (" + ").join(terms).replace("+ -", "- ")


def _stages(t: Tableau) -> str:
    lines = [
        "@kernel",
        f"def {t.name}_stages(R, U, time, h):",
        f'    """From BASE and stage 0 to the new state in X0. {t.source}"""',
    ]
    for i in range(1, t.stages):
        lines += [
            "    for k in range(NX):",
            f"        R[X0 + k] = R[BASE + k] + h * ({_terms(t.a[i])})",
            f"    R[TIME] = time + {float(t.c[i])!r} * h",
            "    evaluate(R, U)",
            f"    copy(R, F0, STAGES + {i} * NX, NX)",
        ]
    if not t.first_same_as_last:
        lines += ["    for k in range(NX):", f"        R[X0 + k] = R[BASE + k] + h * ({_terms(t.b)})"]
    return "\n".join(lines)


def _error(t: Tableau) -> str:
    assert t.error is not None
    return "\n".join(
        [
            "@kernel",
            f"def {t.name}_error(R, k):",
            '    """Estimated error of component k, divided by h."""',
            f"    return {_terms(t.error)}",
        ]
    )


def _dense(t: Tableau) -> str:
    assert t.dense is not None
    lines = [
        "@kernel",
        f"def {t.name}_dense(R, theta, h):",
        '    """The state a fraction theta into the step, into X0."""',
    ]
    names = []
    for j, row in enumerate(t.dense):
        if any(row):
            polynomial = repr(float(row[-1]))
            for coefficient in reversed(row[:-1]):
                polynomial = f"{float(coefficient)!r} + theta * ({polynomial})"
            lines.append(f"    b{j} = h * theta * ({polynomial})")
            names.append(j)
    total = " + ".join(f"b{j} * R[STAGES + {j} * NX + k]" for j in names)
    return "\n".join([*lines, "    for k in range(NX):", f"        R[X0 + k] = R[BASE + k] + {total}"])
