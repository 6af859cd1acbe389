"""Files of elastic bodies, .npz of numpy: what `Modes.save` writes and `Modes.load` reads."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ..infrastructure.disk.files import replacing
from ..infrastructure.errors import ModelError
from .frames import Node
from .shapes import Array, Inertia
from .surfaces import Surface

FORMAT, OLDEST = 3, 2  #: version of the file format, and the oldest that is read, in which bodies have no surface
FORMS = ("stress", "section_forces")  #: attributes with matrices (6, n) by name; older files have none


class Body(Protocol):
    """The attributes of an elastic body that files contain; see `Modes`."""

    @property
    def inertia(self) -> Inertia: ...
    @property
    def stiffness(self) -> Array: ...
    @property
    def damping_matrix(self) -> Array: ...
    @property
    def nodes(self) -> Mapping[str, Node]: ...
    @property
    def foreshortening(self) -> bool | None: ...
    @property
    def left_out(self) -> Mapping[str, float]: ...
    @property
    def surface(self) -> Surface | None: ...
    @property
    def notes(self) -> tuple[str, ...]: ...


def write(path: str | Path, body: Body) -> None:
    """Write a body. Raises OSError."""
    arrays = {f.name: np.asarray(getattr(body.inertia, f.name)) for f in fields(Inertia)}
    arrays |= {"format": np.array(FORMAT), "K": body.stiffness, "D": body.damping_matrix}
    for k, node in enumerate(body.nodes.values()):
        arrays |= {f"node{k}_{f.name}": getattr(node, f.name) for f in fields(Node)}
    arrays["foreshortening"] = np.array(body.foreshortening)
    arrays["left_out"] = np.array(list(body.left_out.values()))
    if body.surface is not None:
        arrays |= {f"surface_{f.name}": getattr(body.surface, f.name) for f in fields(Surface)}
    lists = {"nodes": np.array(json.dumps(list(body.nodes)))}
    lists["notes"] = np.array(json.dumps(list(body.notes)))
    lists["loads_left_out"] = np.array(json.dumps(list(body.left_out)))
    for attribute in FORMS:
        forms: Mapping[str, Array] = getattr(body, attribute)
        arrays |= {f"{attribute}{k}": form for k, form in enumerate(forms.values())}
        lists[attribute] = np.array(json.dumps(list(forms)))
    with replacing(path) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **lists, **arrays)


def read(path: str | Path) -> tuple[Any, ...]:
    """Return the arguments of `Modes`, in their order, from a file. Raises OSError, and ModelError for other files."""
    nodes: dict[str, Node] = {}
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            if not OLDEST <= arrays["format"] <= FORMAT:
                known = f"formats {OLDEST} to {FORMAT}"
                raise ModelError(f"{path} has format {arrays['format']}: this version reads {known}")
            names = json.loads(str(arrays["nodes"]))
            inertia = Inertia(*(arrays[f.name] for f in fields(Inertia)))
            for k, name in enumerate(names):
                nodes[name] = Node(*(arrays[f"node{k}_{f.name}"] for f in fields(Node)))
            K, D = arrays["K"], arrays["D"]
            forms = [_forms(arrays, attribute) for attribute in FORMS]
            foreshortening = bool(arrays["foreshortening"]) if "foreshortening" in arrays else None
            notes = tuple(json.loads(str(arrays["notes"]))) if "notes" in arrays else ()
            return (inertia, K, D, nodes, *forms, foreshortening, _left_out(arrays), _surface(arrays), notes)
    except ModelError:
        raise
    except (KeyError, TypeError, ValueError, EOFError, RuntimeError, zlib.error, zipfile.BadZipFile):
        raise ModelError(f"{path} is not a file of modes, or damaged: write one with Modes.save") from None


def _forms(file: Mapping[str, Array], attribute: str) -> dict[str, Array]:
    """Return the matrices by name of one of `FORMS`."""
    names = json.loads(str(file[attribute])) if attribute in file else []
    return {name: file[f"{attribute}{k}"] for k, name in enumerate(names)}


def _left_out(file: Mapping[str, Array]) -> dict[str, float]:
    """Return the shares of loads that a file has; older files have none."""
    if "loads_left_out" not in file:
        return {}
    return dict(zip(json.loads(str(file["loads_left_out"])), file["left_out"].tolist(), strict=True))


def _surface(file: Mapping[str, Array]) -> Surface | None:
    return Surface(*(file[f"surface_{f.name}"] for f in fields(Surface))) if "surface_points" in file else None
