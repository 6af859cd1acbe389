"""A spinning truss boom in space, whose thruster bends it: an elastic body from matrices, with stress stiffness.

The boom consists of points and of pin-jointed bars between them, six bays of square frames along x. Its mass and
stiffness matrix are reduced to shapes of its ends' frames, of inertia loads and of a few vibrations. The bars are
stressed where the boom spins, which stiffens it: `geometric="bars"`.

At the start the boom is undeformed and spins about its centre of mass and the axis z. A thruster at its tip then fires
along z, so that the boom bends, vibrates and nutates. There is no gravity and no damping.

`truss_boom_superelement` is the same boom as another program hands it over: reduced to six coordinates for the square
at each end, which is rigid then, and to those of a few vibrations. A superelement has no stress stiffness, so it spins
slowly.
"""

import math

import numpy as np

import mbs_fmu as mbs

BAYS, LENGTH, WIDTH = 6, 0.3, 0.2  #: number of bays; m: length and width of each
MASS, EA = 0.3, 6e4  #: kg, of each point; N, of each bar
SPIN, THRUST, BURN = 10.0, 60.0, 0.1  #: rad/s; N, the peak of the thruster; s, how long it fires
MODES = 4  #: vibrations, beside the shapes by loads
SLOW = 1.0  #: rad/s, of the superelement
DESCRIPTION = "Spinning truss boom with a thruster"
CORNERS = [(y, z) for y in (-WIDTH / 2, WIDTH / 2) for z in (-WIDTH / 2, WIDTH / 2)]


def places() -> np.ndarray:
    """Return the points, (28, 3), m: four for each square, from the root along x."""
    return np.array([(LENGTH * k, y, z) for k in range(BAYS + 1) for y, z in CORNERS])


def bars() -> list[tuple[int, int]]:
    """Return the two points of each bar: all pairs within a square, and edges and face diagonals of the bays."""
    within = [(4 * k + i, 4 * k + j) for k in range(BAYS + 1) for i in range(4) for j in range(i + 1, 4)]
    between = [(4 * k + i, 4 * k + 4 + j) for k in range(BAYS) for i in range(4) for j in range(4) if i + j != 3]
    return within + between


def matrices() -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, range]]:
    """Return places, mass and stiffness matrix of the points, and the points of the frames at both ends."""
    nodes = places()
    K = np.zeros((3 * len(nodes), 3 * len(nodes)))
    for a, b in bars():
        along = nodes[b] - nodes[a]
        block = EA / np.linalg.norm(along) ** 3 * np.outer(along, along)
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            K[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] += sign * block
    return nodes, MASS * np.eye(len(K)), K, {"root": range(4), "tip": range(4 * BAYS, 4 * BAYS + 4)}


def drawn(bays: tuple[int, int], at: float) -> list[mbs.Shape]:
    """Return lines for the bars between two squares, for a frame at x = at."""
    nodes = places() - [at, 0, 0]
    own = [(a, b) for a, b in bars() if 4 * bays[0] <= a and b < 4 * bays[1] + 4]
    return [mbs.Line([tuple(nodes[a]), tuple(nodes[b])], 0.006, color="dimgray") for a, b in own]


def superelement() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places of both ends, and mass and stiffness matrix of their coordinates and `MODES` vibrations."""
    nodes, M, K, frames = matrices()
    places = np.array([nodes[frames[name]].mean(0) for name in ("root", "tip")])
    inner = np.arange(12, len(K) - 12)
    T = np.zeros((len(K), 12 + MODES))
    for k, frame in enumerate(frames.values()):
        for i in frame:
            x, y, z = nodes[i] - places[k]
            T[3 * i : 3 * i + 3, 6 * k : 6 * k + 6] = [[1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x], [0, 0, 1, y, -x, 0]]
    T[inner, :12] = np.linalg.solve(K[np.ix_(inner, inner)], -K[inner] @ T[:, :12])
    T[inner, 12:] = np.linalg.eigh(K[np.ix_(inner, inner)] / MASS)[1][:, :MODES]  # M is diagonal
    return places, T.T @ M @ T, T.T @ K @ T


def truss_boom() -> mbs.Model:
    """Return the boom. Outputs are the centres of the squares at its ends, their distance and the energy."""
    modes = mbs.Modes.matrices(*matrices(), modes=MODES, geometric="bars", loads="inertia")
    m = mbs.Model("truss_boom", description=DESCRIPTION, gravity=(0, 0, 0))
    add_boom(m, modes, SPIN)
    return m


def truss_boom_superelement() -> mbs.Model:
    """Return the boom from reduced matrices, with the outputs of `truss_boom`."""
    modes = mbs.Modes.superelement(*superelement(), modal=MODES, names=["root", "tip"])
    m = mbs.Model("truss_boom_superelement", description=DESCRIPTION, gravity=(0, 0, 0))
    add_boom(m, modes, SLOW)
    return m


def add_boom(m: mbs.Model, modes: mbs.Modes, spin: float) -> None:
    """Add the boom that spins, rad/s, about its centre of mass, and its outputs."""
    thrust = m.parameter("thrust", THRUST, unit="N", description="peak of the thruster's force")
    third, whole = BAYS // 3, BAYS * LENGTH
    body = m.body("boom", joint=mbs.Free(), elastic=modes, shape=drawn((third, 2 * third), 0.0))
    root, tip = body.node("root"), body.node("tip")
    m.shape(root, drawn((0, third), 0.0))
    m.shape(tip, drawn((2 * third, BAYS), whole))
    m.start(body, u=(0, -spin * whole / 2, 0, 0, 0, spin))
    pulse = thrust * mbs.sin(math.pi * mbs.min(mbs.time, BURN) / BURN) ** 2
    m.force("thruster", on=tip, force=(0, 0, pulse))
    m.output("root", mbs.position(root), unit="m", description="centre of the square at the root")
    m.output("tip", mbs.position(tip), unit="m", description="centre of the square at the tip")
    x, y, z = mbs.position(tip) - mbs.position(root)
    m.output("length", mbs.sqrt(x * x + y * y + z * z), unit="m", description="distance of both")
    m.output("energy", mbs.energy(), unit="J", description="mechanical energy")
