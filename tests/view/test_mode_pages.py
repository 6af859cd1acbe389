"""Pages of modes of elastic bodies: frequency, amplitude, and what is held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from view.test_page import decoded, page_data
from view.test_surfaces import bodies

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import moved
from mbs_fmu.elastic.modes import Modes
from support.comparisons import assert_close

pytestmark = pytest.mark.quick


def displacements(modes: Modes, data: dict[str, Any], held: str | None) -> np.ndarray:
    """Displacements of the vertices in all rows, (rows, N, 3), relative to the held node."""
    normal = modes.normal()
    assert normal.surface is not None
    surface = normal.surface if held is None else normal.surface.seen_from(normal.node(held))
    xi = decoded(data["surfaces"][0]["xi"]).reshape(-1, normal.count).astype(float)
    return np.asarray(surface.displaced(xi) - surface.points)


@pytest.mark.parametrize("held", (None, "root", "mid"))
@pytest.mark.parametrize("mode", (0, 3))
def test_modes_oscillate_at_their_frequency(mode: int, held: str | None) -> None:
    """The page has four oscillations with the largest displacement asked for; the held node rests."""
    body = bodies()
    data = page_data(mbs.show_mode(body, mode, held=held, amplitude=0.2))  # type: ignore[arg-type]
    time = decoded(data["time"], "<f8")
    frequency = (body.frequencies if held is None else body.held(held))[mode]
    assert time[-1] * frequency == pytest.approx(4.0, rel=1e-9)
    moves = np.linalg.norm(displacements(body, data, held), axis=2)
    assert_close(moves.max(), 0.2, 1e-6, "largest displacement")  # single precision
    if held is not None:
        index = list(body.nodes).index(held)
        assert_close(moves[:, index], 0.0, 1e-7, "displacement of the held node")


def test_held_shapes_vibrate_alone() -> None:
    """The shape is a mode: the stiffness's force balances the inertia of the body held at the node."""
    body = bodies()
    data = page_data(mbs.show_mode(body, 1, held="root"))  # type: ignore[arg-type]
    normal = body.normal()
    xi = decoded(data["surfaces"][0]["xi"]).reshape(-1, normal.count).astype(float)
    shape = xi[np.argmax(np.abs(xi).sum(axis=1))]
    M = moved(normal.inertia, normal.node("root")).Me
    force = normal.stiffness @ shape
    inertia = (2 * np.pi * normal.held("root")[1]) ** 2 * M @ shape
    assert_close(force, inertia, 1e-5 * np.abs(force).max(), "force")


def test_bars_show_modes_too() -> None:
    """A beam is drawn as a bar, about a seventh of its length from its rest."""
    rod = mbs.beam(1.0, mbs.Rectangle(0.02, 0.01), 2.1e11, 7800.0, modes=6)
    data = page_data(mbs.show_mode(rod, 0, held="root"))  # type: ignore[arg-type]
    poses = decoded(data["poses"]).reshape(len(decoded(data["time"], "<f8")), -1, 7)
    assert len(data["beams"]) == 1
    assert 0.1 < np.abs(poses[:, -1, :3] - poses[0, -1, :3]).max() < 0.2


def test_unusable_arguments_are_refused() -> None:
    body = bodies()
    for arguments, message in (
        ((body, 10), "mode is 10: give a number from 0 to 9"),
        ((body, True), "mode is True"),
        (("beam", 0), "modes is 'beam': give an elastic body"),
        ((Modes(body.inertia, body.stiffness), 0), "there is nothing to show"),
        ((body, 0, "mode.png"), "pages are HTML"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mbs.show_mode(*arguments)  # type: ignore[arg-type]
    with pytest.raises(mbs.ModelError, match="unknown node 'end'"):
        mbs.show_mode(body, 0, held="end")
