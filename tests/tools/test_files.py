"""Files are written completely, or the previous file stays."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi.packing import pack

pytestmark = pytest.mark.quick

RESULT = mbs.Result("run", ["time", "x"], np.arange(8.0).reshape(4, 2))


def torn_table(path: Path, data: np.ndarray, **options: object) -> None:
    """numpy.savetxt on a disk that becomes full."""
    Path(path).write_text("time,x\n0,")
    raise OSError(28, "No space left on device", str(path))


def write_csv(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "savetxt", torn_table)
    RESULT.to_csv(path)


def write_archive(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, info: object, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("zipfile.ZipFile.writestr", full)
    pack(path, {"a": b"1", "b": b"2"})


@pytest.mark.parametrize("write", [write_csv, write_archive])
@pytest.mark.parametrize("before", [None, b"what was there"])
def test_failed_writes_keep_the_previous_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., None], before: bytes | None
) -> None:
    """A full disk leaves neither a part of the new file nor a temporary one."""
    path = tmp_path / "run.out"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(OSError, match="No space left") as failed:
        write(path, monkeypatch)
    assert failed.value.filename in (None, str(path))  # a name that nothing else has
    assert os.listdir(tmp_path) == ([] if before is None else [path.name])
    assert before is None or path.read_bytes() == before


def test_replaced_files_keep_their_place(tmp_path: Path) -> None:
    """Links stay links, permissions stay; special files are written directly; folders are created."""
    place = tmp_path / "new" / "run.csv"
    RESULT.to_csv(place)
    written = place.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(place)
    place.write_bytes(b"")
    place.chmod(0o640)
    RESULT.to_csv(link)
    assert link.is_symlink() and place.read_bytes() == written and os.listdir(place.parent) == [place.name]
    if os.name == "posix":
        assert place.stat().st_mode & 0o777 == 0o640
        RESULT.to_csv("/dev/null")
        assert not Path("/dev/null").is_file()


def test_archives_have_default_permissions(tmp_path: Path) -> None:
    """The permissions of a new FMU follow the user's umask, as those of any file."""
    pack(tmp_path / "a.zip", {"a": b"1"})
    (tmp_path / "b").write_bytes(b"")
    assert (tmp_path / "a.zip").stat().st_mode == (tmp_path / "b").stat().st_mode
