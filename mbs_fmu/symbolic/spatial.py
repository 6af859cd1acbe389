"""Twists, wrenches, articulated inertias and changes of frame, with expressions as components.

The notation is that of docs/equations.md: a twist is (v, w), linear part first, a wrench (f, n). The inertia about the
frame's origin has the blocks M (3x3, symmetric), H and J (symmetric), so that

    f = M v + Hᵀ w,    n = H v + J w,

with H = m r~ for a rigid body. "Inward" is towards the parent, "outward" towards the child.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from ..infrastructure.lazy_dataclasses import dataclass
from .expressions import ZERO, Expression, named
from .quaternions import rotation_rows
from .vectors import ORIGIN, ZEROS, Matrix, Vector, scaled, skew_times

#: For each axis a the plane (b, d) of a rotation about it, from e_b towards e_d.
PLANE = {0: (1, 2), 1: (2, 0), 2: (0, 1)}


def on_axis(axis: int, value: Expression) -> Vector:
    """Vector along a principal axis."""
    return Vector(value if k == axis else ZERO for k in range(3))


def labelled(vector: Vector, name: str) -> Vector:
    """Return the vector; its components get names for the generated text."""
    for k, x in enumerate(vector):
        named(x, f"{name}{k}")
    return vector


@dataclass(frozen=True)
class FrameWrench:
    """Wrench (f, n) about the frame's origin, in the frame's axes; also a momentum."""

    f: Vector
    n: Vector

    @property
    def entries(self) -> list[Expression]:
        return [*self.f, *self.n]

    def labelled(self, linear: str, angular: str) -> FrameWrench:
        """Return the wrench; its components get names for the generated text."""
        labelled(self.f, linear)
        labelled(self.n, angular)
        return self

    def __add__(self, other: FrameWrench) -> FrameWrench:
        return FrameWrench(self.f + other.f, self.n + other.n)

    def __sub__(self, other: FrameWrench) -> FrameWrench:
        return FrameWrench(self.f - other.f, self.n - other.n)

    def __mul__(self, factor: Expression) -> FrameWrench:
        return FrameWrench(scaled(factor, self.f), scaled(factor, self.n))


@dataclass(frozen=True)
class FrameTwist:
    """Twist (v, w) of a frame, and gravity's acceleration g, all in the frame's own axes."""

    v: Vector = ORIGIN
    w: Vector = ORIGIN
    g: Vector = ORIGIN

    @property
    def entries(self) -> list[Expression]:
        return [*self.v, *self.w]

    def __add__(self, other: FrameTwist) -> FrameTwist:
        """Sum of twists, with the first one's gravity."""
        return replace(self, v=self.v + other.v, w=self.w + other.w)

    def __sub__(self, other: FrameTwist) -> FrameTwist:
        return replace(self, v=self.v - other.v, w=self.w - other.w)

    def __mul__(self, factor: Expression) -> FrameTwist:
        return replace(self, v=scaled(factor, self.v), w=scaled(factor, self.w))

    def labelled(self) -> FrameTwist:
        """Return the twist; its components get names for the generated text."""
        for vector, letter in ((self.v, "v"), (self.w, "w"), (self.g, "g")):
            labelled(vector, letter)
        return self

    def power(self, wrench: FrameWrench) -> Expression:
        """Power of a wrench along this twist."""
        return self.v.dot(wrench.f) + self.w.dot(wrench.n)

    def cross(self, other: FrameTwist) -> FrameTwist:
        """Rate of a twist that is fixed in a frame that moves with this twist."""
        return FrameTwist(self.w.cross(other.v) + self.v.cross(other.w), self.w.cross(other.w))

    def omega(self, mu: FrameWrench) -> FrameWrench:
        """Product Omega mu of (P4)."""
        return FrameWrench(self.w.cross(mu.f), self.v.cross(mu.f) + self.w.cross(mu.n))


@dataclass(frozen=True)
class Articulated:
    """Articulated inertia of the branch outboard of a frame: mu = (M, H, J)(v, w) + (f, n).

    `f`, `n` are the momentum bias Phi* (S1). `s` and `mass` are the branch's first moment of mass about the frame's
    origin and its mass; gravity's wrench is (mass g, s x g).
    """

    M: Matrix = ZEROS
    H: Matrix = ZEROS
    J: Matrix = ZEROS
    f: Vector = ORIGIN
    n: Vector = ORIGIN
    s: Vector = ORIGIN
    mass: Expression = ZERO

    def labelled(self) -> Articulated:
        """Return the inertia; its entries get names for the generated text."""
        for matrix, letter in ((self.M, "M"), (self.H, "H"), (self.J, "J")):
            for i, row in enumerate(matrix.rows):
                labelled(row, f"{letter}{i}")
        for vector, letter in ((self.f, "f"), (self.n, "n"), (self.s, "s")):
            labelled(vector, letter)
        return self

    def __matmul__(self, twist: FrameTwist) -> FrameWrench:
        """Product M* v."""
        return FrameWrench(self.M @ twist.v + self.H.T @ twist.w, self.H @ twist.v + self.J @ twist.w)

    @property
    def bias(self) -> FrameWrench:
        """Momentum bias Phi*."""
        return FrameWrench(self.f, self.n)

    def momentum(self, twist: FrameTwist) -> FrameWrench:
        """Momentum mu = M* v + Phi*, all six components."""
        return self @ twist + self.bias

    def biased(self, bias: FrameWrench) -> Articulated:
        """Return the inertia with another momentum bias Phi*."""
        return replace(self, f=bias.f, n=bias.n)

    def gravity(self, g: Vector) -> FrameWrench:
        """Wrench of gravity on the branch."""
        return FrameWrench(scaled(self.mass, g), self.s.cross(g))


class FrameChange(Protocol):
    """A change of frame: `outward` transforms twists to the child, `inward` inertias and wrenches to the parent.

    `inward_twist` is the inverse of `outward`.
    """

    def outward(self, twist: FrameTwist) -> FrameTwist: ...

    def inward(self, body: Articulated) -> Articulated: ...

    def inward_wrench(self, wrench: FrameWrench) -> FrameWrench: ...

    def inward_twist(self, twist: FrameTwist) -> FrameTwist: ...

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]: ...


@dataclass(frozen=True)
class PlanarTurn:
    """Rotation about principal axis `axis`, by its sine and cosine (and their products)."""

    axis: int
    sine: Expression
    cosine: Expression
    sine2: Expression | None = None
    sine_cosine: Expression | None = None

    def _vector(self, x: Vector, sine: Expression) -> Vector:
        b, d = PLANE[self.axis]
        turned = {b: self.cosine * x[b] - sine * x[d], d: sine * x[b] + self.cosine * x[d]}
        return Vector(turned.get(k, x[k]) for k in range(3))

    def into_parent(self, x: Vector) -> Vector:
        return self._vector(x, self.sine)

    def into_child(self, x: Vector) -> Vector:
        return self._vector(x, -self.sine)

    def _products(self) -> tuple[Expression, Expression]:
        s2 = self.sine * self.sine if self.sine2 is None else self.sine2
        sc = self.sine * self.cosine if self.sine_cosine is None else self.sine_cosine
        return s2, sc

    def symmetric_matrix(self, m: Matrix) -> Matrix:
        """Product R m Rᵀ for a symmetric m: four entries by products in the plane, two as those of a vector."""
        a, (b, d) = self.axis, PLANE[self.axis]
        s2, sc = self._products()
        difference, twice = m[b, b] - m[d, d], 2.0 * m[b, d]
        x, y = s2 * difference + sc * twice, sc * difference - s2 * twice
        out = {(b, b): m[b, b] - x, (d, d): m[d, d] + x}
        out[b, d] = out[d, b] = m[b, d] + y
        column = self.into_parent(m.rows[a])
        out[a, b] = out[b, a] = column[b]
        out[a, d] = out[d, a] = column[d]
        return m.replaced(out)

    def matrix(self, m: Matrix) -> Matrix:
        """Product R m Rᵀ for a general m."""
        a, (b, d) = self.axis, PLANE[self.axis]
        s2, sc = self._products()
        difference, total = m[b, b] - m[d, d], m[b, d] + m[d, b]
        x, y = s2 * difference + sc * total, sc * difference - s2 * total
        out = {(b, b): m[b, b] - x, (d, d): m[d, d] + x, (b, d): m[b, d] + y, (d, b): m[d, b] + y}
        row = self.into_parent(m.rows[a])
        out[a, b], out[a, d] = row[b], row[d]
        column = self.into_parent(m.column(a))
        out[b, a], out[d, a] = column[b], column[d]
        return m.replaced(out)

    def outward(self, twist: FrameTwist) -> FrameTwist:
        return FrameTwist(*(self.into_child(x) for x in (twist.v, twist.w, twist.g)))

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

    def inward_wrench(self, wrench: FrameWrench) -> FrameWrench:
        return FrameWrench(self.into_parent(wrench.f), self.into_parent(wrench.n))

    def inward_twist(self, twist: FrameTwist) -> FrameTwist:
        return FrameTwist(*(self.into_parent(x) for x in (twist.v, twist.w, twist.g)))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return Matrix(self.into_child(row) for row in rotation.rows), origin


@dataclass(frozen=True)
class Rotation:
    """Rotation by its matrix, child to parent coordinates."""

    R: Matrix

    @classmethod
    def quaternion(cls, q: Vector) -> Rotation:
        """Return the rotation of a quaternion, w first, of any length except zero."""
        return cls(Matrix(rotation_rows(q, q.dot(q))))

    def outward(self, twist: FrameTwist) -> FrameTwist:
        back = self.R.T
        return FrameTwist(*(back @ x for x in (twist.v, twist.w, twist.g)))

    def inward(self, body: Articulated) -> Articulated:
        def turned(m: Matrix) -> Matrix:
            product: Matrix = self.R @ m @ self.R.T
            return product

        M, H, J = turned(body.M), turned(body.H), turned(body.J)
        return Articulated(
            M=Matrix.symmetric(lambda i, j: M[i, j]),
            H=H,
            J=Matrix.symmetric(lambda i, j: J[i, j]),
            f=self.R @ body.f,
            n=self.R @ body.n,
            s=self.R @ body.s,
            mass=body.mass,
        )

    def inward_wrench(self, wrench: FrameWrench) -> FrameWrench:
        return FrameWrench(self.R @ wrench.f, self.R @ wrench.n)

    def inward_twist(self, twist: FrameTwist) -> FrameTwist:
        return FrameTwist(*(self.R @ x for x in (twist.v, twist.w, twist.g)))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return rotation @ self.R, origin


@dataclass(frozen=True)
class Translation:
    """Translation of the child's origin to `r` in the parent's axes; the axes remain parallel.

    moment: r times the branch's mass if `prepare` has computed it.
    """

    r: Vector
    moment: Vector | None = None

    def outward(self, twist: FrameTwist) -> FrameTwist:
        return replace(twist, v=twist.v + twist.w.cross(self.r))

    def inward(self, body: Articulated) -> Articulated:
        H = body.H + skew_times(self.r, body.M)
        first = skew_times(self.r, H.T)
        second = skew_times(self.r, body.H.T)
        J = Matrix.symmetric(lambda i, j: body.J[i, j] + first[i, j] + second[j, i])
        moment = scaled(body.mass, self.r) if self.moment is None else self.moment
        return replace(body, H=H, J=J, n=body.n + self.r.cross(body.f), s=body.s + moment)

    def inward_wrench(self, wrench: FrameWrench) -> FrameWrench:
        return FrameWrench(wrench.f, wrench.n + self.r.cross(wrench.f))

    def inward_twist(self, twist: FrameTwist) -> FrameTwist:
        return replace(twist, v=twist.v - twist.w.cross(self.r))

    def pose(self, rotation: Matrix, origin: Vector) -> tuple[Matrix, Vector]:
        return rotation, origin + rotation @ self.r
