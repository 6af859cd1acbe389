"""Documented import path of `simulate` and `compiled`, which `mbs_fmu.run.simulate` defines."""

from .run.simulate import compiled as compiled
from .run.simulate import simulate as simulate
