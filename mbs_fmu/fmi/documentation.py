"""HTML page inside an FMU: description of the model, picture of the reference run, table of variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ..record.kinds import REAL, numbered
from ..record.program import Program
from ..run.results.results import Result
from ..run.step_control import StepControl
from .curves import svg
from .description.choice import described_table
from .description.elements import text_of
from .description.variables import FmiVariable
from .experiment import Experiment
from .naming import Naming, flat

HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{name}</title>
<style>
body {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; }}
</style></head>
<body>
"""  #: of pages about FMUs and systems
PAGE = (
    HEAD
    + """<h1>{name}</h1>
<p>{description}</p>
{needs}<p>{integration}</p>
{cost}{elastic}{picture}
<h2>Variables</h2>
<table><tr><th>name</th><th>kind</th><th>causality</th><th>variability</th><th>start</th><th>unit</th><th>description</th></tr>
{rows}
</table>
<h2>Equations</h2>
<p>Tree of bodies in generalized momenta p (Poisson impulses). With twist v<sub>i</sub> of body i,
momentum &mu;<sub>i</sub> of the branch outboard of its joint, joint columns A<sub>i</sub> and joint
velocities u<sub>i</sub>:</p>
<pre>
v_i = C_i v_k + A_i u_i                                  (P1)
mu_i = M_i v_i + sum over children j of C_j' mu_j        (P2)
A_i' mu_i = p_i                                          (P3)
dp_i/dt = (dA_i'/dt - A_i' Omega_i) mu_i + A_i' F_i + tau_i   (P4)
F_i = own wrench + sum over children j of C_j' F_j       (P5)
</pre>
</body></html>
"""
)

MOST_DRAWN = 12  #: largest number of axes in the picture


def index_html(program: Program, experiment: Experiment, result: Result, cost: str = "", needs: str = "") -> str:
    """Return the page; without a picture if there are no results to draw.

    cost: a bound of the operations of a communication step, as sentences. needs: a sentence on what the FMU needs.
    """
    rows = "\n".join(
        f"<tr><td>{escape(r.name)}</td><td>{r.kind}</td><td>{r.causality}</td><td>{r.variability}</td>"
        f"<td>{_start(r)}</td><td>{escape(r.unit or '')}</td>"
        f"<td>{escape(r.description)}</td></tr>"
        for r in described_table(program, experiment)
    )
    return PAGE.format(
        name=escape(program.name),
        description=escape(program.description or "Multibody model."),
        needs=f"<p><strong>{escape(needs)}</strong></p>\n" if needs else "",
        integration=escape(_integration(experiment.control)),
        cost=f"<p>Operations of a communication step: {escape(cost)}</p>\n" if cost else "",
        elastic="".join(f"<p>{escape(text)}</p>\n" for text in elastic_texts(program.elastic, experiment.naming)),
        picture=_picture(result),
        rows=rows,
    )


def _start(row: FmiVariable) -> str:
    """Return the start value as text; that of an enumeration with its name."""
    if row.start is None:
        return ""
    if row.kind == REAL:
        return f"{row.start:g}"
    names = {number: item for item, number in numbered(row.items, row.low).items()}
    return " ".join(filter(None, (text_of(row.kind, row.start), names.get(int(row.start)))))


def elastic_texts(bodies: Iterable[Mapping[str, Any]], naming: Naming = "structured") -> list[str]:
    """Return notes for importers on each elastic body (`Program.elastic`): states, their meaning, frame."""
    return [_elastic_text(body["name"], body["root"], body["frequencies"], naming) for body in bodies]


def _elastic_text(name: str, root: str | None, frequencies: Sequence[float], naming: Naming) -> str:
    coordinate, momentum = f"{name}.xi[k]", f"{name}.p_xi[k]"
    if naming == "flat":
        coordinate, momentum = flat(coordinate), flat(momentum)
    n, listed = len(frequencies), ", ".join(f"{f:.4g}" for f in frequencies)
    frame = "is its mean frame" if root is None else f"lies in its node {root!r}"
    return (
        f"Elastic body {name}: {n} vibration mode{'s' * (n > 1)} with the frequencies {listed} Hz of the free body. "
        f"{coordinate} is the displacement, m, that mode k gives the node that it moves most (a rotation counts times "
        f"the body's length). With the momenta {momentum} these are {2 * n} states in model exchange, and the "
        f"importer's solver must resolve their vibrations. The frame of the body, which its joint moves, {frame}."
    )


def _integration(control: StepControl) -> str:
    accuracy = f"steps of at most {control.step:g} s" if control.fixed else f"relative tolerance {control.rtol:g}"
    return (
        f"Inside a communication step the FMU integrates with {control.method.name}, {accuracy}; inputs are held over "
        "the step."
    )


def _drawn(result: Result) -> tuple[list[str], int]:
    """Return the names of results that the picture shows, a vector as one, and the number of all results."""
    vector_of = {part: name for name, parts in result.vectors.items() for part in parts}
    outputs = [column for column in result.columns[1:] if "." not in column]
    names = list(dict.fromkeys(vector_of.get(column, column) for column in outputs or result.columns[1:]))
    return names[:MOST_DRAWN], len(names)


def _picture(result: Result) -> str:
    """Return a picture of the reference run as inline SVG."""
    names, total = _drawn(result)
    if not names:
        return ""
    axes = []
    for name in names:
        unit = result.unit(name)
        curves = {part: result[part] for part in result.parts(name)}
        axes.append((f"{name}, {unit}" if unit else name, curves))
    rest = f"<p>The first {len(names)} of {total} results.</p>\n" if total > len(names) else ""
    return f"<h2>Reference run</h2>\n{rest}{svg(result.time, axes)}"
