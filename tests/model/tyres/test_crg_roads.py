"""Curved grids from OpenCRG files: the same surface as the file's, with its notes and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from support.generators.crg_files import FORMS, random_road

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("form", FORMS)
def test_heights_and_places_are_those_of_another_reader(tmp_path: Path, form: str) -> None:
    peer = pytest.importorskip("pyopencrg")
    rng = np.random.default_rng(FORMS.index(form))
    for _ in range(3):
        path = random_road(rng, rows=40, holes=False, bend=1e-3).file.write(tmp_path / "r.crg", form)
        road, other = mbs.CurvedGrid.from_crg(path), peer.read(path)
        u, v, z = other.u, other.v, other.surface_z()
        for k, j in rng.integers(0, z.shape, (10, 2)):
            assert road.height(u=float(u[k]), v=float(v[j])) == pytest.approx(z[k, j], abs=1e-12)
        x, y = road.xy(u)
        gap = np.hypot(x - other.x, y - other.y).max()
        assert gap <= road.error + 1e-12


def test_roads_have_the_notes_and_holes_of_their_file(tmp_path: Path) -> None:
    road = random_road(np.random.default_rng(3), bend=1e-3)
    road.file.options = {"REFLINE_CONTINUATION": 1}
    path = road.file.write(tmp_path / "r.crg", "KRBI")
    found = mbs.CurvedGrid.from_crg(path, at=(1.0, 2.0, 3.0))
    holes = int(np.isnan(road.file.values("KRBI")[:, road.first :]).sum())
    assert holes > 0 and found.holes == holes and f"{holes} holes" in repr(found)
    assert found.notes == ["REFLINE_CONTINUATION = 1 (closed track) has no effect: the road ends at its last row"]
    assert found.at == (1.0, 2.0, 3.0)
    part = mbs.CurvedGrid.from_crg(path, band=(found.u[4], found.u[9]))
    assert part.u == pytest.approx(found.u[4:10], abs=0.0)
    assert (part.heights == found.heights[4:10]).all()
    plain = mbs.CurvedGrid(found.u, found.v, found.heights, *found.xy(found.u))
    assert plain.notes == [] and plain.holes == 0 and "holes" not in repr(plain)


def test_errors_name_the_file(tmp_path: Path) -> None:
    road = random_road(np.random.default_rng(3), bend=1e-3)
    path = road.file.write(tmp_path / "r.crg", "LDFI")
    for arguments in ({"band": (5.0, 4.0)}, {"at": "abc"}):
        with pytest.raises(mbs.ModelError):
            mbs.CurvedGrid.from_crg(path, **arguments)  # type: ignore[arg-type]
    phi = np.cumsum(np.full(24, 0.8))
    road.file.channels = [
        ("reference line phi,rad", phi),
        *((name, x) for name, x in road.file.channels if "long" in name),
    ]
    with pytest.raises(mbs.ModelError, match=r"r\.crg: .*the reference line has the radius"):
        mbs.CurvedGrid.from_crg(road.file.write(path, "LDFI"))
    with pytest.raises(mbs.ModelError, match=r"road file .*none\.crg'? can't be read"):
        mbs.CurvedGrid.from_crg(tmp_path / "none.crg")
