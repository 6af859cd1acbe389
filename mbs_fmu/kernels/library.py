"""Small functions that every generated module contains.

Their source text is copied into the module, so that a module depends on nothing that could change after its machine
code was cached. They take scalars and flat arrays and raise nothing.
"""

from typing import TypeVar

import numpy as np

from ..record.fields import Array

Number = TypeVar("Number", int, float)
Rest = TypeVar("Rest")


def sincos(x: float) -> tuple[float, float]:
    """Return sine and cosine, without branches and calls, so that a loop over angles becomes vector code.

    The argument is reduced by multiples of pi/2 in three parts with a tail; fdlibm's polynomials follow. The error is
    at most 0.8 ulp up to |x| = 1.6e6. Beyond, the result is exact for some argument within the rounding of x; it is NaN
    where that rounding exceeds an angle (|x| > 1e15). Adding 1.5 * 2**52 rounds to an integer: this needs no
    instruction that a baseline processor lacks, and leaves the quadrant in the last two bits of the sum.
    """
    t = x * 0.63661977236758134308 + 6755399441055744.0
    turns = t - 6755399441055744.0
    a = x - turns * 1.57079632673412561417e00
    w = turns * 6.07710050630396597660e-11
    b = a - w
    w = turns * 2.02226624879595063154e-21 - ((a - b) - w)
    r = b - w
    tail = (b - r) - w
    r = r if -1.0 < r < 1.0 else np.nan
    z = r * r
    v = z * r
    p = -1.98412698298579493134e-04 + z * (
        2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    )
    p = 8.33333333332248946124e-03 + z * p
    s = r - ((z * (0.5 * tail - v * p) - tail) - v * -1.66666666666666324348e-01)
    half = 0.5 * z
    q = 1.0 - half
    p = 2.48015872894767294178e-05 + z * (
        -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)
    )
    p = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * p))
    c = q + (((1.0 - q) - half) + (z * p - r * tail))
    quadrant = np.float64(t).view(np.int64)
    sine = c if quadrant & 1 else s
    cosine = s if quadrant & 1 else c
    sine = -sine if quadrant & 2 else sine
    cosine = -cosine if (quadrant + 1) & 2 else cosine
    return sine, cosine


def lt(a: float, b: float) -> bool:
    """True if a < b."""
    return a < b


def le(a: float, b: float) -> bool:
    """True if a <= b."""
    return a <= b


def integer(x: float) -> int:
    """Convert a number of the record to the integer that it represents."""
    return int(x)


def each(x: float) -> int:
    """Return `integer` of a number that may differ between the members of a batch.

    Arrays may be read at indices that it returns; they cannot be written there.
    """
    return int(x)


def tail(R: Rest, start: int) -> Rest:
    """Return the part of an array from an index on, as a view."""
    return R[start:]  # type: ignore[index, no-any-return]


def abreast() -> int:
    """Return the number of SIMD lanes of `rows`: 1, unless compiled code has more."""
    return 1


def rows(R: Rest, start: int) -> Rest:
    """Return the part of an array from an index on, as rows of `abreast()` numbers, one for each lane.

    Functions compute with a row as with one number.
    """
    return R[start:]  # type: ignore[index, no-any-return]


def common(x: float) -> float:
    """Mark a number that is the same for all members of a batch (integrate/lanes); return it unchanged."""
    return x


def where(condition: bool, a: Number, b: Number) -> Number:
    """Return a if the condition holds, else b."""
    return a if condition else b


def power(a: float, b: float) -> float:
    """Return a to the power b."""
    value: float = a**b  # for type checkers, which allow complex numbers
    return value


def mod(x: float, period: float) -> float:
    """Return the rest of x in a division by the period, with the period's sign, as numpy's function of this name."""
    rest: float = np.fmod(x, period)
    return rest + (period if rest * period < 0.0 else 0.0)


def crosses(before: float, after: float, direction: int) -> bool:
    """True if an event's expression crosses zero in a step: upwards (1), downwards (-1) or either way (0).

    `before` and `after` are its values at the two ends of the step. A zero at the end is a crossing. A zero at the
    beginning is one if the expression then leaves zero. `before` is NaN if that crossing was counted already.
    """
    is_rising = (before < 0.0 and after >= 0.0) or (before == 0.0 and after > 0.0)
    is_falling = (before > 0.0 and after <= 0.0) or (before == 0.0 and after < 0.0)
    return (is_rising and direction >= 0) or (is_falling and direction <= 0)


def segment(A: Array, start: int, n: int, x: float) -> int:
    """Return the largest k in 0..n-2 with A[start + k] <= x, or 0; the n numbers at A[start:] do not decrease."""
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if A[start + middle] <= x:
            low = middle
        else:
            high = middle
    return low


def interpolate(A: Array, start: int, n: int, x: float) -> float:
    """Interpolate linearly in n points at A[start:], which their values follow; constant outside."""
    return interpolate_among(A, start, n, A, start + n, x)


def interpolated_slope(A: Array, start: int, n: int, x: float) -> float:
    """Return the derivative of `interpolate`."""
    return slope_among(A, start, n, A, start + n, x)


def interpolate_among(A: Array, start: int, n: int, B: Array, first: int, x: float) -> float:
    """Interpolate linearly in n points at A[start:] with values at B[first:]; constant outside."""
    if lt(x, A[start]) or n == 1:
        return B[first]
    if le(A[start + n - 1], x):
        return B[first + n - 1]
    k = segment(A, start, n, x)
    a, b = start + k, first + k
    return B[b] + (B[b + 1] - B[b]) * ((x - A[a]) / (A[a + 1] - A[a]))


def slope_among(A: Array, start: int, n: int, B: Array, first: int, x: float) -> float:
    """Return the derivative of `interpolate_among`."""
    if n == 1 or lt(x, A[start]) or le(A[start + n - 1], x):
        return 0.0 * x
    k = segment(A, start, n, x)
    a, b = start + k, first + k
    return (B[b + 1] - B[b]) / (A[a + 1] - A[a])


def interpolate_beside(A: Array, start: int, n: int, x: float, side: float) -> float:
    """Return `interpolate`, but at a jump between x and x + side its limit from the side of x + side.

    A jump is a point that is given twice. A jump at the larger of the two positions counts, one at the smaller does
    not.
    """
    last = last_point(A, start, n, max(x, x + side))
    if last > start and A[last - 1] == A[last] and A[last] > min(x, x + side):
        return A[last + n] if side > 0.0 else A[last + n - 1]
    return interpolate(A, start, n, x)


def slope_beside(A: Array, start: int, n: int, x: float, side: float) -> float:
    """Return `interpolated_slope`, but at a jump between x and x + side its limit from the side of x + side."""
    last = last_point(A, start, n, max(x, x + side))
    is_jump = last > start and A[last - 1] == A[last] and A[last] > min(x, x + side)
    return interpolated_slope(A, start, n, x + side if is_jump else x)


def last_point(A: Array, start: int, n: int, x: float) -> int:
    """Return the index in A of the last of n points at A[start:] that is not greater than x, or else `start`."""
    if n == 1 or le(A[start + n - 1], x):
        return start + n - 1
    return start + segment(A, start, n, x)


def interpolated_area(A: Array, start: int, n: int, x: float) -> float:
    """Return the integral of `interpolate` from the first point; integrals up to each point follow the values in A."""
    if lt(x, A[start]):
        return A[start + n] * (x - A[start])
    if le(A[start + n - 1], x):
        return A[start + 3 * n - 1] + A[start + 2 * n - 1] * (x - A[start + n - 1])
    k = start + segment(A, start, n, x)
    return A[k + 2 * n] + area_between(A, k, A, k + n, x)


def area_among(A: Array, start: int, n: int, B: Array, first: int, x: float) -> float:
    """Return the integral of `interpolate_among` from the first point; the time it takes is proportional to n."""
    if lt(x, A[start]):
        return B[first] * (x - A[start])
    is_beyond = le(A[start + n - 1], x)
    k = n - 1 if is_beyond else segment(A, start, n, x)
    total = 0.0
    for i in range(k):
        total += 0.5 * (B[first + i] + B[first + i + 1]) * (A[start + i + 1] - A[start + i])
    if is_beyond:
        return total + B[first + k] * (x - A[start + k])
    return total + area_between(A, start + k, B, first + k, x)


def area_between(A: Array, a: int, B: Array, b: int, x: float) -> float:
    """Return the integral from point A[a] to x of the straight line through this point and the next one.

    The values at both points are B[b] and B[b + 1].
    """
    slope = (B[b + 1] - B[b]) / (A[a + 1] - A[a])
    return (B[b] + 0.5 * slope * (x - A[a])) * (x - A[a])


def spline(A: Array, start: int, n: int, order: int, x: float) -> float:
    """Evaluate a periodic cubic spline of n pieces, or its derivative of the given order, up to 3.

    The n + 1 knots are at A[start:]; the first and the last are one period apart. Four numbers for each piece follow:
    the coefficients of the powers of the distance from the piece's first knot. The result is NaN if x is NaN or more
    than a billion periods away.
    """
    period = A[start + n] - A[start]
    turns = (x - A[start]) / period
    if not lt(abs(turns), 1.0e9):
        return np.nan * x
    whole = integer(turns)
    h, part = x - whole * period, turns - whole
    if lt(h, A[start]):
        h, part = h + period, part + 1.0
    k = integer(part * n)  # the piece if all are equal; the branches of a search cost more than the rest
    if k < 0 or k >= n or lt(h, A[start + k]) or le(A[start + k + 1], h):
        k = segment(A, start, n + 1, h)
    return cubic(A, start + n + 1 + 4 * k, order, h - A[start + k])


def cubic(A: Array, c: int, order: int, h: float) -> float:
    """Evaluate the polynomial of h with the coefficients A[c:c + 4] of powers 0 to 3, or its derivative, up to 3."""
    if order == 0:
        return A[c] + h * (A[c + 1] + h * (A[c + 2] + h * A[c + 3]))
    if order == 1:
        return A[c + 1] + h * (2.0 * A[c + 2] + h * (3.0 * A[c + 3]))
    if order == 2:
        return 2.0 * A[c + 2] + h * (6.0 * A[c + 3])
    return 6.0 * A[c + 3] + 0.0 * h


def cubic_weight(j: int, order: int, u: float) -> float:
    """Return cubic B-spline j of the four that overlap in a cell, or its derivative; u: place in the cell, 0 to 1."""
    if order == 0:
        if j == 0:
            return (1.0 - u) * (1.0 - u) * (1.0 - u) / 6.0
        if j == 1:
            return (4.0 + u * u * (3.0 * u - 6.0)) / 6.0
        if j == 2:
            return (1.0 + u * (3.0 + u * (3.0 - 3.0 * u))) / 6.0
        return u * u * u / 6.0
    if order == 1:
        if j == 0:
            return -0.5 * (1.0 - u) * (1.0 - u)
        if j == 1:
            return 0.5 * u * (3.0 * u - 4.0)
        if j == 2:
            return 0.5 * (1.0 + u * (2.0 - 3.0 * u))
        return 0.5 * u * u
    if order == 2:
        if j == 0:
            return 1.0 - u
        if j == 1:
            return 3.0 * u - 2.0
        if j == 2:
            return 1.0 - 3.0 * u
        return u
    if j == 0 or j == 2:
        return (-1.0 if j == 0 else -3.0) + 0.0 * u
    return (3.0 if j == 1 else 1.0) + 0.0 * u


def surface(A: Array, start: int, nx: int, ny: int, kx: int, ky: int, x: float, y: float) -> float:
    """Evaluate a surface of cubic B-splines over a grid of nx times ny points, or its derivatives of orders kx and ky.

    At A[start:] are the first x, the distance of points along x, the same for y, and (nx + 2)(ny + 2) coefficients.
    The result is NaN for places that are NaN or billions of cells away.
    """
    s, t = (x - A[start]) / A[start + 1], (y - A[start + 2]) / A[start + 3]
    if not lt(abs(s), 1.0e9) or not lt(abs(t), 1.0e9):
        return np.nan * (x + y)
    i, j = integer(s), integer(t)
    i = 0 if i < 0 else i
    i = nx - 2 if i > nx - 2 else i
    j = 0 if j < 0 else j
    j = ny - 2 if j > ny - 2 else j
    total = 0.0 * x
    for a in range(4):
        row = 0.0 * x
        for b in range(4):
            row += cubic_weight(b, ky, t - j) * A[start + 4 + (i + a) * (ny + 2) + j + b]
        total += cubic_weight(a, kx, s - i) * row
    for _ in range(kx):
        total /= A[start + 1]
    for _ in range(ky):
        total /= A[start + 3]
    return total


def uneven_surface(A: Array, start: int, nx: int, ny: int, kx: int, ky: int, x: float, y: float) -> float:
    """Evaluate a surface of cubic B-splines over nx points along x and ny lines at unequal distances along y.

    At A[start:] are the first x, the distance of points along x, the places of the lines, the four B-splines of each
    cell between lines (`cubic`), and (nx + 2)(ny + 2) coefficients. Orders and result as of `surface`.
    """
    s = (x - A[start]) / A[start + 1]
    if not lt(abs(s), 1.0e9):
        return np.nan * (x + y)
    i = integer(s)
    i = 0 if i < 0 else i
    i = nx - 2 if i > nx - 2 else i
    j = segment(A, start + 2, ny, y)
    h, basis, first = y - A[start + 2 + j], start + 2 + ny + 16 * j, start + 2 + ny + 16 * (ny - 1)
    total = 0.0 * x
    for a in range(4):
        row = 0.0 * x
        for b in range(4):
            row += cubic(A, basis + 4 * b, ky, h) * A[first + (i + a) * (ny + 2) + j + b]
        total += cubic_weight(a, kx, s - i) * row
    for _ in range(kx):
        total /= A[start + 1]
    return total


def nearest_feature(A: Array, start: int, faces: int, edges: int, vertices: int, x: float, y: float, z: float) -> float:
    """Return the number of the feature of a convex polyhedron that is nearest to a place; inside, of the nearest face.

    At A[start:] are ten numbers for each face, edge and vertex (symbolic/polyhedra.py). If the foot of the place on the
    nearest plane lies outside of another plane, the nearest feature is an edge or a vertex.
    """
    height, found = -np.inf, 0
    for k in range(faces):
        at = height_above(A, start + 10 * k, x, y, z)
        if lt(height, at):
            height, found = at, k
    c = start + 10 * found
    fx, fy, fz = x - height * A[c + 6], y - height * A[c + 7], z - height * A[c + 8]
    beside = False
    if lt(0.0, height):
        for k in range(faces):
            if k != found and lt(0.0, height_above(A, start + 10 * k, fx, fy, fz)):
                beside = True
                break
    if not beside:
        return 1.0 * found
    least = np.inf
    for k in range(faces, faces + edges + vertices):
        c = start + 10 * k
        dx, dy, dz = x - A[c], y - A[c + 1], z - A[c + 2]
        along = dx * A[c + 3] + dy * A[c + 4] + dz * A[c + 5]
        if k >= faces + edges or (lt(0.0, along) and lt(along, A[c + 9])):
            dx, dy, dz = dx - along * A[c + 3], dy - along * A[c + 4], dz - along * A[c + 5]
            square = dx * dx + dy * dy + dz * dz
            if lt(square, least):
                least, found = square, k
    return 1.0 * found


def height_above(A: Array, c: int, x: float, y: float, z: float) -> float:
    """Return the height of a place above the plane of a face, whose ten numbers are at A[c:]."""
    return (x - A[c]) * A[c + 6] + (y - A[c + 1]) * A[c + 7] + (z - A[c + 2]) * A[c + 8]


def nearest_edge(
    A: Array, start: int, faces: int, edges: int, vertices: int,
    x: float, y: float, z: float, hx: float, hy: float, hz: float,
) -> float:  # fmt: skip
    """Return the number of the edge of a convex polyhedron that is nearest to a segment.

    The segment is that between (x, y, z) minus and plus (hx, hy, hz). A as in `nearest_feature`; the distance of two
    segments is that of (G9) of docs/contact.md.
    """
    half_b = np.sqrt(hx * hx + hy * hy + hz * hz)
    vx, vy, vz = hx / half_b, hy / half_b, hz / half_b
    least, found = np.inf, faces
    for k in range(faces, faces + edges):
        c = start + 10 * k
        ux, uy, uz, half_a = A[c + 3], A[c + 4], A[c + 5], 0.5 * A[c + 9]
        wx, wy, wz = A[c] + half_a * ux - x, A[c + 1] + half_a * uy - y, A[c + 2] + half_a * uz - z
        cosine = ux * vx + uy * vy + uz * vz
        along_a, along_b = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
        square = 1.0 - cosine * cosine
        s = 0.0 * along_a
        if lt(1.0e-12, square):
            s = limited((cosine * along_b - along_a) / square, half_a)
        t = limited(cosine * s + along_b, half_b)
        s = limited(cosine * t - along_a, half_a)
        dx, dy, dz = wx + ux * s - vx * t, wy + uy * s - vy * t, wz + uz * s - vz * t
        square = dx * dx + dy * dy + dz * dz
        if lt(square, least):
            least, found = square, k
    return 1.0 * found


def nearest_on_line(A: Array, start: int, n: int, x: float, y: float) -> float:
    """Return the parameter of the place on a polyline that is nearest to (x, y).

    If that is an end, the line continues straight: the result is the foot on this continuation. It does not count as
    part of the line otherwise, since the one of a closed course runs through its inside.

    At A[start:] are the parameter of the first of n > 1 vertices, its difference between neighbours, the largest
    distance of neighbours, and x and y of each vertex. A piece that is j pieces away from one at a distance d has at
    least the distance d - j times that largest one; the search leaves out all pieces that therefore cannot be nearest.
    The result is NaN for places that are NaN or too far away.
    """
    if not lt(abs(x) + abs(y), 1.0e12):
        return np.nan * (x + y)
    found, place, least = 0, 0.0, np.inf
    k = 0
    while k < n - 1:
        share = share_of_piece(A, start + 3 + 2 * k, x, y)
        inside = 1.0 if lt(1.0, share) else share
        inside = 0.0 if lt(inside, 0.0) else inside
        distance = distance_from_piece(A, start + 3 + 2 * k, inside, x, y)
        if lt(distance, least):
            beyond = (k == 0 and lt(share, 0.0)) or (k == n - 2 and lt(1.0, share))
            least, found, place = distance, k, share if beyond else inside
        jump = (distance - least) / A[start + 2]
        k += 1 + integer(jump if lt(jump, 1.0 * n) else 1.0 * n)
    return A[start] + A[start + 1] * (found + place)


def share_of_piece(A: Array, c: int, x: float, y: float) -> float:
    """Return the foot of (x, y) on the line through two points, whose x and y are at A[c:]: 0 at the first, 1 there."""
    dx, dy = A[c + 2] - A[c], A[c + 3] - A[c + 1]
    return ((x - A[c]) * dx + (y - A[c + 1]) * dy) / (dx * dx + dy * dy)


def distance_from_piece(A: Array, c: int, share: float, x: float, y: float) -> float:
    """Return the distance of (x, y) from the point that divides two points by a share; A as in `share_of_piece`."""
    dx, dy = x - A[c] - share * (A[c + 2] - A[c]), y - A[c + 1] - share * (A[c + 3] - A[c + 1])
    distance: float = np.sqrt(dx * dx + dy * dy)
    return distance


def limited(x: float, bound: float) -> float:
    """Return x, limited to the range from -bound to bound."""
    if lt(bound, x):
        return bound
    return -bound if lt(x, -bound) else x


def feature_entry(A: Array, start: int, faces: int, edges: int, vertices: int, k: int, feature: float) -> float:
    """Return number k of the row of a feature of a convex polyhedron; A as in `nearest_feature`."""
    return A[start + 10 * integer(feature) + k]


__all__ = [
    "abreast", "area_among", "area_between", "common", "crosses", "cubic", "cubic_weight", "distance_from_piece",
    "each", "feature_entry", "height_above", "integer", "interpolate", "interpolate_among", "interpolate_beside",
    "interpolated_area", "interpolated_slope", "last_point", "le", "limited", "lt", "mod", "nearest_edge",
    "nearest_feature", "nearest_on_line", "power", "rows", "segment", "share_of_piece", "sincos", "slope_among",
    "slope_beside", "spline", "surface", "tail", "uneven_surface", "where",
]  # fmt: skip
