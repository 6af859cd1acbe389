"""`About`: author, version, copyright and licence of a model, as its FMU states them."""

from __future__ import annotations

from pathlib import Path

from ..infrastructure.errors import Argument, ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.failures import display

TEXTS = ("author", "version", "copyright", "license")
LICENSES = {".txt": "license.txt", ".html": "license.html", ".spdx": "license.spdx"}  #: entries of an FMU, by suffix


@dataclass(frozen=True)
class About:
    """Author, version, copyright and licence of a model, for `export`.

    author: name and organization.
    version: version of the model, such as "1.2".
    copyright: such as "© 2026 My Company".
    license: a short statement, such as "BSD-3-Clause" or "proprietary".
    license_file: a text file with the licence, .txt, .html or .spdx; it becomes documentation/licenses/license.* of the
    FMU.

    Raises ArgumentError for a value that is not text, and for a file that cannot be read.
    """

    author: str = ""
    version: str = ""
    copyright: str = ""
    license: str = ""
    license_file: str | Path | None = None

    def __post_init__(self) -> None:
        for name in TEXTS:
            value = getattr(self, name)
            if not isinstance(value, str) or any(ord(c) < 32 for c in value):
                raise ArgumentError(Argument(name), f" is {display(value)}: give one line of text")
        self.files()

    def attributes(self) -> dict[str, str]:
        """Return the attributes of the model description, without those that are not stated."""
        return {name: text for name in TEXTS if (text := getattr(self, name))}

    def files(self) -> dict[str, bytes]:
        """Return the content of the licence file by its path in the FMU. Raises ArgumentError if it cannot be read."""
        if self.license_file is None:
            return {}
        try:
            path = Path(self.license_file)
            name = LICENSES[path.suffix.lower()]
            return {f"documentation/licenses/{name}": path.read_bytes()}
        except (TypeError, KeyError):
            known = ", ".join(LICENSES)
            given = display(str(self.license_file) if isinstance(self.license_file, Path) else self.license_file)
            raise ArgumentError(Argument("license_file"), f" is {given}: give a file that ends in {known}") from None
        except OSError as error:
            raise ArgumentError(
                Argument("license_file"), f" is {str(self.license_file)!r}, which can't be read ({error.strerror})"
            ) from None


UNSTATED = About()


def require_about(about: object) -> None:
    """Raise ArgumentError for anything but an `About`."""
    if not isinstance(about, About):
        raise ArgumentError(f"about is {display(about)}: give mbs.About(author=..., version=...)")
