"""Text of an expression as a formula, for `repr` and messages."""

from __future__ import annotations

from typing import Any

LONGEST = 80  #: characters
#: Precedence of the operations that are written with operators.
PRECEDENCE = {"lt": 0, "le": 0, "add": 1, "sub": 1, "neg": 2, "mul": 3, "div": 3, "pow": 4}
ATOM = 5
OPERATORS = {"lt": " < ", "le": " <= ", "add": " + ", "sub": " - ", "mul": "*", "div": "/", "pow": "**"}


def formula_text(expression: Any) -> str:
    """Return an expression as a formula, such as "2*k + sin(q)"; a long one is cut and ends with "...".

    Sums and products are written without the parentheses that do not change their value.
    """
    text = ""
    pending: list[Any] = [(expression, 0, False)]  # the next piece last; no recursion, since sums can be very deep
    while pending and len(text) <= LONGEST:
        piece = pending.pop()
        if isinstance(piece, str):
            text += piece
        else:
            pending += reversed(_pieces(*piece))
    return text if len(text) <= LONGEST and not pending else text[: LONGEST - 3] + "..."


def _pieces(node: Any, least: int, opposite: bool) -> list[Any]:
    """Return a node's text as pieces: texts, and operands with the two arguments of this function.

    least: precedence below which the node needs parentheses. opposite: write the opposite of the node, whose leading
    factor is a negative number.
    """
    if node.op == "const":
        value = -node.value if opposite else node.value
        return _enclosed([_number(value)], value < 0.0 and least > PRECEDENCE["neg"])
    if node.op == "leaf":
        return [str(node.value)]
    if node.op == "where":
        name, args = _conditional(node)
        return _call(name, args)
    if node.op not in PRECEDENCE:
        return _call(node.op, node.args)
    rank = PRECEDENCE[node.op]
    if node.op == "neg":
        return _enclosed(["-", (node.args[0], rank + 1, False)], least > rank)
    left, right = node.args
    operator, opposite_right = OPERATORS[node.op], False
    if node.op in ("add", "sub") and _is_negative(right):
        operator, opposite_right = OPERATORS["sub" if node.op == "add" else "add"], True
    left_least = rank + 1 if node.op in ("pow", "lt", "le") else rank
    commutes = operator in (" + ", "*")
    right_least = rank if node.op == "pow" or commutes else rank + 1
    if node.op in ("add", "sub") and right.op == "neg" or node.op == "mul" and right.op == "const":
        right_least = ATOM  # no operator precedes a minus sign
    if node.op in ("mul", "div") and least <= PRECEDENCE["neg"] and _is_negative(left):
        left_least = 0  # a leading minus sign needs no parentheses
    return _enclosed([(left, left_least, opposite), operator, (right, right_least, opposite_right)], least > rank)


def _call(name: str, args: Any) -> list[Any]:
    pieces: list[Any] = [f"{name}("]
    for k, arg in enumerate(args):
        pieces += [", "] * (k > 0) + [(arg, 0, False)]
    return [*pieces, ")"]


def _conditional(node: Any) -> tuple[str, Any]:
    """Return name and arguments of the function that `where` stands for: abs, max, min, or itself."""
    condition, a, b = node.args
    if condition.op == "lt":
        x, y = condition.args
        if y.op == "const" and y.value == 0.0 and x is b and _are_opposite(a, b):
            return "abs", (x,)
        if _same(x, b) and _same(y, a):
            return "max", (b, a)
        if _same(x, a) and _same(y, b):
            return "min", (b, a)
    return "where", node.args


def _same(a: Any, b: Any) -> bool:
    return a is b or a.op == b.op == "const" and a.value == b.value


def _are_opposite(a: Any, b: Any) -> bool:
    differ = a.op == b.op == "sub" and a.args[0] is b.args[1] and a.args[1] is b.args[0]
    return bool(differ or a.op == "neg" and a.args[0] is b)


def _is_negative(node: Any) -> bool:
    """True if the leading factor of a product is a negative number."""
    for _ in range(LONGEST):  # a product of more factors is cut anyway
        if node.op not in ("mul", "div"):
            break
        node = node.args[0]
    return bool(node.op == "const" and node.value < 0.0)


def _enclosed(pieces: list[Any], enclose: bool) -> list[Any]:
    return ["(", *pieces, ")"] if enclose else pieces


def _number(value: float) -> str:
    """Return the shortest text of a number, without a decimal point for whole numbers."""
    return repr(value).removesuffix(".0")
