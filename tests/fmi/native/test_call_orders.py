"""Random walks through FMI's states: native FMUs answer what the standard allows, and refuse what it does not.

The tables are those of tests/support/hosts/call_orders.py.

Longer walks from another seed:

    MBS_FMU_WALKS=1000 MBS_FMU_SEED=7 pytest tests/fmi/native/test_call_orders.py -m ''
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from support.hosts.call_orders import TABLES
from support.hosts.call_walks import Walk
from support.hosts.fmus import Builder
from support.hosts.plain_importer import Binary

pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = pytest.mark.slow

WALKS = int(os.environ.get("MBS_FMU_WALKS", "10"))
SEED = int(os.environ.get("MBS_FMU_SEED", "1"))
LENGTH = 300
MODELS = {
    "governor": "rk4", "linkage": "dopri5", "four_bar": "rk4", "pounder": "dopri5", "vectors": "rk4",
    "digitally_governed": "rk4", "speed_regulator": "rk4",
}  # fmt: skip
FORMS = {
    "exchange, FMI 2.0": ("2.0", True, False),
    "co-simulation, FMI 2.0": ("2.0", False, False),
    "exchange, FMI 3.0": ("3.0", True, False),
    "co-simulation, FMI 3.0": ("3.0", False, False),
    "event mode, FMI 3.0": ("3.0", False, True),
}  #: version, model exchange, event mode of co-simulation


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", MODELS)
def test_random_walks(host_fmu: Builder, tmp_path: Path, model: str, form: str) -> None:
    """Allowed calls are never refused. Refused ones log one error each; neither they nor what is tolerated changes any
    later bit, also in intermediate updates and behind restored states.
    """
    fmi, exchange, event_mode = FORMS[form]
    binary = Binary(host_fmu(model, MODELS[model], "native", fmi), tmp_path)
    marks = Counter[str]()
    for seed in range(SEED * WALKS, (SEED + 1) * WALKS):
        marks += Walk(binary, exchange, seed, event_mode).walk(LENGTH)
    print(dict(marks))
    assert marks["x"] > 0.5 * WALKS * LENGTH and marks["."] > 0.2 * WALKS * LENGTH


def test_tables_agree_where_the_versions_do() -> None:
    """Marks of calls that FMI 2.0 and 3.0 have in common differ only where FMI 3.0 allows more, or FMI 2.0 alone has an
    exception: reading and inputs before initialization, nominal values there, event mode entered again or from steps.
    """
    known = {
        ("instantiated", "get_output"), ("instantiated", "get_any"), ("instantiated", "set_input"),
        ("initialization", "get_any"), ("instantiated", "GetNominalsOfContinuousStates"), ("event", "EnterEventMode"),
        ("step", "EnterEventMode"),
    }  # fmt: skip
    for exchange in (True, False):
        two, three = TABLES["2.0", exchange], TABLES["3.0", exchange]
        differing = {
            (state, name)
            for state in two.keys() & three.keys()
            for name in two[state].keys() & three[state].keys()
            if two[state][name] != three[state][name]
        }
        assert differing <= known
