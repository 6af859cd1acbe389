"""`--third K`: run one third of the selected tests; K of 0, 1, 2 together run all of them.

The cases of one test stay together, since they share compiled code; those with the mark `apart` share none and are
divided among the thirds. A test's third never depends on other tests.
"""

from __future__ import annotations

from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--third", type=int, choices=(0, 1, 2), help="run a third of the tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    third = config.getoption("--third")
    if third is None:
        return
    others = [item for item in items if turn(item) != third]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if turn(item) == third]


def turn(item: pytest.Item) -> int:
    """Third of a test, by its name; without its case unless the cases are apart."""
    name = item.nodeid if item.get_closest_marker("apart") else item.nodeid.split("[")[0]
    return crc32(name.encode()) % 3
