"""Names of coefficients: each one that is declared to have an effect changes a result, and no other does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

import mbs_fmu as mbs
from mbs_fmu.model.tyres.keys import (
    KNOWN,
    LACKING,
    OTHER_SCALES,
    RANGES,
    SCALES,
    WITH_OPTIONS,
    WITHOUT_EFFECT,
    canonical,
)
from mbs_fmu.model.tyres.vertical import Motion
from mbs_fmu.symbolic.expressions import as_expression
from mbs_fmu.symbolic.graph import evaluate
from support.models.tyres import CAR_TYRE

#: Coefficients of the formula with values other than zero and than their defaults.
FULL: dict[str, float] = {
    **{name: 0.013 + 0.0007 * k for k, name in enumerate(sorted(KNOWN - {*SCALES}))},
    **{name: 0.9 + 0.001 * k for k, name in enumerate(SCALES)},
    **CAR_TYRE,
    "PKY4": 1.9, "QSY7": 0.85, "QRE0": 0.99, "LONGVL": 15.0, "VXLOW": 1.0, "NOMPRES": 2e5, "INFLPRES": 2.3e5,
    "LONGITUDINAL_STIFFNESS": 3e5, "LATERAL_STIFFNESS": 2e5, "RHX1": 0.02, "QSX6": 1.2, "QSX7": 0.8, "QSX8": 0.7,
    "QSX9": 0.9, "QSX11": 1.1, "QFZ2": 15.0, "QFZ1": 13.0,
}  # fmt: skip
for _name in RANGES:
    FULL.pop(_name, None)


def results(numbers: dict[str, float]) -> list[float]:
    """Return forces, relaxation lengths, loads and radii of a tyre at some slips."""
    tyre = mbs.Tyre(numbers)
    found = [tyre.low_speed]
    for row in ((5200.0, 0.05, 0.04, 0.03), (3100.0, -0.07, -0.06, -0.05)):
        found += dataclasses.astuple(tyre.forces(*row, speed=20.0))
        one = as_expression(1.0)
        along, across, _ = tyre.relaxation(as_expression(row[0]), as_expression(row[3]), one)
        motion = Motion(as_expression(50.0), as_expression(row[3]))
        vertical = tyre.vertical
        load = vertical.force(as_expression(0.01), as_expression(0.3), motion)
        loaded = as_expression(0.33)
        pressed = vertical.compression(loaded, motion)
        share = vertical.share(load, pressed, loaded, motion, as_expression(900.0), as_expression(-700.0))
        radius = vertical.effective_radius(as_expression(row[0]), motion.omega)
        found += [float(evaluate(as_expression(x), {})) for x in (along, across, load, pressed, share, radius)]
    return found


def changed(numbers: dict[str, float], name: str) -> bool:
    """True if a result depends on a number."""
    value = numbers.get(name, 0.0)
    return results(numbers | {name: value * 1.2 + 0.001}) != results(numbers)


@pytest.mark.slow
@pytest.mark.parametrize("version", [52, 61, 62])
def test_declared_effects_are_those_of_the_formula(version: int) -> None:
    """In each version, all known names but those that it lacks change a result; ranges have tests of their own."""
    numbers = FULL | {"FITTYP": version}
    replaced = {"VERTICAL_STIFFNESS", "QFZ2"} if version == 52 else set()  # by QFZ1
    replaced |= {*WITH_OPTIONS["turn_slip=True of m.tyre"]}
    replaced |= {canonical(name) for name in WITH_OPTIONS["envelope=True of m.tyre"]}
    numbers = {name: value for name, value in numbers.items() if name not in replaced or version > 52}
    for name in KNOWN - {*RANGES, "FITTYP"} - replaced:
        effect = changed(numbers, name) or changed(numbers | {"PTX1": 0.0, "PTY1": 0.0}, name)
        assert effect == (name not in map(canonical, LACKING[version])), name


@pytest.mark.quick
@pytest.mark.parametrize("version", [52, 61, 62])
def test_a_version_ignores_what_it_lacks(version: int) -> None:
    """Changes of all these numbers at once change no result, and each has a note."""
    numbers = FULL | {"FITTYP": version}
    lacking = {canonical(name): 0.37 for name in LACKING[version]}
    assert results(numbers | lacking) == results(numbers)
    noted = "\n".join(mbs.Tyre(numbers | lacking).notes)
    assert all(name in noted for name in LACKING[version])


@pytest.mark.quick
def test_every_known_coefficient_is_read() -> None:
    """The known names are those that the modules of the formula read."""
    folder = Path(mbs.__file__).parent / "model" / "tyres"
    text = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert {*re.findall(r"\bc\.([A-Z][A-Z0-9_]+)", text), "FITTYP", "INFLPRES", *RANGES} == KNOWN


@pytest.mark.quick
def test_names_without_effect_have_none() -> None:
    """Each has one reason, and none of them changes a result."""
    names = [canonical(name) for group in WITHOUT_EFFECT.values() for name in group]
    assert len(names) == len(set(names)) and not KNOWN & set(names)
    base = FULL | {"FITTYP": 62}
    assert results(base | dict.fromkeys(names, 0.7)) == results(base)
    noted = "\n".join(mbs.Tyre(base | dict.fromkeys(names, 0.7)).notes)
    for group in WITHOUT_EFFECT.values():
        for name in group:
            assert name in noted, name
    assert set(OTHER_SCALES) <= set(names)


@pytest.mark.quick
def test_each_number_has_one_note() -> None:
    """Numbers that need an option, those of a version, those without effect, and names that are none."""
    others = [name for group in (WITH_OPTIONS, WITHOUT_EFFECT) for names in group.values() for name in names]
    notes = mbs.Tyre(CAR_TYRE | dict.fromkeys([*others, *LACKING[52], "PROFILE"], 0.7)).notes
    noted = [name for note in notes if "with" in note for name in note.split(": ")[1].split(", ")]
    assert sorted(noted) == sorted([*others, *LACKING[52], "PROFILE"])


@pytest.mark.quick
@pytest.mark.parametrize("version", [61, 62])
def test_the_width_has_an_effect(version: int) -> None:
    """It sets the width of cams, in 6.2 also the load of an inclined wheel."""
    cams = {"ELLIPS_LENGTH": 1.0, "ELLIPS_HEIGHT": 1.0, "ELLIPS_ORDER": 1.6, "ELLIPS_SHIFT": 0.8, "Q_RA1": 0.7}
    tyre = mbs.Tyre(CAR_TYRE | cams | {"FITTYP": version, "Q_RB1": 1.0, "WIDTH": 0.2})
    assert tyre.cams().width > 0.0
    noted = [note for note in tyre.notes if "WIDTH" in note]
    assert [note.split(":")[0] for note in noted] == ["with envelope=True of m.tyre only"] * (version == 61)


@pytest.mark.quick
def test_estimates_of_turn_slip_have_a_note() -> None:
    """It lists those that the coefficients do not state; a tyre without QDZ8 has no turn slip."""
    numbers = CAR_TYRE | {"FITTYP": 61, "QDZ8": -0.1, "PDXP1": 0.3}
    (note,) = (note for note in mbs.Tyre(numbers).notes if "estimated" in note)
    assert note.startswith("with turn_slip=True of m.tyre, estimated by") and "QCRP1 0.2" in note
    assert note.endswith("YAW_STIFFNESS 3.8 FNOMIN UNLOADED_RADIUS") and "PDXP1" not in note
    assert not any("estimated" in note for note in mbs.Tyre(numbers | {"QDZ8": 0.0}).notes)
