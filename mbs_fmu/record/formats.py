"""Programs of older formats, converted such that FMUs of earlier versions run with the present package.

Their kernels are part of the FMU and use the record's layout of that version. Numbers that later layouts have appended
to `Head` and `LoopState` are missing in such a record, and no code may access them there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Formats that are still read. 4: kernels without `follow` (an FMU keeps its own time) and without separate rates for
#: an importer's solver; of event indicators only the names. 4 and 5: other names of regions and of the roles of
#: variables. Up to 6: no constraint modes. Up to 7: no samples and resets. Up to 8: other names of a region and of an
#: attribute of elastic bodies.
OLDER = (4, 5, 6, 7, 8)
#: Regions of older formats, with their present names.
RENAMED = {"exchanged": "swaps", "closing": "loop_state", "closure": "added", "jump_state": "sample_state"}


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """A program's data in the present format; the format number stays that of its kernels."""
    if data["format"] not in OLDER:
        return dict(data)
    regions = {RENAMED.get(name, name): place for name, place in data["regions"].items()}
    variables = [{"role" if key == "kind" else key: value for key, value in v.items()} for v in data["variables"]]
    for name in ("modes", "sample_state"):
        regions.setdefault(name, (regions["scratch"][0], 0))
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
