"""HTML page that displays a motion: one self-contained file, which loads nothing from the network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..infrastructure.disk.files import replacing

HERE = Path(__file__).parent
HEIGHT = 520  #: height of a page in a notebook, px


@dataclass(frozen=True, repr=False)
class Page:
    """An HTML page. Notebooks display it; `write` writes it to a file."""

    name: str
    text: str

    def __repr__(self) -> str:
        return f"page of {self.name!r}: {len(self.text) / 1e6:.2f} MB, to be shown by a notebook, or .write(path)"

    def write(self, path: str | Path) -> Path:
        """Write the page to a file, which any browser can open, and return its path. Raises OSError."""
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


def page(name: str, description: str, data: Mapping[str, Any]) -> Page:
    """Return a page with data for page.js."""
    script = _file("page.js")
    library = _file("library/library.js").replace("</script", "<\\/script")
    text = string.Template(_file("page.html")).substitute(
        title=html.escape(name),
        description=html.escape(description),
        hashes=" ".join(f"'sha256-{_hash(code)}'" for code in (library, script)),
        library_style=_file("library/library.css"),
        style=_file("page.css"),
        data=json.dumps(data, separators=(",", ":")).replace("</", "<\\/").replace("<!--", "<\\u0021--"),
        library=library,
        script=script,
    )
    return Page(name, text)


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8").strip()


def _hash(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
