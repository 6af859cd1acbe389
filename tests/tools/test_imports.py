"""Processes import only the modules that they need."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import mbs_fmu as mbs
from support.hosts.fmus import python
from support.paths import ROOT

#: Modules that a process that only describes a model does not need.
HEAVY = (
    "concurrent.futures", "fmpy", "llvmlite", "mbs_fmu.compile.build", "mbs_fmu.fmi", "mbs_fmu.analysis.free_body",
    "mbs_fmu.integrate", "meshio", "numba", "platformdirs", "pythonfmu", "scipy", "skfem", "tqdm", "typer",
    "xml.etree.ElementTree",
)  # fmt: skip


def test_the_package_imports_little() -> None:
    """Rarely needed modules are imported on first use."""
    imported = python(f"import sys, mbs_fmu; print([name for name in {HEAVY} if name in sys.modules])").stdout
    assert imported.strip() == "[]"


def test_names_with_deferred_import_exist() -> None:
    """Names with deferred import are listed, and are those of their modules."""
    from mbs_fmu.analysis import free_body
    from mbs_fmu.analysis import inverse as analysis
    from mbs_fmu.fmi.export import export

    assert set(mbs.LATER) <= set(mbs.__all__)
    assert mbs.free_body is free_body and mbs.export is export and mbs.inverse_dynamics is analysis.inverse_dynamics
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = mbs.nonsense


def test_dir_lists_the_public_names() -> None:
    """Those of `__all__` and the version: no module, and nothing that the package imports for itself."""
    assert sorted(dir(mbs)) == sorted({*mbs.__all__, "__version__"}) and len(mbs.__all__) == len({*mbs.__all__})
    defined = {
        name
        for name, thing in vars(mbs).items()
        if not name.startswith("_") and getattr(thing, "__module__", "").startswith("mbs_fmu")
    }
    imported, listed = defined | {*mbs.LATER}, {*mbs.__all__}
    assert imported <= listed, f"add {sorted(imported - listed)} to __all__ of mbs_fmu/__init__.py"
    assert listed <= imported, f"import {sorted(listed - imported)} in mbs_fmu/__init__.py, or add it to LATER"


#: Scripts beside the package that use its internals.
SCRIPTS = [
    path for folder in ("benchmarks", "co_sim_examples", "docs", "models") for path in ROOT.glob(f"{folder}/**/*.py")
]


@pytest.mark.quick
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_of_scripts_exist(path: Path) -> None:
    """All imports of examples and benchmarks exist, even of those that no test runs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level and str(node.module).startswith("mbs_fmu"):
            module = import_module(str(node.module))
            missing = [name.name for name in node.names if not hasattr(module, name.name)]
            assert not missing, f"{node.module} has no {', '.join(missing)}"
