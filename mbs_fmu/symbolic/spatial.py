"""Vectors, rotations and articulated inertias on symbolic scalars.

Notation as in docs/equations.md: a twist is (v, w), linear part first, a wrench (f, n). The inertia
about the frame's origin is kept in blocks: M (3x3, symmetric), H and J (symmetric), so that

    f = M v + Hᵀ w,    n = H v + J w,

with H = m r~ for a rigid body. "Inward" is towards the parent, "outward" towards the child.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Protocol

from ..expressions import Expression, as_expression

Vector = list[Expression]
Matrix = list[Vector]

ZERO = as_expression(0.0)
#: The plane (b, d) turned by a rotation about axis a: e_b towards e_d.
PLANE = {0: (1, 2), 1: (2, 0), 2: (0, 1)}


def zeros() -> Vector:
    return [ZERO] * 3


def zero_matrix() -> Matrix:
    return [zeros() for _ in range(3)]


def add(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def sub(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def scale(s: Expression, a: Vector) -> Vector:
    return [s * x for x in a]


def dot(a: Vector, b: Vector) -> Expression:
    total = ZERO
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def transpose(m: Matrix) -> Matrix:
    return [[m[j][i] for j in range(3)] for i in range(3)]


def on_axis(axis: int, value: Expression) -> Vector:
    """A vector along a principal axis."""
    out = zeros()
    out[axis] = value
    return out


def matvec(m: Matrix, v: Vector) -> Vector:
    return [dot(row, v) for row in m]


def matmul(a: Matrix, b: Matrix) -> Matrix:
    columns = transpose(b)
    return [[dot(row, column) for column in columns] for row in a]


def skew(r: Vector) -> Matrix:
    return [[ZERO, -r[2], r[1]], [r[2], ZERO, -r[0]], [-r[1], r[0], ZERO]]


def skew_times(r: Vector, m: Matrix) -> Matrix:
    """r~ m, column by column."""
    return transpose([cross(r, column) for column in transpose(m)])


def symmetric(upper: Matrix) -> Matrix:
    """The upper triangle mirrored, so that symmetric entries are one and the same node."""
    return [[upper[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]


@dataclass
class Twist:
    """Twist (v, w) of a frame, and gravity's acceleration g, all in the frame's own axes."""

    v: Vector
    w: Vector
    g: Vector


@dataclass
class Wrench:
    """Wrench (f, n) about the frame's origin, in the frame's axes."""

    f: Vector
    n: Vector


@dataclass
class Articulated:
    """What the branch outboard of a frame looks like from it: mu = (M, H, J)(v, w) + (f, n).

    `f`, `n` are the momentum bias Phi* (S1); `s` and `mass` are the branch's first
    moment of mass about the frame's origin and its mass, which give gravity's wrench (mass g, s x g).
    """

    M: Matrix = field(default_factory=zero_matrix)
    H: Matrix = field(default_factory=zero_matrix)
    J: Matrix = field(default_factory=zero_matrix)
    f: Vector = field(default_factory=zeros)
    n: Vector = field(default_factory=zeros)
    s: Vector = field(default_factory=zeros)
    mass: Expression = ZERO

    def momentum(self, twist: Twist) -> Wrench:
        """mu = M* v + Phi*, all rows."""
        f = add(add(matvec(self.M, twist.v), matvec(transpose(self.H), twist.w)), self.f)
        n = add(add(matvec(self.H, twist.v), matvec(self.J, twist.w)), self.n)
        return Wrench(f, n)


class FrameChange(Protocol):
    """A change of frame: `outward` carries twists to the child side, `inward` the rest to the parent's.

    `inward_twist` is the inverse of `outward`.
    """

    def outward(self, twist: Twist) -> Twist: ...

    def inward(self, body: Articulated) -> Articulated: ...

    def inward_wrench(self, wrench: Wrench) -> Wrench: ...

    def inward_twist(self, twist: Twist) -> Twist: ...

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]: ...


@dataclass
class PlanarTurn:
    """Rotation about principal axis `axis`, given by its sine and cosine (and their products)."""

    axis: int
    sine: Expression
    cosine: Expression
    sine2: Expression | None = None
    sine_cosine: Expression | None = None

    def _vector(self, x: Vector, sine: Expression) -> Vector:
        b, d = PLANE[self.axis]
        out = list(x)
        out[b] = self.cosine * x[b] - sine * x[d]
        out[d] = sine * x[b] + self.cosine * x[d]
        return out

    def into_parent(self, x: Vector) -> Vector:
        return self._vector(x, self.sine)

    def into_child(self, x: Vector) -> Vector:
        return self._vector(x, -self.sine)

    def _products(self) -> tuple[Expression, Expression]:
        s2 = self.sine * self.sine if self.sine2 is None else self.sine2
        sc = self.sine * self.cosine if self.sine_cosine is None else self.sine_cosine
        return s2, sc

    def symmetric_matrix(self, m: Matrix) -> Matrix:
        """R m Rᵀ for a symmetric m: four products in the plane, two by the vector rule."""
        a, (b, d) = self.axis, PLANE[self.axis]
        s2, sc = self._products()
        difference, twice = m[b][b] - m[d][d], 2.0 * m[b][d]
        x, y = s2 * difference + sc * twice, sc * difference - s2 * twice
        out = [list(row) for row in m]
        out[b][b], out[d][d] = m[b][b] - x, m[d][d] + x
        out[b][d] = out[d][b] = m[b][d] + y
        column = self.into_parent([m[a][k] for k in range(3)])
        out[a][b] = out[b][a] = column[b]
        out[a][d] = out[d][a] = column[d]
        return out

    def matrix(self, m: Matrix) -> Matrix:
        """R m Rᵀ for a general m."""
        a, (b, d) = self.axis, PLANE[self.axis]
        s2, sc = self._products()
        difference, total = m[b][b] - m[d][d], m[b][d] + m[d][b]
        x, y = s2 * difference + sc * total, sc * difference - s2 * total
        out = [list(row) for row in m]
        out[b][b], out[d][d] = m[b][b] - x, m[d][d] + x
        out[b][d], out[d][b] = m[b][d] + y, m[d][b] + y
        row = self.into_parent(m[a])
        out[a][b], out[a][d] = row[b], row[d]
        column = self.into_parent([m[k][a] for k in range(3)])
        out[b][a], out[d][a] = column[b], column[d]
        return out

    def outward(self, twist: Twist) -> Twist:
        return Twist(*(self.into_child(x) for x in (twist.v, twist.w, twist.g)))

    def inward(self, body: Articulated) -> Articulated:
        return Articulated(
            M=self.symmetric_matrix(body.M),
            H=self.matrix(body.H),
            J=self.symmetric_matrix(body.J),
            f=self.into_parent(body.f),
            n=self.into_parent(body.n),
            s=self.into_parent(body.s),
            mass=body.mass,
        )

    def inward_wrench(self, wrench: Wrench) -> Wrench:
        return Wrench(self.into_parent(wrench.f), self.into_parent(wrench.n))

    def inward_twist(self, twist: Twist) -> Twist:
        return Twist(*(self.into_parent(x) for x in (twist.v, twist.w, twist.g)))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return [self.into_child(row) for row in rotation], origin


@dataclass
class Rotation:
    """A rotation given by its matrix, child to parent coordinates."""

    R: Matrix

    @classmethod
    def quaternion(cls, q: Vector) -> Rotation:
        """Of a quaternion, w first, normalised here: R = E + 2/|q|² (w v~ + v~v~)."""
        w, x, y, z = q
        k = 2.0 / (w * w + x * x + y * y + z * z)
        xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
        wx, wy, wz = w * x, w * y, w * z
        return cls(
            [
                [1.0 - k * (yy + zz), k * (xy - wz), k * (xz + wy)],
                [k * (xy + wz), 1.0 - k * (xx + zz), k * (yz - wx)],
                [k * (xz - wy), k * (yz + wx), 1.0 - k * (xx + yy)],
            ]
        )

    def outward(self, twist: Twist) -> Twist:
        back = transpose(self.R)
        return Twist(*(matvec(back, x) for x in (twist.v, twist.w, twist.g)))

    def inward(self, body: Articulated) -> Articulated:
        back = transpose(self.R)

        def turned(m: Matrix) -> Matrix:
            return matmul(matmul(self.R, m), back)

        return Articulated(
            M=symmetric(turned(body.M)),
            H=turned(body.H),
            J=symmetric(turned(body.J)),
            f=matvec(self.R, body.f),
            n=matvec(self.R, body.n),
            s=matvec(self.R, body.s),
            mass=body.mass,
        )

    def inward_wrench(self, wrench: Wrench) -> Wrench:
        return Wrench(matvec(self.R, wrench.f), matvec(self.R, wrench.n))

    def inward_twist(self, twist: Twist) -> Twist:
        return Twist(*(matvec(self.R, x) for x in (twist.v, twist.w, twist.g)))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return matmul(rotation, self.R), origin


@dataclass
class Translation:
    """The child's origin at `r` in the parent's axes; the axes stay parallel.

    `moment` may give r times the branch's mass where `prepare` has it ready.
    """

    r: Vector
    moment: Vector | None = None

    def outward(self, twist: Twist) -> Twist:
        return replace(twist, v=add(twist.v, cross(twist.w, self.r)))

    def inward(self, body: Articulated) -> Articulated:
        H = [add(x, y) for x, y in zip(body.H, skew_times(self.r, body.M), strict=True)]
        first = skew_times(self.r, transpose(H))
        second = skew_times(self.r, transpose(body.H))
        J = zero_matrix()
        for i in range(3):
            for j in range(i, 3):
                J[i][j] = body.J[i][j] + first[i][j] + second[j][i]
        moment = scale(body.mass, self.r) if self.moment is None else self.moment
        return replace(body, H=H, J=symmetric(J), n=add(body.n, cross(self.r, body.f)), s=add(body.s, moment))

    def inward_wrench(self, wrench: Wrench) -> Wrench:
        return Wrench(wrench.f, add(wrench.n, cross(self.r, wrench.f)))

    def inward_twist(self, twist: Twist) -> Twist:
        return replace(twist, v=sub(twist.v, cross(twist.w, self.r)))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return rotation, add(origin, matvec(rotation, self.r))


def quaternion_rate(q: Vector, w: Vector) -> Vector:
    """q_dot = ½ q (0, w) for a unit quaternion, w first, and w in child axes."""
    vector = add([q[0] * x for x in w], cross(q[1:], w))
    scalar = -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2])
    return [0.5 * x for x in [scalar, *vector]]
