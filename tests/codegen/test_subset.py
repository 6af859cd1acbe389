"""Code outside of the kernels' subset is refused with place, thing and remedy; inside, it equals Python to the bit."""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable

import numpy as np
import pytest

from mbs_fmu.codegen.jit import empty_module
from mbs_fmu.codegen.llvm.kinds import Kind, inferred
from mbs_fmu.codegen.llvm.subset import KNOWN, Refused, definition_of
from mbs_fmu.codegen.llvm.translate import Module
from mbs_fmu.codegen.loader import load_kernels
from mbs_fmu.codegen.modules import load_plain, load_uncached
from mbs_fmu.compile.build import compile_model, second_tangents
from mbs_fmu.run.bundled import bundled_model
from support.generators.kernel_programs import module_of
from support.machine_code import in_machine_code

HEAD = """\
import math
from math import ceil, sin
from numpy import min

import numpy as np
import numpy

from mbs_fmu.kernels.library import where
from mbs_fmu.codegen.entries import kernel

TABLE = np.array([3, 1, 4])
SHORT = np.array([3, 1, 4], dtype=np.int32)
FAR = np.array([2**63], dtype=np.uint64)
SLOPES = np.array([0.5, 0.25])
SQUARE = np.array([[1, 2], [3, 4]])
LAST = -1
WORD = "word"
SINGLE = np.float32(0.1)
LARGE = 2**63
MIXED = (1, 2.0)


def python(x):
    return x


def power(a, b):
    return a - b


@kernel
def nothing(R):
    R[0] = 1.0


@kernel
def change(R, x):
    R[0] = x
    return x


@kernel
def two(x):
    return (x, -x)


@kernel
def lone(R):
    return alone(R)


@kernel
def alone(R):
    return lone(R)


"""
ONE_OF_EACH_KIND = ("rk4", "dopri5", "rodas5p", "abm6", "gauss4")
KINDS: tuple[Kind, ...] = ("array", "int", "float", "bool")
PLAIN = "def refused(R, n, x, t):"


def translated(body: str, definition: str = PLAIN) -> Callable:
    """Return a kernel with these statements."""
    lines = ["@kernel", definition, *(f"    {line}" for line in body.split("\n"))]
    return module_of(HEAD + "\n".join(lines) + "\n").refused.kernel_function


#: Refused code, and its description in the message.
REFUSED = {
    "for with else": ("for k in range(n):\n    pass\nelse:\n    x = 1.0", "`else` of a loop"),
    "while with else": ("while t:\n    break\nelse:\n    x = 1.0", "`else` of a loop"),
    "unbound on a path": ("if t:\n    y = 1.0\nR[0] = y", "may have no value yet"),
    "unbound behind a loop": ("for k in range(n):\n    y = 1.0\nR[0] = y", "may have no value yet"),
    "unbound counter": ("for k in range(n):\n    pass\nR[k] = x", "may have no value yet"),
    "unbound behind while": ("while t:\n    y = x\n    break\nR[0] = y", "may have no value yet"),
    "unbound after break": (
        "while True:\n    if t:\n        break\n    y = x\n    break\nR[0] = y", "may have no value yet"
    ),
    "unbound in place": ("y += 1.0", "may have no value yet"),
    "shadowed constant": ("R[0] = x * LAST\nLAST = 2", "may have no value yet"),
    "not defined": ("R[0] = UNKNOWN", "doesn't define"),
    "negative index": ("R[0] = R[-1]", "an index from the end"),
    "negative store": ("R[-1] = x", "an index from the end"),
    "negative name": ("R[0] = R[-n]", "an index from the end"),
    "negative constant": ("R[0] = R[LAST]", "an index from the end"),
    "negative sum": ("R[0] = R[LAST - 1 + 0 * 3]", "an index from the end"),
    "negative in table": ("R[0] = TABLE[-1]", "an index from the end"),
    "negative in place": ("R[-1] += x", "an index from the end"),
    "beyond the table": ("R[0] = TABLE[3]", "an index beyond 3 entries"),
    "number as index": ("R[0] = R[x]", "a number as an index"),
    "truth as index": ("R[0] = R[t]", "a boolean as an index"),
    "slice": ("R[0:2] = 1.0", "a slice"),
    "two indices": ("R[0] = R[0, 1]", "a tuple here"),
    "element of a number": ("R[0] = x[0]", "an element of a number"),
    "element of a pack": ("y = two(x)\nR[0] = y[0]", "an element of 2 numbers"),
    "table of short integers": ("R[0] = SHORT[0]", "a table of anything but integers"),
    "table of numbers": ("R[0] = SLOPES[n]", "a table of anything but integers"),
    "table of rows": ("R[0] = SQUARE[n]", "a table of anything but integers"),
    "table of large integers": ("R[0] = FAR[n]", "a table of anything but integers"),
    "write to a table": ("TABLE[0] = 1", "a change of a module's table"),
    "truth in an array": ("R[0] = t", "a boolean as an element of an array"),
    "remainder": ("R[0] = n % 2", "%"),
    "remainder in place": ("n %= 2", "%"),
    "exclusive or": ("n = n ^ 1", "^"),
    "matrix product": ("x = x @ x", "@"),
    "complement": ("n = ~n", "~"),
    "plus": ("x = +x", "a plus sign"),
    "power of an integer": ("n = n ** 3", "a power of an integer"),
    "power of an integer in place": ("n **= 2", "a power of an integer"),
    "quotient of integers": ("x = n / 2", "a quotient of integers"),
    "quotient in place": ("n /= 2", "a quotient of integers"),
    "floor of a number": ("x = x // 2.0", "an operation on integers, on a number"),
    "shift of a number": ("x = x >> 1", "an operation on integers, on a number"),
    "sum of truths": ("n = t + 1", "arithmetic on a boolean"),
    "minus a boolean": ("n = -t", "minus a boolean"),
    "and of truths": ("t = t & True", "arithmetic on a boolean"),
    "arithmetic on an array": ("x = R * 2.0", "arithmetic on an array"),
    "array in place": ("R += 1.0", "arithmetic on an array"),
    "equality of truths": ("t = t == True", "comparing a boolean"),
    "order of truths": ("t = t < (x > 0.0)", "comparing a boolean"),
    "comparing arrays": ("t = R == R", "comparing an array"),
    "is": ("t = n is LAST", "`is`"),
    "is not": ("t = x is not None", "`is not`"),
    "in": ("t = n in (1, 2)", "`in`"),
    "late call in a chain": ("t = 0.0 < x < change(R, x)", "a third part that is more than arithmetic"),
    "late element in a chain": ("t = 0 < n < TABLE[n]", "a third part that is more than arithmetic"),
    "value of and": ("x = x and 2.0", "a number in `and` or `or`"),
    "value of or": ("n = n or 2", "an integer in `and` or `or`"),
    "array as condition": ("if R:\n    x = 1.0", "an array as a condition"),
    "pack as condition": ("y = two(x)\nx = 1.0 if y else 0.0", "2 numbers as a condition"),
    "integer, then number": ("y = 0\ny = x\nR[0] = -y", "an integer in one place and a number in another"),
    "parameter of two kinds": ("n = x", "an integer in one place and a number in another"),
    "in place to a number": ("n += x", "an integer in one place and a number in another"),
    "truth, then integer": ("y = True\ny = 1", "a boolean in one place and an integer in another"),
    "counter of two kinds": ("for x in range(3):\n    pass", "a number in one place and an integer in another"),
    "array, then number": ("R = x", "an array in one place and a number in another"),
    "choice of kinds": ("x = -(0 if t else x)", "an integer or a number"),
    "choice of arrays": ("A = R if t else R", "an array or an array"),
    "where of kinds": ("x = where(t, 0, x)", "an integer or a number"),
    "max of kinds": ("x = max(0, x)", "an integer or a number"),
    "max of truths": ("t = max(t, True)", "a boolean as an argument"),
    "max of one": ("x = max(x)", "a call of max with 1 arguments"),
    "max with a key": ("x = max(x, 1.0, key=abs)", "an argument by name"),
    "argument by name": ("x = change(R, x=x)", "an argument by name"),
    "too few arguments": ("x = change(R)", "a call of change with 1 arguments"),
    "starred arguments": ("x = change(*R)", "a call of change with 1 arguments"),
    "int of a boolean": ("n = int(t)", "a boolean as an argument"),
    "int with a base": ("n = int(x, 10)", "a call of int with 2 arguments"),
    "sine of a boolean": ("x = sin(t)", "a boolean as an argument"),
    "ceil of math": ("n = ceil(x)", "the function ceil"),
    "float": ("x = float(n)", "the function float"),
    "round": ("x = round(x)", "the function round"),
    "no kernel": ("x = python(x)", "the function python"),
    "local function": ("abs = x\nx = abs(x)", "a function that is a local name"),
    "own function of a known name": ("x = power(x, x)", "a power of one's own"),
    "method": ("R[0] = R.sum()", "this function"),
    "known name of an array": ("x = R.sqrt(x)", "a method"),
    "module of another name": ("x = math.sqrt(x)", "a method"),
    "view of other bits": ("n = np.float64(x).view(np.uint64)", "this function"),
    "attribute": ("x = R.nan", "an attribute"),
    "no number of numpy": ("x = np.newaxis", "an attribute"),
    "result of nothing": ("x = nothing(R)", "nothing as a value"),
    "recursion": ("x = lone(R)", "a function that calls itself"),
    "rows of arrays": ("A = R\nA = x", "an array in one place and a number in another"),
    "smallest of numpy": ("x = min(x, 0.0)", "a min of one's own"),
    "string constant": ("x = WORD", "a str as a value"),
    "single precision": ("x = x * SINGLE", "a float32 as a value"),
    "large constant": ("n = n + LARGE", "a int as a value"),
    "pack of kinds": ("y, z = MIXED", "a tuple as a value"),
    "function as value": ("y = nothing", "a Kernel as a value"),
    "string": ("y = 'text'", "a str"),
    "none": ("y = None", "a NoneType"),
    "complex": ("y = 1j", "a complex"),
    "large integer": ("n = 9223372036854775808", "an integer beyond 64 bits"),
    "list": ("y = [1.0]", "a list"),
    "tuple": ("y = (1.0, 2.0)", "a tuple here"),
    "walrus": ("R[0] = (y := x)", ":="),
    "lambda": ("y = lambda: x", "a function within a function"),
    "inner function": ("def inner():\n    pass", "a function within a function"),
    "comprehension": ("x = max(x, (y for y in R))", "this (GeneratorExp)"),
    "starred target": ("*y, z = two(x)", "a star"),
    "fewer names than values": ("y, z = x, x, x", "3 values for 2 names"),
    "more names than a pack": ("y, z, w = two(x)", "2 numbers for 3 names"),
    "fewer names than a pack": ("(y,) = two(x)", "2 numbers for 1 names"),
    "pack of a number": ("y, z = x", "a number for 2 names"),
    "two patterns": ("y = z, w = two(x)", "a tuple here"),
    "loop over an array": ("for y in R:\n    pass", "a loop over anything but range"),
    "loop over a call": ("for k in change(R, x):\n    pass", "a loop over anything but range"),
    "loop over a pair": ("for k, j in range(3):\n    pass", "a loop over anything but range"),
    "range by name": ("for k in range(stop=3):\n    pass", "a loop over anything but range"),
    "range of numbers": ("for k in range(x):\n    pass", "a range of a number"),
    "step zero": ("for k in range(0, 3, 0):\n    pass", "a step that is zero"),
    "apart of one's own": ("for k in apart(range(n)):\n    R[k] = x", "a apart of one's own"),
    "apart from nothing": ("for k in apart(n):\n    R[k] = x", "a loop over anything but range"),
    "step of a name": ("for k in range(0, 3, n):\n    pass", "a step that is zero or not a plain integer"),
    "no result on a path": ("if t:\n    return x", "a way to the end without a result"),
    "result and none": ("if t:\n    return x\nreturn", "a way to the end without a result"),
    "no result behind a loop": ("while t:\n    return x", "a way to the end without a result"),
    "results of kinds": ("if t:\n    return 0\nreturn x", "a result that is an integer in one place and a number"),
    "results of sizes": ("if t:\n    return x, x\nreturn x", "a result that is 2 numbers in one place"),
    "integers among results": ("return x, n", "an integer among several results"),
    "array as result": ("return R", "an array as a result"),
    "none as result": ("return None", "a NoneType"),
    "annotation": ("y: float = x", "an annotation"),
    "assertion": ("assert t", "an assertion"),
    "exception": ("raise ValueError", "an exception"),
    "global": ("global LAST\nLAST = 2", "`global`"),
    "text behind a return": ("return\nx = 1.0", "text that is never reached"),
    "text behind two returns": ("if t:\n    return\nelse:\n    return\nx = 1.0", "text that is never reached"),
    "text behind break": ("while t:\n    break\n    x = 1.0", "text that is never reached"),
    "text behind an endless loop": ("while True:\n    x = 1.0\nx = 2.0", "text that is never reached"),
    "del": ("del x", "`del`"),
    "import": ("import math", "this (Import)"),
    "with": ("with x:\n    pass", "this (With)"),
    "text": ("x = 1.0\n'said'", "this (Expr)"),
}  # fmt: skip


@pytest.mark.quick
@pytest.mark.parametrize("case", REFUSED)
def test_refusals_name_place_thing_and_remedy(case: str) -> None:
    """The message has function, line, the line's text, the refused part of it, and the remedy."""
    body, what = REFUSED[case]
    function = translated(body)
    with pytest.raises(Refused) as refusal:
        inferred(function, KINDS)
    form = r"(\w+), line (\d+), `(.*)`: (.*) is not known to a kernel: (.+)"
    match = re.fullmatch(form, str(refusal.value))
    assert match
    name, line, text, refused, _ = match.groups()
    assert what in refused
    written = linecache.getlines(function.__code__.co_filename)
    assert text == written[int(line) - 1].strip()
    if name == "refused" and "\n" not in body:
        assert text in (body, PLAIN)


@pytest.mark.quick
@pytest.mark.parametrize(
    "definition",
    [
        "def refused(R, n, x, t=True):", "def refused(R, n, x, *t):", "def refused(R, n, x, **t):",
        "def refused(R, n, x, *, t):", "def refused(R, n, x, /, t):",
    ],
)  # fmt: skip
def test_special_parameters_are_refused(definition: str) -> None:
    """All arguments of a kernel are positional."""
    with pytest.raises(Refused, match="a default or special parameter"):
        inferred(translated("pass", definition), KINDS)


@pytest.mark.quick
def test_other_decorators_are_refused() -> None:
    """The text of a function does not contain the effect of its decorators."""
    text = HEAD + "import functools\n\n@kernel\n@functools.cache\ndef refused(R):\n    R[0] = 1.0\n"
    with pytest.raises(Refused, match="another decorator"):
        inferred(module_of(text).refused.kernel_function.__wrapped__, ("array",))


INLINED = """\
def inlined(function):
    return {made}


@kernel
@inlined
def sum_of(R, n):
    total = 0.0
    for k in range(n):
        total += R[k]
    return total


@kernel
def both(R, n):
    R[0] = sum_of(R, n) + sum_of(R, 2 * n)
"""


@pytest.mark.quick
@pytest.mark.parametrize("mark", ["@inlined\n", ""])
def test_inlined_kernels_give_the_same_results(mark: str) -> None:
    """A kernel with this mark has the same results, and LLVM inlines it in its callers."""
    kernels = load_kernels(HEAD + INLINED.format(made="function").replace("@inlined\n", mark))
    lines = empty_module()
    Module(lines, 1).function(kernels.module.both.kernel_function, ("array", "int"))
    assert ("alwaysinline" in lines.globals["mbs_fmu.sum_of.arin1"].attributes) == bool(mark)
    R = np.arange(1.0, 9.0)
    kernels.entry("both")(R, 3)
    assert R[0] == 6.0 + 21.0


@pytest.mark.quick
def test_other_decorators_of_the_same_name_are_refused() -> None:
    """A decorator is recognised by the object, not by its name alone."""
    module = module_of(HEAD + INLINED.format(made="python(function)"))
    with pytest.raises(Refused, match="a inlined of one's own"):
        inferred(module.sum_of.kernel_function, ("array", "int"))


@pytest.mark.quick
def test_names_of_outer_functions_are_refused() -> None:
    """Variables of an enclosing function do not exist for a kernel, even if the module has such a name too."""
    text = (
        HEAD + "def make():\n    LAST = 3\n    @kernel\n    def refused(R):\n        R[0] = LAST\n    return refused\n"
    )
    with pytest.raises(Refused, match="LAST of an outer function"):
        inferred(module_of(text).make().kernel_function, ("array",))


ALLOWED = {
    "bound on all paths": "if t:\n    y = 1.0\nelse:\n    y = x\nR[0] = y",
    "bound or returned": "if t:\n    return\nelse:\n    y = x\nR[0] = y",
    "bound where it breaks": "while True:\n    y = x\n    if t:\n        break\nR[0] = y",
    "continue before": "for k in range(n):\n    if t:\n        continue\n    y = x\n    R[k] = y",
    "endless": "while True:\n    if t:\n        return x\n    x = x + 1.0",
    "integer as condition": "x = 1.0 if n & 1 else 0.0",
    "harmless chain": "t = 0 < n < TABLE[1] + 2",
}


@pytest.mark.quick
@pytest.mark.parametrize("case", ALLOWED)
def test_code_with_defined_values_is_allowed(case: str) -> None:
    """The check follows the paths through a function, not its lines."""
    inferred(translated(ALLOWED[case]), KINDS)


@pytest.mark.parametrize("name", ["governor", "four_bar"])
def test_modules_of_models_are_in_the_subset(name: str) -> None:
    """All kernels of a tree and of a closed loop are translated, with all kinds of methods; functions known by name are
    not.
    """
    model = bundled_model(name, name)
    first = compile_model(model, methods=ONE_OF_EACH_KIND).module
    module = load_uncached(first.with_part(second_tangents(model, "cholesky", {}, ONE_OF_EACH_KIND)))
    kernels = [f.kernel_function for f in vars(module).values() if hasattr(f, "kernel_function")]
    assert len(kernels) > 100
    for function in kernels:
        if function.__name__ not in KNOWN:
            definition_of(function)


INTEGERS = """\
import numpy as np
from mbs_fmu.codegen.entries import kernel


@kernel
def refused(R, a, b):
    R[0] = a // b
    R[1] = a >> (b * b)
    R[2] = a << (b & 7)
    R[3] = abs(a)
    R[4] = a // 4
    R[5] = a // -3
    R[6] = a >> 70
    R[7] = (a & b) - (a | b)
    R[8] = 0 << (b * b * b * b)
    R[9] = 1.0 if a else 0.0
    R[10] = 1.0 if 0.5 * a else 0.0
"""


def test_integer_arithmetic_equals_python() -> None:
    """Quotients of all signs are rounded down, and shifts may have any size."""
    function = module_of(INTEGERS).refused
    call = in_machine_code(function)
    for a, b in itertools.product(range(-9, 10), [-9, -4, -3, -1, 1, 2, 3, 8]):
        one, two = np.zeros(11), np.zeros(11)
        call(one, a, b)
        function.kernel_function(two, a, b)
        assert np.array_equal(one, two), (a, b)


ORDER = """\
from mbs_fmu.codegen.entries import kernel


@kernel
def change(R, x):
    R[0] += 1.0
    return x


@kernel
def refused(R, n):
    R[int(R[0])] += change(R, 5.0)
    R[3] = R[n - 4] if n > 3 else 7.0
    R[4] = change(R, 1.0) if n > 3 else change(R, 2.0)
    R[5] = 1.0 if 0.5 < change(R, 2.0) < 3.0 and n > 5 else 0.0
    k = 2
    k, R[k] = 6, 9.0
    R[k] = R[0] + change(R, 0.25) + R[0]
    R[7] = 3 // n if n != 0 else 4
    R[6] **= 2
    for k in range(5, 0, -1 - 1):
        R[1] += k
"""


def test_calls_occur_in_the_order_and_number_of_python() -> None:
    """A called function changes nothing before its turn, is called once, and not at all if Python does not call it."""
    call, plain = in_machine_code(module_of(ORDER).refused), load_plain(ORDER).refused
    for n in (0, 3, 4, 7):
        one, two = np.arange(1.0, 9.0), np.arange(1.0, 9.0)
        call(one, n)
        plain(two, n)
        assert np.array_equal(one, two), n


def test_nan_is_true_and_zero_is_not() -> None:
    """Numbers as conditions decide as in Python."""
    function = module_of(
        HEAD + f"@kernel\n{PLAIN}\n    R[0] = 1.0 if x else 2.0\n    R[1] = 1.0 if not x else 2.0\n"
    ).refused
    call = in_machine_code(function)
    for x in (0.0, -0.0, 1.0, np.nan, np.inf, 5e-324):
        one, two = np.zeros(2), np.zeros(2)
        call(one, 0, x, 0)
        function.kernel_function(two, 0, x, 0)
        assert np.array_equal(one, two)


def test_kernels_of_two_modules_may_have_one_name() -> None:
    """A kernel may call those of two modules: each call uses its own."""
    text = "import numpy as np\nfrom mbs_fmu.codegen.entries import kernel\n\nTABLE = np.array([{0}, 7])\n\n\n"
    text += "@kernel\ndef rate(R, k):\n    R[{0}] = {0}.5 + TABLE[k]\n"
    module = module_of(text.format(0) + "\n\n@kernel\ndef both(R):\n    first(R, 0)\n    second(R, 0)\n")
    module.__dict__.update(first=module_of(text.format(1)).rate, second=module_of(text.format(2)).rate)
    R = np.zeros(3)
    in_machine_code(module.both)(R)
    assert np.array_equal(R, [0.0, 2.5, 4.5])


def test_short_integers_keep_their_value() -> None:
    """They do so with and without a sign."""
    call = in_machine_code(module_of(HEAD + "@kernel\ndef refused(R, n):\n    R[0] = n\n").refused)
    for n in (np.uint32(4_000_000_000), np.int32(-5), np.uint8(200), np.int8(-100)):
        R = np.zeros(1)
        call(R, n)
        assert R[0] == n
