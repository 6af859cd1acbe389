"""Layout of the numbers of elastic bodies in a record: blocks of region `elastic`, and data in region `shapes`.

n is the number of modes of a body, `n_nodes` that of its nodes. Rows with one number for each mode have
`mode_columns(n)` numbers.

The block of a body consists of

- the numbers of `ElasticBlock`;
- n rows of Z, `row_width(n)` numbers each: one for each mode, six couplings to the velocities, z, and a zero;
- n elimination factors;
- workspace for six rows;
- the forms that are linear in xi (`form_rows(n_nodes)` rows: dJ/dxi 6, Cr 3, N of each node 6), then their rates;
- one row of half of xi, or of its rates, and workspace for four numbers of each form;
- the blocks of the nodes, the root's first.

The block of a node consists of the numbers of `NodeBlock`, six rows of G (F4), and six rows of P G', each with P
and Phi of the node's children and a zero behind it, like the rows of Z.

The data of a body in region `shapes` consist of the forms at xi = 0; Me, K and the diagonal of D; the number of other
rows of D, and n rows for them; the positions of the nodes; mass, its moment and J at xi = 0; the slopes of the forms
(`add_linear_terms` in kernels/elastic/shapes.py).

The functions give sizes, and offsets from the beginning of a block. They are kernels: modules of models with elastic
bodies contain them, so they have only what a kernel may have.
"""

from .blocks import ElasticBlock, NodeBlock


def mode_columns(n: int) -> int:
    """Length of a row with one number for each mode: a multiple of four, padded with zeros."""
    return (n + 3) // 4 * 4


def row_width(n: int) -> int:
    """Length of a row of Z or of a node's branch, with eight numbers behind those of the modes."""
    return mode_columns(n) + 8


# -- a body's block of region `elastic` ------------------------------------------------------------------------


def factors_at(n: int) -> int:
    """Offset of the elimination factors."""
    return ElasticBlock.size + n * row_width(n)


def workspace_at(n: int) -> int:
    """Offset of the workspace for six rows."""
    return factors_at(n) + n


def forms_at(n: int) -> int:
    """Offset of the forms that are linear in xi: dJ/dxi, Cr, then N of the nodes."""
    return workspace_at(n) + 6 * mode_columns(n)


def form_rows(n_nodes: int) -> int:
    """Number of rows of the forms."""
    return 9 + 6 * n_nodes


def form_numbers(n: int, n_nodes: int) -> int:
    """Size of the forms; in a body's block their rates lie behind them, in its data Me."""
    return form_rows(n_nodes) * mode_columns(n)


def node_form_at(n: int, k: int) -> int:
    """Offset of N of the k-th node."""
    return forms_at(n) + form_numbers(n, k)


def node_at(n: int, n_nodes: int, k: int) -> int:
    """Offset of the block of the k-th node."""
    sums = forms_at(n) + 2 * form_numbers(n, n_nodes) + mode_columns(n)
    return sums + 4 * form_rows(n_nodes) + k * node_size(n)


def body_size(n: int, n_nodes: int) -> int:
    """Size of a body's block."""
    return node_at(n, n_nodes, n_nodes)


# -- a node's block --------------------------------------------------------------------------------------------


def node_rows_at(n: int) -> int:
    """Offset of the rows of P G', P and Phi."""
    return NodeBlock.size + 6 * mode_columns(n)


def node_size(n: int) -> int:
    """Size of a node's block."""
    return node_rows_at(n) + 6 * row_width(n)


def node_branch_at(n: int, i: int) -> int:
    """Offset of the i-th row of P and Phi of a node's children."""
    return node_rows_at(n) + i * row_width(n) + mode_columns(n)


# -- a body's data in region `shapes` --------------------------------------------------------------------------


def rest_places_at(n: int, n_nodes: int) -> int:
    """Offset of the positions of the nodes at xi = 0, behind Me, K and D."""
    return form_numbers(n, n_nodes) + 3 * n + 1 + n * n


def rest_inertia_at(n: int, n_nodes: int) -> int:
    """Offset of mass, its moment and J at xi = 0."""
    return rest_places_at(n, n_nodes) + 3 * n_nodes


def slopes_at(n: int, n_nodes: int) -> int:
    """Offset of the slopes of the forms."""
    return rest_inertia_at(n, n_nodes) + 10
