"""Export of a model as text in the language Modelica (`export_modelica`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..infrastructure.disk.files import file_path, replacing
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..infrastructure.progress import progress_notice, watched
from ..model.model import Model
from ..run.simulate import require_model
from .equations import equations_of
from .model_text import model_text
from .names import IDENTIFIER, RESERVED

SUFFIX = ".mo"


@with_clear_errors
def export_modelica(
    model: Model, path: str | Path, *, parameters: Sequence[str] | None = None, outputs: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Path:  # fmt: skip
    """Write the model as a model of Modelica and return the path of the file.

    The text needs no FMU, no C and no library but the Modelica Standard Library. Each flange of the model (`m.flange`)
    is a connector `Flange_a`, other inputs and outputs are `RealInput` and `RealOutput`, and states have the start
    values of the model. Names are those of the model with underscores: `arm.q[1]` becomes `arm_q_1`.

    path: name of the file, which ends in .mo; what stands before is the name of the model in Modelica.
    parameters: names of the parameters that the text has, by default all. Others become numbers, which makes the text
    shorter.
    outputs: names of the outputs that the text has, by default all; in models with closed loops these are no reactions
    in joints and no residuals.
    progress: show the progress; by default on terminals and in notebooks, after a second.

    In models with closed loops, constraint forces are unknowns for which the tool solves, and the loops start closed.
    Checks of parameters and events that reset nothing are left out.

    Raises ArgumentError for arguments that cannot be used. Raises ModelError, which names the thing, for constraint
    modes, friction that sticks, sampled signals, resets, means over steps, drives that inputs move, rate constraints,
    height fields and meshes in contacts, and for more operations than compilers of Modelica read. Raises OSError if the
    file cannot be written.
    """
    require_model(model)
    target = file_path(path)
    name = _class_name(target)
    with watched(progress), progress_notice(model.name, "writing Modelica"):
        text = model_text(equations_of(model, parameters, outputs), name)
    with replacing(target) as beside:
        Path(beside).write_text(text, encoding="utf-8", newline="\n")
    return target


def _class_name(path: Path) -> str:
    """Return the name of the model in Modelica. Raises ArgumentError for a path that gives none."""
    if path.suffix != SUFFIX:
        raise ArgumentError(f"{display(str(path))} must end in {SUFFIX}")
    if not IDENTIFIER.fullmatch(path.stem) or path.stem in RESERVED:
        raise ArgumentError(
            f"{display(str(path))} names the model in Modelica, but {path.stem} is no name there: give letters, digits "
            "and underscores"
        )
    return path.stem
