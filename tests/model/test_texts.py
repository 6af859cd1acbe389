"""Texts of a model: texts that XML cannot hold are refused at once, all others arrive in the FMU's description."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.description import checked_description
from mbs_fmu.fmi.experiment import Experiment
from mbs_fmu.run.step_control import StepControl
from support.generators.invalid_values import simple

pytestmark = pytest.mark.quick
WORDS: dict[str, Callable[[mbs.Model, str], object]] = {
    "model": lambda m, text: mbs.Model("other", description=text),
    "description": lambda m, text: setattr(m, "description", text),
    "parameter": lambda m, text: m.parameter("new", 1.0, description=text),
    "input": lambda m, text: m.input("new", description=text),
    "state": lambda m, text: m.state("new", 1.0, description=text),
    "sampled": lambda m, text: m.sampled("new", 0.1, 1.0, description=text),
    "output": lambda m, text: m.output("new", mbs.coordinate("arm"), description=text),
}
UNWRITABLE = ("a\x07b", "\x00", "ab\x1b", "\x0b", "\ufffe", "\uffff", "\ud800", "\udfff", "\x1f")
WRITABLE = ("tab\tand\nlines\r", "\x7f\x85\xa0", "\ud7ff\ue000\ufffd", "\U0001f600", "<&>\"']]>", "&#7; %s \\ ?\x3f/")


@pytest.mark.parametrize("text", UNWRITABLE, ids=ascii)
@pytest.mark.parametrize("word", WORDS)
def test_texts_that_xml_cannot_hold_are_refused(word: str, text: str) -> None:
    """The ModelError has printable characters and names the text."""
    with pytest.raises(mbs.ModelError, match=r"has the character .* at place [123]: leave it out") as caught:
        WORDS[word](simple(), text)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("fmi", ["2.0", "3.0"])
@pytest.mark.parametrize("description", WRITABLE, ids=ascii)
def test_all_other_texts_arrive_in_the_description(description: str, fmi: str) -> None:
    """The description is valid and contains the text letter by letter."""
    m = mbs.Model("described", description=description)
    m.input("u", description=description)
    m.output("y", mbs.signal("u"), description=description)
    text = checked_description(
        compile_model(m), Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), 9), "test", "native", fmi
    )
    root = ET.fromstring(text.encode())
    descriptions = [root.get("description"), *(v.get("description") for v in root.iterfind("ModelVariables/*"))]
    assert descriptions.count(description) == 3


@pytest.mark.parametrize("name", ["a\x07b", "a\n", "a\x00", "\ud800", "ä", "a.b\n", "a b"])
def test_names_must_be_identifiers(name: str) -> None:
    """Names of signals, bodies and models are identifiers; the message has printable characters only."""
    for create in (
        lambda m: mbs.Model(name), lambda m: m.input(name), lambda m: m.body(name), lambda m: m.output(name, mbs.time),
        lambda m: m.event(name, mbs.time - 1.0), lambda m: m.parameter(name, 1.0), lambda m: m.state(name, 1.0),
    ):  # fmt: skip
        with pytest.raises(mbs.ModelError) as caught:
            create(simple())
        assert str(caught.value).replace("ä", "").isprintable()


def test_names_of_robot_files_become_printable(tmp_path: object) -> None:
    """A robot's file may have any name: its description has question marks for characters that XML cannot hold."""
    from pathlib import Path

    path = Path(str(tmp_path)) / "arm\x07.urdf"
    path.write_text('<robot name="arm"><link name="base"/></robot>')
    assert mbs.from_urdf(path).model.description == "from arm?.urdf"
