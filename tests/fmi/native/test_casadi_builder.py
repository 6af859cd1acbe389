"""Native FMUs in CasADi's DaeBuilder, FMI 2.0 and 3.0: values, Jacobians, adjoints and CVODES."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from mbs_fmu.fmi.native.platforms import ALL, host
from models.governor import governor
from models.pendulum_on_cart import pendulum_on_cart
from models.slider_crank import slider_crank
from support.comparisons import first_difference

ca = pytest.importorskip("casadi", reason="DaeBuilder needs the package casadi")
pytest.importorskip("ziglang", reason="native FMUs need the package ziglang")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(host() not in ALL, reason="there are no native FMUs for this platform"),
]
VERSIONS = pytest.mark.parametrize("fmi", ["2.0", "3.0"])


class Imported:
    """The equations of an FMU as DaeBuilder reads them, at a point near the start."""

    def __init__(self, model: mbs.Model, fmi: str, folder: Path):
        scalars: dict[str, Any] = {"arrays": False} if fmi == "3.0" else {}  # DaeBuilder takes no arrays
        path = mbs.export(model, folder / "m.fmu", "native", fmi=fmi, platforms="host", step=1e-3, **scalars)
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder / "unpacked")
        self.dae = ca.DaeBuilder(model.name, str(folder / "unpacked"), {})
        self.f = self.dae.create("f", ["t", "x", "u", "p"], ["ode", "y"], {})
        rng = np.random.default_rng(3)
        x, p = (np.array(self.dae.start(names), dtype=float).ravel() for names in (self.dae.x(), self.dae.p()))
        self.at = 0.0, x + 0.01 * rng.normal(size=x.size), 0.1 * np.ones(self.dae.nu()), p

    def values(self, *at: Any) -> np.ndarray:
        """Rates, then outputs."""
        return np.concatenate([np.array(v).ravel() for v in self.f(*at)])

    def jacobian(self, argument: int) -> np.ndarray:
        """Jacobian of rates and outputs by x (1), u (2) or p (3); the adjoint along one direction agrees with it."""
        symbols = [ca.MX.sym(name, np.size(v)) for name, v in zip("txup", self.at, strict=True)]
        values = ca.vertcat(*self.f(*symbols))
        w = np.linspace(0.5, 1.5, values.numel())
        results = [ca.jacobian(values, symbols[argument]), ca.jtimes(values, symbols[argument], ca.DM(w), True)]
        J, adjoint = map(np.array, ca.Function("J", symbols, results)(*self.at))
        assert np.allclose(adjoint.ravel(), w @ J, rtol=1e-12, atol=1e-12 * np.abs(J).max())  # round-off of sums
        return J


@VERSIONS
@pytest.mark.parametrize("make", [pendulum_on_cart, governor])
def test_trees_have_the_numbers_of_ode(make: Callable[[], mbs.Model], fmi: str, tmp_path: Path) -> None:
    """Rates, outputs and Jacobians equal those of `mbs.ode` in momenta; CVODES reaches the end of a run."""
    m = make()
    imported = Imported(m, fmi, tmp_path)
    dae = imported.dae
    f = mbs.ode(m, dae.p(), states="momenta")
    assert (f.states, f.inputs, f.outputs) == (dae.x(), dae.u(), dae.y())
    d = f.jacobians(*imported.at)
    values = np.concatenate([d.f, d.y])
    pairs = [(imported.values(*imported.at), values)]
    pairs += [
        (imported.jacobian(k), np.vstack(blocks))
        for k, blocks in enumerate([(d.f_x, d.y_x), (d.f_u, d.y_u), (d.f_p, d.y_p)], start=1)
    ]
    labels = [*f.states, *f.outputs]
    for what, (got, expected) in zip(("value", "by x", "by u", "by p"), pairs, strict=True):
        bound = 1e-13 * np.abs(expected).max()  # round-off of some hundred operations
        assert np.allclose(got, expected, rtol=1e-12, atol=bound), (
            what if got.ndim > 1 else first_difference(got, expected, bound, what, labels)
        )
    names = t, x, u, p = [ca.MX.sym(n, np.size(v)) for n, v in zip("txup", imported.at, strict=True)]
    equation = {"t": t, "x": x, "u": u, "p": p, "ode": imported.f(*names)[0]}
    cvodes = ca.integrator("cvodes", "cvodes", equation, 0.0, 1.0, {"reltol": 1e-9, "abstol": 1e-11})
    _, x0, u0, p0 = imported.at
    end = np.array(cvodes(x0=x0, u=u0, p=p0)["xf"]).ravel()
    scipy = pytest.importorskip("scipy.integrate")
    peer = scipy.solve_ivp(f, (0.0, 1.0), x0, args=(u0, p0), method="DOP853", rtol=1e-11, atol=1e-13)
    assert np.allclose(end, peer.y[:, -1], rtol=1e-5, atol=1e-6)  # accumulated errors of the solver


@VERSIONS
def test_loops_have_the_jacobian_of_differences(fmi: str, tmp_path: Path) -> None:
    """A closed loop loads, and its Jacobians equal central differences."""
    imported = Imported(slider_crank(), fmi, tmp_path)
    for k in (1, 2, 3):
        J = imported.jacobian(k)
        for j, column in enumerate(J.T):
            sides = []
            h = 1e-6 * max(1.0, abs(imported.at[k][j]))
            for sign in (1.0, -1.0):
                moved = [np.array(v) for v in imported.at]
                moved[k][j] += sign * h
                sides.append(imported.values(*moved))
            difference = (sides[0] - sides[1]) / (2.0 * h)
            bound = 1e-6 * np.abs(J).max()  # truncation, some h^2, and round-off, 1e-15 / h
            assert np.allclose(column, difference, rtol=0, atol=bound), (k, j)
