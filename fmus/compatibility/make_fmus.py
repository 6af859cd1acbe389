"""Example FMUs with reference results, for tests in programs that import FMUs.

    python fmus/compatibility/make_fmus.py [FOLDER]

The FMUs are native ones of FMI 2.0 and 3.0, for all platforms, with flat names and with inputs at their start values.
Beside each is a file NAME_ref.csv: time, then the outputs in the order of the model description. Last, fmpy runs all
of them and prints the table that `check_simulink.m` and `check_openmodelica.mos` print for their programs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import fmpy
import numpy as np

import mbs_fmu as mbs

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "models"))
#: File and function of each model, length of the run and communication step, s.
CASES = {
    "governor": ("governor", 5.0, 0.01),  # a tree
    "four_bar": ("four_bar", 2.0, 0.01),  # a closed loop
    "bouncing_pendulum": ("bouncing_pendulum", 2.0, 0.01),  # impacts
    "clutch": ("clutch", 2.0, 0.01),  # friction that sticks
    "digitally_governed": ("governor", 5.0, 0.01),  # sampled signals
}
VERSIONS = ("2.0", "3.0")
ACCURATE = 1e-4  #: largest deviation of a correct run, relative to the largest value of an output


def main(folder: Path) -> None:
    """Write the FMUs and their reference results, and run them."""
    folder.mkdir(parents=True, exist_ok=True)
    print(f"| {'FMU':24} | FMI | interface | worst deviation | output | verdict |")
    print("|---|---|---|---|---|---|")
    for name, (file, stop_time, step) in CASES.items():
        model = getattr(__import__(file), name)()
        for fmi in VERSIONS:
            path = folder / f"{name}_fmi{fmi[0]}.fmu"
            mbs.export(
                model, path, "native", fmi=fmi, stop_time=stop_time, communication_step=step, naming="flat",
                arrays=fmi == "2.0", reference=False,  # Simulink's treatment of arrays is not documented
            )  # fmt: skip
            names = [v.name for v in fmpy.read_model_description(path).modelVariables if v.causality == "output"]
            reference = expected(model, names, stop_time, step)
            np.savetxt(
                path.with_name(f"{path.stem}_ref.csv"), reference, delimiter=",", header=",".join(["time", *names]),
                comments="",
            )  # fmt: skip
            for interface in ("CoSimulation", "ModelExchange"):
                print(f"| {path.name:24} | {fmi} | {interface} | {verdict(path, interface, reference, names, step)} |")


def expected(model: mbs.Model, names: list[str], stop_time: float, step: float) -> np.ndarray:
    """Return time and outputs of an accurate run, in the order of the names."""
    inputs = {name: x.start for name, x in model.inputs.items()}
    result = mbs.simulate(model, stop_time, inputs=inputs, rtol=1e-10, output_interval=step, progress=False)
    columns = [part for name in model.outputs for part in result.parts(name)]
    assert len(columns) == len(names), f"{model.name} has {len(columns)} outputs, its FMU has {len(names)}"
    return np.column_stack([result.time, *(result[column] for column in columns)])


def verdict(path: Path, interface: str, reference: np.ndarray, names: list[str], step: float) -> str:
    """Run an FMU with fmpy; return the worst deviation, its output, and whether it is small, as cells of a table."""
    try:
        run = fmpy.simulate_fmu(
            str(path), fmi_type=interface, stop_time=reference[-1, 0], step_size=step, output_interval=step,
            relative_tolerance=1e-8, output=names, record_events=False,
        )  # fmt: skip
    except Exception as error:
        return f"- | - | failed: {error}"
    values = np.column_stack([run[name] for name in names])[: len(reference)]
    sizes = np.maximum(np.max(np.abs(reference[:, 1:]), axis=0), 1e-2)
    deviations = np.quantile(np.abs(values - reference[:, 1:]), 0.9, axis=0) / sizes  # beside jumps, rows may differ
    worst = int(np.argmax(deviations))
    return f"{deviations[worst]:.1e} | {names[worst]} | {'correct' if deviations[worst] <= ACCURATE else 'WRONG'}"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "made")
