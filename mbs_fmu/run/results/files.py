"""Files of results: npz, parquet and hdf5 contain columns and attributes, csv only columns.

The attributes are one JSON text, the same in all formats (`about`). Columns of many runs have the shape (members,
times). In the tables of csv and parquet, the rows of each member follow those of the member before it, and the first
column has the number of the member.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...infrastructure.disk.files import replacing
from ...infrastructure.errors import ArgumentError, ModelError, one_line
from ..extras import extra
from .csv_tables import check_times, csv_columns

KEY = "mbs_fmu"  #: key of the attributes in a file
MEMBER = "member"  #: column of tables with the number of the member
ATTRIBUTES = "__mbs_fmu__"  #: dataset of the attributes in an hdf5 file
Columns = Mapping[str, np.ndarray]
Contents = tuple[Columns, dict[str, Any]]  #: columns by name, and attributes if they are known


def write(path: str | Path, form: str, columns: Columns, about: Mapping[str, Any]) -> Path:
    """Write columns and attributes to a file; return its path.

    form: a key of FORMATS; the path may have another suffix, but none of another kind of file. Raises ArgumentError for
    such a suffix, ModelError if the package for this format is not installed, and OSError.
    """
    writer = FORMATS[form][0]
    _require_kind(path, form)
    with replacing(path) as beside:
        writer(beside, columns, about)
    return Path(path)


def _require_kind(path: str | Path, form: str) -> None:
    """Raise ArgumentError if the suffix of a path is that of another kind of file."""
    suffix = Path(path).suffix.lower()
    other = OF_OTHERS.get(suffix)
    if suffix in FORMATS and FORMATS[suffix] != FORMATS[form]:
        other = f"to_{'hdf5' if suffix == '.h5' else suffix[1:]}"
    if other is not None:
        own = f"to_{form[1:]}"
        raise ArgumentError(
            f"{own} does not write {suffix} files, such as {str(path)!r}: use {other}, or end in {form}"
        )


def read(path: str | Path, time: str = "time") -> Contents:
    """Return columns and attributes of a file in the format of its suffix; `time` is the name of its time column.

    Raises ArgumentError for an unknown suffix, ModelError for a file that contains no result, OSError.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ArgumentError(f"{str(path)!r} has no suffix of a result file: give one of {', '.join(FORMATS)}")
    reader = FORMATS[suffix][1]
    try:
        columns, about = (csv_columns(path, time), {}) if suffix == ".csv" else reader(Path(path))
        columns = {name: np.asarray(values, dtype=float) for name, values in columns.items()}
    except (ModelError, OSError):
        raise
    except Exception as error:  # each library has its own errors
        raise ModelError(f"{path} is not a result file ({one_line(error)}): write it again") from None
    if time in columns and time != "time":
        columns["time"] = columns.pop(time)
    shapes = {values.shape for values in columns.values()}
    if "time" not in columns or len(shapes) != 1 or len(next(iter(shapes))) not in (1, 2):
        raise ModelError(f"{path} is not a result file: it needs a column 'time', and columns of equal length")
    return {"time": columns["time"], **columns}, about


def one_run(path: str | Path) -> Contents:
    """Return columns and attributes in a file of one run.

    Raises the errors of `read`, and ModelError for times that decrease or are not finite.
    """
    columns, about = read(path)
    if columns["time"].ndim > 1 or "rows" in about:
        raise ModelError(f"{path} holds many runs: read it with mbs.BatchResult.read")
    if MEMBER not in columns:
        check_times(columns["time"], path)
    return columns, about


def many_runs(path: str | Path) -> Contents:
    """Return the contents of a file of many runs, columns as (members, times). Raises the errors of `one_run`."""
    columns, about = read(path)
    if columns["time"].ndim == 1 and MEMBER in columns:
        members = len(np.unique(columns[MEMBER]))
        if not members or len(columns[MEMBER]) % members or np.any(np.diff(columns[MEMBER]) < 0):
            raise ModelError(
                f"{path} is not a file of many runs: each member needs an equal number of rows, in one block"
            )
        columns = {name: x.reshape(members, -1) for name, x in columns.items() if name != MEMBER}
    if columns["time"].ndim == 1:
        raise ModelError(f"{path} holds one run: read it with mbs.Result.read")
    check_times(columns["time"], path)
    return columns, about


def plain(value: Any) -> Any:
    """Return a numpy number or array as JSON types; any other value as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _json(about: Mapping[str, Any]) -> str:
    return json.dumps(about, default=plain)


def _table(columns: Columns) -> Columns:
    """Return columns of many runs as columns of a table; columns of one run unchanged."""
    if columns["time"].ndim == 1:
        return columns
    members, times = columns["time"].shape
    return {MEMBER: np.repeat(np.arange(float(members)), times), **{name: x.ravel() for name, x in columns.items()}}


# -- csv ------------------------------------------------------------------------------------------------------


def _write_csv(path: Path, columns: Columns, about: Mapping[str, Any]) -> None:
    columns = _table(columns)
    header = ",".join(f'"{name}"' for name in columns)
    data = np.column_stack(list(columns.values()))
    np.savetxt(path, data, fmt="%.17g", delimiter=",", header=header, comments="")


def _read_csv(path: Path) -> Contents:
    return csv_columns(path), {}


# -- npz ------------------------------------------------------------------------------------------------------


def _write_npz(path: Path, columns: Columns, about: Mapping[str, Any]) -> None:
    data = np.stack(list(columns.values()), axis=-1)
    with open(path, "wb") as file:  # numpy would append a suffix to a name
        np.savez(file, data=data, columns=np.array(list(columns)), mbs_fmu=np.array(_json(about)))


def _read_npz(path: Path) -> Contents:
    with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
        about = json.loads(str(file[KEY])) if KEY in file else {}
        return dict(zip(file["columns"].tolist(), np.moveaxis(file["data"], -1, 0), strict=True)), about


# -- parquet --------------------------------------------------------------------------------------------------


def _write_parquet(path: Path, columns: Columns, about: Mapping[str, Any]) -> None:
    arrow, parquet = _parquet()
    columns = _table(columns)
    units = {name: unit for name, unit in about["units"].items() if unit is not None}
    fields = [
        arrow.field(name, arrow.float64(), metadata={"unit": units[name]} if name in units else None)
        for name in columns
    ]
    for_pandas = {"name": about["name"], "units": units, "parameters": about["parameters"]}
    metadata = {KEY: _json(about), "PANDAS_ATTRS": _json(for_pandas)}
    schema = arrow.schema(fields, metadata=metadata)
    parquet.write_table(arrow.table([np.ascontiguousarray(x) for x in columns.values()], schema=schema), path)


def _read_parquet(path: Path) -> Contents:
    _, parquet = _parquet()
    table = parquet.read_table(path)
    text = (table.schema.metadata or {}).get(KEY.encode())
    columns = {name: table[name].to_numpy() for name in table.column_names}
    return columns, json.loads(text) if text else {}


def _parquet() -> tuple[Any, Any]:
    return tuple(extra(module, "pyarrow", "parquet", "a parquet file") for module in ("pyarrow", "pyarrow.parquet"))  # type: ignore[return-value]


# -- hdf5 -----------------------------------------------------------------------------------------------------


def _write_hdf5(path: Path, columns: Columns, about: Mapping[str, Any]) -> None:
    with _hdf5().File(path, "w") as file:
        for name, values in columns.items():
            made = file.create_dataset(name, data=values, compression="gzip", shuffle=True)
            if about["units"].get(name) is not None:
                made.attrs["unit"] = about["units"][name]
        file.create_dataset(ATTRIBUTES, data=_json({**about, "columns": list(columns)}))


def _read_hdf5(path: Path) -> Contents:
    with _hdf5().File(path, "r") as file:
        about = json.loads(file[ATTRIBUTES][()]) if ATTRIBUTES in file else {}
        return {name: file[name][:] for name in about.pop("columns", file)}, about


def _hdf5() -> Any:
    return extra("h5py", "h5py", "hdf5", "an hdf5 file")


#: Suffixes of files that others write, and the function that writes them.
OF_OTHERS = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "to_pandas().to_excel(path)"),
    **dict.fromkeys((".gz", ".bz2", ".xz", ".zip", ".zst"), "to_pandas().to_csv(path)"),
    ".json": "to_pandas().to_json(path)", ".feather": "to_pandas().to_feather(path)",
    ".nc": "to_xarray().to_netcdf(path)", ".pkl": "to_pandas().to_pickle(path)",
    ".mat": "scipy.io.savemat(path, {name: result[name] for name in result})", ".npy": "to_npz(path)",
}  # fmt: skip
#: Writer and reader of each suffix.
FORMATS: dict[str, tuple[Callable[..., None], Callable[[Path], Contents]]] = {
    ".csv": (_write_csv, _read_csv),
    ".npz": (_write_npz, _read_npz),
    ".parquet": (_write_parquet, _read_parquet),
    ".hdf5": (_write_hdf5, _read_hdf5),
    ".h5": (_write_hdf5, _read_hdf5),
}
