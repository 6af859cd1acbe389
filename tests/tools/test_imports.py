"""What is imported when: a process loads what it needs, and no more."""

from __future__ import annotations

import pytest

import mbs_fmu as mbs
from fmus import python

#: What a process that only describes a model has no use for.
HEAVY = (
    "concurrent.futures", "fmpy", "llvmlite", "mbs_fmu.compile.build", "mbs_fmu.fmi", "mbs_fmu.free_body",
    "mbs_fmu.integrate", "numba", "platformdirs", "pythonfmu", "scipy", "tqdm", "typer", "xml.etree.ElementTree",
)  # fmt: skip


def test_the_package_imports_little() -> None:
    """What few processes need is imported when it is asked for."""
    found = python(f"import sys, mbs_fmu; print([name for name in {HEAVY} if name in sys.modules])").stdout
    assert found.strip() == "[]"


def test_what_comes_later_is_there() -> None:
    """Names that are imported later are listed, and are what their modules have."""
    from mbs_fmu import free_body
    from mbs_fmu.analysis import inverse as analysis
    from mbs_fmu.fmi.export import export

    assert set(mbs.LATER) <= set(dir(mbs))
    assert mbs.free_body is free_body and mbs.export is export and mbs.inverse_dynamics is analysis.inverse_dynamics
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = mbs.nonsense
