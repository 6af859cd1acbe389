"""Normal forms of trigonometric polynomials, which are faster and more regular than general simplification.

A formula is expanded to a sum of products of sines and cosines with coefficients. Either even powers of cosines, or
those of sines, become powers of the other one; or products become sines and cosines of sums of angles. The shortest
form is taken.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from .convert import remade

FACTORED = 80  #: largest number of operations of a formula that is factored
LONG = 3000  #: nodes of a formula from which on `shortened` leaves it as it is, since nobody reads it
MOST_TERMS = 250  #: terms of polynomials that `shortened` expands
EXPANDED = 5000  #: terms of polynomials that `simplified` expands

Powers = dict[Any, tuple[int, int]]  #: powers of sine and cosine, by angle
Sum = dict[Any, Any]  #: coefficients of trigonometric functions


def simplified(x: Any) -> Any:
    """Return the shortest of several equal formulas; of what is no trigonometric polynomial, as `shortened`."""
    return _normal(x) if _count(x, EXPANDED) else shortened(x)


def _normal(x: Any) -> Any:
    """Return the shortest form of a trigonometric polynomial."""
    terms = [_split(term) for term in sp.Add.make_args(sp.expand(x))]
    return _factored(min((_collected(terms, form) for form in FORMS), key=sp.count_ops))


def shortened(x: Any) -> Any:
    """Return a formula with its largest trigonometric polynomials simplified, unless it is long."""
    nodes = itertools.islice(sp.preorder_traversal(x), LONG + 1)
    return x if sum(1 for _ in nodes) > LONG else _shortened(x, {})


def _shortened(x: Any, known: dict[Any, Any]) -> Any:
    if x.is_Atom:
        return x
    if x not in known:
        known[x] = _shorter(x) if _count(x) else _part_by_part(x, known)
    return known[x]


def _part_by_part(x: Any, known: dict[Any, Any]) -> Any:
    """Return a formula that is no short polynomial with simplified operands.

    Polynomials in a sum or a product are simplified together, and terms of a sum with the same other factors, too.
    """
    if not (x.is_Add or x.is_Mul):
        return remade(x, [_shortened(arg, known) for arg in x.args])
    own, others = _parted(x.args)
    rest = [_shortened(arg, known) for arg in others]
    if x.is_Mul:
        return sp.Mul(_polynomial(sp.Mul, own, known), *rest)
    groups: dict[Any, list[Any]] = {}
    for term in sp.Add.make_args(sp.Add(*rest)):  # simplified products may be sums
        polynomials, factors = _parted(sp.Mul.make_args(term))
        groups.setdefault(sp.Mul(*factors), []).append(sp.Mul(*polynomials))
    return sp.Add(
        _polynomial(sp.Add, own, known), *(_polynomial(sp.Add, terms, known) * x for x, terms in groups.items())
    )


def _parted(args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the terms of a sum, or the factors of a product, that are polynomials, and the others."""
    return [arg for arg in args if _count(arg)], [arg for arg in args if not _count(arg)]


def _polynomial(of: Any, parts: list[Any], known: dict[Any, Any]) -> Any:
    """Return a sum or product of polynomials, simplified as a whole if it is short, otherwise part by part."""
    whole = of(*parts)
    if _count(whole):
        return _shortened(whole, known)
    return of(*(_shortened(part, known) for part in parts))


def _shorter(x: Any) -> Any:
    return min((x, _normal(x)), key=sp.count_ops)


def _count(x: Any, most: int = MOST_TERMS) -> int:
    """Return the number of terms of an expanded trigonometric polynomial, 0 for other formulas and for more terms."""
    if x.is_Atom:
        return 0 if x.is_Boolean else 1
    if isinstance(x, sp.sin | sp.cos):
        return 1
    counts = [_count(arg, most) for arg in x.args]
    if x.is_Pow:
        count = counts[0] ** int(x.exp) if x.exp.is_Integer and x.exp > 0 else 0
    else:
        count = 0 if 0 in counts else sum(counts) if x.is_Add else math.prod(counts) if x.is_Mul else 0
    return count if count <= most else 0


def _factored(x: Any) -> Any:
    """Return the factors of a short formula if these are shorter."""
    if sp.count_ops(x) > FACTORED:
        return x
    return _without_content(min((x, sp.factor_terms(x), sp.factor(x)), key=sp.count_ops))


def _without_content(x: Any) -> Any:
    """Return a product with its number inside of a sum of which terms have numbers too."""
    number, rest = x.as_coeff_Mul()
    for factor in () if number.is_Integer else sp.Mul.make_args(rest):
        if factor.is_Add and any(abs(term.as_coeff_Mul()[0]) != 1 for term in factor.args):
            return rest / factor * sp.Add(*(number * term for term in factor.args))
    return x


def _split(term: Any) -> tuple[Any, Powers]:
    """Return the coefficient of a product, and the powers of sines and cosines in it."""
    rest: list[Any] = []
    powers: Powers = {}
    for factor in sp.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if not isinstance(base, sp.sin | sp.cos) or not (exponent.is_Integer and exponent > 0):
            rest.append(factor)
            continue
        s, c = powers.get(base.args[0], (0, 0))
        more = int(exponent)
        powers[base.args[0]] = (s + more, c) if isinstance(base, sp.sin) else (s, c + more)
    return sp.Mul(*rest), powers


def _collected(terms: list[tuple[Any, Powers]], form: Callable[[Powers], Sum]) -> Any:
    """Return the sum of all terms in a form."""
    total: dict[Any, list[Any]] = {}
    for coefficient, powers in terms:
        for function, number in form(powers).items():
            total.setdefault(function, []).append(number * coefficient)
    return sp.Add(*(sp.expand(sp.Add(*numbers) * function) for function, numbers in total.items()))


def _in_powers(powers: Powers, of_sines: bool) -> Sum:
    """Return a product with even powers of one function replaced by cos² = 1 - sin², or by sin² = 1 - cos²."""
    total: Sum = {sp.Integer(1): sp.Integer(1)}
    for angle, (s, c) in powers.items():
        kept, gone = (sp.sin(angle), sp.cos(angle)) if of_sines else (sp.cos(angle), sp.sin(angle))
        n, k = (s, c) if of_sines else (c, s)
        half, odd = divmod(k, 2)
        factors = {kept ** (n + 2 * i) * gone**odd: (-1) ** i * math.comb(half, i) for i in range(half + 1)}
        total = {a * b: x * y for a, x in total.items() for b, y in factors.items()}
    return total


def _in_multiples(powers: Powers) -> Sum:
    """Return a product as a sum of sines and cosines of sums of angles.

    In exponentials, sin a = (z - 1/z) / 2i and cos a = (z + 1/z) / 2, a product has one coefficient for each exponent.
    """
    total: dict[Any, Any] = {sp.Integer(0): sp.Integer(1)}  # by exponents, sums of angles
    for angle, (s, c) in powers.items():
        for sign, count in ((-1, s), (1, c)):
            for _ in range(count):
                raised: dict[Any, Any] = {}
                for exponent, number in total.items():
                    for other, factor in ((exponent + angle, 1), (exponent - angle, sign)):
                        raised[other] = raised.get(other, 0) + number * factor
                total = raised
    sines = sum(s for s, _ in powers.values())
    scale = sp.Rational(1, 2 ** sum(s + c for s, c in powers.values())) * (-sp.I) ** sines
    function, unit = (sp.sin, sp.I) if sines % 2 else (sp.cos, 1)  # numbers of z^k and z^-k are opposite, or equal
    result: Sum = {}
    for exponent, number in total.items():
        sign, name = function(exponent).as_coeff_Mul()
        result[name] = result.get(name, 0) + number * scale * unit * sign
    return result


FORMS: tuple[Callable[[Powers], Sum], ...] = (
    lambda powers: _in_powers(powers, True),
    lambda powers: _in_powers(powers, False),
    _in_multiples,
)
