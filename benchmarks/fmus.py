"""Overhead of an FMU's calls: the governor as a Python FMU against an empty pythonfmu slave."""
from .timing import Effort
def section(effort: Effort) -> str:
    return "## FMU"
