"""Named kernels become flat text: each form of the notation, and what the lowering refuses."""

from __future__ import annotations

import ast
import re

import pytest

from mbs_fmu.kernels.closures.elimination import eliminate_loop
from mbs_fmu.kernels.lowering import Lowering, LoweringError, lowered
from mbs_fmu.kernels.sources import called_by
from support.paths import ROOT

pytestmark = pytest.mark.quick


def parsed(text: str) -> ast.FunctionDef:
    """The function of a text."""
    (tree,) = ast.parse(text).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def function(arguments: str, *lines: str) -> ast.FunctionDef:
    """A kernel of these arguments, behind the record R, and lines."""
    return parsed(
        f"def f(R: Record{', ' + arguments if arguments else ''}) -> None:\n" + "".join(f"    {x}\n" for x in lines)
    )


CALLED = {
    "fill": parsed("def fill(R: Record, target: Vector, n: int) -> None: pass"),
    "solve": parsed(
        "def solve(R: Record, L: Annotated[Matrix, 'm'], m: int, x: Annotated[Vector, 'apart']) -> None: pass"
    ),
    "add": parsed("def add(R: Record, x: ElasticBlock) -> None: pass"),
}
NOTATION = {
    "a number of the head": ("", ["R.alpha = 2.0 * R.time"], ["R[ALPHA] = 2.0 * R[TIME]"]),
    "a number of a block": (
        "", ["R.instants.stopped = R.history.count"],
        ["R[INSTANTS + INSTANTS_STOPPED] = R[HISTORY + HISTORY_COUNT]"],
    ),
    "a vector": ("k: int", ["R.q[k] += R.u[k + 1]"], ["R[Q0 + k] += R[U0 + k + 1]"]),
    "a matrix": (
        "k: int, h: int", ["R.reduced_rows[k + 1, h] = R.stages[k, 0]"],
        ["R[REDUCED_ROWS + 6 * (k + 1) + h] = R[STAGES + k * NX]"],
    ),
    "a row of a matrix": (
        "k: int", ["V = R.reduced_rows[k]", "V[3] = V[0]"], ["V = REDUCED_ROWS + 6 * k", "R[V + 3] = R[V]"],
    ),
    "a block of several": (
        "j: int", ["watched = R.watched[j]", "watched.last = R.time"],
        ["watched = WATCHED + j * WATCHED_SIZE", "R[watched + WATCHED_LAST] = R[TIME]"],
    ),
    "a row of a table": (
        "z: int", ["root = ROOTED[z]", "R.ranks[root.loop] = 0.0"], ["R[RANKS + ROOTED[6 * z]] = 0.0"],
    ),
    "a column of separate tables": ("g: int", ["R.modes[g] = MODE[g].role"], ["R[MODES + g] = MODE_ROLE[g]"]),
    "a small matrix": (
        "z: int, m: int, p: int",
        ["L = R.delassus_factors.matrix(ROOTED[z].factor, m)", "L[p, 1] = L[0, p]"],
        ["L = DELASSUS_FACTORS + ROOTED[6 * z + 4]", "R[L + p * m + 1] = R[L + p]"],
    ),
    "a part of a matrix": (
        "G: Annotated[Matrix, 'w'], w: int", ["A = G[3:, 4:]", "A[1, 2] = G[:, w:][0, 0]"],
        ["A = G + 3 * w + 4", "R[A + w + 2] = R[G + w]"],
    ),
    "a copy": ("", ["R.p[:] = R.momentum"], ["copy(R, MOMENTUM, P0, NV)"]),
    "a copy of a slice": (
        "", ["R.due[N_MODES:] = R.now[N_MODES:]"],
        ["copy(R, NOW + N_MODES, DUE + N_MODES, N_WATCHED - N_MODES)"],
    ),
    "a copy between rows": ("i: int", ["R.work[1] = R.stages[i]"], ["copy(R, STAGES + i * NX, WORK + NX, NX)"]),
    "a copy between records": ("S: Record", ["S.q[:] = R.q"], ["copy_across(R, Q0, S, Q0, NQ)"]),
    "a view as argument": ("k: int", ["fill(R, R.p[k:], 3)"], ["fill(R, P0 + k, 3)"]),
    "a column as argument": (
        "m: int",
        [
            "solve(R, R.delassus_factors.matrix(0, m), m, R.reduced_rows[:, 2])",
            "solve(R, R.delassus_factors.matrix(0, m), m, R.substituted)",
        ],
        ["solve(R, DELASSUS_FACTORS, m, REDUCED_ROWS + 2, 6)", "solve(R, DELASSUS_FACTORS, m, SUBSTITUTED, 1)"],
    ),
    "the second record": ("", ["D = R.second", "D.p[0] = R.p[0]"], ["D = tail(R, TAIL)", "D[P0] = R[P0]"]),
    "tangents in lanes": ("", ["D = R.tangents", "D.p[0] = R.p[0]"], ["D = rows(R, TAIL)", "D[P0] = R[P0]"]),
    "tables of addresses": (
        "k: int", ["a = R.at(QUATERNIONS[k])", "a[3] = R[LOCKED[k]]"], ["a = QUATERNIONS[k]", "R[a + 3] = R[LOCKED[k]]"]
    ),
    "the same place elsewhere": ("S: Record, a: Vector", ["a[0] = S.like(a)[1]"], ["R[a] = S[a + 1]"]),
    "a symmetric matrix": (
        "i: int", ["R.energy[0] = R.bodies[i].inertia[1, 2]"],
        ["R[ENERGY] = R[BODIES + i * LINK_CONSTANTS_SIZE + LINK_CONSTANTS_INERTIA + 4]"],
    ),
    "an elastic body": (
        "k: int", ["x = R.elastic_block(ELASTIC_INDEX[k])", "add(R, x)", "x.spin[1] = 0.0"],
        ["x = ELASTIC + ELASTIC_INDEX[k]", "add(R, x)", "R[x + ELASTIC_BLOCK_SPIN + 1] = 0.0"],
    ),
    "walking on": ("a: Vector", ["a = a[16:]", "a[0] = 1.0"], ["a += 16", "R[a] = 1.0"]),
    "an address": ("k: int", ["k = LOCKED[k] - R.x.address"], ["k = LOCKED[k] - X0"]),
    "inputs": ("U: Inputs, k: int", ["R.time = U.stop", "k = int(U.tables[k].points)"],
               ["R[TIME] = U[INPUTS_STOP]", "k = int(U[INPUTS_TABLES + k * INPUT_TABLE_SIZE + INPUT_TABLE_POINTS])"]),
    "flat code": ("k: int", *2 * [["for i in range(k):", "    R[Q0 + i] = 0.0"]]),
}  # fmt: skip


@pytest.mark.parametrize("form", NOTATION)
def test_each_form_has_its_flat_text(form: str) -> None:
    arguments, named, flat = NOTATION[form]
    tree = function(arguments, *named)
    before = ast.dump(tree)
    found = lowered(tree, CALLED.get)
    assert "\n".join(map(ast.unparse, found.body)) == ast.unparse(ast.parse("\n".join(flat)))
    assert ast.dump(tree) == before, "the named function has changed"
    (again,) = ast.parse(ast.unparse(found)).body
    assert isinstance(again, ast.FunctionDef) and ast.dump(lowered(again)) == ast.dump(again), (
        "flat text is lowered again"
    )


#: What the names in the documentation's table stand for.
OF_THE_TABLE = "U: Inputs, L: Annotated[Matrix, 'm'], m: int, z: int, g: int, k: int, h: int"
ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \|", re.MULTILINE)


def test_the_table_of_the_documentation_is_right() -> None:
    """Each kernel text in docs/extending.md has the flat text beside it."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    _, _, section = page.partition("| kernel | flat text |")
    table, _, _ = section.partition("\n\n")
    known = called_by(eliminate_loop)
    found = ROW.findall(table)
    assert len(found) == table.count("\n") - 1 > 10
    for named, flat in found:
        body = lowered(function(OF_THE_TABLE, *named.split("; ")), known).body
        assert "; ".join(map(ast.unparse, body)) == flat


REFUSED: dict[str, tuple[str, list[str], str]] = {
    "a row named twice": (
        "z: int", ["c = ROOTED[z]", "R.ranks[c.loop] = 1.0", "c = ROOTED[z + 1]"], "second row another name",
    ),
    "an index that changes": (
        "z: int", ["c = ROOTED[z]", "z = z + 1", "R.ranks[c.loop] = 1.0"], "assign c after the change",
    ),
    "a row length that changes": (
        "n: int", ["L = R.delassus_factors.matrix(0, n)", "n = 4", "L[1, 0] = 0.0"], "assign L after the change"
    ),
    "a row with the name of an argument": (
        "z: int", ["z = ROOTED[z]", "R.ranks[z.loop] = 1.0"], "already has another meaning",
    ),
    "a name of two kinds of views": (
        "", ["v = R.reduced_rows[0]", "v = R.delassus_factors.matrix(0, 3)"], "already has another meaning",
    ),
    "a name of a number, then a view": ("", ["v = -1", "v = R.watched[0]"], "v is the name of a number"),
    "a name of a view, then a number": ("", ["v = R.reduced_rows[0]", "v = 1.0"], "v is the name of a view"),
    "no such column": ("z: int", ["R.ranks[ROOTED[z].lop] = 1.0"], "ROOTED has no column lop: it has loop, rows"),
    "no such number": ("", ["R.rowv[0] = 1.0"], "Record has no rowv: declare it"),
    "no such member": ("", ["R.watched[0].late = 1.0"], "a Watched has no late"),
    "an unknown row length": ("L: Matrix", ["L[1, 2] = 1.0"], "annotate the argument"),
    "a name for a column": ("", ["y = R.delassus_factors.matrix(0, 3)[:, 1]"], "use it as an argument"),
    "a part of a column": ("", ["R.p[:] = R.reduced_rows[:, 1][2:]"], "index them"),
    "a column as contiguous numbers": ("", ["fill(R, R.reduced_rows[:, 1], 3)"], "fill takes contiguous numbers"),
    "a matrix as a vector": ("", ["fill(R, R.reduced_rows, 3)"], "fill takes a vector"),
    "a wrong number of arguments": ("", ["fill(R, R.p)"], "fill takes 3 arguments, it is given 2"),
    "a copy of a matrix": ("", ["R.p[:] = R.stages"], "write a loop"),
    "a copy of unknown length": ("a: Vector, b: Vector", ["a[:] = b"], "no length is known"),
    "two indices of a vector": ("", ["R.q[0, 1] = 1.0"], "a vector has no such part"),
    "three indices of a matrix": ("", ["R.reduced_rows[0, 1, 2] = 1.0"], "a matrix has"),
    "a slice beyond a vector": ("", ["R.p[:] = R.gravity[:4]"], "the vector has 3 numbers"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what: str) -> None:
    arguments, lines, message = REFUSED[what]
    with pytest.raises(LoweringError, match=message) as caught:
        lowered(function(arguments, *lines), CALLED.get)
    assert "f, line" in str(caught.value)


def test_accesses_are_noted() -> None:
    """Reads and writes of regions, and views that are given to others."""
    lowering = Lowering(
        function("k: int", "R.p[k] += R.reduced_rows[k, 0]", "R.alpha = 1.0", "fill(R, R.q[k:], 2)"), CALLED.get
    )
    lowering.function()
    assert lowering.accesses == {
        ("reads", "R", "p"), ("writes", "R", "p"), ("reads", "R", "row_v"), ("writes", "R", "loop_state"),
    }  # fmt: skip
    assert lowering.given == {("fill", "target", "q")}
