"""Data of elastic bodies: coordinates, files, and numbers that no body has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.elastic.beam import beam
from mbs_fmu.elastic.frames import Node, moved
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.modes_files import FORMAT, OLDEST
from mbs_fmu.elastic.sections import Rectangle
from mbs_fmu.elastic.shapes import invariants
from support.comparisons import assert_close
from support.oracles.elastic_pieces import random_node, random_pieces

pytestmark = pytest.mark.quick


def random_body(seed: int = 0, modes: int = 3) -> Modes:
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(modes, modes))
    nodes = {"root": random_node(rng, modes), "tip": random_node(rng, modes)}
    stiffness = factor @ factor.T + 0.1 * np.eye(modes)
    return Modes(invariants(random_pieces(rng, modes=modes)), stiffness, 0.01 * stiffness, nodes)


def arrays(body: Modes) -> list[np.ndarray]:
    nodes = [part for node in body.nodes.values() for part in (node.position, node.axes, node.Y1, node.Y2)]
    return [*vars(body.inertia).values(), body.stiffness, body.damping_matrix, *nodes]


@pytest.mark.parametrize("seed", range(4))
def test_normal_coordinates_change_only_the_coordinates(seed: int) -> None:
    """Frequencies, free and held, and compliances are the body's; Me and K are diagonal, the largest motion is 1 m."""
    body = random_body(seed)
    normal = body.normal()
    assert normal.frequencies == pytest.approx(body.frequencies, rel=1e-9)
    assert normal.held("tip") == pytest.approx(body.held("tip"), rel=1e-8)
    assert normal.compliance("tip", "root") == pytest.approx(body.compliance("tip", "root"), rel=1e-8, abs=1e-10)
    for matrix in (normal.inertia.Me, normal.stiffness):
        assert np.array_equal(matrix, np.diag(np.diag(matrix)))
    for k in range(body.count):
        moves = [node.Y1[:, k] for node in normal.nodes.values()]
        largest = max(max(np.linalg.norm(y[:3]), body.size * np.linalg.norm(y[3:])) for y in moves)
        assert largest == pytest.approx(1.0, rel=1e-12)
    shapes = body.combined(body.normal_coordinates())
    assert shapes.compliance("tip", "root") == pytest.approx(body.compliance("tip", "root"), rel=1e-8, abs=1e-10)
    assert shapes.stiffness == pytest.approx(normal.stiffness, rel=1e-9, abs=1e-9 * normal.stiffness.max())
    again = normal.normal()
    for k, (a, b) in enumerate(zip(arrays(normal), arrays(again), strict=True)):
        assert_close(a, b, 1e-9 + 1e-7 * np.abs(b), f"array {k}")


def test_frequencies_of_a_held_body_equal_those_of_a_held_frame() -> None:
    """The frequencies at a held node are those by dense matrices of a frame that moves with it."""
    body = random_body(5)
    M = moved(body.inertia, body.node("tip")).matrix(np.zeros(3))[6:, 6:]
    squares = np.linalg.eigvals(np.linalg.solve(M, body.stiffness))
    assert 2 * np.pi * body.held("tip") == pytest.approx(np.sort(np.sqrt(squares.real)), rel=1e-9)


def test_fewer_modes_keep_the_lowest_ones_and_stiffen_the_body() -> None:
    """The lowest ones stay as they are; a body of fewer shapes is stiffer."""
    rod = beam(1.0, Rectangle(0.04, 0.02), 2.1e11, 7800.0, 10)
    few = rod.keep(count=6)
    assert few.frequencies == pytest.approx(rod.frequencies[:6], rel=1e-12)
    assert np.all(few.held("root") >= rod.held("root")[:6] * (1 - 1e-12))
    held = rod.keep(count=6, held="root")
    assert held.held("root") == pytest.approx(rod.held("root")[:6], rel=1e-9)
    assert repr(held) == "<elastic body: 6.24 kg, 6 modes, nodes root, tip>"
    assert rod.keep(below=900.0).count == int(np.sum(rod.frequencies < 900.0))


def test_damping_is_a_ratio_of_the_critical_one() -> None:
    ratios = [0.01, 0.02, 0.5]
    body = random_body(2).with_damping(ratios)
    critical = 2 * np.sqrt(np.diag(body.stiffness) * np.diag(body.inertia.Me))
    assert np.diag(body.damping_matrix) == pytest.approx(critical * ratios, rel=1e-12)
    assert body.damping_ratios() == pytest.approx(ratios, rel=1e-9)


def test_damping_of_a_held_body_gives_its_decay_rates() -> None:
    """Held there, each mode decays with its ratio, M xi'' + D xi' + K xi = 0, linearly in the ratio."""
    rod = beam(1.0, Rectangle(0.04, 0.02), 2.1e11, 7800.0, 6)
    body = rod.with_damping(0.01, held="root")
    M = moved(body.inertia, body.node("root")).Me
    n = body.count
    rates = [-np.linalg.solve(M, A) for A in (body.stiffness, body.damping_matrix)]
    computed = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], rates]))
    assert -computed.real / np.abs(computed) == pytest.approx(np.full(2 * n, 0.01), rel=1e-6)
    assert body.damping_ratios("root") == pytest.approx(np.full(n, 0.01), rel=1e-9)
    more = rod.with_damping(0.03, held="root").damping_matrix
    assert more == pytest.approx(3 * body.damping_matrix, rel=1e-12, abs=1e-12 * more.max())
    with pytest.raises(mbs.ModelError, match="unknown node 'end'"):
        rod.with_damping(0.01, held="end")


def test_places_are_rounded_to_the_ends() -> None:
    """0.1 + 0.2 is valid on a beam of 0.3 m."""
    rod = beam(0.3, Rectangle(0.04, 0.02), 2.1e11, 7800.0, nodes={"root": -1e-12, "tip": 0.1 + 0.2})
    assert rod.node("root").position[0] == 0.0 and rod.node("tip").position[0] == 0.3


def test_saved_modes_are_loaded_bit_for_bit(tmp_path: Path) -> None:
    """Names and order of nodes are the same too; other files are refused with their name."""
    body, path = random_body(), tmp_path / "body.npz"
    body.save(path)
    loaded = Modes.load(path)
    assert list(loaded.nodes) == ["root", "tip"]
    assert all(np.array_equal(a, b) for a, b in zip(arrays(body), arrays(loaded), strict=True))
    whole = path.read_bytes()
    for damaged in (b"", b"no file of numpy", whole[: len(whole) // 2]):
        path.write_bytes(damaged)
        with pytest.raises(mbs.ModelError, match=r"body\.npz is not a file of modes"):
            Modes.load(path)
    for names in ('[["a"]]', '{"a": 1}', "[[[["):
        np.savez(path, nodes=np.array(names), format=FORMAT)
        with pytest.raises(mbs.ModelError, match="not a file of modes"):
            Modes.load(path)
    np.savez(path, format=FORMAT + 1)
    with pytest.raises(
        mbs.ModelError, match=f"has format {FORMAT + 1}: this version reads formats {OLDEST} to {FORMAT}"
    ):
        Modes.load(path)
    np.savez(path, mass=1.0)
    with pytest.raises(mbs.ModelError, match="not a file of modes"):
        Modes.load(path)


def test_printed_modes_have_mass_frequencies_and_damping() -> None:
    rod = beam(1.0, Rectangle(0.04, 0.02), 2.1e11, 7800.0, 8)
    text = str(rod)
    for part in ("6.24 kg, 8 modes, 2 nodes", "held at root, Hz", "16.763", "tip", "1.4881e-05, 5.9524e-05", "rk4"):
        assert part in text
    assert "0 nodes" in str(Modes(rod.inertia, rod.stiffness))


def test_places_are_printed_without_rounding_errors() -> None:
    """The centre of a plate's edge is the mean of its nodes, 1e-17 m beside the axis."""
    plate = mbs.plate(0.5, 0.3, 0.002, E=2.1e11, nu=0.3, density=7800.0, elements=(4, 6), modes=1)
    noisy = replace(plate.nodes["root"], position=np.array([0.0, -4e-18, 0.0]))
    assert "root  (0, 0, 0)" in str(replace(plate, nodes={**plate.nodes, "root": noisy}))


def table(**changes: Any) -> Modes:
    """Return a body from tables: two masses of 1 kg on a spring, and a rigid cross."""
    numbers: dict[str, Any] = {
        "mass": 2.0, "S0": (0, 0, 0), "J0": np.eye(3), "Me": [[2.0]], "K": [[8.0]],
        "nodes": {"root": Node(np.zeros(3), np.eye(3), np.zeros((6, 1)), np.zeros((6, 1, 1)))},
    }  # fmt: skip
    return Modes.invariants(**(numbers | changes))


@pytest.mark.parametrize("seed", range(20))
def test_rigid_motions_among_the_modes_are_refused(seed: int) -> None:
    """A shape a + b x s beside two that deform is refused, with any stiffness."""
    rng = np.random.default_rng(seed)
    pieces = random_pieces(rng)
    shift, turn = rng.normal(size=(2, 3))
    pieces.shapes[:, :, 0] = shift + np.cross(turn, pieces.place)
    pieces.rotations[:, :, 0] = turn
    with pytest.raises(mbs.ModelError, match="rigid motion of the whole body"):
        Modes(invariants(pieces), np.diag([1.0, 2.0, 3.0]))


def test_mechanisms_are_refused() -> None:
    """Several mechanisms are refused too, and axes about which a body turns without inertia."""
    inertia = invariants(random_pieces(np.random.default_rng(1)))
    with pytest.raises(mbs.ModelError, match="almost no stiffness"):
        Modes(inertia, np.diag([1e-9, 2e-9, 1e6]))
    with pytest.raises(mbs.ModelError, match="about which it has no inertia"):
        table(J0=np.zeros((3, 3)), S0=(0, 0, 0), C0=[[1.0], [0], [0]])


def test_missing_tables_are_zero() -> None:
    """Tables that are omitted count as zero."""
    body = table()
    assert body.frequencies == pytest.approx([2.0 / (2 * np.pi)])
    assert not body.inertia.J2.any() and body.count == 1


NODE = Node(np.zeros(3), np.eye(3), np.zeros((6, 1)), np.zeros((6, 1, 1)))
TWO = {"Me": np.eye(2), "K": np.diag([1.0, 2.0]), "nodes": {}}
MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"mass": 0.0}, r"mass of an elastic body is 0 kg"),
    ({"mass": float("nan")}, r"mass of an elastic body has numbers that are not finite"),
    ({"J0": np.diag([1.0, 1.0, 3.0])}, r"no body has the moments of inertia 1, 1, 3"),
    ({"Me": []}, r"one mode or more"),
    ({"Me": [[1, 2], [3]]}, r"one mode or more"),
    ({"K": [[1.0, 0.0]]}, r"stiffness of modes has shape \(1, 2\), not \(1, 1\)"),
    ({"K": "stiff"}, r"stiffness of modes is 'stiff': give real numbers"),
    ({"K": [[-1.0]]}, r"stiffness of modes is not positive"),
    ({"K": [[1j]]}, r"stiffness of modes is .*give real numbers"),
    ({"nodes": [NODE]}, r"nodes of an elastic body are .*by name"),
    ({"D": [[-1.0]]}, r"damping of modes is not positive"),
    (TWO | {"K": np.diag([1e-9, 2e6])}, r"first mode has almost no stiffness"),
    (TWO | {"Me": np.ones((2, 2))}, r"depend on each other"),
    (TWO | {"Me": [[1.0, 0.1], [0.0, 1.0]]}, r"Me is not symmetric"),
    ({"S1": [[2.0], [0.0], [0.0]]}, r"rigid motion of the whole body"),
    ({"S3": 0.0}, r"unknown invariant 'S3'"),
    ({"nodes": {"a b": NODE}}, r"node name 'a b' must be an identifier"),
    ({"nodes": {"a": 3}}, r"node 'a' is 3: give an ElasticNode"),
    ({"nodes": {"a": replace(NODE, axes=2 * np.eye(3))}}, r"axes of node 'a' are not a rotation"),
    ({"nodes": {"a": replace(NODE, Y1=np.zeros((6, 2)))}}, r"Y1 of node 'a' has shape \(6, 2\), not \(6, 1\)"),
]


@pytest.mark.parametrize(("changes", "message"), MISTAKES, ids=[message for _, message in MISTAKES])
def test_numbers_that_no_body_has_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(mbs.ModelError, match=message) as caught:
        table(**changes)
    assert "\n" not in str(caught.value)


def test_other_invalid_arguments_are_refused() -> None:
    rod = beam(1.0, Rectangle(0.04, 0.02), 2.1e11, 7800.0, 8)
    for mistake, message in (
        (lambda: rod.node("tpi"), r"unknown node 'tpi' \(did you mean 'tip'\?\); this elastic body has root, tip"),
        (lambda: rod.keep(), r"give either the number of modes"),
        (lambda: rod.keep(count=9), r"can't keep 9 modes: give a whole number, 1 to 8"),
        (lambda: rod.keep(below=1.0), r"no mode lies below 1 Hz: the first has 106"),
        (lambda: rod.with_damping("much"), r"damping is 'much': give damping ratios"),  # type: ignore[arg-type]
        (lambda: rod.combined(np.eye(7)), r"V has shape \(7, 7\), not \(8, 7\)"),
        (lambda: Modes("rod", 1.0), r"inertia of an elastic body is 'rod': use Modes.invariants"),  # type: ignore[arg-type]
        (lambda: rod.node(["tip"]), r"unknown node \['tip'\]"),  # type: ignore[arg-type]
        (lambda: rod.with_damping([0.1, 0.2]), r"damping is .*: give damping ratios"),
    ):
        with pytest.raises(mbs.ModelError, match=message):
            mistake()
