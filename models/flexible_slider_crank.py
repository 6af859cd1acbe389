"""A slider-crank with an elastic connecting rod: the problem "slider crank" of the test set for IVP solvers.

B. Simeon, "Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs", Mathematical Modelling of
Systems 2 (1996) 1-18; F. Mazzia and C. Magherini, "Test Set for Initial Value Problem Solvers", release 2.4, 2008. The
crank rotates at a constant speed. The rod bends in two shapes, sin(πx/L) and sin(2πx/L), and stretches in two more, the
last of which is the displacement of its tip. There is no gravity, damping or friction.

The problem defines the rod's inertia by matrices, in a frame attached to its hinge. The model uses them unchanged,
although their axial mass block is fifteen times that of the shapes. The motion is in the x-y plane; inertia about
other axes has no influence, but a body needs it. Angles are about z, from x.
"""

import numpy as np

import mbs_fmu as mbs

SPEED = 150.0  #: rad/s, of the crank
CRANK_MASS, CRANK_LENGTH, CRANK_INERTIA = 0.36, 0.15, 0.002727  #: kg, m, kg m2 about its hinge
MASS, LENGTH, INERTIA = 0.151104, 0.30, 0.0045339259  #: of the rod: kg, m, kg m2 about its hinge
WIDTH, HEIGHT, DENSITY, E = 0.008, 0.008, 7870.0, 2.0e11  #: of the rod: m, m, kg/m3, Pa
SLIDER_MASS = 0.075552  #: kg
PI = 3.1415927  #: value that the problem prescribes
START = (0.0, 0.0, 0.103339863e-4, 0.169327969e-4)  #: m, the rod's coordinates q
START_RATE = (0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5)  #: m/s


def rod() -> mbs.Modes:
    """Return the rod by its matrices, from its hinge along x, in the published coordinates q."""
    n, volume = 4, WIDTH * HEIGHT * LENGTH
    S1, J1, J2, C0, C1 = (np.zeros(shape) for shape in ((3, n), (3, 3, n), (3, 3, n, n), (3, n), (3, n, n)))
    Me, K, B = rod_matrices()
    S1[0], S1[1] = DENSITY * volume * np.array([[0, 0, 2 / 3, 1 / 6], [2 / PI, 0, 0, 0]])
    J1[2, 2] = 2 * DENSITY * volume * LENGTH * np.array([0, 0, 1 / 3, 1 / 6])
    J2[2, 2] = 2 * Me
    C0[2] = DENSITY * volume * LENGTH * np.array([1 / PI, -0.5 / PI, 0, 0])
    C1[2] = DENSITY * B.T
    tip = np.zeros((6, n))
    tip[0, 3] = 1.0
    hinge = mbs.ElasticNode(np.zeros(3), np.eye(3), np.zeros((6, n)), np.zeros((6, n, n)))
    slider = mbs.ElasticNode(np.array([LENGTH, 0, 0]), np.eye(3), tip, np.zeros((6, n, n)))
    return mbs.Modes.invariants(
        mass=MASS, S0=(LENGTH * MASS / 2, 0, 0),
        J0=np.diag([MASS * (WIDTH**2 + HEIGHT**2) / 12, INERTIA, INERTIA]),
        S1=S1, J1=J1, J2=J2, C0=C0, C1=C1, Me=Me, K=K, nodes={"hinge": hinge, "tip": slider},
    )  # fmt: skip


def rod_matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the problem's M_q (kg), K_q (N/m) and B_q (m3)."""
    volume, slope = WIDTH * HEIGHT * LENGTH, E * WIDTH * HEIGHT / LENGTH
    mass = DENSITY * volume
    M, K, B = np.diag([0.5 * mass, 0.5 * mass, 8 * mass, 2 * mass]), np.zeros((4, 4)), np.zeros((4, 4))
    M[2, 3] = M[3, 2] = mass
    K[0, 0], K[1, 1] = (slope * PI**4 * (HEIGHT / LENGTH) ** 2 * part for part in (1 / 24, 2 / 3))
    K[2:, 2:] = slope / 3 * np.array([[16, -8], [-8, 7]])
    B[0, 2], B[0, 3], B[1, 3] = volume * np.array([-16 / PI**3, 8 / PI**3 - 1 / PI, 0.5 / PI])
    return M, K, B - B.T


def flexible_slider_crank() -> mbs.Model:
    """The crank is driven, the slider sits on the rod's tip, which is led along y = 0."""
    m = mbs.Model("flexible_slider_crank", description="Slider-crank with an elastic rod", gravity=(0, 0, 0))
    modes = rod()
    V = modes.normal_coordinates()
    bar = [mbs.Line([(0, 0, 0), (CRANK_LENGTH, 0, 0)], 0.009), mbs.Cylinder(0.02, 0.03)]
    crank = m.body("crank", joint=mbs.Revolute("z"), mass=CRANK_MASS, inertia=(CRANK_INERTIA,) * 3, shape=bar)
    conrod = m.body("rod", crank, mbs.Revolute("z"), at=(CRANK_LENGTH, 0, 0), elastic=modes, root="hinge")
    slider = m.body("slider", conrod.node("tip"), mass=SLIDER_MASS, shape=mbs.Cylinder(0.022, 0.03))
    m.shape("world", [mbs.Box(0.4, 0.008, 0.03, at=(0.3, y, 0), color="lightgray") for y in (-0.027, 0.027)])
    m.drive("motor", on=crank, position=SPEED * mbs.time)
    m.close("guide", "world", slider, mbs.OnPlane("y"))
    rate = -CRANK_LENGTH * SPEED / (LENGTH + START[3])  # keeps the tip on the line
    xi, xi_dot = (np.linalg.solve(V, q).tolist() for q in (START, START_RATE))
    m.start(conrod, q=0.0, u=rate - SPEED, xi=xi, xi_dot=xi_dot, guess=True)
    q = [sum(V[i, k] * mbs.modal(conrod, k + 1) for k in range(4)) for i in range(4)]
    angle = mbs.coordinate(crank) + mbs.coordinate(conrod)
    m.output("phi1", mbs.coordinate(crank), unit="rad", description="angle of the crank")
    m.output("phi2", angle, unit="rad", description="angle of the rod at its hinge")
    m.output("x3", mbs.position(slider)[0], unit="m", description="place of the slider")
    m.output("q", q, unit="m", description="the rod's coordinates as published: two of bending, two of stretch")
    m.output("torque", mbs.drive_force("motor"), unit="N.m", description="of the motor")
    m.output("guide_force", mbs.multiplier("guide"), unit="N", description="of the guide on the slider")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
    return m
