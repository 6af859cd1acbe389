"""`--sixth K`: run one sixth of the selected tests; K from 0 to 5 together run all of them.

The cases of one test stay together, since they share compiled code; those with the mark `apart` share none and are
divided among the sixths. A test's sixth never depends on other tests.
"""

from __future__ import annotations

from zlib import crc32

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--sixth", type=int, choices=range(6), help="run a sixth of the tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    sixth = config.getoption("--sixth")
    if sixth is None:
        return
    others = [item for item in items if turn(item) != sixth]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if turn(item) == sixth]


def turn(item: pytest.Item) -> int:
    """Sixth of a test, by its name; without its case unless the cases are apart."""
    name = item.nodeid if item.get_closest_marker("apart") else item.nodeid.split("[")[0]
    return crc32(name.encode()) % 6
