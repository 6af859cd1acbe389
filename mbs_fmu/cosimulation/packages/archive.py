"""Files of a package that is read: an SSP archive, or the folder of a description; and their XML."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.etree import _Element as Element

from ...fmi.unpacking import MOST_BYTES, require_bounded
from ...infrastructure.errors import ModelError, one_line
from ...infrastructure.messages.failures import display

MOST_XML_BYTES = 1e8


class Archive:
    """Files by their paths. name: of the package, for messages."""

    def __init__(self, name: str, read: Callable[[str], bytes]):
        self.name, self._read = name, read

    def bytes(self, source: str, thing: str) -> bytes:
        """Return the content of a file, named by a URI relative to the root, that `thing` needs. Raises ModelError."""
        try:
            return self._read(self._inside(source, thing))
        except (KeyError, OSError):
            raise ModelError(f"{self.name}: {thing} needs the file {display(source)}, which is missing") from None
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
            raise ModelError(f"{self.name}: {source} cannot be read: {one_line(error)}") from None

    def xml(self, source: str, thing: str) -> Element:
        """Return the root element of an XML file. Raises ModelError if it is missing, too large or not XML."""
        return parsed(self.bytes(source, thing), f"{self.name}: {source}")

    def _inside(self, source: str, thing: str) -> str:
        """Return a path from a URI. Raises ModelError for paths outside of the package, and other kinds of URI."""
        parts = urlsplit(source)
        path = posixpath.normpath(unquote(parts.path))
        if parts.scheme or parts.netloc or path.startswith(("/", "..")) or "\\" in path:
            raise ModelError(f"{self.name}: {thing} names {display(source)}, which is no file in the package")
        return path


def opened(path: Path) -> Archive:
    """Return the files of an SSP package, or of the folder in which a description (.ssd) lies. Raises ModelError."""
    if not path.is_file():
        raise ModelError(f"no file {str(path)!r}")
    if path.suffix.lower() == ".ssd":
        return Archive(path.name, lambda name: (path.parent / name).read_bytes())
    try:
        require_bounded(path)
        return Archive(path.name, _members(zipfile.ZipFile(path)))
    except zipfile.BadZipFile as error:
        raise ModelError(f"{path.name} is not a readable SSP package: {one_line(error)}") from None


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
    return Archive(name, _members(archive))


def _members(archive: zipfile.ZipFile) -> Callable[[str], bytes]:
    return lambda name: archive.read(name)


def parsed(content: bytes, name: str) -> Element:
    """Return the root element of XML. Raises ModelError for other text, entities, and files beyond the limits."""
    if len(content) > MOST_XML_BYTES:
        raise ModelError(f"{name} has {len(content) / 1e6:.0f} MB, more than {MOST_XML_BYTES / 1e6:g}: it is not read")
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
