"""OUTPUT4 files: matrices return bit for bit from every form."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("scipy")

import mbs_fmu as mbs
from mbs_fmu.elastic.fe.entries import Entries
from mbs_fmu.elastic.fe.op4 import read_op4
from support.generators.nastran_files import OP4_FORMS, op4_binary, op4_matrices, op4_text

pytestmark = pytest.mark.quick
Array = np.ndarray


def dense(entries: Entries) -> Array:
    return np.asarray(entries.matrix().toarray())


def read(path: Path) -> list[Entries]:
    return read_op4(path, path.read_bytes())


@pytest.mark.parametrize("form", OP4_FORMS)
def test_all_matrices_return_bit_for_bit_from_every_form(tmp_path: Path, form: str) -> None:
    bits, write = OP4_FORMS[form]
    given = op4_matrices(bits)
    write(tmp_path / "a.op4", given)
    found = read(tmp_path / "a.op4")
    assert [entries.name for entries in found] == [name for name, _ in given]
    for entries, (_, A) in zip(found, given, strict=True):
        assert np.array_equal(dense(entries), A)
    assert [entries.name for entries in found if entries.is_null] == ["NULL"]


def test_large_dimensions_need_no_memory(tmp_path: Path) -> None:
    lines = ["10000000-9999999       6       2K       1P,3E23.16", " 5000000       0       4"]
    lines += ["       3 9999998", f"{2.5:23.16E}", "10000001       1       1", f"{1.0:23.16E}"]
    (tmp_path / "a.op4").write_text("\n".join(lines))
    tracemalloc.start()
    (found,) = read(tmp_path / "a.op4")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (found.rows, found.columns, *found.i, *found.j, *found.values) == (10**7 - 1, 10**7, 9999997, 4999999, 2.5)
    assert peak < 1e6


def test_wide_headers_formats_and_names_are_read_as_other_programs_write_them(tmp_path: Path) -> None:
    text = (
        "               2              -2       6       2WIDE    1P,3E23.16|I16\n"
        f"       1       0       4\n       3       2\n{1.5:23.16E}\n       3       1       1\n{1.0:23.16E}\n"
        "       2       2       6       1SHORT\n"  # no format: five numbers of 16 characters
        "       1       1       2\n 1.000000000E+00 2.000000000E+00\n       3       1       1\n 1.000000000E+00\n"
        "       1       1       6       2LOWER      3d24.17\n"
        "       1       1       1\n 2.50000000000000000D+00\n       2       1       1\n 1.00000000000000000D+00\n"
    )
    (tmp_path / "a.op4").write_text(text)
    wide, short, lower = read(tmp_path / "a.op4")
    assert (wide.name, short.name, lower.name) == ("WIDE", "SHORT", "LOWER")
    assert dense(wide)[1, 0] == 1.5 and list(dense(short)[:, 0]) == [1.0, 2.0] and dense(lower)[0, 0] == 2.5


def test_complex_matrices_and_numbers_that_are_none_are_refused_where_they_are_needed(tmp_path: Path) -> None:
    text = (
        "       1       1       6       4CX      1P,3E23.16\n"
        f"       1       1       2\n{1.0:23.16E}{2.0:23.16E}\n       2       1       1\n{1.0:23.16E}\n"
        "       1       1       6       2NAN     1P,3E23.16\n"
        f"       1       1       1\n{'NaN':>23s}\n       2       1       1\n{1.0:23.16E}\n"
    )
    (tmp_path / "a.op4").write_text(text)
    complex_one, nan = read(tmp_path / "a.op4")
    with pytest.raises(mbs.ModelError, match="matrix CX is complex"):
        complex_one.matrix()
    with pytest.raises(mbs.ModelError, match="matrix NAN has numbers that are not finite"):
        nan.matrix()


@pytest.mark.parametrize("text", ["", "\n\n", "no matrix at all\n", "KXX 1 2 3\n", "a" * 5000])
def test_files_of_another_kind_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.op4").write_text(text)
    with pytest.raises(mbs.ModelError, match=r"a\.op4, line 1.* is no"):
        read(tmp_path / "a.op4")


def test_a_cut_file_is_refused_with_the_byte_or_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.op4"
    op4_binary(path, op4_matrices(64), "strings")
    data = path.read_bytes()
    path.write_bytes(data[:333])
    with pytest.raises(mbs.ModelError, match=r"a\.op4, byte \d+: .*truncated"):
        read(path)
    op4_text(path, op4_matrices(64), "strings")
    path.write_text("\n".join(path.read_text().splitlines()[:9]))
    with pytest.raises(mbs.ModelError, match=r"a\.op4.* line \d+.*truncated"):
        read(path)


def test_binary_files_with_changed_line_ends_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.op4"
    rng = np.random.default_rng(5)
    op4_binary(path, [("K", rng.standard_normal((60, 60)))], "dense")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(mbs.ModelError, match="copy it as binary"):
        read(path)
