"""Standard input data: an independent writer of the format, laws of the format, and invalid files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import mbs_fmu as mbs
from mbs_fmu.elastic.frames import Node, moved
from mbs_fmu.elastic.modes import Modes
from mbs_fmu.elastic.shapes import Inertia, Pieces, invariants
from mbs_fmu.elastic.sid import read
from support.comparisons import assert_close
from support.oracles.elastic_pieces import random_node, random_pieces
from support.oracles.finite_elements import bar_boom

pytestmark = pytest.mark.quick

Array = np.ndarray
Body = tuple[Inertia, Array, Array, dict[str, Node]]
Matrix = tuple[Array, Array, int]  #: m0, (rows, columns); m1, (rows, q, columns); structure
XX, YY, ZZ, XY, YZ, XZ = (0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)
ANY, SYMMETRIC, UNIT = 3, 2, 4
SEEDS = range(4)


# -- the writer --------------------------------------------------------------------------------------------------
def tables(inertia: Inertia, K: Array, D: Array) -> dict[str, Matrix]:
    """Return all matrices of a file, entry by entry."""
    n = K.shape[0]
    rows, modes = range(3), range(n)
    made: dict[str, tuple[tuple[int, int], int]] = {
        "mdCM": ((3, 1), ANY), "J": ((6, 1), ANY), "Ct": ((n, 3), ANY), "Cr": ((n, 3), ANY), "Me": ((n, n), SYMMETRIC),
        "Gr": ((3, 3 * n), ANY), "Ge": ((n, 3 * n), ANY), "Oe": ((n, 6), ANY), "ksigma": ((n, 1), 0),
        "Ke": ((n, n), SYMMETRIC), "De": ((n, n), ANY),
    }  # fmt: skip
    matrices = {
        name: (np.zeros(shape), np.zeros((shape[0], n, shape[1])), kind) for name, (shape, kind) in made.items()
    }
    matrices["Me"][0][:], matrices["Ke"][0][:], matrices["De"][0][:] = inertia.Me, K, D
    for row, (i, j) in enumerate((XX, YY, ZZ, XY, XZ, YZ)):
        matrices["J"][0][row, 0] = inertia.J0[i, j]
        matrices["J"][1][row, :, 0] = inertia.J1[i, j]
    for i in rows:
        matrices["mdCM"][0][i, 0] = inertia.S0[i]
        matrices["mdCM"][1][i, :, 0] = inertia.S1[i]
    for a in modes:
        for i in rows:
            matrices["Ct"][0][a, i], matrices["Cr"][0][a, i] = inertia.S1[i, a], inertia.C0[i, a]
            for b in modes:
                matrices["Ct"][1][a, b, i], matrices["Cr"][1][a, b, i] = inertia.S2[i, a, b], inertia.C1[i, a, b]
                matrices["Ge"][0][a, n * i + b] = inertia.C1[i, a, b] - inertia.C1[i, b, a]
        for column, (i, j) in enumerate((XX, YY, ZZ, XY, YZ, XZ)):
            share = 0.5 if i == j else 1.0
            matrices["Oe"][0][a, column] = -share * inertia.J1[i, j, a]
            matrices["Oe"][1][a, :, column] = -share * inertia.J2[i, j, a]
    return matrices


def block(name: str, matrix: Matrix, letter: str = "D") -> list[str]:
    """Write a matrix without zeros and without the upper half of a symmetric matrix."""
    m0, m1, structure = matrix
    heads = {
        "order": int(m1.any()), "nrow": m0.shape[0], "ncol": m0.shape[1], "nq": m1.shape[1], "nqn": 0,
        "structure": structure,
    }  # fmt: skip
    lines = [f"   {name}", *(f"      {key:<20}  = {value:4d}" for key, value in heads.items())]
    for which, A in enumerate((m0, m1)):
        for index in np.argwhere(A):
            if structure != UNIT and not (structure == SYMMETRIC and index[0] < index[-1]):
                place = ", ".join(str(k + 1) for k in index)
                lines.append(f"      m{which}( {place})     ={fortran(A[tuple(index)], letter)}")
    return [*lines, f"   end {name}"]


def fortran(x: float, letter: str) -> str:
    return f"{x: .17e}".replace("e", letter)


def node_blocks(node: Node, letter: str) -> list[str]:
    """Return the lines of the nodes."""
    n = node.Y1.shape[1]
    none = np.zeros((3, n, 1))
    skews = np.zeros((3, n, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        skews[i, :, j], skews[j, :, i] = -node.Y1[3 + k], node.Y1[3 + k]
    parts: dict[str, Matrix] = {
        "origin": (node.position[:, None], none + node.Y1[:3, :, None], ANY),
        "phi": (node.Y1[:3], node.Y2[:3].swapaxes(1, 2), ANY),
        "psi": (node.Y1[3:], node.Y2[3:].swapaxes(1, 2), ANY),
        "AP": (node.axes, skews, ANY),
    }
    return [line for name, matrix in parts.items() for line in block(name, matrix, letter)]


def written(body: Body, letter: str = "D", **changed: Matrix) -> str:
    """Return the text of a file."""
    inertia, K, D, nodes = body
    n = K.shape[0]
    lines = [f"  {len(nodes)}  {n}   :No. nodes, No. modes: Prüfkörper, part = 1", " part  ", "  new modal     =  "]
    lines += ["   refmod", f"     mass   ={fortran(inertia.mass, letter)}", f"     nelastq  = {n:4d}"]
    lines += [f"     ielastq ( {k + 1:3d}) = Eigen Mode {k + 1:3d} :   1.135 Hz" for k in range(n)]
    lines += ["   end refmod", "   frame"]
    for name, node in nodes.items():
        lines += [f"   new node  = {int(name[4:]):6d}", "   rframe   = body ref"]
        lines += [*node_blocks(node, letter), "   end node  "]
    lines += ["   end frame"]
    for name, matrix in (tables(inertia, K, D) | changed).items():
        lines += block(name, matrix, letter)
    return "\n".join([*lines, "  end modal", " end part", ""])


# -- bodies ------------------------------------------------------------------------------------------------------
def positive(rng: np.random.Generator, n: int) -> Array:
    factor = rng.normal(size=(n, n))
    A: Array = factor @ factor.T + 0.1 * np.eye(n)
    return np.tril(A) + np.tril(A, -1).T


def random_body(seed: int, n: int = 3) -> Body:
    """Return a body with all data that invariants and nodes may have."""
    rng = np.random.default_rng(seed)
    nodes = {f"node{number}": random_node(rng, n) for number in (7, 12, 2519)}
    return invariants(random_pieces(rng, modes=n)), positive(rng, n), positive(rng, n), nodes


def arrays(body: Body) -> list[Array]:
    inertia, K, D, nodes = body
    parts = [part for node in nodes.values() for part in vars(node).values()]
    return [*(np.asarray(x) for x in vars(inertia).values()), K, D, *parts]


def reading(path: Path, text: str | bytes) -> Body:
    path.write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
    return read(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "arm.SID_FEM"


def assert_same(computed: Body, expected: Body) -> None:
    assert list(computed[3]) == list(expected[3])
    for k, (a, b) in enumerate(zip(arrays(computed), arrays(expected), strict=True)):
        assert a.shape == b.shape
        assert_close(a, b, 1e-14 * np.abs(b).max(), f"array {k}")


# -- laws of the format ------------------------------------------------------------------------------------------
def elements(text: str, name: str) -> dict[str, dict[tuple[int, ...], float]]:
    """Return m0 and m1 of a matrix as written in a file, with indices from 1."""
    inside = re.search(rf"^ *{name}$(.*?)^ *end {name}$", text, re.DOTALL | re.MULTILINE)
    assert inside
    values: dict[str, dict[tuple[int, ...], float]] = {"m0": {}, "m1": {}}
    for which, places, value in re.findall(r"(m[01])\(([\d, ]+)\) *= *(\S+)", inside[1]):
        values[which][tuple(int(k) for k in places.split(","))] = float(value.replace("D", "e"))
    return values


@pytest.mark.parametrize("seed", SEEDS)
def test_redundant_data_of_the_format_are_consistent(seed: int) -> None:
    """Ct0 = mdCM1ᵀ, Oe0 = -J1 with halves of the squares, Ge = C1 - C1ᵀ: the writer's files conform to the format."""
    n = 3
    text = written(random_body(seed, n))
    matrices = {name: elements(text, name) for name in ("mdCM", "J", "Ct", "Cr", "Ge", "Oe")}
    for a in range(1, n + 1):
        for i in (1, 2, 3):
            assert matrices["Ct"]["m0"][a, i] == matrices["mdCM"]["m1"][i, a, 1]
            for b in range(1, n + 1):
                C1 = matrices["Cr"]["m1"]
                Ge = matrices["Ge"]["m0"].get((a, n * (i - 1) + b), 0.0)  # no zeros are written
                assert Ge == pytest.approx(C1[a, b, i] - C1[b, a, i], abs=1e-14)
        for row, column, share in ((1, 1, 0.5), (2, 2, 0.5), (3, 3, 0.5), (4, 4, 1), (5, 6, 1), (6, 5, 1)):
            assert matrices["Oe"]["m0"][a, column] == pytest.approx(-share * matrices["J"]["m1"][row, a, 1], rel=1e-15)


@pytest.mark.parametrize("seed", SEEDS)
def test_Oe_is_the_centrifugal_force_on_the_shapes(seed: int) -> None:
    """(Oe0 + Oe1 xi) (w_x², .., w_x w_y, w_y w_z, w_x w_z) is the sum of m r_aᵀ w x (w x r), to first order in xi."""
    rng = np.random.default_rng(seed)
    random = random_pieces(rng)
    pieces = Pieces(random.mass, random.place, random.shapes, random.second, 0 * random.inertia, 0 * random.rotations)
    w, xi = rng.normal(size=3), rng.normal(size=3)
    m0, m1, _ = tables(invariants(pieces), np.eye(3), np.eye(3))["Oe"]
    monomials = np.array([w[i] * w[j] for i, j in (XX, YY, ZZ, XY, YZ, XZ)])

    def pull(e: float) -> Array:
        r = pieces.place + e * pieces.shapes @ xi + 0.5 * e**2 * pieces.second @ xi @ xi
        slopes = pieces.shapes + e * pieces.second @ xi
        return np.einsum("k,kia,ki->a", pieces.mass, slopes, np.cross(w, np.cross(w, r)))

    e = 1e-3
    slope = (8 * (pull(e) - pull(-e)) - (pull(2 * e) - pull(-2 * e))) / (12 * e)  # exact for a cubic
    assert m0 @ monomials == pytest.approx(pull(0.0), rel=1e-12)
    assert np.einsum("abc,b,c->a", m1, xi, monomials) == pytest.approx(slope, rel=1e-9, abs=1e-9)


# -- laws of the reader ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("seed", "n"), [(0, 1), (1, 2), (2, 3), (3, 3), (4, 11)])
def test_a_written_body_is_read_to_rounding(seed: int, n: int, file: Path) -> None:
    body = random_body(seed, n)
    assert_same(reading(file, written(body)), body)


def test_stress_stiffness_survives_a_file(file: Path) -> None:
    """A boom of bars at 20 rad/s, held at its root: 4.38 and 5.39 Hz, before and after, of 4.21 Hz at rest."""
    body = bar_boom().full().modes(modes=10, geometric="bars")
    nodes = {f"node{k + 1}": node for k, node in enumerate(body.nodes.values())}
    reading(file, written((body.inertia, body.stiffness, body.damping_matrix, nodes)))
    again = Modes.sid(file)
    assert again.foreshortening and "no geometric stiffness" not in str(again)
    frequencies = [spinning(modes, node) for modes, node in ((body, "root"), (again, "node1"))]
    assert frequencies[0][:2] == pytest.approx([4.377, 5.393], abs=2e-3)
    assert frequencies[1] == pytest.approx(frequencies[0], rel=1e-9)


def spinning(body: Modes, node: str, speed: float = 20.0) -> Array:
    """Return the first frequencies of a body that is held at a node and spins about z, without gyroscopic terms, Hz."""
    seen = moved(body.inertia, body.node(node))
    squares = eigh(body.stiffness - 0.5 * speed**2 * seen.J2[2, 2], seen.Me, eigvals_only=True)
    return np.asarray(np.sqrt(squares[:4]) / (2 * np.pi))


def test_a_read_body_has_the_frequencies_of_the_written_one(file: Path) -> None:
    inertia, K, D, nodes = random_body(1)
    reading(file, written((inertia, K, D, nodes)))
    computed = Modes.sid(file)
    expected = Modes(inertia, K, D, nodes)
    assert computed.held("node12") == pytest.approx(expected.held("node12"), rel=1e-8)


def test_numbers_of_no_body_are_refused_with_the_file(file: Path) -> None:
    inertia, K, D, nodes = random_body(1)
    reading(file, written((inertia, -K, D, nodes)))
    with pytest.raises(mbs.ModelError, match=rf"{file.name}: the stiffness of modes is not positive"):
        Modes.sid(file)


def square(body: Body) -> str:
    """Return J as 3 x 3, one triangle of it."""
    J0, J1 = body[0].J0, body[0].J1.swapaxes(1, 2)
    return written(body, J=(J0, J1, SYMMETRIC))


def unsymmetric(body: Body) -> str:
    """Return mixed columns of Oe1 with a part that has no effect."""
    m0, m1, _ = tables(*body[:3])["Oe"]
    other = np.random.default_rng(0).normal(size=m1.shape)
    return written(body, Oe=(m0, m1 + other - other.swapaxes(0, 1), ANY))


def with_zeros(body: Body) -> str:
    """Return a file with zero elements and both triangles of a symmetric matrix."""
    K = np.array(body[1])
    places = "".join(f"m0({i + 1},{j + 1})= {float(K[i, j])!r}\n" for i, j in np.ndindex(*K.shape))
    text = written(body)
    zeros = "".join(f"m0( {k}, 1) = 0\n" for k in (1, 2, 3))
    return text.replace("   end Ke", f"{places}   end Ke").replace("   end ksigma", f"{zeros}   end ksigma")


SIGMA = "sigma\norder = 1\nm1(1,1,1) = 1\nend sigma\n"
SPELLINGS: dict[str, Callable[[Body], str | bytes]] = {
    "E": lambda body: written(body, "E"),
    "e": lambda body: written(body, "e"),
    "d": lambda body: written(body, "d"),
    "Windows": lambda body: written(body).replace("\n", "\r\n"),
    "blank lines": lambda body: written(body).replace("\n", "\n \t\n\n"),
    "no blanks": lambda body: re.sub(r" *= *|(?<=[(,]) +", lambda match: match[0].strip(), written(body)),
    "tabs": lambda body: written(body).replace("  ", "\t"),
    "no heading": lambda body: written(body).split("\n", 1)[1],
    "a long heading": lambda body: "of an arm\n\nend part\n" + written(body),
    "text after the end": lambda body: written(body) + "m0 = part\n",
    "UTF-8": lambda body: b"\xef\xbb\xbf" + written(body).encode(),
    "square J": square,
    "unsymmetric Oe": unsymmetric,
    "zeros": with_zeros,
    "stresses of nodes": lambda body: written(body).replace("end node", f"{SIGMA}end node"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_variants_of_the_format_are_read(spelling: str, file: Path) -> None:
    body = random_body(5)
    assert_same(reading(file, SPELLINGS[spelling](body)), body)


def test_fortran_exponents_of_three_digits_are_read(file: Path) -> None:
    """They leave no room for the letter."""
    body = random_body(5)
    text = written(body, mdCM=(np.array([[2.5], [-1.25e-102], [3e100]]), body[0].S1[:, :, None], ANY))
    text = text.replace("e-102", "-102").replace("D-102", "-102").replace("D+100", "+100")
    assert "-102" in text and "D-102" not in text
    assert np.array_equal(reading(file, text)[0].S0, [2.5, -1.25e-102, 3e100])


def test_optional_data_have_defaults(file: Path) -> None:
    """De, ksigma, Gr, Ge are zero or follow from others; AP: axes are the body's; Me of structure 4: ones."""
    body = random_body(2)
    text = written(body, Me=(np.eye(3), np.zeros((3, 3, 3)), UNIT))
    for name in ("De", "ksigma", "Gr", "Ge", "AP"):
        text = re.sub(rf"^ *{name}\n.*?^ *end {name}\n", "", text, flags=re.DOTALL | re.MULTILINE)
    inertia, K, D, nodes = reading(file, text)
    plain = {name: replace(node, axes=np.eye(3)) for name, node in body[3].items()}
    assert_same((inertia, K, D, nodes), (replace(body[0], Me=np.eye(3)), body[1], np.zeros((3, 3)), plain))


def test_axes_of_few_digits_are_made_a_rotation(file: Path) -> None:
    body = random_body(3)
    node = body[3]["node12"]
    rough = replace(node, axes=np.round(node.axes, 6))
    axes = reading(file, written((*body[:3], {"node12": rough})))[3]["node12"].axes
    assert_close(axes @ axes.T, np.eye(3), 1e-14, "product of axes")
    assert_close(axes, node.axes, 1e-6, "axes of the node", "xyz")


# -- invalid files -----------------------------------------------------------------------------------------
def replaced(pattern: str, by: str, count: int = 1) -> Callable[[str], str]:
    """Return a change that replaces the first matches of a pattern, line by line."""

    def edit(text: str) -> str:
        edited, done = re.subn(pattern, by, text, count=count, flags=re.MULTILINE)
        assert done
        return edited

    return edit


def without(name: str) -> Callable[[str], str]:
    return replaced(rf"^ *{name}\n(?:.*\n)*? *end {name}\n", "")


MISTAKES: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda text: "", r"there is no line 'part': give a text file"),
    "another text": (lambda text: "*NODE\n1, 0, 0, 0\n", r"there is no line 'part'"),
    "binary": (lambda text: bytes(range(256)).decode("latin-1"), r"there is no line 'part'"),
    "part with a value": (lambda text: "part = 5\n", r"there is no line 'part'"),
    "UTF-16": (lambda text: text.encode("utf-16").decode("latin-1"), r"there is no line 'part'"),
    "cut off": (lambda text: text[: text.index("end Oe")], r"ends within 'Oe' of line \d+: export the file again"),
    "cut at a line": (replaced(r"^ *end modal\n end part\n", ""), r"the file ends within 'modal' of line 3"),
    "an end is lost": (replaced(r"^ *end phi\n", ""), r"line \d+ says 'end node' within 'phi' of line \d+: export"),
    "an end of nothing": (replaced(r"^ *end Me\n", "end\n"), r"line \d+ says 'end' within 'Me'"),
    "no modal": (lambda text: " part\n end part\n", r"'part' of line 1 has no 'modal'"),
    "no refmod": (without("refmod"), r"'modal' of line 3 has no 'refmod'"),
    "no frame": (without("frame"), r"'modal' of line 3 has no 'frame'"),
    "no mass": (replaced(r"^ *mass.*\n", ""), r"'refmod' of line 4 has no line 'mass = ...'"),
    "no number of modes": (replaced(r"^ *nelastq.*\n", ""), r"'refmod' of line 4 has no line 'nelastq = ...'"),
    "no modes": (replaced(r"nelastq.*", "nelastq = 0"), r"'refmod' of line 4 has no modes"),
    "other modes": (replaced(r"nelastq.*", "nelastq = 3"), r"'Me' of line \d+ is 2 x 2, not 3 x 3 as refmod requires"),
    "many modes": (replaced(r"nelastq.*", "nelastq = 999999999"), r"'Me' of line \d+ is 2 x 2"),
    "too many modes": (replaced(r"nelastq.*", "nelastq = 9999999999"), r"line 6 has '9999999999' where a whole number"),
    "two of one": (replaced(r"end Me", "end Me\nMe\nend Me"), r"'modal' of line 3 has more than one 'Me'"),
    "no mass number": (replaced(r"mass.*", "mass = heavy"), r"line 5 has 'heavy' where a finite number belongs"),
    "not finite": (replaced(r"mass.*", "mass = nan"), r"line 5 has 'nan' where a finite number belongs"),
    "beyond finite": (replaced(r"mass.*", "mass = 1.D+999"), r"line 5 has '1.D\+999' where a finite number belongs"),
    "no room": (replaced(r"(m0\( 1, 1\) *=).*", r"\1*********"), r"line \d+ has '\*+' where a finite number belongs"),
    "nothing": (replaced(r"(m0\( 1, 1\) *=).*", r"\1"), r"line \d+ has '' where a finite number belongs"),
    "a long line": (replaced(r"mass.*", "mass = " + "9 " * 999), r"line 5 has '9 9 .* where a finite number belongs"),
    "fractions of rows": (replaced(r"nrow.*", "nrow = 1.5"), r"line \d+ has '1.5' where a whole number belongs"),
    "no rows": (replaced(r"^ *nrow.*\n", ""), r"'origin' of line \d+ has no line 'nrow = ...'"),
    "no structure": (replaced(r"^ *structure.*\n", ""), r"has no line 'structure = ...'"),
    "a place outside": (replaced(r"m0\( 1, 1\)", "m0( 4, 1)"), r"line \d+ sets 'm0\( 4, 1\)', which 'origin' of line"),
    "a place of zero": (replaced(r"m0\( 1, 1\)", "m0( 0, 1)"), r"sets 'm0\( 0, 1\)', which 'origin' of line \d+ can't"),
    "three places": (replaced(r"m0\( 1, 1\)", "m0( 1, 1, 1)"), r"sets 'm0\( 1, 1, 1\)', which 'origin'"),
    "no places": (replaced(r"m0\( 1, 1\)", "m0( )"), r"line \d+ has ' ' where a whole number belongs"),
    "a mode outside": (replaced(r"m1\( 1, 2, 1\)", "m1( 1, 3, 1)"), r"sets 'm1\( 1, 3, 1\)', which 'origin'"),
    "higher orders": (replaced(r"m1\(", "mn("), r"sets 'mn\( 1, 1, 1\)': elements of 'origin' of line \d+ are m0"),
    "stiffness of xi": (replaced(r"end Ke", "m1(1,1,1) = 1\nend Ke"), r"'m1\(1,1,1\)', which 'Ke' of line \d+ can't"),
    "stresses": (replaced(r"end ksigma", "m0(2,1) = 1\nend ksigma"), r"initial stresses .*export it without"),
    "two nodes": (replaced(r"new node *= *12", "new node = 7"), r"two nodes have the same number"),
    "a node's name": (replaced(r"new node *= *12", "new node = tip"), r"line \d+ has 'tip' where a whole number"),
    "a node without psi": (without("psi"), r"'node' of line \d+ has no 'psi'"),
}
MISTAKES |= {
    f"no {name}": (without(name), f"has no '{name}'") for name in ("mdCM", "J", "Ct", "Cr", "Me", "Oe", "Ke", "origin")
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_invalid_files_are_refused(mistake: str, file: Path) -> None:
    edit, message = MISTAKES[mistake]
    with pytest.raises(mbs.ModelError, match=message) as caught:
        reading(file, edit(written(random_body(0, 2))))
    assert str(caught.value).startswith(f"{file} can't be read as SID_FEM: ")
    assert "\n" not in str(caught.value) and len(str(caught.value)) < len(str(file)) + 250


def test_another_order_of_columns_is_refused(file: Path) -> None:
    """The last two columns of Oe are exchanged, to the order of the rows of J."""
    body = random_body(4)
    m0, m1, kind = tables(*body[:3])["Oe"]
    order = [0, 1, 2, 3, 5, 4]
    with pytest.raises(mbs.ModelError, match="m1 of J and m0 of Oe contradict each other"):
        reading(file, written(body, Oe=(m0[:, order], m1[..., order], kind)))
    m0, m1, kind = tables(*body[:3])["Ct"]
    with pytest.raises(mbs.ModelError, match="m1 of mdCM and m0 of Ct contradict each other"):
        reading(file, written(body, Ct=(-m0, m1, kind)))


def test_damaged_files_raise_only_model_errors(file: Path) -> None:
    """Truncated files are refused; a changed byte gives a ModelError or another body."""
    rng = np.random.default_rng(0)
    inertia, K, D, nodes = random_body(0, 1)
    whole = written((inertia, K, D, {"node7": nodes["node7"]})).encode("latin-1")
    for k in range(0, whole.rindex(b"part"), 197):
        with pytest.raises(mbs.ModelError):
            reading(file, whole[:k])
    for _ in range(150):
        k = rng.integers(len(whole))
        try:
            reading(file, whole[:k] + rng.bytes(1) + whole[k + 1 :])
        except mbs.ModelError as error:
            assert str(file) in str(error)


def test_a_missing_file_is_refused(file: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"arm\.SID_FEM"):
        read(file)
