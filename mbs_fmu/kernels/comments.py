"""The text of lowered statements with the comments of their file, for readers of generated modules and C sources."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

INDENT = "    "


def commented(body: Sequence[ast.stmt], lines: Sequence[str]) -> str:
    """Return the text of a function's body, indented, with the comments of its file above the statements.

    lines: the lines of the file, to which the line numbers of the statements refer.
    """
    text = ast.unparse(ast.Module([*_marked(body, lines)], []))
    return "\n".join(INDENT + _unquoted(line) if line else "" for line in text.splitlines())


def _marked(body: Sequence[ast.stmt], lines: Sequence[str]) -> list[ast.stmt]:
    """Return statements with a string literal "# ..." for each comment, since syntax trees contain no comments."""
    marked: list[ast.stmt] = []
    for s in body:
        marked += [ast.Expr(ast.Constant(comment)) for comment in comments_of(s.lineno, lines)]
        if isinstance(s, ast.For | ast.While | ast.If):
            block = copy.copy(s)
            block.body, block.orelse = _marked(s.body, lines), _marked(s.orelse, lines)
            marked.append(block)
        else:
            marked.append(s)
    return marked


def comments_of(line: int, lines: Sequence[str]) -> list[str]:
    """Return the comments directly above a line, counted from 1, and the one at its end."""
    above, k = [], line - 2
    while k >= 0 and lines[k].lstrip().startswith("#"):
        above.append(lines[k].strip())
        k -= 1
    _, is_commented, text = lines[line - 1].partition("  # ")
    return [*reversed(above), *([f"# {text}"] if is_commented else [])]


def _unquoted(line: str) -> str:
    """Return a line of text; the string literal of a comment becomes the comment."""
    text = line.lstrip()
    if text.startswith(("'# ", '"# ')):
        return line[: len(line) - len(text)] + str(ast.literal_eval(text))
    return line
