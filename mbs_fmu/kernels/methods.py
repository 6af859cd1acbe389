"""A method to source text: its stages, error estimate and dense output, unrolled, and the drivers made for it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from ..tableaus import Gauss, Method, Multistep, Number, Rosenbrock, Tableau
from . import adaptive, assembly, breaks, closed, drivers, events, gauss, history, multistep, rosenbrock, rows
from .sources import Kernel, definition, kernels_of

COMMON = (
    "ready", "evaluate_between", "evaluate", "rates", "refresh", "tangent", "start_tangent", "normalise", "move_marks",
    "follow", "mark", "completed", "unlocked", "finite", "copy", "equal_steps", "lost_motion", "initialise", "fail",
    "fail_from", "take_back", "settle", "record", "output_time",
)  # fmt: skip
CALLED = (  # by Python; all others are called by generated functions only
    "refresh", "exchanged", "initialise", "follow", "METHOD_fixed", "METHOD_run_fixed", "METHOD_run_watched",
    "METHOD_adaptive",
    "METHOD_run_adaptive", "METHOD_run_lanes",
)  # fmt: skip
STEPPING = ("METHOD_fixed", "METHOD_close", "METHOD_run_fixed")
CONTROLLED = (
    "METHOD_errors", "METHOD_growth", "METHOD_try", "METHOD_first_step", "METHOD_step", "METHOD_adaptive",
    "METHOD_run_adaptive", "METHOD_inside",
)  # fmt: skip
CONTROL = ("scaled_error", "worst", "propose", "with_velocities", "normalise_rates")
LOOKING = ("METHOD_look", "METHOD_search", "METHOD_locate", "METHOD_indicators", "METHOD_run_watched")


def methods_source(methods: Sequence[Method], closing: bool, watching: bool) -> str:
    """The drivers' functions that serve every method, then each method's own.

    closing: of models with closed loops; watching: of models with events.
    """
    marks = {mark for method in methods for mark in _marks(method)} | ({"events"} if watching else set())
    functions: dict[str, Callable] = {name: getattr(drivers, name) for name in COMMON}
    typed: dict[str, Kernel] = {}
    if closing:
        typed |= kernels_of(rows) | kernels_of(assembly) | kernels_of(closed)
    if any(method.adaptive for method in methods):
        functions |= {name: getattr(adaptive, name) for name in CONTROL}
        typed |= kernels_of(breaks)
    if "history" in marks:
        functions |= {name: getattr(history, name) for name in ("history_holds", "note_history", "other_step")}
    if watching:
        functions |= {name: getattr(events, name) for name in ("start_watch", "hermite", "on_row")}
    if any(isinstance(method, Gauss) for method in methods):
        functions |= {"change": gauss.change, "most_changed": gauss.most_changed}
    if any(isinstance(method, Multistep) for method in methods):
        functions |= {"moving_inputs": multistep.moving_inputs}
        functions |= {"impulses_large": multistep.impulses_large} if closing else {}
    if any(isinstance(method, Rosenbrock) for method in methods):
        functions |= {"decompose": rosenbrock.decompose, "substitute": rosenbrock.substitute}
    sources = {name: inspect.getsource(f) for name, f in functions.items()}
    sources |= {name: ast.unparse(definition(f)) for name, f in typed.items()}
    texts = [_marked(_with_entry(name, source), marks) for name, source in sources.items()]
    return "\n\n\n".join([*texts, *(_own(method, closing, watching) for method in methods)])


def _marks(method: Method) -> set[str]:
    """What lines of the drivers a method needs."""
    marks = {"jacobian", "arrive"} if isinstance(method, Rosenbrock) else set()
    if isinstance(method, (Gauss, Multistep)):
        marks.add("history")
    if isinstance(method, Multistep):
        marks.add("ready")
    if isinstance(method, Tableau):
        marks |= {"extra"} if method.extra else set()
        marks |= {"damping"} if method.damping else set()
    return marks


def _own(method: Method, closing: bool, watching: bool) -> str:
    """All functions of one method: its formulas, then the drivers made for it."""
    functions: dict[str, Callable] = {name: getattr(drivers, name) for name in ("METHOD_one", *STEPPING)}
    if method.adaptive:
        functions |= {name: getattr(adaptive, name) for name in CONTROLLED}
    if watching:
        functions |= {name: getattr(events, name) for name in LOOKING}
    if isinstance(method, Tableau):
        formulas, numbers = _explicit(method), {"LAST": method.stages - 1}
    elif isinstance(method, Rosenbrock):
        formulas, numbers = _rosenbrock(method), {"STAGES": method.stages, "LAST": method.stages + 1}
        functions |= {name: getattr(rosenbrock, name) for name in ("METHOD_jacobian", "METHOD_arrive")}
    elif isinstance(method, Gauss):
        formulas, numbers = _gauss(method), {"STAGES": method.stages, "PAST": method.past}
        functions |= {name: getattr(gauss, name) for name in ("METHOD_enter", "METHOD_leave", "METHOD_one")}
        functions |= {name: getattr(gauss, name) for name in ("METHOD_solve", "METHOD_sum")}
    else:
        formulas, numbers = _multistep(method), {"PAST": method.history}
        functions |= {name: getattr(multistep, name) for name in ("METHOD_enter", "METHOD_leave", "METHOD_one")}
        functions |= {"METHOD_note": multistep.METHOD_note}
        functions["METHOD_ready"] = multistep.METHOD_ready_closed if closing else multistep.METHOD_ready
    marks = _marks(method) | ({"events"} if watching else set())
    texts = [_marked(_with_entry(name, inspect.getsource(f)), marks) for name, f in functions.items()]
    text = "\n\n\n".join([*formulas, *texts])
    if isinstance(method, Gauss):
        text = text.replace("METHOD_WEIGHTED", _terms(method.b, first=1))
    if isinstance(method, (Tableau, Rosenbrock)):
        text = text.replace("METHOD_ORDER", f"{float(method.error_order)}")
        text = text.replace("METHOD_SAFETY", f"{method.safety}")
    for name, number in numbers.items():
        text = re.sub(rf"\bMETHOD_{name}\b", str(number), text)
    dense = isinstance(method, (Tableau, Rosenbrock)) and method.dense is not None
    text = text.replace("METHOD_between", "METHOD_dense" if dense else "hermite").replace("_ready_closed", "_ready")
    return text.replace("METHOD", method.name)


def _with_entry(name: str, text: str) -> str:
    """A kernel's text, and behind it the function that Python calls, where it does."""
    text = "@kernel\n" + text.rstrip()
    if name not in CALLED:
        return text
    head = next(line for line in text.splitlines() if line.startswith("def "))
    called = head.removeprefix("def ").removesuffix(":")
    return f"{text}\n\n\n@jit\ndef enter_{called}:\n    return {called}"


def driver_source(driver: Callable, name: str) -> str:
    """A driver's text for one method."""
    return _with_entry(driver.__name__, inspect.getsource(driver)).replace("METHOD", name)


def _marked(text: str, marks: Collection[str]) -> str:
    """The text without the lines for what is not there."""
    out = []
    for line in text.splitlines():
        line, _, mark = line.partition("  # with: ")
        if not mark or mark in marks:
            out.append(line)
    return "\n".join(out)


def _function(head: str, doc: str, lines: Iterable[str]) -> str:
    return "\n".join(["@kernel", f"def {head}:", f'    """{doc}"""', *(f"    {line}" for line in lines)])


def _terms(weights: Sequence[Number], first: int = 0) -> str:
    """Weighted sum of stages, as text; exact fractions become the nearest doubles."""
    terms = [f"{float(w)!r} * R[STAGES + {first + j} * NX + k]" for j, w in enumerate(weights) if w]
    return (" + ").join(terms).replace("+ -", "- ")


# -- explicit ------------------------------------------------------------------------------------------------


def _explicit(t: Tableau) -> list[str]:
    parts = [_stages(t)]
    if t.error is not None:
        doc = "Estimated error of component k over the step."
        parts += [_function("METHOD_error(R, k, h)", doc, [f"return h * ({_terms(t.error)})"]), _dense(t)]
    if t.extra:
        lines = [line for i, (row, c) in enumerate(t.extra) for line in _stage(row, c, t.stages + i)]
        parts.append(_function("METHOD_extra(R, U, time, h)", "Stages that only dense output needs.", lines))
    if t.damping is not None:
        parts.append(_damping(t.damping))
    return parts


def _stage(row: Sequence[Number], c: Number, place: int) -> list[str]:
    return [
        "for k in range(NX):",
        f"    R[X0 + k] = R[BASE + k] + h * ({_terms(row)})",
        f"R[TIME] = time + {float(c)!r} * h",
        "evaluate(R, U)",
        f"copy(R, F0, STAGES + {place} * NX, NX)",
    ]


def _stages(t: Tableau) -> str:
    lines = [line for i in range(1, t.stages) for line in _stage(t.a[i], t.c[i], i)]
    if not t.first_same_as_last:
        lines += ["for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + h * ({_terms(t.b)})"]
    doc = f"From BASE and stage 0 to the new state in X0. {t.source}"
    return _function("METHOD_stages(R, U, time, h)", doc, lines).replace("METHOD", t.name)


def _damping(weights: Sequence[Number]) -> str:
    """The factor |e5| / sqrt(|e5|² + 0.01 |e3|²) of DOP853: the estimate then falls with h to the power 8."""
    return _function(
        "METHOD_damping(R, h)",
        "The first error estimate over both, from coordinates and signal states, which have the same units in both.",
        [
            "first = 0.0",
            "second = 0.0",
            "for k in range(NX):",
            "    if not FIRST_P <= k < FIRST_P + NV:",
            "        allowed = R[ABSOLUTE] + max(abs(R[BASE + k]), abs(R[X0 + k]))",
            "        first += (R[WORK + k] / allowed) ** 2",
            f"        second += (h * ({_terms(weights)}) / allowed) ** 2",
            "return np.sqrt(first / (first + 0.01 * second)) if first > 0.0 else 1.0",
        ],
    )


def _dense(t: Tableau) -> str:
    assert t.dense is not None
    lines, names = [], []
    for j, row in enumerate(t.dense):
        if any(row):
            lines.append(f"b{j} = h * theta * ({_nested(row) if t.nested else _horner(row)})")
            names.append(j)
    total = " + ".join(f"b{j} * R[STAGES + {j} * NX + k]" for j in names)
    lines += ["for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + {total}"]
    return _function("METHOD_dense(R, theta, h)", "The state a fraction theta into the step, into X0.", lines)


def _horner(row: Sequence[Number]) -> str:
    text = repr(float(row[-1]))
    for coefficient in reversed(row[:-1]):
        text = f"{float(coefficient)!r} + theta * ({text})"
    return text


def _nested(row: Sequence[Number]) -> str:
    """r0 + (1 - theta) * (r1 + theta * (r2 + ...)), factors in turn."""
    text = repr(float(row[-1]))
    for place in range(len(row) - 2, -1, -1):
        factor = "theta" if place % 2 else "(1.0 - theta)"
        text = f"{float(row[place])!r} + {factor} * ({text})"
    return text


# -- other kinds -----------------------------------------------------------------------------------------------


def _gauss(g: Gauss) -> list[str]:
    """The state at a stage, and the starting values of all stages."""
    stage: list[str] = []
    for i, row in enumerate(g.a):
        stage += [
            f"if i == {i}:",
            f"    R[TIME] = time + {float(g.c[i])!r} * h",
            "    for k in range(NX):",
            f"        R[X0 + k] = R[BASE + k] + (h * ({_terms(row, first=1)}) + R[PAST + k])",
        ]
    predict = ["for k in range(NX):"]
    for i, weights in enumerate(g.predictor):
        terms = " + ".join(f"{w!r} * R[PAST + {1 + j} * NX + k]" for j, w in enumerate(weights))
        predict.append(f"    R[STAGES + {i + 1} * NX + k] = {terms}")
    return [
        _function("METHOD_stage(R, i, time, h)", f"The state at stage i, into X0. {g.source}", stage),
        _function("METHOD_predict(R)", "Rates of the stages by extrapolation from past ones.", predict),
    ]


def _multistep(m: Multistep) -> list[str]:
    places = ["a0 = int(R[NEWEST])"]
    for j in range(1, m.history):
        places.append(f"a{j} = a{j - 1} - 1 if a{j - 1} > 0 else {m.history - 1}")
    past = [f"R[PAST + a{j} * NX + k]" for j in range(m.history)]
    predicted = " + ".join(f"{float(w)!r} * {f}" for w, f in zip(m.predictor, past, strict=True))
    corrected = " + ".join(f"{float(w)!r} * {f}" for w, f in zip(m.corrector, ["R[F0 + k]", *past], strict=False))
    line = "    R[X0 + k] = R[BASE + k] + h * ({})"
    return [
        _stages(m.starter).replace(f"{m.starter.name}_stages", "METHOD_start"),
        _function(
            "METHOD_predict(R, h)",
            f"The state at the end of the step, into X0. {m.source}",
            [*places, "for k in range(NX):", line.format(predicted)],
        ),
        _function(
            "METHOD_correct(R, h)",
            "The same with the rates there.",
            [*places[: m.history - 1], "for k in range(NX):", line.format(corrected)],
        ),
    ]


def _rosenbrock(r: Rosenbrock) -> list[str]:
    lines = [f"decompose(R, 1.0 / ({r.gamma!r} * h))"]
    for i in range(r.stages):
        rates = "R[STAGES + k]"
        if i:
            lines += [
                "for k in range(NX):",
                f"    R[X0 + k] = R[BASE + k] + ({_terms(r.a[i], first=1)})",
                f"R[TIME] = time + {r.c[i]!r} * h",
                "evaluate(R, U)",
            ]
            rates = f"R[F0 + k] + ({_terms(r.k[i], first=1)}) / h"
        if r.d[i]:
            rates += f" + h * {r.d[i]!r} * R[STAGES + {r.stages + 2} * NX + k]"
        place = f"STAGES + {i + 1} * NX"
        lines += ["for k in range(NX):", f"    R[{place} + k] = {rates}", f"substitute(R, {place})"]
    lines += ["for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + ({_terms(r.m, first=1)})"]
    doc = f"From BASE and the rates there to the new state in X0. {r.source}"
    error = _terms([0.0] * (r.stages - 1) + [1.0], first=1)
    dense = [
        f"b{j} = theta * ({m!r} + (1.0 - theta) * ({_horner([row[j] for row in r.dense])}))" for j, m in enumerate(r.m)
    ]
    total = " + ".join(f"b{j} * R[STAGES + {j + 1} * NX + k]" for j in range(r.stages))
    dense += ["for k in range(NX):", f"    R[X0 + k] = R[BASE + k] + ({total})"]
    return [
        _function("METHOD_stages(R, U, time, h)", doc, lines),
        _function("METHOD_error(R, k, h)", "Estimated error of component k over the step.", [f"return {error}"]),
        _function("METHOD_dense(R, theta, h)", "The state a fraction theta into the step, into X0.", dense),
    ]
