"""The path by which documents name `simulate` and `compiled`, which stand in `mbs_fmu.run.simulate`."""

from .run.simulate import compiled as compiled
from .run.simulate import simulate as simulate
