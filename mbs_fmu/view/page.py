"""HTML pages that display a motion: self-contained files, which load nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import string
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.disk.files import file_path, replacing
from ..infrastructure.errors import ArgumentError
from ..infrastructure.lazy_dataclasses import dataclass
from ..infrastructure.messages.calls import add_clear_errors
from ..infrastructure.messages.failures import display

HERE = Path(__file__).parent / "web"
SUFFIXES = (".html", ".htm")  #: of the names of pages
HEIGHT = 520  #: height of a page in a notebook, px


@add_clear_errors
@dataclass(frozen=True, repr=False)
class Page:
    """An HTML page. Notebooks display it; `write` writes it to a file."""

    name: str
    text: str

    def __repr__(self) -> str:
        return f"page of {self.name!r}: {len(self.text) / 1e6:.2f} MB, to be shown by a notebook, or .write(path)"

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, which any browser can open, and return its path.

        Raises ArgumentError for a path that does not end in .html or .htm, OSError.
        """
        if file_path(path).suffix.lower() not in SUFFIXES:
            raise ArgumentError(f"path is {display(str(path))}: pages are HTML, give a name that ends in .html")
        with replacing(path) as beside:
            beside.write_bytes(self.text.encode())
        return Path(path)

    def _repr_html_(self) -> str:
        """Return the page in a frame, for notebooks."""
        inside = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{inside}" style="width:100%;height:{HEIGHT}px;border:1px solid #ddd"></iframe>'


def numbers(array: Any, kind: str = "<f4") -> str:
    """Return numbers in the page's form: base64, little endian."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


@dataclass(frozen=True)
class Kind:
    """A kind of page: its template, its scripts in their order, its styles, and what else its scripts may do."""

    template: str
    scripts: tuple[str, ...]
    styles: tuple[str, ...]
    rights: tuple[str, ...] = ()


REPLAY = Kind("page.html", ("data.js", "scene.js", "plots.js", "replay.js"), ("page.css",))
LIVE = Kind(
    "live.html",
    ("data.js", "live_model.js", "scene.js", "plots.js", "live_view.js", "live.js"),
    ("page.css", "live.css"),
    ("'wasm-unsafe-eval'",),
)
FIRST = "language.js"  #: script of all pages that comes before the library
LIBRARY = "library/library.js"  #: three.js and uPlot


def page(name: str, description: str, data: Mapping[str, Any], kind: Kind = REPLAY, library: str | None = None) -> Page:
    """Return a page with data for its scripts.

    library: address of a shared copy of `library_text`, beside the page; None puts a copy into the page. Browsers run
    no script but those of the page, because its policy names the hash of each.
    """
    inline = [_file(FIRST), *([library_text()] if library is None else []), *map(_file, kind.scripts)]
    scripts = [f"<script>{code}</script>" for code in inline]
    own = []
    if library is not None:
        scripts.insert(1, f'<script src="{html.escape(library, quote=True)}"></script>')
        own = ["'self'"]
    text = string.Template(_file(kind.template)).substitute(
        title=html.escape(name),
        description=html.escape(description),
        allowed=" ".join([*kind.rights, *own, *(f"'sha256-{_hash(code)}'" for code in inline)]),
        style="\n".join(_file(style) for style in ("library/library.css", *kind.styles)),
        data=_json(data),
        scripts="\n".join(scripts),
    )
    return Page(name, text)


def library_text() -> str:
    """Return the text of three.js and uPlot."""
    return _file(LIBRARY).replace("</script", "<\\/script")


def _json(data: Mapping[str, Any]) -> str:
    """Return data as JSON that ends no script and opens no comment of HTML. Raises ValueError for infinities."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("</", "<\\/").replace("<!--", "<\\u0021--")


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8").strip()


def _hash(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
