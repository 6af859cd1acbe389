"""A page that shows a motion: one file of HTML with all that it needs, which fetches nothing."""

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

from ..disk.files import replacing

HERE = Path(__file__).parent
HEIGHT = 520  #: px, of a page in a notebook


@dataclass(frozen=True, repr=False)
class Page:
    """The text of a page. Notebooks show it, `write` makes a file of it."""

    name: str
    text: str

    def __repr__(self) -> str:
        return f"page of {self.name!r}: {len(self.text) / 1e6:.2f} MB, to be shown by a notebook, or .write(path)"

    def write(self, path: str | Path) -> Path:
        """Into a file, which any browser shows. Raises OSError."""
        with replacing(path) as beside:
            beside.write_bytes(self.text.encode())
        return Path(path)

    def _repr_html_(self) -> str:
        """In a frame of its own, as notebooks show it."""
        inside = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{inside}" style="width:100%;height:{HEIGHT}px;border:1px solid #ddd"></iframe>'


def numbers(array: Any, kind: str = "<f4") -> str:
    """Numbers as a page has them: base64, little endian."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def page(name: str, description: str, data: Mapping[str, Any]) -> Page:
    """The page of some data, which page.js reads."""
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
