"""Systems of FMUs with Boolean, integer and enumeration variables: connections by type, engines, FMUs beside models."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from fmpy.ssp.ssd import read_ssd

import mbs_fmu as mbs
from mbs_fmu.cosimulation.description import Variable, lacking, renamed
from mbs_fmu.cosimulation.packages.container import unread
from mbs_fmu.cosimulation.system import System
from support.hosts.fmus import Builder

SPAN, STEP = 0.5, 1 / 128
PLACES = ("back", "neutral", "forth")
NAMES = ["driver.brake", "driver.gear", "driver.lever", "shuttle.place", "shuttle.count", "shuttle.direction"]


def driver() -> mbs.Model:
    """A controller: it brakes beyond 50 mm, counts gears up to 3, and reverses 16 samples later."""
    m = mbs.Model("driver", description="Controller with outputs of all types")
    place = m.input("place", unit="m", start=0.0)
    far = m.sampled("far", STEP, mbs.where(place > 0.05, 1.0, 0.0))
    waited = m.sampled("waited", STEP, lambda n: n + far)
    m.output("brake", far, kind="boolean")
    m.output("gear", m.sampled("fast", STEP, mbs.where(place > 0.01, 3, 1), start=1), kind="integer")
    m.output("lever", mbs.where(waited > 15.5, -1, 1), kind=PLACES, min=-1)
    return m


@pytest.fixture(scope="module")
def driver_fmu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mbs.export(driver(), tmp_path_factory.mktemp("driver") / "driver.fmu", "python", reference=False)


def driven(fmu: Builder, driver_fmu: Path) -> System:
    s = mbs.System("driven")
    s.add("driver", driver_fmu)
    s.add("shuttle", fmu("shuttle"))
    s.connect("shuttle.place", "driver.place")
    for name in ("brake", "gear", "lever"):
        s.connect(f"driver.{name}", f"shuttle.{name}")
    return s


def test_types_are_connected(fmu: Builder, driver_fmu: Path) -> None:
    """Boolean goes to Boolean, integer to integer, enumeration to enumeration; the shuttle brakes, and returns."""
    modes = ["shuttle.latch.mode", "shuttle.rub.mode"]
    run = driven(fmu, driver_fmu).run(SPAN, STEP, watch=[*NAMES, "shuttle.braked", *modes])
    assert run["shuttle.latch.mode"].min() == -1.0 and run["shuttle.latch.mode"].max() == 0.0
    assert set(run["driver.gear"]) == {1.0, 3.0} and set(run["driver.lever"]) == {-1.0, 1.0}
    assert run["shuttle.place"][-1] < run["shuttle.place"].max()
    assert {"driver.brake", "driver.gear", "driver.lever", "shuttle.direction", "shuttle.count", *modes} <= set(
        run.held
    )


def test_other_types_are_refused(fmu: Builder, driver_fmu: Path) -> None:
    """A connection of variables of two types is refused with a sentence."""
    s = mbs.System()
    s.add("driver", driver_fmu)
    s.add("shuttle", fmu("shuttle"))
    for source, target, kinds in (
        ("driver.brake", "shuttle.gear", ("boolean", "integer of 32 bits")),
        ("driver.lever", "shuttle.gear", ("enumeration", "integer of 32 bits")),
        ("shuttle.far", "driver.place", ("boolean", "real number")),
        ("shuttle.place", "shuttle.brake", ("real number", "boolean")),
    ):
        text = f"types differ or cannot be passed: '{source}' is of type {kinds[0]}, '{target}' of type {kinds[1]}"
        with pytest.raises(mbs.ArgumentError, match=text):
            s.connect(source, target)
    values = r"items are back \(-1\), neutral \(0\), forth \(1\)"
    for name, value, words in (
        ("lever", "forward", values), ("lever", 2, values), ("lever", 0.5, values),
        ("gear", 2.5, "give a whole number"),
        ("brake", "on", "give False or True"), ("brake", 0.5, "give False or True"),
    ):  # fmt: skip
        with pytest.raises(mbs.ModelError, match=rf"'shuttle\.{name}' is {value!r}: {words}"):
            s.set(f"shuttle.{name}", value)
    for name, value, number in (("lever", "back", -1), ("lever", 1.0, 1), ("brake", True, 1), ("gear", 2.0, 2)):
        s.set(f"shuttle.{name}", value)
        assert {slot.name: x for slot, x in s.elements["shuttle"].start}[name] == number


@pytest.mark.quick
def test_values_of_enumerations_are_compared() -> None:
    """A source with values that the input lacks is refused, in whichever order; other names are a note."""
    wide, narrow, other = enumeration("a", "b", "c", "d"), enumeration("a", "b"), enumeration("a", "x")
    unknown = enumeration()
    assert lacking(wide, narrow) == ["c (3)", "d (4)"] and not lacking(narrow, wide) and not lacking(wide, wide)
    assert renamed(wide, other) == ["2 is b and x"] and not renamed(wide, narrow)
    for v in (unknown, wide):
        assert not lacking(v, unknown) and not lacking(unknown, v) and not renamed(v, unknown)


def enumeration(*names: str) -> Variable:
    items = tuple((name, k) for k, name in enumerate(names, start=1))
    return Variable("v", 1, "Enumeration", "input", False, True, False, 1, 1.0, "1", None, None, items)


def test_connections_of_other_values(driver_fmu: Path, tmp_path: Path) -> None:
    """The comparison holds at `connect`; a run notes other names; a connection of two types names the remedies."""
    m = mbs.Model("car")
    for name, values in (("few", ("low", "high")), ("named", ("rear", "middle", "front"))):
        m.output(f"{name}_now", m.input(name, kind=values, min=-1))
    m.output("sped", m.input("speed", start=0.0))
    s = mbs.System()
    s.add("driver", driver_fmu)
    s.add("car", mbs.export(m, tmp_path / "car.fmu", "python", reference=False))
    with pytest.raises(mbs.ArgumentError, match=r"'car\.few' has no values forth \(1\) of 'driver\.lever': give both"):
        s.connect("driver.lever", "car.few")
    with pytest.raises(mbs.ArgumentError, match=r'give the input kind="boolean", or the output kind="real"$'):
        s.connect("driver.brake", "car.speed")
    s.connect("driver.lever", "car.named")
    note = "-1 is back and rear, 0 is neutral and middle, 1 is forth and front"
    (found,) = [x for x in s.run(STEP, STEP).statistics["notes"] if note in x]
    assert found.startswith("enumerations driver.lever and car.named name values differently")


@pytest.mark.parametrize("kind", ["python", pytest.param("native", marks=pytest.mark.slow)])
def test_types_in_libcosim(fmu: Builder, driver_fmu: Path, kind: str) -> None:
    """libcosim, which connects by type and has no enumerations, gives the same values of Booleans and integers."""
    if importlib.util.find_spec("libcosimpy") is None:
        pytest.skip("needs the package libcosimpy")
    if kind == "native":
        pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
    s = mbs.System("driven")
    s.add("driver", driver_fmu)
    s.add("shuttle", fmu("shuttle") if kind == "python" else fmu("shuttle", "rk4", "native"))
    s.connect("shuttle.place", "driver.place")
    for name in ("brake", "gear"):
        s.connect(f"driver.{name}", f"shuttle.{name}")
    watch = ["shuttle.place", "shuttle.far", "shuttle.count", "driver.gear", "driver.brake"]
    ours, run = (s.run(SPAN, STEP, watch=watch, engine=engine) for engine in (None, "libcosim"))
    assert run["driver.brake"].max() == 1.0
    for name in watch:
        assert np.abs(run[name] - ours[name]).max() <= 1e-9, name
    plain = s.run(STEP, STEP, engine="libcosim")
    assert "driver.gear" in plain.columns and "driver.lever" not in plain.columns
    assert "libcosim does not read driver.lever: the result has no column of it" in plain.statistics["notes"]
    with pytest.raises(mbs.ArgumentError, match=r"libcosim does not read 'driver\.lever': leave it out of watch="):
        s.run(SPAN, STEP, watch=["driver.lever"], engine="libcosim")
    s.connect("driver.lever", "shuttle.lever")
    with pytest.raises(
        mbs.ArgumentError, match=r"libcosim has no enumerations, and 'driver\.lever' is one: connect in"
    ):
        s.run(SPAN, STEP, watch=watch, engine="libcosim")


def test_packages_keep_types(fmu: Builder, driver_fmu: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """SSP packages have connectors with types and items, start values of Booleans and integers, and a warning."""
    s = driven(fmu, driver_fmu)
    s.set("shuttle.push", 4.0)
    path = s.export(tmp_path / "driven.ssp")
    assert "driven.ssp: FMPy starts the enumeration 'shuttle.lever' with 0, which its FMU may refuse" in caplog.text
    assert read_ssd(str(path)).name == "driven"  # checks by the schema
    with zipfile.ZipFile(path) as archive:
        root = ET.fromstring(archive.read("SystemStructure.ssd"))
    types = {
        (component.get("name"), connector.get("name")): [(x.tag.partition("}")[2], x.get("name")) for x in connector]
        for component in root.iterfind(".//{*}Component") for connector in component.iterfind(".//{*}Connector")
    }  # fmt: skip
    for element in ("driver", "shuttle"):
        assert types[element, "place"] == [("Real", None)]
        assert types[element, "brake"] == [("Boolean", None)] and types[element, "gear"] == [("Integer", None)]
        assert types[element, "lever"] == [("Enumeration", "driver.lever")]
    items = [(x.get("name"), int(x.get("value", ""))) for x in root.iterfind("{*}Enumerations/{*}Enumeration/{*}Item")]
    assert items == list(zip(PLACES, (-1, 0, 1), strict=True))
    read = mbs.System.read(path)
    ours, again = s.run(SPAN, STEP), read.run(SPAN, STEP)
    assert np.array_equal(again["shuttle.place"], ours["shuttle.place"])
    assert np.array_equal(again["driver.lever"], ours["driver.lever"])


def test_structures_without_enumerations(fmu: Builder, driver_fmu: Path, tmp_path: Path) -> None:
    """An OSP structure with an enumeration that is connected or started is refused; a container warns."""
    path = tmp_path / "OspSystemStructure.xml"
    text = r"libcosim has no enumerations, and '(driver|shuttle)\.lever' is one: connect integers and give no start"
    with pytest.raises(mbs.ArgumentError, match=text):
        driven(fmu, driver_fmu).export(path)
    s = mbs.System()
    s.add("shuttle", fmu("shuttle"), lever=1)
    with pytest.raises(mbs.ArgumentError, match=text):
        s.export(path)
    assert not path.exists()
    plain = mbs.System()
    plain.add("shuttle", fmu("shuttle"), gear=2, brake=True)
    text = "the container passes the enumeration 'shuttle.lever' as an integer from 0, which its FMU may refuse"
    system = driven(fmu, driver_fmu)
    assert list(unread(system._structure(None, None, None), "2.0")) == [text]
    assert not list(unread(plain._structure(None, None, None), "2.0"))
    assert '<Integer value="2"' in plain.export(path).read_text(encoding="utf-8")


def test_a_model_beside_a_typed_fmu(driver_fmu: Path) -> None:
    """Signals to and from an FMU beside a model have the types of its variables."""
    m = mbs.Model("cart")
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=2.0)
    names = ["brake", "gear", "lever"]
    given = m.fmu("driver", mbs.Fmu(driver_fmu), inputs={"place": mbs.coordinate(cart)}, outputs=names)
    m.motor("engine", on=cart, force=3.0 * given["gear"] * given["lever"] * (1 - given["brake"]))
    kinds = {name: (i.range.kind, i.range.items, i.start) for name, i in m.inputs.items()}
    assert kinds == {
        "driver.brake": ("boolean", (), 0.0), "driver.gear": ("integer", (), 0.0),
        "driver.lever": ("enumeration", PLACES, -1.0),
    }  # fmt: skip
    run = mbs.simulate(m, 0.25, output_interval=STEP)
    assert run["driver.gear"].max() == 3.0 and run["driver.brake"].max() == 1.0


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the package ziglang")
@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
def test_comparisons_reach_others_in_model_exchange(tmp_path: Path, fmi: str) -> None:
    """A Boolean that compares a state passes at the next communication point, and with an event at once."""
    watch = mbs.Model("watch")
    late = watch.input("late", kind="boolean", start=False)
    watch.output("since", watch.state("elapsed", rate=mbs.where(late > 0.5, 1.0, 0.0)))
    for is_event in (False, True):
        clock = mbs.Model("clock")
        x = clock.state("x", rate=1.0)
        clock.output("late", x > 0.503, kind="boolean")
        if is_event:
            clock.event("passes", x - 0.503)
        s = mbs.System("watched")
        for model in (clock, watch):
            path = tmp_path / f"{model.name}_{is_event}.fmu"
            s.add(model.name, mbs.export(model, path, "native", fmi=fmi, platforms="host", reference=False))
        s.connect("clock.late", "watch.late")
        run = s.run(1.0, 0.01, coupling="exchange")
        assert run["watch.since"][-1] == pytest.approx(0.497 if is_event else 0.49, abs=1e-9)
