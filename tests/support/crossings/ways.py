"""All methods, each with fixed steps and, where it has it, with error control."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import mbs_fmu as mbs
from mbs_fmu.codegen.engines import engine_name
from mbs_fmu.compile.program_cache import program_with_stages
from mbs_fmu.integrate.methods.table import METHODS, method
from mbs_fmu.run.runtime import Runtime
from mbs_fmu.run.simulate import runtimes
from support.cases import tiers

STEP = 2.0**-5  #: fixed step, s: its multiples are exact
RTOL = 1e-8


@dataclass(frozen=True)
class Way:
    """A method with fixed steps or with error control."""

    method: str
    fixed: bool

    def __str__(self) -> str:
        return f"{self.method} {'step' if self.fixed else 'rtol'}"

    def options(self, step: float = STEP) -> dict[str, Any]:
        """Arguments of `simulate`; step: s, used by fixed steps only."""
        return {"method": self.method, **({"step": step} if self.fixed else {"rtol": RTOL})}

    @property
    def error(self) -> float:
        """Bound of the relative error of smooth motions at 1 rad/s after some periods.

        Fixed steps: the order's, at most four because of cubic interpolation. Error control: a hundred times RTOL.
        """
        return 4.0 * max(STEP ** min(method(self.method).order, 4), 1e-6) if self.fixed else 100.0 * RTOL


#: One of each kind first: the usual ones. All others are slow, because each is compiled for each model.
FIRST = ("rk4", "abm6", "gauss6")
FIXED = tuple(Way(name, True) for name in (*FIRST, *(name for name in METHODS if name not in FIRST)))
CONTROLLED = tuple(Way(name, False) for name in METHODS if method(name).adaptive)
USUAL = (*FIXED[:2], Way("dopri5", False))
WAYS = (*USUAL, *(way for way in (*FIXED, *CONTROLLED) if way not in USUAL))
every_way = pytest.mark.parametrize("way", tiers(WAYS, usual=len(USUAL)))
every_fixed_way = pytest.mark.parametrize("way", tiers(FIXED, usual=len(FIRST)))


def prepared(model: mbs.Model) -> mbs.Model:
    """Compile a model once for all methods, so that its runs share one module in place of nine; return it."""
    program, _ = program_with_stages(model, "cholesky", {}, METHODS)
    key = model.version, "cholesky", "", engine_name(), METHODS
    runtimes(model)[key] = model.value_version, Runtime(program)
    return model
