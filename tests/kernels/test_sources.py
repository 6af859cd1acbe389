"""Kernels as text."""

from __future__ import annotations

import gc
import inspect
import sys
import threading
from collections.abc import Iterator

import pytest

from mbs_fmu.kernels import modes
from mbs_fmu.kernels.sources import parsed

pytestmark = pytest.mark.quick


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns wherever they can: also where memory is tidied up."""

    def busy(phase: str, info: dict[str, int]) -> None:
        sum(range(200))

    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(10)
    gc.callbacks.append(busy)
    yield
    gc.callbacks.remove(busy)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usual
def test_threads_parse_one_after_the_other(restless: None) -> None:
    """At different depths of calls, which is what CPython 3.11 mixes up: it said so in a third of the cases."""
    text, failed = inspect.getsource(modes), []

    def parse(depth: int) -> None:
        if depth:
            parse(depth - 1)
            return
        for _ in range(20):
            try:
                parsed(text)
            except SystemError as error:
                failed.append(error)

    threads = [threading.Thread(target=parse, args=(depth,)) for depth in (0, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
