"""Overlap of two boxes: its depth, and the wrench that is the gradient of the depth, (G14) of docs/contact.md.

The parts of the edges of each box that lie inside the other box form a wire. The square of the depth is the integral
along the wire of d_a² + d_b², where d_a and d_b are the depths under one face of a and one of b, over the length of the
wire. The faces are those with the least depth. The length includes parts that lie up to a small height above the face,
with less weight, so that it does not jump as an edge lifts off. If two faces lie on each other, d_a + d_b is the depth
everywhere on the wire, and one of the two is zero, so no corner or edge needs to be matched.

All lengths are along the axes of one box, from its centre. The twelve edges of a box are computed in bundles of four
parallel ones; a place on an edge is t along the axis k of the bundle and half a length, with a sign, along both others.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from ...infrastructure.lazy_dataclasses import dataclass
from ...symbolic.expressions import ZERO, Expression, abs, max, min, sqrt, where
from ...symbolic.sides import parts, sense
from ...symbolic.vectors import ORIGIN, Vector

CLOSED = 1e-9  #: m, by which a face may lie outside of another and still counts as flush with it
PARALLEL = 1e-12  #: cosine between an edge and a normal that counts as zero
GRAZING = 0.05  #: least cosine between an edge and a side face for the motion of the place where it passes the face
MARGIN = 0.05  #: height above a face up to which edges count in the length of the wire, over the least half width
TINY = 1e-30  #: m² or m, keeps quotients finite where nothing overlaps
SIGNS = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))  #: of the places of four parallel edges

Half = Sequence[Expression]  #: half the lengths of the edges of a box, m
Axes = Sequence[Vector]  #: of a box, in the frame of the other


@dataclass(frozen=True, eq=False)
class Chord:
    """The part of an edge of a box that lies inside the other box.

    signs: of the place of the edge along both other axes. first, last: ends, t, m. length: m, zero if it is outside.
    enters, leaves: for each axis of the other box, t at which the edge passes the faces of that axis.
    """

    signs: tuple[float, float]
    first: Expression
    last: Expression
    length: Expression
    enters: tuple[Expression, ...]
    leaves: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Moments:
    """Length of a wire, m, and the integrals of the coordinates, m², and of their products, m³, along it."""

    length: Expression
    first: Vector
    second: list[Vector]

    def __add__(self, other: Moments) -> Moments:
        second = [x + y for x, y in zip(self.second, other.second, strict=True)]
        return Moments(self.length + other.length, self.first + other.first, second)

    def moved(self, c: Vector, axes: Axes) -> Moments:
        """Return the same in a frame in which the old one has the center c and the axes."""
        turned = _along(axes, self.first)
        columns = [_along(axes, row) for row in self.second]  # by axes of the old frame
        second = [
            _along(axes, Vector(column[i] for column in columns)) + c * turned[i] + (turned + c * self.length) * c[i]
            for i in range(3)
        ]
        return Moments(self.length, turned + c * self.length, second)


@dataclass(frozen=True, eq=False)
class Face:
    """The face of a box through which the overlap is left. half: its distance from the centre, m; normal: outward."""

    half: Expression
    normal: Vector


@dataclass(frozen=True, eq=False)
class Overlap:
    """Overlap of box b with box a, along the axes of a, from its centre.

    depth: m, zero if nothing overlaps. force, torque: on b at the centre of the wire, per force along the depth: minus
    the gradient of the depth. center: of the wire, m. spread: mean of the products of the coordinates along the wire,
    from its centre, m².
    """

    depth: Expression
    force: Vector
    torque: Vector
    center: Vector
    spread: list[Vector]


def separation(half_a: Half, half_b: Half, c: Vector, axes: Axes) -> Expression:
    """Return the least overlap along the normals of both boxes, m, negative if a face separates them.

    c, axes: center and axes of b in the frame of a.
    """
    return _least([overlap for overlap, _ in _overlaps(half_a, half_b, c, axes)])


def facing(half_a: Half, half_b: Half, c: Vector, axes: Axes) -> Vector:
    """Return the normal of either box, from a to b and in the frame of a, along which `separation` is the overlap."""
    (least, normal), *others = _overlaps(half_a, half_b, c, axes)
    for overlap, other in others:
        normal = Vector(where(overlap < least, x, y) for x, y in zip(other, normal, strict=True))
        least = min(least, overlap)
    side = where(normal.dot(c) < 0.0, -1.0, 1.0)
    return normal * side


def _overlaps(half_a: Half, half_b: Half, c: Vector, axes: Axes) -> list[tuple[Expression, Vector]]:
    """Return the overlap of two boxes along each normal, m, with the normal in the frame of a; arguments as above."""
    rows = _transposed(axes)
    own = [Vector(1.0 if i == k else 0.0 for i in range(3)) for k in range(3)]
    of_a = [(h + _reach(half_b, row) - abs(x), n) for h, row, x, n in zip(half_a, rows, c, own, strict=True)]
    of_b = [(h + _reach(half_a, axis) - abs(axis.dot(c)), axis) for h, axis in zip(half_b, axes, strict=True)]
    return of_a + of_b


def overlap(half_a: Half, half_b: Half, c: Vector, axes: Axes) -> Overlap:
    """Return the overlap of two boxes; c, axes: center and axes of b in the frame of a."""
    rows = _transposed(axes)  # the axes of a in the frame of b
    back = Vector(-axis.dot(c) for axis in axes)  # the center of a in the frame of b
    of_a, of_b = _chords(half_a, half_b, back, rows), _chords(half_b, half_a, c, axes)
    own_a, own_b = _moments(half_a, of_a), _moments(half_b, of_b)
    wire = own_a + own_b.moved(c, axes)
    margin = MARGIN * _least([*half_a, *half_b])
    through_a = [
        _Way(face, squares, _Reach(half_b, of_b, c, axes, face, margin).length)
        for face, squares in _faces(half_a, wire)
    ]
    through_b = [
        _Way(face, squares, _Reach(half_a, of_a, back, rows, face, margin).length)
        for face, squares in _faces(half_b, own_b + own_a.moved(back, rows))
    ]
    face_a, face_b = _chosen(through_a, through_b)
    on_a = _Pressure(half_a, of_a, back, rows, face_a, face_b, margin)
    on_b = _Pressure(half_b, of_b, c, axes, face_b, face_a, margin)
    length = on_a.reach.length + on_b.reach.length + TINY
    mean = (on_a.squares() + on_b.squares()) / length
    depth = sqrt(mean + TINY * TINY)
    force_b, torque_b = on_b.wrench(mean)  # along the axes of a, about its centre
    force_a, torque_a = on_a.wrench(mean)  # along the axes of b, about its centre
    reaction = _along(axes, force_a)
    share, inside = 0.5 / (length * depth), wire.length + TINY
    center = wire.first / inside
    force = (force_b - reaction) * share
    torque = (torque_b - _along(axes, torque_a) - c.cross(reaction)) * share
    spread = [row / inside - center * center[i] for i, row in enumerate(wire.second)]
    return Overlap(depth, force, torque - center.cross(force), center, spread)


def _least(values: Sequence[Expression]) -> Expression:
    least = values[0]
    for x in values[1:]:
        least = min(least, x)
    return least


def _along(axes: Axes, v: Sequence[Expression]) -> Vector:
    """Return the vector with the components v along axes."""
    return sum((axis * x for axis, x in zip(axes, v, strict=True)), start=ORIGIN)


def _transposed(axes: Axes) -> list[Vector]:
    return [Vector(axis[i] for axis in axes) for i in range(3)]


def _reach(half: Half, axis: Vector) -> Expression:
    """Return half the width of a box along a direction, m."""
    return sum((h * abs(x) for h, x in zip(half, axis, strict=True)), start=ZERO)


def _others(k: int) -> tuple[int, int]:
    return (k + 1) % 3, (k + 2) % 3


# -- the wire ------------------------------------------------------------------------------------------------
def _chords(own: Half, other: Half, c: Vector, axes: Axes) -> list[list[Chord]]:
    """Return the chords of a box for each axis; c, axes: its center and axes in the frame of the other."""
    sides = [axis * h for axis, h in zip(axes, own, strict=True)]
    return [_bundle(own[k], other, c, axes[k], [sides[i] for i in _others(k)]) for k in range(3)]


def _bundle(own: Expression, other: Half, c: Vector, axis: Vector, sides: Sequence[Vector]) -> list[Chord]:
    """Return four parallel chords; own: half their edges; sides: from the center to the faces beside them, m."""
    turns = [_inverse(x, PARALLEL) for x in axis]
    reach = [(h + CLOSED) * abs(x) for h, x in zip(other, turns, strict=True)]
    chords = []
    for signs in SIGNS:
        middle = c + sides[0] * signs[0] + sides[1] * signs[1]
        at = [x * -turn for x, turn in zip(middle, turns, strict=True)]
        enters = tuple(x - y for x, y in zip(at, reach, strict=True))
        leaves = tuple(x + y for x, y in zip(at, reach, strict=True))
        chords.append(_chord(signs, own, enters, leaves))
    return chords


def _chord(
    signs: tuple[float, float], own: Expression, enters: tuple[Expression, ...], leaves: tuple[Expression, ...]
) -> Chord:
    """Return the part of an edge from -own to own between the faces of the other box."""
    first, last = -own, own
    for x, y in zip(enters, leaves, strict=True):
        first, last = max(first, x), min(last, y)
    return Chord(signs, first, last, max(last - first, 0.0), enters, leaves)


def _raised(chords: Sequence[Chord], own: Expression, axis: Vector, other: Face, margin: Expression) -> list[Chord]:
    """Return the chords after a face of the other box has moved outward by the margin."""
    ways = [parts(margin * x * _inverse(y, PARALLEL)) for x, y in zip(other.normal, axis, strict=True)]
    raised = []
    for chord in chords:
        enters = tuple(x - back for x, (_, back) in zip(chord.enters, ways, strict=True))
        leaves = tuple(x + on for x, (on, _) in zip(chord.leaves, ways, strict=True))
        raised.append(_chord(chord.signs, own, enters, leaves))
    return raised


def _inverse(x: Expression, least: float) -> Expression:
    """Return 1/x, of a magnitude of at most 1/least."""
    size = 1.0 / max(abs(x), least)
    return where(x < 0.0, -size, size)


def _signed(values: Sequence[Expression]) -> tuple[Expression, Expression, Expression, Expression]:
    """Return the sums of four numbers, one for each of SIGNS: plain, times either sign, and times both."""
    low, high = values[0] + values[1], values[2] + values[3]
    down, up = values[1] - values[0], values[3] - values[2]
    return low + high, high - low, down + up, up - down


def _moments(half: Half, bundles: Sequence[Sequence[Chord]]) -> Moments:
    """Return the moments of the wire of a box in its own frame."""
    total, first = ZERO, [ZERO] * 3
    second = [[ZERO] * 3 for _ in range(3)]
    for k, chords in enumerate(bundles):
        i, j = _others(k)
        middles = [0.5 * (x.first + x.last) for x in chords]
        plain, by_i, by_j, by_both = _signed([x.length for x in chords])
        along, along_i, along_j, _ = _signed([x.length * t for x, t in zip(chords, middles, strict=True)])
        squares = [x.length * (t * t + x.length * x.length / 12.0) for x, t in zip(chords, middles, strict=True)]
        total = total + plain
        for p, value in ((k, along), (i, half[i] * by_i), (j, half[j] * by_j)):
            first[p] = first[p] + value
        products = {
            (k, k): sum(squares, start=ZERO), (i, i): half[i] * half[i] * plain, (j, j): half[j] * half[j] * plain,
            (k, i): half[i] * along_i, (k, j): half[j] * along_j, (i, j): half[i] * half[j] * by_both,
        }  # fmt: skip
        for (p, q), value in products.items():
            second[p][q] = second[p][q] + value
            second[q][p] = second[p][q]
    return Moments(total, Vector(first), [Vector(row) for row in second])


@dataclass(frozen=True, eq=False)
class _Way:
    """A way out of a box: its face, the integral of the squares of the depths under it, m³, and the other's length."""

    face: Face
    squares: Expression
    length: Expression


def _faces(half: Half, wire: Moments) -> list[tuple[Face, Expression]]:
    """Return for each axis of a box the nearer face, with the integral of the squares of the depths under it, m³."""
    faces = []
    for i in range(3):
        squares = half[i] * (half[i] * wire.length - 2.0 * abs(wire.first[i])) + wire.second[i][i]
        side = sense(wire.first[i])
        faces.append((Face(half[i], Vector(side if i == j else 0.0 for j in range(3))), squares))
    return faces


def _chosen(through_a: Sequence[_Way], through_b: Sequence[_Way]) -> tuple[Face, Face]:
    """Return the faces of both boxes with the least depth, which is continuous since it is the least of all."""
    best, faces = ZERO, (through_a[0].face, through_b[0].face)
    for k, (a, b) in enumerate(itertools.product(through_a, through_b)):
        mean = (a.squares + b.squares) / (a.length + b.length + TINY)
        if k == 0:
            best = mean
            continue
        less = mean < best
        best = where(less, mean, best)
        faces = _either(less, a.face, faces[0]), _either(less, b.face, faces[1])
    return faces


def _either(condition: Expression, one: Face, other: Face) -> Face:
    """Return one face where the condition holds, else the other."""
    normal = Vector(where(condition, x, y) for x, y in zip(one.normal, other.normal, strict=True))
    return Face(where(condition, one.half, other.half), normal)


class _Reach:
    """The wire of a box and what lies up to a margin above a face of the other. c, axes: in the frame of the other.

    depths: of the ends of the chords under the face, m. raised: the chords up to the margin; weights: at their ends, 1
    at the face and 0 at the margin. length: of the wire, m: above the face its weight falls to 0, under it it is 1.
    """

    def __init__(
        self, half: Half, bundles: Sequence[Sequence[Chord]], c: Vector, axes: Axes, face: Face, margin: Expression
    ):  # fmt: skip
        depth = _depths(half, face.half - face.normal.dot(c), Vector(face.normal.dot(axis) for axis in axes))
        self.depths = [[depth(k, x) for x in chords] for k, chords in enumerate(bundles)]
        self.raised = [_raised(*of, face, margin) for of in zip(bundles, half, axes, strict=True)]
        self.weights = [
            [tuple(1.0 + x / margin for x in depth(k, chord)) for chord in chords]
            for k, chords in enumerate(self.raised)
        ]
        total = ZERO
        for k, chords in enumerate(bundles):
            parts = zip(chords, self.depths[k], self.raised[k], self.weights[k], strict=True)
            total = sum(
                (y.length * (v + w) - x.length * (f + g) / margin for x, (f, g), y, (v, w) in parts), start=total
            )
        self.length = 0.5 * total


# -- its gradient --------------------------------------------------------------------------------------------
class _Pressure:
    """The wire of a box under both faces. c, axes: its center and axes in the frame of the other.

    own: depths of the ends of the chords under the face of its own box, m. reach: under that of the other.
    """

    def __init__(
        self, half: Half, bundles: Sequence[Sequence[Chord]], c: Vector, axes: Axes, own: Face, other: Face,
        margin: Expression,
    ):  # fmt: skip
        self.half, self.bundles, self.c, self.axes, self.face, self.margin = half, bundles, c, axes, other, margin
        own_depth = _depths(half, own.half, own.normal)
        self.own = [[own_depth(k, x) for x in chords] for k, chords in enumerate(bundles)]
        self.reach = _Reach(half, bundles, c, axes, other, margin)

    def squares(self) -> Expression:
        """Return the integral of the squares of both depths along the chords, m³."""
        total = ZERO
        for chords, own, other in zip(self.bundles, self.own, self.reach.depths, strict=True):
            for x, (d, e), (f, g) in zip(chords, own, other, strict=True):
                total = total + x.length * (d * d + d * e + e * e + f * f + f * g + g * g)
        return total / 3.0

    def wrench(self, mean: Expression) -> tuple[Vector, Vector]:
        """Return a wrench along the axes of the other box and about its centre.

        It is minus the gradient, by displacements of the box, of the integral of the squares minus the mean times the
        length. The chords move with their box under the face of the other, and their ends move along the edges where
        faces of the other cut them.
        """
        rise = mean / self.margin
        force, moments = ORIGIN, [ORIGIN] * 3  # moments by coordinates along the own axes
        for k in range(3):
            chords = [*self.bundles[k], *self.reach.raised[k]]
            loads = [(2.0 * f + rise, 2.0 * g + rise) for f, g in self.reach.depths[k]] + [(-rise, -rise)] * 4
            ends = [
                (d * d + f * f + rise * f, e * e + g * g + rise * g)
                for (d, e), (f, g) in zip(self.own[k], self.reach.depths[k], strict=True)
            ] + [(-mean * v, -mean * w) for v, w in self.reach.weights[k]]
            for pushed, turned in (self._load(k, chords, loads), self._ends(k, chords, ends)):
                force = force + pushed
                moments = [x + y for x, y in zip(moments, turned, strict=True)]
        torque = self.c.cross(force)
        for axis, moment in zip(self.axes, moments, strict=True):
            torque = torque + axis.cross(moment)
        return force, torque

    def _load(
        self, k: int, chords: Sequence[Chord], loads: Sequence[tuple[Expression, Expression]]
    ) -> tuple[Vector, list[Vector]]:
        """Return force and moments of a load along chords, normal to the other's face; loads: at their ends.

        chords: twice those of the four edges along axis k.
        """
        i, j = _others(k)
        sums = [0.5 * x.length * (f + g) for x, (f, g) in zip(chords, loads, strict=True)]
        plain, by_i, by_j, _ = _signed(_pairs(sums))
        along = ZERO
        for x, (f, g), total in zip(chords, loads, sums, strict=True):
            # the integral of a product of linear functions of t, from the values at both ends
            along = along + total * (x.first + x.last) + 0.5 * x.length * (f * x.first + g * x.last)
        arms = {k: along / 3.0, i: self.half[i] * by_i, j: self.half[j] * by_j}
        return self.face.normal * plain, [self.face.normal * arms[p] for p in range(3)]

    def _ends(
        self, k: int, chords: Sequence[Chord], excess: Sequence[tuple[Expression, Expression]]
    ) -> tuple[Vector, list[Vector]]:
        """Return force and moments of the ends of chords; excess: by which an integral grows with them.

        chords: twice those of the four edges along axis k.
        """
        i, j = _others(k)
        first = [where(x.length > 0.0, value, 0.0) for x, (value, _) in zip(chords, excess, strict=True)]
        last = [where(x.length > 0.0, value, 0.0) for x, (_, value) in zip(chords, excess, strict=True)]
        force, moments = [], [[ZERO] * 3 for _ in range(3)]
        for p, motion in enumerate(_motions(self.axes[k], self.face)):
            at_first = [where(x.enters[p] < x.first, 0.0, y) for x, y in zip(chords, first, strict=True)]
            at_last = [where(x.last < x.leaves[p], 0.0, y) for x, y in zip(chords, last, strict=True)]
            plain, by_i, by_j, _ = _signed(_pairs([y - x for x, y in zip(at_first, at_last, strict=True)]))
            ends = [y * c.last - x * c.first for c, x, y in zip(chords, at_first, at_last, strict=True)]
            force.append(motion * plain)
            for q, value in ((k, sum(ends, start=ZERO)), (i, self.half[i] * by_i), (j, self.half[j] * by_j)):
                moments[q][p] = motion * value
        return Vector(force), [Vector(moment) for moment in moments]


def _pairs(values: Sequence[Expression]) -> list[Expression]:
    """Return the sums of the numbers of the same edge, of eight."""
    return [x + y for x, y in zip(values[:4], values[4:], strict=True)]


def _depths(
    half: Half, depth: Expression, normal: Vector
) -> Callable[[int, Chord], tuple[Expression, Expression]]:  # fmt: skip
    """Return a function of the depths of both ends of a chord under a face.

    depth: of the center of the box, m. normal: of the face, in the frame of the box.
    """
    falls = [h * x for h, x in zip(half, normal, strict=True)]

    def at(k: int, chord: Chord) -> tuple[Expression, Expression]:
        i, j = _others(k)
        base = depth - chord.signs[0] * falls[i] - chord.signs[1] * falls[j]
        return base - normal[k] * chord.first, base - normal[k] * chord.last

    return at


def _motions(axis: Vector, other: Face) -> list[Expression]:
    """Return the motions along an edge of the places where the other box's faces cut it, per displacement of the faces.

    One for each axis of the other. If an edge is nearly parallel to a side face, the place where it passes the face
    would move without bound, as the edge goes from one side of the face to the other; its motion is therefore limited
    (GRAZING).
    """
    motions = []
    for x, normal in zip(axis, other.normal, strict=True):
        limited, left = _inverse(x, GRAZING), normal * normal  # 1 for the face through which the overlap is left
        motions.append(limited + left * (_inverse(x, PARALLEL) - limited))
    return motions
