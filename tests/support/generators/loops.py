"""Random mechanisms with closed loops."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache, partial

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.model.closures import Pair
from mbs_fmu.model.model import Model
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.record.codes import Status
from mbs_fmu.record.program import Program
from mbs_fmu.record.tables import Open, rows_of
from support.cases import Case
from support.generators.mechanisms import Plain, random_rotation, random_tree
from support.oracles.dense import Dense
from support.oracles.plane_curves import through, touched

Poses = dict[str, tuple[np.ndarray, np.ndarray]]  #: rotation (body to world) and origin, by body

LOOP_COMPANIONS = (
    "revolute", "prismatic", "universal", "spherical", "weld", "cylinder", "planar", "slide_turn_turn",
    "turn_slide_turn", "distance", "line", "plane",
)  # fmt: skip
"""Loop joints that keep company in random mechanisms. It never grows, since these are drawn from it."""

LOOP_JOINTS = (
    *LOOP_COMPANIONS, "rolling", "rolling_ball", "knife_edge", "circle", "ellipse", "polar", "spline", "roller",
    "ellipses", "cams", "screw", "slide_screw", "turn_screw", "constant_velocity", "plunging",
)  # fmt: skip
"""All loop joints: a new one is added here."""


def loop_joint(rng: np.random.Generator, kind: str) -> Pair:
    """A random closure of a kind whose two points coincide at the start."""
    axis, other = rng.normal(size=3), rng.normal(size=3)
    kinds = {
        "revolute": lambda: mbs.Revolute(axis),
        "prismatic": lambda: mbs.Prismatic(axis),
        "universal": lambda: mbs.Universal((axis, other)),
        "spherical": mbs.Spherical,
        "weld": mbs.Weld,
        "cylinder": lambda: mbs.Compound(mbs.slide(axis), mbs.turn(axis)),
        "planar": lambda: mbs.Compound(mbs.slide("x"), mbs.slide("y"), mbs.turn("z")),
        "slide_turn_turn": lambda: mbs.Compound(mbs.slide(axis), mbs.turn("x"), mbs.turn("y")),
        "turn_slide_turn": lambda: mbs.Compound(mbs.turn("x"), mbs.slide(axis), mbs.turn(other)),
        "line": lambda: mbs.OnLine(axis),
        "plane": lambda: mbs.OnPlane(axis),
        "knife_edge": lambda: mbs.KnifeEdge(axis),
        "screw": lambda: mbs.Screw(axis, pitch=pitch(rng)),
        "constant_velocity": lambda: mbs.ConstantVelocity(axis),
        "plunging": lambda: mbs.Compound(mbs.slide(other), *mbs.ConstantVelocity(axis).motions),
        "slide_screw": lambda: mbs.Compound(mbs.slide(other), *mbs.Screw(axis, pitch=pitch(rng)).motions),
        "turn_screw": lambda: mbs.Compound(mbs.turn(other), *mbs.Screw(axis, pitch=pitch(rng)).motions),
    }
    return kinds[kind]()


def pitch(rng: np.random.Generator) -> float:
    """Random pitch of a right- or left-handed thread, m/rad."""
    return float(rng.choice([-1.0, 1.0]) * rng.uniform(0.05, 0.5))


def rolling(rng: np.random.Generator, gap: np.ndarray, ball: bool = False) -> Pair:
    """A ball, or a wheel whose rim may be rounded, that touches a plane through the point of a."""
    normal = gap / np.linalg.norm(gap) + 0.4 * rng.normal(size=3)
    normal /= np.linalg.norm(normal) * (1.0 if normal @ gap > 0.0 else -1.0)
    height = float(normal @ gap)
    if ball:
        return mbs.Rolling(height, None, normal)
    axis = np.cross(normal, rng.normal(size=3))
    axis = axis / np.linalg.norm(axis) + 0.5 * rng.normal() * normal  # lean angle
    crown = rng.choice([0.0, 0.3]) * height
    upright = np.linalg.norm(np.cross(normal, axis)) / np.linalg.norm(axis)
    return mbs.Rolling((height - crown) / upright, axis, normal, crown)


def on_curve(kind: str, rng: np.random.Generator, gap: np.ndarray, more: mbs.Expression) -> Pair:
    """A closure that holds a point on a curve of this kind."""
    return through(int(rng.integers(1000)), kind, gap)


#: Kinds whose two points do not coincide: makers of the closure from the vector between the points, in the axes of a
#: (and of b, which has the same axes then), and from an expression that is added to its length.
APART: dict[str, Callable[[np.random.Generator, np.ndarray, mbs.Expression], Pair]] = {
    "distance": lambda rng, gap, more: mbs.Distance(float(np.linalg.norm(gap)) + more),
    "rolling": lambda rng, gap, more: rolling(rng, gap),
    "rolling_ball": lambda rng, gap, more: rolling(rng, gap, ball=True),
    **{kind: partial(on_curve, kind) for kind in ("circle", "ellipse", "polar", "spline")},
    "roller": lambda rng, gap, more: through(int(rng.integers(1000)), "polar", gap, 0.3),
    "ellipses": lambda rng, gap, more: touched(int(rng.integers(1000)), ("ellipse", "ellipse"), gap),
    "cams": lambda rng, gap, more: touched(int(rng.integers(1000)), ("spline", "circle"), gap),
}


def world_poses(m: Model) -> Poses:
    """Rotation and origin of every body at the start, from outputs of a copy of the model."""
    probe = Model("probe")
    for what in ("bodies", "starts", "drives", "followers", "parameters", "inputs", "states"):
        setattr(probe, what, copy.copy(getattr(m, what)))
    for k, name in enumerate(m.bodies):
        probe.output(f"o{k}", mbs.position(name))
        for axis in range(3):
            probe.output(f"r{k}{axis}", mbs.position(name, np.eye(3)[axis]) - mbs.position(name))
    plain = Plain(probe)
    assert plain.real.initialise(plain.R) == 0
    plain.rates()
    plain.real.outputs(plain.R)
    numbers = plain.get(plain.R, "outputs").reshape(-1, 4, 3)
    poses = {name: (block[1:].T, block[0]) for name, block in zip(m.bodies, numbers, strict=True)}
    return {"world": (np.eye(3), np.zeros(3)), **poses}


def poses_of_tree(m: Model) -> Poses:
    """The same for rigid bodies without followers and drives, without tracing the model."""
    dense = Dense(m)
    return {"world": (np.eye(3), np.zeros(3)), **dense.poses(dense.q0)}


def close_randomly(m: Model, rng: np.random.Generator, kinds: list[str], poses: Poses) -> None:
    """Add random closures that are satisfied at the start, where bodies have these poses."""
    moving = [name for name in poses if name == "world" or m.bodies[name].joint.motions]
    for k, kind in enumerate(kinds):
        a, b = (str(x) for x in rng.choice(moving, size=2, replace=False))
        close_between(m, rng, f"loop{k}", kind, a, b, poses)


def close_between(
    m: Model, rng: np.random.Generator, name: str, kind: str, a: str, b: str, poses: dict, length_rate: float = 0.0
) -> None:
    """Add one closure between two bodies with these poses; the length of a rod may change in time."""
    (Ra, xa), (Rb, xb) = poses[a], poses[b]
    ra = rng.normal(size=3) * 0.3
    if kind in APART:
        rb = rng.normal(size=3) * 0.3
        gap = Ra.T @ (xb + Rb @ rb - xa - Ra @ ra)
        pair = APART[kind](rng, gap, length_rate * mbs.time)
        m.close(name, a, b, pair, at_a=ra, at_b=mbs.Pose(rb, Rb.T @ Ra))
        return
    Qa = random_rotation(rng)
    at_b = mbs.Pose(Rb.T @ (xa + Ra @ ra - xb), Rb.T @ Ra @ Qa)
    m.close(name, a, b, loop_joint(rng, kind), at_a=mbs.Pose(ra, Qa), at_b=at_b)


def random_loops(
    seed: int, bodies: int = 8, loops: int = 2, kinds: tuple[str, ...] = LOOP_COMPANIONS, must: tuple[str, ...] = ()
) -> Model:
    """A random tree with loops that leave it mobile; start coordinates close them, start velocities need not.

    must: kinds of the first loops. Raises ValueError if no tree of so few bodies is mobile with these loops.
    """
    rng = np.random.default_rng(seed)
    joints = ("revolute", "tilted", "prismatic", "universal", "compound", "spherical", "free")
    for _ in range(1000):
        m = random_tree(rng, bodies, ("chain", "tree", "star")[seed % 3], joints)
        chosen = [*must, *(str(k) for k in rng.choice(kinds, size=loops - len(must)))]
        close_randomly(m, rng, chosen, poses_of_tree(m))
        degrees_of_freedom = sum(len(b.joint.rates) for b in m.bodies.values())
        # bodies as few as loops can't have six degrees of freedom more than each loop may take
        taken = 6 * loops if loops < bodies else sum(len(x.pair.conditions(None, "").rows) for x in m.loops.values())
        if degrees_of_freedom > taken:
            for name, start in m.starts.items():
                m.start(name, q=start.q, u=start.u, guess=True)
            return m
    raise ValueError(f"no tree of {bodies} bodies stays mobile with {loops} loops, of which {must} are given")


def loops_of(case: Case, most: int = 8) -> Model:
    """Random loops of up to `most` bodies; the case's joint closes the first."""
    loops = 1 + case.seed % 2 if case.number else 1
    return random_loops(case.seed, case.largest(most), loops, must=(case.joint,))


class PlainLoops(Plain):
    """An initialised program with loops, run as plain Python."""

    def __init__(self, model: Model | Program, solver: str = "cholesky"):
        super().__init__(model, solver)
        status = self.real.initialise(self.R)
        assert status == Status.ok, self._failure(status)

    def _failure(self, status: int) -> str:
        """Name of the status, and the largest residual with its loop and row."""
        name = next(name for name, value in vars(Status).items() if value == status)
        if status == Status.no_inertia:
            return f"initialise returns {name}: {self.program.owners[int(self.R[HeadNumbers.fault])]}"
        labels = [f"{label} of loop {loop['name']!r}" for loop in self.program.loops for label in loop["labels"]]
        if not labels:
            return f"initialise returns {name}"
        residuals = np.abs(self.get(self.R, "residuals"))
        worst = int(np.argmax(residuals))
        return f"initialise returns {name}: the residual of {labels[worst]} is {residuals[worst]:.3g}"

    def jacobian(self, R: np.ndarray) -> np.ndarray:
        """K with a column for every joint velocity, from the model's rows."""
        R = R.copy()
        self.module(R).conditions(R)
        self.module(R).plain_inboard(R)
        J = np.zeros((self.real.N_ROWS, self.real.NV), dtype=R.dtype)
        rows = rows_of(Open, self.real.OPEN)
        for i in range(self.real.N_LINKS):
            for own in rows[self.real.OPEN_FIRST[i] : self.real.OPEN_FIRST[i + 1]]:
                for k in range(self.real.RATES_OF[i]):
                    J[own.row, self.real.RATE_INDEX[i] + k] += R[self.real.ROW_B + own.projection + k]
        return J

    def mass_matrix(self, R: np.ndarray) -> np.ndarray:
        """Mass matrix by columns, from the momenta of unit velocities."""
        n = self.real.NV
        M = np.zeros((n, n))
        for k in range(n):
            one = R.copy()
            one[self.slice("u")] = np.eye(n)[k]
            self.real.momenta(one)
            M[:, k] = one[self.slice("p")]
        return M


def outputs(plain: PlainLoops) -> dict[str, np.ndarray]:
    plain.real.refresh(plain.R, np.zeros(8))
    numbers = {v.name: plain.R[v.slot] for v in plain.program.of_role("output")}
    return {name: np.array([numbers[part] for part in parts]) for name, parts in plain.program.vectors.items()}


def state(plain: PlainLoops, dense: Dense) -> tuple[np.ndarray, np.ndarray]:
    return dense.read({v.name: plain.R[v.slot] for v in plain.program.of_role("coordinate", "rate")})


def closed(case: Case, solver: str = "cholesky", most: int = 8) -> PlainLoops:
    """`loops_of(case)` as plain Python, traced once for all laws; each call has a record of its own."""
    plain = copy.copy(_traced(case, solver, most))
    plain.R = plain.R.copy()
    return plain


@cache
def _traced(case: Case, solver: str, most: int) -> PlainLoops:
    return PlainLoops(loops_of(case, most), solver)
