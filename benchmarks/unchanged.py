"""Results of models/ and of random mechanisms, to the bit, to verify that a change preserves them.

    python benchmarks/unchanged.py store before.npz
    ... the change, or another checkout on the path ...
    python benchmarks/unchanged.py store after.npz
    python benchmarks/unchanged.py compare before.npz after.npz

With `--fmus` the results are those of FMUs of both kinds, whose export takes long. Without cached kernels such short
runs use quickly compiled code; `MBS_FMU_TIER=full` selects fully optimised code.

It uses public names only, so that any two commits can be compared (`PYTHONPATH=checkout python benchmarks/...`).
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

import mbs_fmu as mbs

MODELS = Path(__file__).parents[1] / "models"
METHODS = {"rk4": {"step": 1e-3}, "dopri5": {}, "gauss4": {"step": 2e-3}, "rodas5p": {}}
DURATION, ROWS = 0.1, 10  #: s, and number of stored rows
COUNT = 50  #: number of random mechanisms
MEMBERS = 11  #: members of a batch: more than the lanes of a processor, and no multiple of them
KINDS = {"python": {}, "native": {"platforms": "host"}}  #: of FMUs


def models() -> Iterator[tuple[str, Callable[[], mbs.Model]]]:
    """Every model of the folder that needs no arguments, and the benchmarks' excavator."""
    sys.path.insert(0, str(MODELS))
    for path in [*sorted(MODELS.glob("*.py")), Path(__file__).with_name("excavator.py")]:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            parameters = inspect.signature(function).parameters.values()
            ours = function.__module__ == path.stem and not name.startswith("_")
            if ours and all(p.default is not p.empty for p in parameters) and isinstance(function(), mbs.Model):
                yield f"{path.stem}.{name}", function


def rotation(rng: np.random.Generator) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.linalg.det(Q)


def joint(rng: np.random.Generator, number: int) -> mbs.Joint:
    """A joint of each kind in turn."""
    axis, other = rng.normal(size=3), "xyz"[int(rng.integers(3))]
    c, w = rng.normal(size=3), 0.4 * rng.normal(size=4)
    made = (
        lambda: mbs.Revolute(other), lambda: mbs.Revolute(axis), lambda: mbs.Prismatic(axis),
        lambda: mbs.Universal("xy"), lambda: mbs.Compound(mbs.slide(axis), mbs.turn(other)), mbs.Spherical,
        mbs.Free, mbs.Weld, lambda: mbs.Screw(axis, pitch=0.2), lambda: mbs.Cylindrical(axis),
        lambda: mbs.Planar(other), lambda: mbs.Spherical("aircraft"), lambda: mbs.Free("euler"),
        lambda: mbs.CustomJoint(
            ("rad",), lambda q, t: [c[0] * mbs.sin(q[0]), c[1] * q[0], c[2] * q[0] * q[0]],
            lambda q, t: [1.0, w[1] * q[0], w[2] * mbs.sin(q[0]), w[3] * q[0] * q[0]],
        ),
    )  # fmt: skip
    return made[number % len(made)]()


def tree(seed: int, drives: bool = True) -> mbs.Model:
    """A tree of random bodies with all forces, a drive where possible, a parameter, states and measures."""
    rng = np.random.default_rng(seed)
    m = mbs.Model(f"random{seed}", gravity=rng.normal(size=3) * 5)
    c = m.parameter("c", 20.0)
    names = ["world"]
    for k in range(4 + seed % 4):
        S = rng.normal(size=(3, 4))
        S = 0.05 * S @ S.T
        pose = mbs.Pose(rng.normal(size=3) * 0.5, rotation(rng) if rng.random() < 0.7 else np.eye(3))
        body = m.body(
            f"b{k}", names[int(rng.integers(len(names)))], joint(rng, seed + 3 * k), mass=0.5 + rng.random(),
            com=rng.normal(size=3) * 0.3, inertia=np.trace(S) * np.eye(3) - S, at=pose,
        )  # fmt: skip
        names.append(body.name)
        n, nu = len(body.joint.coordinates), len(body.joint.rates)
        q = rng.normal(size=n) * 0.4
        if n and n != nu:
            q[-4:] = (1.0, 0.1, 0.2, -0.1)
        elif n >= 3:
            q[-2] += 0.8
        driven = drives and n == 1 and k == 1
        if not driven:
            m.start(body, q=q, u=rng.normal(size=nu) * 0.3)
        if n == 1:
            along_joint(m, body, c, driven)
    on_bodies(m, names, rng)
    m.output("energy", mbs.energy())
    m.output("place", mbs.position(names[-1], (0.1, 0.2, 0.3)))
    m.output("twist", mbs.angular_velocity(names[-1]))
    if seed % 4 == 1:
        m.output("acceleration", mbs.acceleration(names[-1]))
    if seed % 4 == 3:
        m.event("passed", mbs.position(names[-1])[0] - 0.1)
    return m


def along_joint(m: mbs.Model, body: mbs.Body, c: mbs.Expression, driven: bool) -> None:
    """Add a drive, or one force of each kind along a joint of one coordinate."""
    name = body.name
    if driven:
        m.drive(f"drive_{name}", on=body, position=0.3 * mbs.sin(2.0 * mbs.time))
        return
    effort = "torque" if body.joint.rates[0][1] == "rad/s" else "force"
    z = m.state(f"z_{name}", rate=mbs.coordinate(body) - mbs.rate(body))
    m.spring(f"spring_{name}", on=body, stiffness=c, damping=0.3)
    m.motor(f"motor_{name}", on=body, **{effort: 0.2 * z})
    m.friction(f"friction_{name}", on=body, **{effort: 0.1}, static=0.15, speed=0.05)
    m.limit(f"limit_{name}", on=body, lower=-0.3, upper=0.3, stiffness=100.0, damping=1.0)


def on_bodies(m: mbs.Model, names: list[str], rng: np.random.Generator) -> None:
    """Add one force of each kind on bodies."""
    moving = [name for name in names[1:] if m.bodies[name].joint.coordinates]
    last, first = moving[-1], moving[0]
    m.spring("line", "world", last, stiffness=30.0, damping=0.5, length=0.3, at_a=(5.0, 0.1, 0.2))
    m.rotational_spring("turning", "world", last, axis="x", stiffness=1.0, damping=0.1)
    m.bushing("bushing", "world", first, stiffness=(5.0, 6.0, 7.0), damping=0.2, rotational_stiffness=0.5)
    m.drag("drag", on=last, at=(0.1, 0.0, 0.2), linear=0.1, quadratic=0.2, velocity=rng.normal(size=3))
    m.force("push", on=first, at=(0.0, 0.1, 0.0), force=(1.0, mbs.sin(mbs.time), 0.0), resolve_in="body")


def looped(seed: int) -> mbs.Model:
    """The same with a rod and a ball between bodies, closed at the start."""
    m, probe = tree(seed, drives=False), tree(seed, drives=False)
    rng = np.random.default_rng(seed)
    ends = [name for name, body in m.bodies.items() if body.joint.coordinates]
    for name in (ends[0], ends[-1]):
        for k, arm in enumerate([(0.0, 0.0, 0.0), *np.eye(3)]):
            probe.output(f"{name}{k}", mbs.position(name, arm))
    at = mbs.simulate(probe, 1e-3, method="rk4", step=1e-3)
    origin = {name: at[f"{name}0"][0] for name in (ends[0], ends[-1])}
    turned = np.array([at[f"{ends[-1]}{k}"][0] - origin[ends[-1]] for k in (1, 2, 3)])  # its axes, as rows
    anchor = rng.normal(size=3)
    m.close("rod", "world", ends[0], mbs.Distance(float(np.linalg.norm(origin[ends[0]] - anchor))), at_a=anchor)
    m.close("line", "world", ends[-1], mbs.OnPlane(turned[0]), at_a=origin[ends[-1]])
    for name, start in m.starts.items():
        m.start(name, q=start.q, u=start.u, guess=True)
    return m


def run(model: mbs.Model, **settings: object) -> np.ndarray:
    """Numbers of one run, or of a failed one its message, so that failures are compared too. Inputs stay at zero."""
    try:
        result = mbs.simulate(
            model, DURATION, output_interval=DURATION / ROWS, progress=False,
            inputs=dict.fromkeys(model.inputs, 0.0), **settings,
        )  # fmt: skip
    except (mbs.ModelError, mbs.SimulationError) as failure:
        return np.array(str(failure))
    return result.data


def batch(model: mbs.Model) -> np.ndarray:
    """A batch; of random mechanisms for several values of their parameter. Rows after a failure are NaN."""
    values = {"parameters": {"c": 20.0 + 0.1 * np.arange(MEMBERS)}} if model.name.startswith("random") else {}
    return run(model, method="rk4", step=1e-3, batch=mbs.Batch(size=MEMBERS, **values))


def fmu(model: mbs.Model, kind: str) -> np.ndarray:
    """Outputs of an FMU by fmpy, or the message if its export or its run fails."""
    from fmpy import simulate_fmu

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{model.name}.fmu"
        try:
            mbs.export(model, path, kind, stop_time=DURATION, reference=False, progress=False, **KINDS[kind])
            rows = simulate_fmu(str(path), stop_time=DURATION, step_size=DURATION / ROWS)
        except Exception as failure:  # failures are compared too, and the other models follow
            return np.array(f"{type(failure).__name__}: {failure}")
    return np.array([list(row) for row in rows], dtype=float)


def cases() -> Iterator[tuple[str, Callable[[], mbs.Model], list[str]]]:
    """Models by name, with their methods: all for models/, two in turn for random ones."""
    for name, model in models():
        yield name, model, list(METHODS)
    pairs = (["rk4", "dopri5"], ["dopri5", "gauss4"], ["rk4", "rodas5p"])
    for seed in range(COUNT):
        closed = seed % 3 == 2
        yield f"random{seed}{'_loops' * closed}", partial(looped if closed else tree, seed), pairs[seed // 3 % 3]


def store(path: str, wanted: str, share: tuple[int, int], fmus: bool) -> None:
    """Run every case whose name contains `wanted`; `share` (k, n): the k-th of n parts; `fmus`: as FMUs."""
    numbers: dict[str, np.ndarray] = {}
    all_cases = [case for case in cases() if wanted in case[0]][share[0] :: share[1]]
    for name, make, methods in tqdm(all_cases):
        model = make()
        if fmus:
            numbers |= {f"{name}|{kind} FMU": fmu(model, kind) for kind in KINDS}
            continue
        for method in methods:
            for solver in ("cholesky", "sweep"):
                numbers[f"{name}|{method}|{solver}"] = run(model, method=method, solver=solver, **METHODS[method])
        if "rk4" in methods:
            numbers[f"{name}|batch|cholesky"] = batch(model)
    np.savez_compressed(path, **numbers)
    print(f"{len(numbers)} runs of {len(all_cases)} models in {path}")


def compare(before: str, after: str) -> int:
    """Print the columns that differ, and the difference relative to the largest number of the column."""
    old, new = np.load(before), np.load(after)
    moved: dict[str, float] = {}
    for name in sorted({*old.files, *new.files}):
        if name not in old.files or name not in new.files:
            moved[name] = np.inf
        elif old[name].tobytes() != new[name].tobytes():
            moved[name] = difference(old[name], new[name])
    for name, error in sorted(moved.items(), key=lambda item: -item[1]):
        print(f"{error:9.2e}  {name}")
    same = sum(name not in moved for name in old.files)
    print(f"{same} of {len(old.files)} runs have the same bits")
    return int(bool(moved))


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Difference of two results relative to the largest number of each column; infinite if they cannot be compared."""
    if a.dtype.kind != "f" or b.dtype.kind != "f" or a.shape != b.shape:
        return np.inf
    size = np.abs(a).reshape(-1, a.shape[-1]).max(axis=0)
    return float(np.max(np.abs(a - b) / np.where(size > 0.0, size, 1.0)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    storing = commands.add_parser("store")
    storing.add_argument("file")
    storing.add_argument("--only", default="", help="cases whose name contains this")
    storing.add_argument("--fmus", action="store_true", help="as FMUs of both kinds, by fmpy")
    storing.add_argument("--share", default="0/1", help="k/n: the k-th of n parts, for several processes")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before")
    comparing.add_argument("after")
    options = parser.parse_args()
    if options.command == "store":
        part, parts = map(int, options.share.split("/"))
        store(options.file, options.only, (part, parts), options.fmus)
        return 0
    return compare(options.before, options.after)


if __name__ == "__main__":
    sys.exit(main())
