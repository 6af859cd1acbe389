"""Superelements: bodies from reduced matrices, against the full models that an independent reduction made them of."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("scipy")
import scipy.linalg
import scipy.sparse

import mbs_fmu as mbs
from mbs_fmu.elastic.modes import Modes
from support.oracles.finite_elements import box, line, truss
from support.oracles.superelements import Handed

pytestmark = pytest.mark.quick
Array = np.ndarray


def frequencies(M: Array, K: Array, held: int | None = None) -> Array:
    """Return the frequencies of matrices, Hz: free, or with the six dofs from `held` on at rest."""
    keep = np.arange(len(M)) if held is None else np.delete(np.arange(len(M)), np.arange(held, held + 6))
    squares = scipy.linalg.eigh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)], eigvals_only=True)
    return np.asarray(np.sqrt(np.abs(squares[6 if held is None else 0 :])) / (2 * np.pi))


def flange(seed: int) -> Handed:
    """A solid whose ends are rigid to two nodes of six dofs, as coupling elements make them; random places."""
    full, rng = box(), np.random.default_rng(seed)
    ends = [full.frames["root"], full.frames["tip"]]
    centers = np.array([full.nodes[nodes].mean(0) + rng.uniform(-0.02, 0.02, 3) for nodes in ends])
    bound = [3 * k + i for nodes in ends for k in nodes for i in range(3)]
    L = np.delete(np.eye(len(full.M)), bound, 1)
    for nodes, at in zip(ends, centers, strict=True):
        follow = np.zeros((len(full.M), 6))
        for k in nodes:
            x, y, z = full.nodes[k] - at
            follow[3 * k : 3 * k + 3] = np.hstack([np.eye(3), [[0, z, -y], [-z, 0, x], [y, -x, 0]]])
        L = np.hstack([L, follow])
    M, K = L.T @ full.M @ L, L.T @ full.K @ L
    order = np.r_[len(M) - 12 : len(M), : len(M) - 12]  # the flanges first; inner nodes have three dofs
    M, K = M[np.ix_(order, order)], K[np.ix_(order, order)]
    inner = np.arange(12, len(M))
    T = np.zeros((len(M), 12 + 8))
    T[:12, :12] = np.eye(12)
    T[inner, :12] = -np.linalg.solve(K[np.ix_(inner, inner)], K[inner, :12])
    T[inner, 12:] = scipy.linalg.eigh(K[np.ix_(inner, inner)], M[np.ix_(inner, inner)])[1][:, :8]
    handed = object.__new__(Handed)
    handed.full, handed.interface, handed.q, handed.T = full, [0, 1], 8, T
    handed.M, handed.K, handed.places, handed.names = T.T @ M @ T, T.T @ K @ T, centers, ["root", "tip"]
    return handed


def tower(seed: int) -> Handed:
    """The tower of beams on three random nodes."""
    return Handed(truss(), np.random.default_rng(seed).permutation(9)[:3].tolist(), 7)


CASES = [
    *(tower(seed) for seed in range(4)),
    *(flange(seed) for seed in range(3)),
    Handed(truss(), [4], 6),
    Handed(line(12), [0, 12], 6),
]


@pytest.mark.parametrize("handed", CASES)
def test_frequencies_free_and_held_are_those_of_the_matrices(handed: Handed) -> None:
    body = handed.body()
    assert body.count == len(handed.M) - 6
    assert np.allclose(body.frequencies, frequencies(handed.M, handed.K), rtol=1e-8)
    for k, name in enumerate(handed.names):
        assert np.allclose(body.held(name), frequencies(handed.M, handed.K, 6 * k), rtol=1e-8)


@pytest.mark.parametrize("handed", [*CASES[:4], CASES[-1]])
def test_it_is_the_body_that_the_full_model_gives(handed: Handed) -> None:
    """The spaces of shapes are the same, so all data but the terms of second order are."""
    body, full = handed.body(), handed.full
    frames = {name: [k] for name, k in zip(handed.names, handed.interface, strict=True)}
    whole = mbs.Modes.matrices(full.nodes, full.M, full.K, frames, modes=handed.q, dofs=6)
    assert body.mass == pytest.approx(whole.mass, rel=1e-9)
    assert np.allclose(body.inertia.center, whole.inertia.center, atol=1e-9)
    assert np.allclose(body.inertia.J0, whole.inertia.J0, atol=1e-9 * whole.inertia.J0.max())
    assert np.allclose(body.frequencies, whole.frequencies, rtol=1e-7)
    root, tip = handed.names[:2]
    assert np.allclose(body.effective_mass(root), whole.effective_mass(root), atol=1e-6 * whole.mass)
    assert np.allclose(
        body.compliance(tip, root), whole.compliance(tip, root), atol=1e-6 * whole.compliance(tip, root).max()
    )


def second_order(body: Modes, like: Modes) -> Array:
    """Return J1, J2 of a body in one array, its modes with the signs of those of another body."""
    ours, theirs = (np.concatenate([node.Y1 for node in b.nodes.values()]) for b in (body, like))
    inertia = body.combined(np.diag(np.sign(np.sum(ours * theirs, axis=0)))).inertia
    return np.concatenate([inertia.J1[..., :4].ravel(), inertia.J2[..., :4, :4].ravel()])


def test_recovery_points_give_the_terms_of_second_order() -> None:
    handed = Handed(line(12), [0, 12], 6)
    frames = {"n0": [0], "n12": [12]}
    whole = mbs.Modes.matrices(handed.full.nodes, handed.full.M, handed.full.K, frames, modes=6, dofs=6)
    exact = second_order(whole, whole)
    errors = []
    for nodes in ([], [6], [3, 6, 9], [2, 4, 6, 8, 10]):
        body = handed.body(**handed.recovered(nodes)) if nodes else handed.body()
        errors.append(np.abs(second_order(body, whole) - exact).max() / np.abs(exact).max())
        assert np.allclose(body.frequencies, whole.frequencies, rtol=1e-7)
    assert errors[0] == pytest.approx(1.0)
    assert all(late < early for early, late in itertools.pairwise(errors))
    assert errors[-1] < 0.05  # points do not show the rotary inertia of torsion


def test_names_frames_units_damping_and_files_of_bodies(tmp_path: Any) -> None:
    handed = CASES[0]
    n, size = 18, len(handed.M)
    r = np.r_[np.tile([1e3] * 3 + [1.0] * 3, 3), np.full(size - n, np.sqrt(1e-3) * 1e3)]  # of mm, t, s per SI unit
    M, K = (A / 1e3 * 1e6 / np.outer(r, r) for A in (handed.M, handed.K))  # energy: t mm²/s² is 1e-3 J
    body = mbs.Modes.superelement(1e3 * handed.places, M, K, names={2: "hub"}, damping=1e-5 * K, units="mm,t,s")
    assert list(body.nodes) == ["hub", "node1", "node3"]
    assert body.mass == pytest.approx(handed.body().mass)
    assert np.allclose(body.frequencies, handed.body().frequencies, rtol=1e-7)
    assert np.allclose(body.damping_matrix, 1e-5 * body.stiffness, atol=1e-9 * body.stiffness.max())
    body.save(tmp_path / "tower.npz")
    again = mbs.Modes.load(tmp_path / "tower.npz")
    assert again.notes == body.notes and "unknown and zero" in body.notes[-1] and body.notes[-1] in str(again)


def test_nodes_of_one_name_make_one_frame() -> None:
    handed = CASES[1]
    names = {1: "foot", 2: "foot", 3: "top"}
    average, rigid = (handed.body(names=names, couple=couple) for couple in ("average", "rigid"))
    assert list(average.nodes) == list(rigid.nodes) == ["foot", "top"]
    assert np.allclose(average.node("foot").position, handed.places[:2].mean(0))
    assert (average.count, rigid.count) == (len(handed.M) - 6, len(handed.M) - 12)
    assert rigid.frequencies[0] > average.frequencies[0]


def test_stress_rows_see_deformations_only() -> None:
    handed = CASES[-1]
    B = np.zeros((6, len(handed.M)))
    B[0, [0, 6]] = -1e9, 1e9
    body = handed.body(stress={"gauge": B})
    assert list(body.stress) == ["gauge"]
    with pytest.raises(mbs.ModelError, match="unit rigid motion along x"):
        handed.body(stress={"gauge": np.abs(B)})


def test_wrong_units_and_masses_are_noted() -> None:
    handed = CASES[0]
    body = mbs.Modes.superelement(1e3 * handed.places, *scaled_to_mm(handed))
    assert "kg/m³: check the units" in body.notes[0]
    assert not any("check the units" in note for note in handed.body().notes)


def scaled_to_mm(handed: Handed) -> tuple[Array, Array]:
    """Return M and K of lengths in mm that pass as m."""
    r = np.r_[np.tile([1e3] * 3 + [1.0] * 3, 3), np.full(len(handed.M) - 18, 1e3)]
    return 1e6 * handed.M / np.outer(r, r), 1e6 * handed.K / np.outer(r, r)


def free_interface(h: Handed) -> dict[str, Array]:
    """Coordinates of modes that take part in rigid motions."""
    S = np.eye(len(h.K))
    S[18:, :18] = 0.1 * np.random.default_rng(1).standard_normal((7, 18))
    return {"K": S.T @ h.K @ S, "M": S.T @ h.M @ S}


def changed(A: Array, *at: int, by: float = 0.0) -> Array:
    A = A.copy()
    A[at] += by
    return A


def apart(handed: Handed) -> dict[str, Any]:
    """Two bodies in one superelement."""
    M, K = (scipy.linalg.block_diag(A[:18, :18], A[:18, :18]) for A in (handed.M, handed.K))
    return {"places": np.concatenate([handed.places, handed.places + 1.0]), "M": M, "K": K, "modal": 0, "names": None}


WRONG = {
    "a support": (lambda h: {"K": changed(h.K, 1, 1, by=1e6)}, r"resists a rigid motion along y, by 1e\+06 .* node 1"),
    "axes": (lambda h: {"places": h.places[:, [1, 2, 0]]}, "resists a rigid motion about"),
    "units": (lambda h: {"places": 1e3 * h.places}, "resists a rigid motion about .* modes with a fixed interface"),
    "a free interface": (free_interface, "not of free-interface modes, which take part in rigid motions"),
    "parts": (apart, "K has 12 motions without stiffness, a body six"),
    "a loose row": (
        lambda h: {"K": np.pad(h.K, (0, 1)), "M": np.pad(h.M, (0, 1)), "modal": 8}, "stiffness in its row 26"),
    "no K": (lambda h: {"K": None}, "K is missing: give places, M and K, or the names of two files"),
    "arrays beside files": (lambda h: {"places": "a.op4", "M": "a.asm", "K": None}, "modal is given beside files"),
    "negative stiffness": (
        lambda h: {"K": changed(h.K, 18, 18, by=-1.5 * h.K[18, 18])}, "no stiffness in its row 19"),
    "negative mass": (lambda h: {"M": changed(h.M, 20, 20, by=-3.0)}, "M is not positive"),
    "uneven mass": (lambda h: {"M": changed(h.M, 0, 0, by=1.0)}, "kg along x, y, z"),
    "another momentum": (lambda h: {"M": momentum(h.M)}, "a momentum that no body has"),
    "complex": (lambda h: {"K": h.K * 1j}, "K has complex numbers"),
    "not a number": (lambda h: {"M": changed(h.M, 3, 3, by=np.nan)}, "M has numbers that are not finite"),
    "asymmetry": (lambda h: {"K": changed(h.K, 3, 9, by=1e6)}, "K is not symmetric"),
    "sizes": (lambda h: {"modal": 6}, re.escape("M has shape (25, 25): 3 interface nodes of six dofs and 6 modal")),
    "few rows": (lambda h: {"K": h.K[:12, :12], "modal": None}, "modal is -6"),
    "half a mode": (lambda h: {"modal": 1.5}, "modal is 1.5"),
    "no places": (lambda h: {"places": np.zeros((0, 3))}, "places is empty"),
    "flat places": (lambda h: {"places": [1.0, 2.0, 3.0]}, "places has shape"),
    "text": (lambda h: {"places": "arm"}, "places is 'arm'"),
    "an unknown node": (lambda h: {"names": {7: "hub"}}, "names has node 7: the interface nodes are 1, 2, 3"),
    "a name": (lambda h: {"names": {1: "a b"}}, "node 1 is named 'a b'"),
    "few names": (lambda h: {"names": ["hub"]}, "give one for each of 3"),
    "a coupling": (lambda h: {"couple": "glue"}, "couple is 'glue'"),
    "recovery alone": (lambda h: {"recovery": np.zeros((3, 25))}, "recovery and at belong together"),
    "recovery of another size": (lambda h: {"recovery": np.zeros((3, 4)), "at": [[0, 0, 0]]}, "recovery has shape"),
    "recovery elsewhere": (lambda h: h.recovered([5]) | {"at": h.full.nodes[[4]]}, "recovery moves point 0 by"),
    "few points": (lambda h: {"recovery": np.zeros((6, 25)), "at": [[0, 0, 0]]}, "at has 1 points, recovery 6 rows"),
    "stress": (lambda h: {"stress": np.zeros((6, 25))}, "stress must be a dictionary by name"),
    "damping": (lambda h: {"damping": np.eye(25)}, "damping_matrix damps the rigid motion"),
    "unknown units": (lambda h: {"units": "furlong"}, "name length, mass and time"),
}  # fmt: skip


def momentum(M: Array) -> Array:
    """Couple translations and rotations of the first node as no body does."""
    return changed(changed(M, 0, 3, by=0.1), 3, 0, by=0.1)


@pytest.mark.parametrize("handed", [*CASES[:3], CASES[-1]])
def test_points_at_interface_nodes_show_a_free_interface(handed: Handed) -> None:
    """Modes with boundary parts P are refused by points at their nodes, and right after P is subtracted."""
    b, q, rng = 6 * len(handed.places), handed.q, np.random.default_rng(3)
    P = 0.1 * rng.standard_normal((b, q)) * np.sqrt(handed.M.diagonal()[b:] / handed.body().mass)
    free, back = np.eye(b + q), np.eye(b + q)
    free[:b, b:], back[:b, b:] = P, -P
    points = handed.recovered([handed.interface[1]])
    M, K, rows = free.T @ handed.M @ free, free.T @ handed.K @ free, points["recovery"] @ free
    options = {"names": handed.names, "modal": q, "at": points["at"]}
    with pytest.raises(mbs.ModelError, match=r"motion of modal coordinate .*: the modes have a free interface"):
        mbs.Modes.superelement(handed.places, M, K, recovery=rows, **options)
    unseen = mbs.Modes.superelement(handed.places, M, K, names=handed.names, modal=q)
    assert unseen.notes[0].startswith("K couples interface dofs and modal coordinates")
    M, K, rows = back.T @ M @ back, back.T @ K @ back, rows @ back
    body = mbs.Modes.superelement(handed.places, M, K, recovery=rows, **options)
    assert np.allclose(body.held(handed.names[0]), handed.body().held(handed.names[0]), rtol=1e-6)
    assert not any("K couples" in note for note in body.notes)


def test_points_at_interface_nodes_have_the_rows_of_these() -> None:
    handed = CASES[0]
    points = handed.recovered([handed.interface[0]])
    points["recovery"][:, 3:6] += [[0, 1e-3, 0], [0, 0, 0], [0, 0, 0]]
    points["recovery"][:, 9:12] -= [[0, 1e-3, 0], [0, 0, 0], [0, 0, 0]]  # the rigid motion is right
    with pytest.raises(mbs.ModelError, match=r"point 0 along x by .* about y of node .*: check the order"):
        handed.body(**points)


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_data_are_refused(wrong: str) -> None:
    handed = CASES[0]
    change, message = WRONG[wrong]
    arguments = {"places": handed.places, "M": handed.M, "K": handed.K, "modal": 7, "names": None} | change(handed)
    with pytest.raises(mbs.ModelError, match=message):
        mbs.Modes.superelement(**arguments)


def test_a_whole_model_is_refused_before_it_becomes_dense() -> None:
    K = scipy.sparse.eye_array(10**7)
    with pytest.raises(mbs.ModelError, match="a superelement 5000 at most"):
        mbs.Modes.superelement(np.zeros((2, 3)), K, K)


def damaged(handed: Handed, rng: np.random.Generator, which: str) -> dict[str, Any]:
    """Return arguments of which one array has a wrong number, row, order, size or scale."""
    arrays = {"places": handed.places, "M": handed.M, "K": handed.K} | handed.recovered([2, 4])
    A = arrays[which].copy()
    i, j = (int(rng.integers(0, size)) for size in A.shape)
    if how := int(rng.integers(0, 7)):
        with np.errstate(over="ignore"):
            match how:
                case 1:
                    A *= rng.choice([0.0, -1.0, 1e-200, 1e200, 1e3])
                case 2:
                    A[i] = 0.0
                case 3:
                    A = A[rng.permutation(len(A))]
                case 4:
                    A = A[:-1] if rng.random() < 0.5 else A[:, :-1]
                case 5:
                    A[i, j] += rng.standard_normal() * np.abs(A).max()
                case 6 if len(A) == A.shape[1]:
                    p = rng.permutation(len(A))
                    A = A[np.ix_(p, p)]
    else:
        A[i, j] = rng.choice([np.nan, np.inf, 1e300, 0.0, -A[i, j], 1e-300])
    return arrays | {which: A}


@pytest.mark.parametrize("which", ["places", "M", "K", "recovery", "at"])
@pytest.mark.filterwarnings("error")
def test_damaged_arrays_are_read_or_refused(which: str) -> None:
    handed, rng, refused = Handed(truss(), [0, 8], 3), np.random.default_rng(len(which)), 0
    for _ in range(60):
        arguments = damaged(handed, rng, which)
        try:
            mbs.Modes.superelement(**arguments, modal=3)
        except mbs.ModelError as error:
            refused += 1
            assert "\n" not in str(error) and len(str(error)) < 700
    assert refused > 30
