"""Failures in an FMU are contained: messages, discarded steps, running hosts, independent instances."""

from __future__ import annotations

import math
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest

from support.cases import tiers
from support.hosts.fmus import DISCARD, ERROR, LAST_SUCCESSFUL_TIME, NAN, Builder, Host, assert_discards, python
from support.models.fmu_models import INPUTS, METHODS

# -- failures ----------------------------------------------------------------------------------------

INVALID = [
    pytest.param("governor", {"c": NAN}, "parameter 'c'", id="parameter-nan"),
    pytest.param("governor", {"d": -1.0}, "parameter 'd'", id="parameter-below-min"),
    pytest.param("governor", {"c": math.inf}, "parameter 'c'", id="parameter-infinite"),
    pytest.param("governor", {"torque": NAN}, "input 'torque'", id="input-nan"),
    pytest.param("governor", {"arm.q[2]": NAN}, "'arm.q[2]'", id="start-nan"),
    pytest.param("pi_speed_regulator", {"k": 0.0}, "parameter 'k'", id="regulator-below-min"),
    pytest.param("top", {"mass": -1.0}, "body 'top'", id="mass-negative"),
    pytest.param("top", {"Jx": 0.05}, "body 'top'", id="inertia-triangle"),
    pytest.param("top", {"Jy": -0.01}, "body 'top'", id="inertia-negative"),
    pytest.param("top", {"mass": 0.0, "Jx": 0.0, "Jy": 0.0, "Jz": 0.0}, "body 'top'", id="no-mass"),
    pytest.param("gyro", {"b.q[1]": 0.0}, "quaternion", id="quaternion-zero"),
]


@pytest.mark.parametrize(("model", "values", "named"), INVALID)
def test_invalid_value_before_initialization(fmu: Builder, model: str, values: dict[str, float], named: str) -> None:
    """The message names it, outputs are NaN, steps fail; other instances, and this one after a reset, go on."""
    with Host(fmu(model)) as host, Host(fmu(model), name="other") as other:
        other.start()
        host.start(values)
        assert host.log[0][0] == ERROR and named in host.messages
        assert len(host.log) == 1
        assert all(math.isnan(x) for x in host.get(*host.outputs()))
        assert_discards(host)
        good = other.run(3)
        host.slave.reset()
        host.start()
        assert np.array_equal(host.run(3), good)
        assert other.messages == ""


def test_invalid_value_replaced_before_the_end_of_initialization(fmu: Builder) -> None:
    """An invalid value replaced in time leaves no trace in the run."""
    with Host(fmu("governor")) as host, Host(fmu("governor")) as good:
        host.begin({"c": NAN})
        assert all(math.isnan(x) for x in host.get(*host.outputs()))
        host.set({"c": 400.0})
        host.slave.exitInitializationMode()
        good.start()
        assert np.array_equal(host.run(3), good.run(3))


@pytest.mark.parametrize("value", [NAN, -1.0, math.inf])
def test_invalid_parameter_in_flight(fmu: Builder, value: float) -> None:
    """A message names an invalid tunable parameter; steps fail until a state is restored."""
    with Host(fmu("governor")) as host:
        host.start({"torque": 0.8}).run(3)
        saved, future = host.slave.getFMUstate(), host.run(2)
        host.restore(saved)
        host.set({"c": value})
        assert host.log[-1][0] == ERROR and "parameter 'c'" in host.messages
        assert_discards(host)
        host.restore(saved)
        assert np.array_equal(host.run(2), future)


@pytest.mark.parametrize("method", tiers(list(METHODS), usual=1))
@pytest.mark.parametrize(
    ("model", "name"),
    [("governor", "torque"), ("gyro", "push"), ("pi_speed_regulator", "speed"), ("speed_regulator", "speed")],
)
def test_input_that_is_no_number(fmu: Builder, model: str, name: str, method: str) -> None:
    """A step with a NaN input is discarded with a message that names it; an earlier state works on, bit for bit."""
    with Host(fmu(model, method)) as host:
        host.start(INPUTS.get(model)).run(3)
        saved, future = host.slave.getFMUstate(), host.run(2)
        host.restore(saved)
        host.set({name: NAN})
        assert_discards(host)
        assert host.log[-1][0] == DISCARD
        assert f"input {name!r}" in host.messages
        host.restore(saved)
        assert np.array_equal(host.run(2), future)


@pytest.mark.parametrize("method", METHODS)
def test_discarded_step_leaves_the_instance_at_its_start(fmu: Builder, method: str) -> None:
    """A step in which a law breaks down is discarded, and the instance is as at the step's beginning.

    The importer, whose clock has not moved, may try a shorter step.
    """
    with Host(fmu("burst", method)) as host:
        host.start().run(50)
        before = host.all()
        assert_discards(host)
        assert "cart" in host.messages
        assert host.slave.getRealStatus(LAST_SUCCESSFUL_TIME) == host.get("time")[0]
        assert np.array_equal(host.all(), before)
        host.step(0.004)
        exact = (0.505**1.5 - (0.505 - 0.504) ** 1.5) / 1.5
        assert host.get("time", "speed") == pytest.approx([0.504, exact], abs=1e-5)


@pytest.mark.parametrize("size", [-0.01, NAN, math.inf])
def test_odd_communication_step_is_discarded(fmu: Builder, size: float) -> None:
    """A negative step or one that is not a number changes nothing."""
    with Host(fmu("governor")) as host, Host(fmu("governor")) as good:
        for instance in (host, good):
            instance.start({"torque": 0.8}).run(2)
        assert_discards(host, size)
        assert "communication step" in host.messages
        assert np.array_equal(host.slave.getReal([1]), good.slave.getReal([1]))
        host.time = good.time
        assert np.array_equal(host.run(2), good.run(2))


@pytest.mark.parametrize("initializing", [False, True])
def test_no_step_before_initialization(fmu: Builder, initializing: bool) -> None:
    """A step before the end of initialization is discarded with a message; initialized, the instance works."""
    with Host(fmu("gyro")) as host, Host(fmu("gyro")) as good:
        if initializing:
            host.begin()
        assert_discards(host)
        assert "initial" in host.messages
        if initializing:
            host.slave.exitInitializationMode()
        else:
            host.start()
        assert np.array_equal(host.run(3), good.start().run(3))


def test_fmu_of_another_format_is_refused(fmu: Builder, tmp_path: Path) -> None:
    """An FMU whose data format this mbs_fmu cannot read is not instantiated, with a message that says so; the host goes
    on.
    """
    old = tmp_path / "governor.fmu"
    with zipfile.ZipFile(fmu("governor")) as source, zipfile.ZipFile(old, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "resources/program.json":
                data = re.sub(rb'"format": \d+', b'"format": 0', data)
            target.writestr(name, data)
    code = """
import sys
from pathlib import Path
from support.hosts.fmus import Host
good, old = map(Path, sys.argv[1:])
host = Host(good).start({"torque": 0.8})
try:
    Host(old)
except Exception as error:
    print("refused:", error)
host.run(3)
print("alive")
"""
    done = python(code, str(fmu("governor")), str(old))
    assert done.stdout.split()[-1:] == ["alive"], (done.returncode, done.stdout, done.stderr)
    assert "refused" in done.stdout and "format 0" in done.stdout + done.stderr


def test_unknown_value_reference(fmu: Builder) -> None:
    """An unknown reference reads as NaN, is not set, and is named in a message; the instance works on."""
    with Host(fmu("governor")) as host, Host(fmu("governor")) as good:
        host.start({"torque": 0.8})
        assert math.isnan(host.slave.getReal([999])[0])
        host.slave.setReal([999], [1.0])
        assert host.messages.count("999") == 2
        assert np.array_equal(host.run(3), good.start({"torque": 0.8}).run(3))


def test_calls_for_other_types_do_not_end_the_process(fmu: Builder) -> None:
    """The FMU reports calls for integers, booleans or strings, which it does not have, and works on."""
    code = """
import sys
from pathlib import Path
from support.hosts.fmus import Host
host = Host(Path(sys.argv[1])).start({"torque": 0.8})
for name in ("getInteger", "getBoolean", "getString"):
    try:
        getattr(host.slave, name)([1])
    except Exception as error:
        print(name, error)
for name, value in (("setInteger", 1), ("setBoolean", True), ("setString", "text")):
    try:
        getattr(host.slave, name)([1], [value])
    except Exception as error:
        print(name, error)
host.run(3)
print("alive")
"""
    done = python(code, str(fmu("governor")))
    assert done.stdout.split()[-1:] == ["alive"], (done.returncode, done.stdout, done.stderr)
    assert "fatal" not in done.stdout


def test_logging_off_is_silent_and_changes_nothing(fmu: Builder) -> None:
    """Without logging, NaN outputs and discarded steps are the only signs of a failure."""
    with Host(fmu("governor"), logging=False) as host:
        host.start({"c": NAN})
        assert math.isnan(host.get("speed")[0])
        assert_discards(host)
        host.slave.reset()
        host.start().run(2)
        assert host.messages == ""


# -- several at once ---------------------------------------------------------------------------------


def test_instances_do_not_disturb_each_other(fmu: Builder) -> None:
    """Different models, two models of one name and two instances of one model, stepped in turns in one process, each
    run as if alone, bit for bit.
    """
    cast = [
        ("governor", {"torque": 0.8}),
        ("governor", {"torque": 0.2, "c": 300.0}),
        ("thickened", {"torque": 0.8}),
        ("gyro", {"push": 0.3}),
        ("pi_speed_regulator", {"speed": 9.0}),
    ]
    alone = []
    for model, values in cast:
        with Host(fmu(model)) as host:
            alone.append(host.start(values).run(20))
    hosts = [Host(fmu(model), name=f"i{k}") for k, (model, _) in enumerate(cast)]
    hosts.append(Host(fmu("governor"), name="beside", beside=hosts[0]))
    alone.append(alone[0])
    for host, (_, values) in zip(hosts, [*cast, cast[0]], strict=True):
        host.start(values)
    together = [[host.run(1)[0] for host in hosts] for _ in range(20)]
    for k, rows in enumerate(alone):
        assert np.array_equal(np.array([row[k] for row in together]), rows)
    for host in reversed(hosts):
        host.__exit__(None, None, None)


def test_freed_instances_leave_the_others_alone(fmu: Builder) -> None:
    """An instance freed, or failed, in the middle of another's run does not affect it."""
    with Host(fmu("governor")) as host, Host(fmu("governor")) as alone:
        expected = alone.start({"torque": 0.8}).run(20)
        host.start({"torque": 0.8})
        rows = []
        for k in range(20):
            with Host(fmu("governor"), beside=host, name=f"guest{k}") as guest:
                guest.start({"c": NAN} if k % 2 else {})
                rows.append(host.run(1)[0])
        assert np.array_equal(np.array(rows), expected)


MANY = """
import gc, sys
from pathlib import Path
import numpy as np
from support.hosts.fmus import Host
plant, gyro = map(Path, sys.argv[1:])
keep = Host(plant).start({"torque": 0.8})
other = Host(gyro).start()
ends = set()
for k in range(100):
    with Host((plant, gyro)[k % 2], beside=(keep, other)[k % 2], name=f"i{k}") as host:
        host.start().run(2)
        ends.add(host.all().tobytes())
    gc.collect()
keep.run(3)
other.run(3)
print("ends", len(ends))
"""


@pytest.mark.slow
def test_a_hundred_instances_come_and_go(fmu: Builder) -> None:
    """With garbage collections in between the process survives, and all runs are equal."""
    done = python(MANY, str(fmu("governor")), str(fmu("gyro")))
    assert (done.returncode, done.stdout.split()[-2:]) == (0, ["ends", "2"]), done.stderr
