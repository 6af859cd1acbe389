"""Round-off on a long chain: joint velocities of the kernels against 60 digits, for the same p.

On a chain of 100 universal joints cond(M) is 1e7 to 1e9, and rounding p alone may change u in the ninth digit. A solver
is therefore judged by its error over eps cond(M), the effect of one relative rounding of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import mpmath
import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry
from mbs_fmu.mechanics.steps import Solver
from mbs_fmu.run.simulate import compiled

COUNT = 100
DIGITS = 60
BITS = 230  #: binary digits of the fixed point in which products are summed: more than DIGITS
MASS, COM, INERTIA = 1.0, (0.05, 0.02, -0.5), (0.09, 0.08, 0.01)
AT = (0.0, 0.0, -1.0)  #: place of each joint on the body before


def chain() -> mbs.Model:
    """Return slender bodies of one metre, hung on each other by universal joints."""
    m = mbs.Model("universal_chain")
    parent: str | mbs.Body = "world"
    for k in range(COUNT):
        parent = m.body(f"b{k}", parent, mbs.Universal("xy"), mass=MASS, com=COM, inertia=INERTIA, at=AT)
    return m


# -- the mass matrix by definition, in DIGITS digits ---------------------------------------------------


def exact(values: object) -> np.ndarray:
    """Convert doubles to an array of mpmath numbers, without rounding."""
    return np.vectorize(mpmath.mpf, otypes=[object])(np.asarray(values, dtype=float))


def turned(angle: float, axis: int) -> np.ndarray:
    """Return the rotation about a principal axis, from new to old coordinates."""
    R, (j, k) = exact(np.eye(3)), ((axis + 1) % 3, (axis + 2) % 3)
    R[j, j] = R[k, k] = mpmath.cos(mpmath.mpf(angle))
    R[k, j] = mpmath.sin(mpmath.mpf(angle))
    R[j, k] = -R[k, j]
    return R


def gram(J: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Return JᵀWJ with diagonal W as integers, in steps of 2^(-2 BITS): Python's integers are exact and fast."""
    fixed = np.vectorize(lambda x: int(mpmath.nint(mpmath.ldexp(x, BITS))), otypes=[object])
    return fixed(J).T @ fixed(W[:, None] * J)


def mass_matrix(q: np.ndarray) -> np.ndarray:
    """Return M = Σ_i (m V_iᵀV_i + W_iᵀJ W_i), with the Jacobians V_i and W_i of centre of mass and
    rotation of body i.
    """
    total = np.zeros((q.size, q.size), dtype=object)
    origin, R = exact((0, 0, 0)), exact(np.eye(3))
    axes: list[np.ndarray] = []
    points: list[np.ndarray] = []
    for k in range(COUNT):
        origin = origin + R @ exact(AT)  # the first joint too hangs below the world's origin
        for axis in (0, 1):
            axes.append(R[:, axis])
            points.append(origin)
            R = R @ turned(q[2 * k + axis], axis)
        centre = origin + R @ exact(COM)
        V = np.column_stack([np.cross(a, centre - point) for a, point in zip(axes, points, strict=True)])
        W = R.T @ np.column_stack(axes)  # in body axes
        n = 2 * (k + 1)
        total[:n, :n] += gram(np.vstack([V, W]), exact((MASS,) * 3 + INERTIA))
    return np.vectorize(lambda x: mpmath.ldexp(mpmath.mpf(x), -2 * BITS), otypes=[object])(total)


def column(x: mpmath.matrix) -> np.ndarray:
    """Convert a column of mpmath's matrix type to an array."""
    return np.array(list(x), dtype=object)


# -- the law -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Exact:
    """Coordinates, momenta as doubles, the joint velocities that belong to them, and cond(M)."""

    q: np.ndarray
    p: dict[str, np.ndarray]
    u: dict[str, np.ndarray]
    condition: float


@pytest.fixture(scope="module")
def solved() -> Exact:
    """Solve M u = p by Cholesky in DIGITS digits, for three kinds of p."""
    rng = np.random.default_rng(100)
    with mpmath.workdps(DIGITS):
        q = rng.normal(size=2 * COUNT) * 0.5
        M = mass_matrix(q)
        rounded = M.astype(float)
        eigenvalues, vectors = np.linalg.eigh(rounded)
        p = {
            "any momenta": rng.normal(size=q.size),
            "those of any velocities": rounded @ rng.normal(size=q.size),
            "those of the stiffest motion": rounded @ vectors[:, -1],
        }
        A = mpmath.matrix(M.tolist())
        u = {kind: column(mpmath.cholesky_solve(A, mpmath.matrix(exact(b).tolist()))) for kind, b in p.items()}
    return Exact(q, p, u, float(eigenvalues[-1] / eigenvalues[0]))


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
def test_velocities_of_a_long_chain_are_accurate_to_eps_times_condition(solved: Exact, solver: Solver) -> None:
    """For the same p, |u - M⁻¹p| <= eps cond(M) |M⁻¹p|; the stiffest motion comes nearest to the bound."""
    runtime = compiled(chain(), solver)
    region = runtime.program.region
    R = runtime.program.new_record()
    assert entry(runtime.kernels.prepare)(R) == 0
    for kind, p in solved.p.items():
        R[region("q")], R[region("p")] = solved.q, p
        entry(runtime.kernels.derive)(R)
        with mpmath.workdps(DIGITS):
            error = (exact(R[region("u")]) - solved.u[kind]).astype(float)
        size = np.linalg.norm(solved.u[kind].astype(float))
        assert np.linalg.norm(error) <= np.finfo(float).eps * solved.condition * size, kind
