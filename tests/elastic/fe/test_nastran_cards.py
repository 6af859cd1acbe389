"""Bulk data: forms of cards, files that include others, and cards that are refused with their line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.bulk import Bulk, read_bulk
from support.generators.nastran_files import Grids

pytestmark = pytest.mark.quick


def bulk(folder: Path, text: str) -> Bulk:
    (folder / "a.bdf").write_text(text, encoding="utf-8")
    return read_bulk(folder / "a.bdf")


def test_all_forms_of_a_card_have_the_same_fields(tmp_path: Path) -> None:
    for text in (
        "GRID           3      10  600.25     1.5   3.0+2      12",
        "GRID*                  3              10  6.00250000E+02           1.5D0\n"
        "*               3.0+02              12",
        "grid,3,10,600.25,1.5,300.,12",
        "GRID, 3 , 10, 600.25 ,1.5, 300., 12 $ a comment, with a comma",
        "GRID\t3\t10\t600.25\t1.5\t300.\t12",
        "GRID*,3,10,600.25,1.5\n*,300.,12",
        "$ ÄÖ §\n\nGRID,3,10,600.25,1.5,300.,12\n$\n",
    ):
        grid = bulk(tmp_path, text).grids[3]
        assert (grid.of, grid.coordinates, grid.out) == (10, (600.25, 1.5, 300.0), 12), text


@pytest.mark.parametrize("style", ["free", "small", "large"])
def test_places_and_axes_of_grids_in_random_systems(tmp_path: Path, style: str) -> None:
    for seed in range(20):
        numbers = [1, 2, 3]
        grids = Grids(numbers, np.random.default_rng(seed), style)
        places = bulk(tmp_path, "\n".join(grids.cards)).places
        for k, number in enumerate(numbers):
            assert places.place(number) == pytest.approx(grids.places[k], rel=1e-12, abs=1e-12)
            assert np.allclose(places.axes(number), grids.axes[k], atol=1e-7)  # known by differences


def test_grids_can_define_systems_and_have_defaults(tmp_path: Path) -> None:
    text = "GRID,9,,1.,2.,3.\nGRID,1,0,1.,0.,0.,0\nGRID,2,0,1.,0.,2.,0\nGRID,3,0,1.,3.,0.,0\nCORD1R,5,1,2,3\n"
    text += "GRDSET,,5,,,,5\n"
    places = bulk(tmp_path, text).places  # its x is y of the basic system
    assert places.place(9) == pytest.approx([-1.0, 1.0, 3.0])
    assert np.allclose(places.axes(9), [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_points_of_rows_come_from_extrn_then_seconct_then_sets_then_grids(tmp_path: Path) -> None:
    grids = "GRID,4,,0.,0.,0.\nGRID,1,,0.,0.,0.\nGRID,2,,0.,0.,0.\nSPOINT,11,THRU,13\n"
    assert bulk(tmp_path, grids).rows() == [(n, "123456") for n in (1, 2, 4)] + [(n, "0") for n in (11, 12, 13)]
    sets = grids + "ASET1,123,1,THRU,2\nBSET,4,123456,1,4\nQSET1,,12\n"
    assert bulk(tmp_path, sets).rows() == [(1, "1234"), (2, "123"), (4, "123456"), (12, "0")]
    connected = sets + "SECONCT,75,0,,,,,,,,\n,4,4,2,2\n,11,THRU,13,11,THRU,13\n"
    assert bulk(tmp_path, connected).rows() == [(4, "123456"), (2, "123456"), (11, "0"), (12, "0"), (13, "0")]
    external = connected + "EXTRN,2,126,1,123456,11,THRU,12,0\n"
    assert bulk(tmp_path, external).rows() == [(2, "126"), (1, "123456"), (11, "0"), (12, "0")]


def test_a_deck_is_read_from_begin_bulk_to_enddata_with_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "inner.bdf").write_text("GRID,2,,2.,0.,0.\nENDDATA\nGRID,8,,8.,0.,0.\n")
    text = "SOL 103\nGRID = 5\nCEND\nBEGIN BULK\ninclude 'inner.bdf'\nGRID,1,,1.,0.,0.\nCQUAD4,1,1,1\n,2,3\n"
    text += "ENDDATA\nGRID,9,,9.,0.,0.\n"
    assert sorted(bulk(tmp_path, text).grids) == [1, 2]


@pytest.mark.parametrize(
    "text,message",
    [
        ("INCLUDE '/etc/passwd'", r"line 1 includes '/etc/passwd': only files in the folder"),
        ("INCLUDE '../a.bdf'", "only files in the folder"),
        ("INCLUDE 'C:\\a.bdf'", "only files in the folder"),
        ("INCLUDE", "only files in the folder"),
        ("INCLUDE 'none.bdf'", "none.bdf' can't be read"),
        ("INCLUDE 'a.bdf'", "files include each other"),
        ("$\nGRID,x,,1.,2.,3.", r"line 2: GRID has 'x' where a whole number belongs"),
        ("GRID,1,,1.,two,3.", "has 'two' where a finite number belongs"),
        ("GRID,1,,1.,nan,3.", "has 'nan' where a finite number belongs"),
        ("GRID,1,,1.,2.,3.,-1", "grid of a fluid"),
        ("SPOINT,1,THRU,900000000", "range 1 THRU 900000000"),
        ("SPOINT,5,THRU,1", "it must ascend"),
        ("EXTRN,1,123456,2", "ends without the components of 2"),
        ("ASET1,12X,1", "components '12X'"),
        ("DMIG,K,0,5,2", "form 5 and type 2"),
        ("DMIG,K,1,1,,1,1,2.0", "column before its header"),
        ("DMIG,K,0,6,2\nDMIG,K,1,7,,1,1,2.0", "point 1, component 7"),
        ("DMIG,,0,6,2", "no name"),
        ("CORD2R,1,0,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,1,0,0.,0.,0.,0.,0.,1.\n,1.,1.,0.", "CORD2R 1 differs"),
    ],
)  # fmt: skip
def test_cards_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(mbs.ModelError, match=message):
        bulk(tmp_path, text)


@pytest.mark.parametrize(
    "text,message",
    [
        ("GRID,1,8,1.,2.,3.", "coordinate system 8, which no CORD card defines"),
        ("GRID,1,8\nCORD2R,8,9,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\nCORD2R,9,8,0.,0.,0.,0.,0.,1.\n,1.,0.,0.", "in a circle"),
        ("GRID,1,8,1.,2.,3.\nCORD1R,8,1,1,1", "in a circle"),
        ("GRID,1,8,1.,2.,3.\nCORD1R,8,5,6,7", "refers to grid 5, which no card GRID defines"),
        ("GRID,1,8\nCORD2R,8,0,0.,0.,0.,0.,0.,1.\n,0.,0.,2.", "line 2: CORD2R: the three points .* lie on a line"),
    ],
)  # fmt: skip
def test_systems_that_define_no_axes_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(mbs.ModelError, match=message):
        bulk(tmp_path, text).places.place(1)


def test_two_values_of_one_entry_and_rectangular_or_complex_matrices_are_refused(tmp_path: Path) -> None:
    twice = "DMIG,K,0,6,2\nDMIG,K,1,1,,2,1,5.0\nDMIG,K,2,1,,1,1,6.0\n"
    for text, message in (
        (twice, "two values for the row"),
        ("DMIG,K,0,9,2\nDMIG,K,1,1,,2,1,5.0\n", "give a square matrix"),
        ("DMIG,K,0,6,4\nDMIG,K,1,1,,2,1,5.0,1.0\n", "is complex"),
        ("DMIG,K,0,6,2\nDMIG,K,1,1,,3,1,5.0\n", "row of point 3, component 1, which is no row"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            bulk(tmp_path, text).matrices["K"].entries({(1, 1): 0, (2, 1): 1})
    for cut in (
        "DMIG,K,1,1,,2,1\n",
        "DMIG,K,1,1,,2\n",
        "DMIG*   K                              1               1\n*       2",
    ):
        with pytest.raises(
            mbs.ModelError, match=r"line 2: DMIG K has no value for its row of point 2: the file is cut"
        ):
            bulk(tmp_path, f"DMIG,K,0,6,2\n{cut}")
    i, j, values = bulk(tmp_path, twice.replace("6.0", "5.0")).matrices["K"].entries({(1, 1): 0, (2, 1): 1})
    assert sorted(zip(i, j, values, strict=True)) == [(0, 1, 5.0), (1, 0, 5.0)]
