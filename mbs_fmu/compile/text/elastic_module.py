"""Parts of a generated module for models with elastic bodies."""

from __future__ import annotations

from ...kernels import sources
from ...kernels.dual import dual
from ...kernels.elastic import (
    bodies as elastic_bodies,
)
from ...kernels.elastic import (
    errors as elastic_errors,
)
from ...kernels.elastic import (
    forces as elastic_forces,
)
from ...kernels.elastic import (
    rows as elastic_rows,
)
from ...kernels.elastic import (
    shapes as elastic_shapes,
)
from ...kernels.sources import kernel, kernels_of
from ...record import elastic_layout
from ...record.kernel_module import ModuleFunction
from ...record.layout import Directions
from .common import common_functions
from .link_loops import call, indent
from .writer import CodeWriter

BODIES = kernels_of(elastic_shapes) | kernels_of(elastic_bodies) | kernels_of(elastic_forces)
ROWS = kernels_of(elastic_rows)


def functions(writer: CodeWriter, along: Directions) -> list[ModuleFunction]:
    """The kernels of elastic bodies, and `shapes`, which evaluates all deformations; or their tangents."""
    elastic = writer.structure.elastic
    if not elastic.links:
        return []
    loops, again = writer.structure.order.loops, writer.structure.again
    parts = common_functions(f"elastic bodies {along} {loops} {again}", lambda: _kernels(along, loops, again))
    lines = [
        *writer.emit(writer.laws.bodies, along),
        f"for e in range({len(elastic.links)}):",
        "    i = ELASTIC_LINKS[e]",
    ]
    addresses = "ELASTIC + ELASTIC_INDEX[i], SHAPES + SHAPES_INDEX[i], Q_INDEX[i], U_INDEX[i]"
    for link_class in sorted({writer.structure.order.of_link[i] for i in elastic.links}):
        form = writer.steps.of_class[link_class].cls.elastic
        assert form is not None
        sizes = str(form.modes), "MODE_COUNT[i]", str(form.attachments), str(int(form.root))
        lines += [
            f"    if CLASS[i] == {link_class}:",
            *indent([f"evaluate_deformation{call(along, addresses, *sizes)}"], 2),
        ]
    text = "Deformation of all elastic bodies: inertia, positions of their nodes; factors of stiffness and damping."
    return [*parts, *writer.function("shapes", text, lines, along)]


def _kernels(along: Directions, loops: bool, again: bool) -> list[ModuleFunction]:
    """Return the kernels of elastic bodies, or their tangents.

    `loops`: the model has closed loops. `again`: errors of the momenta become those of the joint velocities.
    """
    kernels = BODIES | ROWS if loops else BODIES
    parts = [] if along else sources.kernels(elastic_layout)
    parts += [kernel(dual(f, kernels, along)) for f in kernels.values()]
    return [*parts, *(sources.kernels(elastic_errors) if again and not along else [])]
