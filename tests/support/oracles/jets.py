"""Quantities with exact derivatives along a motion, and the frames that a joint's motions make.

A `Jet` is a quantity with its gradient along the joint velocities u and with its first and second rate on the motion
q_dot = E u, u_dot = 0, by Leibniz' rule. Frames are 4x4 matrices T = [[R, x], [0, 1]]. A joint's motions multiply them,
and each motion has constant generators K in the frame behind it:

    T' = T E(q),    E_dot = E W,    W = sum K_k u_k                                              (D1)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mbs_fmu.model import motions as elementary
from mbs_fmu.symbolic.expressions import Expression, leaf
from mbs_fmu.symbolic.formula import Formula, Own
from mbs_fmu.symbolic.vectors import Vector

Array = np.ndarray


# -- quantities with derivatives --------------------------------------------------------------------
@dataclass
class Jet:
    """A quantity, its gradient over the joint velocities (first axis), its first and second rate."""

    value: Any
    gradient: Any = 0.0
    first: Any = 0.0
    second: Any = 0.0

    def map(self, f: Callable[[Any], Any]) -> Jet:
        """Apply one linear function to value, gradient and rates."""
        return Jet(f(self.value), f(self.gradient), f(self.first), f(self.second))

    def chain(self, f: Any, slope: Any, curvature: Any) -> Jet:
        """Apply a function to the jet, from the function's value and first two derivatives."""
        second = slope * self.second + curvature * self.first**2
        return Jet(f, slope * self.gradient, slope * self.first, second)

    def __add__(self, b: Jet) -> Jet:
        return Jet(self.value + b.value, self.gradient + b.gradient, self.first + b.first, self.second + b.second)

    def __sub__(self, b: Jet) -> Jet:
        return self + b.map(lambda x: -x)

    def __mul__(self, b: Jet) -> Jet:
        gradient = self.gradient * b.value + self.value * b.gradient
        second = self.second * b.value + 2.0 * self.first * b.first + self.value * b.second
        return Jet(self.value * b.value, gradient, self.first * b.value + self.value * b.first, second)


SLOPES: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {  # first two derivatives from x and f(x)
    "sqrt": lambda x, f: (0.5 / f, -0.25 / f**3),
    "sin": lambda x, f: (math.cos(x), -f),
    "cos": lambda x, f: (-math.sin(x), -f),
    "tan": lambda x, f: (1 + f * f, 2 * f * (1 + f * f)),
    "asin": lambda x, f: ((1 - x * x) ** -0.5, x * (1 - x * x) ** -1.5),
    "acos": lambda x, f: (-((1 - x * x) ** -0.5), -x * (1 - x * x) ** -1.5),
    "atan": lambda x, f: (1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    "exp": lambda x, f: (f, f),
    "log": lambda x, f: (1 / x, -1 / x**2),
    "tanh": lambda x, f: (1 - f * f, -2 * f * (1 - f * f)),
}


def apply(op: str, a: Jet) -> Jet:
    """Apply a function of `math` to a jet."""
    f = np.float64(getattr(math, op)(a.value))
    return a.chain(f, *SLOPES[op](np.float64(a.value), f))


def power(a: Jet, b: Jet) -> Jet:
    x, n = np.float64(a.value), b.value
    if np.any(b.gradient) or b.first:
        return apply("exp", b * apply("log", a))
    return a.chain(x**n, n * x ** (n - 1), n * (n - 1) * x ** (n - 2))


def quotient(a: Jet, b: Jet) -> Jet:
    return a * power(b, Jet(-1))


def atan2(y: Jet, x: Jet) -> Jet:
    steep = abs(y.value) > abs(x.value)
    angle = apply("atan", quotient(x, y)).map(lambda a: -a) if steep else apply("atan", quotient(y, x))
    return replace(angle, value=math.atan2(y.value, x.value))


def table(a: Jet, points: tuple[float, ...], values: tuple[float, ...]) -> Jet:
    k = int(np.searchsorted(points, a.value, side="right")) - 1
    inside = 0 <= k < len(points) - 1
    slope = (values[k + 1] - values[k]) / (points[k + 1] - points[k]) if inside else 0.0
    return a.chain(np.interp(a.value, points, values), slope, 0.0)


OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": Jet.__add__,
    "sub": Jet.__sub__,
    "mul": Jet.__mul__,
    "div": quotient,
    "neg": lambda a: a.map(lambda x: -x),
    "pow": power,
    "atan2": atan2,
    "lt": lambda a, b: a.value < b.value,
    "le": lambda a, b: a.value <= b.value,
    "where": lambda condition, a, b: a if condition else b,
}


def evaluate(expression: Expression, leaf: Callable[[Any], Jet]) -> Jet:
    """Jet of an expression, from the jets of its leaves."""
    done: dict[int, Any] = {}

    def result(e: Expression) -> Any:
        if id(e) not in done:
            args = [result(a) for a in e.args]
            if e.op in ("const", "leaf"):
                done[id(e)] = Jet(e.value) if e.op == "const" else leaf(e.value)
            elif e.op == "table":
                done[id(e)] = table(*args, *e.value)
            else:
                done[id(e)] = apply(e.op, *args) if e.op in SLOPES else OPERATIONS[e.op](*args)
        return done[id(e)]

    with np.errstate(all="ignore"):  # part of a derivative that no caller uses
        return result(expression)


# -- frames and motions -----------------------------------------------------------------------------
def skew(x: Array) -> Array:
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def axial(A: Array) -> Array:
    """w of the skew part w~ of a matrix, or of a stack of matrices."""
    return 0.5 * (A[..., [2, 0, 1], [1, 2, 0]] - A[..., [1, 2, 0], [2, 0, 1]])


def frame(R: Any, x: Any) -> Array:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, x
    return T


def generator(v: Any, w: Any) -> Array:
    """Matrix [[w~, v], [0, 0]]."""
    K = np.zeros((4, 4))
    K[:3, :3], K[:3, 3] = skew(w), v
    return K


ZERO = np.zeros(3)
SHIFTS, TURNS = [generator(e, ZERO) for e in np.eye(3)], [generator(ZERO, e) for e in np.eye(3)]


def products(a: Array) -> tuple[Array, Array]:
    """Matrices of the quaternion products b -> a b and b -> b a."""
    left = a[0] * np.eye(4)
    left[0, 1:] -= a[1:]
    left[1:, 0] += a[1:]
    right = left.copy()
    left[1:, 1:] += skew(a[1:])
    right[1:, 1:] -= skew(a[1:])
    return left, right


@dataclass(frozen=True)
class Motion:
    """An elementary motion: slices of its coordinates and velocities, and its generators or its formula."""

    kind: str
    q: slice
    u: slice
    K: Array
    formula: Formula | None = None

    def matrix(self, q: Array) -> Array:
        """E of (D1)."""
        K = self.K[0]
        if self.kind == "turn":
            return np.eye(4) + math.sin(q[0]) * K + (1.0 - math.cos(q[0])) * K @ K
        if self.kind == "slide":
            return np.eye(4) + q[0] * K
        if self.kind == "screw":
            R = K.copy()
            R[:3, 3] = 0.0
            return np.eye(4) + math.sin(q[0]) * R + (1.0 - math.cos(q[0])) * R @ R + q[0] * (K - R)
        if self.kind not in ("ball", "free"):
            raise NotImplementedError(f"jets have no matrix for motion {self.kind!r}: add its generators to jets.py")
        left, right = products(q[-4:])
        return frame((left @ right.T)[1:, 1:], q[:3] if self.kind == "free" else ZERO)  # r -> Q r Q*

    def coordinates(self, q: Array, u: Array) -> Jet:
        """Coordinates as jets: moved by u; Q_dot = Q (0, w)/2 and x_dot = R v for ball and free."""
        if self.kind in ("turn", "slide", "screw", *FORMULAS):
            return Jet(q, np.eye(len(q)), u, np.zeros(len(q)))
        if self.kind not in ("ball", "free"):
            raise NotImplementedError(f"jets have no rates for motion {self.kind!r}: add them to jets.py")
        Q, w = q[-4:], u[-3:]
        turning = 0.5 * products(Q)[0][:, 1:].T
        if self.kind == "ball":
            return Jet(Q, turning, w @ turning, -0.25 * (w @ w) * Q)
        R = self.matrix(q)[:3, :3]
        gradient = np.block([[R.T, np.zeros((3, 4))], [np.zeros((3, 3)), turning]])
        return Jet(q, gradient, u @ gradient, np.concatenate([R @ skew(w) @ u[:3], -0.25 * (w @ w) * Q]))


#: Motions whose generators depend on the coordinates: position and rotation as formulas of the coordinates `Own(k)`.
FORMULAS: dict[str, Callable[[Any], Formula]] = {
    "custom": lambda motion: motion.formula,
    "constant-velocity": lambda motion: cayley(motion),
}
KINDS = ("turn", "slide", "screw", "ball", "free", *FORMULAS)


def cayley(motion: Any) -> Formula:
    """Rotation (E - c~/2)⁻¹ (E + c~/2) with c in the plane of both directions of a motion."""
    c = [leaf(Own(0)) * a + leaf(Own(1)) * b for a, b in zip(motion.first, motion.second, strict=True)]
    factor = 4.0 / (4.0 + c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
    cross = [[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]]
    square = [[sum(cross[i][k] * cross[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    entries = [float(i == j) + factor * (cross[i][j] + 0.5 * square[i][j]) for i in range(3) for j in range(3)]
    return Formula(("rad", "rad"), Vector((0.0, 0.0, 0.0)), Vector(entries))


def motions(elements: Iterable[elementary.Motion], q: int = 0, u: int = 0) -> list[Motion]:
    """The motions of a joint whose coordinates and velocities start at q and u. Raises NotImplementedError for a kind
    of motion that jets have no formulas for."""
    chain = []
    for m in elements:
        if m.name not in KINDS:
            raise NotImplementedError(
                f"jets have no formulas for motion {m.name!r}: add its generators or its formula to jets.py"
            )
        nq, nu = len(m.units), len(m.rate_units)
        axis = ZERO if m.axis is None else np.array(m.axis)
        along = {"slide": axis, "screw": m.pitch.value * axis if isinstance(m, elementary.Screw) else ZERO}
        single = generator(along.get(m.name, ZERO), ZERO if m.name == "slide" else axis)
        K = {"ball": TURNS, "free": SHIFTS + TURNS}.get(m.name, [single])
        formula = FORMULAS[m.name](m) if m.name in FORMULAS else None
        chain.append(Motion(m.name, slice(q, q + nq), slice(u, u + nu), np.array(K), formula))
        q, u = q + nq, u + nu
    return chain


def normalised(q: Array, chain: Iterable[Motion]) -> Array:
    q = np.array(q, dtype=float)
    for motion in chain:
        if motion.kind in ("ball", "free"):
            Q = q[motion.q][-4:]
            Q /= np.linalg.norm(Q)
    return q


def carried(T: Jet, chain: Iterable[Motion], q: Array, u: Array, column: int = 0) -> Jet:
    """Frame behind some motions, by (D1); their velocities are columns of the gradient from `column` on."""
    for motion in chain:
        if motion.formula is not None:
            T = by_formula(T, motion, motion.formula, q, u, column)
            continue
        E, W = motion.matrix(q[motion.q]), np.einsum("k,kij", u[motion.u], motion.K)
        T = T.map(lambda x: x @ E)
        T.gradient[column + motion.u.start : column + motion.u.stop] += T.value @ motion.K
        T.second = T.second + 2.0 * T.first @ W + T.value @ W @ W
        T.first = T.first + T.value @ W
    return T


def by_formula(T: Jet, motion: Motion, formula: Formula, q: Array, u: Array, column: int) -> Jet:
    """T E by Leibniz' rule, the entries of E and their derivatives from the joint's own formulas."""
    n = motion.q.stop - motion.q.start
    own = [Jet(q[motion.q][k], np.eye(n)[k], u[motion.u][k], 0.0) for k in range(n)]
    entries = [evaluate(x, lambda r: own[r.k]) for x in formula.expressions]

    def matrix(part: str) -> Array:
        x = np.stack([np.broadcast_to(getattr(e, part), (n,) if part == "gradient" else ()) for e in entries], axis=-1)
        E = np.zeros((*x.shape[:-1], 4, 4))
        E[..., :3, :3], E[..., :3, 3] = x[..., 3:].reshape(*x.shape[:-1], 3, 3), x[..., :3]
        return E

    E, first, second = matrix("value"), matrix("first"), matrix("second")
    E[3, 3] = 1.0
    gradient = T.gradient @ E
    gradient[column + motion.u.start : column + motion.u.stop] += T.value @ matrix("gradient")
    return Jet(
        T.value @ E,
        gradient,
        T.first @ E + T.value @ first,
        T.second @ E + 2.0 * T.first @ first + T.value @ second,
    )


def twists(T: Jet) -> Jet:
    """Velocity of a frame's origin and angular velocity, in world axes (the value has no meaning)."""
    R = T.value[:3, :3]
    return T.map(lambda x: np.concatenate([x[..., :3, 3], axial(x[..., :3, :3] @ R.T)], axis=-1))


def mismatch(B: Array, C: Array) -> Array:
    """Translation (m) and rotation (rad) that bring C to B."""
    R = B[:3, :3] @ C[:3, :3].T
    w = axial(R)
    sine, cosine = math.sqrt(w @ w), 0.5 * (np.trace(R) - 1.0)
    turned = w * (math.atan2(sine, cosine) / sine) if sine else np.array([math.atan2(0.0, cosine), 0.0, 0.0])
    return np.concatenate([B[:3, 3] - C[:3, 3], turned])


def point(T: Jet, p: Any) -> Jet:
    """World position of a point of a frame."""
    return T.map(lambda x: x[..., :3, :3] @ p + x[..., :3, 3])


def dot(a: Jet, b: Jet) -> Jet:
    return (a * b).map(lambda x: x.sum(axis=-1))


def lifted(a: Jet) -> Jet:
    """A number as factor of a vector."""
    return a.map(lambda x: np.asarray(x)[..., None])


def cross(a: Jet, b: Jet) -> Jet:
    one, two = [1, 2, 0], [2, 0, 1]
    a1, a2, b1, b2 = (x.map(lambda y, i=i: y[..., i]) for x, i in ((a, one), (a, two), (b, one), (b, two)))
    return a1 * b2 - a2 * b1


def form(a: Jet, x: Jet) -> Jet:
    """The form sum a dx, as a rate condition: its gradient by velocities, its value as `first`, its rate."""
    rate = (a.value * x.second + a.first * x.first).sum(axis=-1)
    return Jet(0.0, (a.value * x.gradient).sum(axis=-1), (a.value * x.first).sum(axis=-1), rate)


def axis_of(T: Jet, n: Any) -> Jet:
    """A direction of a frame, in world axes."""
    return T.map(lambda x: x[..., :3, :3] @ n)


def stacked(jets: list[Jet]) -> Jet:
    """Concatenation of vectors."""
    return Jet(
        *(np.concatenate([getattr(j, k) for j in jets], axis=-1) for k in ("value", "gradient", "first", "second"))
    )
