"""Damaged files of Nastran: each is read, or refused by one message with the file and its line or byte."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.bulk import read_bulk
from mbs_fmu.elastic.fe.nastran_superelements import superelement_data
from mbs_fmu.elastic.fe.op4 import read_op4
from support.generators.nastran_files import Grids, card, dmig, op4_binary, op4_matrices, op4_text, variants

PLACE = re.compile(r"(line|byte) \d+|complex|not finite")
ANYWHERE = re.compile("")


def survive(
    folder: Path, data: bytes, count: int, read: Callable[[Path], Any], suffix: str, place: re.Pattern[str] = ANYWHERE
) -> None:
    """Read damaged variants of a file, many of which are refused. Other errors and long times fail the test."""
    path, refused = folder / f"damaged{suffix}", 0
    for variant in variants(data, count, seed=len(data)):
        path.write_bytes(variant)
        began = time.process_time()
        try:
            read(path)
        except mbs.ModelError as error:
            refused += 1
            assert str(path) in str(error) and place.search(str(error)), str(error)
        assert time.process_time() - began < 2.0
    assert refused > count // 4


@pytest.mark.parametrize("zeros", ["dense", "strings", "bigmat"])
@pytest.mark.parametrize("form,count", [("little", 40), ("big", 40), ("wide", 40), ("text", 100)])
def test_damaged_matrices_are_refused_with_line_or_byte(tmp_path: Path, zeros: str, form: str, count: int) -> None:
    if form == "text":
        op4_text(tmp_path / "a.op4", op4_matrices(64), zeros)
    else:
        op4_binary(tmp_path / "a.op4", op4_matrices(64), zeros, ">" if form == "big" else "<", form == "wide")

    def read(path: Path) -> None:
        size = path.stat().st_size
        for entries in read_op4(path, path.read_bytes()):
            assert max(entries.i.size, entries.j.size, entries.values.size) <= size
            entries.matrix()

    tracemalloc.start()
    survive(tmp_path, (tmp_path / "a.op4").read_bytes(), count, read, ".op4", PLACE)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def superelement(folder: Path) -> tuple[list[tuple[str, np.ndarray]], str]:
    """Return matrices and bulk data of a superelement with two grids and two modal coordinates."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((14, 14))
    M = A @ A.T
    grids = Grids([3, 8], rng, "large")
    external = card("EXTRN", [3, 123456, 8, 123456, 101, 0, 102, 0], "small")
    text = "\n".join(["BEGIN SUPER 5", *grids.cards, external, "QSET1,0,101,THRU,102", "SPOINT,101,THRU,102", ""])
    return [("KXX", M), ("MXX", M)], text


@pytest.mark.parametrize("style", ["large", "free"])
def test_damaged_dmig_cards_are_refused_with_the_line(tmp_path: Path, style: str) -> None:
    matrices, text = superelement(tmp_path)
    labels = [(n, c) for n in (3, 8) for c in range(1, 7)] + [(101, 0), (102, 0)]
    (tmp_path / "a.asm").write_text(text)
    punched = "".join(dmig(name, A, labels, style) for name, A in matrices)

    def read(path: Path) -> None:
        read_bulk(path)
        superelement_data(path, tmp_path / "a.asm")

    survive(tmp_path, punched.encode(), 150, read, ".pch")


def test_damaged_grids_and_sets_are_refused_with_the_line(tmp_path: Path) -> None:
    matrices, text = superelement(tmp_path)
    op4_binary(tmp_path / "a.op4", matrices, "dense")
    survive(tmp_path, text.encode(), 300, lambda path: superelement_data(tmp_path / "a.op4", path), ".asm")


def test_a_long_file_takes_time_in_proportion(tmp_path: Path) -> None:
    lines = ["$ a comment"] * 20000 + ["CTETRA  1       1       1       2       3       4       5       6"] * 20000
    (tmp_path / "long.bdf").write_text("\n".join([*lines, "GRID,1,,1.,2.,3.", ""]))
    began = time.process_time()
    assert list(read_bulk(tmp_path / "long.bdf").grids) == [1]
    assert time.process_time() - began < 2.0
