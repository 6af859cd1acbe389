"""Roads and smooth interpolation: values, derivatives, files, wheels on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, RectBivariateSpline

import mbs_fmu as mbs
from mbs_fmu.codegen.ahead import module_ahead
from mbs_fmu.codegen.c.kernels import c_kernels, entry_points
from mbs_fmu.codegen.loader import load_kernels
from mbs_fmu.kernels.library import surface, uneven_surface
from mbs_fmu.run.simulate import compiled as compiled_model
from mbs_fmu.symbolic.expressions import as_expression, leaf
from mbs_fmu.symbolic.graph import derivative, evaluate
from mbs_fmu.symbolic.surfaces import (
    FEW,
    basis_of_cells,
    surface_data,
    surface_number,
    surface_values,
    tridiagonal,
)
from support.c_programs import call, compiled
from support.models.tyres import car_tyre
from support.models.uneven_lines import banks

ORDERS = [(i, j) for i in range(4) for j in range(4)]
quick = pytest.mark.quick


@quick
@pytest.mark.parametrize("n", [2, 3, 12])
def test_curves_equal_natural_splines_of_scipy(n: int) -> None:
    """Value and two derivatives, within and at the ends; beyond them the curve is straight."""
    rng = np.random.default_rng(n)
    knots, values = np.sort(rng.uniform(-2.0, 3.0, n)), rng.normal(size=n)
    exact = CubicSpline(knots, values, bc_type="natural") if n > 2 else lambda x, k=0: (
        (values[0], values[0] + (values[1] - values[0]) / (knots[1] - knots[0]) * (x - knots[0]))[1] if k == 0
        else (values[1] - values[0]) / (knots[1] - knots[0]) * (k == 1)
    )  # fmt: skip
    formula = mbs.curve(leaf("x"), knots, values)
    for order in range(3):
        for x in [*np.linspace(knots[0], knots[-1], 31), *knots]:
            assert evaluate(formula, {"x": x}) == pytest.approx(float(exact(x, order)), abs=1e-10), (order, x)
        formula = derivative([formula], lambda x: as_expression(1.0))[0]
    for end, beyond in ((knots[0], -7.0), (knots[-1], 9.0)):
        straight = exact(end) + exact(end, 1) * (beyond - end)
        assert evaluate(mbs.curve(leaf("x"), knots, values), {"x": beyond}) == pytest.approx(float(straight))


def grid(seed: int, nx: int = 7, ny: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return lines along x and y, and random heights."""
    return np.linspace(-1.0, 2.0, nx), np.linspace(0.5, 3.0, ny), np.random.default_rng(seed).normal(size=(nx, ny))


@quick
def test_surfaces_are_products_of_natural_splines() -> None:
    """Values and all partial derivatives, of kernel and expressions, equal splines along y of splines along x."""
    x, y, heights = grid(1)
    data = surface_data((-1.0, 0.5, 7), (0.5, 0.5, 6), heights)
    A = np.array([9.0, -1.0, 0.5, 0.5, 0.5, *data[2]])
    rng = np.random.default_rng(2)
    for a, b in [*rng.uniform((-1.0, 0.5), (2.0, 3.0), (20, 2)), (-1.0, 0.5), (2.0, 3.0), (0.5, 1.0)]:
        for i, j in ORDERS:
            if max(i, j) == 3 and (a, b) in ((2.0, 3.0), (0.5, 1.0)):
                continue  # third derivatives jump at the lines of the grid
            along = CubicSpline(x, heights, bc_type="natural")(a, i)
            want = float(CubicSpline(y, along, bc_type="natural")(b, j))
            assert surface(A, 1, 7, 6, i, j, a, b) == pytest.approx(want, abs=1e-8), (a, b, i, j)
            assert surface_number(a, b, (*data[:3], i, j)) == pytest.approx(want, abs=1e-8), (a, b, i, j)
    assert np.isnan(surface(A, 1, 7, 6, 0, 0, np.nan, 1.0)) and np.isnan(surface(A, 1, 7, 6, 0, 0, 1.0, np.inf))


@quick
@pytest.mark.parametrize("ny", [2, 3, 4, 9])
def test_surfaces_over_unequal_lines_are_products_of_natural_splines(ny: int) -> None:
    """Values and all partial derivatives, of kernel and expressions, equal splines along y of splines along x."""
    rng = np.random.default_rng(ny)
    x, y = np.linspace(-1.0, 2.0, 7), np.cumsum(rng.uniform(0.1, 3.0, ny))
    heights = rng.normal(size=(7, ny))
    data = surface_data((-1.0, 0.5, 7), y, heights)
    A = np.array([9.0, -1.0, 0.5, *y, *basis_of_cells(data[1]).ravel(), *data[2]])  # type: ignore[arg-type]
    for a, b in [*rng.uniform((-1.0, y[0]), (2.0, y[-1]), (20, 2)), (-1.0, y[0]), (2.0, y[-1]), (0.5, y[1])]:
        for i, j in ORDERS:
            if max(i, j) == 3 and (a, b) in ((2.0, y[-1]), (0.5, y[1])):
                continue  # third derivatives jump at the lines
            along = CubicSpline(x, heights, bc_type="natural")(a, i)
            straight = np.interp(b, y, along), (along[1] - along[0]) / (y[1] - y[0]), 0.0, 0.0
            want = float(CubicSpline(y, along, bc_type="natural")(b, j) if ny > 2 else straight[j])
            bound = 1e-9 * max(1.0, abs(want))
            assert uneven_surface(A, 1, 7, ny, i, j, a, b) == pytest.approx(want, abs=bound), (a, b, i, j)
            assert surface_number(a, b, (*data[:3], i, j)) == pytest.approx(want, abs=bound), (a, b, i, j)
    assert np.isnan(uneven_surface(A, 1, 7, ny, 0, 0, np.nan, y[0]))
    assert np.isnan(uneven_surface(A, 1, 7, ny, 0, 0, 1.0, np.nan)) and np.isnan(surface_number(1.0, np.nan, data))


@quick
@pytest.mark.parametrize("order", [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 3)])
def test_equal_lines_given_as_places_are_the_same_surface(order: tuple[int, int]) -> None:
    """Both forms of the data agree to rounding, and values at many places are those at each."""
    rng = np.random.default_rng(3)
    heights, grid_y = rng.normal(size=(7, 40)), (-2.0, 0.25, 40)
    even = surface_data((-1.0, 0.5, 7), grid_y, heights)
    uneven = surface_data((-1.0, 0.5, 7), -2.0 + 0.25 * np.arange(40), heights)
    x, y = rng.uniform((-1.0, -2.0), (2.0, 7.75), (50, 2)).T
    a, b = (surface_values(x, y, (*data[:3], *order)) for data in (even, uneven))
    assert np.allclose(a, b, rtol=0, atol=1e-12 * np.abs(a).max())  # sixteen products for each number
    assert np.allclose(b, [surface_number(p, q, (*uneven[:3], *order)) for p, q in zip(x, y, strict=True)], rtol=1e-13)


@quick
@pytest.mark.parametrize("size", [5, 400])
def test_equations_of_few_and_of_many_columns_have_the_same_bits(size: int) -> None:
    """Elimination in floats and in rows of numpy; the solution solves the equations."""
    rng = np.random.default_rng(size)
    lower, upper = rng.uniform(0.1, 1.0, (2, size))
    middle, right = 2.0 * (lower + upper), rng.normal(size=(size, FEW))
    together = tridiagonal(lower, middle, upper, right)
    assert np.array_equal(together[:, 3], tridiagonal(lower, middle, upper, right[:, 3]))
    assert np.array_equal(together[:, :2], tridiagonal(lower, middle, upper, right[:, :2]))
    matrix = np.diag(lower[1:], -1) + np.diag(middle) + np.diag(upper[:-1], 1)
    assert np.allclose(matrix @ together, right, rtol=0, atol=1e-14 * size)


@quick
def test_height_fields_go_through_their_heights() -> None:
    """At the grid's places the height is that of the data; slopes are the derivatives, and normals have length one."""
    x, y, heights = grid(3)
    field = mbs.HeightField(x, y, heights)
    for i in (0, 3, 6):
        for j in (0, 2, 5):
            assert field.height(x[i], y[j]) == pytest.approx(heights[i, j], abs=1e-12)
    a, b, h = 0.3, 1.7, 1e-6
    n = field.normal(a, b)
    slope = (field.height(a + h, b) - field.height(a - h, b)) / (2 * h)
    assert np.linalg.norm(n) == pytest.approx(1.0) and -n[0] / n[2] == pytest.approx(slope, rel=1e-6)
    law = field.relief(leaf("x"), leaf("y"))
    rates = derivative([law.height], lambda r: as_expression(1.0 if r == "y" else 0.0))
    assert evaluate(rates[0], {"x": a, "y": b}) == pytest.approx(evaluate(law.slope_b, {"x": a, "y": b}), rel=1e-12)


@quick
def test_a_fine_field_equals_another_library() -> None:
    """Far from the border, where end conditions differ, the surface is the interpolating bicubic spline of scipy."""
    x, y = np.linspace(0, 4, 41), np.linspace(0, 3, 31)
    heights = np.sin(x)[:, None] * np.cos(2 * y)[None, :]
    field, other = mbs.HeightField(x, y, heights), RectBivariateSpline(x, y, heights)
    for a, b in ((2.03, 1.51), (1.77, 1.62)):
        assert field.height(a, b) == pytest.approx(float(other(a, b)[0, 0]), abs=1e-9)


@quick
def test_roads_are_read_from_csv(tmp_path: Path) -> None:
    """Profiles have two columns, fields three, with or without a line of names and in any order."""
    x, y, heights = grid(4)
    rows = [f"{a},{b},{float(heights[i, j])!r}" for i, a in enumerate(x.tolist()) for j, b in enumerate(y.tolist())]
    (tmp_path / "field.csv").write_text("x,y,z\n" + "\n".join(reversed(rows)))
    field = mbs.HeightField.from_csv(tmp_path / "field.csv")
    np.testing.assert_array_equal(field.heights, heights)
    (tmp_path / "profile.csv").write_text("0,0\n1,0.1\n2.5,0.05\n")
    assert mbs.Profile.from_csv(tmp_path / "profile.csv").height(1.0) == pytest.approx(0.1)
    (tmp_path / "bad.csv").write_text("x,z\n0,0\n1,high\n")
    with pytest.raises(mbs.ModelError, match=r"bad.csv, line 3: '1,high': give as many numbers"):
        mbs.Profile.from_csv(tmp_path / "bad.csv")
    (tmp_path / "holes.csv").write_text("\n".join(rows[1:]))
    with pytest.raises(mbs.ModelError, match="has 41 rows: give each of 7 x 6 places once"):
        mbs.HeightField.from_csv(tmp_path / "holes.csv")


@quick
def test_wrong_roads_are_refused() -> None:
    """The message names the number and the remedy."""
    x, y, heights = grid(5)
    with pytest.raises(mbs.ModelError, match="must increase by equal distances"):
        mbs.HeightField([0, 1, 3], y, np.zeros((3, 6)))
    with pytest.raises(mbs.ModelError, match=r"have the shape \(6, 7\): give \(7, 6\)"):
        mbs.HeightField(x, y, heights.T)
    heights[2, 3] = np.nan
    with pytest.raises(mbs.ModelError, match="height 3, 4 of a height field is nan"):
        mbs.HeightField(x, y, heights)
    with pytest.raises(mbs.ModelError, match="strictly increasing"):
        mbs.Profile([0, 0], [1, 2])


def rolling(road: object, x: float, y: float, **more: object) -> mbs.Model:
    """Return a light wheel that is pressed to a road at a place by a weight that slides vertically."""
    m = mbs.Model("rolling", gravity=(0, 0, 0))
    m.body("post", joint=mbs.Weld(), at=(x, y, 0))
    m.body("slide", "post", mbs.Prismatic("z"), mass=50.0)
    m.motor("load", on="slide", force=-4000.0)
    m.spring("settle", on="slide", damping=5000.0)
    m.body("wheel", "slide", mbs.Revolute("y"), mass=1.0, inertia=(1, 2, 1))
    m.tyre("tyre", "wheel", car_tyre(), side="left", road=road, **more)  # type: ignore[arg-type]
    m.start("slide", q=0.33)
    m.output("wheel", mbs.wheel("tyre"))
    return m


@pytest.mark.slow
def test_a_wheel_stands_on_a_field_as_on_its_tangent() -> None:
    """A plane as a height field or profile gives the numbers of the tilted plane, to rounding."""
    slope = 0.1
    lines = np.linspace(-2.0, 2.0, 9)
    turned = mbs.Pose((0, 0, 0), mbs.rpy(0, -np.arctan(slope), 0))
    roads = {
        "plane": (mbs.Plane(), {"at": turned}),
        "profile": (mbs.Profile(lines, slope * lines), {}),
        "field": (mbs.HeightField(lines, lines, slope * lines[:, None] + 0.0 * lines), {}),
    }
    found = {}
    for name, (road, more) in roads.items():
        m = rolling(road, 0.3, 0.2, **more)
        r = mbs.simulate(m, 0.2, method="rk4", step=1e-3, output_interval=0.05)
        found[name] = {column: r[column][-1] for column in r.columns}
    for name in ("profile", "field"):
        for column, value in found["plane"].items():
            assert found[name][column] == pytest.approx(value, rel=1e-9, abs=1e-9), (name, column)


def on_hills() -> mbs.Model:
    """Return a wheel that stands on hills."""
    x, y, heights = grid(6, 9, 9)
    return rolling(mbs.HeightField(x, y, 0.02 * heights), 0.4, 1.6)


def on_banks() -> mbs.Model:
    """Return a wheel that stands on a road over lines at unequal distances."""
    return rolling(banks(), 0.4, -0.5)


ROADS = pytest.mark.parametrize("wheel", [on_hills, on_banks])


@ROADS
@pytest.mark.slow
def test_a_wheel_on_hills_is_the_same_in_lanes_and_by_other_methods(wheel: Callable[[], mbs.Model]) -> None:
    """Batches in lanes give the bits of single runs; a method that uses the exact Jacobian gives the same motion."""
    m = wheel()
    one = mbs.simulate(m, 0.1, method="rk4", step=1e-3, output_interval=0.05)
    batch = mbs.Batch(start={"slide.s": [0.33, 0.32, 0.34]}, lanes=4)
    many = mbs.simulate(m, 0.1, method="rk4", step=1e-3, output_interval=0.05, batch=batch)
    assert np.array_equal(many[0].data, one.data) and one["wheel.fz"][-1] > 100.0
    other = mbs.simulate(m, 0.1, method="rodas5p", rtol=1e-9, output_interval=0.05)
    assert other["wheel.fz"][-1] == pytest.approx(one["wheel.fz"][-1], rel=1e-6)


@ROADS
@pytest.mark.slow
def test_a_wheel_on_hills_is_the_same_in_c(tmp_path: Path, wheel: Callable[[], mbs.Model]) -> None:
    """The kernels as C leave the bits of those of LLVM."""
    runtime = compiled_model(wheel(), method="rk4", alone=True)
    program = replace(runtime.program, module=runtime.kernels.source_with())
    points = entry_points(program, "rk4_fixed")
    library = compiled(c_kernels(program, points, linkage=""), tmp_path, ["-O2"])
    kernels = load_kernels(module_ahead(program))
    names = {kernel: name for name, kernel, _ in points}
    found = []
    for run in (lambda k, *a: call(library, f"kernel_{names[k]}", *a), lambda k, *a: kernels.entry(k)(*a)):
        R, U = program.new_record(), runtime.no_tables.copy()
        run("initialise", R)
        run("refresh", R, U)
        run("rk4_fixed", R, U, 0.05, 1e-3, 0)
        found.append(R)
    assert np.array_equal(found[0].view(np.int64), found[1].view(np.int64))


@quick
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0,0\n1,nan\n2,0\n", "point 2 of a table is 1, its value nan: give finite numbers"),
        ("0,0\n2,1\n1,0\n", "point 3 of a table is 1 after 2: the points must be strictly increasing"),
        ("x;h\n0;0\n1;1\n", "line 2: '0;0': give as many numbers in each row, with decimal points and between commas"),
    ],
)
def test_wrong_profiles_are_refused_with_their_file(tmp_path: Path, text: str, words: str) -> None:
    """The message names the file, the row and the remedy."""
    (tmp_path / "road.csv").write_text(text, encoding="utf-8")
    with pytest.raises(mbs.ModelError, match=f"road.csv.*{words}"):
        mbs.Profile.from_csv(tmp_path / "road.csv")
