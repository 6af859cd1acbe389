"""Steps of linearly implicit methods, as text (see tableaus.Rosenbrock): Jacobian, decomposition, substitution.

The Jacobian is exact: one tangent of the rates for each component of the state, and one for time. Stages lie behind
the rates at the step's start in region `stages`, the rates at its end and the derivatives by time behind them.
"""


def METHOD_jacobian(R, U):
    """Derivatives of all rates by the state (row by row in JACOBIAN) and by time."""
    D = tail(R, TAIL)
    for k in range(TAIL):
        D[k] = 0.0
    for j in range(NX):
        D[X0 + j] = 1.0
        derive_d(R, D)
        D[X0 + j] = 0.0
        for k in range(NX):
            R[JACOBIAN + k * NX + j] = D[F0 + k]
    D[TIME] = 1.0
    for k in range(N_INPUTS):
        if U[2 * k + 1] > 0.0:
            D[INPUTS + k] = interpolated_slope(U, int(U[2 * k]), int(U[2 * k + 1]), R[TIME])
    derive_d(R, D)
    for k in range(NX):
        R[STAGES + (METHOD_STAGES + 2) * NX + k] = D[F0 + k]
    R[JACOBIANS] += 1.0


def METHOD_arrive(R, U):
    """The rates at the end of the step."""
    evaluate(R, U)
    copy(R, F0, STAGES + METHOD_LAST * NX, NX)


def decompose(R, diagonal):
    """L U of diagonal - J with exchanges of rows, into FACTORED; SWAPS says with which row each was exchanged."""
    for k in range(NX * NX):
        R[FACTORED + k] = -R[JACOBIAN + k]
    for k in range(NX):
        R[FACTORED + k * NX + k] += diagonal
    for c in range(NX):
        best = c
        for i in range(c + 1, NX):
            if abs(R[FACTORED + i * NX + c]) > abs(R[FACTORED + best * NX + c]):
                best = i
        R[SWAPS + c] = best
        if best != c:
            for k in range(NX):
                number = R[FACTORED + c * NX + k]
                R[FACTORED + c * NX + k] = R[FACTORED + best * NX + k]
                R[FACTORED + best * NX + k] = number
        pivot = 1.0 / R[FACTORED + c * NX + c]
        for i in range(c + 1, NX):
            factor = R[FACTORED + i * NX + c] * pivot
            R[FACTORED + i * NX + c] = factor
            if factor != 0.0:
                for k in range(c + 1, NX):
                    R[FACTORED + i * NX + k] -= factor * R[FACTORED + c * NX + k]


def substitute(R, x):
    """Solve with the decomposed matrix, in place at x."""
    for c in range(NX):
        best = int(R[SWAPS + c])
        number = R[x + best]
        R[x + best] = R[x + c]
        total = number
        for k in range(c):
            total -= R[FACTORED + c * NX + k] * R[x + k]
        R[x + c] = total
    for c in range(NX - 1, -1, -1):
        total = R[x + c]
        for k in range(c + 1, NX):
            total -= R[FACTORED + c * NX + k] * R[x + k]
        R[x + c] = total / R[FACTORED + c * NX + c]
