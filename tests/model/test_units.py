"""Units: their composition, and numbers with a unit."""

from __future__ import annotations

import math
import random
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.elements import add_units
from mbs_fmu.symbolic.units import DISPLAY, EVERY, UNITS, Unit, in_unit, rate_unit, unit_of

pytestmark = pytest.mark.quick

BASE = ("kg", "m", "s", "A", "K", "rad")
#: Units with names of their own, by the definitions of the SI brochure (9th edition, table 4).
SI = {
    "Hz": "1/s", "N": "kg.m/s2", "Pa": "N/m2", "J": "N.m", "W": "J/s", "C": "A.s", "V": "W/A", "F": "C/V", "Ohm": "V/A",
    "Wb": "V.s", "T": "Wb/m2", "H": "Wb/A",
}  # fmt: skip


def exponents(name: str) -> np.ndarray:
    """Return the exponents of a unit read from its name: factors by dots, each divisor behind its own slash, powers as
    digits.
    """
    if name in SI:
        return exponents(SI[name])
    if name in BASE:
        return np.array([name == base for base in BASE], dtype=int)
    if name in ("1", "%"):
        return np.zeros(len(BASE), dtype=int)
    if name == "degC":
        return exponents("K")
    first, *divisors = name.split("/")
    if divisors:
        return exponents(first) - sum(exponents(d) for d in divisors)
    if "." in name:
        return sum((exponents(factor) for factor in name.split(".")), start=np.zeros(len(BASE), dtype=int))
    return int(name[-1]) * exponents(name[:-1])


@pytest.mark.parametrize("name", UNITS)
def test_exponents_of_units_follow_from_their_names(name: str) -> None:
    """All but two units are coherent."""
    assert np.array_equal(UNITS[name].exponents, exponents(name))
    scale = {"%": (0.01, 0.0), "degC": (1.0, 273.15)}.get(name, (1.0, 0.0))
    assert (UNITS[name].factor, UNITS[name].offset) == scale


@pytest.mark.parametrize("name", EVERY)
def test_fmu_units_have_exponents_factor_and_offset(name: str) -> None:
    """The element of FMI has the nonzero exponents, and factor and offset unless they are one and zero."""
    root = ET.Element("fmi")
    add_units(root, [SimpleNamespace(unit=name)])  # type: ignore[list-item]
    (unit,) = root.iter("Unit")
    base = unit.find("BaseUnit")
    assert base is not None and unit.get("name") == name
    attributes = {key: float(value) for key, value in base.attrib.items()}
    own = unit_of(name)
    assert own is not None and tuple(attributes.pop(key, 0) for key in BASE) == own.exponents
    assert (attributes.pop("factor", 1.0), attributes.pop("offset", 0.0)) == (own.factor, own.offset)
    assert not attributes


def test_signals_may_have_any_unit() -> None:
    """Parameters, inputs, states and outputs accept all units; names of their rates are known if the table has them."""
    m = mbs.Model("motor")
    for k, unit in enumerate(EVERY):
        p = m.parameter(f"p{k}", 1.0, unit=unit)
        u = m.input(f"u{k}", unit=unit)
        m.state(f"z{k}", rate=p * u, unit=unit)
        m.output(f"y{k}", p + u, unit=unit)
    variables = compile_model(m).variables
    assert {v.unit for v in variables if v.role == "output"} == set(EVERY)
    assert (rate_unit("V"), rate_unit("K"), rate_unit("degC"), rate_unit("C"), rate_unit("%"), rate_unit("J")) == (
        "V/s", "K/s", "K/s", "A", None, "W",
    )  # fmt: skip
    known = {"mm": "mm/s", "deg": "deg/s", "rev": "rev/s", "deg/s": "deg/s2", "bar": "bar/s", "kN/mm": "kN/mm/s"}
    assert [rate_unit(x) for x in known] == [*known.values()]
    with pytest.raises(mbs.ModelError, match=r"output 'y': its unit must be text such as 'N/m', not \['V'\]"):
        m.output("y", 1.0, unit=["V"])  # type: ignore[arg-type]


PREFIX = {"G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "d": 1e-1, "c": 1e-2, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12}
#: Multiples of SI units: their factors (SI brochure, table 8; a turn is 2 pi).
OTHERS = {
    "g": ("kg", 1e-3), "t": ("kg", 1e3), "l": ("m3", 1e-3), "bar": ("Pa", 1e5), "min": ("s", 60.0), "h": ("s", 3600.0),
    "deg": ("rad", math.pi / 180), "rev": ("rad", 2 * math.pi), "rpm": ("rad/s", math.pi / 30),
}  # fmt: skip


def drawn(number: int) -> tuple[str, np.ndarray, float]:
    """Return a random unit of up to three factors and three divisors, its exponents and its factor to SI units."""
    draw = random.Random(number)
    expected, factor, parts = np.zeros(len(BASE), dtype=int), 1.0, ([], [])
    for place, sign in [(0, 1)] * draw.randint(1, 3) + [(1, -1)] * draw.randint(0, 3):
        name = draw.choice([*BASE, *SI, *OTHERS])
        prefix = draw.choice(["", *PREFIX]) if name not in ("kg", "t", "min", "h", "deg", "rev", "rpm") else ""
        power = draw.choice([1, 1, 2, 3])
        coherent, size = OTHERS.get(name, (name, 1.0))
        expected += sign * power * exponents(coherent)
        factor *= (PREFIX.get(prefix, 1.0) * size) ** (sign * power)
        parts[place].append(f"{prefix}{name}{power if power > 1 else ''}")
    return "/".join([".".join(parts[0]), *parts[1]]), expected, factor


@pytest.mark.parametrize("number", range(100))
def test_products_and_quotients_of_units_are_units(number: int) -> None:
    """Exponents and factor of a product are those of its parts, with prefixes; numbers are read into SI units and back;
    its rate is one over a second; an FMU defines it.
    """
    name, expected, factor = drawn(number)
    unit = unit_of(name)
    assert unit is not None and unit.offset == 0.0 and np.array_equal(unit.exponents, expected)
    assert unit.factor == pytest.approx(factor, rel=1e-14)  # some twenty roundings of the factors
    above = ".".join(base for base, x in zip(BASE, expected) for _ in range(x)) or "1"
    coherent = above + "".join(f"/{base}" for base, x in zip(BASE, expected) for _ in range(-x))
    assert unit_of(coherent) == Unit(*expected)
    in_si = in_unit(f"3.7 {name}", coherent, "x")
    assert in_si == pytest.approx(3.7 * factor, rel=1e-14)
    assert in_unit(f"{in_si!r} {coherent}", name, "x") == pytest.approx(3.7, rel=1e-15)
    rate = unit_of(str(rate_unit(name)))
    assert rate is not None and rate == unit._replace(s=unit.s - 1)
    test_fmu_units_have_exponents_factor_and_offset(name)


#: Texts that engineers write, and their values in SI units.
WRITTEN = {
    "kN/m": 1e3, "kN/mm": 1e6, "N/um": 1e6, "N.mm": 1e-3, "N.mm/rad": 1e-3, "kN.m/deg": 180e3 / math.pi,
    "l/min": 1e-3 / 60, "ml": 1e-6, "cm3": 1e-6, "cm3/rev": 1e-6 / (2 * math.pi), "MW": 1e6, "mbar": 100.0, "GPa": 1e9,
    "N/mm2": 1e6, "g/cm3": 1e3, "kg.cm2": 1e-4, "mrad": 1e-3, "kW.h": 3.6e6, "V/rpm": 30 / math.pi, "J/kg/K": 1.0,
    "N.m/s": 1.0,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_engineering_units_have_exact_factors(name: str) -> None:
    """Powers of ten are as exact as possible, pi takes a rounding or two."""
    unit = unit_of(name)
    assert unit is not None and unit.factor == pytest.approx(
        WRITTEN[name], rel=4e-16 if "r" in name or "d" in name else 0
    )


SPELT = {
    "N*m": "N.m", "N·m": "N.m", "m^2": "m2", "m²": "m2", "°/s": "deg/s", "µm": "um", "kΩ": "kOhm", "L/min": "l/min",
    "Nm": "N.m", "Nms/rad": "N.m.s/rad", "RPM": "rpm", "KN": "kN",
}  # fmt: skip


@pytest.mark.parametrize("name", SPELT)
def test_other_spellings_are_suggested(name: str) -> None:
    """Spellings of other programs are refused with the valid one as a suggestion."""
    with pytest.raises(mbs.ModelError, match=rf"unknown unit '.*' .did you mean .*'{SPELT[name]}'"):
        mbs.Model("m").input("u", unit=name)


@pytest.mark.parametrize(
    "name", ["", ".", "/", "N.", "1/", "m1", "m10", "m.2", "%/s", "degC/s", "ukg", "kmin", "N/(m)", "N/m.s"]
)
def test_invalid_unit_names_are_refused(name: str) -> None:
    """Names with unknown parts are refused, and so is a product behind a slash, which has two meanings."""
    assert unit_of(name) is None


CLOSED_FORMS = {  # texts and their values in SI units
    "30 deg": math.pi / 6, "-.5e1deg": -math.pi / 36, " 90 deg ": math.pi / 2, "2 rev": 4 * math.pi, "0.1 rad": 0.1,
    "1500 rpm": 50 * math.pi, "1500 rev/min": 50 * math.pi, "6 deg/s": math.pi / 30, "20 mm": 0.02, "5 g": 0.005,
    "36 km/h": 10.0, "2 mm/rev": 1e-3 / math.pi, "3 N/mm": 3000.0, "1 N.m/deg": 180 / math.pi, "20 degC": 293.15,
    "1.5 kN": 1500.0, "2 bar": 2e5, "12 mV": 0.012, "50 %": 0.5, "1 min": 60.0,
}  # fmt: skip


@pytest.mark.parametrize("text", CLOSED_FORMS)
def test_texts_with_units_are_read_in_si_units(text: str) -> None:
    """Each text becomes a number in the SI unit of its kind; other values stay as they are."""
    unit = EVERY[text.strip().lstrip("-+.e0123456789 ")]
    coherent = next(name for name, candidate in UNITS.items() if candidate == Unit(*unit.exponents))
    assert in_unit(text, coherent, "x") == pytest.approx(CLOSED_FORMS[text], rel=4e-16)
    assert in_unit(1.5, coherent, "x") == 1.5


WRONG = ["30", "deg", "30 degrees", "30 mm", "1e deg", "1.2.3 deg", "nan deg", "1 2 deg", "", "0x1 deg", "1edeg"]


@pytest.mark.parametrize("wrong", WRONG)
def test_texts_with_other_units_are_refused(wrong: str) -> None:
    """The message gives the expected unit and valid alternatives."""
    message = r"angle is .*: give a number in rad, or a text.*'rad', 'deg', 'rev'$"
    with pytest.raises(mbs.ModelError, match=message):
        in_unit(wrong, "rad", "angle")


def test_conversions_between_units_are_inverse() -> None:
    """Conversion to any unit of the same kind and back gives the number; displayed numbers equal the original ones."""
    for name, unit in EVERY.items():
        assert in_unit(f"3.7 {name}", name, "x") == 3.7
        for other in (n for n, u in EVERY.items() if u.exponents == unit.exponents):
            x = in_unit(f"3.7 {name}", other, "x")
            back = (x * EVERY[other].factor + EVERY[other].offset - unit.offset) / unit.factor
            assert back == pytest.approx(3.7, rel=1e-12)  # 273.15 costs two digits
    for name, (displayed, factor) in DISPLAY.items():
        assert in_unit(f"1 {displayed}", name, "x") * factor == pytest.approx(1.0, rel=4e-16)


def mechanism(texts: bool) -> mbs.Model:
    """Return a mechanism with all its numbers in SI units, or as texts."""

    def x(number: float, text: str) -> object:
        return text if texts else number

    deg = math.pi / 180
    m = mbs.Model("described", gravity=(0, 0, x(-9.81, "-9.81 m/s2")))
    at = mbs.Pose((x(0.2, "200 mm"), 0, 0))
    arm = m.body(
        "arm", joint=mbs.Screw("z", x(0.005 / (2 * math.pi), "5 mm/rev")), mass=x(0.5, "500 g"),  # type: ignore[arg-type]
        com=(x(0.1, "10 cm"), 0, 0), inertia=(0.1, x(0.2, "0.2 kg.m2"), 0.1), at=at,
    )  # fmt: skip
    hand = m.body("hand", arm, mbs.Compound(mbs.slide("x"), mbs.turn("y")), mass=1.0, inertia=(1, 1, 1))
    ball = m.body("ball", arm, mbs.Spherical(), mass=1.0, inertia=(1, 1, 1))
    m.start(arm, q=x(30 * deg, "30 deg"), u=x(2 * math.pi, "60 rpm"))
    m.start(hand, q=(x(0.01, "10 mm"), x(-0.25 * math.pi, "-45 deg")), u=(0, x(deg, "1 deg/s")))
    limit = m.parameter("limit", x(90 * deg, "90 deg"), unit="rad", max=x(math.pi, "180 deg"))  # type: ignore[arg-type]
    m.input("voltage", unit="V", start=x(0.012, "12 mV"))  # type: ignore[arg-type]
    m.state("heat", rate=0.0, start=x(293.15, "20 degC"), unit="K")  # type: ignore[arg-type]
    m.set_parameter("limit", x(80 * deg, "80 deg"))  # type: ignore[arg-type]
    m.limit("stop", on=arm, lower=x(-20 * deg, "-20 deg"), upper=limit, stiffness=x(180 / math.pi, "1 N.m/deg"))
    m.limit("end", on=hand, coordinate=1, lower=x(-0.02, "-2 cm"), stiffness=x(5000.0, "5 N/mm"))
    m.spring("turned", on=hand, coordinate=2, stiffness=2.0, length=x(10 * deg, "10 deg"))
    m.spring("line", "world", arm, at_a=(0, 0, x(1.0, "100 cm")), stiffness=3.0, length=x(0.3, "300 mm"))
    m.rotational_spring("twist", "world", ball, stiffness=1.0, angle=x(15 * deg, "15 deg"))
    m.bushing("mount", arm, hand, stiffness=x(2000.0, "2 N/mm"))
    m.motor("drive", on=arm, torque=x(0.02, "20 mN.m"))
    m.friction("rub", on=ball, coordinate=2, torque=1.0, speed=x(deg, "1 deg/s"))
    m.drag("air", on=hand, linear=1.0, velocity=(x(10.0, "36 km/h"), 0, 0))
    m.sampled("held", x(0.005, "5 ms"), 1.0, offset=x(0.001, "1 ms"))
    m.output("tip", mbs.position(hand, (x(0.1, "100 mm"), 0, 0)), unit="m")
    return m


def test_texts_with_units_give_the_same_program_as_numbers() -> None:
    """A model accepts texts everywhere: the kernels' text is the same, and numbers agree up to the rounding of the
    conversion.
    """
    plain, texts = compile_model(mechanism(False)), compile_model(mechanism(True))
    assert plain.text == texts.text
    assert np.allclose(plain.record, texts.record, rtol=4e-15, atol=0)
    limit = next(v for v in texts.variables if v.name == "limit")
    assert limit.high == pytest.approx(math.pi, rel=4e-16)


def test_wrong_units_are_refused_at_once() -> None:
    """The message names the thing, the text and the expected unit."""
    m = mbs.Model("test")
    arm = m.body("arm", joint=mbs.Universal(), mass=1.0, inertia=(1, 1, 1))
    for call, message in (
        (lambda: m.start(arm, q=("30 deg", "3 mm")), "start q of body 'arm', number 2, is '3 mm'.*in rad"),
        (lambda: m.start(arm, u=("30 deg", 0)), "start u of body 'arm', number 1, is '30 deg'.*in rad/s"),
        (lambda: m.body("b", mass="3 N"), "mass of body 'b' is '3 N'.*in kg"),
        (lambda: m.motor("d", on=arm, coordinate=1, torque="3 N"), "law of motor 'd' is '3 N'.*in N.m"),
        (lambda: m.parameter("p", "30 deg"), "parameter 'p' must be a number, not the text '30 deg'"),
        (
            lambda: m.parameter("p", "30 mm", unit="deg"),
            "parameter 'p' is '30 mm': give a number in deg, or a text.*'rad', 'deg', 'rev'$",
        ),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            call()
