"""The recipe for acados in docs/optimal_control.md gives its model the equations of `mbs.ode`."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from models.pendulum_on_cart import pendulum_on_cart
from support.paths import ROOT

ca = pytest.importorskip("casadi", reason="graphs need the package casadi")
pytestmark = [pytest.mark.quick, pytest.mark.usefixtures("in_plain_python")]


def test_fields_of_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Explicit and implicit equations are expressions of the model's own symbols; values agree to rounding.

    Where acados is not installed, an object without fields stands for its model.
    """
    if importlib.util.find_spec("acados_template") is None:
        stand_in = ModuleType("acados_template")
        vars(stand_in)["AcadosModel"] = SimpleNamespace
        monkeypatch.setitem(sys.modules, "acados_template", stand_in)
    text = (ROOT / "docs" / "optimal_control.md").read_text("utf-8")
    (recipe,) = re.findall(r"```text\n(from acados_template.*?)```", text, re.S)
    names: dict[str, Any] = {"ca": ca, "mbs": mbs}
    exec(recipe, names)
    m, parameters = pendulum_on_cart(), ["rod_mass"]
    model, f = names["acados_model"](m, parameters), mbs.ode(m, parameters)
    symbols = [model.xdot, model.x, model.u, model.p]
    assert model.name.isidentifier() and all(x.is_valid_input() for x in symbols)
    equations = ca.Function("equations", symbols, [model.f_expl_expr, model.f_impl_expr])
    rates, x = np.arange(4.0), f.x0 + 0.2
    explicit, implicit = (np.array(part).ravel() for part in equations(rates, x, [1.5], [0.3]))
    expected = f(0.0, x, [1.5], [0.3])
    assert np.allclose(explicit, expected, rtol=1e-13, atol=1e-13 * np.abs(expected).max())
    assert np.array_equal(implicit, rates - explicit)
