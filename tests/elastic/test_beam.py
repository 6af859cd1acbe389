"""Beams against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eigh

import mbs_fmu as mbs
from mbs_fmu.elastic.beam import BeamMesh, Material, beam
from mbs_fmu.elastic.frames import in_mean_frame, moved
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.sections import Rectangle, Section, Tube
from mbs_fmu.elastic.shapes import invariants
from support.comparisons import assert_close

pytestmark = pytest.mark.quick
STEEL = {"E": 2.1e11, "density": 7800.0}
UNIT = Section(A=1.0, Iy=1e-7, Iz=1e-7, It=1e-7)  # with E = 1e7 and density 1, as slender as beams in textbooks


def unit_beam(modes: int, along: str = "z", **more: object) -> Modes:
    """Return a beam with E I = m = L = 1."""
    return beam(1.0, UNIT, 1e7, 1.0, modes, {"root": 0.0}, along=along, **more)  # type: ignore[arg-type]


def test_a_cantilever_has_the_exact_frequencies() -> None:
    """They are the squares of 1.8751, 4.6941, 7.8548; the design's figures with ten elements are 3.51602, 22.0352,
    61.713.
    """
    computed = 2 * math.pi * unit_beam(4, elements=40).held("root")
    assert computed[:3] == pytest.approx([3.516015, 22.034492, 61.697214], rel=3e-5)
    coarse = 2 * math.pi * unit_beam(4, elements=10).held("root")
    assert coarse[:3] == pytest.approx([3.51602, 22.0352, 61.713], rel=1e-4)


@pytest.mark.parametrize(("along", "first"), [("x", 0.5 * math.pi), ("t", 0.5 * math.pi / math.sqrt(2.6))])
def test_a_held_rod_has_the_exact_axial_and_torsional_frequencies(along: str, first: float) -> None:
    """A quarter of a wave: pi/2 c/L, with c² = E/density and G It/(density (Iy + Iz)) = E/(5.2 density) for It = Iy."""
    speed = math.sqrt(1e7) * (1.0 if along == "x" else math.sqrt(0.5))
    assert 2 * math.pi * unit_beam(3, along).held("root")[0] == pytest.approx(first * speed, rel=5e-4)


@pytest.mark.usual
def test_clamped_shapes_give_the_frequencies_of_a_free_beam() -> None:
    """The frame has no effect: 22.3733, 61.6728, 120.903 are approached from above, closer with more modes."""
    exact = np.array([22.3733, 61.6728, 120.9034])
    errors = [2 * math.pi * unit_beam(n, elements=40).frequencies[:3] / exact - 1 for n in (6, 8, 12)]
    assert np.all(errors[0] < [1e-4, 5e-4, 2e-3])
    assert np.all(np.array(errors) > -2e-5)  # effect of rotary inertia
    assert np.all(np.diff(errors, axis=0) < 0.0)


@pytest.mark.parametrize("shear", [False, True])
def test_static_deflection_is_exact(shear: bool) -> None:
    """Under force and moment at the tip: L³/3EI, L²/2EI, L/EI, L/G It, L/EA, and with shear L/kGA more."""
    section, length, G = Rectangle(0.04, 0.02), 0.5, 8e10
    rod = beam(length, section, **STEEL, modes=8, G=G, along="xyzt", shear=shear, elements=3)
    cut, E = section.at(0.0), STEEL["E"]
    assert cut.ky is not None
    more = length / (cut.ky * G * cut.A) if shear else 0.0
    C = rod.compliance("tip", "root")
    expected = [
        length / (E * cut.A), length**3 / (3 * E * cut.Iz) + more, length**3 / (3 * E * cut.Iy) + more,
        length / (G * cut.It), length / (E * cut.Iy), length / (E * cut.Iz),
    ]  # fmt: skip
    assert np.diag(C) == pytest.approx(expected, rel=1e-9)
    assert C[1, 5] == pytest.approx(length**2 / (2 * E * cut.Iz), rel=1e-9)
    assert C[2, 4] == pytest.approx(-(length**2) / (2 * E * cut.Iy), rel=1e-9)


@pytest.mark.usual
def test_a_pinned_beam_has_timoshenkos_frequencies() -> None:
    """For a stout beam, pinned at both ends: the smaller root of each half wave, with errors of order two."""
    E, G, density = 2.1e11, 8e10, 7800.0
    cut = Rectangle(0.2, 0.1).at(0.0)
    assert cut.kz is not None
    exact = []
    for n in (1, 2, 3):
        b2, kG = (n * math.pi) ** 2, cut.kz * G
        a, b = density**2 * cut.Iy / kG, density * (cut.A + cut.Iy * b2 * (1 + E / kG))
        exact.append((b - math.sqrt(b * b - 4 * a * E * cut.Iy * b2**2)) / (2 * a))
    coarse, fine = (
        pinned(BeamMesh(np.linspace(0, 1, n), Material(Rectangle(0.2, 0.1), E, G, density, True))) for n in (41, 81)
    )
    errors = np.array([coarse, fine]) / exact - 1
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.01)
    assert (4 * fine - coarse) / 3 == pytest.approx(exact, rel=2e-6)


def pinned(mesh: BeamMesh) -> np.ndarray:
    """Return the first squares of the angular frequencies, bent along z, without displacement at the ends."""
    free = [6 * k + c for k in range(len(mesh.grid)) for c in (2, 4) if (k, c) not in ((0, 2), (len(mesh.grid) - 1, 2))]
    K, M = (A[np.ix_(free, free)] for A in (mesh.stiffness, mesh.mass))
    return np.asarray(eigh(K, M, eigvals_only=True)[:3])


def test_the_deflection_of_a_tapered_beam_is_an_integral() -> None:
    """Deflection of the tip with shear is the integral of (L - x)²/E I(x) + 1/kGA(x)."""
    section = Rectangle(lambda x: 0.3 - 0.18 * x, 0.05)
    booms = [beam(1.0, section, **STEEL, modes=4, G=8e10, along="y", shear=True, elements=n) for n in (20, 40)]
    x, weights = (0.5 * a for a in np.polynomial.legendre.leggauss(40))
    height = 0.3 - 0.18 * (x + 0.5)
    bent = (0.5 - x) ** 2 / (STEEL["E"] * 0.05 * height**3 / 12)
    exact = float(np.sum(weights * (bent + 1.0 / (8e10 * 5 / 6 * 0.05 * height))))
    coarse, fine = (boom.compliance("tip", "root")[1, 1] for boom in booms)
    # of order two: an element's shapes are those of an even beam
    assert (coarse - exact) / (fine - exact) == pytest.approx(4.0, rel=0.02)
    assert (4 * fine - coarse) / 3 == pytest.approx(exact, rel=1e-6)
    assert booms[0].mass == pytest.approx(7800.0 * 0.05 * 0.21, rel=1e-12)


def test_foreshortening_is_half_the_integral_of_squared_slopes() -> None:
    """It holds in both planes at once, and relative to the mean frame too."""
    mesh = BeamMesh(np.linspace(0.0, 1.0, 41), Material(UNIT, 1e7, 4e6, 1.0, False))
    stretches = [6 * k + c for k in range(41) for c in (0, 3)]
    shapes, _ = mesh.shapes(sorted({*stretches, *range(6)}), [], 6, "")
    points, ends = mesh.second_order(shapes)
    nodes = {f"n{k}": mesh.node(x, shapes, ends) for k, x in enumerate(mesh.grid)}
    _, seen = in_mean_frame(invariants(mesh.pieces(shapes, points)), nodes)
    xi = 0.01 * np.arange(1.0, 7.0)
    squares = np.sum([(node.Y1[4:] @ xi) ** 2 for node in nodes.values()], axis=1)
    simpson = (squares[0] + squares[-1] + 4 * squares[1:-1:2].sum() + 2 * squares[2:-1:2].sum()) / 120
    for tip in (nodes["n40"], seen["n40"].seen_from(seen["n0"])):
        moved = 0.5 * tip.Y2 @ xi @ xi
        assert moved[0] == pytest.approx(-0.5 * simpson, rel=1e-3)
        assert_close(moved[1:3], 0.0, 1e-9 * simpson, "displacement of second order across the beam")


def test_mass_and_inertia_of_beams_are_exact() -> None:
    """Mass, centre of mass and inertia are those of a tube; a solid bar is a tube without a bore."""
    tube = beam(2.0, Tube(0.1, 0.01), **STEEL, modes=6)
    outer, inner = 0.05, 0.04
    mass = 7800.0 * 2.0 * math.pi * (outer**2 - inner**2)
    across = mass * (3 * (outer**2 + inner**2) + 2.0**2) / 12
    assert tube.mass == pytest.approx(mass, rel=1e-12) and tube.size == pytest.approx(2.0, rel=1e-12)
    assert tube.inertia.center == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    assert np.diag(tube.inertia.central) == pytest.approx(
        [0.5 * mass * (outer**2 + inner**2), across, across], rel=1e-9
    )
    assert Tube(0.1).at(0.0) == Tube(0.1, 0.05).at(0.0)


MISTAKES = [
    (lambda: beam(-1.0, UNIT, 1.0, 1.0), r"length is -1.0: give a positive number"),
    (lambda: beam(1.0, "steel", 1.0, 1.0), r"section is 'steel': give a Rectangle, a Tube or a Section"),
    (lambda: beam(1.0, Rectangle(0.1, -0.1), 1.0, 1.0), r"z of a section at x = .* m is -0.1: give a positive"),
    (lambda: beam(1.0, Rectangle(lambda x: 0.5 - x, 0.1), 1.0, 1.0), r"y of a section at x = 0.*give a positive"),
    (lambda: beam(1.0, Tube(0.1, 0.06), 1.0, 1.0), r"tube of diameter 0.1 m can.t have a wall of 0.06 m"),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, nodes={"root": 0.0, "far": 1.5}), r"node 'far' at x = 1.5 m is not on the beam"),
    (
        lambda: beam(1.0, UNIT, 1.0, 1.0, nodes={"root": 0.0, "a": 0.5, "b": 0.5}),
        r"node 'a' and node 'b' are 0 m apart: put",
    ),
    (
        lambda: beam(1.0, UNIT, 1.0, 1.0, nodes={"root": 0.0, "tip": 0.9999}),
        r"node 'tip' and the beam's end are 0.0001 m apart",
    ),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, nodes=["root"]), r"nodes is \['root'\]: give places by name"),  # type: ignore[arg-type]
    (lambda: beam(1.0, Rectangle, 1.0, 1.0), r"section is the class Rectangle without .*: give a Rectangle"),  # type: ignore[arg-type]
    (lambda: beam(1.0, Rectangle(lambda: 1.0, 1.0), 1.0, 1.0), r"y of a section at .*its function of x raises Type"),  # type: ignore[arg-type, misc]
    (
        lambda: beam(1.0, Section(1.0, 1.0, 1.0, 1.0, 5.0, 1.0), 1.0, 1.0),
        r"ky of a section at .* is 5: give a shear coefficient",
    ),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, nodes={}), r"nodes is {}: give places by name"),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, nodes={"my root": 0.0}), r"node name 'my root' must be an identifier"),
    (
        lambda: beam(1.0, UNIT, 1.0, 1.0, modes=3),
        r"modes is 3: give 5 to 100, of which 5 are unit motions of nodes 'tip'",
    ),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, modes=11, elements=2), r"modes is 11: give 5 to 10, .*more elements="),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, along="w"), r"along is 'w': give some of the letters"),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, shear=True), r"shear=True needs .*ky= and kz="),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, elements=0), r"elements is 0: give a whole number"),
    (lambda: beam(1.0, UNIT, 1.0, 1.0, damping=-0.1), r"damping is -0.1: give damping ratios, 0 or more"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=lambda x: x if isinstance(x, str) else "")
def test_invalid_beams_are_refused(mistake, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(mbs.ModelError, match=message) as caught:
        mistake()
    assert "\n" not in str(caught.value)


def test_elements_end_at_nodes() -> None:
    """A node between the ends then has the exact deflection (3 L - x) x²/6 E I under a force at the tip."""
    rod = beam(1.0, UNIT, 1e7, 1.0, 6, {"root": 0.0, "third": 1 / 3, "tip": 1.0}, along="z", elements=5)
    assert rod.node("third").position[0] == 1 / 3
    Y = [rod.node(name).seen_from(rod.node("root")).Y1[2] for name in ("third", "tip")]
    assert Y[0] @ np.linalg.solve(rod.stiffness, Y[1]) == pytest.approx((3 - 1 / 3) / 9 / 6, rel=1e-9)


@pytest.mark.parametrize(
    ("speed", "published", "six"), [(2, 4.1373, 4.1373), (6, 7.3604, 7.3605), (10, 11.2023, 11.2036)]
)
def test_a_rotating_blade_has_the_published_flap_frequencies(speed: float, published: float, six: float) -> None:
    """A blade that turns about its root (Wright et al. 1982) has K - ½ J2_zz Omega², in its frame.

    The design's figures are for six modes, from the mean frame and back. In the plane of rotation frequencies are less
    by Omega²: 3.6218 at speed 2.
    """
    for along, expected in (("z", six), ("y", math.sqrt(six**2 - speed**2))):
        blade = unit_beam(6, along)
        seen = moved(blade.inertia, blade.node("root"))
        stiffness = blade.stiffness - 0.5 * speed**2 * seen.J2[2, 2]
        omega = np.sqrt(eigh(stiffness, seen.Me, eigvals_only=True)[0])
        assert omega == pytest.approx(expected, rel=5e-5)
    assert six == pytest.approx(published, rel=2e-4)


def test_torsion_and_shear_of_sections_are_those_of_tables() -> None:
    """Torsion of a square and of a rectangle of two to one (Timoshenko and Goodier: 0.1406, 0.229), and shear of bars
    and thin tubes.
    """
    assert Rectangle(1.0, 1.0).at(0.0).It == pytest.approx(0.1406, rel=5e-3)
    assert Rectangle(2.0, 1.0).at(0.0).It == Rectangle(1.0, 2.0).at(0.0).It == pytest.approx(2 * 0.229, rel=5e-3)
    assert Rectangle(1e3, 1.0).at(0.0).It == pytest.approx(1e3 / 3, rel=1e-3)
    assert Tube(1.0).at(0.0).ky == pytest.approx(6 * 1.3 / (7 + 6 * 0.3), rel=1e-12)
    assert Tube(1.0, 1e-6).at(0.0).kz == pytest.approx(2 * 1.3 / (4 + 3 * 0.3), rel=1e-5)


def test_shear_coefficients_belong_to_their_planes() -> None:
    """ky acts along y, kz along z; tubes have a torsion constant of twice their second moment."""
    section = Section(1e-3, 1e-7, 1e-7, 1e-7, ky=0.8, kz=0.4)
    rod = beam(0.1, section, 2e11, 7800.0, modes=6, G=8e10, shear=True)
    bent, y, z = 0.1**3 / (3 * 2e11 * 1e-7), *np.diag(rod.compliance("tip", "root"))[1:3]
    assert [y - bent, z - bent] == pytest.approx([0.1 / (8e10 * k * 1e-3) for k in (0.8, 0.4)], rel=1e-9)
    tube = Tube(0.1, 0.02).at(0.0)
    assert tube.It == tube.Iy + tube.Iz


@pytest.mark.parametrize("radius", [1e-2, 3e-5, 1e-5])
def test_thin_wires_have_torsional_modes(radius: float) -> None:
    """Their inertia about themselves is small but not zero: k/2 waves of the speed sqrt(G/density)."""
    wire = beam(1.0, Tube(2 * radius), 2.6, 1.0, modes=6, G=1.0, along="t", nodes={"root": 0.0}, elements=40)
    assert wire.frequencies[:2] == pytest.approx([0.5, 1.0], rel=3e-2)


def test_a_mode_that_moves_no_node_has_the_scale_of_the_body() -> None:
    """Its scale is not that of rounding."""
    rod = beam(1.0, Rectangle(0.04, 0.02), 2.1e11, 7800.0, modes=3, along="x", nodes={"mid": 0.5})
    assert np.all(np.diag(rod.inertia.Me) < 10 * rod.mass)


def test_modes_of_equal_planes_are_separate() -> None:
    """Each mode of a tube bends along y, or along z, or twists, independent of rounding."""
    tube = beam(1.0, Tube(0.05, 0.005), **STEEL, modes=14, along="xyzt", nodes={"root": 0.0, "mid": 0.5, "tip": 1.0})
    for Y in (node.Y1 for node in tube.nodes.values()):
        kinds = np.array([np.abs(Y[rows]).max(axis=0) > 0.0 for rows in ([0], [1, 5], [2, 4], [3])])
        assert np.all(kinds.sum(axis=0) <= 1)
    assert tube.frequencies[0] == pytest.approx(tube.frequencies[1], rel=1e-9)


@pytest.mark.parametrize("thick", [1, 2])
def test_beams_buckle_at_the_exact_loads(thick: int) -> None:
    """A flat cantilever is pressed along (Euler: pi² E I/4 L²) and by a load across (Prandtl:
    4.0126 (E I G It)^½/L²).
    """
    E, G, sides = 7e10, 2.7e10, {1: (0.1, 0.005), 2: (0.005, 0.1)}
    section = Rectangle(*sides[thick])
    cut, second = section.at(0.0), 0.1 * 0.005**3 / 12
    strip = beam(1.0, section, E, 2700.0, modes=20, G=G)
    tip = strip.node("tip").seen_from(strip.node("root"))
    sideways = 4.0126 * math.sqrt(E * second * G * cut.It)
    for Y2, expected in (
        (-tip.Y2[0], math.pi**2 * E * second / 4),
        (tip.Y2[thick], sideways),
        (-tip.Y2[thick], sideways),
    ):
        assert 1.0 / eigh(Y2, strip.stiffness, eigvals_only=True)[-1] == pytest.approx(expected, rel=1e-3)


def test_each_mode_has_its_damping_ratio() -> None:
    """Ratios of critical damping are in the order of rising frequency."""
    ratios = [0.01, 0.02, 0.03, 0.05]
    assert unit_beam(4, damping=ratios).damping_ratios() == pytest.approx(ratios, rel=1e-9)
    with pytest.raises(mbs.ModelError, match=r"damping is \[0.1, 0.1\]: give damping ratios.* one or 4 of them"):
        unit_beam(4, damping=[0.1, 0.1])
