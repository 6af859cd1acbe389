"""Sizes on pages: of marks of bodies without dimensions, and of the view that follows a body."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.view.page import Page
from support.comparisons import assert_close

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def data_of(page: object) -> dict[str, Any]:
    assert isinstance(page, Page)
    match = re.search(r'<script id="data"[^>]*>(.*?)</script>', page.text, re.DOTALL)
    assert match is not None
    data: dict[str, Any] = json.loads(match[1])
    return data


def convoy(sized: bool) -> mbs.Result:
    """Two bodies 3 m apart at first; one travels 100 m. Sized: it is 4 m long."""
    m = mbs.Model("convoy", gravity=(0, 0, 0))
    car = m.body("car", joint=mbs.Prismatic("x"), mass=1000.0, inertia=(300.0, 1500.0, 1600.0) if sized else (0, 0, 0))
    m.body("load", joint=mbs.Prismatic("x"), mass=1.0, at=(0, 3, 0))
    wheel = m.body("wheel", car, joint=mbs.Prismatic("y"), mass=1.0)
    m.body("hub", wheel, mass=20.0, inertia=(1.0, 2.0, 1.0) if sized else (0, 0, 0))
    m.start(car, u=20.0)
    return mbs.simulate(m, 5.0, method="rk4", step=0.5, output_interval=0.5)


def spheres(data: dict[str, Any], name: str) -> list[float]:
    """Diameters of the spheres on a body, m."""
    shapes = next(body for body in data["bodies"] if body["name"] == name)["shapes"]
    return [2.0 * shape["size"][0] for shape in shapes if shape["kind"] == "sphere"]


@pytest.mark.parametrize("sized", [True, False])
def test_marks_are_at_most_a_tenth_of_the_others(sized: bool) -> None:
    """A mass point is much smaller than a car, however far the car travels."""
    (mark,) = spheres(data_of(convoy(sized).animate()), "load")
    others = 4.5 if sized else 100.0  # m: the longest edge of the car's box is sqrt(6 (1500 + 1600 - 300) / 1000) = 4.1
    assert 0.01 * others < mark <= 0.1 * others


def test_the_camera_goes_to_the_body_that_it_follows() -> None:
    """The view has the size of the body and of what its joints connect; the rest is reachable."""
    result = convoy(True)
    whole, near = data_of(result.animate()), data_of(result.animate(follow="car"))
    assert whole["size"] > 100.0 and whole["reach"] == whole["size"]
    assert near["size"] < 6.0 and near["reach"] > 90.0
    assert_close(np.linalg.norm(near["center"]), 0.0, 2.0, "distance of the view's centre from the start")
    assert data_of(result.animate(follow="hub"))["size"] == near["size"]


def test_pages_show_the_axes_of_the_world() -> None:
    """Pages draw the world's axes."""
    assert '<svg id="triad"' in convoy(True).animate().text  # type: ignore[union-attr]
