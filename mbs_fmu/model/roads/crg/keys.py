"""Keys of the sections of OpenCRG files, by the ASAM standard 1.2 and its reference implementation."""

from __future__ import annotations

import re

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?")
ROAD, OPTIONS, MODIFIERS = "ROAD_CRG", "ROAD_CRG_OPTS", "ROAD_CRG_MODS"
WITHOUT_VALUES = (
    "CT",
    "KD_DEFINITION",
    "ROAD_CRG_FILE",
    "ROAD_CRG_MPRO",
)  #: other sections; the last has map projections
#: Keys of places on the Earth, which do not move the road in its own axes.
GEODESY = frozenset(
    [f"REFERENCE_LINE_OFFSET_{axis}" for axis in ("X", "Y", "Z", "PHI")]
    + [f"REFERENCE_LINE_{end}_{axis}" for end in ("START", "END") for axis in ("LON", "LAT", "ALT")]
)
#: Options of messages, of searches and of tolerances of other programs.
OTHER_PROGRAMS = (
    frozenset({"WARN_MSGS", "WARN_CURV_LOCAL", "WARN_CURV_GLOBAL", "CHECK_INC", "CHECK_PRO", "CHECK_WGS"})
    | {f"LOG_{name}" for name in ("MSGS", "EVAL", "EVAL_FREQ", "HIST", "HIST_FREQ", "STAT", "STAT_FREQ")}
    | {f"REFLINE_SEARCH_{name}" for name in ("FAR", "CLOSE", "U", "UFRAC")}
)
OFFSETS = frozenset(f"REFLINE_OFFSET_{axis}" for axis in ("PHI", "X", "Y", "Z"))
REFERENCE_POINT = frozenset(f"REFPOINT_{axis}" for axis in ("X", "Y", "Z", "PHI")) | {
    f"REFPOINT_{axis}{kind}" for axis in ("U", "V") for kind in ("", "_FRACTION", "_OFFSET")
}
#: All keys that are known, by section.
KEYS: dict[str, frozenset[str]] = {
    ROAD: GEODESY
    | {f"REFERENCE_LINE_{end}_{name}" for end in ("START", "END") for name in ("U", "X", "Y", "Z", "PHI", "S", "B")}
    | {"REFERENCE_LINE_INCREMENT", "LONG_SECTION_V_RIGHT", "LONG_SECTION_V_LEFT", "LONG_SECTION_V_INCREMENT"},
    OPTIONS: OTHER_PROGRAMS
    | {"BORDER_MODE_U", "BORDER_MODE_V", "BORDER_OFFSET_U", "BORDER_OFFSET_V", "BORDER_SMOOTH_UBEG"}
    | {"BORDER_SMOOTH_UEND", "REFLINE_CONTINUATION", "CHECK_EPS", "CHECK_TOL"},
    MODIFIERS: OFFSETS
    | REFERENCE_POINT
    | {f"SCALE_{name}" for name in ("Z_GRID", "SLOPE", "BANKING", "LENGTH", "WIDTH", "CURVATURE")}
    | {"GRID_NAN_MODE", "GRID_NAN_OFFSET", "REFLINE_ROTCENTER_X", "REFLINE_ROTCENTER_Y"},
}
