"""`straight`: a decorator that gives numba a straight-line function as ready LLVM code.

The steps of the passes are hundreds of lines of `t_7 = a * b + R[c + U12]`, all doubles. Typing and
lowering them one by one takes numba milliseconds a line; here each operation becomes one LLVM
instruction, in the order of the text, with the same bits. The function stays ordinary Python: what is
translated is its own text, and without numba it runs as it stands.

The text may have: `x = expression`, `x, y, ... = tuple_argument`, `A[index] = expression`, also with `+=`,
and a last line `return x, y, ...`; expressions of + - * / and negation; indices that are sums of integer
arguments and integer constants of the module. Anything else raises NotImplementedError.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

DOUBLE, INDEX = ir.DoubleType(), ir.IntType(64)
OPERATIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


def straight(function: Callable) -> Callable:
    """The function for use inside jitted code; it is inlined where it is called."""

    def typed(context: object, *arguments: types.Type) -> tuple[Any, Callable]:
        body = _body(function)
        results = _results(body)
        result = types.UniTuple(types.float64, len(results)) if results else types.none

        def lower(context: Any, builder: ir.IRBuilder, signature: Any, values: list[ir.Value]) -> ir.Value:
            names = inspect.signature(function).parameters
            translator = _Translator(function, builder)
            for name, kind, value in zip(names, signature.args, values, strict=True):
                if isinstance(kind, types.Array):
                    value = context.make_array(kind)(context, builder, value=value).data
                translator.values[name] = value
            translator.statements(body)
            if not results:
                return context.get_dummy_value()
            return translator.packed(results)

        return result(*arguments), lower

    parameters = [inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += inspect.signature(function).parameters.values()
    typed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    typed.__name__ = function.__name__
    return intrinsic(typed)


def _body(function: Callable) -> list[ast.stmt]:
    """The statements of a function behind its docstring."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    return definition.body[1:]


def _results(body: list[ast.stmt]) -> list[ast.expr]:
    """What the function returns."""
    last = body[-1] if body else None
    if not isinstance(last, ast.Return):
        return []
    assert isinstance(last.value, ast.Tuple)
    return last.value.elts


class _Translator:
    """Emits instructions for statements; `values` holds what each name stands for."""

    def __init__(self, function: Callable, builder: ir.IRBuilder):
        self.constants = function.__globals__
        self.builder = builder
        self.values: dict[str, ir.Value] = {}

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            match statement:
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id=source)):
                    for k, name in enumerate(names):
                        assert isinstance(name, ast.Name)
                        self.values[name.id] = self.builder.extract_value(self.values[source], k)
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.values[name] = self.number(value)
                case ast.Assign(targets=[ast.Subscript() as place], value=value):
                    number = self.number(value)
                    self.builder.store(number, self.address(place))
                case ast.AugAssign(target=ast.Subscript() as place, op=ast.Add(), value=value):
                    number, address = self.number(value), self.address(place)
                    self.builder.store(self.builder.fadd(self.builder.load(address), number), address)
                case ast.Return():
                    return
                case _:
                    raise NotImplementedError(f"not straight-line code: {ast.unparse(statement)}")

    def number(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Name(id=name):
                return self.values[name]
            case ast.Constant(value=float(value)):
                return ir.Constant(DOUBLE, value)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
                return getattr(self.builder, OPERATIONS[type(op)])(self.number(left), self.number(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.builder.fneg(self.number(operand))
            case ast.Subscript():
                return self.builder.load(self.address(node))
        raise NotImplementedError(f"not a straight-line expression: {ast.unparse(node)}")

    def address(self, place: ast.Subscript) -> ir.Value:
        assert isinstance(place.value, ast.Name)
        return self.builder.gep(self.values[place.value.id], [self.index(place.slice)], inbounds=True)

    def index(self, node: ast.expr) -> ir.Value:
        match node:
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.Name(id=name):
                return ir.Constant(INDEX, int(self.constants[name]))
            case ast.Constant(value=int(value)):
                return ir.Constant(INDEX, value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self.builder.add(self.index(left), self.index(right))
        raise NotImplementedError(f"not a straight-line index: {ast.unparse(node)}")

    def packed(self, results: list[ast.expr]) -> ir.Value:
        """The results as numba's tuple of doubles."""
        empty = ir.Constant(ir.ArrayType(DOUBLE, len(results)), ir.Undefined)
        return reduce(
            lambda pack, item: self.builder.insert_value(pack, self.number(item[1]), item[0]), enumerate(results), empty
        )
