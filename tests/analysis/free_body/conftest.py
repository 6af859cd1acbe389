"""Random states of the free body."""

from __future__ import annotations

import pytest

from support.generators.free_bodies import CONVENTIONS, State


@pytest.fixture(params=[(seed, name) for seed in range(8) for name in CONVENTIONS], ids=lambda p: f"{p[1]}-{p[0]}")
def state(request: pytest.FixtureRequest) -> State:
    return State(*request.param)
