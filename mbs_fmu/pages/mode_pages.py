"""Pages of the vibration modes of elastic bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..elastic.eigenmodes import eigen
from ..elastic.frames import moved
from ..elastic.modes import Modes
from ..infrastructure.arguments import finite, is_whole
from ..infrastructure.disk.files import file_path
from ..infrastructure.errors import ArgumentError
from ..infrastructure.messages.calls import with_clear_errors
from ..infrastructure.messages.failures import display
from ..model.joints import Free, Weld
from ..model.model import Model
from ..view.animation import Recorded, animation
from ..view.page import Page
from ..view.poses import Rows
from ..view.surfaces import mode_names

SWINGS, ROWS = 4, 48  #: number of oscillations on a page, and of rows for each
VISIBLE = 0.15  #: largest displacement by default, relative to the size of the body
LEAST = 1e-9  #: displacements below this, for coordinates of norm 1, are zero, m
BODY = "body"  #: name of the body on the page


@with_clear_errors
def show_mode(
    modes: Modes,
    mode: int,
    path: str | Path | None = None,
    *,
    held: str | None = None,
    amplitude: float | None = None,
    eye: Any = None,
) -> Page | Path:
    """Show a vibration mode of an elastic body in 3D, on a self-contained page that needs no network.

    mode: number of the mode by ascending frequency, from 0. held: name of the node at which the body is fixed, as in
    `Modes.held`; by default it is free. amplitude: largest displacement of a node or a vertex of the mesh, m; by
    default a visible one. path, eye: as in `Result.animate`.

    Returns the page, which notebooks show, or the path if one is given. Raises ModelError for unknown modes and nodes,
    and for a body of which there is nothing to show: without a mesh and with fewer than two nodes; OSError.
    """
    if not isinstance(modes, Modes):
        raise ArgumentError(f"modes is {display(modes)}: give an elastic body, such as mbs.beam(...)")
    if path is not None:
        file_path(path)
    if not is_whole(mode) or not 0 <= mode < modes.count:
        raise ArgumentError(f"mode is {display(mode)}: give a number from 0 to {modes.count - 1}")
    if modes.surface is None and len(modes.nodes) < 2:
        raise ArgumentError("the body has no mesh and fewer than two nodes: there is nothing to show")
    if held is not None:
        modes.node(held)
    m = Model("mode", gravity=(0, 0, 0))
    body = m.body(BODY, joint=Free() if held is None else Weld(), elastic=modes, root=held)
    assert body.elastic is not None
    frequency, shape = _mode(body.elastic.modes, mode, held)
    size = VISIBLE * modes.size if amplitude is None else finite(amplitude, "amplitude")
    turns = np.arange(SWINGS * ROWS + 1) / ROWS
    swings = np.outer(size * shape, np.sin(2.0 * np.pi * turns))
    still = zip((f"{BODY}.{suffix}" for suffix, _ in body.joint.coordinates), body.joint.rest, strict=True)
    columns = {"time": turns / frequency, **{name: np.full(len(turns), value) for name, value in still}}
    columns |= dict(zip(mode_names(body, body.elastic), swings, strict=True))
    caption = f"mode {mode}: {frequency:.4g} Hz, " + ("free" if held is None else f"held at {held}")
    page = animation(Recorded(m, Rows(columns, {}), caption=caption), plots=(), eye=eye)
    return page if path is None else page.write(path)


def _mode(modes: Modes, mode: int, held: str | None) -> tuple[float, np.ndarray]:
    """Return the frequency of a mode, Hz, and its coordinates, scaled to a largest displacement of 1 m."""
    node = None if held is None else modes.node(held)
    inertia = modes.inertia if node is None else moved(modes.inertia, node)
    squares, V = eigen(modes.stiffness, inertia.Me)
    shape = V[:, mode]
    nodes = modes.nodes.values() if node is None else [each.seen_from(node) for each in modes.nodes.values()]
    moves = [(each.Y1[:3] @ shape)[None] for each in nodes]
    if modes.surface is not None:
        surface = modes.surface if node is None else modes.surface.seen_from(node)
        moves.append(surface.shapes @ shape)
    largest = float(np.linalg.norm(np.concatenate(moves), axis=1).max())
    if largest <= LEAST * np.linalg.norm(shape):
        raise ArgumentError(f"mode {mode} moves neither a node nor a mesh: there is nothing to show")
    return float(np.sqrt(squares[mode]) / (2.0 * np.pi)), shape / largest
