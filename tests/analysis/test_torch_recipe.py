"""The recipe for PyTorch in docs/learning.md has the Jacobians of `mbs.ode`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close
from support.models.small_models import oscillator
from support.paths import ROOT

torch = pytest.importorskip("torch", reason="the package torch is not installed")


def test_gradient_through_two_steps() -> None:
    """Reverse mode through two steps gives the product of their Jacobians."""
    (recipe,) = re.findall(r"```text\n(import torch.*?)```", (ROOT / "docs" / "learning.md").read_text("utf-8"), re.S)
    names: dict[str, Any] = {}
    exec(recipe, names)
    F = mbs.ode(oscillator(drive=True), ["c"]).step(0.1)
    x, u, p = (torch.tensor(v, requires_grad=True) for v in (F.x0, np.array([0.3]), F.p0))
    names["step"](F, 0.1, names["step"](F, 0.0, x, u, p), u, p)[0].backward()
    first = F.jacobians(0.0, F.x0, [0.3])
    second = F.jacobians(0.1, first.f, [0.3])
    # two rows of at most four products each: some ten roundings
    for name, found, expected in (
        ("the state", x.grad, second.f_x[0] @ first.f_x),
        ("the input", u.grad, second.f_x[0] @ first.f_u + second.f_u[0]),
        ("the parameter", p.grad, second.f_x[0] @ first.f_p + second.f_p[0]),
    ):
        assert_close(found.numpy(), expected, 20 * np.finfo(float).eps, f"derivative by {name}")
