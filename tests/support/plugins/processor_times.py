"""`--processor-times N`: list the N tests that took most processor time, including that of their child processes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

NAME = "processor time"
BEGUN = pytest.StashKey[float]()


def used() -> float:
    """Processor time of this process and of its finished children, s."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    item.stash[BEGUN] = used()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    if call.when == "teardown":
        item.user_properties.append((NAME, used() - item.stash[BEGUN]))
    return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--processor-times", type=int, metavar="N", help="show the N tests that took most, and the sum")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    count = config.getoption("--processor-times")
    if count is None:
        return
    reports = [r for some in terminalreporter.stats.values() for r in some if getattr(r, "when", "") == "teardown"]
    times = sorted(((dict(r.user_properties)[NAME], r.nodeid) for r in reports), reverse=True)
    terminalreporter.section("processor times")
    for seconds, name in times[:count]:
        terminalreporter.line(f"{seconds:8.2f} s  {name}")
    terminalreporter.line(f"{sum(seconds for seconds, _ in times):8.2f} s  {len(times)} tests")
