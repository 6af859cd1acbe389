"""`python -m oracles`: writes the tables of models/reference, or compares them with what stands there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from . import (
    belts,
    blades,
    booms,
    cams,
    cars,
    chains,
    cranks,
    diggers,
    events,
    gearboxes,
    gears,
    pendulums,
    plates,
    rotors,
    shells,
    spacecraft,
    tops,
    trusses,
    valves,
    wheels,
)

FOLDER = Path(__file__).parents[1] / "models" / "reference"
AGREEMENT = 1e-9  #: of the largest entry of a column: what different processors and versions of scipy may change


@dataclass(frozen=True)
class Case:
    """A solution at the times, by names of outputs; the run's length and number of rows.

    inputs: times, and the values of each input at them, where they are not zero. agreement: as `AGREEMENT`; larger for
    a method whose choice of steps follows rounding errors.
    """

    solve: Callable[[np.ndarray], dict]
    stop: float
    rows: int
    inputs: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    agreement: float = AGREEMENT

    def table(self) -> tuple[list[str], np.ndarray]:
        """Column names as in the model, a vector's as name[1], ...; and the rows."""
        return self._table(self.solve)

    def input_table(self) -> tuple[list[str], np.ndarray]:
        """The same of the inputs."""
        assert self.inputs is not None
        return self._table(self.inputs)

    def _table(self, solve: Callable[[np.ndarray], dict]) -> tuple[list[str], np.ndarray]:
        times = np.linspace(0.0, self.stop, self.rows)
        names, columns = ["time"], [times]
        for name, values in solve(times).items():
            block = np.atleast_2d(np.asarray(values))
            names += [name] if np.ndim(values) == 1 else [f"{name}[{k + 1}]" for k in range(len(block))]
            columns += list(block)
        return names, np.column_stack(columns)


CASES = {
    "double_pendulum": Case(pendulums.double_pendulum, 5.0, 251),
    "spherical_pendulum": Case(pendulums.spherical_pendulum, 10.0, 251),
    "pendulum_on_cart": Case(pendulums.pendulum_on_cart, 4.0, 201, pendulums.push),
    "gyroscope": Case(tops.gyroscope, 4.0, 201),
    "free_top": Case(tops.free_top, 10.0, 251),
    "universal_chain": Case(chains.universal_chain, 5.0, 251),
    "spacecraft_with_panels": Case(spacecraft.spacecraft_with_panels, 20.0, 101, spacecraft.inputs),
    "planetary_gear": Case(gears.planetary_gear, 4.0, 201, gears.torques),
    "planetary_gearbox": Case(gearboxes.planetary_gearbox, 0.01, 101, gearboxes.load, agreement=1e-8),
    "differential": Case(gears.differential, 4.0, 201, gears.engine),
    "rack_steering": Case(wheels.rack_steering, 4.0, 201, wheels.held),
    "rolling_disc": Case(wheels.rolling_disc, 8.0, 201),
    "cam_follower": Case(cams.cam_follower, 0.2, 101),
    "journal_rotor": Case(rotors.journal_rotor, 0.5, 126),
    "valve_train": Case(valves.valve_train, 0.04, 201, agreement=1e-8),
    "flexible_slider_crank": Case(cranks.flexible_slider_crank, 0.1, 101),
    "rotating_blade": Case(blades.rotating_blade, 20.0, 201),
    "boom_with_load": Case(booms.boom_with_load, 1.0, 51, booms.torques),
    "truss_boom": Case(trusses.truss_boom, 0.3, 61),
    "turbine_blade": Case(shells.turbine_blade, 0.6, 121, agreement=1e-5),
    "car": Case(cars.car, cars.STOP, cars.ROWS, cars.steering, agreement=1e-8),
    "excavator": Case(diggers.excavator, 6.0, 121),
    "clutch": Case(events.clutch, 6.0, 241, events.pressed),
    "serpentine_drive": Case(belts.serpentine_drive, 1.0, 201, belts.load),
    "bouncing_pendulum": Case(events.bouncing_pendulum, 5.0, 251),
    "solar_array": Case(events.solar_array, 12.0, 241),
    "flexible_solar_array": Case(plates.flexible_solar_array, 6.5, 131, agreement=1e-5),
}


def write(path: Path, names: list[str], data: np.ndarray) -> None:
    """A table as fmpy and `Result.to_csv` write it; 13 digits."""
    header = ",".join(f'"{name}"' for name in names)
    np.savetxt(path, data, fmt="%.13g", delimiter=",", header=header, comments="")


def difference(path: Path, names: list[str], data: np.ndarray) -> float:
    """Largest deviation of the table in the file, over the largest entry of each column; infinite for another form."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else [""]
    there = np.loadtxt(lines[1:], delimiter=",", ndmin=2) if len(lines) > 1 else np.empty((0, 0))
    if lines[0] != ",".join(f'"{name}"' for name in names) or there.shape != data.shape:
        return np.inf
    size = np.maximum(np.abs(data).max(axis=0), 1e-3)
    return float(np.max(np.abs(there - data) / size))


def main() -> int:
    """Write or check all tables, or those named."""
    parser = argparse.ArgumentParser(prog="python -m oracles", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--check", action="store_true", help="compare with the tables there, and write nothing")
    options = parser.parse_args()
    unknown = set(options.names) - set(CASES)
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    differ = False
    for name in options.names or CASES:
        case = CASES[name]
        tables = {f"{name}_ref.csv": case.table()}
        if case.inputs:
            tables[f"{name}_in.csv"] = case.input_table()
        for file, (names, data) in tables.items():
            if options.check:
                found = difference(FOLDER / file, names, data)
                differ = differ or found > case.agreement
                print(f"{file}: {found:.1e}")
            else:
                write(FOLDER / file, names, data)
                print(f"{file}: {len(data)} rows, {len(names)} columns")
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
