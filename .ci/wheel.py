"""Install the wheel alone and with each extra, each into an environment of its own, and run what it is for.

    python .ci/wheel.py [EXTRA ...]

Prints a table: extra, seconds of the installation, size of the environment, result. Exit code 1 if one failed.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODEL = """
import sys, numpy as np, mbs_fmu as mbs
m = mbs.Model("pendulum")
c = m.parameter("c", 0.02, unit="N.m.s/rad")
rod = m.body("rod", joint=mbs.Revolute("y"), mass=1.0, com=(0, 0, -0.5), inertia=(0.08, 0.08, 0.001))
m.spring("friction", on=rod, damping=c)
m.motor("drive", on=rod, torque=m.input("torque", unit="N.m", start=0.0))
m.output("angle", mbs.coordinate(rod), unit="rad")
m.start(rod, q=1.0)
"""
RUN = MODEL + "result = mbs.simulate(m, 1.0)\n"
ROUND = RUN + "result.to_{0}('run.{0}')\nassert np.array_equal(mbs.Result.read('run.{0}')['angle'], result['angle'])\n"
TETRAHEDRON = """
import meshio, numpy as np, mbs_fmu as mbs
points = np.array([(x, y, z) for x in (0, 1.0) for y in (0, 0.1) for z in (0, 0.1)])
cells = [(0, 1, 3, 7), (0, 1, 5, 7), (0, 2, 3, 7), (0, 2, 6, 7), (0, 4, 5, 7), (0, 4, 6, 7)]
meshio.Mesh(points, [("tetra", cells)]).write("block.vtk")
ends = {"root": lambda x, y, z: x < 1e-9, "tip": lambda x, y, z: x > 1 - 1e-9}
print(mbs.Modes.solid("block.vtk", E=2e11, nu=0.3, density=7800.0, frames=ends, root="root"))
"""
USES = {  #: what each extra is for; the empty name: the wheel alone
    "": RUN + "print(mbs.export(m, 'pendulum.fmu'))\n",
    "plot": RUN + "result.plot('angle', path='angle.png')\n",
    "native": MODEL + "print(mbs.export(m, 'pendulum.fmu', kind='native', platforms='host'))\n",
    "casadi": MODEL + "print(mbs.to_casadi(m))\n",
    "control": MODEL + "print(mbs.linearize(m).to_control())\n",
    "identify": RUN + "print(mbs.identify(m, {'time': result.time, 'angle': result['angle']}, ['c']))\n",
    "elastic": "import mbs_fmu as mbs\nsize = {'a': 1.0, 'b': 0.5, 'thickness': 0.01, 'elements': (4, 2)}\n"
    "print(mbs.plate(**size, E=7e10, nu=0.3, density=2700.0))\n",
    "solid": TETRAHEDRON,
    "pandas": RUN + "print(result.to_pandas().tail(1))\n",
    "parquet": ROUND.format("parquet"),
    "hdf5": ROUND.format("hdf5"),
    "xarray": RUN + "print(result.to_xarray())\n",
    "view": MODEL + "import trimesh\ntrimesh.creation.box().export('box.ply')\n"
    "m.shape(rod, mbs.Mesh('box.ply'))\nprint(mbs.show(m, path='view.html'))\n",
    "mjcf": "import mbs_fmu as mbs\nopen('arm.xml', 'w').write('<mujoco><worldbody><body><joint type=\"hinge\"/>"
    "<geom size=\"0.1\"/></body></worldbody></mujoco>')\nprint(mbs.simulate(mbs.from_mjcf('arm.xml').model, 0.1))\n",
    "jax": "import jax\njax.config.update('jax_enable_x64', True)\n" + MODEL + "f = mbs.to_jax(m)\n"
    "print(jax.jit(jax.jacrev(f, 1))(0.0, f.x0))\n",
    "sympy": MODEL + "print(mbs.equations(m).latex())\n",
    "gym": MODEL + "env = mbs.gym.MechanismEnv(m, 2, interval=0.1, actions={'torque': (-1, 1)}, observation=['angle'],"
    "reward='angle')\nenv.reset(seed=0)\nprint(env.step(env.action_space.sample()))\n",
}  # fmt: skip


def tried(wheel: Path, extra: str, work: Path) -> tuple[float, float, str]:
    """Return seconds of the installation, size of the environment (MB), and "ok" or the last line of the failure."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        venv.create(folder, with_pip=True)
        python = next(
            path for path in (Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe")) if path.exists()
        )
        began = time.perf_counter()
        commands = [
            [python, "-m", "pip", "install", "-q", f"{wheel}[{extra}]" if extra else str(wheel)],
            [python, "-c", USES[extra]],
            [python, "-m", "mbs_fmu", "--version"],
        ]
        seconds = 0.0
        for command in commands:
            environment = {**os.environ, "MBS_FMU_CACHE": str(work / "cache")}
            run = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True)
            seconds = seconds or time.perf_counter() - began
            if run.returncode:
                return seconds, 0.0, (run.stderr.strip().splitlines() or ["no message"])[-1]
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
        return seconds, size, "ok"


def main() -> None:
    """Print a row for each extra."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)], check=True)
        (wheel,) = work.glob("*.whl")
        print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
        results = []
        for extra in sys.argv[1:] or USES:
            seconds, size, result = tried(wheel, extra, work)
            print(f"{extra or '(none)':10} {seconds:6.0f} s {size:6.0f} MB  {result}", flush=True)
            results.append(result)
    raise SystemExit(any(result != "ok" for result in results))


if __name__ == "__main__":
    main()
