"""Sweeps: the numbers of a batch, in chunks on disk that are computed once, despite interruptions."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.hosts.sweep_workers import deadly, ends

quick = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

OPTIONS: dict[str, Any] = {"rtol": 1e-4, "output_interval": 0.25}
C = np.arange(10.0)


def model(gain: float = 1.0) -> mbs.Model:
    """z' = c + u gain + z0 stays linear, except for c = 8, where z diverges."""
    m = mbs.Model("lag")
    c, u = m.parameter("c", 1.0, unit="1/s"), m.input("u", unit="1/s")
    z = m.state("z", rate=lambda z: c + gain * u + m.parameter("square", 0.0) * z * z)
    m.output("pair", [z, 2 * z], unit="m")
    return m


GIVEN: dict[str, Any] = {
    "parameters": {"c": C, "square": np.where(C == 7.0, 9.0, 0.0)}, "start": {"z": 0.1 * C},
    "inputs": {"u": ([0.0, 1.0], np.stack([C, -C], axis=-1))},
}  # fmt: skip


def swept(folder: Path, **more: Any) -> Any:
    """Ten members in chunks of three; the eighth fails."""
    return mbs.sweep(model(), 1.0, folder=folder, **{"chunk": 3, **GIVEN, **OPTIONS, **more})


def pressed(result: mbs.BatchResult) -> dict[str, np.ndarray]:
    """Raise KeyboardInterrupt."""
    signal.raise_signal(signal.SIGINT)
    return ends(result)


def last_momenta(result: mbs.BatchResult) -> dict[str, np.ndarray]:
    return {"p": result["arm.p[2]"][:, -1]}


class Inline(Executor):
    """Executor that runs pickled calls at once and counts them; call `fails` fails."""

    def __init__(self, fails: int = 0, error: type[BaseException] = KeyboardInterrupt):
        self.calls, self.fails, self.error = 0, fails, error

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        try:
            if self.calls == self.fails:
                raise self.error("in a test")
            future.set_result(copied(copied(function)(*arguments, **more)))
        except BaseException as error:
            future.set_exception(error)
        return future


def copied(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.fixture
def batch() -> mbs.BatchResult:
    return mbs.simulate(model(), 1.0, batch=mbs.Batch(**GIVEN), **OPTIONS)


class TestLaws:
    pytestmark = quick

    @pytest.mark.parametrize("executor", [None, Inline()], ids=["here", "elsewhere"])
    def test_whole_runs_are_those_of_a_batch(
        self, executor: Executor | None, batch: mbs.BatchResult, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Bit for bit, with all data of a batch; failures by the members' numbers, reported once."""
        caplog.clear()
        runs = swept(tmp_path / "runs", executor=executor)
        assert isinstance(runs, mbs.SweepRuns) and runs.columns == batch.columns and len(runs) == runs.size == 10
        for name in (*batch.columns, *batch.inputs):
            assert np.array_equal(runs[name], batch[name], equal_nan=True), name
        assert np.array_equal(runs["pair"], batch["pair"], equal_nan=True) and runs.unit("pair") == "m"
        assert runs.faults == batch.faults and list(runs.faults) == [7] and np.array_equal(runs.rows, batch.rows)
        assert [x.message.partition(": lag: ")[0] for x in caplog.records] == [
            "1 of 10 members ended early; member 7 (z = 0.7, c = 7, square = 9)"
        ]
        for one, other in zip(runs, batch):
            assert np.array_equal(one.data, other.data) and one.parameters == other.parameters
            assert np.array_equal(one["u"], other["u"]) and one.model is runs.model is not None
        assert np.array_equal(runs.statistics["steps"], batch.statistics["steps"])
        assert np.array_equal(runs.varied["z"], 0.1 * C) and "u" not in runs.varied
        assert "10 runs (1 ended early), 5 times, 4 columns" in repr(runs)

    def test_momenta_are_those_of_a_batch(self, tmp_path: Path) -> None:
        """Whole runs and `keep` have momenta on request; a sweep without them is a different sweep."""
        m = mbs.Model("arms")
        arm = m.body("arm", joint=mbs.Universal("xy"), mass=m.parameter("mass", 1.0), com=(0, 0, 1), inertia=(1, 1, 1))
        m.start(arm, q=(0.3, 0.2), u=(1.0, 2.0))
        parameters, options = {"mass": C[1:5]}, {"rtol": 1e-4, "output_interval": 0.25}
        batch = mbs.simulate(m, 1.0, batch=mbs.Batch(parameters=parameters), momenta=True, **options)
        runs = mbs.sweep(m, 1.0, parameters=parameters, folder=tmp_path / "runs", chunk=3, momenta=True, **options)
        assert isinstance(runs, mbs.SweepRuns) and runs.columns == batch.columns and runs.unit("arm.p[1]") == "N.m.s"
        assert all(np.array_equal(runs[name], batch[name]) for name in batch.columns)
        swept_momenta = mbs.sweep(
            m, 1.0, parameters=parameters, folder=tmp_path / "kept", chunk=3, momenta=True, keep=last_momenta, **options
        )
        assert np.array_equal(swept_momenta["p"], batch["arm.p[2]"][:, -1])
        with pytest.raises(mbs.ArgumentError, match="another sweep of 'arms', with other arguments of the runs"):
            mbs.sweep(m, 1.0, parameters=parameters, folder=tmp_path / "runs", chunk=3, **options)

    @pytest.mark.usual
    def test_kept_values_are_arrays_and_tables(self, batch: mbs.BatchResult, tmp_path: Path) -> None:
        """`keep` may return a mapping of arrays; a table has them beside the varied values."""
        sweep = swept(tmp_path, keep=ends, executor=Inline())
        assert (
            isinstance(sweep, mbs.SweepResult) and set(sweep) == {"last", "range"} and sweep["range"].shape == (10, 2)
        )
        assert all(np.array_equal(sweep[name], x, equal_nan=True) for name, x in ends(batch).items())
        assert list(sweep.faults) == [7] and repr(sweep).endswith("10 runs (1 ended early), last, range")
        with pytest.raises(KeyError, match=r"no array 'first' was kept; there are last, range"):
            sweep["first"]
        pytest.importorskip("pandas")
        frame = sweep.to_pandas()
        assert list(frame) == ["z", "c", "square", "last"] and frame["c"][3] == 3.0
        assert frame.attrs["units"]["c"] == "1/s"
        pytest.importorskip("xarray")
        dataset = sweep.to_xarray()
        assert dataset["range"].dims == ("member", "range_1") and dataset["c"].dims == ("member",)

    def test_chunks_are_computed_once(self, tmp_path: Path) -> None:
        """Existing chunks are read; missing or damaged ones are computed again, to the same bits."""
        first = Inline()
        before = dict(swept(tmp_path, keep=ends, executor=first))
        again = Inline()
        assert first.calls == 4 and dict(swept(tmp_path, keep=ends, executor=again, chunk=5)).keys() == before.keys()
        assert again.calls == 0
        paths = sorted(tmp_path.glob("0*.npz"))
        assert [path.name for path in paths] == [f"{k:09d}.npz" for k in (0, 3, 6, 9)]
        paths[1].unlink()
        paths[2].write_bytes(paths[2].read_bytes()[:-200])
        paths[3].write_bytes(paths[0].read_bytes().replace(b"sweep", b"other"))
        repeated = swept(tmp_path, keep=ends, executor=again)
        assert again.calls == 3 and all(np.array_equal(repeated[name], x, equal_nan=True) for name, x in before.items())

    @pytest.mark.parametrize("way", [partial(Inline, 3), partial(Inline, 3, RuntimeError)])
    def test_finished_chunks_survive_interruptions(self, way: Callable[[], Inline], tmp_path: Path) -> None:
        """After Ctrl-C or an error in one chunk all finished chunks are kept, and the error names them."""
        whole = dict(swept(tmp_path / "whole", keep=ends))
        with pytest.raises((KeyboardInterrupt, RuntimeError)) as error:
            swept(tmp_path / "runs", keep=ends, executor=way())
        part = mbs.read_sweep(tmp_path / "runs")
        assert part.members.tolist() == [0, 1, 2, 3, 4, 5, 9] and part.parameters["c"].tolist() == part.members.tolist()
        assert np.array_equal(part["last"], whole["last"][part.members]) and not part.faults
        assert repr(part).endswith("7 of 10 runs, last, range")
        if isinstance(error.value, mbs.Interrupted):
            assert "7 of 10 runs are in" in str(error.value) and isinstance(error.value.result, mbs.SweepResult)
        else:
            assert error.value.__notes__[0].startswith(
                "in members 6 to 8 of the sweep; the chunks before it are kept in"
            )
        rest = Inline()
        completed = swept(tmp_path / "runs", keep=ends, executor=rest)
        assert rest.calls == 1 and all(np.array_equal(completed[name], x, equal_nan=True) for name, x in whole.items())

    def test_interrupted_before_anything(self, tmp_path: Path) -> None:
        """Ctrl-C in the first chunk raises Interrupted with an empty result."""
        for keep in (None, ends):
            with pytest.raises(mbs.Interrupted, match="0 of 10 runs") as error:
                swept(tmp_path / str(keep is None), keep=keep, executor=Inline(1), chunk=10)
            assert len(error.value.result.members) == 0  # type: ignore[attr-defined]
            assert "0 of 10 runs" in repr(error.value.result)

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"parameters": {"c": C + 1.0}}, "other members"),
            ({"start": {"z": C}}, "other members"),
            ({"rtol": 1e-5}, "other arguments of the runs"),
            ({"keep": None}, "another function keep="),
            ({"keep": lambda result: {}}, "another function keep="),
            ({"keep": partial(deadly, marker="x", process=1)}, "another function keep="),
            ({"model": model(2.0), "rtol": 1e-5}, "another model, other arguments of the runs"),
        ],
    )
    def test_another_sweep_needs_another_folder(self, more: dict[str, Any], message: str, tmp_path: Path) -> None:
        """One message before any run; the existing data stay."""
        swept(tmp_path, keep=ends)
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        arguments = {"model": model(), "keep": ends, **GIVEN, **OPTIONS, **more}
        with pytest.raises(mbs.ModelError, match=f"holds another sweep of 'lag', with {message}: give another folder="):
            mbs.sweep(arguments.pop("model"), 1.0, folder=tmp_path, executor=Inline(), **arguments)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before

    def test_numbers_for_all_are_common(self, tmp_path: Path) -> None:
        """A number, (times, values) and a function of time hold for all members, as in `simulate`."""
        for k, u in enumerate((0.5, ([0.0, 1.0], [0.5, 1.5]), lambda t: 0.5 + t)):
            values = {"parameters": {"c": C}, "start": {"z": 0.25}, "inputs": {"u": u}}
            runs = mbs.sweep(model(), 1.0, folder=tmp_path / str(k), executor=Inline(), **values, **OPTIONS)
            one = mbs.simulate(model(), 1.0, parameters={"c": 4.0}, start={"z": 0.25}, inputs={"u": u}, **OPTIONS)
            assert np.array_equal(runs[4].data, one.data)
            assert_close(runs[4]["u"], one["u"], 1e-14, "input 'u'", times=one.time)
            assert list(runs.varied) == ["c"]

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"keep": 3}, "keep is 3: give a function"),
            ({"keep": lambda result: 3}, "keep returns 3: return a dictionary"),
            (
                {"keep": lambda result: {"x": np.zeros(1)}},
                r"keep returns 'x' of shape \(1,\) and type float64 for 3 members",
            ),
            ({"keep": lambda result: {"x": np.array([None] * 3)}}, "of shape .* and type object"),
            ({"executor": 4}, "executor is 4: give one of concurrent.futures"),
            ({"lanes": 4}, "sweep has no argument 'lanes': of those of simulate it takes start_time, method"),
            ({"parameters": {"c": 1.0}, "start": {}, "inputs": {"u": 0.0}}, "a sweep needs numbers that differ"),
            ({"parameters": {"c": [1.0, np.nan]}, "start": {}, "inputs": {"u": 0.0}}, "is nan for member 1"),
            ({"parameters": {"d": C}}, "unknown parameter 'd'"),
            ({"parameters": {"c": [1.0, 2.0]}}, "10 members|for 2 members"),
            ({"parameters": [1.0]}, "parameters must be a dictionary"),
            ({"start": {"x": 1.0}}, "unknown start value 'x'"),
            ({"chunk": 0}, "chunk is 0"),
            ({"inputs": {"u": ([0.0, 1.0], [[1.0], [1.0, 2.0]])}}, "input 'u' must be a number, .times, values."),
        ],
    )
    def test_invalid_sweeps_are_refused(self, more: dict[str, Any], message: str, tmp_path: Path) -> None:
        """Invalid arguments are refused with a message."""
        with pytest.raises(mbs.ModelError, match=message):
            swept(tmp_path, **more)
        assert not list(tmp_path.glob("0*.npz"))

    def test_other_folders_are_refused(self, tmp_path: Path) -> None:
        """Folders without a sweep, and files of another kind, are reported."""
        with pytest.raises(mbs.ModelError, match="no sweep is in folder"):
            mbs.read_sweep(tmp_path)
        np.savez(tmp_path / "sweep.npz", x=3)
        with pytest.raises(mbs.ModelError, match=r"sweep.npz is damaged \(KeyError.*delete it, and sweep again"):
            mbs.read_sweep(tmp_path)

    def test_keep_that_cannot_be_sent(self, tmp_path: Path) -> None:
        """The executor's pickling error states the remedy."""
        with pytest.raises((pickle.PicklingError, AttributeError)) as error:
            swept(tmp_path, keep=lambda result: ends(result), executor=Inline())
        assert error.value.__notes__[0] == "keep can't be sent to other processes: define it at the top of a module"

    def test_ctrl_c_ends_chunks_and_no_workers(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Workers receive Ctrl-C while they compute; between two chunks it would break the executor."""
        before = signal.getsignal(signal.SIGINT)
        monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
        try:
            with pytest.raises(mbs.Interrupted, match="0 of 10 runs"):
                swept(tmp_path, keep=pressed, executor=Inline(), chunk=10)
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_bars(self, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        """Bars count members, including those that exist already."""
        monkeypatch.setattr("mbs_fmu.infrastructure.progress.DELAY", 0.0)
        swept(tmp_path, executor=Inline(), progress=True)
        assert "lag: " in (printed := capfd.readouterr().err) and "/10 runs" in printed
        swept(tmp_path, executor=Inline())
        assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_workers_may_die(tmp_path: Path) -> None:
    """If one process is killed, the same call completes: no member is missing or duplicated, with equal bits."""
    keep = partial(deadly, marker=str(tmp_path / "died"), process=os.getpid())
    arguments = {"keep": keep, "parameters": {"c": C}, "inputs": {"u": 0.5}, "chunk": 3, **OPTIONS}

    def run(folder: str, workers: int) -> Any:
        with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as executor:
            return mbs.sweep(model(), 1.0, folder=tmp_path / folder, executor=executor, **arguments)

    with pytest.raises(mbs.SimulationError, match=r"a worker of the executor has died .* goes on from there") as error:
        run("runs", 1)
    there = error.value.result
    assert isinstance(there, mbs.SweepResult) and there.members.tolist() == [0, 1, 2, 3, 4, 5]
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "runs").iterdir()}
    completed = run("runs", 2)
    assert completed.members.tolist() == list(range(10)) and len(times) == 3
    assert all(path.stat().st_mtime_ns == time for path, time in times.items())
    alone = mbs.sweep(model(), 1.0, folder=tmp_path / "here", **arguments)
    assert all(np.array_equal(completed[name], alone[name]) for name in alone) and len(alone["last"]) == 10
