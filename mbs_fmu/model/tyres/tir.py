"""Tyre property files (.tir): keys with dimensions and the tables that are read."""

from __future__ import annotations

from pathlib import Path

from ..property_files import PropertyFile, PropertyFormat, read_property_file

CURVE = "DEFLECTION_LOAD_CURVE"  #: section with a table of deflection and load
TIR = PropertyFormat(
    "tyre",
    dimensions={
        **{key: {"LENGTH": 1} for key in ("UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "RIM_WIDTH")},
        **{key: {"FORCE": 1} for key in ("FNOMIN", "FZMIN", "FZMAX")},
        **{f"{name}_STIFFNESS": {"FORCE": 1, "LENGTH": -1} for name in ("VERTICAL", "LONGITUDINAL", "LATERAL")},
        "YAW_STIFFNESS": {"FORCE": 1, "LENGTH": 1, "ANGLE": -1},
        "VERTICAL_DAMPING": {"FORCE": 1, "LENGTH": -1, "TIME": 1},
        "Q_CAM1": {"LENGTH": -1},
        "Q_CAM2": {"LENGTH": -2},
        **{key: {"FORCE": 1} for key in ("Q_FYS1", "Q_FYS2", "Q_FYS3")},
        **{key: {"LENGTH": 1, "TIME": -1} for key in ("LONGVL", "VXLOW")},
        **{key: {"ANGLE": 1} for key in ("ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX")},
        **{key: {"PRESSURE": 1} for key in ("INFLPRES", "NOMPRES", "PRESMIN", "PRESMAX")},
        **{key: {"MASS": 1} for key in ("MASS", "BELT_MASS")},
    },
    tables={CURVE: ("deflection", "load"), "SHAPE": (), "BOTTOMING_CURVE": ()},
)


def read_tir(path: str | Path) -> PropertyFile:
    """Return the contents of a tyre property file, in SI units. Raises ModelError as `read_property_file`."""
    return read_property_file(path, TIR)


def deflection_load_curve(file: PropertyFile) -> tuple[tuple[float, float], ...]:
    """Return the rows (deflection, m; load, N) of section [DEFLECTION_LOAD_CURVE]."""
    return tuple((x * file.units["LENGTH"], f * file.units["FORCE"]) for x, f in file.tables.get(CURVE, ()))
