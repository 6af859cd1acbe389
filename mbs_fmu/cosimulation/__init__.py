"""Systems of FMUs in co-simulation or model exchange: `System`."""

from .system import System as System
