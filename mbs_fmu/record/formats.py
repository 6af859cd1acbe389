"""Programs of older formats: what they lack, so that FMUs exported long ago run with the package of today.

Their kernels lie in the FMU and read the record as it was laid out then. What later layouts have behind the ends of
`Head` and `LoopState` is not in such a record, and no code may look for it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Formats that are still read. 4: kernels without `follow` (an FMU keeps its own time) and without rates apart for an
#: importer's solver; of events that an importer watches only the names. 4 and 5: other names of regions
#: and of what a variable is. Up to 6: no modes. Up to 7: nothing is sampled or reset. Up to 8: other names of
#: a region and of what elastic bodies have.
OLDER = (4, 5, 6, 7, 8)
#: Regions of older formats.
RENAMED = {"exchanged": "swaps", "closing": "loop_state", "closure": "added", "jump_state": "sample_state"}


def upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """A program's data as the present format has them; the number in them stays that of the format of its kernels."""
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
