"""Partition of a module of LLVM code."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import pytest

from mbs_fmu.codegen.llvm import lines as ir
from mbs_fmu.codegen.parts import LEAST_SHARED, SHARED_NAMES, texts_of_parts

pytestmark = pytest.mark.quick
DOUBLE = ir.DoubleType()


def function(module: ir.Module, name: str, length: int, *called: ir.Function) -> ir.Function:
    """Return a function of this number of additions that calls others."""
    out = ir.Function(module, ir.FunctionType(DOUBLE, [DOUBLE]), name)
    builder = ir.IRBuilder(out.append_basic_block())
    value = out.args[0]
    for _ in range(length):
        value = builder.fadd(value, value)
    for other in called:
        value = builder.call(other, [value])
    builder.ret(value)
    if name.startswith(SHARED_NAMES):
        out.linkage = "internal"
    return out


def test_each_long_function_is_defined_in_one_part() -> None:
    """Parts are valid modules; a function that two need is defined in the first of them, a short one in both."""
    module = ir.Module("all")
    short = function(module, "mbs_fmu.short", 3)
    long = function(module, "mbs_fmu.long", LEAST_SHARED + 1, short)
    own = function(module, "mbs_fmu.own", LEAST_SHARED + 1, short)
    function(module, "first", 1, long)
    function(module, "second", 1, long, own, short)
    texts = texts_of_parts(module, [["first"], ["second"]])
    for text in texts:
        llvm.parse_assembly(text).verify()
    defined = [set(re.findall(r'^define [^@]*@"([^"]+)"', text, re.MULTILINE)) for text in texts]
    assert defined == [
        {"first", "mbs_fmu.long", "mbs_fmu.short"}, {"second", "mbs_fmu.own", "mbs_fmu.short"},
    ]  # fmt: skip
    assert 'declare double @"mbs_fmu.long"' in texts[1] and 'define internal double @"mbs_fmu.own"' in texts[1]
    assert 'define double @"mbs_fmu.long"' in texts[0]
