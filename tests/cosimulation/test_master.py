"""The co-simulation master refuses invalid arguments by name."""

from __future__ import annotations

from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.cosimulation import Connection, CoSimulation, Participant
from support.hosts.fmus import Builder

CONNECTIONS = [Connection(("governor", "speed"), ("regulator", "speed"))]


@pytest.fixture
def pair(fmu: Builder) -> list[Participant]:
    return [Participant(fmu("governor"), "governor"), Participant(fmu("speed_regulator"), "regulator")]


REFUSED: dict[str, dict[str, Any]] = {
    "connection from govern.speed: participants are governor, regulator": {
        "connections": [Connection(("govern", "speed"), ("regulator", "speed"))]
    },
    "connection to regulator.sped: regulator has no such variable": {
        "connections": [Connection(("governor", "speed"), ("regulator", "sped"))]
    },
    "connection to governor.speed: it is not an input; connections go from": {
        "connections": [Connection(("regulator", "speed"), ("governor", "speed"))]
    },
    "start value of regulator.nope: regulator has no such variable": {"start_values": {"regulator": {"nope": 1.0}}},
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_systems_are_refused(pair: list[Participant], message: str) -> None:
    """Invalid connections and start values are refused with a message."""
    with pytest.raises(mbs.SimulationError, match=message):
        CoSimulation(pair, **{"connections": CONNECTIONS, **REFUSED[message]})


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("order is 'Jacobi': use 'jacobi' or 'gauss-seidel'", {"order": "Jacobi"}),
        ("watched variable governor.nope: governor has no such variable", {"watch": [("governor", "nope")]}),
        (r"participant 'governor' is not open: with Participant\(\.\.\.\) as governor", {}),
        (r"stop_time 0\.1013 is not a whole number of steps of 0\.005 s", {"stop_time": 0.1013}),
    ],
)
def test_wrong_runs_are_refused(pair: list[Participant], message: str, settings: dict[str, Any]) -> None:
    """Invalid settings of a run are refused with a message."""
    system = CoSimulation(pair, CONNECTIONS)
    with pytest.raises(mbs.SimulationError, match=message):
        system.run(**{"stop_time": 0.1, "step": 0.005, "order": "jacobi", "watch": [], **settings})
