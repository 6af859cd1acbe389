"""Magic Formula of tyres in steady slip by numpy: versions 6.1 and 5.2 (PAC2002), 6.1 also with turn slip.

Sources: H. B. Pacejka, Tire and Vehicle Dynamics, 3rd edition (2012), equations 4.E1 to 4.E78, whose numbers the
comments give; I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, An improved Magic Formula/Swift tyre model that
can handle inflation pressure changes (2010), equations A54 to A60; for 5.2 the first edition of the book (2002), which
MSC Adams implements as PAC2002.

Axes are ISO-W: x forward, y left, z up. A positive slip angle (the contact moves to the left in the wheel's axes, tan α
= Vy / |Vx|) gives a negative Fy if PKY1 is negative, as in files of this convention. The formulas do not depend on it.

Sources differ; the argument `reading` of `version_6_1` chooses between the book ("book") and what the paper and solvers
that reproduce results of TNO use ("solver"):

| quantity | book | solver |
|---|---|---|
| A in (4.E8), digressive friction in shifts | 10 | 1 |
| Bt (4.E40, A58) | 1 + QBZ5 |γ*| + QBZ6 γ*² | 1 + QBZ4 γ + QBZ5 |γ| |
| Dt (4.E43, A60) | 1 + QDZ3 |γ*| + QDZ4 γ*² | 1 + QDZ3 γ + QDZ4 γ² |
| equivalent slip angles (4.E77/78, A54/55) | root of squares of the angles | arc tangent of that of their tangents |
| s (4.E76, A56) | Fz0' and γ* | Fz0 and γ |
| factor of Dr (4.E47) | cos α' | cos α*, the cosine of a tangent |
| trail in combined slip | t | t LFZO |
| G of lateral force in Mz (4.E74) | without camber | with camber |

In both readings My is that of equation A48: (4.E70) has Fz in place of Fz0, which counts the load twice, and the other
sign. (4.E13) has γ where (4.E23) has γ*; version 5.2 has the camber angle itself everywhere. In version 5.2 some
sources multiply only the second part of Mx by LMX; here the whole is multiplied. The bracket of SVy is (PVY1 + PVY2
dfz) LVY + (PVY3 + PVY4 dfz) γ; one public source closes it before γ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

Value = Any  # a number or an array; arrays must have one shape
Reading = Literal["book", "solver"]

EPSILON = 1e-6  # keeps quotients finite: added to a divisor, with its sign


class Forces(NamedTuple):
    """Forces (N) and moments (N m) on the wheel at the contact point, in ISO-W axes, and parts of them."""

    fx: Value
    fy: Value
    mx: Value
    my: Value
    mz: Value
    fx0: Value  # pure slip: no slip angle
    fy0: Value  # pure slip: no longitudinal slip
    mz0: Value  # pure slip
    trail: Value  # m, in combined slip


class Slip(NamedTuple):
    """Load (N), longitudinal slip, slip angle and camber (rad), forward speed (m/s, positive), pressure (Pa).

    spin: 1/m, positive to the left, with that of the camber; None: no turn slip.
    """

    load: Value
    kappa: Value
    alpha: Value
    gamma: Value
    speed: Value
    pressure: Value = None  # None: the nominal one
    spin: Value = None


Coefficients = Callable[[str], float]


def lookup(numbers: Mapping[str, float]) -> Coefficients:
    """Coefficients by name: missing ones are zero, scaling factors (L..) one, the others that files may omit usual."""
    usual = {"PKY4": 2.0, "QSY7": 1.0, "LMUV": 0.0, "NOMPRES": 1.0, "LONGVL": 1.0, "LFZO": numbers.get("LFZ0", 1.0)}

    def coefficient(name: str) -> float:
        return float(numbers.get(name, usual.get(name, 1.0 if name.startswith("L") else 0.0)))

    return coefficient


def bent(b: Value, e: Value, x: Value) -> Value:
    """The argument of sine and cosine without the factor C: arctan(B x - E (B x - arctan(B x)))."""
    return np.arctan(b * x - e * (b * x - np.arctan(b * x)))


def sine(b: Value, c: Value, d: Value, e: Value, x: Value) -> Value:
    """The Magic Formula."""
    return d * np.sin(c * bent(b, e, x))


def cosine(b: Value, c: Value, d: Value, e: Value, x: Value) -> Value:
    """Its cosine version."""
    return d * np.cos(c * bent(b, e, x))


def weight(b: Value, c: Value, e: Value, x: Value, shift: Value) -> Value:
    """Factor of combined slip: the cosine version at x + shift over that at the shift."""
    return cosine(b, c, 1.0, e, x + shift) / cosine(b, c, 1.0, e, shift)


def sign(x: Value) -> Value:
    """1 or -1; 1 at zero."""
    return np.where(np.asarray(x) < 0.0, -1.0, 1.0)


def at_most_one(x: Value) -> Value:
    """Curvature factors E must not exceed one."""
    return np.minimum(x, 1.0)


def away(x: Value) -> Value:
    """A divisor that is not zero."""
    return x + EPSILON * sign(x)


class Zetas(NamedTuple):
    """Factors of turn slip in the book's numbers, (4.76) to (4.105); without turn slip all but z0 have no effect.

    z4 is that without the offset of camber; z8 belongs to `dr`, the moment of the spin, N m.
    """

    z0: Value = 1.0
    z1: Value = 1.0
    z2: Value = 1.0
    z3: Value = 1.0
    z4: Value = 1.0
    z5: Value = 1.0
    z6: Value = 1.0
    z7: Value = 1.0
    dr: Value = 0.0


def zetas(p: Coefficients, slip: Slip, df: Value, dp: Value, mu_scale: Value) -> Zetas:
    """Factors for the spin of a slip in version 6.1."""
    load, r0 = slip.load, p("UNLOADED_RADIUS")
    turn, size, load0 = r0 * slip.spin, r0 * np.abs(slip.spin), p("LFZO") * p("FNOMIN")

    def decay(x: Value) -> Value:
        return 1.0 / np.sqrt(1.0 + x**2)

    gstar, rest = np.sin(slip.gamma), 1.0 - p("PECP1") * (1.0 + p("PECP2") * df)
    z1 = decay(p("PDXP1") * (1.0 + p("PDXP2") * df) * decay(p("PDXP3") * slip.kappa) * turn)
    of_y = p("PDYP1") * (1.0 + p("PDYP2") * df) * decay(p("PDYP3") * np.tan(slip.alpha))
    z2, z3 = decay(of_y * (size + p("PDYP4") * np.sqrt(size))), decay(p("PKYP1") * turn**2)
    k0 = p("PKY1") * load0 * (1.0 + p("PPY1") * dp) * p("LKY") * z3
    k0 = k0 * np.sin(p("PKY4") * np.arctan(load / load0 / p("PKY2") / (1.0 + p("PPY2") * dp)))
    kr = load * (p("PKY6") + p("PKY7") * df) * (1.0 + p("PPY5") * dp) * p("LKYC") / rest
    c, d = p("PHYP1"), p("PHYP2") + p("PHYP3") * df
    z4 = 1.0 + sine(kr / (c * d * k0), c, d, at_most_one(p("PHYP4")), turn)
    pressure = 1.0 + p("PPY3") * dp + p("PPY4") * dp**2
    mu = (p("PDY1") + p("PDY2") * df) * pressure * (1.0 - p("PDY3") * (gstar * p("LGAY")) ** 2) * mu_scale
    most = p("QCRP1") * mu * r0 * load * np.sqrt(load / load0) * p("LMP")
    kz, c = load * r0 * (p("QDZ8") + p("QDZ9") * df) * p("LKZC"), p("QDRP1")
    d = most / np.sin(np.pi / 2.0 * c)
    dr = sine(kz / rest / (c * d), c, d, at_most_one(p("QDRP2")), turn)
    across = most * 2.0 / np.pi * np.arctan(p("QCRP2") * size)
    across = across * _weight_of_lateral(p, slip.kappa, df, np.tan(slip.alpha), gstar)
    z7 = 2.0 / np.pi * np.arccos(np.minimum(across / np.abs(away(dr)), 1.0))
    return Zetas(0.0, z1, z2, z3, z4, decay(p("QDTP1") * turn), decay(p("QBRP1") * turn), z7, dr)


class Lateral(NamedTuple):
    """Lateral force in pure slip and what the moments need of it."""

    force: Value
    mu: Value
    b: Value
    c: Value
    k: Value
    sh: Value
    sv: Value


def version_6_1(numbers: Mapping[str, float], slip: Slip, reading: Reading = "book") -> Forces:
    """Forces of version 6.1 from the numbers of a .tir file (upper-case names, SI units)."""
    p, book = lookup(numbers), reading == "book"
    load0 = p("LFZO") * p("FNOMIN")  # 4.E1
    df = (slip.load - load0) / load0  # 4.E2a
    pressure = p("NOMPRES") if slip.pressure is None else slip.pressure
    dp = (pressure - p("NOMPRES")) / p("NOMPRES")  # 4.E2b
    astar, gstar = np.tan(slip.alpha), np.sin(slip.gamma)  # 4.E3, 4.E4
    sliding = np.abs(slip.speed) * np.hypot(slip.kappa, astar)
    decay = 1.0 + p("LMUV") * sliding / p("LONGVL")
    mu_x, mu_y = p("LMUX") / decay, p("LMUY") / decay  # 4.E7
    a = 10.0 if book else 1.0
    shift_x, shift_y = (a * m / (1.0 + (a - 1.0) * m) for m in (mu_x, mu_y))  # 4.E8

    z = Zetas() if slip.spin is None else zetas(p, slip, df, dp, mu_y)
    fx0, kx = _longitudinal_6_1(p, slip, df, dp, mu_x, shift_x, z)
    shaped = _lateral_6_1(p, slip.load, load0, df, dp, astar, gstar, mu_y, shift_y, z)
    flat = _lateral_6_1(p, slip.load, load0, df, dp, astar, 0.0 * gstar, mu_y, shift_y, Zetas())

    bxa = (p("RBX1") + p("RBX3") * gstar**2) * np.cos(np.arctan(p("RBX2") * slip.kappa)) * p("LXAL")  # 4.E54
    exa = at_most_one(p("REX1") + p("REX2") * df)  # 4.E56
    fx = weight(bxa, p("RCX1"), exa, astar, p("RHX1")) * fx0  # 4.E50 to 4.E57
    rvy = p("RVY1") + p("RVY2") * df + p("RVY3") * gstar
    dvyk = shaped.mu * z.z2 * slip.load * rvy * np.cos(np.arctan(p("RVY4") * astar))  # 4.E67
    svyk = dvyk * np.sin(p("RVY5") * np.arctan(p("RVY6") * slip.kappa)) * p("LVYKA")  # 4.E66
    fy = _weight_of_lateral(p, slip.kappa, df, astar, gstar) * shaped.force + svyk  # 4.E58

    mx, my = _overturning_6_1(p, slip, fy, dp), _rolling_6_1(p, slip, fx, pressure)
    lateral = _weight_of_lateral(p, slip.kappa, df, astar, 0.0 * gstar if book else gstar) * flat.force  # 4.E74
    mz, trail = _aligning_6_1(p, slip, df, dp, load0, mu_y, shaped, lateral, kx, (fx, fy), book, z)
    mz0, _ = _aligning_6_1(p, slip, df, dp, load0, mu_y, shaped, flat.force, 0.0 * kx, (0.0, 0.0), book, z)
    return Forces(fx, fy, mx, my, mz, fx0, shaped.force, mz0, trail)


def _longitudinal_6_1(
    p: Coefficients, slip: Slip, df: Value, dp: Value, mu_scale: Value, shift: Value, z: Zetas
) -> tuple[Value, Value]:
    """Fx in pure slip and the slip stiffness (4.E9 to 4.E18)."""
    c = p("PCX1") * p("LCX")  # 4.E11
    pressure = 1.0 + p("PPX3") * dp + p("PPX4") * dp**2
    mu = (p("PDX1") + p("PDX2") * df) * pressure * (1.0 - p("PDX3") * slip.gamma**2) * mu_scale  # 4.E13
    d = mu * slip.load * z.z1  # 4.E12
    k = slip.load * (p("PKX1") + p("PKX2") * df) * np.exp(p("PKX3") * df)
    k = k * (1.0 + p("PPX1") * dp + p("PPX2") * dp**2) * p("LKX")  # 4.E15
    x = slip.kappa + (p("PHX1") + p("PHX2") * df) * p("LHX")  # 4.E10, 4.E17
    e = (p("PEX1") + p("PEX2") * df + p("PEX3") * df**2) * (1.0 - p("PEX4") * sign(x)) * p("LEX")  # 4.E14
    sv = slip.load * (p("PVX1") + p("PVX2") * df) * p("LVX") * shift  # 4.E18
    return sine(k / away(c * d), c, d, at_most_one(e), x) + sv, k


def _lateral_6_1(
    p: Coefficients,
    load: Value,
    load0: float,
    df: Value,
    dp: Value,
    astar: Value,
    gstar: Value,
    mu_scale: Value,
    shift: Value,
    z: Zetas,
) -> Lateral:
    """Fy in pure slip (4.E19 to 4.E30)."""
    c = p("PCY1") * p("LCY")  # 4.E21
    pressure = 1.0 + p("PPY3") * dp + p("PPY4") * dp**2
    mu = (p("PDY1") + p("PDY2") * df) * pressure * (1.0 - p("PDY3") * gstar**2) * mu_scale  # 4.E23
    d = mu * load * z.z2  # 4.E22
    width = (p("PKY2") + p("PKY5") * gstar**2) * (1.0 + p("PPY2") * dp)
    k = p("PKY1") * load0 * (1.0 + p("PPY1") * dp) * (1.0 - p("PKY3") * np.abs(gstar))
    k = k * np.sin(p("PKY4") * np.arctan(load / load0 / width)) * p("LKY") * z.z3  # 4.E25
    svg = load * (p("PVY3") + p("PVY4") * df) * gstar * p("LKYC") * shift * z.z2  # 4.E28
    kg = load * (p("PKY6") + p("PKY7") * df) * (1.0 + p("PPY5") * dp) * p("LKYC")  # 4.E30
    sh = (p("PHY1") + p("PHY2") * df) * p("LHY") + (kg * gstar * z.z0 - svg) / away(k) + z.z4 - 1.0  # 4.E27, 4.84
    sv = load * (p("PVY1") + p("PVY2") * df) * p("LVY") * shift * z.z2 + svg  # 4.E29
    x = astar + sh  # 4.E20
    e = 1.0 + p("PEY5") * gstar**2 - (p("PEY3") + p("PEY4") * gstar) * sign(x)
    e = at_most_one((p("PEY1") + p("PEY2") * df) * e * p("LEY"))  # 4.E24
    b = k / away(c * d)  # 4.E26
    return Lateral(sine(b, c, d, e, x) + sv, mu, b, c, k, sh, sv)


def _weight_of_lateral(p: Coefficients, kappa: Value, df: Value, alpha: Value, gamma: Value) -> Value:
    """Factor of Fy in combined slip (4.E59 to 4.E65); RBY4 is new in version 6.1."""
    b = (p("RBY1") + p("RBY4") * gamma**2) * np.cos(np.arctan(p("RBY2") * (alpha - p("RBY3")))) * p("LYKA")
    e = at_most_one(p("REY1") + p("REY2") * df)
    return weight(b, p("RCY1"), e, kappa, p("RHY1") + p("RHY2") * df)


def _overturning_6_1(p: Coefficients, slip: Slip, fy: Value, dp: Value) -> Value:
    """Mx (4.E69)."""
    load, lateral, gamma = slip.load / p("FNOMIN"), fy / p("FNOMIN"), slip.gamma
    by_load = p("QSX1") * p("LVMX") - p("QSX2") * gamma * (1.0 + p("PPMX1") * dp) - p("QSX12") * gamma * np.abs(gamma)
    wave = np.cos(p("QSX5") * np.arctan((p("QSX6") * load) ** 2))
    wave = wave * np.sin(p("QSX7") * gamma + p("QSX8") * np.arctan(p("QSX9") * lateral))
    by_load = by_load + p("QSX3") * lateral + p("QSX4") * wave + p("QSX10") * np.arctan(p("QSX11") * load) * gamma
    by_force = p("QSX13") + p("QSX14") * np.abs(gamma)
    return p("UNLOADED_RADIUS") * p("LMX") * (slip.load * by_load + fy * by_force)


def _rolling_6_1(p: Coefficients, slip: Slip, fx: Value, pressure: Value) -> Value:
    """My (A48); negative while the wheel rolls forward."""
    load, speed = slip.load / p("FNOMIN"), slip.speed / p("LONGVL")
    sum_ = p("QSY1") + p("QSY2") * fx / p("FNOMIN") + p("QSY3") * np.abs(speed) + p("QSY4") * speed**4
    sum_ = sum_ + (p("QSY5") + p("QSY6") * load) * slip.gamma**2
    scale = load ** p("QSY7") * (pressure / p("NOMPRES")) ** p("QSY8")
    return -p("FNOMIN") * p("UNLOADED_RADIUS") * sum_ * scale * p("LMY") * sign(slip.speed)


def equivalent(angle: Value, ratio: Value, kappa: Value, of_tangents: bool) -> Value:
    """Slip angle that stands for both slips, with the sign of the angle."""
    if of_tangents:
        return sign(angle) * np.arctan(np.hypot(np.tan(angle), ratio * kappa))
    return sign(angle) * np.hypot(angle, ratio * kappa)


def _aligning_6_1(
    p: Coefficients,
    slip: Slip,
    df: Value,
    dp: Value,
    load0: float,
    mu_scale: Value,
    shaped: Lateral,
    lateral: Value,
    kx: Value,
    forces: tuple[Value, Value],
    book: bool,
    z: Zetas,
) -> tuple[Value, Value]:
    """Mz and the trail (4.E31 to 4.E47, 4.E71 to 4.E78); in pure slip with kx and both forces zero."""
    astar, gstar, r0 = np.tan(slip.alpha), np.sin(slip.gamma), p("UNLOADED_RADIUS")
    k = away(shaped.k)  # 4.E39
    ar = astar + shaped.sh + shaped.sv / k  # 4.E37, 4.E38
    at = astar + p("QHZ1") + p("QHZ2") * df + (p("QHZ3") + p("QHZ4") * df) * gstar  # 4.E34, 4.E35
    if book:
        of_camber = 1.0 + p("QBZ5") * np.abs(gstar) + p("QBZ6") * gstar**2
        of_trail = 1.0 + p("QDZ3") * np.abs(gstar) + p("QDZ4") * gstar**2
    else:
        of_camber = 1.0 + p("QBZ4") * slip.gamma + p("QBZ5") * np.abs(slip.gamma)
        of_trail = 1.0 + p("QDZ3") * slip.gamma + p("QDZ4") * slip.gamma**2
    bt = (p("QBZ1") + p("QBZ2") * df + p("QBZ3") * df**2) * of_camber * p("LKY") / mu_scale  # 4.E40
    dt = slip.load * r0 / load0 * (p("QDZ1") + p("QDZ2") * df) * (1.0 - p("PPZ1") * dp) * p("LTR")  # 4.E42
    dt = dt * z.z5 * of_trail * sign(slip.speed)  # 4.E43
    ct = p("QCZ1")  # 4.E41
    et = 1.0 + (p("QEZ4") + p("QEZ5") * gstar) * 2.0 / np.pi * np.arctan(bt * ct * at)
    et = at_most_one((p("QEZ1") + p("QEZ2") * df + p("QEZ3") * df**2) * et)  # 4.E44
    br = (p("QBZ9") * p("LKY") / mu_scale + p("QBZ10") * shaped.b * shaped.c) * z.z6  # 4.E45
    camber = (p("QDZ8") + p("QDZ9") * df) * (1.0 + p("PPZ2") * dp) + (p("QDZ10") + p("QDZ11") * df) * np.abs(gstar)
    dr = (p("QDZ6") + p("QDZ7") * df) * p("LRES") * z.z2 + camber * gstar * p("LKZC") * z.z0
    dr = dr * slip.load * r0 * mu_scale * sign(slip.speed) * np.cos(slip.alpha if book else astar)  # 4.E47

    at_eq, ar_eq = (equivalent(x, kx / k, slip.kappa, not book) for x in (at, ar))  # 4.E77, 4.E78
    trail = cosine(bt, ct, dt, et, at_eq) * np.cos(slip.alpha) * (1.0 if book else p("LFZO"))  # 4.E73
    residual = (dr + z.dr) * np.cos(z.z7 * np.arctan(br * ar_eq))  # 4.E75
    fx, fy = forces
    over, tilt = (load0, gstar) if book else (p("FNOMIN"), slip.gamma)
    arm = r0 * (p("SSZ1") + p("SSZ2") * fy / over + (p("SSZ3") + p("SSZ4") * df) * tilt) * p("LS")  # 4.E76
    return -trail * lateral + residual + arm * fx, trail  # 4.E71, 4.E72


def load_6_1(
    numbers: Mapping[str, float], loaded: Value, omega: Value, gamma: Value, fx: Value, fy: Value
) -> tuple[Value, Value]:
    """Load (N) by the loaded radius (m), 4.E68, and effective rolling radius (m), equations 1 to 7 of the paper.

    omega: rad/s. gamma: rad. fx, fy: N, under the load that is returned. Version 6.2 (FITTYP) as solvers that reproduce
    results of TNO have it, of a wheel whose centre line touches the road.
    """
    p = lookup(numbers)
    r0, load0 = p("UNLOADED_RADIUS"), p("LFZO") * p("FNOMIN")
    pressure = 1.0 + p("PFZ1") * (p("INFLPRES") / p("NOMPRES") - 1.0) if "INFLPRES" in numbers else 1.0
    stiffness = p("VERTICAL_STIFFNESS")
    first = np.sqrt((stiffness * r0 / load0) ** 2 - 4.0 * p("Q_FZ2"))
    free = r0 * (numbers.get("Q_RE0", 1.0) + p("Q_V1") * (omega * r0 / p("LONGVL")) ** 2)
    rho = (free - loaded) / r0
    across = p("Q_FCY") * fy / load0
    if numbers.get("FITTYP") == 62:
        half = (1.075 - 0.5 * p("ASPECT_RATIO")) * p("WIDTH") / 8.0 * np.abs(np.tan(gamma))
        change = ((p("Q_CAM1") * loaded + p("Q_CAM2") * loaded**2) / (p("Q_CAM1") * free + p("Q_CAM2") * free**2)) ** 2
        rho = rho + (change * half / r0 - p("Q_CAM3") * rho * np.abs(gamma))
        shift = (p("Q_FYS1") + p("Q_FYS2") * loaded / free + p("Q_FYS3") * (loaded / free) ** 2) * gamma
        across = rho ** p("Q_FCY2") * p("Q_FCY") * (fy - shift) / load0
    bracket = 1.0 + p("Q_V2") * np.abs(omega) * r0 / p("LONGVL")
    bracket = bracket - (p("Q_FCX") * fx / load0) ** 2 - across**2
    load = bracket * ((first + p("Q_CAM") * gamma**2) * rho + p("Q_FZ2") * rho**2) * load0 * pressure * p("LCZ")
    wear = p("DREFF") * np.arctan(p("BREFF") * load / load0) + p("FREFF") * load / load0
    return load, free - load0 / (stiffness * pressure * p("LCZ")) * wear


def version_5_2(numbers: Mapping[str, float], slip: Slip) -> Forces:
    """Forces of version 5.2 (PAC2002) from the numbers of a .tir file; no effect of pressure."""
    p = lookup(numbers)
    load0 = p("LFZO") * p("FNOMIN")
    df = (slip.load - load0) / load0
    gx, gy, gz = (slip.gamma * p(name) for name in ("LGAX", "LGAY", "LGAZ"))
    alpha, load = slip.alpha, slip.load

    c = p("PCX1") * p("LCX")
    d = load * (p("PDX1") + p("PDX2") * df) * (1.0 - p("PDX3") * gx**2) * p("LMUX")
    kx = load * (p("PKX1") + p("PKX2") * df) * np.exp(p("PKX3") * df) * p("LKX")
    x = slip.kappa + (p("PHX1") + p("PHX2") * df) * p("LHX")
    e = (p("PEX1") + p("PEX2") * df + p("PEX3") * df**2) * (1.0 - p("PEX4") * sign(x)) * p("LEX")
    fx0 = sine(kx / away(c * d), c, d, at_most_one(e), x)
    fx0 = fx0 + load * (p("PVX1") + p("PVX2") * df) * p("LVX") * p("LMUX")
    bxa = p("RBX1") * np.cos(np.arctan(p("RBX2") * slip.kappa)) * p("LXAL")
    fx = weight(bxa, p("RCX1"), at_most_one(p("REX1") + p("REX2") * df), alpha, p("RHX1")) * fx0

    y = _lateral_5_2(p, load, load0, df, alpha, gy)
    dvyk = y.mu * load * (p("RVY1") + p("RVY2") * df + p("RVY3") * slip.gamma) * np.cos(np.arctan(p("RVY4") * alpha))
    svyk = dvyk * np.sin(p("RVY5") * np.arctan(p("RVY6") * slip.kappa)) * p("LVYKA")
    weighted = _weight_of_lateral(p, slip.kappa, df, alpha, 0.0 * alpha) * y.force
    fy = weighted + svyk

    mx = p("QSX1") * p("LVMX") - p("QSX2") * slip.gamma + p("QSX3") * fy / p("FNOMIN")
    speed = slip.speed / p("LONGVL")
    my = p("QSY1") + p("QSY2") * fx / p("FNOMIN") + p("QSY3") * np.abs(speed) + p("QSY4") * speed**4
    mz, trail = _aligning_5_2(p, slip, df, gz, y, weighted, kx, (fx, fy))
    mz0, _ = _aligning_5_2(p, slip, df, gz, y, y.force, 0.0 * kx, (0.0, 0.0))
    scale = p("UNLOADED_RADIUS") * load
    return Forces(
        fx, fy, scale * mx * p("LMX"), -scale * my * p("LMY") * sign(slip.speed), mz, fx0, y.force, mz0, trail
    )


def _lateral_5_2(p: Coefficients, load: Value, load0: float, df: Value, alpha: Value, gy: Value) -> Lateral:
    """Fy in pure slip."""
    c = p("PCY1") * p("LCY")
    mu = (p("PDY1") + p("PDY2") * df) * (1.0 - p("PDY3") * gy**2) * p("LMUY")
    k = p("PKY1") * load0 * np.sin(2.0 * np.arctan(load / (p("PKY2") * load0))) * (1.0 - p("PKY3") * np.abs(gy))
    k = k * p("LKY")
    sh = (p("PHY1") + p("PHY2") * df) * p("LHY") + p("PHY3") * gy
    sv = load * ((p("PVY1") + p("PVY2") * df) * p("LVY") + (p("PVY3") + p("PVY4") * df) * gy) * p("LMUY")
    x = alpha + sh
    e = (p("PEY1") + p("PEY2") * df) * (1.0 - (p("PEY3") + p("PEY4") * gy) * sign(x)) * p("LEY")
    b = k / away(c * mu * load)
    return Lateral(sine(b, c, mu * load, at_most_one(e), x) + sv, mu, b, c, k, sh, sv)


def _aligning_5_2(
    p: Coefficients,
    slip: Slip,
    df: Value,
    gz: Value,
    y: Lateral,
    lateral: Value,
    kx: Value,
    forces: tuple[Value, Value],
) -> tuple[Value, Value]:
    """Mz and the trail; in pure slip with kx and both forces zero."""
    k, r0 = away(y.k), p("UNLOADED_RADIUS")
    ar = slip.alpha + y.sh + y.sv / k
    at = slip.alpha + p("QHZ1") + p("QHZ2") * df + (p("QHZ3") + p("QHZ4") * df) * gz
    bt = (p("QBZ1") + p("QBZ2") * df + p("QBZ3") * df**2) * (1.0 + p("QBZ4") * gz + p("QBZ5") * np.abs(gz))
    bt = bt * p("LKY") / p("LMUY")
    dt = slip.load * (p("QDZ1") + p("QDZ2") * df) * (1.0 + p("QDZ3") * gz + p("QDZ4") * gz**2)
    dt = dt * r0 / p("FNOMIN") * p("LTR")
    et = 1.0 + (p("QEZ4") + p("QEZ5") * gz) * 2.0 / np.pi * np.arctan(bt * p("QCZ1") * at)
    et = at_most_one((p("QEZ1") + p("QEZ2") * df + p("QEZ3") * df**2) * et)
    br = p("QBZ9") * p("LKY") / p("LMUY") + p("QBZ10") * y.b * y.c
    dr = (p("QDZ6") + p("QDZ7") * df) * p("LRES") + (p("QDZ8") + p("QDZ9") * df) * gz
    dr = dr * slip.load * r0 * p("LMUY")
    at_eq, ar_eq = (equivalent(a, kx / k, slip.kappa, True) for a in (at, ar))
    trail = cosine(bt, p("QCZ1"), dt, et, at_eq) * np.cos(slip.alpha)
    residual = dr * np.cos(np.arctan(br * ar_eq)) * np.cos(slip.alpha)
    fx, fy = forces
    arm = r0 * (p("SSZ1") + p("SSZ2") * fy / p("FNOMIN") + (p("SSZ3") + p("SSZ4") * df) * slip.gamma) * p("LS")
    return -trail * lateral + residual + arm * fx, trail
