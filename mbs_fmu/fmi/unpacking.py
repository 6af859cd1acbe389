"""FMUs unpacked, with a bound on what comes out: an archive of a few kB may hold terabytes of zeros."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ..errors import ModelError

MOST = 4e9  #: bytes of all files
MOST_DESCRIBED = 2.5e8  #: bytes of modelDescription.xml, which is held in memory: a million variables
MOST_FILES = 100_000


def require_bounded(path: Path) -> None:
    """ModelError for an archive that would unpack to more than an FMU has.

    No more than the sizes that it states come out of it: Python's zipfile stops there. Raises BadZipFile where it is no
    archive, OSError.
    """
    with zipfile.ZipFile(path) as archive:
        files = archive.infolist()
    size = sum(file.file_size for file in files)
    described = sum(file.file_size for file in files if file.filename == "modelDescription.xml")
    for found, most, what in (
        (size / 1e9, MOST / 1e9, "GB"), (len(files), MOST_FILES, "files"),
        (described / 1e6, MOST_DESCRIBED / 1e6, "MB of modelDescription.xml"),
    ):  # fmt: skip
        if found > most:
            raise ModelError(f"{path.name} would unpack to {found:.6g} {what}, more than {most:g}: it is not opened")


def unpack(path: Path, folder: Path) -> None:
    """The FMU's files in a folder. Raises what `require_bounded` does, and fmpy for files outside of it."""
    from fmpy import extract

    require_bounded(path)
    extract(str(path), str(folder))
