"""A controller in one FMU regulates the speed of the governor in another; fmpy runs both.

The program couples them in Jacobi and Gauss-Seidel order, with the regulator of this package and with one written by
hand. It shows how the error relative to the single model decreases with the communication step, and it rejects and
repeats a step by restoring the states of the FMUs. It writes a plot and a csv file.

Run: python co_sim_examples/governor_speed_regulation.py [folder]
"""

from __future__ import annotations

import contextlib
import io
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from pythonfmu.builder import FmuBuilder

import mbs_fmu as mbs
from mbs_fmu.command_line.demo import couple, coupled, error, monolithic, plot
from mbs_fmu.cosimulation import Order, Participant
from mbs_fmu.run.bundled import bundled_model

STEPS = (0.02, 0.01, 0.005, 0.0025)
SPAN = 2.0  #: s, duration of the runs that measure the order of convergence


def build(folder: Path) -> tuple[Path, Path, Path]:
    """Export the mechanism, the regulator of this package, and the regulator written by hand."""
    plant = mbs.export(bundled_model("governor", "governor"), folder / "governor.fmu", method="rk4", step=1e-3)
    regulator = mbs.export(
        bundled_model("speed_regulator", "speed_regulator"), folder / "speed_regulator.fmu", method="rk4", step=1e-3
    )
    with contextlib.redirect_stdout(io.StringIO()):
        by_hand = FmuBuilder.build_FMU(
            Path(__file__).with_name("hand_written_regulator.py"), dest=folder, needsExecutionTool=False
        )
    return plant, regulator, Path(by_hand)


def errors(plant: Path, regulator: Path, order: Order) -> list[float]:
    """Return the largest error in speed relative to the single model, for each communication step."""
    return [error(couple(plant, regulator, h, order, stop=SPAN), monolithic(h, SPAN)) for h in STEPS]


def measured_order(values: list[float]) -> float:
    """Return the slope of log(error) over log(step)."""
    return float(np.polyfit(np.log(STEPS), np.log(values), 1)[0])


def take_back_a_step(plant: Path, regulator: Path) -> float:
    """Make a step, restore the states of both FMUs, repeat the step; return the difference in speed, exactly 0."""
    with ExitStack() as stack:
        controller = stack.enter_context(Participant(regulator, "regulator"))
        mechanism = stack.enter_context(Participant(plant, "governor"))
        system = coupled(controller, mechanism)
        for participant in system.participants:
            participant.initialize(0.0, {})
        for k in range(50):
            system.step(k * 0.01, 0.01, "jacobi")
        saved = [p.save() for p in system.participants]
        system.step(0.5, 0.01, "jacobi")
        first = mechanism.get(["speed"])[0]
        for participant, state in zip(system.participants, saved, strict=True):
            participant.restore(state)
            participant.forget(state)
        system.step(0.5, 0.01, "jacobi")
        return mechanism.get(["speed"])[0] - first


def main(folder: Path) -> dict[str, float]:
    """Run everything and print a report; return the figures of the report."""
    plant, regulator, by_hand = build(folder)
    figures: dict[str, float] = {}
    print("communication step (s):    " + "".join(f"{h:12g}" for h in STEPS))
    for order in ("jacobi", "gauss-seidel"):
        values = errors(plant, regulator, order)
        figures[order] = measured_order(values)
        print(f"{order:>12} error (rad/s):" + "".join(f"{e:12.2e}" for e in values) + f"   order {figures[order]:.2f}")
    figures["taken back"] = take_back_a_step(plant, regulator)
    print(f"a step taken back and made again: difference in speed {figures['taken back']} rad/s")
    run, reference = couple(plant, regulator, 0.005, "gauss-seidel"), monolithic(0.005)
    foreign = couple(plant, by_hand, 0.005, "gauss-seidel", torque="moment")
    figures["by hand"] = float(np.max(np.abs(foreign["governor.speed"] - run["governor.speed"])))
    print(f"controller written by hand against ours: largest difference in speed {figures['by hand']:.1e} rad/s")
    print(f"wrote {run.to_csv(folder / 'governor_speed_regulation.csv')}")
    print(f"wrote {plot(run, reference, folder / 'governor_speed_regulation.png')}")
    return figures


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
