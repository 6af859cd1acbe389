"""Results as files, tables, comparisons and plots, with the settings of their runs."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.run.results.comparing import scale
from support.comparisons import assert_close

pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]

FORMS = {"csv": None, "npz": None, "parquet": "pyarrow", "hdf5": "h5py", "h5": "h5py"}
OPTIONS: dict[str, Any] = {"method": "rk4", "step": 0.05, "output_interval": 0.05}


def plant() -> mbs.Model:
    """A body pushed by two inputs, a sampled signal and outputs of all kinds."""
    m = mbs.Model("plant", gravity=(0, 0, 0))
    body = m.body("cart", joint=mbs.Prismatic("x"), mass=m.parameter("m", 2.0, unit="kg"))
    push, pull = m.input("push", unit="N"), m.input("pull", unit="N", start=0.5)
    m.motor("drive", on=body, force=push - pull)
    held = m.sampled("held", 0.25, mbs.coordinate(body), start=1.0, unit="m")
    m.output("place", mbs.position(body), unit="m")
    m.output("twice", 2 * held, unit="m")
    m.output("way", mbs.where(mbs.rate(body) < 0.0, -1.0, 1.0))
    m.output("speed", mbs.rate(body), unit="m/s")
    m.event("far", mbs.coordinate(body) - 0.01)
    return m


def run(**more: Any) -> mbs.Result:
    settings: dict[str, Any] = {"inputs": {"push": ([0.0, 0.5, 0.5, 1.0], [0.0, 1.0, 3.0, 3.0])}, **OPTIONS, **more}
    return mbs.simulate(plant(), 1.0, **settings)


@pytest.fixture(scope="module")
def result() -> mbs.Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mbs_fmu.codegen.engines.DEFAULT", "python")
        return run(parameters={"m": 4.0})


# -- settings and columns ------------------------------------------------------------------------------


def test_results_have_the_settings_of_their_run(result: mbs.Result) -> None:
    """Parameters, and inputs as tables and at the rows, including defaults, so that the run can be repeated."""
    assert result.parameters == {"m": 4.0}
    assert np.array_equal(result.inputs["push"][1], [0.0, 1.0, 3.0, 3.0])
    assert [x.tolist() for x in result.inputs["pull"]] == [[0.0], [0.5]]
    t = result.time
    assert_close(result["push"], np.where(t < 0.5 - 1e-9, 2 * t, 3.0), 1e-15, "input 'push'", times=t)
    assert np.all(result["pull"] == 0.5) and result.unit("push") == "N"
    again = run(inputs=result.inputs, parameters=result.parameters)
    assert np.array_equal(again.data, result.data)


def test_inputs_that_are_functions_are_known_at_the_rows() -> None:
    """Also functions of parameters and tables, to rounding."""
    m = mbs.Model("m")
    a, u = m.parameter("a", 2.0), m.input("u", unit="N")
    m.state("z", rate=u)

    def law(t: mbs.Expression) -> Any:
        return (
            a * mbs.sin(3 * t)
            + mbs.table(t, (0.0, 0.4, 1.0), (1.0, 2.0, 0.0))
            + mbs.where(t < 0.5, 1.0, mbs.atan2(t, a))
        )

    m.output("u_now", u)
    r = mbs.simulate(m, 1.0, inputs={"u": law}, **OPTIONS)
    assert_close(r["u"], r["u_now"], 4e-16 * 8, "input 'u'", times=r.time)
    assert r.unit("u") == "N"
    m.input("v", start=0.0)
    r = mbs.simulate(m, 1.0, inputs={"u": lambda t: mbs.signal("z") - t}, **OPTIONS)  # no function of time alone
    assert "u" not in r and "v" in r


def test_names_are_those_of_a_dictionary(result: mbs.Result) -> None:
    """Iteration, keys and `in` agree with the available columns; a DataFrame agrees too."""
    assert list(result) == result.keys() == [*result.columns, "push", "pull"]
    assert all(name in result and len(result[name]) == len(result) == 21 for name in result)
    assert dict(result).keys() == set(result) and "place" in result and result["place"].shape == (21, 3)
    assert "nothing" not in result
    with pytest.raises(KeyError, match=r"no result 'nothing'; there are time, cart\.s"):
        result["nothing"]


def test_columns_are_found_after_they_change(result: mbs.Result) -> None:
    """Names are those of the present list of columns, whether it is replaced, longer, or changed in place."""
    changed, last = copy.copy(result), len(result.columns) - 1
    name = result.columns[last]
    assert name in changed
    changed.columns = [*result.columns[:last], "other"]
    assert name not in changed
    assert np.array_equal(changed["other"], result[name])
    changed.columns[last] = "new"
    assert "other" not in changed
    assert np.array_equal(changed["new"], result[name])
    changed.columns.append("new")  # the first one counts
    assert np.array_equal(changed["new"], result[name])


def test_members_have_their_own_values() -> None:
    """A member of a batch has the common values and its own."""
    force = ([0.0, 1.0], [[0.0, 1.0], [2.0, 2.0]])
    batch = mbs.Batch(parameters={"m": [1.0, 3.0]}, inputs={"push": force, "pull": [0.1, 0.2]}, lanes=1, threads=1)
    m = plant()
    del m.events["far"]  # events are for single runs
    many = mbs.simulate(m, 1.0, batch=batch, **OPTIONS)
    assert many["push"].shape == many["pull"].shape == many["speed"].shape == (2, 21)
    for k, one in enumerate(many):
        alone = mbs.simulate(m, 1.0, inputs={"push": (force[0], force[1][k]), "pull": [0.1, 0.2][k]},
                             parameters={"m": [1.0, 3.0][k]}, **OPTIONS)  # fmt: skip
        assert one.parameters == alone.parameters and one.held == alone.held
        assert all(np.array_equal(one[name], alone[name]) for name in alone)
        assert np.array_equal(many["push"][k], one["push"])


def test_columns_that_change_in_steps_are_listed(result: mbs.Result) -> None:
    """`steps` has sampled signals, outputs computed from them and from conditions only, and no others."""
    assert result.held == {"held", "twice", "way"}


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_complete(result: mbs.Result, way: Any) -> None:
    """Copies and pickles of a result are complete."""
    same(way(result), result)


# -- files ---------------------------------------------------------------------------------------------


def same(a: mbs.Result, b: mbs.Result) -> None:
    """Assert that two results agree in everything, bit for bit."""
    assert np.array_equal(a.data, b.data) and np.array_equal(a.switches, b.switches)
    for name in ("name", "columns", "vectors", "statistics", "parameters", "held"):
        assert getattr(a, name) == getattr(b, name), name
    assert {k: v for k, v in a.units.items() if v} == {k: v for k, v in b.units.items() if v}
    assert all(np.array_equal(a.events[name], times) for name, times in b.events.items())
    assert all(np.array_equal(x, y) for name in b.inputs for x, y in zip(a.inputs[name], b.inputs[name]))


@pytest.mark.parametrize("form", FORMS)
def test_files_come_back(result: mbs.Result, form: str, tmp_path: Path) -> None:
    """Files give back everything bit for bit, csv its columns only; existing files are replaced."""
    pytest.importorskip(FORMS[form] or "numpy")
    path = tmp_path / "new" / f"run.{form}"
    writer = getattr(result, "to_hdf5" if form == "h5" else f"to_{form}")
    assert writer(path) == path and writer(path) == path
    again = mbs.Result.read(path)
    assert np.array_equal(again.data, result.data) and again.columns == result.columns
    assert np.array_equal(again["place"], result["place"])
    if form != "csv":
        same(again, result)


def same_runs(a: mbs.BatchResult, b: mbs.BatchResult) -> None:
    """Assert that two batch results agree in everything, bit for bit."""
    assert np.array_equal(a.data, b.data, equal_nan=True) and np.array_equal(a.time, b.time)
    for name in ("name", "columns", "vectors", "faults", "held"):
        assert getattr(a, name) == getattr(b, name), name
    for name in ("statistics", "parameters", "inputs"):
        one, other = getattr(a, name), getattr(b, name)
        assert one.keys() == other.keys()
        assert all(type(x) is type(y) for x, y in zip(one.values(), other.values())), name
        for x, y in zip(one.values(), other.values()):
            assert all(np.array_equal(*pair) for pair in zip(x, y)) if isinstance(x, tuple) else np.array_equal(x, y)


@pytest.mark.parametrize("form", FORMS)
def test_files_of_many_runs_come_back(form: str, tmp_path: Path) -> None:
    """Also for runs that ended early, with their messages; a file of one run is refused as a batch."""
    pytest.importorskip(FORMS[form] or "numpy")
    m = mbs.Model("growing")
    z = m.state("z", rate=lambda z: m.parameter("c", 1.0) * z * z)
    m.output("pair", [z, 2 * z, 3 * z], unit="m")
    m.input("u", start=0.0)
    values = {"start": {"z": [0.2, 2.0, 0.4]}, "parameters": {"c": [1.0, 2.0, 1.5]}}
    batch = mbs.Batch(**values, inputs={"u": ([0, 1], np.eye(3, 2))}, threads=1)
    many = mbs.simulate(m, 1.0, batch=batch, rtol=1e-4, output_interval=0.05)
    assert list(many.faults) == [1]
    path = getattr(many, "to_hdf5" if form == "h5" else f"to_{form}")(tmp_path / f"runs.{form}")
    again = mbs.BatchResult.read(path)
    assert np.array_equal(again.data, many.data, equal_nan=True) and again.columns == many.columns
    assert np.array_equal(again.rows, many.rows) and np.array_equal(again[1].data, many[1].data)
    assert again["pair"].shape == (3, 21, 3)
    if form != "csv":
        same_runs(again, many)
        with pytest.raises(mbs.ModelError, match=r"holds many runs: read it with mbs.BatchResult.read"):
            mbs.Result.read(path)
    one = getattr(many[0], "to_hdf5" if form == "h5" else f"to_{form}")(tmp_path / f"one.{form}")
    with pytest.raises(mbs.ModelError, match=r"holds one run: read it with mbs.Result.read"):
        mbs.BatchResult.read(one)


def test_tables_of_many_runs_have_a_column_of_members(tmp_path: Path) -> None:
    """Members are stacked, for other programs; rows that do not fit are reported."""
    many = many_runs()
    table = mbs.Result.read(many.to_csv(tmp_path / "runs.csv"))
    assert table.columns[:2] == ["time", "member"] and np.array_equal(table["member"], np.repeat([0.0, 1.0], 21))
    assert np.array_equal(table["speed"], many["speed"].ravel())
    (tmp_path / "odd.csv").write_text("member,time,x\n0,0,1\n0,1,1\n1,0,1\n")
    with pytest.raises(mbs.ModelError, match="each member needs an equal number of rows"):
        mbs.BatchResult.read(tmp_path / "odd.csv")


def test_mode_changes_are_stored(tmp_path: Path) -> None:
    """Mode changes are stored too."""
    m = mbs.Model("ball")
    ball = m.body("ball", joint=mbs.Prismatic("z"), mass=1.0)
    m.contact("floor", "world", ball, mbs.OnPlane("z"), restitution=0.5)
    m.start(ball, q=0.05)
    m.output("mode", mbs.constraint_mode("floor"))
    r = mbs.simulate(m, 0.3, method="rk4", step=0.02)
    assert len(r.switches) and r.held == {"mode"}
    same(mbs.Result.read(r.to_npz(tmp_path / "ball.npz")), r)


def test_foreign_files_have_columns(tmp_path: Path) -> None:
    """Files of fmpy and pandas are read; the file's name becomes the result's."""
    (tmp_path / "run.csv").write_text('"time","x[1]","x[2]"\n0,1,2\n0,3,4\n\n1,5,nan\n')
    r = mbs.Result.read(tmp_path / "run.csv")
    assert (r.name, r.columns, r.vectors) == ("run", ["time", "x[1]", "x[2]"], {"x": ["x[1]", "x[2]"]})
    assert r["x"].shape == (3, 2) and np.isnan(r["x[2]"][-1]) and r.parameters == {}


@pytest.mark.parametrize(
    ("write", "suffix", "remedy"),
    [
        ("to_csv", ".xlsx", r"to_pandas\(\)\.to_excel\(path\), or end in \.csv"), ("to_csv", ".npz", "use to_npz"),
        ("to_csv", ".H5", "use to_hdf5"), ("to_npz", ".csv", "use to_csv"), ("to_npz", ".mat", "savemat"),
        ("to_csv", ".gz", r"to_pandas\(\)\.to_csv"),
    ],
)  # fmt: skip
def test_files_are_of_the_kind_that_their_suffix_states(
    result: mbs.Result, write: str, suffix: str, remedy: str, tmp_path: Path
) -> None:
    """Nothing is written, and the message has the function that writes such files. Unknown suffixes are free."""
    with pytest.raises(mbs.ArgumentError, match=f"{write} does not write {suffix.lower()} files.*{remedy}"):
        getattr(result, write)(tmp_path / f"run{suffix}")
    assert not list(tmp_path.iterdir())
    for free in ("run.txt", "run", "run.CSV"):
        assert result.to_csv(tmp_path / free).read_text(encoding="utf-8").startswith('"time"')


def test_frames_survive_parquet(result: mbs.Result, tmp_path: Path) -> None:
    """pandas reads units back, and Result reads a DataFrame's file."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    read = pandas.read_parquet(result.to_parquet(tmp_path / "a.parquet"))
    assert read.attrs["units"]["speed"] == "m/s" and read.attrs["parameters"] == {"m": 4.0}
    result.to_pandas().to_parquet(tmp_path / "b.parquet")
    assert np.array_equal(mbs.Result.read(tmp_path / "b.parquet")["speed"], result["speed"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "is not a table of results"),
        ("a.csv", "time,x\n0,1,2\n", "is not a table of results"),
        ("a.csv", "time,x\n0,one\n", "is not a table of results"),
        ("a.csv", "t,x\n0,1\n", "a.csv has no column 'time': rename 't' to 'time'"),
        ("a.npz", "nothing", "is not a result file .*: write it again"),
        ("a.npz", "PK\x03\x04 cut off", "is not a result file .*: write it again"),
        ("a.mat", "", "no suffix of a result file: give one of .csv, .npz, .parquet, .hdf5, .h5"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Other files are refused with a message."""
    (tmp_path / name).write_text(text)
    with pytest.raises(mbs.ModelError, match=message):
        mbs.Result.read(tmp_path / name)


@pytest.mark.parametrize("call", ["to_pandas", "to_xarray", "to_parquet", "to_hdf5"])
def test_missing_packages_are_named(
    result: mbs.Result, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message has the extra that provides the package; nothing is written."""

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("mbs_fmu.run.extras.importlib.import_module", missing)
    arguments = (tmp_path / "a.x",) if call in ("to_parquet", "to_hdf5") else ()
    with pytest.raises(mbs.ModelError, match=rf"pip install 'mbs-fmu\[{call[3:]}\]'"):
        getattr(result, call)(*arguments)
    assert not list(tmp_path.iterdir())


# -- tables of other packages --------------------------------------------------------------------------


def test_pandas(result: mbs.Result) -> None:
    """Time is the index, so that a column can serve as an input."""
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.index.name == "time" and list(frame) == result.keys()[1:]
    assert np.array_equal(frame["speed"].to_numpy(), result["speed"])
    assert frame.attrs["units"]["speed"] == "m/s" and frame.attrs["parameters"] == {"m": 4.0}
    assert np.array_equal(run(inputs={"push": frame["push"]})["push"], result["push"])
    assert result.compare(frame).worst == 0.0


def many_runs() -> mbs.BatchResult:
    m = plant()
    del m.events["far"]
    batch = mbs.Batch(parameters={"m": [1.0, 3.0]}, lanes=1, threads=1)
    return mbs.simulate(m, 1.0, inputs={"push": 1.0}, batch=batch, **OPTIONS)


def test_pandas_of_many() -> None:
    """A frame of many runs has the index (member, time)."""
    pytest.importorskip("pandas")
    many = many_runs()
    frame = many.to_pandas()
    assert frame.index.names == ["member", "time"] and frame.shape == (42, len(many.keys()) - 1)
    assert np.array_equal(frame.loc[1]["speed"].to_numpy(), many["speed"][1])


def test_xarray(result: mbs.Result) -> None:
    """Units are attributes, vectors have a dimension, parameters are coordinates, members a further dimension."""
    pytest.importorskip("xarray")
    dataset = result.to_xarray()
    assert dataset["speed"].dims == ("time",) and dataset["speed"].attrs == {"units": "m/s"}
    assert dataset["place"].dims == ("time", "place_component") and "place[1]" not in dataset
    assert np.array_equal(dataset["place"].values, result["place"]) and float(dataset["m"]) == 4.0
    many = many_runs()
    dataset = many.to_xarray()
    assert dataset["place"].dims == ("member", "time", "place_component") and dataset["m"].dims == ("member",)
    assert np.array_equal(dataset.sel(member=1)["place"].values, many[1]["place"])


# -- comparisons ---------------------------------------------------------------------------------------


def waves(times: np.ndarray, error: float = 0.0) -> mbs.Result:
    data = np.column_stack([times, 2 * np.sin(times), np.cos(times) + error * (times > 3.0), np.full(len(times), 7.0)])
    return mbs.Result("waves", ["time", "a", "b", "c"], data, {"a": "m", "b": None})


def test_deviations_are_found_with_their_time() -> None:
    """On different times values are interpolated within an error bound; the worst column comes first, relative to its
    range.
    """
    fine, coarse = waves(np.linspace(0.0, 6.0, 6001), 0.1), waves(np.linspace(0.0, 5.0, 51))
    for one, other in ((fine, coarse), (coarse, fine)):
        comparison = one.compare(other)
        assert [x.name for x in comparison] == ["b", "a", "c"] and comparison.worst == comparison["b"].relative
        assert comparison["b"].worst == pytest.approx(0.1, abs=1e-6) and comparison["b"].time > 3.0
        assert comparison["b"].relative == pytest.approx(0.1 / comparison["b"].range)
        assert comparison["a"].relative < 1e-6 and comparison["a"].unit == "m" and comparison["c"].worst == 0.0
    table = str(comparison).splitlines()
    assert table[0].split()[0] == "column" and table[1].split()[0] == "b" and len(table) == 4
    assert fine.compare(fine, names=["a"]).worst == 0.0 and "only in this result: b, c" in str(
        fine.compare({"time": fine.time, "a": fine["a"], "time2": fine.time})
    )


def test_held_signals_are_not_interpolated() -> None:
    """A sampled signal on coarser times keeps its last value."""
    t = np.linspace(0.0, 1.0, 101)
    fine = mbs.Result("r", ["time", "z"], np.column_stack([t, np.floor(4 * t + 1e-9)]), held={"z"})
    coarse = mbs.Result("r", ["time", "z"], fine.data[::10], held={"z"})
    assert fine.compare(coarse).worst == 0.0
    fine.held = coarse.held = ()
    assert fine.compare(coarse).worst == 0.0  # at the times of the coarse one nothing is interpolated
    assert coarse.compare(mbs.Result("r", ["time", "z"], fine.data[5::10])).worst > 0.1


def test_structured_arrays_and_files(result: mbs.Result, tmp_path: Path) -> None:
    """Arrays as returned and written by fmpy, including arrays of FMI 3.0."""
    run = np.zeros(21, [("time", float), ("speed", float), ("place", float, (3,))])
    run["time"], run["speed"], run["place"] = result.time, result["speed"], result["place"]
    comparison = result.compare(run)
    assert comparison.worst == 0.0 and {x.name for x in comparison} == {"speed", "place[1]", "place[2]", "place[3]"}
    run["place"][7, 1] = np.nan
    assert result.compare(run).worst == np.inf and result.compare(run)["place[2]"].time == result.time[7]
    assert result.compare(result.to_csv(tmp_path / "ref.csv")).worst == 0.0


def test_scales() -> None:
    """The scale is the range; for a constant its size; never less than the smallest relevant size."""
    assert scale(np.array([1.0, 3.0])) == 2.0 and scale(np.array([100.0, 100.0 + 1e-9])) == pytest.approx(100.0)
    assert scale(np.zeros(3)) == 1e-5


@pytest.mark.parametrize(
    ("other", "names", "message"),
    [
        (3.0, None, "can't be compared: give a result"),
        ({"x": np.arange(3.0)}, None, "can't be compared"),
        ({"time": np.arange(3.0), "x": np.arange(3.0)}, None, "no column to compare"),
        ({"time": np.arange(3.0), "speed": np.arange(3.0)}, ["way"], "the other has no column 'way'"),
        ({"time": np.arange(3.0) + 5, "speed": np.arange(3.0)}, None, "no time to compare at"),
    ],
)
def test_unsupported_comparisons_are_refused(result: mbs.Result, other: Any, names: Any, message: str) -> None:
    """Unsupported comparisons are refused with a message."""
    with pytest.raises(mbs.ModelError, match=message):
        result.compare(other, names)


# -- plots and notebooks -------------------------------------------------------------------------------


def test_steps_are_drawn_as_steps(result: mbs.Result) -> None:
    """Sampled signals are drawn as steps, continuous ones as lines; names of inputs and vectors are accepted."""
    figure = result.plot("held", "speed", "push", "place")
    styles = [[line.get_drawstyle() for line in axis.lines] for axis in figure.axes]
    assert styles == [["steps-post"], ["default"], ["default"], ["default"] * 3]
    assert figure.axes[1].get_ylabel() == "speed\n(m/s)" and figure.axes[3].get_ylabel() == "place\n(m)"


def test_axes_may_be_given(result: mbs.Result) -> None:
    """One for all with a legend, or one for each."""
    from matplotlib.figure import Figure

    axis = Figure().subplots()
    assert result.plot("speed", "twice", ax=axis) is axis.figure
    assert [x.get_text() for x in axis.get_legend().get_texts()] == ["speed (m/s)", "twice (m)"]
    pair = Figure().subplots(1, 2)
    result.plot("speed", "twice", ax=pair)
    assert [len(a.lines) for a in pair] == [1, 1]
    with pytest.raises(mbs.ModelError, match="ax has 2 axes for 3 columns"):
        result.plot("speed", "twice", "push", ax=pair)


def test_a_list_is_drawn_into_one_axes(result: mbs.Result) -> None:
    """A list shares one axes with a legend; the last axes has the label of time."""
    first, last = result.plot(["speed", "twice"], "push").axes
    assert [x.get_text() for x in first.get_legend().get_texts()] == ["speed (m/s)", "twice (m)"]
    assert last.get_legend() is None and last.get_xlabel() == "time (s)"
    assert [axis.get_xlabel() for axis in result.plot(["speed", "twice"]).axes] == ["time (s)"]


def test_columns_are_drawn_over_another_column(result: mbs.Result) -> None:
    """A path has both columns, begins at a dot and keeps its shape; a phase plot has its units."""
    line, dot = (axis := result.plot(x="place[1]", y="place[2]").axes[0]).lines
    assert np.array_equal(line.get_xydata(), result["place"][:, :2])
    assert np.array_equal(dot.get_xydata(), result["place"][:1, :2])
    assert axis.get_aspect() == 1.0 and axis.get_xlabel() == "place[1] (m)" and axis.get_ylabel() == "place[2]\n(m)"
    axis = result.plot(x="speed", y=["held", "twice"]).axes[0]
    assert axis.get_aspect() == "auto" and axis.get_xlabel() == "speed (m/s)"
    assert {line.get_drawstyle() for line in axis.lines} == {"default"}, "steps are those over time"
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["held (m)", "twice (m)"]
    assert len(result.plot("held", "twice", x="speed").axes) == 2
    assert "speed" not in [axis.get_ylabel().partition("\n")[0] for axis in result.plot(x="speed").axes]


def test_wrong_columns_of_a_plot_are_refused(result: mbs.Result) -> None:
    with pytest.raises(mbs.ArgumentError, match=r"x is the vector 'place': give one of its components, such as 'place"):
        result.plot(x="place", y="speed")
    with pytest.raises(mbs.ArgumentError, match=r"plot has the names .* and y='twice': give one of them"):
        result.plot("speed", y="twice")
    with pytest.raises(KeyError, match="no result 'spede'"):
        result.plot(x="spede", y="twice")
    with pytest.raises(mbs.ArgumentError, match="plot of an empty list"):
        result.plot(y=[])


def test_small_pictures_keep_peaks() -> None:
    """Every peak of many rows is drawn; numbers of any size and NaN are drawn or left out."""
    values = np.zeros(100_000)
    values[77_777] = 1.0
    for column in (values, np.where(values, 1e308, -1e308), np.where(values, np.nan, 3.0), np.full(4, np.inf)):
        r = mbs.Result("run", ["time", "a"], np.column_stack([np.arange(len(column)), column]))
        picture = r._repr_html_().rpartition("<td>")[2]
        assert "nan" not in picture and ("polyline" in picture) == bool(np.isfinite(column).any())
        assert column is not values or (",1.0 " in picture and picture.count(",19.0") == 239)
        assert len(picture) < 4000


def test_notebooks_show_figures(result: mbs.Result) -> None:
    """Notebooks show figures as png, without a backend of matplotlib."""
    assert result.plot("speed")._repr_png_().startswith(b"\x89PNG")


def test_notebooks_show_a_table() -> None:
    """Notebooks show a row for each column with its extremes; special characters are escaped."""
    r = mbs.Result("run", ["time", "a<b"], np.array([[0.0, 5.0], [1.0, -2.0], [2.0, 1.0]]), {"a<b": "m"})
    cells = "<td>5</td><td>1</td><td>-2</td><td>5</td>"
    assert f'{cells}<td><svg width="120" height="20"><polyline points="0.0,1.0 0.0,1.0 60.0,19.0' in r._repr_html_()
    assert f'a&lt;b</td><td style="text-align:left">m</td>{cells}' in r._repr_html_()
    assert "<td></td>" in mbs.Result("none", ["time"], np.zeros((0, 1)))._repr_html_()
    assert "and 41 more" in mbs.Result("wide", [f"c{k}" for k in range(101)], np.zeros((2, 101)))._repr_html_()
