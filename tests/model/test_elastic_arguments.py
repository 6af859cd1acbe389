"""Mistakes in elastic bodies: each message names the body, the number and the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.compile.build import compile_model
from mbs_fmu.model.items import Body
from mbs_fmu.model.model import Model

pytestmark = pytest.mark.quick

ROD = mbs.beam(
    1.0, mbs.Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=2, along="z", nodes={"root": 0.0, "tip": 1.0}, elements=4
)
JOINT = mbs.Revolute("y")


def crane(**arguments: Any) -> tuple[Model, Body]:
    """Return a model with a boom on a hinge beside a rigid arm."""
    m = Model("crane")
    m.body("arm", joint=JOINT, mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    return m, m.body("boom", **{"joint": JOINT, "elastic": ROD, **arguments})


def refused(what: Callable[[], object], message: str) -> None:
    with pytest.raises(mbs.ModelError, match="^" + re.escape(message) + "$"):
        what()


BODIES: dict[str, tuple[dict[str, Any], str]] = {
    "mass": ({"mass": 1.0}, "body 'boom': its mass follows from elastic: leave mass out"),
    "com": ({"com": (1, 0, 0)}, "body 'boom': its com follows from elastic: leave com out"),
    "inertia": ({"inertia": (1, 1, 1)}, "body 'boom': its inertia follows from elastic: leave inertia out"),
    "a root that is not there": ({"root": "end"}, "body 'boom': unknown root 'end'; nodes of its modes: root, tip"),
    "a root that is no name": ({"root": 1}, "body 'boom': unknown root 1; nodes of its modes: root, tip"),
    "a file": ({"elastic": "rod.npz"}, "body 'boom': elastic must be modes, such as mbs.beam(...), not 'rod.npz'"),
    "a section": (
        {"elastic": mbs.Rectangle(1, 2)},
        "body 'boom': elastic must be modes, such as mbs.beam(...), not Rectangle(y=1, z=2)",
    ),
    "words without modes": (
        {"elastic": None, "root": "tip"},
        "body 'boom': root, damping and stiffness are those of an elastic body: give elastic= too",
    ),
    "negative damping": ({"damping": -0.1}, "damping of body 'boom' is -0.1: it must not be negative"),
    "too many dampings": (
        {"damping": [0.1, 0.1, 0.1]},
        "body 'boom': damping is [0.1, 0.1, 0.1]: give damping ratios, 0 or more, one or 2 of them",
    ),
    "damping as a word": (
        {"damping": "low"},
        "damping of body 'boom' is 'low': give a number in 1, or a text of a number and one of the units '1', '%'",
    ),
    "no stiffness": (
        {"stiffness": 0},
        "stiffness of body 'boom' is 0: it is a factor on that of the modes and must be positive",
    ),
    "several stiffnesses": (
        {"stiffness": [1, 1]},
        "stiffness of body 'boom' must be a number or an expression, not [1, 1]",
    ),
}


@pytest.mark.parametrize("case", BODIES)
def test_invalid_elastic_bodies_are_refused(case: str) -> None:
    arguments, message = BODIES[case]
    refused(lambda: crane(**arguments), message)


@pytest.mark.parametrize(("joint", "root"), [(JOINT, "root"), (JOINT, "tip"), (mbs.Free(), None)])
def test_damping_is_that_of_the_body_held_at_its_root(joint: mbs.Joint, root: str | None) -> None:
    """Damping is one ratio or a list of them, for the body held at its root, or for the free body without a root.

    By default it is unchanged.
    """
    for damping, ratios, factor in ((0.02, (1.0, 1.0), 0.02), ([0.1, 0.3], (0.1, 0.3), 1.0)):
        part = crane(joint=joint, root=root, damping=damping)[1].elastic
        assert part is not None and part.damping.value == factor
        assert part.modes.damping_ratios(root) == pytest.approx(ratios, rel=1e-9)
    left_out = crane(joint=joint, root=root)[1].elastic
    assert left_out is not None and left_out.modes.damping_ratios() == pytest.approx(0.01, rel=1e-9)


def without_nodes() -> mbs.Modes:
    return mbs.Modes.invariants(1.0, (0, 0, 0), np.eye(3), [[1.0]], [[100.0]])


def test_modes_without_nodes_need_a_free_joint() -> None:
    message = "body 'boom': its modes have no node to lie in the joint: give them nodes, or use mbs.Free()"
    refused(lambda: crane(elastic=without_nodes()), message)
    crane(elastic=without_nodes(), joint=mbs.Free())


WORDS: dict[str, tuple[Callable[[Model, Body], object], str]] = {
    "an unknown node": (lambda m, b: b.node("end"), "unknown node 'end' of body 'boom'; it has root, tip"),
    "a node by number": (lambda m, b: b.node(1), "unknown node 1 of body 'boom'; it has root, tip"),  # type: ignore[arg-type]
    "a node of a rigid body": (
        lambda m, b: m.bodies["arm"].node("tip"),
        "body 'arm' is rigid and has no nodes: m.body(..., elastic=) gives it some",
    ),
    "a node of a node": (
        lambda m, b: b.node("tip").node("tip"),
        "'boom.tip' is a node of body 'boom' and has no nodes of its own",
    ),
    "a node of another model": (
        lambda m, b: m.body("load", crane()[1].node("tip"), mass=1.0),
        "body 'load': parent 'boom.tip' belongs to another model",
    ),
    "a node's motion": (
        lambda m, b: m.drive("d", b.node("tip"), mbs.time),
        "drive 'd': body 'boom.tip' is welded, nothing moves in its joint",
    ),
    "a drive of a mode": (
        lambda m, b: m.drive("d", b, mbs.time, coordinate=2),
        "drive 'd': coordinate 2 of body 'boom' does not exist: use 1 to 1",
    ),
    "a motor on a mode": (
        lambda m, b: m.motor("d", on=b, coordinate=2, torque=1.0),
        "motor 'd': coordinate 2 of body 'boom' does not exist: use 1 to 1",
    ),
    "modes in q": (
        lambda m, b: m.start(b, q=(0.1, 0.01)),
        "start q of body 'boom': its joint has 1 of them, 2 given",
    ),
    "too many modes": (
        lambda m, b: m.start(b, xi=(0, 0, 0)),
        "start xi of body 'boom': it has 2 modes, 3 are given",
    ),
    "modes of a rigid body": (
        lambda m, b: m.start("arm", xi=0.1),
        "start xi: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "rates of a rigid body": (
        lambda m, b: m.start("arm", xi_dot=0.1),
        "start xi_dot: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "modes of a node": (
        lambda m, b: m.start(b.node("tip"), xi=0.1),
        "start xi: 'boom.tip' is a node of body 'boom' and has no modes of its own",
    ),
    "no number": (lambda m, b: m.start(b, xi=float("nan")), "start xi of body 'boom' is nan: give a finite number"),
    "a word for the sag": (
        lambda m, b: m.start(b, xi="sag"),
        "start xi of body 'boom' is 'sag': give a number in m, or a text of a number and one of the units "
        "'m', 'mm', 'cm', 'km'",
    ),
    "the sag of a rigid body": (
        lambda m, b: m.start("arm", xi="static"),
        "start xi: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "the sag as a rate": (
        lambda m, b: m.start(b, xi_dot="static"),
        "start xi_dot of body 'boom' is 'static': give a number in m/s, or a text of a number and one of the "
        "units 'm/s', 'mm/s', 'km/h'",
    ),
    "deformation of a rigid body": (
        lambda m, b: mbs.deformation(m.bodies["arm"], "tip"),
        "deformation: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "deformation of a node": (
        lambda m, b: mbs.deformation(b.node("tip"), "tip"),
        "deformation: 'boom.tip' is a node of body 'boom' and has no modes of its own",
    ),
    "deformation by name": (
        lambda m, b: mbs.deformation("boom", "tip"),  # type: ignore[arg-type]
        "deformation of 'boom': give an elastic body, as m.body returned it",
    ),
    "deformation nowhere": (
        lambda m, b: mbs.deformation(b, "end"),
        "unknown node 'end' of body 'boom'; it has root, tip",
    ),
    "deformation of a node elsewhere": (
        lambda m, b: mbs.deformation(b, m.bodies["arm"]),
        "'arm' is not a node of body 'boom'; it has root, tip",
    ),
    "deformation of another model's node": (
        lambda m, b: mbs.deformation(b, crane()[1].node("tip")),
        "'boom.tip' is not a node of body 'boom'; it has root, tip",
    ),
    "stress nowhere": (
        lambda m, b: mbs.stress(b, "gauge"),
        "unknown point of stress 'gauge' of body 'boom'; it has none: give its modes some, such as "
        "Modes.matrices(..., stress=)",
    ),
    "von Mises' stress nowhere": (
        lambda m, b: mbs.von_mises(b, "gauge"),
        "unknown point of stress 'gauge' of body 'boom'; it has none: give its modes some, such as "
        "Modes.matrices(..., stress=)",
    ),
    "stress of a rigid body": (
        lambda m, b: mbs.stress(m.bodies["arm"], "gauge"),
        "stress: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "section forces nowhere": (
        lambda m, b: mbs.section_forces(b, "end"),
        "unknown node 'end' of body 'boom'; it has root, tip",
    ),
    "section forces of what is no beam": (
        lambda m, b: mbs.section_forces(
            m.body("block", elastic=mbs.Modes(ROD.inertia, ROD.stiffness, None, ROD.nodes)), "tip"
        ),
        "node 'tip' of body 'block' has no section forces: those of mbs.beam(...) have some",
    ),
    "mode 0": (lambda m, b: mbs.modal(b, 0), "mode 0: give a number from 1 on"),
    "a mode by text": (lambda m, b: mbs.modal_rate(b, "1"), "mode '1': give a number from 1 on"),  # type: ignore[arg-type]
    "a mode too far": (lambda m, b: mbs.modal(b, 3), "mode 3 of body 'boom' does not exist, it has 2"),
    "a mode of a rigid body": (
        lambda m, b: mbs.modal(m.bodies["arm"], 1),
        "modal: body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WORDS)
def test_invalid_arguments_for_elastic_bodies_are_refused(case: str) -> None:
    word, message = WORDS[case]
    refused(lambda: word(*crane()), message)


COMPILED: dict[str, tuple[Callable[[Model, Body], object], str]] = {
    "an unknown node as parent": (
        lambda m, b: m.body("load", "boom.end", mass=1.0),
        "body 'load': unknown parent 'boom.end' (did you mean 'boom' or 'boom.tip'?); use 'world' or one of arm, boom, "
        "boom.tip, load",
    ),
    "a mode too far, by name": (
        lambda m, b: m.output("x", mbs.modal("boom", 3)),
        "output 'x': mode 3 of body 'boom' does not exist, it has 2",
    ),
    "a mode of a rigid body, by name": (
        lambda m, b: m.output("x", mbs.modal("arm", 1)),
        "output 'x': body 'arm' is rigid and has no modes: m.body(..., elastic=) gives it some",
    ),
    "a mode as a coordinate": (
        lambda m, b: m.output("x", mbs.coordinate(b, 2)),
        "output 'x': coordinate 2 of body 'boom' does not exist, it has 1",
    ),
    "the reaction of a node": (
        lambda m, b: m.output("x", mbs.reaction(b.node("tip"))),
        "output 'x.f': 'boom.tip' is a node of body 'boom' and has no joint of its own: ask for the reaction of what "
        "hangs on it, or of 'boom'",
    ),
    "point gravity": (
        lambda m, b: setattr(m, "gravity", mbs.PointGravity(4e14, (0, 0, -6.4e6))),
        "body 'boom' is elastic, and mbs.PointGravity pulls rigid bodies only: give the model a uniform gravity",
    ),
    "stiffness that changes": (
        lambda m, b: m.body("mast", joint=JOINT, elastic=ROD, stiffness=mbs.time),
        "stiffness or damping of body 'mast' depends on time: it may depend on parameters only",
    ),
}


@pytest.mark.parametrize("case", COMPILED)
def test_invalid_models_with_elastic_bodies_are_refused(case: str) -> None:
    m, boom = crane()
    word, message = COMPILED[case]

    def compile_it() -> None:
        word(m, boom)
        compile_model(m)

    refused(compile_it, message)


def test_wheels_on_nodes_have_the_places_of_the_undeformed_body() -> None:
    """Wheels at 0.1 m and at the tip of a beam of 1 m: their pitch radii are 0.3 and 0.6 m."""
    m, boom = crane()
    wheel = {"joint": mbs.Revolute("z"), "mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    near, far = m.body("near", boom, at=(0.1, 0, 0), **wheel), m.body("far", boom.node("tip"), **wheel)
    message = "gear 'g': pitch radii 0.4 and 0.8 m are at odds "
    with pytest.raises(mbs.ModelError, match=re.escape(message)):
        m.gear("g", near, far, teeth=(20, 40), carrier=boom, radii=(0.4, 0.8))
    m.gear("g", near, far, teeth=(20, 40), carrier=boom, radii=(0.3, 0.6))


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("k", "stiffness of body 'mast' must be positive: change parameter 'k'"),
        ("d", "damping of body 'mast' must not be negative: change parameter 'd'"),
    ],
)
def test_parameters_of_elastic_bodies_are_checked(parameter: str, message: str, in_plain_python: None) -> None:
    m = Model("mast")
    m.body("mast", joint=JOINT, elastic=ROD, stiffness=m.parameter("k", 1.0), damping=m.parameter("d", 0.01))
    fixed = {"method": "rk4", "step": 1e-4, "output_interval": 1e-4}
    refused(lambda: mbs.simulate(m, 1e-3, parameters={parameter: -1.0}, **fixed), message)
    mbs.simulate(m, 1e-3, parameters={"k": 2.0, "d": 0.0}, **fixed)


def test_inverse_dynamics_takes_joint_and_modes(in_plain_python: None) -> None:
    m, boom = crane()
    message = "q of body 'boom': its joint and modes have 3 of them, 1 given"
    refused(lambda: mbs.inverse_dynamics(m, q={boom: 0.3}), message)


@pytest.mark.usual
def test_the_reaction_of_a_clamped_root(in_plain_python: None) -> None:
    """A weld has none. The error names a free joint with a root, closed by a weld; a held hinge has the same wrench."""
    m, welded = crane(joint=mbs.Weld())
    m.output("root", mbs.reaction(welded))
    remedy = "joint=mbs.Free(), root='root', add m.close('boom_weld', 'world', 'boom', mbs.Weld(), at_a=...)"
    with pytest.raises(mbs.ModelError, match=re.escape(f"replace the weld by {remedy}")):
        compile_model(m)
    m, boom = crane()
    m.drive("clamp", boom, 0.0)
    m.output("root", mbs.reaction(boom))
    m.output("torque", mbs.drive_force("clamp"))
    fixed = {"method": "rk4", "step": 1e-4, "output_interval": 1e-4}
    result = mbs.simulate(m, 1e-3, **fixed)
    assert result["root.f"].shape == (len(result), 3)
    assert result["torque"] == pytest.approx(result["root.t"][:, 1], rel=1e-9, abs=1e-9)
    m, boom = crane(joint=mbs.Free(), root="root")
    m.close("boom_weld", "world", boom, mbs.Weld())
    m.output("root", mbs.reaction("boom_weld"))
    closed = mbs.simulate(m, 1e-3, **fixed)
    for part in ("root.f", "root.t"):  # some 10 N and N m
        assert closed[part] == pytest.approx(result[part], abs=1e-6)
