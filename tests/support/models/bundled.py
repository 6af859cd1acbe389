"""The bundled models of models/, small where their size can be chosen."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable

import pytest

import mbs_fmu as mbs
from mbs_fmu.run.bundled import models_folder


def builders() -> dict[str, str]:
    """Functions of models/ that return a model, with the module of each."""
    return {
        name: path.stem
        for path in sorted(models_folder().glob("*.py"))
        for name in re.findall(r"^def (\w+)\(.*-> mbs.Model:$", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


def by_cost() -> list[str]:
    """The same functions, first those whose models are quickly compiled."""
    return sorted(builders(), key=lambda name: (name not in ("bouncing_pendulum", "governor"), name))


def built(function: str) -> mbs.Model:
    """Model that a function of models/ returns, with three members if their number can be chosen."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(models_folder()))
        builder: Callable[..., mbs.Model] = getattr(importlib.import_module(builders()[function]), function)
        return builder(**({"n": 3} if "n" in inspect.signature(builder).parameters else {}))
