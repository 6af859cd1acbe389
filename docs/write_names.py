"""Write names.md: every public name, what it is, and the page that explains it.

python docs/write_names.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import mbs_fmu as mbs

DOCS = Path(__file__).parent
HEAD = """# Public names

*Reference: every name of `mbs_fmu`, and every method of `mbs.Model`, with the page that explains it.*

`python docs/write_names.py` makes this page from the docstrings. The [API reference](api/model.md) has the arguments.

"""
#: Pages that do not explain names.
NO_GUIDES = {
    "names", "coming_from", "howto", "tutorial", "index", "architecture", "extending", "benchmarks", "glossary",
    "releasing",
}  # fmt: skip
API = {
    name: path.stem
    for path in sorted((DOCS / "api").glob("*.md"))
    for name in re.findall(r"auto(?:function|class|exception|data)::\s+(?:mbs_fmu\.)?([\w.]+)", path.read_text("utf-8"))
}
#: Guides of names that other pages mention more often.
PLACES = {
    "simulate": "model", "export": "fmu", "Model": "model", "turn": "joints", "slide": "joints", "OnPlane": "loops",
    "ModelError": "model", "CurveOnCurve": "curves", "curve": "expressions", "Model.contact": "contact",
    "Model.start": "joints",
    "Model.close": "loops", "Model.roll": "loops", "Model.ground": "contact", "Model.mutual_contact": "contact",
    "Model.shaft": "gears", "Model.chain": "elastic", "Model.sampled": "sampled", "Model.flange": "fmu",
}  # fmt: skip
GUIDES = {path.stem: path.read_text("utf-8") for path in sorted(DOCS.glob("*.md")) if path.stem not in NO_GUIDES}


def text() -> str:
    """Return the page."""
    names = sorted(mbs.__all__, key=lambda name: (name.lower(), name))
    rows = [row(f"mbs.{name}", kind(getattr(mbs, name)), getattr(mbs, name), name) for name in names]
    methods = sorted(name for name, x in vars(mbs.Model).items() if inspect.isfunction(x) and not name.startswith("_"))
    own = [row(f"m.{name}", "method", getattr(mbs.Model, name), f"Model.{name}") for name in methods]
    table = "| name | kind | what it is for | page |\n|---|---|---|---|\n"
    return "\n".join(
        [HEAD + "## Of the package\n\n" + table + "\n".join(rows), "\n## Of a model\n", table + "\n".join(own), ""]
    )


def kind(thing: object) -> str:
    """Return what a name stands for, in a word."""
    if inspect.ismodule(thing):
        return "module"
    if inspect.isclass(thing):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function" if callable(thing) and not isinstance(thing, mbs.Expression) else "value"


def row(written: str, what: str, thing: object, name: str) -> str:
    """Return a row of the table."""
    doc = "The time, s." if thing is mbs.time else inspect.getdoc(thing) or ""
    line = re.sub(r" \(docs/[^)]*\)", "", " ".join(doc.partition("\n\n")[0].split()))
    line = re.split(r"(?<=[\w)`]{2})\.(?: (?=[A-Z`])|$)|[;:] (?=\w+:|[a-z]+,)", line)[0].rstrip(".").replace("|", "\\|")
    origin = getattr(inspect.unwrap(thing) if callable(thing) else thing, "__module__", "")
    guide = "expressions" if str(origin).endswith("symbolic.expressions") else PLACES.get(name, "")
    return f"| `{written}` | {what} | {line} | {f'[{guide}]({guide}.md)' if guide else page(written, name)} |"


def page(written: str, name: str) -> str:
    """Return a link to the guide whose tables explain a name, or which mentions it most often, or to the API."""
    own = re.escape(written)
    explained = re.compile(rf"^\| [^|]*`{own}\b", re.MULTILINE)
    scores = {
        stem: (len(explained.findall(content)), len(re.findall(rf"\b{own}\b", content)), stem)
        for stem, content in GUIDES.items()
    }
    best = max(scores.values())
    if best[:2] != (0, 0):
        return f"[{best[2]}]({best[2]}.md)"
    api = API.get(name.partition(".")[0], "model")
    return f"[api/{api}](api/{api}.md)"


if __name__ == "__main__":
    (DOCS / "names.md").write_text(text(), encoding="utf-8", newline="\n")
