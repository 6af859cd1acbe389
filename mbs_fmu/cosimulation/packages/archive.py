"""Files of a package that is read: an SSP archive, or the folder of a description; and their XML."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.etree import _Element as Element

from ...fmi.unpacking import MOST_BYTES, require_bounded
from ...infrastructure.errors import ModelError, one_line
from ...infrastructure.messages.failures import display

MOST_XML_BYTES = 1e8  #: of a description or a set of parameters


class Archive:
    """Files by their paths. name: of the package, for messages. read, size: give content and length of a file."""

    def __init__(self, name: str, read: Callable[[str], bytes], size: Callable[[str], int]):
        self.name, self._read, self._size = name, read, size

    def bytes(self, source: str, thing: str, most: float = MOST_BYTES) -> bytes:
        """Return the content of a file, named by a URI relative to the root, that `thing` needs.

        Raises ModelError if it is missing, unreadable or larger than `most`.
        """
        try:
            path = self._inside(source, thing)
            size = self._size(path)
            if size > most:
                raise ModelError(
                    f"{self.name}: {source} has {size / 1e6:.0f} MB, more than {most / 1e6:g}: it is not read"
                )
            return self._read(path)
        except (KeyError, OSError):
            raise ModelError(f"{self.name}: {thing} needs the file {display(source)}, which is missing") from None
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise ModelError(f"{self.name}: {source} cannot be read: {one_line(error)}") from None

    def xml(self, source: str, thing: str) -> Element:
        """Return the root element of an XML file. Raises ModelError if it is missing, too large or not XML."""
        return parsed(self.bytes(source, thing, MOST_XML_BYTES), f"{self.name}: {source}")

    def _inside(self, source: str, thing: str) -> str:
        """Return a path from a URI. Raises ModelError for paths outside of the package, and other kinds of URI."""
        parts = urlsplit(source)
        path = posixpath.normpath(unquote(parts.path))
        if parts.scheme or parts.netloc or path.startswith(("/", "..")) or "\\" in path:
            raise ModelError(f"{self.name}: {thing} names {display(source)}, which is no file in the package")
        return path


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open the files of an SSP package, or of the folder in which a description (.ssd) lies. Raises ModelError."""
    if not path.is_file():
        raise ModelError(f"no file {str(path)!r}")
    if path.suffix.lower() == ".ssd":
        folder = path.parent
        yield Archive(path.name, lambda x: (folder / x).read_bytes(), lambda x: (folder / x).stat().st_size)
        return
    try:
        require_bounded(path)
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise ModelError(f"{path.name} is not a readable SSP package: {one_line(error)}") from None
    with archive:
        yield Archive(path.name, archive.read, lambda name: archive.getinfo(name).file_size)


def inner(content: bytes, name: str) -> Archive:
    """Return the files of a package inside another one. Raises ModelError."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except zipfile.BadZipFile as error:
        raise ModelError(f"{name} is not a readable SSP package: {one_line(error)}") from None
    size = sum(file.file_size for file in archive.infolist())
    if size > MOST_BYTES:
        raise ModelError(
            f"{name} would unpack to {size / 1e9:.6g} GB, more than {MOST_BYTES / 1e9:g}: it is not opened"
        )
    return Archive(name, archive.read, lambda name: archive.getinfo(name).file_size)


def parsed(content: bytes, name: str) -> Element:
    """Return the root element of XML. Raises ModelError for other text, and for document types with their entities."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise ModelError(f"{name} is not XML: {one_line(error)}") from None
    if root.getroottree().docinfo.doctype:
        raise ModelError(f"{name} declares a document type, which no description of a system needs: remove it")
    return root


def tag(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(etree.QName(element).localname)


def child(element: Element, *path: str) -> Element | None:
    """Return the first element at a path of names below an element, in any namespace; None if there is none."""
    for name in path:
        found = next((c for c in element if tag(c) == name), None)
        if found is None:
            return None
        element = found
    return element


def children(element: Element, *path: str) -> list[Element]:
    """Return all children of the first element at a path of names below an element."""
    parent = child(element, *path)
    return [] if parent is None else list(parent)
