"""Names of coefficients in tyre property files, and what uses each of them.

A name that gains an effect moves from WITHOUT_EFFECT to the names of the formula, in this file only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...infrastructure.errors import ModelError
from ...infrastructure.messages.suggestions import did_you_mean

#: Coefficients that change their sign between the left and the right mounting of a tyre: (T14) of docs/vehicles.md.
ODD = (
    "RHX1", "QSX1", "PEY3", "PHY1", "PHY2", "PVY1", "PVY2", "RBY3", "RVY1", "RVY2", "QBZ4", "QDZ3", "QDZ6", "QDZ7",
    "QEZ4", "QHZ1", "QHZ2", "SSZ1",
)  # fmt: skip
EVEN_IN_61 = ("QDZ3",)  #: those of ODD that multiply the absolute value of the inclination in version 6.1
#: Factors of the formula, 1 unless a file states them.
SCALES = (
    "LFZO", "LCZ", "LCX", "LMUX", "LEX", "LKX", "LHX", "LVX", "LCY", "LMUY", "LEY", "LKY", "LHY", "LVY", "LKYC", "LKZC",
    "LTR", "LRES", "LXAL", "LYKA", "LVYKA", "LS", "LSGKP", "LSGAL", "LMX", "LVMX", "LMY", "LMP",
    "LGAX", "LGAY", "LGAZ",
)  # fmt: skip
#: Coefficients of turn slip that files may omit, of the tyre in appendix 3 of Pacejka (2012).
TURN_SLIP = {
    "PDXP1": 0.4, "PKYP1": 1.0, "PDYP1": 0.4, "PHYP1": 1.0, "PHYP2": 0.15, "PHYP4": -4.0, "PECP1": 0.5, "QDTP1": 10.0,
    "QCRP1": 0.2, "QCRP2": 0.1, "QBRP1": 0.1, "QDRP1": 1.0,
}  # fmt: skip
#: Of carcasses whose file states none, 1/rad, over nominal load and radius: appendix 3 of the same.
YAW_STIFFNESS = 3.8
STANDARD_SPEED = 16.7  #: m/s, LONGVL of tyres that state none
#: Values of missing coefficients; all others are 0.
DEFAULTS = {"PKY4": 2.0, "QSY7": 1.0, "LONGVL": STANDARD_SPEED, "QRE0": 1.0} | TURN_SLIP | dict.fromkeys(SCALES, 1.0)
#: Those by which the formula divides.
NEEDED = (
    "UNLOADED_RADIUS",
    "FNOMIN",
    "PCX1",
    "PDX1",
    "PKX1",
    "PCY1",
    "PDY1",
    "PKY1",
    "PKY2",
)
#: Numbered coefficients, and the largest number of each: PDX1 to PDX3.
NUMBERED = {
    "PCX": 1, "PDX": 3, "PEX": 4, "PKX": 3, "PHX": 2, "PVX": 2, "PPX": 4, "PTX": 3, "RBX": 3, "RCX": 1, "REX": 2,
    "RHX": 1, "QSX": 14, "PPMX": 1, "PCY": 1, "PDY": 3, "PEY": 5, "PKY": 7, "PHY": 3, "PVY": 4, "PPY": 5, "PTY": 2,
    "RBY": 4, "RCY": 1, "REY": 2, "RHY": 2, "RVY": 6, "QSY": 8, "QBZ": 10, "QCZ": 1, "QDZ": 11, "QEZ": 5, "QHZ": 4,
    "PPZ": 2, "SSZ": 4, "QFZ": 3, "QV": 2, "PFZ": 1, "QCAM": 3, "QFYS": 3, "PCFX": 3, "PCFY": 3, "QRA": 2, "QRB": 2,
    "PDXP": 3, "PKYP": 1, "PDYP": 4, "PHYP": 4, "PECP": 2, "QDTP": 1, "QCRP": 2, "QBRP": 1, "QDRP": 2,
}  # fmt: skip
GAPS = ("QBZ7", "QBZ8", "QDZ5")  #: numbers that the formula skips
UNNUMBERED = (
    "FITTYP", "UNLOADED_RADIUS", "FNOMIN", "NOMPRES", "INFLPRES", "LONGVL", "VXLOW", "VERTICAL_STIFFNESS",
    "VERTICAL_DAMPING", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS", "YAW_STIFFNESS", "BREFF", "DREFF", "FREFF",
    "QRE0", "QFCX", "QFCY", "QCAM", "LMUV", "QFCY2", "WIDTH", "ASPECT_RATIO",
    "ELLIPS_SHIFT", "ELLIPS_LENGTH", "ELLIPS_HEIGHT", "ELLIPS_ORDER",
)  # fmt: skip
RANGES = ("KPUMIN", "KPUMAX", "ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX", "FZMIN", "FZMAX", "PRESMIN", "PRESMAX")
#: Names that have an effect.
KNOWN = frozenset(
    (*SCALES, *UNNUMBERED, *RANGES, *(f"{name}{k + 1}" for name, n in NUMBERED.items() for k in range(n)))
) - {*GAPS}
_LATER = ("Q_FCY2", "Q_CAM1", "Q_CAM2", "Q_CAM3", "Q_FYS1", "Q_FYS2", "Q_FYS3", "WIDTH", "ASPECT_RATIO")
_EARLIER = ("PHY3", "QBZ4", "PTX1", "PTX2", "PTX3", "PTY1", "PTY2", "LGAX", "LSGKP", "LSGAL")
#: Names of KNOWN that one version of the formula lacks, by the version.
LACKING = {
    52: (
        "PKY6", "PKY7", "PPY5", "QBZ6", "QDZ10", "QDZ11", *(f"QSX{k}" for k in range(4, 15)), "PPMX1", "QSY5", "QSY6",
        "QSY7", "QSY8", "Q_RE0", "Q_V1", "Q_V2", "Q_FZ2", "Q_FZ3", "Q_FCX", "Q_FCY", "Q_CAM", "PFZ1", "PCFX1",
        "PCFX2", "PCFX3", "PCFY1", "PCFY2", "PCFY3", *_LATER,
    ),
    61: (*_EARLIER, *_LATER),
    62: _EARLIER,
}  # fmt: skip
REPLACED = ("Q_FZ1", "Q_FZ2")  #: as VERTICAL_STIFFNESS, by a table of deflections and loads
SCALED = ("PFZ1", "LCZ")  #: factors of the stiffness, which such a table leaves to the influence of the inclination
#: Names that have an effect with an option only.
WITH_OPTIONS = {
    "turn_slip=True of m.tyre": (
        "PDXP1", "PDXP2", "PDXP3", "PKYP1", "PDYP1", "PDYP2", "PDYP3", "PDYP4", "PHYP1", "PHYP2", "PHYP3", "PHYP4",
        "PECP1", "PECP2", "QDTP1", "QCRP1", "QCRP2", "QBRP1", "QDRP1", "QDRP2", "LMP", "YAW_STIFFNESS",
    ),
    "envelope=True of m.tyre": (
        "ELLIPS_SHIFT", "ELLIPS_LENGTH", "ELLIPS_HEIGHT", "ELLIPS_ORDER", "Q_RA1", "Q_RA2", "Q_RB1", "Q_RB2",
    ),
}  # fmt: skip
#: Names without effect on m.tyre and Tyre.forces, by what they describe.
WITHOUT_EFFECT = {
    "the cams are sampled as envelope= states": (
        "ELLIPS_MAX_STEP", "ELLIPS_NWIDTH", "ELLIPS_NLENGTH", "ENV_C1", "ENV_C2", "Q_A1", "Q_A2", "Q_LBF", "Q_LOS1",
        "Q_LOS2", "Q_LIMP1", "Q_LIMP3", "Q_LIMP4",
    ),
    "the belt is rigid": (
        "BELT_MASS", "BELT_IXX", "BELT_IYY", "GRAVITY", "FREQ_LONG", "FREQ_LAT", "FREQ_YAW", "FREQ_WINDUP", "DAMP_LONG",
        "DAMP_LAT", "DAMP_YAW", "DAMP_WINDUP", "DAMP_RESIDUAL", "DAMP_VLOW", "Q_BVX", "Q_BVT", "M_B", "I_BY", "I_BXZ",
        "C_GRV", "C_BX0", "C_RX", "C_BT0", "C_BY", "C_RY", "C_BGAM", "C_RP", "K_BX", "K_BT", "K_BY", "K_BGAM", "MBELT",
    ),
    "the rim does not touch the road": ("BOTTOM_OFFST", "BOTTOM_STIFF"),
    "crown= of m.tyre gives the cross-section": ("MC_CONTOUR_A", "MC_CONTOUR_B"),
    "the vertical law of PAC2002 is a constant stiffness": (
        "QFCX1", "QFCY1", "QFCG", "QFCG1", "QFCG2", "QPFZ1", "DYNAMIC_STIFFNESS", "DYNAMIC_DAMPING",
    ),
    "the damping of the carcass is that near standstill": (
        "LONGITUDINAL_DAMPING", "LATERAL_DAMPING", "YAW_DAMPING",
    ),
    "YAW_STIFFNESS depends on no pressure": ("PCMZ1",),
    "the size of the rim enters no force": ("RIM_RADIUS", "RIM_WIDTH"),
    "mass and inertia are those of the wheel's body": ("MASS", "IXX", "IYY", "IZZ"),
    "the gyroscopic torque is that of the wheel's body": ("QTZ1", "LGYR"),
    "the formula does not use obsolete coefficients": (*GAPS, "PCY2", "PTY3", "LKC", "LCC", "LEC"),
    "they are settings of other programs": (
        "USE_MODE", "MFSAFE1", "MFSAFE2", "MFSAFE3", "ROAD_INCREMENT", "ROAD_DIRECTION", "HMAX_LOCAL",
        "TIME_SWITCH_INTEG", "SWITCH_INTEG", "USER_SUB_ID", "N_TIRE_STATES",
    ),
}  # fmt: skip
NEUTRAL = {"QRE0": 1.0, "QSY7": 1.0}  #: values that change nothing, other than zero
OTHER_SCALES = ("LGYR", "LKC", "LCC", "LEC")  #: factors of what is without effect
METADATA = ("FILE_VERSION",)  #: numbers that describe a file


def canonical(name: str) -> str:
    """Return the name of a coefficient in upper case; LFZ0 is another name of LFZO, and Q_RE0 one of QRE0."""
    name = name.upper().replace("LFZ0", "LFZO")
    return name.replace("_", "", 1) if name.startswith("Q_") else name


_OTHERS = {*METADATA} | {
    canonical(name) for group in (WITHOUT_EFFECT, WITH_OPTIONS) for names in group.values() for name in names
}


def without_effect(names: Iterable[str]) -> list[str]:
    """Return a sentence about each name that is not one of a coefficient, with similar names."""
    return [
        f"no coefficient of the formula is named {name!r}{did_you_mean(canonical(name), KNOWN)}"
        for name in names
        if canonical(name) not in KNOWN
    ]


def require_known(names: Iterable[str], thing: str) -> None:
    """Raise ModelError for names of coefficients that are similar to one of the formula, each with what was meant."""
    unknown = [name for name in names if canonical(name) not in _OTHERS]
    misspelt = [sentence for sentence in without_effect(unknown) if "did you mean" in sentence]
    if misspelt:
        raise ModelError(f"{thing}: {'; '.join(misspelt)}: leave out coefficients that the formula does not use")


def ignored(values: Mapping[str, float], version: int, has_curve: bool) -> Iterator[str]:
    """Yield a note for each reason for which numbers by canonical name have no effect; neutral numbers have no note.

    version: 52, 61 or 62. has_curve: a table of deflections and loads replaces the stiffness.
    """
    wide = "WIDTH" in LACKING[version] and any(values.get(name) for name in ("QRB1", "QRB2"))  # that of cams
    for option, names in WITH_OPTIONS.items():
        width = ("WIDTH",) if wide and "Q_RB1" in names else ()
        yield from _note(f"with {option} only", _stated(values, (*names, *width)))
    if has_curve:
        inclined = version != 52 and values.get("QCAM", 0.0) + values.get("QFZ3", 0.0) != 0.0
        names = REPLACED if inclined else REPLACED + SCALED
        replaced = [name for name in names if name not in LACKING[version]]
        yield from _note("without effect, since [DEFLECTION_LOAD_CURVE] replaces them", _stated(values, replaced))
    lacking = f"version {version / 10:g} of the formula does not use them"
    lacked = tuple(name for name in LACKING[version] if not wide or name != "WIDTH")
    for reason, names in {lacking: lacked, **WITHOUT_EFFECT}.items():
        yield from _note(f"without effect, since {reason}", _stated(values, names))
    rest = [f"{name}{did_you_mean(name, KNOWN)}" for name in values if name not in KNOWN and name not in _OTHERS]
    yield from _note("without effect, since the formula has no coefficients of these names", rest)


def _stated(values: Mapping[str, float], names: Iterable[str]) -> list[str]:
    """Return the names with numbers that would change something where they have an effect."""
    return [name for name in names if _has_effect(values, canonical(name))]


def _has_effect(values: Mapping[str, float], name: str) -> bool:
    """True if a number would change something where its name has an effect."""
    if name in (*SCALES, *OTHER_SCALES):
        return values.get(name, 1.0) != 1.0
    return values.get(name, 0.0) not in (0.0, NEUTRAL.get(name, 0.0))


def _note(reason: str, names: list[str]) -> Iterator[str]:
    if names:
        yield f"{reason}: {', '.join(names)}"
