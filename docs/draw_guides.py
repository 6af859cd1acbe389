"""Draw the pictures that the blocks of guides write, and pictures of the pages that they write.

From the top of the project: python docs/draw_guides.py [NAME ...]. Needs chromium, as draw_models.py does.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
from pathlib import Path

from draw_models import photograph

DOCS = Path(__file__).resolve().parent
#: picture: the text it belongs to, the page that is drawn, and its instant, s; or the picture that a block writes
DRAWN = {
    "cart_pole": ("tutorial.md", "balanced.html", 0.5),
    "arm": ("howto.md", "arm.html", 0.6),
    "policy": ("learning.md", "policy.html", 0.12),
    "fastest": ("optimal_control.md", "fastest.html", 0.3),
    "bode": ("linear.md", "bode.png", 0.0),
    "campbell": ("linear.md", "campbell.png", 0.0),
    "bearings": ("bearings.md", "bearings.png", 0.0),
}


def draw(name: str) -> Path:
    """The picture, or that of a page, after all blocks of its text up to the one that writes it."""
    text, page, time = DRAWN[name]
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / text).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    namespace = {"__name__": "__main__"}
    picture = DOCS / f"{name}.png"
    with tempfile.TemporaryDirectory() as room, contextlib.chdir(room):
        for block in blocks:
            exec(block, namespace)
            if Path(page).exists():
                break
        if Path(page).suffix == picture.suffix:
            shutil.copy(page, picture)
        else:
            photograph(Path(page), picture, time, (900, 600), "")
    return picture


if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        picture = draw(name)
        print(f"{picture}: {picture.stat().st_size / 1e3:.0f} kB")
