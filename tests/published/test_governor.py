"""The governor against a Lagrangian derivation, and against the matrices of the paper that it comes from.

The mechanism is the element of a speed governor of Ivanov, Poloskov, Shimanovskiy 2016: body 1 turns by gamma about
Oz; body 2 slides by y along O eta_1, then turns by alpha about x and by beta about the new y. The derivation is
independent of the package: positions, d/dt, R'dR/dt, T - V.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import mpmath
import numpy as np
import pytest
import sympy as sp

import mbs_fmu as mbs
from mbs_fmu.codegen.loader import entry
from mbs_fmu.mechanics.steps import Solver
from mbs_fmu.model.forces import Spring, SpringLaw
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.run.simulate import compiled
from support.comparisons import first_difference
from support.paths import ROOT

TOLERANCE = 1e-12  #: relative to the largest component: round-off of a few hundred operations and of cond(M) < 1e3

q = sp.Matrix(sp.symbols("gamma y alpha beta", real=True))
u = sp.Matrix(sp.symbols("gamma_t y_t alpha_t beta_t", real=True))
gamma, y, alpha, beta = q
Oz = sp.Matrix([0, 0, 1])


# -- kinematics by definition ------------------------------------------------------------------------


def skew(a: sp.Matrix) -> sp.Matrix:
    """Matrix x~, with x~ y = x × y."""
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def vee(S: sp.Matrix) -> sp.Matrix:
    """Vector of a skew matrix."""
    return sp.Matrix([S[2, 1], S[0, 2], S[1, 0]])


def turned(axis: str, angle: sp.Expr) -> sp.Matrix:
    """Rotation by `angle` about a principal axis: new to old coordinates (Rodrigues)."""
    e = sp.Matrix([int(axis == name) for name in "xyz"])
    return sp.cos(angle) * sp.eye(3) + sp.sin(angle) * skew(e) + (1 - sp.cos(angle)) * e * e.T


def rate(f: sp.Matrix) -> sp.Matrix:
    """df/dt along q(t) with dq/dt = u."""
    return sum((f.diff(a) * b for a, b in zip(q, u, strict=True)), sp.zeros(*f.shape))


@dataclass(frozen=True)
class Body:
    """Mass, centre of mass in body axes, inertia about it; position and attitude as functions of q."""

    mass: sp.Expr
    com: sp.Matrix
    inertia: sp.Matrix
    origin: sp.Matrix
    R: sp.Matrix

    @property
    def centre(self) -> sp.Matrix:
        return self.origin + self.R * self.com

    @property
    def kinetic(self) -> sp.Expr:
        """½ m |dc/dt|² + ½ ωᵀJω with ω~ = RᵀdR/dt."""
        v, w = rate(self.centre), vee(self.R.T * rate(self.R))
        return (self.mass * v.dot(v) + w.dot(self.inertia * w)) / 2


def governor_bodies(
    masses: tuple[sp.Expr, ...], coms: tuple[sp.Matrix, ...], inertias: tuple[sp.Matrix, ...]
) -> list[Body]:
    """Shaft and arm in the position of the coordinates."""
    R1 = turned("z", gamma)
    R2 = R1 * turned("x", alpha) * turned("y", beta)
    places = ((sp.zeros(3, 1), R1), (R1 * sp.Matrix([0, y, 0]), R2))
    return [Body(*body) for body in zip(masses, coms, inertias, *zip(*places, strict=True), strict=True)]


def lagrangian(bodies: list[Body], g: sp.Expr, c: sp.Expr, y0: sp.Expr) -> sp.Expr:
    """L = T - V: both bodies, gravity along -z, the spring on y."""
    V = sum(b.mass * g * b.centre.dot(Oz) for b in bodies) + c * (y - y0) ** 2 / 2
    return sum(b.kinetic for b in bodies) - V


# -- the model against Lagrange ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def models() -> ModuleType:
    """Module governor of the folder models/, which is not a package."""
    path = ROOT / "models" / "governor.py"
    spec = importlib.util.spec_from_file_location("governor", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def model(models: ModuleType) -> mbs.Model:
    """The governor with its torque as an input."""
    return models.governor()


@dataclass(frozen=True)
class Lagrange:
    """Numeric functions of (q, u, parameters): M(q), p = ∂L/∂u and dp/dt = ∂L/∂q + Q."""

    mass_matrix: Callable[..., np.ndarray]
    p: Callable[..., np.ndarray]
    p_dot: Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def lagrange(model: mbs.Model) -> Lagrange:
    """Lagrange's equations with the model's own masses; spring, dampers, friction and torque are parameters."""
    items = [model.bodies[name] for name in ("shaft", "arm")]
    bodies = governor_bodies(
        tuple(sp.Float(b.mass.value, 17) for b in items),
        tuple(sp.Matrix([x.value for x in b.com]) for b in items),
        tuple(sp.Matrix([[x.value for x in row] for row in b.inertia]) for b in items),
    )
    spring = model.forces["spring"]
    assert isinstance(spring, Spring) and isinstance(spring.law, SpringLaw)
    c, d, b, torque = sp.symbols("c d b torque")
    L = lagrangian(bodies, -model.gravity[2].value, c, spring.law.length.value)
    p = sp.Matrix([L]).jacobian(u).T
    p_dot = sp.Matrix([L]).jacobian(q).T + sp.Matrix([torque, -d * u[1], -b * u[2], -b * u[3]])
    arguments = [list(q), list(u), (c, d, b, torque)]
    return Lagrange(*(sp.lambdify(arguments, f, modules="numpy", cse=True) for f in (p.jacobian(u), p, p_dot)))


@dataclass(frozen=True)
class State:
    """q, u, and c, d, b with the torque on the shaft."""

    q: np.ndarray
    u: np.ndarray
    forces: tuple[float, ...]

    @classmethod
    def random(cls, rng: np.random.Generator) -> State:
        forces = rng.uniform(1, 500), rng.uniform(0, 10), rng.uniform(0, 1), rng.normal()
        return cls(rng.normal(size=4), 3 * rng.normal(size=4), forces)

    @property
    def arguments(self) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
        return self.q, self.u, self.forces


def prepared(runtime: Runtime, values: dict[str, float]) -> np.ndarray:
    """Record with these parameters and inputs."""
    R = runtime.program.new_record()
    for v in runtime.program.of_role("parameter", "input"):
        R[v.slot] = values[v.name]
    assert entry(runtime.kernels.prepare)(R) == 0
    return R


def assert_close(value: np.ndarray, expected: np.ndarray) -> None:
    """Assert equality to TOLERANCE of the largest component."""
    expected = expected.reshape(value.shape)
    bound = TOLERANCE * np.abs(expected).max()
    assert np.abs(value - expected).max() <= bound, first_difference(value, expected, bound)


def check_kernel(runtime: Runtime, R: np.ndarray, state: State, lagrange: Lagrange) -> None:
    """Assert that u solves M(q) u = p, and dp/dt = ∂L/∂q + Q."""
    region = runtime.program.region
    R[region("q")], R[region("p")] = state.q, lagrange.p(*state.arguments).ravel()
    entry(runtime.kernels.derive)(R)
    assert_close(R[region("u")], state.u)
    assert_close(R[region("q_dot")], state.u)
    assert_close(R[region("p_dot")], lagrange.p_dot(*state.arguments))


@pytest.mark.parametrize("solver", ["cholesky", "sweep"])
def test_kernel_agrees_with_lagrange(model: mbs.Model, lagrange: Lagrange, solver: Solver) -> None:
    """Rates are those of Lagrange's equations at random states, parameters and torques."""
    runtime = compiled(model, solver)
    rng = np.random.default_rng(2016)
    for _ in range(20):
        state = State.random(rng)
        R = prepared(runtime, dict(zip(("c", "d", "b", "torque"), state.forces, strict=True)))
        check_kernel(runtime, R, state, lagrange)


def test_built_in_regulator(models: ModuleType, lagrange: Lagrange) -> None:
    """`governed` is the governor under the torque k (w0 - dγ/dt)."""
    runtime = compiled(models.governed())
    rng = np.random.default_rng(3)
    for _ in range(20):
        state = State.random(rng)
        c, d, b, _ = state.forces
        k, w0 = rng.uniform(0, 2), 10 * rng.normal()
        R = prepared(runtime, {"c": c, "d": d, "b": b, "k": k, "set_point": w0})
        check_kernel(runtime, R, State(state.q, state.u, (c, d, b, k * (w0 - state.u[0]))), lagrange)


def mass_matrix(runtime: Runtime, R: np.ndarray) -> np.ndarray:
    """Mass matrix by columns: momenta of unit velocities."""
    columns = []
    for unit in np.eye(4):
        R[runtime.program.region("u")] = unit
        entry(runtime.kernels.momenta)(R)
        columns.append(R[runtime.program.region("p")].copy())
    return np.array(columns).T


def test_kernel_momenta_and_mass_matrix(model: mbs.Model, lagrange: Lagrange) -> None:
    """p = ∂L/∂u, and the kernel's mass matrix is the Hessian of T."""
    runtime = compiled(model)
    region = runtime.program.region
    rng = np.random.default_rng(1)
    R = prepared(runtime, {v.name: v.start for v in runtime.program.of_role("parameter", "input")})
    for _ in range(20):
        state = State.random(rng)
        R[region("q")], R[region("u")] = state.q, state.u
        entry(runtime.kernels.momenta)(R)
        assert_close(R[region("p")], lagrange.p(*state.arguments))
        assert_close(mass_matrix(runtime, R), lagrange.mass_matrix(*state.arguments))


# -- the paper's matrices ----------------------------------------------------------------------------


class Paper:
    """Ivanov, Poloskov, Shimanovskiy 2016, example, misprints corrected; coordinates (gamma, y, alpha, beta).

    G maps parent to child coordinates. The printed text has the last two coordinates exchanged (its matrices do
    not), beta' sin(alpha) and beta' cos(alpha) in dA_2/dt where beta belongs, a 1 in its last column, and one
    zero too few in row 1 of M_2.
    """

    m1, m2, g, c, y0, k, w0 = sp.symbols("m_1 m_2 g c y_0 k omega_0", positive=True)
    yc, zc = sp.symbols("y_c1 z_c2", real=True)
    J1, J2 = (sp.symbols(f"J_{i}x J_{i}y J_{i}z", positive=True) for i in (1, 2))  #: about the bodies' origins
    ca, sa, cb, sb = sp.cos(alpha), sp.sin(alpha), sp.cos(beta), sp.sin(beta)
    gamma_t, y_t, alpha_t, beta_t = u

    rho_2 = sp.Matrix([0, y, 0])
    r_c1, r_c2 = sp.Matrix([0, yc, 0]), sp.Matrix([0, 0, zc])
    G_1 = sp.Matrix([[sp.cos(gamma), sp.sin(gamma), 0], [-sp.sin(gamma), sp.cos(gamma), 0], [0, 0, 1]])
    G_2 = sp.Matrix([[cb, sa * sb, -ca * sb], [0, ca, sa], [sb, -sa * cb, ca * cb]])
    A_1 = sp.Matrix([0, 0, 0, 0, 0, 1])
    A_2 = sp.Matrix([
        [sa * sb, 0, 0],
        [ca, 0, 0],
        [-sa * cb, 0, 0],
        [0, cb, 0],
        [0, 0, 1],
        [0, sb, 0],
    ])  # fmt: skip
    A_2_dot = sp.Matrix([
        [alpha_t * ca * sb + beta_t * sa * cb, 0, 0],
        [-alpha_t * sa, 0, 0],
        [-alpha_t * ca * cb + beta_t * sa * sb, 0, 0],
        [0, -beta_t * sb, 0],
        [0, 0, 0],
        [0, beta_t * cb, 0],
    ])  # fmt: skip
    M_1 = sp.Matrix([
        [m1, 0, 0, 0, 0, -m1 * yc],
        [0, m1, 0, 0, 0, 0],
        [0, 0, m1, m1 * yc, 0, 0],
        [0, 0, m1 * yc, J1[0], 0, 0],
        [0, 0, 0, 0, J1[1], 0],
        [-m1 * yc, 0, 0, 0, 0, J1[2]],
    ])  # fmt: skip
    M_2 = sp.Matrix([
        [m2, 0, 0, 0, m2 * zc, 0],
        [0, m2, 0, -m2 * zc, 0, 0],
        [0, 0, m2, 0, 0, 0],
        [0, -m2 * zc, 0, J2[0], 0, 0],
        [m2 * zc, 0, 0, 0, J2[1], 0],
        [0, 0, 0, 0, 0, J2[2]],
    ])  # fmt: skip
    Q = sp.Matrix([k * (w0 - gamma_t), c * (y0 - y), g * m2 * zc * sa * cb, g * m2 * zc * ca * sb])

    @classmethod
    def bodies(cls) -> list[Body]:
        """The same bodies for Lagrange, with inertia about the centres of mass by Steiner's theorem."""
        coms = cls.r_c1, cls.r_c2
        masses = cls.m1, cls.m2
        moments = (sp.diag(*J) + m * skew(r) ** 2 for J, m, r in zip((cls.J1, cls.J2), masses, coms, strict=True))
        return governor_bodies(masses, coms, tuple(moments))


def assert_zero(expression: sp.Matrix) -> None:
    """Assert that all entries are identically zero."""
    assert expression.applyfunc(sp.simplify) == sp.zeros(*expression.shape)


def joint_twist_columns(G: sp.Matrix, rho: sp.Matrix, rates: sp.Matrix) -> sp.Matrix:
    """A by definition: (G dρ/dt; ω) per unit of each rate, ω~ = -dG/dt Gᵀ."""
    twist = sp.Matrix.vstack(G * rate(rho), vee(-rate(G) * G.T))
    return twist.jacobian(rates)


def test_paper_direction_cosines() -> None:
    """G_2 = Gy(beta) Gx(alpha): about x first, then about the new y; G_1 = Gz(gamma)."""
    assert_zero(Paper.G_1 - turned("z", gamma).T)
    assert_zero(Paper.G_2 - turned("y", beta).T * turned("x", alpha).T)


def test_paper_joint_columns() -> None:
    """A_1 and A_2 follow from G and ρ; the columns of A_2 are those of y, alpha, beta."""
    assert_zero(Paper.A_1 - joint_twist_columns(Paper.G_1, sp.zeros(3, 1), sp.Matrix(u[:1])))
    assert_zero(Paper.A_2 - joint_twist_columns(Paper.G_2, Paper.rho_2, sp.Matrix(u[1:])))


def test_paper_rate_of_joint_columns() -> None:
    """dA_2/dt by differentiation; A_1 is constant."""
    assert_zero(Paper.A_2_dot - rate(Paper.A_2))
    assert_zero(rate(Paper.A_1))


@pytest.mark.parametrize("i", [0, 1])
def test_paper_mass_matrices(i: int) -> None:
    """M_i is the Hessian of ½ m |v + ω × r|² + ½ ωᵀ(J - m(r²E - rrᵀ))ω in the twist (v, ω) of O_i."""
    M, m, r, J = ((Paper.M_1, Paper.m1, Paper.r_c1, Paper.J1), (Paper.M_2, Paper.m2, Paper.r_c2, Paper.J2))[i]
    twist = sp.Matrix(sp.symbols("v_x v_y v_z w_x w_y w_z"))
    v, w = twist[:3, :], twist[3:, :]
    vc = v + w.cross(r)
    about_centre = sp.diag(*J) - m * (r.dot(r) * sp.eye(3) - r * r.T)
    T = (m * vc.dot(vc) + w.dot(about_centre * w)) / 2
    assert_zero(M - sp.hessian(T, twist))


def test_paper_generalized_forces() -> None:
    """Q = -∂V/∂q of gravity and spring, with the speed regulator k(ω0 - dγ/dt) on gamma."""
    V = sum(b.mass * Paper.g * b.centre.dot(Oz) for b in Paper.bodies()) + Paper.c * (y - Paper.y0) ** 2 / 2
    regulator = sp.Matrix([Paper.k * (Paper.w0 - u[0]), 0, 0, 0])
    assert_zero(Paper.Q - regulator + sp.Matrix([V]).jacobian(q).T)


def test_paper_equations_are_those_of_lagrange() -> None:
    """(P1)-(P4) with these matrices give p = ∂L/∂u and dp/dt = ∂L/∂q + regulator, to 30 digits."""
    C_2 = sp.Matrix(sp.BlockMatrix([
        [Paper.G_2, -Paper.G_2 * skew(Paper.rho_2)],
        [sp.zeros(3, 3), Paper.G_2],
    ]))  # fmt: skip
    v_1 = Paper.A_1 * u[0]
    v_2 = C_2 * v_1 + Paper.A_2 * sp.Matrix(u[1:])  # (P1)
    mu_2 = Paper.M_2 * v_2
    mu_1 = Paper.M_1 * v_1 + C_2.T * mu_2  # (P2)
    p = sp.Matrix.vstack(Paper.A_1.T * mu_1, Paper.A_2.T * mu_2)  # (P3)
    p_dot = Paper.Q + sp.Matrix.vstack(  # (P4)
        -Paper.A_1.T * omega(v_1) * mu_1, (Paper.A_2_dot.T - Paper.A_2.T * omega(v_2)) * mu_2
    )
    L = lagrangian(Paper.bodies(), Paper.g, Paper.c, Paper.y0)
    regulator = sp.Matrix([Paper.k * (Paper.w0 - u[0]), 0, 0, 0])
    differences = [p - sp.Matrix([L]).jacobian(u).T, p_dot - sp.Matrix([L]).jacobian(q).T - regulator]
    symbols = sorted(set().union(*(d.free_symbols for d in differences)), key=str)
    rng = np.random.default_rng(7)
    with mpmath.workdps(40):
        for difference in differences:
            evaluate = sp.lambdify(symbols, list(difference), modules="mpmath", cse=True)
            for _ in range(3):
                assert max(map(abs, evaluate(*map(mpmath.mpf, rng.uniform(0.1, 2.0, len(symbols)))))) < 1e-30


def omega(twist: sp.Matrix) -> sp.Matrix:
    """Matrix Ω = [[ω~, 0], [v~, ω~]]."""
    v, w = skew(twist[:3, :]), skew(twist[3:, :])
    return sp.Matrix(sp.BlockMatrix([[w, sp.zeros(3, 3)], [v, w]]))
