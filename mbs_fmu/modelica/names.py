"""Names, units and numbers of a model as Modelica writes them."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable

KEYWORDS = """algorithm and annotation block break class connect connector constant constrainedby der discrete each else
elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for function if
import impure in initial inner input loop model not operator or outer output package parameter partial protected public
pure record redeclare replaceable return stream then true type when while within"""
BUILT_IN = """Real Integer Boolean String Clock StateSelect AssertionLevel Connections Modelica time abs acos
actualStream array asin assert atan atan2 backSample cardinality cat ceil change cos cosh cross delay diagonal div
edge exp fill firstTick floor getInstanceName hold homotopy identity inStream integer interval linspace log log10
matrix max min mod ndims noClock noEvent ones outerProduct pre previous product promote reinit rem rooted sample
scalar semiLinear shiftSample sign sin sinh size skew smooth spatialDistribution sqrt subSample sum superSample
symmetric tan tanh terminal terminate transpose vector zeros"""
#: Names with a meaning in Modelica.
RESERVED = frozenset(f"{KEYWORDS} {BUILT_IN}".split())
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def identifier(name: str) -> str:
    """Return a name of a model, such as `arm.q[1]`, as an identifier of Modelica, such as `arm_q_1`."""
    made = re.sub(r"[^0-9A-Za-z_]+", "_", name.rstrip(")]"))
    return f"{made}_" if made in RESERVED else made


def identifiers(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return an identifier for each name, unique and none of those `taken`; a second one gets a number at its end."""
    used, made = set(taken), {}
    for name in names:
        own = base = identifier(name)
        number = 1
        while own in used:
            number += 1
            own = f"{base}_{number}"
        used.add(own)
        made[name] = own
    return made


def unit_text(unit: str | None) -> str | None:
    """Return a unit in Modelica's spelling, with one slash: "J/(kg.K)" for "J/kg/K". None for none and for per cent.

    Modelica has no unit of per cent.
    """
    if unit is None or unit == "%":
        return None
    first, *divisors = unit.split("/")
    if len(divisors) < 2:
        return unit
    return f"{first}/({'.'.join(divisors)})"


def number_text(value: float) -> str:
    """Return a number exactly; an infinite one becomes the largest number, since Modelica has no literal for it."""
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(float(value))


def quoted(text: str) -> str:
    """Return a text as a string of Modelica, on one line."""
    escaped = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
