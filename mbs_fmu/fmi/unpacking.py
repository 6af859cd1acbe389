"""Unpacking of FMUs with bounds on the unpacked size: an archive of a few kB can contain terabytes of zeros."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ..infrastructure.errors import ModelError

MOST_BYTES = 4e9  #: largest size of all files
MOST_DESCRIPTION_BYTES = 2.5e8  #: largest modelDescription.xml, which is read into memory: a million variables
MOST_FILES = 100_000


def require_bounded(path: Path) -> None:
    """Raise ModelError for an archive that would unpack to more than any FMU contains.

    The check uses the sizes that the archive declares; Python's zipfile does not unpack more. Raises BadZipFile if the
    file is not an archive, OSError if it cannot be read.
    """
    with zipfile.ZipFile(path) as archive:
        files = archive.infolist()
    size = sum(file.file_size for file in files)
    description = sum(file.file_size for file in files if file.filename == "modelDescription.xml")
    for amount, most, unit in (
        (size / 1e9, MOST_BYTES / 1e9, "GB"), (len(files), MOST_FILES, "files"),
        (description / 1e6, MOST_DESCRIPTION_BYTES / 1e6, "MB of modelDescription.xml"),
    ):  # fmt: skip
        if amount > most:
            raise ModelError(f"{path.name} would unpack to {amount:.6g} {unit}, more than {most:g}: it is not opened")


def unpack(path: Path, folder: Path) -> None:
    """Unpack an FMU to a folder. Raises the errors of `require_bounded`, and fmpy's for paths outside the folder."""
    from fmpy import extract

    require_bounded(path)
    extract(str(path), str(folder))
