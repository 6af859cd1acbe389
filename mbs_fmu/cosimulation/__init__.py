"""Co-simulation of FMUs: `System`."""

from .system import System as System
