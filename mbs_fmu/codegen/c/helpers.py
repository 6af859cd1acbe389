"""Text at the beginning of each file: its preamble, and helpers for operations that C defines differently from Python.

C rounds quotients of integers towards zero, leaves shifts beyond the width undefined, and its fmin and fmax choose
differently between equals and NaN.
"""

from __future__ import annotations

from collections.abc import Mapping

PREAMBLE = """#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Results are those of IEEE arithmetic, operation by operation: no fused multiply-add, nothing reordered.
 * Loops that set a dozen numbers to zero stay loops: gcc would call or write out memset, which starts slowly.
 * Where the processor has fused operations, gcc forms no vectors: versions such as 12 fuse a * b -+ c in vectors though
 * it is forbidden, both in loops and in straight code. With -mno-fma it forms vectors again. */
#if defined(__FAST_MATH__)
#error "compile without -ffast-math: numbers that are not finite must be found"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-tree-loop-distribute-patterns")
#if defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__) || defined(__ARM_FEATURE_COMPLEX) \\
    || defined(__ARM_FEATURE_SVE)
#pragma GCC optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize")
#endif
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif"""

#: The reduction of angles (kernels/library.sincos) adds 1.5 * 2**52, whose last bits count quarter turns, and subtracts
#: pi/2 in three parts. In single precision it is 1.5 * 2**23, and the parts are shorter.
SINGLE: Mapping[float, float] = {
    6755399441055744.0: 12582912.0,
    1.57079632673412561417e00: 1.5703125,
    6.07710050630396597660e-11: 4.837512969970703e-4,
    2.02226624879595063154e-21: 7.549789954891882e-8,
}

HELPERS: Mapping[str, str] = {
    "bits_of": """static inline integer bits_of(REAL x) {
    intBITS_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (integer)bits;
}""",
    "least": "static inline REAL least(REAL a, REAL b) { return b < a ? b : a; }",
    "largest": "static inline REAL largest(REAL a, REAL b) { return b > a ? b : a; }",
    "least_integer": "static inline integer least_integer(integer a, integer b) { return b < a ? b : a; }",
    "largest_integer": "static inline integer largest_integer(integer a, integer b) { return b > a ? b : a; }",
    "magnitude": "static inline integer magnitude(integer a) { return a < 0 ? -a : a; }",
    "square": "static inline REAL square(REAL x) { return x * x; }",
    "quotient": """static inline integer quotient(integer a, integer b) { /* the next integer below */
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}""",
    "shifted_left": """static inline integer shifted_left(integer a, integer by) {
    return by < 8 * (integer)sizeof a ? (integer)((uint64_t)a << by) : 0;
}""",
    "shifted_right": """static inline integer shifted_right(integer a, integer by) {
    const integer most = 8 * (integer)sizeof a - 1;
    return a >> (by < most ? by : most);
}""",
}


def helper_text(name: str, real: str, integer: str) -> str:
    """Return the text of a helper for one type of numbers and one of integers.

    Kernels read the lowest bits of a number only; short integers get no others, so that one more can be added.
    """
    text = HELPERS[name].replace("REAL", real).replace("BITS", "32" if real == "float" else "64")
    return text if integer == "int64_t" else text.replace("(integer)bits", "(integer)(bits & 0x3fffffff)")
