"""Conversion of programs of older formats, so that FMUs of earlier versions run with the present package.

The kernels of such a program are part of its FMU and use the record layout of their version. That record lacks the
numbers that later layouts have appended to `HeadNumbers` and `LoopNumbers`, and no code may access them there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Formats that can still be read. 4: kernels have neither `follow` (an FMU keeps its own time) nor separate rates for
#: an importer's solver, and only the names of event indicators are known. 4 and 5: regions and roles of variables have
#: other names. Up to 6: no constraint modes. Up to 7: no samples and resets. Up to 8: a region and an attribute of
#: elastic bodies have other names.
OLDER = (4, 5, 6, 7, 8)
#: Regions of older formats, with their present names.
RENAMED = {"exchanged": "swaps", "closing": "loop_state", "closure": "added"}


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a program's data in the present format; its format number stays that of its kernels."""
    if data["format"] not in OLDER:
        return dict(data)
    regions = {RENAMED.get(name, name): place for name, place in data["regions"].items()}
    variables = [{"role" if key == "kind" else key: value for key, value in v.items()} for v in data["variables"]]
    regions.setdefault("modes", (regions["scratch"][0], 0))
    elastic = [
        {"static" if key == "settled" else key: x for key, x in body.items()} for body in data.get("elastic", ())
    ]
    data = {**data, "regions": regions, "variables": variables, "elastic": elastic}
    if data["format"] > 4:
        return data
    first = regions["scratch"][0]
    regions |= {"exchange_rates": (first, 0)}
    indicators = [{"name": name, "direction": 0, "stop": False} for name in data["indicators"]]
    return {**data, "regions": regions, "indicators": indicators}
