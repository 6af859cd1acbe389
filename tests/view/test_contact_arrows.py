"""Arrows of contact forces on pages: forces, places and sliding in all rows, and the shapes of contacts."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.view.animation import animation_data
from mbs_fmu.view.contact_arrows import contact_forces
from mbs_fmu.view.poses import Rows, poses
from mbs_fmu.view.twists import twists
from support.cases import some_quick
from support.generators.contacts import dragged, heap, thrown

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def with_measures(m: mbs.Model) -> list[tuple[str, int, int]]:
    """Add outputs of force and place of each contact point, and return their contacts, numbers and counts."""
    points = []
    for name in [force.name for force in m.forces.values() if hasattr(force, "points")]:
        count = len(m.forces[name].points)  # type: ignore[attr-defined]
        for k in range(1, count + 1):
            own = (name,) if count == 1 else (name, k)
            m.output(f"force{len(points)}", mbs.contact_force(*own))
            m.output(f"place{len(points)}", mbs.contact_point(*own))
            points.append((name, k, count))
    return points


@pytest.mark.parametrize(
    "make", some_quick({"thrown": lambda: thrown(3), "heap": lambda: heap(1), "dragged": dragged}, 1)
)
def test_forces_and_places_are_those_of_the_kernels(make: Any) -> None:
    """In all rows, of contacts that touch in one of them; the velocities behind them err by 1e-9, and loads change by
    the damping times that."""
    m = make()
    if "pull" in m.inputs:
        m.set_parameter("mu", 0.45)
    points = with_measures(m)
    inputs = {"pull": 0.0} if "pull" in m.inputs else {}
    result = mbs.simulate(m, 0.4, method="rk4", step=2e-3, output_interval=0.02, inputs=inputs)
    rows = result.recorded(m).rows
    found = contact_forces(m, rows, poses(m, rows))
    loaded = {name for k, (name, _, _) in enumerate(points) if result[f"force{k}"].any()}
    shown = [k for k, (name, _, _) in enumerate(points) if name in loaded]
    assert found.names == [points[k][0] for k in shown]
    forces = np.stack([result[f"force{k}"] for k in shown], axis=1)
    places = np.stack([result[f"place{k}"] for k in shown], axis=1)
    assert np.abs(forces).max() > 1.0
    np.testing.assert_allclose(found.forces, forces, atol=1e-6 * np.abs(forces).max())
    np.testing.assert_allclose(found.places, places, atol=1e-9)


def test_velocities_are_those_of_the_kernels() -> None:
    """Of bodies behind all kinds of joints, with driven and following ones."""
    m = mbs.Model("chain")
    joints = {
        "a": mbs.Free("xyz"), "b": mbs.Spherical(), "c": mbs.Screw("x", 0.1), "d": mbs.Universal(), "e": mbs.Planar(),
    }  # fmt: skip
    parent = "world"
    for name, joint in joints.items():
        m.body(name, parent, joint, mass=1.0, inertia=(0.1, 0.2, 0.2), at=(0.1, 0.2, 0.3))
        m.output(f"v_{name}", mbs.velocity(name))
        m.output(f"w_{name}", mbs.angular_velocity(name))
        parent = name
    m.start("b", u=(1.0, -2.0, 0.5))
    m.start("c", u=3.0)
    result = mbs.simulate(m, 0.1, method="rk4", step=0.01, output_interval=0.02)
    rows = result.recorded(m).rows
    for name, moved in twists(m, rows).items():
        if name != "world":
            np.testing.assert_allclose(moved.v, result[f"v_{name}"], atol=1e-8)
            np.testing.assert_allclose(moved.w, result[f"w_{name}"], atol=1e-8)


def sliding_block() -> mbs.Result:
    """Return the run of a block that slides for half a second, and then stands, on a friction of 0.2."""
    m = mbs.Model("block")
    m.body("block", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    m.contact("floor", "world", "block", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=1e4, friction=0.2)
    m.start("block", q=(0, 0, 0.05 - 9.81 / 4e4, 1, 0, 0, 0), u=(0.98, 0, 0, 0, 0, 0))
    return mbs.simulate(m, 0.8, method="rk4", step=2e-3, output_interval=0.05)


def test_arrows_of_a_sliding_block() -> None:
    """Four are at the limit of friction until the block stands; the usual length is a part of the scene."""
    result = sliding_block()
    assert result.model is not None
    data = animation_data(result.recorded(result.model))
    arrows = data["arrows"]
    assert arrows["names"] == ["floor"] * 8
    slides = np.frombuffer(base64.b64decode(arrows["slides"]), "<f4").reshape(-1, 8)
    lengths = np.linalg.norm(np.frombuffer(base64.b64decode(arrows["vectors"]), "<f4").reshape(-1, 8, 3), axis=2)
    touching = lengths[2] > 0.0
    assert touching.sum() == 4
    assert (slides[1:9, touching] == 1.0).all() and (slides[13:, touching] == 0.0).all()
    assert np.median(lengths.max(axis=1)) == pytest.approx(0.12 * data["size"], rel=1e-5)
    fixed = animation_data(result.recorded(result.model), force_scale=0.02)["arrows"]
    vectors = np.frombuffer(base64.b64decode(fixed["vectors"]), "<f4").reshape(-1, 8, 3)
    assert vectors[-1].sum(axis=0)[2] == pytest.approx(0.02 * 9.81, rel=1e-2)
    assert animation_data(result.recorded(result.model), force_scale=0)["arrows"] == {"names": []}
    with pytest.raises(mbs.ArgumentError, match="force_scale is -1: give m/N, 0 or more"):
        result.animate(force_scale=-1)


def test_contact_shapes_are_drawn_on_bodies_without_shapes() -> None:
    """On both sides, in their places; a body with shapes of its own keeps these alone."""
    m = mbs.Model("drawn")
    for name in "ab":
        m.body(name, joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    m.shape("b", mbs.Box(0.3, 0.3, 0.3))
    table = mbs.Box(1, 1, 0.1, at=(0, 0, -0.05))
    for name in "ab":
        m.contact(f"c{name}", "world", name, shape_a=table, shape_b=mbs.Sphere(0.1, at=(0, 0, 0.2)), stiffness=1e3)
        m.start(name, q=(0, 0, 1.0, 1, 0, 0, 0))
    result = mbs.simulate(m, 0.01, method="rk4", step=0.01, output_interval=0.01)
    bodies = {body["name"]: body["shapes"] for body in animation_data(result.recorded(m))["bodies"]}
    assert [shape["kind"] for shape in bodies["b"]] == ["box"]
    ball = next(shape for shape in bodies["a"] if shape["kind"] == "sphere" and shape["size"] == [0.1])
    assert ball["position"] == pytest.approx([0, 0, 0.2])
    assert bodies["world"][0]["size"] == [1, 1, 0.1]


def test_pages_without_velocities_have_no_arrows() -> None:
    """Pages of a start have arrows, those of eigenmodes have none, since their rows have no velocities."""
    m = mbs.Model("block")
    m.body("block", joint=mbs.Free(), mass=1.0, inertia=(0.01,) * 3)
    m.contact("floor", "world", "block", shape_b=mbs.Box(0.2, 0.2, 0.1), stiffness=1e4, friction=0.2)
    m.start("block", q=(0, 0, 0.05 - 9.81 / 4e4, 1, 0, 0, 0))
    start = mbs.simulate(m, 0.01, method="rk4", step=1e-3, output_interval=0.01).recorded(m)
    assert len(animation_data(start)["arrows"]["names"]) == 8
    columns = {name: x for name, x in start.rows.columns.items() if ".u[" not in name}
    still = replace(start, rows=Rows(columns, start.rows.parameters))
    assert animation_data(still)["arrows"]["names"] == []
    assert mbs.linearize(m).animate(0) is not None
