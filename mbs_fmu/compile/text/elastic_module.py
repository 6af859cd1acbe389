"""The parts of a generated module that only models with elastic bodies have."""

from __future__ import annotations

import ast

from ...kernels.declarations import apart
from ...kernels.dual import dual
from ...kernels.elastic import (
    bodies as bending,
)
from ...kernels.elastic import (
    errors as bending_errors,
)
from ...kernels.elastic import (
    forces as bending_forces,
)
from ...kernels.elastic import (
    rows as bending_rows,
)
from ...kernels.elastic import (
    shapes as bending_shapes,
)
from ...kernels.sources import definition, kernel_text, kernels_of, texts
from ...record.layout import Directions
from .link_loops import call, indent
from .writer import Pen

BENDING = kernels_of(bending_shapes) | kernels_of(bending) | kernels_of(bending_forces)
ROWS = kernels_of(bending_rows)


def functions(pen: Pen, along: Directions) -> list[str]:
    """The kernels of elastic bodies, and `shapes`, which finds how all of them are bent; or their tangents."""
    bent = pen.structure.bent
    if not bent.links:
        return []
    kernels = BENDING | ROWS if pen.structure.order.loops else BENDING
    out = [] if along else [ast.unparse(definition(apart))]
    out += [kernel_text(dual(f, kernels, along)) for f in kernels.values()]
    out += texts(bending_errors) if pen.structure.again and not along else []
    lines = [*pen.emit(pen.laws.bodies, along), f"for e in range({len(bent.links)}):", "    i = BENT_LINKS[e]"]
    where = "ELASTIC + ELASTIC_INDEX[i], SHAPES + SHAPES_INDEX[i], Q_INDEX[i], U_INDEX[i]"
    for link_class in sorted({pen.structure.order.of_link[i] for i in bent.links}):
        bending = pen.steps.of_class[link_class].cls.bending
        assert bending is not None
        sizes = str(bending.modes), "MODE_COUNT[i]", str(bending.seats), str(int(bending.root))
        lines += [f"    if CLASS[i] == {link_class}:", *indent([f"bend{call(along, where, *sizes)}"], 2)]
    text = "How all elastic bodies are bent: inertia, places of their nodes; factors of stiffness and damping."
    return [*out, pen.function("shapes", text, lines, along)]
